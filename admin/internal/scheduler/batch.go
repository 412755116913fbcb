package scheduler

import (
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// fault is a job whose schedule cannot be computed.
type fault struct {
	job int32
	err error
}

// batch collects what one transaction writes.
type batch struct {
	s            *Scheduler
	now, horizon time.Time
	tokens       map[int32]int64
	total        int32

	result   store.PlanResult
	items    []dispatch.Item
	misfired int
	counted  int // instants of gaps that were walked over
	faults   []fault
}

// job plans one job. A job that cannot be planned stops itself, as in Java,
// and harms no other.
func (b *batch) job(j *model.Job) {
	d, err := b.decide(j)
	if err != nil {
		b.faults = append(b.faults, fault{j.ID, err})
		b.result.Advances = append(b.result.Advances, store.Advance{JobID: j.ID, Stop: true})
		return
	}
	if d.gap.count > 0 {
		b.misfire(j, d.gap)
	}
	token := b.tokens[shard(j.ID, b.total)]
	for _, at := range d.instants {
		b.add(j, dispatch.Trigger{Type: model.TriggerCron, At: at, Planned: true, Token: token}, at)
	}
	next := store.Advance{JobID: j.ID, LastMs: d.last, Stop: d.next.IsZero()}
	if !d.next.IsZero() {
		next.NextMs = d.next.UnixMilli()
	}
	b.result.Advances = append(b.result.Advances, next)
}

// decide computes what a job fires.
func (b *batch) decide(j *model.Job) (decision, error) {
	return b.schedule(j, func(sched Schedule, loc *time.Location) decision {
		limit := min(maxGapCount, max(maxBatchCount-b.counted, minGapCount))
		d := decide(sched, loc, j, b.now, b.horizon, limit)
		if d.gap.count > 0 {
			b.counted += min(d.gap.count, maxGapCount)
		}
		return d
	})
}

// missed puts what nobody has planned of a job into a gap and moves the job on.
// It goes on running: whoever asked for this stops it, or gives it another
// schedule.
func (b *batch) missed(j *model.Job) {
	d, err := b.schedule(j, func(sched Schedule, loc *time.Location) decision {
		return overlooked(sched, loc, j, b.now)
	})
	if err != nil || d.gap.count == 0 { // a schedule that cannot be computed has no instants
		return
	}
	b.gap(j, d.gap)
	next := d.last // no further instant: the next pass would find that
	if !d.next.IsZero() {
		next = d.next.UnixMilli()
	}
	b.result.Advances = append(b.result.Advances, store.Advance{JobID: j.ID, LastMs: d.last, NextMs: next})
}

// schedule calls compute with the schedule of a job. A panic in it is that job's
// fault alone.
func (b *batch) schedule(j *model.Job, compute func(Schedule, *time.Location) decision) (d decision, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic while %s %q is computed: %v", j.ScheduleType, j.ScheduleConf.S, v)
		}
	}()
	zone := j.TimeZone
	if b.s.cfg.IgnoreZones {
		zone = ""
	}
	sched, loc, err := b.s.cache.get(j.ScheduleType, j.ScheduleConf.S, zone, b.s.cfg.Location)
	if err != nil {
		return decision{}, err
	}
	if from, ok := b.s.replan[j.ID]; ok && j.LastMs >= from {
		j.LastMs = from - 1 // what comes later was planned, and taken back
	}
	return compute(sched, loc), nil
}

func (b *batch) add(j *model.Job, t dispatch.Trigger, due time.Time) {
	for _, run := range b.s.cfg.Dispatcher.NewRuns(j, t) {
		b.result.Runs = append(b.result.Runs, run)
		b.items = append(b.items, dispatch.Item{Run: run, Job: j, Due: due})
	}
}

// gap records a gap.
func (b *batch) gap(j *model.Job, g gap) {
	b.misfired += g.count
	b.result.Gaps = append(b.result.Gaps, &model.Log{
		GroupID: j.GroupID, JobID: j.ID, Handler: j.Handler, Param: j.Param,
		TriggerTime: b.now, TriggerCode: model.CodeFail,
		TriggerMsg:  model.T(g.text(b.s.cfg.Lang)),
		AlarmStatus: model.AlarmNone,
	})
}

// misfire records a gap, and makes up for it with one run if the job says so.
func (b *batch) misfire(j *model.Job, g gap) {
	b.gap(j, g)
	if j.Misfire != model.MisfireFireOnceNow {
		return
	}
	b.add(j, dispatch.Trigger{
		Type: model.TriggerMisfire, At: b.now, Token: b.tokens[shard(j.ID, b.total)],
	}, b.now)
}

// shard is the scheduling shard of a job.
func shard(jobID, total int32) int32 { return jobID % total }
