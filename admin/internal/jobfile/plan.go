package jobfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
)

// What a plan does to a job.
const (
	Create = "create"
	Update = "update"
	Delete = "delete"
)

// World is what a scheduling centre has.
type World struct {
	Groups []*client.Group
	Jobs   []*client.Job

	// Code returns the code of a script job. It is asked only where a file has
	// code.
	Code func(jobID int32) (string, error)
}

// Step is what a plan does to one job.
type Step struct {
	Action string  `json:"action"` // Create, Update or Delete
	ID     int32   `json:"id,omitempty"`
	Group  string  `json:"group"` // app name
	Name   string  `json:"name"`
	Fields []Field `json:"fields,omitempty"` // what an update changes
	// Notes say why a job goes, and what goes with it; Make gives none.
	Notes []string `json:"notes,omitempty"`

	Want     client.JobInput `json:"-"` // children that are created first are left out
	Children []Ref           `json:"-"` // of Want; names where they are created by the same plan
	Job      *Job            `json:"-"` // nil for Delete
	Was      *client.Job     `json:"-"` // nil for Create
	NewState string          `json:"-"` // "" leaves it as it is
	NewCode  bool            `json:"-"`
}

// Field is a field that an update changes.
type Field struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Plan is what has to be done.
type Plan struct {
	Steps     []*Step `json:"steps"`
	Unchanged int     `json:"unchanged"`

	changes []*Step
}

// Changes returns what is created and updated in the order in which it is to be done:
// a job comes after the jobs that it will trigger, so that none of the changes closes
// a circle that a later one would open.
func (p *Plan) Changes() []*Step { return p.changes }

// Count returns how many steps have an action.
func (p *Plan) Count(action string) int {
	n := 0
	for _, s := range p.Steps {
		if s.Action == action {
			n++
		}
	}
	return n
}

// Scope is a set of jobs, for Prune. Empty fields are any.
type Scope struct {
	GroupID int32
	Tag     string
}

// planner works out a plan.
type planner struct {
	World

	apps    map[int32]string         // group → app name
	byKey   map[string][]*client.Job // "app/name"
	created map[string]bool          // keys of jobs that the plan creates
	claimed map[int32]*Job           // jobs that a document speaks of
	targets map[*Job]*client.Job     // the job of each document; nil is created
	groups  map[*Job]*client.Group   // the group of each document
	kids    map[*Job][]int32         // children of each document that are there
}

// Make works out what has to be done for the jobs of a file. With a scope, jobs
// in it that the file does not have are deleted. The error joins what is wrong
// with each document.
func Make(w World, jobs []*Job, prune *Scope) (*Plan, error) {
	p := &planner{
		World: w, apps: make(map[int32]string), byKey: make(map[string][]*client.Job), created: make(map[string]bool),
		claimed: make(map[int32]*Job), targets: make(map[*Job]*client.Job), groups: make(map[*Job]*client.Group),
		kids: make(map[*Job][]int32),
	}
	for _, g := range w.Groups {
		p.apps[g.ID] = g.AppName
	}
	for _, j := range w.Jobs {
		key := p.key(j)
		p.byKey[key] = append(p.byKey[key], j)
	}
	var faults []error
	for _, j := range jobs {
		if err := p.find(j); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", j.Place, err))
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	plan := &Plan{Steps: []*Step{}}
	for _, j := range jobs {
		step, err := p.step(j)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", j.Place, err))
			continue
		}
		if step == nil {
			plan.Unchanged++
			continue
		}
		plan.Steps = append(plan.Steps, step)
	}
	next := p.children(plan)
	faults = append(faults, circles(plan, next)...)
	plan.changes = childrenFirst(plan, next)
	if prune != nil {
		gone := p.prune(prune)
		faults = append(faults, p.orphans(jobs, gone)...)
		plan.Steps = append(plan.Steps, gone...)
	}
	return plan, errors.Join(faults...)
}

func (p *planner) key(j *client.Job) string { return p.apps[j.GroupID] + "/" + j.Name }

// find decides which job a document speaks of.
func (p *planner) find(j *Job) error {
	g, err := p.group(j.Group)
	if err != nil {
		return err
	}
	p.groups[j] = g
	key := g.AppName + "/" + j.Input.Name
	found := p.byKey[key]
	if j.ID != 0 {
		i := slices.IndexFunc(p.Jobs, func(have *client.Job) bool { return have.ID == j.ID })
		if i < 0 {
			return fmt.Errorf("there is no job %d", j.ID)
		}
		found = p.Jobs[i : i+1]
	}
	switch {
	case len(found) > 1:
		ids := make([]string, len(found))
		for i, have := range found {
			ids[i] = fmt.Sprint(have.ID)
		}
		return fmt.Errorf("there are %d jobs %s: say which one with id: (%s)", len(found), key, strings.Join(ids, ", "))
	case len(found) == 1:
		have := found[0]
		if other := p.claimed[have.ID]; other != nil {
			return fmt.Errorf("job %s (id %d) stands in %s already", key, have.ID, other.Place)
		}
		p.claimed[have.ID], p.targets[j] = j, have
	case p.created[key]:
		return fmt.Errorf("job %s stands in the files twice", key)
	default:
		p.created[key] = true
	}
	return nil
}

func (p *planner) group(ref Ref) (*client.Group, error) {
	var found []*client.Group
	for _, g := range p.Groups {
		if ref.ID == g.ID || ref.ID == 0 && ref.Name == g.AppName {
			found = append(found, g)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("there is no group %s, or the key may not see it: xxl-job-admin executor create %s "+
			"makes it", ref, ref)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("there are %d groups %s: name one by its id (%d, %d …)",
		len(found), ref, found[0].ID, found[1].ID)
}

// step compares a document with what there is; nil is no difference.
func (p *planner) step(j *Job) (*Step, error) {
	g, was := p.groups[j], p.targets[j]
	s := &Step{Action: Create, Group: g.AppName, Name: j.Input.Name, Want: j.Input, Job: j, Was: was}
	s.Want.GroupID = g.ID
	later, err := p.resolve(j, s)
	if err != nil {
		return nil, err
	}
	if was == nil {
		s.NewState = j.State
		return s, nil
	}
	s.Action, s.ID = Update, was.ID
	if s.Want.Author == "" {
		s.Want.Author = was.Author
	}
	s.Fields = p.differences(normal(was.JobInput), s.Want, later)
	if j.CodeType != was.CodeType {
		return nil, fmt.Errorf("job %d is of code_type %s: another type needs another job", was.ID, was.CodeType)
	}
	if err := p.compareCode(s); err != nil {
		return nil, err
	}
	if j.State != "" && j.State != was.State {
		s.NewState = j.State
		s.Fields = append(s.Fields, Field{"state", was.State, j.State})
	}
	if len(s.Fields) == 0 {
		return nil, nil
	}
	return s, nil
}

func (p *planner) compareCode(s *Step) error {
	if s.Job.Code == "" {
		return nil
	}
	have, err := p.Code(s.ID)
	if err != nil {
		return fmt.Errorf("code of job %d: %w", s.ID, err)
	}
	if have != s.Job.Code {
		s.NewCode = true
		before, after := firstDifference(have, s.Job.Code)
		s.Fields = append(s.Fields, Field{"code", before, after})
	}
	return nil
}

// firstDifference is the first line in which two texts differ; "" is none.
func firstDifference(a, b string) (before, after string) {
	linesA, linesB := strings.Split(a, "\n"), strings.Split(b, "\n")
	i := 0
	for i < len(linesA) && i < len(linesB) && linesA[i] == linesB[i] {
		i++
	}
	at := func(lines []string) string {
		if i >= len(lines) {
			return ""
		}
		return fmt.Sprintf("line %d: %s", i+1, lines[i])
	}
	return at(linesA), at(linesB)
}

// resolve finds the ids of children. later says that some are created by the
// same plan.
func (p *planner) resolve(j *Job, s *Step) (later bool, err error) {
	for _, ref := range j.Children {
		if ref.ID == 0 {
			key := ref.Name
			if !strings.Contains(key, "/") || len(p.byKey[key]) == 0 && !p.created[key] {
				key = s.Group + "/" + ref.Name
			}
			found := p.byKey[key]
			switch {
			case len(found) > 1:
				return false, fmt.Errorf("there are %d jobs %s: name the child by its id", len(found), key)
			case len(found) == 1:
				ref = Ref{ID: found[0].ID}
			case p.created[key]:
				later, ref = true, Ref{Name: key}
			default:
				return false, fmt.Errorf("there is no job %s to be a child", key)
			}
		}
		s.Children = append(s.Children, ref)
		if ref.ID != 0 {
			s.Want.Children = append(s.Want.Children, ref.ID)
			p.kids[j] = append(p.kids[j], ref.ID)
		}
	}
	return later, nil
}

// prune deletes the jobs of a scope that no document speaks of.
func (p *planner) prune(scope *Scope) []*Step {
	var steps []*Step
	for _, j := range p.Jobs {
		inside := (scope.GroupID == 0 || j.GroupID == scope.GroupID) &&
			(scope.Tag == "" || slices.Contains(j.Tags, scope.Tag))
		if inside && p.claimed[j.ID] == nil {
			steps = append(steps, &Step{Action: Delete, ID: j.ID, Group: p.apps[j.GroupID], Name: j.Name, Was: j})
		}
	}
	return steps
}

// orphans finds children that the documents name and that would be deleted.
func (p *planner) orphans(jobs []*Job, gone []*Step) (faults []error) {
	goes := make(map[int32]*Step, len(gone))
	for _, s := range gone {
		goes[s.ID] = s
	}
	for _, j := range jobs {
		for _, id := range p.kids[j] {
			if s := goes[id]; s != nil {
				faults = append(faults, fmt.Errorf("%s: child %s/%s (id %d) would be pruned: "+
					"give it a document of its own, or name it no more", j.At("children"), s.Group, s.Name, id))
			}
		}
	}
	return faults
}

// differences lists the fields in which two jobs differ.
func (p *planner) differences(a, b client.JobInput, later bool) []Field {
	var fields []Field
	add := func(name, before, after string) {
		if before != after {
			fields = append(fields, Field{name, before, after})
		}
	}
	add("group", p.apps[a.GroupID], p.apps[b.GroupID])
	add("name", a.Name, b.Name)
	add("author", a.Author, b.Author)
	add("alarm_email", a.AlarmEmail, b.AlarmEmail)
	add("schedule", Words(a.Schedule), Words(b.Schedule))
	add("misfire", a.Misfire, b.Misfire)
	add("route", a.Route, b.Route)
	add("block", a.Block, b.Block)
	add("handler", a.Handler, b.Handler)
	add("param", a.Param, b.Param)
	add("timeout", Span(a.TimeoutMs), Span(b.TimeoutMs))
	add("retries", fmt.Sprint(a.Retries), fmt.Sprint(b.Retries))
	after := list(b.Children)
	if later {
		after = strings.TrimSpace(after + " and new ones")
	}
	add("children", list(a.Children), after)
	add("tags", strings.Join(a.Tags, " "), strings.Join(b.Tags, " "))
	return fields
}

func list(ids []int32) string { return strings.Trim(fmt.Sprint(ids), "[]") }

// Span is a number of milliseconds as people write it; 0 is "none".
func Span(ms int64) string {
	if ms == 0 {
		return "none"
	}
	return span(ms)
}

// Words is a schedule on one line.
func Words(s client.Schedule) string {
	text := "none"
	switch s.Type {
	case client.ScheduleCron:
		text = "cron " + s.Cron
	case client.ScheduleFixRate:
		text = "every " + span(s.IntervalMs)
	}
	if s.TimeZone != "" && s.Type != client.ScheduleNone {
		text += " " + s.TimeZone
	}
	return text
}

// FromWorld is the document of a job that there is. Children and the group are
// named where that is clear.
func FromWorld(w World, j *client.Job) *Job { return FromJobs(w, []*client.Job{j})[0] }

// FromJobs is FromWorld for several jobs, in their order: it looks through the
// world once.
func FromJobs(w World, jobs []*client.Job) []*Job {
	apps, names, keys := make(map[int32]string), make(map[string]int), make(map[string]int)
	for _, g := range w.Groups {
		apps[g.ID] = g.AppName
		names[g.AppName]++
	}
	byID := make(map[int32]*client.Job)
	for _, have := range w.Jobs {
		keys[apps[have.GroupID]+"/"+have.Name]++
		byID[have.ID] = have
	}
	docs := make([]*Job, len(jobs))
	for i, j := range jobs {
		in := normal(j.JobInput)
		out := &Job{Group: Ref{ID: j.GroupID}, Input: in, State: j.State, CodeType: j.CodeType}
		if app := apps[j.GroupID]; names[app] == 1 {
			out.Group = Ref{Name: app}
		}
		if keys[apps[j.GroupID]+"/"+j.Name] > 1 {
			out.ID = j.ID
		}
		for _, id := range in.Children {
			out.Children = append(out.Children, childRef(id, byID[id], j.GroupID, apps, keys))
		}
		out.Input.Children, out.Input.GroupID = nil, 0
		docs[i] = out
	}
	return docs
}

// childRef names a child of a job of the group, where that is clear.
func childRef(id int32, child *client.Job, group int32, apps map[int32]string, keys map[string]int) Ref {
	if child == nil || keys[apps[child.GroupID]+"/"+child.Name] != 1 {
		return Ref{ID: id}
	}
	if child.GroupID == group && !strings.Contains(child.Name, "/") {
		return Ref{Name: child.Name}
	}
	return Ref{Name: apps[child.GroupID] + "/" + child.Name}
}
