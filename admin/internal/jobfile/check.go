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

// circles finds jobs that a plan creates and that would trigger themselves through
// their children. Those of other jobs are found by the scheduling centre, which
// knows jobs that the planner may not see.
func (p *planner) circles(plan *Plan) (faults []error) {
	name := func(id int32) string { return "#" + strconv.Itoa(int(id)) }
	children := make(map[string][]string)
	for _, j := range p.Jobs {
		for _, id := range j.Children {
			children[name(j.ID)] = append(children[name(j.ID)], name(id))
		}
	}
	node := func(s *Step) string {
		if s.Action == Create {
			return s.Group + "/" + s.Name
		}
		return name(s.ID)
	}
	for _, s := range plan.Steps {
		list := make([]string, len(s.Children))
		for i, ref := range s.Children {
			if list[i] = ref.Name; ref.ID != 0 {
				list[i] = name(ref.ID)
			}
		}
		children[node(s)] = list
	}
	for _, s := range plan.Steps {
		if way := wayBack(children, node(s)); s.Action == Create && way != nil {
			faults = append(faults, s.Fault("/children", "it would trigger itself: "+strings.Join(way, " → ")))
		}
	}
	return faults
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
