package simulation

import (
	"context"
	"errors"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/scheduler"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// change starts, edits or stops a job through a node, again and again until it
// says that it did. running is the wanted state; conf "" keeps the schedule.
func (s *sim) change(id int32, running bool, typ model.ScheduleType, conf string) {
	for try := int64(0); ; try++ {
		n := s.live(s.dice("operator", int64(id), try, s.now()))
		if n == nil {
			_ = sleep(s.ctx, 500*time.Millisecond)
			continue
		}
		write := func(ctx context.Context) error {
			return s.db.tx(ctx, n, func() error { s.applyLocked(n, id, running, typ, conf); return nil })
		}
		var err error
		if running && conf == "" { // a start
			if err = write(n.ctx); err == nil {
				err = n.scheduler.Started(n.ctx, id)
			}
		} else {
			err = n.scheduler.Change(n.ctx, id, write)
		}
		if err == nil {
			s.told(id)
			return
		}
		if errors.Is(err, context.Canceled) && s.ctx.Err() != nil {
			return
		}
		_ = sleep(s.ctx, 300*time.Millisecond)
	}
}

func (s *sim) told(id int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.epochs) - 1; i >= 0; i-- {
		if e := s.epochs[i]; e.job == id {
			if !e.ended.IsZero() && e.told.IsZero() {
				e.told = time.Now()
			}
			return
		}
	}
}

// applyLocked is the UPDATE of a start, an edit or a stop.
func (s *sim) applyLocked(n *node, id int32, running bool, typ model.ScheduleType, conf string) {
	j := s.db.jobs[id]
	if !running && !j.Running || running && conf == "" && j.Running {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if j.Running {
		s.endEpochLocked(j, !running)
	}
	if !running {
		j.Running, j.LastMs, j.NextMs = false, 0, 0
		return
	}
	if conf != "" {
		j.ScheduleType, j.ScheduleConf = typ, model.T(conf)
	} else {
		j.LastMs = 0
	}
	sched, loc, err := scheduler.ScheduleOf(j.ScheduleType, j.ScheduleConf.S, "", time.UTC)
	if err != nil {
		panic(err)
	}
	from := n.now()
	if j.LastMs == 0 { // since a start: what another node had planned before the stop lies within the horizon
		from = from.Add(scheduler.DefaultHorizon)
	}
	j.Running, j.NextMs = true, sched.Next(from.In(loc)).UnixMilli()
	s.epochs = append(s.epochs, &epoch{job: id, typ: j.ScheduleType, conf: j.ScheduleConf.S, first: j.NextMs, began: time.Now()})
}

func (s *sim) endEpochLocked(j *model.Job, stopped bool) {
	for i := len(s.epochs) - 1; i >= 0; i-- {
		if e := s.epochs[i]; e.job == j.ID {
			e.ended, e.next, e.stopped = time.Now(), j.NextMs, stopped
			return
		}
	}
}

func (v view) Missed(
	ctx context.Context, id int32, _ bool, before int64, decide func(*model.Job) store.PlanResult,
) error {
	return v.tx(ctx, v.node, func() error {
		j := v.jobs[id]
		if !j.Running || j.NextMs > before || v.sim.broken.missed {
			return nil
		}
		c := *j
		res := decide(&c)
		v.gaps = append(v.gaps, res.Gaps...)
		for _, a := range res.Advances {
			j.LastMs, j.NextMs = a.LastMs, a.NextMs
		}
		return nil
	})
}
