package journal

import (
	"cmp"
	"context"
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

// ID is the identity of a trigger.
type ID struct {
	JobID int32
	LogID int64
	At    int64 // logDateTime, Unix milliseconds
}

// Seq names an accepted run inside the journal. It is never used again.
type Seq uint64

// Result is the outcome of a run.
type Result struct {
	Code    int32
	Msg     string
	HasMsg  bool // tells an empty message from none
	NoRetry bool
}

// OpenRun is a run that was accepted, and neither finished nor withdrawn when
// the process ended.
type OpenRun struct {
	Seq     Seq
	ID      ID
	Started bool
	Payload []byte // as Accept was given it; nil if its record is damaged
}

// Finished is a run with its result.
type Finished struct {
	Seq    Seq
	ID     ID
	Result Result
}

// Recovery is what Open found.
type Recovery struct {
	Open       []OpenRun // oldest first
	Unsent     int       // results that Next will give out
	Remembered int       // triggers that are known
	Problems   []string  // damage, each told once, in words for an operator
	Adopted    []string  // folders of gone executors that were taken over
}

// Stats is a snapshot of a Journal.
type Stats struct {
	Open         int   // runs without a result
	Unsent       int   // results that no admin has acknowledged
	InMemory     int   // results among them that the disk refused
	Remembered   int   // triggers known
	MemoryBytes  int   // memory used for knowing them
	Bytes        int64 // size of the journal: records and remembered triggers
	Segments     int
	SetAside     int64 // results set aside since Open
	Damaged      int64 // damaged stretches found since Open, told or not
	AppendErrors int64 // writes that the disk refused since Open
	Timeouts     int64 // groups of triggers refused because the disk was too slow
	// LastSyncError is the error of the last sync, nil if it succeeded.
	LastSyncError error
}

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

	reader     reader // belongs to Next
	syncing    sync.Mutex
	setAsideMu sync.Mutex
	growing    sync.Mutex // so that nobody takes the room that another one frees

	mu        sync.Mutex
	segs      []*segment // by number, the last is the current one
	strays    map[Seq]*stray
	orphans   map[Seq]struct{} // runs whose accepted record is damaged
	remember  []rememberFile   // oldest first
	pending   *batch           // what the writer takes next
	idle      *batch           // the other one, while the writer has none
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

// stray is a run whose own segment is gone: it was carried forward, or the
// file is missing.
type stray struct {
	state runState
	pin   uint32 // the segment that has its record
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

// runLocked returns the state of a run and the segment that it pins, or nil.
func (j *Journal) runLocked(seq Seq) (*runState, *segment) {
	if len(j.strays) > 0 {
		if s := j.strays[seq]; s != nil {
			return &s.state, j.segmentLocked(s.pin)
		}
	}
	s := j.segmentLocked(seq.home())
	if s == nil || seq.index() >= len(s.states) {
		return nil, nil
	}
	return &s.states[seq.index()], s
}

// moveLocked changes the state of a run and everything that counts it.
func (j *Journal) moveLocked(seq Seq, st *runState, pin *segment, add runState) {
	was := *st
	*st |= add
	now := *st
	if was.open() && !now.open() {
		j.open--
		if pin != nil {
			pin.open--
		}
	}
	j.unsent += count(now.unsent()) - count(was.unsent())
	j.fresh += count(now.fresh()) - count(was.fresh())
	if was.live() && !now.live() && pin != nil {
		if pin.live--; pin.live == 0 {
			signal(j.sweep)
		}
	}
	if now&runDone != 0 && len(j.strays) > 0 {
		delete(j.strays, seq)
	}
}

// fresh reports whether Next has to give the result out.
func (s runState) fresh() bool { return s.unsent() && s&runHanded == 0 }

func count(b bool) int {
	if b {
		return 1
	}
	return 0
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
	out := b.expect(j.cfg.AppendTimeout)
	j.mu.Unlock()
	signal(j.wake)

	<-out.done
	if out.err != nil {
		return 0, out.err
	}
	j.memory.add(id, j.up())
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
	j.mu.Unlock()
	signal(j.wake)
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
	j.mu.Unlock()
	signal(j.wake)
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
	j.memory.forget(id)
	signal(j.wake)
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
		signal(j.wake)
	}
	return nil
}

// Result returns the result of a trigger that finished lately, also after it
// was acknowledged, and after a restart while its segment exists.
func (j *Journal) Result(id ID) (Result, bool) { return j.results.get(id) }

// Ready is signalled when Next may have something. It has capacity 1 and is
// never closed.
func (j *Journal) Ready() <-chan struct{} { return j.ready }

// Full returns nil, or why Accept would refuse a trigger of usual size (4 KiB)
// now; it wraps ErrFull. The journal looks for room again by itself, once a
// second.
func (j *Journal) Full() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.refuseLocked(usual)
}

// refuseLocked says why a record of size bytes cannot be accepted.
func (j *Journal) refuseLocked(size int64) error {
	if j.closed {
		return ErrClosed
	}
	if need := size + int64(j.open+1)*int64(j.cfg.ReserveBytes); j.bytes+need > j.cfg.MaxBytes {
		return fmt.Errorf("%w: %d bytes are kept and the limit is %d; it shrinks as an admin takes the %d unsent "+
			"results and the %d open runs end, or raise the limit", ErrFull, j.bytes, j.cfg.MaxBytes, j.unsent, j.open)
	}
	return j.full
}

// Stats returns a snapshot.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	segments := 0
	for _, s := range j.segs {
		if s.file != nil {
			segments++
		}
	}
	return Stats{
		Open: j.open, Unsent: j.unsent, InMemory: len(j.inMemory),
		Remembered: j.memory.len(), MemoryBytes: j.memory.bytes(),
		Bytes: j.bytes + j.kept, Segments: segments,
		SetAside: j.setAside, Damaged: j.damaged,
		AppendErrors: j.refusals, Timeouts: j.timeouts, LastSyncError: j.syncError,
	}
}

// Flush blocks until everything recorded so far is written and synced, or ctx
// is done. Its error says that the disk refuses.
func (j *Journal) Flush(ctx context.Context) error {
	done := make(chan error, 1)
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return ErrClosed
	}
	j.flushes = append(j.flushes, done)
	j.mu.Unlock()
	signal(j.wake)
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// closeWait bounds how long Close waits for a disk that hangs.
const closeWait = 10 * time.Second

// Close writes and syncs what is pending, and gives the folder up. It may be
// called again, also concurrently, and then returns the same error. On a disk
// that hangs it gives up after 10 s; the lock then ends with the process.
func (j *Journal) Close() error {
	j.closeOnce.Do(func() { j.closeErr = j.shut() })
	return j.closeErr
}

func (j *Journal) shut() error {
	flushed := make(chan error, 1)
	j.mu.Lock()
	j.closed = true
	j.flushes = append(j.flushes, flushed)
	j.mu.Unlock()
	close(j.quit)
	signal(j.wake)

	hung := time.NewTimer(closeWait)
	defer hung.Stop()
	select {
	case <-j.ended:
	case <-hung.C:
		return fmt.Errorf("journal: close %s: the disk does not answer since %v", j.cfg.Dir, closeWait)
	}
	j.tasks.Wait()
	err := <-flushed
	for _, s := range j.segs {
		if s.file != nil {
			s.trim()
			err = errors.Join(err, s.file.Close())
		}
	}
	return errors.Join(err, j.lock.release())
}
