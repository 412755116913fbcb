package declare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// item is one declared job on its way.
type item struct {
	want     *model.Job
	children []string
	start    bool
	job      *model.Job // as it is; nil for one that was refused
	rec      *record    // nil if the job was never declared
	out      wire.Declared
}

// settle says what became of the job.
func (it *item) settle(outcome, note string) {
	it.out.Outcome, it.out.Note = outcome, note
	if it.job != nil {
		it.out.ID = it.job.ID
	}
}

// all makes every job: first all exist, then they get what refers to others.
func (p *pass) all(ctx context.Context, list []wire.DeclaredJob) ([]*item, error) {
	items, seen := make([]*item, len(list)), map[string]bool{}
	for i := range list {
		d := &list[i]
		it := &item{want: wanted(d, p.group, p.app), children: d.Children, start: d.Start}
		it.out.Name = it.want.Name
		items[i] = it
		switch name := it.want.Name; {
		case strings.TrimSpace(name) == "":
			it.settle(wire.OutcomeRefused, "the job has no name")
		case seen[name]:
			it.settle(wire.OutcomeRefused, "the name is declared twice")
		default:
			seen[name] = true
			if err := p.exist(ctx, it); err != nil {
				return nil, err
			}
		}
	}
	for _, it := range items {
		if it.out.Outcome != "" {
			continue
		}
		if err := p.complete(ctx, it); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// exist finds the job, also under a name that a person gave it, or creates it.
func (p *pass) exist(ctx context.Context, it *item) error {
	it.rec = p.records[it.want.Name]
	if it.rec != nil {
		it.job = p.byID[it.rec.Job]
	}
	if it.job == nil {
		it.job = p.byName[it.want.Name]
	}
	if it.job == nil {
		return p.create(ctx, it)
	}
	if it.rec != nil && it.rec.Job != it.job.ID { // deleted, and somebody made another one of the name
		it.rec = nil
	}
	if it.rec == nil && isLeft(it.job, it.want) {
		if p.cfg.Now().Sub(it.job.AddTime) < leftAfter { // who creates it may still take it away
			return ErrAgain
		}
		it.rec = &record{Name: it.want.Name, Job: it.job.ID, Pending: true}
	}
	return nil
}

// leftAfter is how old a job is that its creator has left. A creation takes
// parts of a second.
const leftAfter = time.Minute

// isLeft reports whether a creation was cut off before its job was noted.
func isLeft(j, want *model.Job) bool {
	return j.GlueRemark.S == want.GlueRemark.S && !j.Running && len(differing(j, want)) == 0
}

// create stores the job, stopped and without children. A refusal is its
// outcome.
func (p *pass) create(ctx context.Context, it *item) error {
	j := *it.want
	id, err := p.cfg.Jobs.CreateJob(ctx, p.who, &j)
	if text, refused := refusalText(err); refused {
		it.settle(wire.OutcomeRefused, text)
		return nil
	}
	if err != nil {
		return err
	}
	j.ID = id
	if err := p.alone(ctx, &j); err != nil {
		return err
	}
	it.job, it.rec = &j, &record{Name: j.Name, Job: id, Pending: true}
	p.byID[id], p.byName[j.Name] = &j, &j
	return p.save(ctx, it.rec)
}

// alone takes a job that was just created away again if there is another one of
// its name.
func (p *pass) alone(ctx context.Context, j *model.Job) error {
	f := model.JobFilter{GroupID: p.group, Name: j.Name, Limit: pageSize}
	for {
		jobs, _, err := p.cfg.Jobs.ListJobs(ctx, p.who, f)
		if err != nil {
			return fmt.Errorf("look for other jobs called %q: %w", j.Name, err)
		}
		for _, other := range jobs {
			if other.Name == j.Name && other.ID != j.ID {
				if err := p.cfg.Jobs.DeleteJob(ctx, p.who, j.ID); err != nil {
					return fmt.Errorf("take job %d away again: %w", j.ID, err)
				}
				return ErrAgain
			}
		}
		if len(jobs) < pageSize {
			return nil
		}
		f.After = &model.JobMark{ID: jobs[len(jobs)-1].ID}
	}
}

// complete gives the job its children, and brings it in line.
func (p *pass) complete(ctx context.Context, it *item) error {
	ids := make([]string, 0, len(it.children))
	for _, name := range it.children {
		child := p.child(name)
		if child == nil {
			it.settle(wire.OutcomeRefused, fmt.Sprintf("its child %q is no job of this executor", name))
			return nil
		}
		if id := strconv.Itoa(int(child.ID)); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	it.want.Children = model.T(strings.Join(ids, ","))
	if it.rec != nil && it.rec.Pending {
		return p.finish(ctx, it)
	}
	return p.align(ctx, it)
}

// child returns the job that a declaration calls by this name.
func (p *pass) child(name string) *model.Job {
	if r := p.records[name]; r != nil && p.byID[r.Job] != nil {
		return p.byID[r.Job]
	}
	return p.byName[name]
}

// finish brings a creation to its end.
func (p *pass) finish(ctx context.Context, it *item) error {
	done, err := p.edit(ctx, it, differing(it.job, it.want))
	if err != nil || !done {
		return err
	}
	if it.start {
		err := p.cfg.Jobs.StartJob(ctx, p.who, it.job.ID)
		if text, refused := refusalText(err); refused {
			it.settle(wire.OutcomeRefused, "it was created, but not started: "+text)
			return nil
		}
		if err != nil {
			return err
		}
	}
	it.settle(wire.OutcomeCreated, "")
	return p.save(ctx, &record{Name: it.want.Name, Job: it.job.ID, Fields: digests(it.want)})
}

// align brings a job in line that exists already, but for what a person has
// changed.
func (p *pass) align(ctx context.Context, it *item) error {
	diff := differing(it.job, it.want)
	next := &record{Name: it.want.Name, Job: it.job.ID, Fields: digests(it.want)}
	switch {
	case len(diff) == 0:
		it.settle(wire.OutcomeUnchanged, "")
		if it.rec != nil && p.sameAsRecord(it) {
			return nil
		}
		return p.save(ctx, next)
	case p.cfg.Policy == wire.DeclareCreate:
		it.settle(wire.OutcomeKept, "it differs in "+names(diff)+
			", and this admin leaves jobs alone that exist (--jobs-from-code=create)")
		return nil
	}
	var change, kept []aspect
	for _, a := range diff {
		if it.rec != nil && it.rec.Fields[a.name] == digest(a.get(it.job)) {
			change = append(change, a)
		} else {
			kept = append(kept, a)
		}
	}
	if done, err := p.edit(ctx, it, change); err != nil || !done {
		return err
	}
	note := ""
	if len(kept) > 0 {
		note = "kept as a person has set it: " + names(kept)
	}
	outcome := wire.OutcomeKept
	if len(change) > 0 {
		outcome = wire.OutcomeUpdated
	}
	it.settle(outcome, note)
	if it.rec != nil && p.sameAsRecord(it) {
		return nil
	}
	return p.save(ctx, next)
}

// sameAsRecord reports whether the job was declared like this the last time.
func (p *pass) sameAsRecord(it *item) bool {
	for _, a := range aspects {
		if it.rec.Fields[a.name] != digest(a.get(it.want)) {
			return false
		}
	}
	return true
}

// edit changes the job in these aspects. done is false for a refusal, which is
// then the outcome.
func (p *pass) edit(ctx context.Context, it *item, list []aspect) (done bool, err error) {
	if len(list) == 0 {
		return true, nil
	}
	err = p.cfg.Jobs.EditJob(ctx, p.who, edit(it.job, it.want, list))
	if errors.Is(err, ops.ErrStale) {
		return false, ErrAgain
	}
	if text, refused := refusalText(err); refused {
		it.settle(wire.OutcomeRefused, text)
		return false, nil
	}
	return err == nil, err
}
