package journal

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
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

// write is the writer: it takes what is pending until Close.
func (j *Journal) write() {
	defer close(j.ended)
	retry := time.NewTimer(retryEvery)
	defer retry.Stop()
	for {
		again := false
		select {
		case <-j.wake:
		case <-retry.C:
			again = true
		case <-j.quit:
			j.writeOnce(true)
			for j.writeOnce(false) {
			}
			return
		}
		j.crowd.gather()
		for j.writeOnce(again) {
			again = false
			j.crowd.gather()
		}
		if j.troubled() {
			retry.Reset(retryEvery)
		}
	}
}

// crowd belongs to the writer: it decides whether to wait for more callers.
type crowd struct {
	size  int // about how many runs a batch accepts
	skip  int // how many batches are taken at once
	pause int // what skip becomes when the next yield is slow, too
}

const (
	slowYield = time.Millisecond
	minPause  = 32 // batches
	maxPause  = 4096
)

// gather lets others run before the writer takes what is pending, if there are
// many callers: those that were just answered are about to come again, and one
// write for all costs less. It stops doing so for a while when that takes long,
// which means that handlers keep the processors busy.
func (c *crowd) gather() {
	if c.size < 2 {
		return
	}
	if c.skip > 0 {
		c.skip--
		return
	}
	begin := time.Now()
	runtime.Gosched()
	if time.Since(begin) < slowYield {
		c.pause = minPause
		return
	}
	c.skip = max(c.pause, minPause)
	c.pause = min(2*c.skip, maxPause)
}

// came tells how many runs a batch accepted.
func (c *crowd) came(n int) { c.size = max(n, c.size-1) }

// noteUpTime adds a clock record now and then.
func (j *Journal) noteUpTime(up time.Duration) {
	if up-j.clockNoted < clockEvery {
		return
	}
	j.clockNoted = up
	j.mu.Lock()
	b := j.batchLocked(kindClock)
	b.buf = appendClock(b.buf, j.salt, uint64(up.Milliseconds()))
	j.mu.Unlock()
}

// troubled reports whether the writer has to look at the disk again by itself.
func (j *Journal) troubled() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.full != nil || len(j.retained) > 0
}

// writeOnce writes what is pending, and what the disk refused before if again
// is set or somebody flushes. It reports whether there was anything to do; if
// not, the next who has something wakes the writer.
func (j *Journal) writeOnce(again bool) bool {
	j.mu.Lock()
	b, flushes := j.pending, j.flushes
	again = again || len(flushes) > 0
	if len(b.buf) == 0 && !again {
		j.asleep = true
		j.mu.Unlock()
		return false
	}
	j.asleep = false
	j.flushes = nil
	j.pending, j.idle = j.idle, nil
	b.inFlight = true
	s, target := j.currentLocked(), j.roomTargetLocked(len(b.buf))
	j.mu.Unlock()

	if again {
		if !j.retryRefused() && j.rotate() == nil {
			j.retryRefused()
		}
		s, target = j.room(len(b.buf))
	}
	up := j.up()
	var n int
	var refusal, err error
	if len(b.buf) > 0 {
		j.failpoints(b, ".before")
		if n, refusal, err = j.putInto(s, target, b); err == nil {
			j.failpoints(b, ".after")
		}
	}
	j.finishBatch(b, n, up, refusal, err)
	if len(flushes) > 0 {
		err := j.flushed()
		for _, done := range flushes {
			done <- err
		}
	}
	j.noteUpTime(up)
	return true
}

// finishBatch makes known what became of b, of which n bytes were written, and
// answers those who wait for it.
func (j *Journal) finishBatch(b *batch, n int, up time.Duration, refusal, err error) {
	var syncErr error
	if n > 0 && j.cfg.Sync == SyncAlways {
		syncErr = j.syncNow()
	}
	j.mu.Lock()
	switch {
	case err != nil:
		j.refusals++
		if b.kinds[kindAccepted] > 0 {
			j.dropAcceptedLocked(b)
			b.settle(fmt.Errorf("journal: write to %s: %w", j.cfg.Dir, err))
		}
		j.retainLocked(b.buf)
	case syncErr != nil && b.out != nil:
		j.withdrawAcceptedLocked(b)
		b.settle(fmt.Errorf("journal: sync %s: %w", j.cfg.Dir, syncErr))
	case refusal != nil:
		b.settle(refusal)
	}
	j.advanceLocked(b, n, up)
	// What is taken out of the batch here cannot expire any more.
	out, ids := b.out, b.ids
	j.crowd.came(len(ids))
	b.reset()
	j.idle = b // only the writer makes it the pending one again
	due := j.currentLocked().data >= j.cfg.SegmentBytes
	j.mu.Unlock()

	if len(ids) > 0 {
		j.memory.addAll(ids, up)
	}
	out.settle(nil)
	if due {
		_ = j.rotate() // if the disk refuses, the current one goes on
	}
}

// advanceLocked makes n bytes, just written, visible to Next.
func (j *Journal) advanceLocked(b *batch, n int, up time.Duration) {
	s := j.currentLocked()
	s.data += int64(n)
	s.up = up
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
	j.advanceLocked(b, n, j.up())
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
