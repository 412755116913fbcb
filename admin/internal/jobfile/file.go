package jobfile

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/xxljob-go/xxljob/admin/client"
)

// Ref names a group or a job: by id, or by app name or name.
type Ref struct {
	ID   int32  // 0 when it is named
	Name string // "group/name" is a job of another group
}

// String is the reference as people write it.
func (r Ref) String() string {
	if r.ID != 0 {
		return strconv.Itoa(int(r.ID))
	}
	return r.Name
}

// Job is a document of a file.
type Job struct {
	Place string // file and line, for messages

	ID       int32 // 0: known by group and name
	Group    Ref
	Input    client.JobInput // without group and children
	Children []Ref
	State    string // "" leaves it as it is
	CodeType string
	Code     string
	Remark   string // what has changed in the code

	file  string
	lines map[string]int // of the fields that stand in the file
}

// At is the file and line of a field, or of the document where it is left out.
func (j *Job) At(field string) string {
	if line := j.lines[field]; line > 0 {
		return fmt.Sprintf("%s:%d", j.file, line)
	}
	return j.Place
}

// Name is how the job is called in messages.
func (j *Job) Name() string { return j.Group.String() + "/" + j.Input.Name }

// Parse reads all documents of a file, whose name stands in messages. The error
// joins what is wrong with each, with its line.
func Parse(name string, r io.Reader) ([]*Job, error) {
	decoder := yaml.NewDecoder(r)
	var jobs []*Job
	var faults []error
	for {
		var doc yaml.Node
		err := decoder.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return jobs, errors.Join(faults...)
		}
		if err != nil { // what follows cannot be read
			faults = append(faults, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: ")))
			return nil, errors.Join(faults...)
		}
		if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
			continue
		}
		j := &Job{
			Place: fmt.Sprintf("%s:%d", name, doc.Content[0].Line), file: name, lines: linesOf(doc.Content[0]),
		}
		p := parser{name: name}
		p.object(doc.Content[0], "a job", j.fields(&p))
		p.check(doc.Content[0], j)
		faults = append(faults, p.faults...)
		jobs = append(jobs, j)
	}
}

// linesOf are the lines of the fields of a mapping.
func linesOf(n *yaml.Node) map[string]int {
	lines := make(map[string]int)
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			lines[n.Content[i].Value] = n.Content[i].Line
		}
	}
	return lines
}

// parser gathers what is wrong with a document.
type parser struct {
	name   string
	faults []error
}

func (p *parser) fault(at *yaml.Node, format string, args ...any) {
	p.faults = append(p.faults, fmt.Errorf("%s:%d: "+format, append([]any{p.name, at.Line}, args...)...))
}

// setter takes the value of a field.
type setter func(value *yaml.Node)

// object hands the values of a mapping to their fields, and refuses keys that are
// no fields or come twice.
func (p *parser) object(n *yaml.Node, what string, fields map[string]setter) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		p.fault(n, "%s is expected, as a mapping", what)
		return
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		set := fields[key]
		switch {
		case set == nil:
			p.fault(n.Content[i], "unknown field %q: %s has %s", key, what,
				strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
		case seen[key]:
			p.fault(n.Content[i], "%s stands here twice", key)
		default:
			set(n.Content[i+1])
		}
		seen[key] = true
	}
}

// into decodes a value; what says what it should be.
func into[T any](p *parser, what string, to *T) setter {
	return func(n *yaml.Node) {
		if n.Tag == "!!null" {
			return
		}
		if err := n.Decode(to); err != nil {
			p.fault(n, "%q is not %s", n.Value, what)
		}
	}
}

func (j *Job) fields(p *parser) map[string]setter {
	in := &j.Input
	return map[string]setter{
		"id":          into(p, "the id of a job", &j.ID),
		"group":       func(n *yaml.Node) { j.Group = p.ref(n) },
		"name":        into(p, "a text", &in.Name),
		"author":      into(p, "a text", &in.Author),
		"alarm_email": into(p, "a text", &in.AlarmEmail),
		"schedule":    func(n *yaml.Node) { p.schedule(n, &in.Schedule) },
		"misfire":     into(p, "a text", &in.Misfire),
		"route":       into(p, "a text", &in.Route),
		"block":       into(p, "a text", &in.Block),
		"handler":     into(p, "a text", &in.Handler),
		"param":       into(p, "a text", &in.Param),
		"timeout":     func(n *yaml.Node) { in.TimeoutMs = p.duration(n) },
		"retries":     into(p, "a number", &in.Retries),
		"children":    func(n *yaml.Node) { j.Children = p.refs(n) },
		"tags":        func(n *yaml.Node) { p.tags(n, &in.Tags) },
		"state":       into(p, "a text", &j.State),
		"code_type":   into(p, "a text", &j.CodeType),
		"code":        into(p, "a text", &j.Code),
		"code_remark": into(p, "a text", &j.Remark),
	}
}

// tags reads tags. Commas stand between tags where people type them, so none has
// one.
func (p *parser) tags(n *yaml.Node, to *[]string) {
	into(p, "a list of texts", to)(n)
	for _, tag := range *to {
		if strings.ContainsAny(tag, ",，") {
			p.fault(n, "the tag %q has a comma: write two tags, or no comma", tag)
		}
	}
}

// check refuses documents that lack something, and fills in defaults.
func (p *parser) check(n *yaml.Node, j *Job) {
	if n.Kind != yaml.MappingNode {
		return
	}
	if j.Input.Name == "" && len(p.faults) == 0 {
		p.fault(n, "name is missing")
	}
	if j.Group == (Ref{}) && len(p.faults) == 0 {
		p.fault(n, "group is missing: the app name of the executors")
	}
	if j.State != "" && j.State != client.StateStarted && j.State != client.StateStopped {
		p.fault(n, "state %q must be %s or %s", j.State, client.StateStarted, client.StateStopped)
	}
	if j.Input.Schedule.Type == "" {
		j.Input.Schedule.Type = client.ScheduleNone
	}
	for _, word := range []*string{&j.Input.Misfire, &j.Input.Route, &j.Input.Block, &j.CodeType} {
		*word = strings.ToLower(*word) // Java writes them in capitals
	}
	j.Input = normal(j.Input)
	if j.CodeType == "" {
		j.CodeType = "bean"
	}
}

// normal fills in what the server would.
func normal(in client.JobInput) client.JobInput {
	for _, f := range []struct {
		value *string
		def   string
	}{{&in.Misfire, "do_nothing"}, {&in.Route, "first"}, {&in.Block, "serial_execution"}} {
		if *f.value == "" {
			*f.value = f.def
		}
	}
	in.Tags = slices.Sorted(slices.Values(in.Tags))
	return in
}

// schedule reads none, {cron: …, time_zone: …} or {every: 30s}.
func (p *parser) schedule(n *yaml.Node, to *client.Schedule) {
	if n.Kind == yaml.ScalarNode && (n.Value == client.ScheduleNone || n.Tag == "!!null") {
		to.Type = client.ScheduleNone
		return
	}
	every := int64(0)
	p.object(n, "a schedule", map[string]setter{
		"cron":      into(p, "a cron expression", &to.Cron),
		"time_zone": into(p, "a time zone", &to.TimeZone),
		"every":     func(n *yaml.Node) { every = p.duration(n) },
	})
	switch {
	case to.Cron != "" && every != 0:
		p.fault(n, "a schedule has either cron or every")
	case to.Cron != "":
		to.Type = client.ScheduleCron
	case every != 0:
		to.Type, to.IntervalMs = client.ScheduleFixRate, every
	default:
		to.Type = client.ScheduleNone
	}
}

// duration reads 10m in whole seconds, as milliseconds.
func (p *parser) duration(n *yaml.Node) int64 {
	if n.Tag == "!!null" || n.Value == "0" {
		return 0
	}
	d, err := time.ParseDuration(n.Value)
	if err != nil || d < 0 || d%time.Second != 0 {
		p.fault(n, "%q is no duration in whole seconds, such as 90s or 10m", n.Value)
		return 0
	}
	return d.Milliseconds()
}

// ref reads an id or a name.
func (p *parser) ref(n *yaml.Node) Ref {
	if n.Kind != yaml.ScalarNode {
		p.fault(n, "a name or an id is expected")
		return Ref{}
	}
	if n.Tag != "!!int" {
		return Ref{Name: n.Value}
	}
	id, err := strconv.ParseInt(n.Value, 10, 32)
	if err != nil || id < 1 {
		p.fault(n, "%q is no id", n.Value)
	}
	return Ref{ID: int32(id)} //nolint:gosec // parsed as 32 bits wide
}

func (p *parser) refs(n *yaml.Node) []Ref {
	if n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		p.fault(n, "a list of jobs is expected, such as [report]")
		return nil
	}
	var list []Ref
	for _, item := range n.Content {
		list = append(list, p.ref(item))
	}
	return list
}
