package journal

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

const (
	// slack is room kept free for records that are neither accepted nor
	// finished, such as acknowledgements on a full disk.
	slack = 4 << 10
	// retryEvery is the time between attempts on a disk that refuses.
	retryEvery = time.Second
	// clockEvery is the up-time between two clock records.
	clockEvery = time.Minute
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
	out   *outcome     // nil if no Accept waits

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

// settle answers the waiting Accepts.
func (b *batch) settle(err error) {
	if b.out != nil {
		b.out.err = err
		close(b.out.done)
		b.out = nil
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
		j.eachAccepted(b.buf, func(rec record) { j.withdrawLocked(rec.seq, rec.id()) })
	} else {
		j.dropAcceptedLocked(b)
	}
	b.settle(err)
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
}

// write is the writer: it takes what is pending until Close.
func (j *Journal) write() {
	defer close(j.ended)
	retry := time.NewTimer(retryEvery)
	defer retry.Stop()
	lastClock := j.up()
	for {
		again := false
		select {
		case <-j.wake:
		case <-retry.C:
			again = true
		case <-j.quit:
			for j.writeOnce(true) {
			}
			return
		}
		if up := j.up(); up-lastClock >= clockEvery {
			lastClock = up
			j.mu.Lock()
			b := j.batchLocked(kindClock)
			b.buf = appendClock(b.buf, j.salt, uint64(up.Milliseconds()))
			j.mu.Unlock()
		}
		for j.writeOnce(again) {
			again = false
		}
		if j.troubled() {
			retry.Reset(retryEvery)
		}
	}
}

// troubled reports whether the writer has to look at the disk again by itself.
func (j *Journal) troubled() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.full != nil || len(j.retained) > 0
}

// writeOnce writes what is pending, and what the disk refused before if again
// is set or somebody flushes. It reports whether there was anything to do.
func (j *Journal) writeOnce(again bool) bool {
	j.mu.Lock()
	b, flushes := j.pending, j.flushes
	again = again || len(flushes) > 0
	if len(b.buf) == 0 && !again {
		j.mu.Unlock()
		return false
	}
	j.flushes = nil
	j.pending, j.idle = j.idle, nil
	b.inFlight = true
	j.mu.Unlock()

	if again && !j.retryRefused() && j.rotate() == nil {
		j.retryRefused()
	}
	if len(b.buf) > 0 {
		j.writeBatch(b)
	}
	j.mu.Lock()
	b.settle(nil)
	b.reset()
	j.idle = b
	j.mu.Unlock()
	j.rotateIfDue()
	if len(flushes) > 0 {
		err := j.flushed()
		for _, done := range flushes {
			done <- err
		}
	}
	return len(flushes) == 0 && !again
}

// writeBatch puts b on disk and tells those who wait for it.
func (j *Journal) writeBatch(b *batch) {
	j.failpoints(b, ".before")
	n, refusal, err := j.put(b)
	if err == nil {
		j.failpoints(b, ".after")
	}
	var syncErr error
	if err == nil && j.cfg.Sync == SyncAlways {
		syncErr = j.syncNow()
	}

	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case err != nil:
		j.refusals++
		if b.kinds[kindAccepted] > 0 {
			j.dropAcceptedLocked(b)
			b.settle(fmt.Errorf("journal: write to %s: %w", j.cfg.Dir, err))
		}
		j.retainLocked(b.buf)
	case refusal != nil:
		b.settle(refusal)
		j.advanceLocked(b, n)
	case syncErr != nil:
		if b.out != nil {
			j.eachAccepted(b.buf, func(rec record) { j.withdrawLocked(rec.seq, rec.id()) })
			b.settle(fmt.Errorf("journal: sync %s: %w", j.cfg.Dir, syncErr))
			signal(j.wake)
		}
		j.advanceLocked(b, n)
	default:
		j.advanceLocked(b, n)
	}
}

// advanceLocked makes n bytes, just written, visible to Next.
func (j *Journal) advanceLocked(b *batch, n int) {
	s := j.currentLocked()
	s.data += int64(n)
	s.up = j.up()
	j.bytes += int64(n)
	if n > 0 {
		s.dirty = true
		if j.cfg.Sync == SyncInterval {
			signal(j.dirty)
		}
	}
	if b.kinds[kindFinished] > 0 {
		signal(j.ready)
	}
}

// retainLocked keeps records that the disk refused, for a later attempt.
func (j *Journal) retainLocked(buf []byte) {
	j.retained = append(j.retained, buf...)
	for pos := 0; pos < len(buf); {
		rec, ok := parse(buf[pos:], j.salt)
		if !ok {
			break
		}
		if rec.kind == kindFinished {
			j.inMemory = append(j.inMemory, rec.finished())
			j.refused++
			signal(j.ready)
		}
		pos += rec.size
	}
}

// retryRefused writes the records that the disk refused, and looks whether a
// full disk has room again. It returns false if another file is worth a try.
func (j *Journal) retryRefused() bool {
	j.mu.Lock()
	full, b := j.full != nil, &batch{buf: j.retained}
	target := j.roomTargetLocked(j.cfg.ReserveBytes + usual)
	s := j.currentLocked()
	j.mu.Unlock()
	if full {
		if err := j.grow(s, target); err == nil {
			j.setFull(nil)
		} else if isNoSpace(err) && j.rotateTight(len(b.buf)) {
			j.setFull(nil)
		}
	}
	if len(b.buf) == 0 {
		return true
	}
	n, _, err := j.put(b)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.refusals++
		return isNoSpace(err)
	}
	j.retained, j.inMemory, j.refused = nil, nil, 0
	j.advanceLocked(b, n)
	signal(j.ready)
	j.log.Info("journal written again", slog.String("dir", j.cfg.Dir))
	return true
}

// failpoints tells Config.Failpoint which kinds of records b holds.
func (j *Journal) failpoints(b *batch, when string) {
	if j.cfg.Failpoint == nil {
		return
	}
	for k := kindAccepted; k <= kindWithdrawn; k++ {
		if b.kinds[k] > 0 {
			j.cfg.Failpoint(kindNames[k] + when)
		}
	}
}

// flushed syncs for Flush and says what is not on disk.
func (j *Journal) flushed() error {
	err := j.syncNow()
	j.mu.Lock()
	defer j.mu.Unlock()
	if n := len(j.retained); n > 0 {
		err = errors.Join(err, fmt.Errorf("journal: %d bytes are not written to %s: the disk refuses", n, j.cfg.Dir))
	}
	return err
}
