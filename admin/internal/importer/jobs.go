package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// oneJob is a job whose children are looked at when all ids are known.
type oneJob struct {
	from *model.Job
	row  *model.Job // as the target would have it
	here *model.Job // as the target has it; nil for one that is copied
	item Item
}

// planJobs decides which jobs are copied. Ids come first: children may have any.
func (r *run) planJobs() {
	free := newNumbers(jobID, r.dst.Jobs, r.src.Jobs)
	there := byID(jobID, r.dst.Jobs)
	known := make(map[string][]*model.Job) // of the target, by group and name
	for _, j := range r.dst.Jobs {
		known[jobKey(j)] = append(known[jobKey(j)], j)
	}
	var list []*oneJob
	for _, j := range r.src.Jobs {
		item := Item{Action: Present, ID: int64(j.ID), Name: j.Name}
		if here, was := r.before(j, there); was {
			list = append(list, &oneJob{from: j, here: here, item: item})
			continue
		}
		row, err := r.jobRow(j)
		if err != nil {
			item.Action, item.Notes = Skipped, []string{err.Error()}
			r.report.Jobs.add(item)
			continue
		}
		if to := takeSame(known, row); to != nil {
			r.jobs[j.ID] = to.ID
			r.report.Jobs.add(item)
			continue
		}
		row.ID, item.Action = free.take(j.ID)
		item.NewID = int64(row.ID)
		r.jobs[j.ID], r.copied[j.ID] = row.ID, row.ID
		list = append(list, &oneJob{from: j, row: row, item: item})
	}
	for _, n := range list {
		if n.row == nil {
			r.compareJob(n)
		} else {
			r.finishJob(n)
		}
		r.report.Jobs.add(n.item)
	}
}

func jobKey(j *model.Job) string { return strconv.Itoa(int(j.GroupID)) + " " + j.Name }

// before reports whether an earlier import has dealt with the job, and where it
// is; nil is a job that is no longer there.
func (r *run) before(j *model.Job, there map[int32]*model.Job) (here *model.Job, was bool) {
	to, was := r.old.jobs[j.ID]
	if was {
		r.copied[j.ID] = to // also a deleted one stays on record
	} else if to, was = r.old.same[j.ID]; !was {
		return nil, false
	}
	if here = there[to]; here != nil {
		r.jobs[j.ID] = to
	}
	return here, true
}

// compareJob says what there is to say of a job that was imported before.
func (r *run) compareJob(n *oneJob) {
	if n.here == nil {
		n.item.Action, n.item.Notes = Skipped, []string{"was imported before and deleted here since"}
		return
	}
	row, err := r.jobRow(n.from)
	if err != nil { // it could not be copied today; that it was is what counts
		return
	}
	row.Children, _ = r.children(n.from)
	if fields := differences(row, n.here); len(fields) > 0 {
		n.item.Notes = []string{"is left as it is, though the source differs in " + strings.Join(fields, ", ")}
	}
}

// jobRow is a job as the target would have it, with the id and the children of
// the source.
func (r *run) jobRow(j *model.Job) (*model.Job, error) {
	group, ok := r.groups[j.GroupID]
	if !ok {
		return nil, fmt.Errorf("its group %d is not there", j.GroupID)
	}
	row := *j
	row.GroupID = group
	if r.Stopped || !row.Running {
		row.Running, row.LastMs, row.NextMs = false, 0, 0
	}
	if row.TimeZone == "" && row.ScheduleType == model.ScheduleCron {
		row.TimeZone = r.JobZone
	}
	if row.AddTime.IsZero() {
		row.AddTime = r.Now
	}
	if row.UpdateTime.IsZero() {
		row.UpdateTime = row.AddTime
	}
	if row.GlueUpdated.IsZero() {
		row.GlueUpdated = row.AddTime
	}
	row.Misfire = model.Misfire(cmp.Or(string(row.Misfire), string(model.MisfireDoNothing)))
	return &row, r.Target.CheckJob(&row)
}

// takeSame finds a job of the target that is the same but for its id, its state,
// its times and its children, whose ids nobody knows yet, and takes it out of
// known: two that are the same are two.
func takeSame(known map[string][]*model.Job, row *model.Job) *model.Job {
	list := known[jobKey(row)]
	for i, j := range list {
		if fields := differences(row, j); len(fields) == 0 || slices.Equal(fields, []string{childrenField}) {
			known[jobKey(row)] = append(list[:i:i], list[i+1:]...)
			return j
		}
	}
	return nil
}

// finishJob gives a job its children and puts it on the list.
func (r *run) finishJob(n *oneJob) {
	children, notes := r.children(n.from)
	n.row.Children = children
	n.item.Notes = append(n.item.Notes, notes...)
	if err := r.Target.CheckJob(n.row); err != nil { // ids have become longer
		n.row.Children = model.Text{}
		n.item.Notes = append(n.item.Notes, "copied without its children: "+err.Error())
	}
	n.item.Notes = append(n.item.Notes, jobNotes(n.row)...)
	if n.row.Running {
		r.report.Running++
	}
	r.out.Jobs = append(r.out.Jobs, n.row)
}

// children names the children by their ids in the target.
func (r *run) children(j *model.Job) (model.Text, []string) {
	found, bad := j.ChildIDs()
	var notes []string
	for _, text := range bad {
		if strings.TrimSpace(text) == "" { // of a comma too many, which names nothing
			continue
		}
		notes = append(notes, fmt.Sprintf("child %q left out: it is no id", text))
	}
	list := make([]string, 0, len(found))
	for _, id := range found {
		to, ok := r.jobs[id]
		if !ok {
			notes = append(notes, fmt.Sprintf("child %d left out: there is no such job", id))
			continue
		}
		list = append(list, strconv.Itoa(int(to)))
	}
	if len(list) == 0 && j.Children.S == "" {
		return j.Children, nil
	}
	return model.T(strings.Join(list, ",")), notes
}

const childrenField = "children"

// differences names the fields in which two jobs differ. Ids, times and the state
// are not compared, and of the children only how many there are.
func differences(a, b *model.Job) []string {
	idsA, _ := a.ChildIDs()
	idsB, _ := b.ChildIDs()
	var fields []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{"group", a.GroupID == b.GroupID},
		{"name", a.Name == b.Name},
		{"author", a.Author.S == b.Author.S},
		{"alarm e-mail", a.AlarmEmail.S == b.AlarmEmail.S},
		{"schedule", a.ScheduleType == b.ScheduleType && a.ScheduleConf.S == b.ScheduleConf.S},
		{"time zone", a.TimeZone == b.TimeZone},
		{"misfire strategy", a.Misfire == b.Misfire},
		{"route", a.Route == b.Route},
		{"handler", a.Handler.S == b.Handler.S},
		{"parameter", a.Param.S == b.Param.S},
		{"block strategy", a.Block == b.Block},
		{"timeout", a.TimeoutSec == b.TimeoutSec},
		{"retries", a.Retries == b.Retries},
		{"code", a.GlueType == b.GlueType && a.GlueSource.S == b.GlueSource.S},
		{childrenField, len(idsA) == len(idsB)},
	} {
		if !f.same {
			fields = append(fields, f.name)
		}
	}
	return fields
}
