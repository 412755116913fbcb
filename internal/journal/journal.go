package journal

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Errors that callers tell apart.
var (
	// ErrFull is wrapped by Accept and Full when the journal or the disk is full.
	ErrFull = errors.New("journal: full")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("journal: closed")
	// ErrTimeout is wrapped by Accept when the disk took longer than AppendTimeout.
	ErrTimeout = errors.New("journal: the disk did not answer in time")
)

// Journal is the memory of an executor on disk. Its methods are safe for
// concurrent use; Next has a single consumer.
type Journal struct {
	cfg     Config
	log     *slog.Logger
	fs      fileSystem
	lock    *ownerLock
	opened  time.Time
	upBase  time.Duration // up-time of all earlier processes
	memory  *memory
	results *resultCache
	salt    uint32
	firstNo uint32 // the first segment of this process

	ready chan struct{} // capacity 1: Next may have something
	wake  chan struct{} // capacity 1: the writer has work
	sweep chan struct{} // capacity 1: the cleaner has work
	dirty chan struct{} // capacity 1: the syncer has work
	quit  chan struct{} // closed by Close: the writer ends after what is pending
	ended chan struct{} // closed when the writer has ended: the others do, too
	tasks sync.WaitGroup

	reader     reader        // belongs to Next
	clockNoted time.Duration // belongs to the writer: up-time at its last clock record
	crowd      crowd         // belongs to the writer
	syncing    sync.Mutex
	setAsideMu sync.Mutex
	growing    sync.Mutex // so that nobody takes the room that another one frees

	mu        sync.Mutex
	segs      []*segment // by number, the last is the current one
	strays    map[Seq]*stray
	remember  []rememberFile // oldest first
	idsKept   uint64         // the memory before this position is in remember files
	forgotten []ID           // withdrawn, but in a remember file
	asleep    bool           // the writer waits for wake
	pending   *batch         // what the writer takes next
	idle      *batch         // the other one, while the writer has none
	flushes   []chan error
	retained  []byte     // records that the disk refused; the writer tries again
	inMemory  []Finished // the results among them that Next has not given out
	refused   int        // how many results are in retained
	bytes     int64      // in segments
	kept      int64      // in remember files
	open      int
	unsent    int
	fresh     int   // unsent, and not given out by Next yet
	full      error // why the disk refuses triggers
	closed    bool
	syncError error
	setAside  int64
	damaged   int64
	refusals  int64
	timeouts  int64

	closeOnce sync.Once
	closeErr  error
}

// up returns the up-time: that of earlier processes and this one's.
func (j *Journal) up() time.Duration { return j.upBase + time.Since(j.opened) }

// segmentLocked returns nil if the segment is deleted or missing.
func (j *Journal) segmentLocked(no uint32) *segment {
	if len(j.segs) == 0 || no < j.segs[0].no {
		return nil
	}
	if i := int(no - j.segs[0].no); i < len(j.segs) && j.segs[i].no == no {
		return j.segs[i] // none is missing before it
	}
	i, ok := slices.BinarySearchFunc(j.segs, no, func(s *segment, no uint32) int { return cmp.Compare(s.no, no) })
	if !ok {
		return nil
	}
	return j.segs[i]
}

func (j *Journal) currentLocked() *segment { return j.segs[len(j.segs)-1] }

// wakeLocked wakes the writer if it sleeps.
func (j *Journal) wakeLocked() {
	if j.asleep {
		j.asleep = false
		signal(j.wake)
	}
}

// unlockAndWake unlocks the journal, and wakes the writer if it sleeps.
func (j *Journal) unlockAndWake() {
	asleep := j.asleep
	j.asleep = false
	j.mu.Unlock()
	if asleep {
		signal(j.wake)
	}
}

// signal fills a channel of capacity 1 without waiting.
func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// Known reports whether id was accepted before: the same job and log id, and a
// trigger time that differs by at most 1,000 ms. It does not block.
func (j *Journal) Known(id ID) bool { return j.memory.known(id) }

// Accept records a trigger and blocks until it is written (and synced with
// SyncAlways), at most Config.AppendTimeout. startNow saves the Start of a run
// that begins at once. The payload is copied. After an error the trigger is
// not accepted, not remembered, and will not be reported by a later Open,
// except if the process dies while the disk hangs.
func (j *Journal) Accept(id ID, startNow bool, payload []byte) (Seq, error) {
	if len(payload) > maxBody-idLen {
		return 0, fmt.Errorf("journal: a trigger of %d bytes is too large, the limit is %d",
			len(payload), maxBody-idLen)
	}
	j.mu.Lock()
	if err := j.refuseLocked(int64(len(payload) + frameLen + idLen)); err != nil {
		j.mu.Unlock()
		return 0, err
	}
	s := j.currentLocked()
	seq, state, flags := s.seq(len(s.states)), runAccepted, uint8(0)
	if startNow {
		state, flags = runAccepted|runStarted, flagStarted
	}
	s.states = append(s.states, state)
	s.live++
	s.open++
	j.open++
	b := j.batchLocked(kindAccepted)
	b.buf = appendAccepted(b.buf, j.salt, seq, id, flags, payload)
	b.ids = append(b.ids, id)
	out := b.expect(j.cfg.AppendTimeout)
	j.unlockAndWake()

	<-out.done
	if out.err != nil {
		return 0, out.err
	}
	return seq, nil
}

// Start records that the handler begins, and blocks until that is written, at
// most Config.AppendTimeout: a run that a crash cuts off is then known to have
// begun. A disk that refuses keeps no handler from beginning.
func (j *Journal) Start(seq Seq, id ID) {
	j.mu.Lock()
	st, pin := j.runLocked(seq)
	if j.closed || st == nil || !st.open() || *st&runStarted != 0 {
		j.mu.Unlock()
		return
	}
	j.moveLocked(seq, st, pin, runStarted)
	b := j.batchLocked(kindStarted)
	b.buf = appendMark(b.buf, j.salt, kindStarted, seq, id)
	out := b.expect(j.cfg.AppendTimeout)
	j.unlockAndWake()
	<-out.done
}

// Finish records the result of a run. It neither waits nor fails: if the disk
// refuses, the result stays in memory and is written later. It returns false,
// and drops r, if the run has a result already, is withdrawn or unknown, or
// the journal is closed.
func (j *Journal) Finish(seq Seq, id ID, r Result) bool {
	if len(r.Msg) > maxMessage {
		r.Msg = cut(r.Msg, maxMessage, " … (cut)")
	}
	r.HasMsg = r.HasMsg || r.Msg != ""
	j.mu.Lock()
	st, pin := j.runLocked(seq)
	if j.closed || st == nil || !st.open() {
		j.mu.Unlock()
		return false
	}
	j.moveLocked(seq, st, pin, runFinished)
	b := j.batchLocked(kindFinished)
	b.buf = appendFinished(b.buf, j.salt, seq, id, r)
	j.unlockAndWake()
	j.results.put(id, r)
	return true
}

// maxMessage bounds the message of a result.
const maxMessage = 16 << 20

// Withdraw takes an accepted run back: it was not taken after all, and a
// repeat of its trigger is a new one. It does not wait for the disk.
func (j *Journal) Withdraw(seq Seq, id ID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if st, _ := j.runLocked(seq); j.closed || st == nil || !st.open() {
		return
	}
	j.withdrawLocked(seq, id)
	j.forgetLocked(id)
	j.wakeLocked()
}

// forgetLocked forgets a trigger, for good if it is in a remember file.
func (j *Journal) forgetLocked(id ID) {
	if pos, ok := j.memory.forget(id); ok && pos < j.idsKept {
		j.forgotten = append(j.forgotten, id)
	}
}

func (j *Journal) withdrawLocked(seq Seq, id ID) {
	st, pin := j.runLocked(seq)
	if st == nil {
		return
	}
	j.moveLocked(seq, st, pin, runDone|runWithdrawn)
	b := j.batchLocked(kindWithdrawn)
	b.buf = appendMark(b.buf, j.salt, kindWithdrawn, seq, id)
}

// Ack records that an admin has taken these results. It does not wait for the
// disk: a crash before the record is written has the results sent once more.
// The only error is ErrClosed.
func (j *Journal) Ack(done []Finished) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrClosed
	}
	seqs := make([]Seq, 0, len(done))
	for _, f := range done {
		st, pin := j.runLocked(f.Seq)
		if st == nil || !st.unsent() {
			continue
		}
		j.moveLocked(f.Seq, st, pin, runDone)
		seqs = append(seqs, f.Seq)
	}
	if len(seqs) > 0 {
		b := j.batchLocked(kindAcknowledged)
		b.buf = appendAcknowledged(b.buf, j.salt, seqs)
		j.wakeLocked()
	}
	return nil
}

// Result returns the result of a trigger that finished lately, or of the one
// that it repeats, under the identity that this one was accepted with: also
// after it was acknowledged, and after a restart while its segment exists. It
// has no Seq.
func (j *Journal) Result(id ID) (Finished, bool) { return j.results.get(id) }

// Ready is signalled when Next may have something. It has capacity 1 and is
// never closed.
func (j *Journal) Ready() <-chan struct{} { return j.ready }
