package jobfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
)

// Remark is that of code that is saved without one.
const Remark = "applied from a file"

// Drafts returns the jobs that a plan creates and updates as the scheduling centre
// checks them, with the steps that they are of. author is that of new jobs without
// one. Children that are created by the same plan are left out: they have no id yet.
func (p *Plan) Drafts(author string) (drafts []client.JobDraft, of []*Step) {
	for _, s := range p.Steps {
		if s.Action == Delete {
			continue
		}
		d := client.JobDraft{ID: s.ID}
		d.JobInput, d.State = s.Want, s.NewState
		d.Author = cmp.Or(d.Author, author)
		switch {
		case s.Action == Create:
			d.CodeType, d.Code, d.CodeRemark = s.Job.CodeType, s.Job.Code, s.Job.Remark
		case s.NewCode:
			d.Code, d.CodeRemark = s.Job.Code, cmp.Or(s.Job.Remark, Remark)
		}
		drafts, of = append(drafts, d), append(of, s)
	}
	return drafts, of
}

// Fault says where in a file what is that a step would be refused for. pointer is a
// JSON pointer into the draft of the step.
func (s *Step) Fault(pointer, detail string) error {
	field, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	switch field {
	case "group_id":
		field = "group"
	case "timeout_ms":
		field = "timeout"
	}
	text := s.Job.At(field) + ": " + s.Group + "/" + s.Name
	if field != "" {
		text += ": " + field
	}
	return fmt.Errorf("%s: %s", text, detail)
}

// node names a job in the graph of children: by its id, or as it will be called.
func (s *Step) node() string {
	if s.Action == Create {
		return s.Group + "/" + s.Name
	}
	return node(s.ID)
}

func node(id int32) string { return "#" + strconv.Itoa(int(id)) }

// children is the graph of children as it will be.
func (p *planner) children(plan *Plan) map[string][]string {
	next := make(map[string][]string)
	for _, j := range p.Jobs {
		for _, id := range j.Children {
			next[node(j.ID)] = append(next[node(j.ID)], node(id))
		}
	}
	for _, s := range plan.Steps {
		list := make([]string, len(s.Children))
		for i, ref := range s.Children {
			if list[i] = ref.Name; ref.ID != 0 {
				list[i] = node(ref.ID)
			}
		}
		next[s.node()] = list
	}
	return next
}

// circles finds jobs that a plan creates and that would trigger themselves through
// their children. Those of other jobs are found by the scheduling centre, which
// knows jobs that the planner may not see.
func circles(plan *Plan, next map[string][]string) (faults []error) {
	for _, s := range plan.Steps {
		if way := wayBack(next, s.node()); s.Action == Create && way != nil {
			faults = append(faults, s.Fault("/children", "it would trigger itself: "+strings.Join(way, " → ")))
		}
	}
	return faults
}

// childrenFirst orders steps so that each comes after those of the jobs which it leads
// to, and else as they are.
func childrenFirst(plan *Plan, next map[string][]string) (order []*Step) {
	steps, seen := make(map[string]*Step), make(map[string]bool)
	for _, s := range plan.Steps {
		steps[s.node()] = s
	}
	var visit func(from string)
	visit = func(from string) {
		if seen[from] {
			return
		}
		seen[from] = true
		for _, to := range next[from] {
			visit(to)
		}
		if s := steps[from]; s != nil {
			order = append(order, s)
		}
	}
	for _, s := range plan.Steps {
		visit(s.node())
	}
	return order
}

// wayBack is the shortest way from a node to itself; nil is none.
func wayBack(next map[string][]string, from string) []string {
	before := make(map[string]string)
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, to := range next[queue[0]] {
			if to == from {
				way := []string{from}
				for at := queue[0]; at != from; at = before[at] {
					way = append(way, at)
				}
				way = append(way, from)
				slices.Reverse(way)
				return way
			}
			if _, seen := before[to]; !seen {
				before[to] = queue[0]
				queue = append(queue, to)
			}
		}
	}
	return nil
}
