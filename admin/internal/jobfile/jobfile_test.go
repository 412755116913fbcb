package jobfile

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/client"
)

const twoJobs = `# the jobs of the shop
group: orders
name: settle <b>
author: me
schedule: {cron: '0 0 3 * * ?', time_zone: Asia/Shanghai}
route: round
handler: settle
param: |
  a: 1
  b: 2
timeout: 10m
retries: 2
children: [report, mail/send, 9]
tags: [money, daily]
state: started
---
group: 2
name: report
schedule:
  every: 90s
---
`

func TestParse(t *testing.T) {
	t.Parallel()
	jobs, err := Parse("jobs.yaml", strings.NewReader(twoJobs))
	require.NoError(t, err)
	require.Len(t, jobs, 2)
	assert.Equal(t, "jobs.yaml:8", jobs[0].At("param"))
	for _, j := range jobs {
		j.file, j.lines = "", nil
	}
	assert.Equal(t, &Job{
		Place: "jobs.yaml:2", Group: Ref{Name: "orders"}, State: "started", CodeType: "bean",
		Children: []Ref{{Name: "report"}, {Name: "mail/send"}, {ID: 9}},
		Input: client.JobInput{
			Name: "settle <b>", Author: "me", Misfire: "do_nothing", Route: "round", Block: "serial_execution",
			Schedule: client.Schedule{Type: "cron", Cron: "0 0 3 * * ?", TimeZone: "Asia/Shanghai"},
			Handler:  "settle", Param: "a: 1\nb: 2\n", TimeoutMs: 600_000, Retries: 2, Tags: []string{"daily", "money"},
		},
	}, jobs[0])
	assert.Equal(t, Ref{ID: 2}, jobs[1].Group)
	assert.Equal(t, client.Schedule{Type: "fix_rate", IntervalMs: 90_000}, jobs[1].Input.Schedule)
	assert.Equal(t, "jobs.yaml:17", jobs[1].Place)

	var b bytes.Buffer
	require.NoError(t, Write(&b, jobs))
	again, err := Parse("jobs.yaml", bytes.NewReader(b.Bytes()))
	require.NoError(t, err, b.String())
	for i := range again {
		again[i].Place, again[i].file, again[i].lines = jobs[i].Place, "", nil
	}
	assert.Equal(t, jobs, again, b.String())
}

// Words are read as Java writes them, too.
func TestParseCapitals(t *testing.T) {
	t.Parallel()
	jobs, err := Parse("jobs.yaml", strings.NewReader(`{group: orders, name: a, misfire: FIRE_ONCE_NOW, `+
		`route: SHARDING_BROADCAST, block: DISCARD_LATER, code_type: GLUE_SHELL}`))
	require.NoError(t, err)
	in := jobs[0].Input
	assert.Equal(t, []string{"fire_once_now", "sharding_broadcast", "discard_later", "glue_shell"},
		[]string{in.Misfire, in.Route, in.Block, jobs[0].CodeType})
}

func TestParseFaults(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"no mapping", "- a\n", "f:1: a job is expected, as a mapping"},
		{"unknown field", "group: a\nname: b\nhandel: c\n", `f:3: unknown field "handel": a job has alarm_email, author`},
		{"twice", "group: a\nname: b\nname: c\n", "f:3: name stands here twice"},
		{"no name", "group: a\n", "f:1: name is missing"},
		{"no group", "\n\nname: a\n", "f:3: group is missing"},
		{"state", "group: a\nname: b\nstate: on\n", `state "on" must be started or stopped`},
		{"schedule", "group: a\nname: b\nschedule: {cron: x, every: 1s}\n", "f:3: a schedule has either cron or every"},
		{"schedule of another kind", "group: a\nname: b\nschedule: daily\n", "f:3: a schedule is expected, as a mapping"},
		{"field of a schedule", "group: a\nname: b\nschedule: {crom: x}\n", `f:3: unknown field "crom": a schedule has cron, every, time_zone`},
		{"duration", "group: a\nname: b\ntimeout: 1500ms\n", `f:3: "1500ms" is no duration in whole seconds`},
		{"number", "group: a\nname: b\nretries: two\n", `f:3: "two" is not a number`},
		{"children", "group: a\nname: b\nchildren: c\n", "f:3: a list of jobs is expected"},
		{"child", "group: a\nname: b\nchildren: [{x: 1}]\n", "f:3: a name or an id is expected"},
		{"id", "group: 0\nname: b\n", `f:1: "0" is no id`},
		{"no YAML", "group: a\n\tname: b\n", "f: line 2: "},
		{"the second document", "group: a\nname: b\n---\nname: c\n", "f:4: group is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("f", strings.NewReader(tt.text))
			assert.ErrorContains(t, err, tt.want)
		})
	}
	jobs, err := Parse("f", strings.NewReader("# nothing\n---\n"))
	require.NoError(t, err)
	assert.Empty(t, jobs)
}

func FuzzParse(f *testing.F) {
	f.Add(twoJobs)
	f.Add("group: &a orders\nname: *a\nchildren: [*a]\n")
	f.Fuzz(func(t *testing.T, text string) {
		jobs, err := Parse("f", strings.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Write(&b, jobs); err != nil {
			t.Fatal(err)
		}
		if _, err := Parse("again", &b); err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, b.String())
		}
	})
}

func world() World {
	job := func(id, group int32, name string, change func(*client.Job)) *client.Job {
		j := &client.Job{ID: id, State: "stopped", CodeType: "bean", JobInput: client.JobInput{
			GroupID: group, Name: name, Author: "me", Misfire: "do_nothing", Route: "first", Block: "serial_execution",
			Schedule: client.Schedule{Type: "none"}, Children: []int32{}, Tags: []string{},
		}}
		if change != nil {
			change(j)
		}
		return j
	}
	return World{
		Groups: []*client.Group{
			{ID: 1, GroupInput: client.GroupInput{AppName: "orders"}},
			{ID: 2, GroupInput: client.GroupInput{AppName: "mail"}},
			{ID: 3, GroupInput: client.GroupInput{AppName: "twice"}},
			{ID: 4, GroupInput: client.GroupInput{AppName: "twice"}},
		},
		Jobs: []*client.Job{
			job(1, 1, "settle", nil), job(2, 1, "report", func(j *client.Job) { j.Tags = []string{"daily"}; j.Children = []int32{1, 3} }),
			job(3, 2, "send", nil), job(4, 1, "same", nil), job(5, 1, "same", nil),
			job(6, 2, "script", func(j *client.Job) { j.CodeType = "glue_shell" }),
		},
		Code: func(id int32) (string, error) {
			if id != 6 {
				return "", errors.New("no code")
			}
			return "echo 1", nil
		},
	}
}

func parse(t *testing.T, text string) []*Job {
	t.Helper()
	jobs, err := Parse("f", strings.NewReader(text))
	require.NoError(t, err)
	return jobs
}

// TestPlan: what differs is changed, what is new is created, what is the same is
// left alone, and what nobody speaks of goes if that is wanted.
func TestPlan(t *testing.T) {
	t.Parallel()
	jobs := parse(t, `{group: orders, name: settle}
---
{group: orders, name: report, handler: report, tags: [daily], children: [settle, new], state: started}
---
{group: orders, name: new, children: [mail/send]}
---
{group: mail, name: script, code_type: glue_shell, code: echo 2, state: stopped}
`)
	plan, err := Make(world(), jobs, &Scope{GroupID: 1})
	require.NoError(t, err)
	assert.Equal(t, 1, plan.Unchanged)
	assert.Equal(t, [3]int{1, 2, 2}, [3]int{plan.Count(Create), plan.Count(Update), plan.Count(Delete)})
	report, fresh, script := plan.Steps[0], plan.Steps[1], plan.Steps[2]
	assert.Equal(t, []Field{
		{"handler", "", "report"},
		{"children", "1 3", "1 and new ones"},
		{"state", "stopped", "started"},
	}, report.Fields)
	assert.Equal(t, "me", report.Want.Author)
	assert.Equal(t, []Ref{{ID: 1}, {Name: "orders/new"}}, report.Children)
	assert.Equal(t, []int32{3}, fresh.Want.Children)
	assert.Equal(t, int32(1), fresh.Want.GroupID)
	assert.Equal(t, []Field{{"code", "line 1: echo 1", "line 1: echo 2"}}, script.Fields)
	assert.Equal(t, int32(4), plan.Steps[3].ID)

	plan, err = Make(world(), parse(t, "{group: orders, name: same, id: 5, tags: [x]}"), &Scope{Tag: "daily"})
	require.NoError(t, err)
	assert.Equal(t, [2]int32{5, 2}, [2]int32{plan.Steps[0].ID, plan.Steps[1].ID})
}

// TestChildrenFirst: where a child becomes the parent of its parent, the old way ends
// before the new one begins, through jobs that stay as they are too.
func TestChildrenFirst(t *testing.T) {
	t.Parallel()
	w := World{Groups: []*client.Group{{ID: 1, GroupInput: client.GroupInput{AppName: "g"}}}}
	for id, children := range [][]int32{{2}, {3}, nil} {
		in := normal(client.JobInput{GroupID: 1, Name: string(rune('a' + id)), Children: children})
		w.Jobs = append(w.Jobs, &client.Job{ID: int32(id) + 1, JobInput: in, CodeType: "bean", State: "stopped"})
	}
	plan, err := Make(w, parse(t, "{group: g, name: c, children: [new, a]}\n---\n{group: g, name: b}\n---\n"+
		"{group: g, name: new, children: [a]}\n---\n{group: g, name: a, retries: 1, children: [b]}"), nil)
	require.NoError(t, err)
	names := func(steps []*Step) (list []string) {
		for _, s := range steps {
			list = append(list, s.Name)
		}
		return list
	}
	assert.Equal(t, []string{"c", "b", "new", "a"}, names(plan.Steps), "the plan is in the order of the file")
	assert.Equal(t, []string{"b", "a", "new", "c"}, names(plan.Changes()))
}

func TestPlanFaults(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"group", "{group: none, name: a}", "f:1: there is no group none, or the key may not see it"},
		{"groups", "{group: twice, name: a}", "there are 2 groups twice: name one by its id (3, 4"},
		{"jobs", "{group: orders, name: same}", "there are 2 jobs orders/same: say which one with id: (4, 5)"},
		{"id", "{group: orders, name: a, id: 99}", "there is no job 99"},
		{"twice", "{group: orders, name: settle}\n---\n{group: orders, name: settle}", "f:3: job orders/settle (id 1) stands in f:1 already"},
		{"new ones twice", "{group: orders, name: a}\n---\n{group: orders, name: a}", "f:3: job orders/a stands in the files twice"},
		{"child", "{group: orders, name: a, children: [b]}", "there is no job orders/b to be a child"},
		{"children", "{group: orders, name: a, children: [same]}", "there are 2 jobs orders/same: name the child by its id"},
		{
			"circle", "group: orders\nname: a\nchildren: [b]\n---\n{group: orders, name: b, children: [a]}",
			"f:3: orders/a: children: it would trigger itself: orders/a → orders/b → orders/a",
		},
		{
			"circle through an old one",
			"{group: orders, name: a, children: [settle]}\n---\n{group: orders, name: settle, children: [a]}",
			"it would trigger itself: orders/a → #1 → orders/a",
		},
		{"code type", "{group: mail, name: script}", "job 6 is of code_type glue_shell"},
		{"code", "{group: orders, name: settle, code: x}", "code of job 1: no code"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Make(world(), parse(t, tt.text), nil)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

// TestDrafts: what is new or changed is checked by the server, and a fault names the
// line of its field.
func TestDrafts(t *testing.T) {
	t.Parallel()
	plan, err := Make(world(), parse(t, "group: orders\nname: a\nhandler: h\nschedule: {every: 5s}\ncode_type: glue_shell\n---\n"+
		"{group: orders, name: settle, retries: 9, state: started}"), nil)
	require.NoError(t, err)
	drafts, steps := plan.Drafts("lin")
	require.Len(t, drafts, 2)
	assert.Equal(t, []any{int32(0), "lin", "glue_shell"}, []any{drafts[0].ID, drafts[0].Author, drafts[0].CodeType})
	assert.Equal(t, []any{int32(1), int32(9)}, []any{drafts[1].ID, drafts[1].Retries})
	require.EqualError(t, steps[0].Fault("/schedule/cron", "x"), "f:4: orders/a: schedule: x")
	require.EqualError(t, steps[0].Fault("/group_id", "x"), "f:1: orders/a: group: x")
	require.EqualError(t, steps[0].Fault("/timeout_ms", "x"), "f:1: orders/a: timeout: x")
	require.EqualError(t, steps[1].Fault("", "x"), "f:7: orders/settle: x")
}

// TestRoundTrip: what is exported changes nothing when it is applied.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	w := world()
	var docs []*Job
	for _, j := range w.Jobs {
		docs = append(docs, FromWorld(w, j))
	}
	var b bytes.Buffer
	require.NoError(t, Write(&b, docs))
	assert.Contains(t, b.String(), "children: [settle, mail/send]")
	plan, err := Make(w, parse(t, b.String()), &Scope{})
	require.NoError(t, err)
	assert.Empty(t, plan.Steps)
	assert.Equal(t, len(w.Jobs), plan.Unchanged)
}

func TestWords(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "none", Words(client.Schedule{Type: "none", TimeZone: "UTC"}))
	assert.Equal(t, "cron 0 0 3 * * ? UTC", Words(client.Schedule{Type: "cron", Cron: "0 0 3 * * ?", TimeZone: "UTC"}))
	assert.Equal(t, "every 2h", Words(client.Schedule{Type: "fix_rate", IntervalMs: 7_200_000}))
}

// TestPrunedChild: what the files name as a child is not deleted by the same
// files, whether the job that names it changes or not.
func TestPrunedChild(t *testing.T) {
	t.Parallel()
	jobs := parse(t, "group: orders\nname: report\nauthor: me\ntags: [daily]\nchildren: [settle, mail/send]\n")
	_, err := Make(world(), jobs, &Scope{})
	require.ErrorContains(t, err, "child orders/settle (id 1) would be pruned: give it a document of its own")
	require.ErrorContains(t, err, "child mail/send (id 3) would be pruned")
	plan, err := Make(world(), append(jobs, parse(t, "group: orders\nname: settle\nauthor: me\n")...), &Scope{GroupID: 1})
	require.NoError(t, err, "that of another group stays")
	assert.Equal(t, 2, plan.Count(Delete))
}
