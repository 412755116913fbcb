package dispatch

import (
	"context"
	"time"
)

// stopSlack is how long after the end of its schedule a run that is overdue may
// still be sent.
const stopSlack = time.Second

// Cancel takes back the scheduled runs of a job whose instant is still to come,
// and returns their log ids and the first of these instants. None of them is
// sent after it returns. What is overdue stays: it is sent within a second or
// fails; and what may have been sent before is asked after and not sent once
// more.
func (d *Dispatcher) Cancel(jobID int32) (ids []int64, first time.Time) {
	now := d.cfg.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, e := range d.byJob[jobID] {
		if e.Run.PlannedMs == 0 {
			continue
		}
		at := time.UnixMilli(e.Run.PlannedMs)
		if e.settles || !at.After(now) {
			e.stopped = true
			e.until = now.Add(stopSlack)
			continue
		}
		if d.lanes[id] == e { // a clock that was set back
			if !d.cfg.Client.Cancel(e.call) {
				e.stopped = true
				continue
			}
			d.inLanes.Add(-1)
		}
		ids = append(ids, id)
		if first.IsZero() || at.Before(first) {
			first = at
		}
		d.dropLocked(e)
	}
	return ids, first
}

// overdue reports whether the job of a run was stopped so long ago that it is
// not sent any more.
func (d *Dispatcher) overdue(e *entry) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !e.until.IsZero() && d.cfg.Now().After(e.until)
}

// DropShards forgets the runs of shards that another node may have now, and
// returns the log ids of those that were surely not sent. drop says which jobs
// are meant. Runs that this node made without a lease stay its own.
func (d *Dispatcher) DropShards(drop func(jobID int32) bool) []int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ids []int64
	for job, runs := range d.byJob {
		if !drop(job) {
			continue
		}
		for id, e := range runs {
			if e.at < 0 || e.Run.Token == 0 {
				continue
			}
			if !e.settles {
				ids = append(ids, id)
			}
			d.dropLocked(e)
		}
	}
	return ids
}

// DropOwn forgets the runs that this node made without a lease and has not sent:
// others took it for dead, and may have taken them over. Those that are on their
// way are not sent again.
func (d *Dispatcher) DropOwn() {
	d.lapsed.Store(d.age(time.Time{}))
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.open {
		if e.at >= 0 && e.Run.Token == 0 {
			d.dropLocked(e)
		}
	}
}

// Knows reports whether the run is here: waiting, in a lane or being settled.
func (d *Dispatcher) Knows(logID int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[logID] != nil
}

// Waiting returns how many runs are here.
func (d *Dispatcher) Waiting() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open)
}

// Bursting reports whether many triggers are on their way out just now: those
// who write results wait a little then.
func (d *Dispatcher) Bursting() bool {
	return d.inLanes.Load() > burstSize && time.Now().UnixMilli() < d.burstEnd.Load()
}

// Drain waits until nothing is on its way any more, at most for limit: what a
// node that stops has planned goes out first. Runs that are due later than that
// are left to their next owner.
func (d *Dispatcher) Drain(ctx context.Context, limit time.Duration) {
	end := d.cfg.Now().Add(limit)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for d.busyUntil(end) && pause(ctx, drainStep) {
		continue
	}
}

// busyUntil reports whether a run is on its way, or due before end.
func (d *Dispatcher) busyUntil(end time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open) > len(d.queue) || len(d.queue) > 0 && d.queue[0].next.Before(end)
}
