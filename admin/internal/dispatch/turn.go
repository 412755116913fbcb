package dispatch

import (
	"container/heap"
	"context"
	"time"
)

// turnWait is how long a trigger waits for the answer to the one before it of
// the same job at the same address.
const turnWait = time.Second

// turnStep is how often a run that is settled looks whether it is its turn.
const turnStep = 10 * time.Millisecond

// place is where triggers go one after the other. A Java executor that gets the
// first two triggers of a job at once makes two threads for it and ends one of
// them, with the run that it was given ("job running, killed"); and two that are
// under way at once may arrive the wrong way round.
type place struct {
	jobID   int32
	address string
}

// turn is who may send to a place, and who waits for that.
type turn struct {
	holder  *entry
	waiting []*entry // some of them may have gone on without
}

// takeTurnLocked reports whether e may be sent now. If not, it is among those
// that wait again, and is started once more when the one before it is answered,
// at the latest after turnWait: an executor that hangs holds nobody up for long.
func (d *Dispatcher) takeTurnLocked(e *entry) bool {
	p := place{e.Run.JobID, e.Run.Address}
	if t := d.turns[p]; t != nil && t.holder != e {
		if e.queued.IsZero() {
			e.queued = time.Now()
			t.waiting = append(t.waiting, e)
		}
		if left := turnWait - time.Since(e.queued); left > 0 {
			e.next = d.cfg.Now().Add(left).Round(0)
			heap.Push(&d.queue, e)
			return false
		}
	}
	d.giveTurnLocked(e, p)
	return true
}

func (d *Dispatcher) giveTurnLocked(e *entry, p place) {
	if e.turn != p {
		d.endTurnLocked(e) // where it was before
	}
	t := d.turns[p]
	if t == nil {
		t = new(turn)
		d.turns[p] = t
	}
	t.holder, e.turn, e.queued = e, p, time.Time{}
}

// awaitTurn is takeTurnLocked for a run that has a goroutine of its own. It
// blocks for turnWait at most, and reports false if ctx was done before.
func (d *Dispatcher) awaitTurn(ctx context.Context, e *entry) bool {
	p := place{e.Run.JobID, e.Run.Address}
	for begin := time.Now(); ; {
		d.mu.Lock()
		if t := d.turns[p]; t == nil || t.holder == e || time.Since(begin) >= turnWait {
			d.giveTurnLocked(e, p)
			d.mu.Unlock()
			return true
		}
		d.mu.Unlock()
		if !pause(ctx, turnStep) {
			return false
		}
	}
}

func (d *Dispatcher) endTurn(e *entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.endTurnLocked(e)
}

// endTurnLocked lets the next one go, if it is e's turn: e was answered, or is
// not sent after all.
func (d *Dispatcher) endTurnLocked(e *entry) {
	t := d.turns[e.turn]
	if t == nil || t.holder != e {
		return
	}
	t.holder = nil
	for len(t.waiting) > 0 {
		next := t.waiting[0]
		t.waiting[0] = nil
		t.waiting = t.waiting[1:]
		if next.at < 0 || next.queued.IsZero() || d.open[next.Run.LogID] != next {
			continue
		}
		t.holder, next.turn, next.queued = next, e.turn, time.Time{}
		next.next = d.cfg.Now().Round(0)
		heap.Fix(&d.queue, next.at)
		d.rouse()
		return
	}
	delete(d.turns, e.turn)
}
