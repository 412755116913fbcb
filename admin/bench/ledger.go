//go:build linux

package main

import (
	"sync/atomic"
	"time"
)

// early is how much earlier than its instant a fire may arrive and still
// belong to it: clocks differ.
const early = 20 * time.Millisecond

// ledger notes the fires of one window. Its methods are safe for concurrent
// use.
type ledger struct {
	start  time.Time
	rounds int
	counts []atomic.Uint32 // by round, then job
	jobs   int
	late   histogram
	alien  atomic.Int64 // fires of no job of ours
}

// newLedger returns a ledger of jobs whose window begins at start, a multiple
// of the period.
func newLedger(start time.Time, jobs, rounds int) *ledger {
	return &ledger{start: start, rounds: rounds, jobs: jobs, counts: make([]atomic.Uint32, jobs*rounds)}
}

// fire notes that a job's trigger arrived.
func (l *ledger) fire(job int, at time.Time) {
	if job < 0 || job >= l.jobs {
		l.alien.Add(1)
		return
	}
	offset := time.Duration(job%int(period/time.Second)) * time.Second
	since := at.Sub(l.start.Add(offset)) + early
	round := int(since / period)
	if since < 0 || round >= l.rounds {
		return // of the time before the window, or after it
	}
	l.counts[round*l.jobs+job].Add(1)
	l.late.add(since - time.Duration(round)*period - early)
}

// totals returns how many of the planned fires came, did not come, and came
// more than once.
func (l *ledger) totals() (fired, missed, doubled int) {
	for i := range l.counts {
		switch n := int(l.counts[i].Load()); n {
		case 0:
			missed++
		default:
			fired++
			doubled += n - 1
		}
	}
	return fired, missed, doubled
}

// histogram counts durations in steps of 0.1 ms, up to a minute. Its methods
// are safe for concurrent use.
type histogram struct {
	steps [600_000]atomic.Uint32
}

const step = 100 * time.Microsecond

func (h *histogram) add(d time.Duration) {
	h.steps[min(max(int(d/step), 0), len(h.steps)-1)].Add(1)
}

// quantile returns the duration that a part q (0 to 1) of all do not exceed,
// to a step; 0 when there are none.
func (h *histogram) quantile(q float64) time.Duration {
	var total, seen uint64
	for i := range h.steps {
		total += uint64(h.steps[i].Load())
	}
	rank := uint64(q * float64(total))
	for i := range h.steps {
		seen += uint64(h.steps[i].Load())
		if seen > rank || (seen == total && total > 0) {
			return time.Duration(i+1) * step
		}
	}
	return 0
}
