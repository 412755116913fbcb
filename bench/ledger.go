//go:build linux

package main

import (
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// answer is what an executor said to a trigger.
type answer uint8

const (
	unanswered answer = iota
	accepted
	refused
	failed // no answer came, so the trigger may have been accepted or not
)

// entry is what is known of one trigger.
type entry struct {
	sent      time.Time
	roundTrip time.Duration // until its answer
	toResult  time.Duration // until its first result
	answer    answer
	results   int
	code      int32 // of the first result
}

// ledger keeps the account of a row of triggers, whose log ids follow one
// another. It is safe for concurrent use.
type ledger struct {
	base int64 // log id of the first

	mu       sync.Mutex
	entries  []entry
	missing  int           // accepted triggers without a result
	unknown  int           // results of triggers that were never sent
	progress chan struct{} // gets an element when results have come in
}

func newLedger(base int64, n int) *ledger {
	return &ledger{base: base, entries: make([]entry, n), progress: make(chan struct{}, 1)}
}

// send notes that trigger i is about to be sent.
func (l *ledger) send(i int, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[i].sent = now
}

// settle notes the answer to trigger i; its result may have come before.
func (l *ledger) settle(i int, a answer, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &l.entries[i]
	e.answer, e.roundTrip = a, now.Sub(e.sent)
	if a == accepted && e.results == 0 {
		l.missing++
	}
}

// deliver notes results.
func (l *ledger) deliver(items []wire.CallbackItem, now time.Time) {
	l.mu.Lock()
	for _, item := range items {
		l.deliverLocked(item, now)
	}
	l.mu.Unlock()
	select {
	case l.progress <- struct{}{}:
	default:
	}
}

func (l *ledger) deliverLocked(item wire.CallbackItem, now time.Time) {
	i := item.LogID - l.base
	if i < 0 || i >= int64(len(l.entries)) || l.entries[i].sent.IsZero() {
		l.unknown++
		return
	}
	e := &l.entries[i]
	e.results++
	if e.results > 1 {
		return
	}
	e.code, e.toResult = item.Code, now.Sub(e.sent)
	if e.answer == accepted {
		l.missing--
	}
}

// outstanding returns the number of accepted triggers without a result.
func (l *ledger) outstanding() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.missing
}

// totals is the balance of a ledger.
type totals struct {
	sent, accepted, refused, failed int

	lost    int // accepted, and no result came
	doubled int // more than one result came
	ghost   int // refused, and a result came
	wrong   int // the result has another code than expected
	unknown int // results of triggers that were never sent
}

// clean reports whether every trigger was answered, and every accepted one
// ended in exactly one result with the expected code.
func (t totals) clean() bool {
	return t.failed == 0 && t.lost == 0 && t.doubled == 0 && t.ghost == 0 && t.wrong == 0 && t.unknown == 0
}

// plus adds up two balances.
func (t totals) plus(o totals) totals {
	return totals{
		sent:     t.sent + o.sent,
		accepted: t.accepted + o.accepted,
		refused:  t.refused + o.refused,
		failed:   t.failed + o.failed,
		lost:     t.lost + o.lost,
		doubled:  t.doubled + o.doubled,
		ghost:    t.ghost + o.ghost,
		wrong:    t.wrong + o.wrong,
		unknown:  t.unknown + o.unknown,
	}
}

// totals strikes the balance; wantCode is the code that results should have.
func (l *ledger) totals(wantCode int32) totals {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := totals{unknown: l.unknown}
	for i := range l.entries {
		t.count(&l.entries[i], wantCode)
	}
	return t
}

func (t *totals) count(e *entry, wantCode int32) {
	if e.sent.IsZero() {
		return
	}
	t.sent++
	switch e.answer {
	case accepted:
		t.accepted++
		if e.results == 0 {
			t.lost++
		}
	case refused:
		t.refused++
		if e.results > 0 {
			t.ghost++
		}
	case unanswered, failed:
		t.failed++
	}
	if e.results > 1 {
		t.doubled++
	}
	if e.results > 0 && e.code != wantCode {
		t.wrong++
	}
}

// times returns how long answers and first results took, of accepted triggers.
func (l *ledger) times() (roundTrips, toResults []time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.entries {
		e := &l.entries[i]
		if e.answer != accepted {
			continue
		}
		roundTrips = append(roundTrips, e.roundTrip)
		if e.results > 0 {
			toResults = append(toResults, e.toResult)
		}
	}
	return roundTrips, toResults
}
