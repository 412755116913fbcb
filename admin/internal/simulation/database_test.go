package simulation

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/lease"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

var errDatabase = errors.New("the database failed")

// row is a log row and its run.
type row struct {
	run     model.Run
	made    time.Time
	open    bool
	deleted time.Time // taken back unsent; zero if not
	trigger int32
	handle  int32
	handled int64 // when, Unix ms
	ended   time.Time
	results int // results that were acknowledged
	reason  string
}

// uniqueKey is the key that open scheduled runs must not share.
type uniqueKey struct {
	job     int32
	planned int64
	shard   int32
}

// database is what the store's contract says, in memory. A transaction happens
// at one instant; before and after it time goes by.
type database struct {
	sim *sim

	mu     sync.Mutex
	jobs   map[int32]*model.Job
	rows   map[int64]*row
	unique map[uniqueKey]int64
	gaps   []*model.Log
	nextID int64
	nodes  map[string]int64
	shards []lease.Shard
	calls  map[string]int64 // by node, for the dice
}

func newDatabase(s *sim, shards int32) *database {
	d := &database{
		sim: s, jobs: make(map[int32]*model.Job), rows: make(map[int64]*row), unique: make(map[uniqueKey]int64),
		nodes: make(map[string]int64), calls: make(map[string]int64),
	}
	for i := range shards {
		d.shards = append(d.shards, lease.Shard{Index: i, Token: 1000})
	}
	return d
}

// tx runs f at one instant, or does not, or does and says that it failed.
func (d *database) tx(ctx context.Context, n *node, f func() error) error {
	if err := n.gate(ctx); err != nil {
		return err
	}
	d.mu.Lock()
	d.calls[n.name]++
	dice := d.sim.dice("tx "+n.name, d.calls[n.name])
	d.mu.Unlock()
	fault := d.sim.faulty.Load() && dice.Float64() < d.sim.plan.dbFaults
	if err := sleep(ctx, time.Duration(dice.IntN(8_000))*time.Microsecond); err != nil {
		return err
	}
	for d.sim.outage.Load() {
		if dice.IntN(2) == 0 {
			return errDatabase
		}
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	if err := n.gate(ctx); err != nil {
		return err
	}
	if fault && dice.IntN(2) == 0 {
		return errDatabase
	}
	d.mu.Lock()
	err := f()
	d.mu.Unlock()
	if fault && err == nil {
		err = store.ErrUnknownOutcome
	}
	if fault && dice.IntN(3) == 0 { // and slow
		_ = sleep(ctx, time.Duration(dice.IntN(1500))*time.Millisecond)
	}
	if gone := n.gate(ctx); gone != nil {
		return gone
	}
	return err
}

func (v view) insertLocked(runs []*model.Run) {
	d := v.database
	for _, r := range runs {
		r.LogID = 0
		k := uniqueKey{r.JobID, r.PlannedMs, r.ShardIndex}
		if r.PlannedMs != 0 {
			if _, there := d.unique[k]; there {
				continue
			}
		}
		d.nextID++
		r.LogID = d.nextID
		if r.PlannedMs != 0 {
			d.unique[k] = r.LogID
		}
		onRecord := *r
		if r.Token == 0 {
			onRecord.Token = model.MakerToken(v.node.name)
		}
		d.rows[r.LogID] = &row{run: onRecord, open: true, made: time.Now()}
		d.sim.note(r.LogID, "on record: %+v", *r)
	}
}

func (d *database) closeLocked(r *row) {
	r.open = false
	if r.run.PlannedMs != 0 {
		delete(d.unique, uniqueKey{r.run.JobID, r.run.PlannedMs, r.run.ShardIndex})
	}
}

// view is the database as a node sees it.
type view struct {
	*database

	node *node
}

func (v view) Plan(
	ctx context.Context, f store.Fence, before int64, limit int, decide func([]*model.Job) store.PlanResult,
) (more bool, err error) {
	var res store.PlanResult
	start := time.Now()
	err = v.tx(ctx, v.node, func() error {
		if !v.sim.broken.fence && !v.fenceLocked(f) {
			return store.ErrFenced
		}
		for _, t := range f.Shards {
			if s := &v.shards[t.Shard]; s.Owner == f.Node {
				s.ExpiresMs = max(s.ExpiresMs, v.sim.now()+f.TTL.Milliseconds())
			}
		}
		due := v.dueLocked(f, before, limit)
		more = len(due) == limit
		if len(due) == 0 {
			return nil
		}
		res = decide(due)
		v.insertLocked(res.Runs)
		v.gaps = append(v.gaps, res.Gaps...)
		for _, a := range res.Advances {
			j := v.jobs[a.JobID]
			j.LastMs, j.NextMs, j.Running = a.LastMs, a.NextMs, !a.Stop
		}
		return nil
	})
	if err != nil {
		if v.sim.broken.outbox && errors.Is(err, errDatabase) && v.node.gate(ctx) == nil {
			// Handed over all the same, as if the commit did not matter.
			v.mu.Lock()
			defer v.mu.Unlock()
			if due := v.dueLocked(f, before, limit); len(due) > 0 {
				for _, r := range decide(due).Runs {
					v.nextID++
					r.LogID = v.nextID
				}
			}
			return false, nil
		}
		for _, r := range res.Runs {
			r.LogID = 0
		}
		return more, err
	}
	if f.Extended != nil {
		f.Extended(start)
	}
	return more, nil
}

func (v view) dueLocked(f store.Fence, before int64, limit int) (due []*model.Job) {
	for _, j := range v.jobs {
		mine := slices.ContainsFunc(f.Shards, func(s store.ShardToken) bool { return s.Shard == j.ID%f.Total })
		if j.Running && j.NextMs <= before && mine {
			c := *j
			due = append(due, &c)
		}
	}
	slices.SortFunc(due, func(a, b *model.Job) int { return cmp.Or(cmp.Compare(a.NextMs, b.NextMs), int(a.ID-b.ID)) })
	return due[:min(limit, len(due))]
}

func (v view) fenceLocked(f store.Fence) bool {
	now := v.sim.now()
	for _, t := range f.Shards {
		s := v.shards[t.Shard]
		if s.Owner != f.Node || s.Token != t.Token || s.ExpiresMs <= now {
			return false
		}
	}
	return len(f.Shards) > 0
}

func (v view) DeleteUnsent(ctx context.Context, ids []int64) (deleted []int64, err error) {
	err = v.tx(ctx, v.node, func() error {
		for _, id := range ids {
			if r := v.rows[id]; r != nil && r.open && r.trigger == 0 {
				r.deleted = time.Now()
				v.closeLocked(r)
				deleted = append(deleted, id)
			}
		}
		return nil
	})
	return deleted, err
}

func (v view) OpenRuns(ctx context.Context, f store.OpenRunFilter) (list []*model.Run, err error) {
	err = v.tx(ctx, v.node, func() error {
		for id, r := range v.rows {
			if !r.open || id <= f.AfterLogID || f.Shards != nil && !slices.Contains(f.Shards, r.run.JobID%f.Total) ||
				f.Made && r.run.Token >= 0 || f.TriggerBeforeMs != 0 && r.run.TriggerMs >= f.TriggerBeforeMs ||
				f.State != nil && (*f.State == model.RunPlanned) != (r.trigger == 0) {
				continue
			}
			c := r.run
			if r.trigger != 0 {
				c.State = model.RunAccepted
			}
			list = append(list, &c)
		}
		slices.SortFunc(list, func(a, b *model.Run) int { return cmp.Compare(a.LogID, b.LogID) })
		list = list[:min(len(list), f.Limit)]
		return nil
	})
	return list, err
}

func (v view) JobsByID(ctx context.Context, ids []int32) (jobs map[int32]*model.Job, err error) {
	err = v.tx(ctx, v.node, func() error { jobs = v.jobsLocked(ids); return nil })
	return jobs, err
}

func (d *database) jobsLocked(ids []int32) map[int32]*model.Job {
	jobs := make(map[int32]*model.Job)
	for _, id := range ids {
		if j := d.jobs[id]; j != nil {
			c := *j
			jobs[id] = &c
		}
	}
	return jobs
}

func (v view) SetAddresses(ctx context.Context, addresses map[int64]string) (failed map[int64]error, err error) {
	err = v.tx(ctx, v.node, func() error {
		failed = make(map[int64]error)
		for id, address := range addresses {
			r := v.rows[id]
			if r == nil || !r.open || r.trigger != 0 {
				failed[id] = dispatch.ErrGone
				continue
			}
			r.run.Address = address
		}
		return nil
	})
	return failed, err
}

// inside is the Loader of Finish.
type inside struct{ d *database }

func (i inside) Jobs(_ context.Context, ids []int32) (map[int32]*model.Job, error) {
	return i.d.jobsLocked(ids), nil
}

func (v view) Finish(
	ctx context.Context, outs []*model.Outcome, decide func([]*store.Ending, store.Loader) error,
) (ends []*store.Ending, err error) {
	err = v.tx(ctx, v.node, func() error {
		var ending []*store.Ending
		ends = nil
		for _, out := range outs {
			e := &store.Ending{Outcome: out}
			ends = append(ends, e)
			if v.judgeLocked(e); e.Ends {
				ending = append(ending, e)
			}
		}
		if len(ending) == 0 {
			return nil
		}
		if err := decide(ending, inside{v.database}); err != nil {
			return err
		}
		for _, e := range ending {
			v.insertLocked(e.NewRuns)
		}
		return nil
	})
	if err != nil {
		for _, e := range ends {
			for _, r := range e.NewRuns {
				r.LogID = 0
			}
		}
		return nil, err
	}
	if v.unheard() {
		v.sim.note(outs[0].LogID, "%s is not told that it is stored", v.node.name)
		return nil, store.ErrUnknownOutcome
	}
	return ends, nil
}

// unheard reports whether an answer of the database gets lost.
func (v view) unheard() bool {
	v.mu.Lock()
	dice := v.sim.dice("unheard "+v.node.name, v.calls[v.node.name])
	v.mu.Unlock()
	return v.sim.faulty.Load() && dice.Float64() < v.sim.plan.unheard
}

func (v view) judgeLocked(e *store.Ending) {
	r := v.rows[e.Outcome.LogID]
	if r == nil || !r.deleted.IsZero() {
		e.Status = store.FinishUnknown
		return
	}
	trigger, handle := e.Outcome.Trigger, e.Outcome.Handle
	if trigger != nil {
		v.sim.note(e.Outcome.LogID, "trigger result of %s: %d, open %t", v.node.name, trigger.Code, r.open)
	}
	if handle != nil {
		r.results++
	}
	if !r.open {
		e.Status = store.FinishRepeated
		e.Log = &model.Log{
			ID: e.Outcome.LogID, JobID: r.run.JobID, TriggerCode: r.trigger, TriggerMsg: model.T(r.reason),
			HandleCode: r.handle, HandleTime: time.UnixMilli(r.handled).Truncate(time.Second),
		}
		return
	}
	run := r.run
	e.Run = &run
	if trigger != nil && r.trigger == 0 {
		r.trigger = trigger.Code
		if trigger.Address != "" {
			r.run.Address = trigger.Address
		}
	}
	ok := true
	switch {
	case handle != nil:
		r.handle, e.Ends, ok = handle.Code, true, handle.Code == model.CodeSuccess
		r.reason, r.handled = handle.Msg.S, handle.AtMs
		if r.trigger == 0 {
			r.trigger = model.CodeSuccess
		}
	case r.trigger != 0 && r.trigger != model.CodeSuccess:
		e.Ends, ok = true, false
		r.reason = trigger.Msg
	}
	if !e.Ends {
		return
	}
	r.ended = time.Now()
	v.closeLocked(r)
	if j := v.jobs[r.run.JobID]; j != nil && (!ok || j.Children.S != "") {
		c := *j
		e.Job = &c
	}
}
