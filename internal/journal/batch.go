package journal

import (
	"fmt"
	"time"
)

// outcome is what the Accepts of one batch wait for.
type outcome struct {
	done chan struct{} // closed when err is set
	err  error
}

// batch is what the writer writes at once. There are two, which take turns.
type batch struct {
	buf   []byte
	kinds [kindEnd]int // how many records of each kind
	ids   []ID         // the triggers accepted, to be remembered when they are written
	out   *outcome     // nil if nobody waits

	began    time.Time   // when the first Accept that waits came
	timer    *time.Timer // fires at or before the deadline of the waiting Accepts
	armed    bool
	inFlight bool
}

func (b *batch) reset() {
	if cap(b.buf) > 8<<20 { // one huge trigger must not hold its memory for ever
		b.buf = nil
	}
	b.buf, b.kinds, b.out, b.inFlight = b.buf[:0], [kindEnd]int{}, nil, false
	b.ids = b.ids[:0]
}

// expect returns the outcome that an Accept in this batch waits for.
func (b *batch) expect(timeout time.Duration) *outcome {
	if b.out == nil {
		b.out = &outcome{done: make(chan struct{})}
		b.began = time.Now()
		if !b.armed {
			b.armed = true
			b.timer.Reset(timeout)
		}
	}
	return b.out
}

// settle answers those who wait.
func (b *batch) settle(err error) {
	b.out.settle(err)
	b.out = nil
}

// settle answers those who wait; there may be none.
func (o *outcome) settle(err error) {
	if o != nil {
		o.err = err
		close(o.done)
	}
}

// newBatch returns a batch whose timer calls expire.
func (j *Journal) newBatch() *batch {
	b := &batch{}
	b.timer = time.AfterFunc(time.Hour, func() { j.expire(b) })
	b.timer.Stop()
	return b
}

// batchLocked returns the pending batch, for one more record of kind k.
func (j *Journal) batchLocked(k kind) *batch {
	j.pending.kinds[k]++
	return j.pending
}

// expire refuses the Accepts that have waited too long. The timer is not
// stopped when a batch is written, which would cost more than this check.
func (j *Journal) expire(b *batch) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if b.out == nil {
		b.armed = false
		return
	}
	if left := j.cfg.AppendTimeout - time.Since(b.began); left > 0 {
		b.timer.Reset(left)
		return
	}
	b.armed = false
	j.timeouts++
	err := fmt.Errorf("%w: a trigger was not written to %s within %v", ErrTimeout, j.cfg.Dir, j.cfg.AppendTimeout)
	if b.inFlight {
		// The bytes may reach the disk yet, so the runs are withdrawn there.
		j.withdrawAcceptedLocked(b)
	} else {
		j.dropAcceptedLocked(b)
	}
	b.settle(err)
	j.wakeLocked()
}

// withdrawAcceptedLocked withdraws the runs that a batch accepts, whose
// records may be on disk.
func (j *Journal) withdrawAcceptedLocked(b *batch) {
	j.eachAccepted(b.buf, func(rec record) { j.withdrawLocked(rec.seq, rec.id()) })
	b.ids = b.ids[:0]
}

// eachAccepted calls f for the runs that a batch accepts.
func (j *Journal) eachAccepted(buf []byte, f func(record)) {
	for pos := 0; pos < len(buf); {
		rec, ok := parse(buf[pos:], j.salt)
		if !ok {
			return
		}
		if rec.kind == kindAccepted && rec.flags&flagCarried == 0 {
			f(rec)
		}
		pos += rec.size
	}
}

// dropAcceptedLocked takes the accepted runs out of a batch that is not written.
func (j *Journal) dropAcceptedLocked(b *batch) {
	j.eachAccepted(b.buf, func(rec record) {
		if st, pin := j.runLocked(rec.seq); st != nil {
			j.moveLocked(rec.seq, st, pin, runDone|runWithdrawn)
		}
	})
	b.buf = dropAccepted(b.buf, j.salt)
	b.kinds[kindAccepted] = 0
	b.ids = b.ids[:0]
}
