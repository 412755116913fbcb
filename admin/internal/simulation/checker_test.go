package simulation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/scheduler"
)

// findings are broken promises.
type findings []string

func (f *findings) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// missed is a record of a gap, read back.
type missed struct {
	job         int32
	count       int
	first, last int64 // Unix ms
}

// check goes through the record.
func (s *sim) check() findings {
	var f findings
	s.checkInstants(&f)
	s.checkRuns(&f)
	s.checkSends(&f)
	s.checkExecutions(&f)
	s.checkEnds(&f)
	s.checkWhatFollows(&f)
	return f
}

func (s *sim) gaps(f *findings) (list []missed) {
	const layout = "2006-01-02 15:04:05"
	for _, g := range s.db.gaps {
		m := missed{job: g.JobID}
		head, tail, ok := strings.Cut(strings.TrimSuffix(g.TriggerMsg.S, ": nobody was there to plan them"), " fires from ")
		from, to, ok2 := strings.Cut(tail, " to ")
		_, err := fmt.Sscanf(head, "Missed %d", &m.count)
		a, err1 := time.ParseInLocation(layout, from, time.UTC)
		b, err2 := time.ParseInLocation(layout, to, time.UTC)
		if !ok || !ok2 || err != nil || err1 != nil || err2 != nil {
			f.add("the record of a gap cannot be read: %q", g.TriggerMsg.S)
			continue
		}
		m.first, m.last = a.UnixMilli(), b.UnixMilli()
		list = append(list, m)
	}
	return list
}

// unplanned is how long before its stop or edit the instants of a job may lie that
// are neither planned nor counted: the change takes its time.
const unplanned = 4 * time.Second

// checkInstants is A1: every instant of a running job has exactly one run (or
// one for each shard), or is counted in a gap.
func (s *sim) checkInstants(f *findings) {
	type key struct {
		job     int32
		planned int64
	}
	rows := make(map[key][]*row)
	for _, r := range s.db.rows {
		if r.run.PlannedMs != 0 && r.deleted.IsZero() {
			k := key{r.run.JobID, r.run.PlannedMs}
			rows[k] = append(rows[k], r)
		}
	}
	for k, list := range rows {
		seen := make(map[int32]bool)
		for _, r := range list {
			if seen[r.run.ShardIndex] {
				f.add("A1: job %d has two runs of %s, shard %d", k.job, clock(k.planned), r.run.ShardIndex)
			}
			seen[r.run.ShardIndex] = true
		}
		if len(seen) != int(list[0].run.ShardTotal) {
			f.add("A1: job %d has %d of %d shards at %s", k.job, len(seen), list[0].run.ShardTotal, clock(k.planned))
		}
	}
	gaps := s.gaps(f)
	counted := make([]int, len(gaps))
	for _, e := range s.epochs {
		if left := e.ended.Add(s.skew()).Sub(time.UnixMilli(e.next)); !e.ended.IsZero() && left > unplanned && !s.plan.steps {
			f.add("A1: nobody has planned or counted the last %v of job %d before %v", left, e.job, clock(e.ended.UnixMilli()))
		}
		sched, loc, err := scheduler.ScheduleOf(e.typ, e.conf, "", time.UTC)
		if err != nil {
			panic(err)
		}
		for t := time.UnixMilli(e.first).In(loc); t.UnixMilli() < e.next; t = sched.Next(t) {
			at := t.UnixMilli()
			in := slices.IndexFunc(gaps, func(g missed) bool { return g.job == e.job && g.first <= at && at <= g.last })
			if in >= 0 {
				counted[in]++
			}
			switch has := len(rows[key{e.job, at}]) > 0; {
			case has && in >= 0:
				f.add("A1: job %d has a run of %s, which is in a gap too", e.job, clock(at))
			case !has && in < 0 && t.Before(e.ended.Add(s.skew())) && !s.plan.steps:
				f.add("A1: job %d has no run of %s", e.job, clock(at))
			}
		}
	}
	for i, g := range gaps {
		if counted[i] != g.count && !s.plan.edits {
			f.add("A1: a gap of job %d counts %d, there are %d", g.job, g.count, counted[i])
		}
	}
}

// checkRuns is A3 and A4: what was acknowledged is stored, nothing stays open,
// and what failed says why.
func (s *sim) checkRuns(f *findings) {
	for id, r := range s.db.rows {
		switch {
		case !r.deleted.IsZero():
		case r.open:
			f.add("A4: run %d of job %d is open for ever: %+v, trigger %d", id, r.run.JobID, r.run, r.trigger)
		case r.trigger != model.CodeSuccess && r.reason == "", r.handle != 0 && r.handle != model.CodeSuccess && r.reason == "":
			f.add("A4: run %d of job %d failed without a reason", id, r.run.JobID)
		}
	}
	for id := range s.acked {
		if r := s.db.rows[id]; r != nil && r.open {
			f.add("A3: the result of run %d was acknowledged and is not stored", id)
		}
	}
}

// checkSends is A2 and the promises on time: only what is on record is sent,
// nothing that was taken back, nothing long after a stop.
func (s *sim) checkSends(f *findings) {
	first := make(map[int64]send)
	for _, x := range s.sends {
		if was, ok := first[x.logID]; !ok || x.at.Before(was.at) {
			first[x.logID] = x
		}
	}
	late := 1100 * time.Millisecond
	if s.plan.dbFaults+s.plan.netFaults > 0 || s.plan.freezes || s.plan.outages || s.plan.kills {
		late = 5 * time.Second // leases that stand still for a while
	}
	for id, x := range first {
		r := s.db.rows[id]
		switch {
		case r == nil:
			f.add("A2: run %d of job %d was sent and is not on record", id, x.job)
			continue
		case !r.deleted.IsZero():
			f.add("A2: run %d of job %d was sent by %s and taken back", id, x.job, x.node)
			continue
		}
		if r.run.PlannedMs == 0 {
			continue
		}
		for _, e := range s.epochs {
			if s.later(e, r.run.PlannedMs, x.at) {
				continue
			}
			over := e.stopped && !e.told.IsZero() && x.job == e.job && r.run.PlannedMs < e.next && r.run.PlannedMs >= e.first
			if over && x.at.After(e.told.Add(late)) && !s.plan.steps {
				f.add("stop: run %d of job %d was sent %v after its stop", id, x.job, x.at.Sub(e.told))
			}
		}
	}
	for id, r := range s.db.rows {
		if _, sent := first[id]; !sent && r.deleted.IsZero() && !r.open && r.trigger == model.CodeSuccess {
			f.add("A2: run %d was never sent and counts as accepted", id)
		}
	}
	if s.quiet() {
		s.checkTimes(f, first)
	}
}

// later reports whether a schedule after e has the instant, or the job ran again
// by then.
func (s *sim) later(e *epoch, planned int64, at time.Time) bool {
	return slices.ContainsFunc(s.epochs, func(o *epoch) bool {
		return o.job == e.job && o.began.After(e.began) && (o.first <= planned || o.began.Before(at))
	})
}

// quiet reports whether nothing but people's edits happens.
func (s *sim) quiet() bool {
	return s.plan.dbFaults+s.plan.netFaults == 0 && !s.plan.freezes && !s.plan.outages && !s.plan.kills &&
		!s.plan.crashes && !s.plan.steps
}

// checkTimes: without faults everything is on time.
func (s *sim) checkTimes(f *findings, first map[int64]send) {
	for id, x := range first {
		r := s.db.rows[id]
		if r.run.PlannedMs == 0 {
			continue
		}
		planned := time.UnixMilli(r.run.PlannedMs)
		late := x.at.Sub(planned)
		// A start through another node waits for the next pass of the owner.
		if s.changed(x.job, planned) && late < 600*time.Millisecond {
			continue
		}
		if late < 0 || late > 50*time.Millisecond && r.run.Address != "" && !s.db.jobs[x.job].Route.Probes() {
			f.add("run %d of job %d was sent %v after its instant", id, x.job, late)
		}
	}
	for _, e := range s.epochs {
		if e.ended.Sub(e.began) < 5*time.Second {
			continue
		}
		var fired time.Time
		for _, x := range first {
			if x.job == e.job && x.at.After(e.began) && (fired.IsZero() || x.at.Before(fired)) {
				fired = x.at
			}
		}
		due := time.UnixMilli(e.first)
		if limit := max(due.Sub(e.began), 0) + 600*time.Millisecond; fired.IsZero() || fired.Sub(e.began) > limit {
			f.add("job %d fired %v after its start, due after %v", e.job, fired.Sub(e.began), due.Sub(e.began))
		}
	}
}

// changed reports whether the job was started or edited within the horizon
// before the instant.
func (s *sim) changed(job int32, at time.Time) bool {
	return slices.ContainsFunc(s.epochs, func(e *epoch) bool {
		return e.job == job && at.Sub(e.began) < 1500*time.Millisecond && at.After(e.began)
	})
}

// checkExecutions: no run is executed twice, nor an instant by two runs.
func (s *sim) checkExecutions(f *findings) {
	type key struct {
		job     int32
		planned int64
		shard   int32
	}
	byID := make(map[int64]int)
	byInstant := make(map[key]int)
	for _, x := range s.executors {
		for _, e := range x.recorded {
			byID[e.req.LogID]++
			if r := s.db.rows[e.req.LogID]; r != nil && r.run.PlannedMs != 0 {
				byInstant[key{r.run.JobID, r.run.PlannedMs, r.run.ShardIndex}]++
			}
		}
	}
	for id, n := range byID {
		if n > 1 {
			f.add("run %d was executed %d times", id, n)
		}
	}
	for k, n := range byInstant {
		if n > 1 {
			f.add("job %d, shard %d was executed %d times for %s", k.job, k.shard, n, clock(k.planned))
		}
	}
}

// checkEnds: the end of each run is told once, unless whoever ended it died.
func (s *sim) checkEnds(f *findings) {
	for id, r := range s.db.rows {
		switch n := s.ends[id]; {
		case n > 1:
			f.add("the end of run %d was told %d times", id, n)
		case n == 0 && !r.open && r.deleted.IsZero() && !s.plan.kills && !s.plan.freezes:
			f.add("the end of run %d was never told", id)
		}
	}
}

// checkWhatFollows: where nodes stay in touch, no retry and no child waits for
// the sweep.
func (s *sim) checkWhatFollows(f *findings) {
	p := s.plan
	if p.dbFaults > 0 || p.deaf || p.outages || p.kills || p.freezes || p.crashes || p.steps {
		return
	}
	first := make(map[int64]time.Time)
	for _, x := range s.sends {
		if at, ok := first[x.logID]; !ok || x.at.Before(at) {
			first[x.logID] = x.at
		}
	}
	for id, r := range s.db.rows {
		if r.run.PlannedMs != 0 || r.run.Type == model.TriggerMisfire {
			continue
		}
		if at, sent := first[id]; !sent || at.Sub(r.made) > 15*time.Second {
			f.add("run %d, %s, was sent %v after it was on record", id, r.run.Type, at.Sub(r.made))
		}
	}
}

func clock(ms int64) string { return time.UnixMilli(ms).UTC().Format("15:04:05") }
