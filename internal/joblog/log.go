package joblog

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"time"
)

const (
	writeAtBytes = 32 << 10 // a buffer of this size is written by the appender
	retryBytes   = 64 << 10 // what a failing disk leaves in memory, at most
	// bigAfter is what a Log writes before it keeps a line index.
	bigAfter = pointEvery
)

// Log is the log of one run. Its methods are safe for concurrent use; entries
// of one goroutine keep their order. It holds no descriptor and needs no Close
// to be collected, but without one its last entries depend on Store.Run.
type Log struct {
	store *Store
	key   key
	twin  *Log // another open Log of the same file; guarded by Store.mu

	mu        sync.Mutex
	buf       []byte
	listed    bool  // the store knows this log
	closed    bool  // takes nothing more
	ended     bool  // by End: closed, the store is still to write the rest
	settled   bool  // the rest has been taken to be written: late lines go behind it
	truncated bool  // MaxRunBytes was reached
	paused    bool  // MaxBytes was reached, and the log says so
	midLine   bool  // the last byte taken was not \n
	taken     int64 // bytes
	failing   bool  // the last write failed: only the flusher tries again
	lost      int64 // bytes dropped because of the disk, not yet told in the log

	// writing is held while the buffer goes to the file, so that parts keep
	// their order and appenders wait for the disk only when the buffer is full.
	writing sync.Mutex
	written int64
	torn    bool // what stands in the file ends within a line
	index   *lineIndex
}

// Log returns the log of a run; at is the time of its trigger, which decides
// the folder. It does no I/O: the file appears with the first entry.
func (s *Store) Log(logID int64, at time.Time) *Log {
	return &Log{store: s, key: key{logID, dayOf(at, s.cfg.Location)}}
}

// Append adds one entry and, if it does not end with one, a \n. An entry
// always begins on a line of its own. The entry is copied. Append reports
// whether the log was open; after Close entries are dropped and counted. It
// blocks on the disk only when 32 KiB are waiting, and no trouble with the
// disk comes back to the caller.
func (l *Log) Append(entry []byte) bool { return l.appendEntry(entry, anEntry) }

// AppendEnd is Append for what the log is to end with, such as a result: it is
// taken although MaxRunBytes or MaxBytes is reached.
func (l *Log) AppendEnd(entry []byte) bool { return l.appendEntry(entry, lastEntry) }

func (l *Log) appendEntry(entry []byte, what piece) bool {
	open, full := l.take(entry, what)
	if full {
		_ = l.Flush() // counted and logged there
	}
	return open
}

// Write adds raw bytes, such as the output of a script, as Append does but
// without ending lines. It returns len(p), or os.ErrClosed after Close.
func (l *Log) Write(p []byte) (int, error) {
	open, full := l.take(p, rawBytes)
	if full {
		_ = l.Flush()
	}
	if !open {
		return 0, os.ErrClosed
	}
	return len(p), nil
}

// piece says what is added to a log.
type piece int

const (
	anEntry   piece = iota
	lastEntry       // taken although a limit is reached
	rawBytes        // without an end of line of its own
)

// take copies p to the buffer, unless a limit forbids it.
func (l *Log) take(p []byte, what piece) (open, full bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.store.stats.late.Add(1)
		return false, false
	}
	if len(p) == 0 && what == rawBytes {
		return true, false
	}
	if l.failing && (l.lost > 0 || len(l.buf)+len(p) > retryBytes) {
		l.loseLocked(len(p))
		l.listLocked()
		return true, l.store.ended.Load()
	}
	if l.buf == nil {
		l.buf = l.store.buffer()
	}
	if what == lastEntry || !l.limitLocked(p, what == anEntry) {
		l.addLocked(p, what != rawBytes)
	}
	l.listLocked()
	return true, !l.failing && len(l.buf) >= writeAtBytes || l.store.ended.Load()
}

// addLocked appends p to the buffer.
func (l *Log) addLocked(p []byte, entry bool) {
	before := len(l.buf)
	if entry && l.midLine {
		l.buf = append(l.buf, '\n')
	}
	l.buf = append(l.buf, p...)
	if entry && (len(p) == 0 || p[len(p)-1] != '\n') {
		l.buf = append(l.buf, '\n')
	}
	if len(l.buf) > before {
		l.midLine = l.buf[len(l.buf)-1] != '\n'
	}
	l.taken += int64(len(l.buf) - before)
}

// limitLocked reports whether p must be dropped, and then says so in the log,
// the first time. Of raw bytes it takes what still fits.
func (l *Log) limitLocked(p []byte, entry bool) bool {
	limit := l.store.cfg.MaxRunBytes
	switch {
	case l.truncated:
	case limit > 0 && l.taken+int64(len(p)) > limit:
		l.truncated = true
		if !entry {
			room := limit - l.taken
			l.addLocked(p[:room], false)
			p = p[room:]
		}
		l.markLocked("log limit of %d bytes reached: what follows is dropped", limit)
	case !l.store.full():
		l.paused = false
		return false
	case l.paused:
		l.store.kickCleaner()
	default:
		l.paused = true
		l.store.kickCleaner()
		l.markLocked("all logs together have reached their limit of %d bytes: entries are dropped",
			l.store.cfg.MaxBytes)
	}
	l.store.stats.dropped.Add(int64(len(p)))
	return true
}

// markLocked adds a line of our own.
func (l *Log) markLocked(format string, args ...any) {
	l.addLocked(fmt.Appendf(nil, "[xxljob] "+format, args...), true)
}

// listLocked makes the log known to the store, which flushes it later.
func (l *Log) listLocked() {
	if !l.listed {
		l.listed = true
		l.store.add(l)
	}
	l.store.wakeFlusher()
}

// Flush writes what is in memory. An error is also counted and logged. Up to
// 64 KiB that were not written wait for the next flush.
func (l *Log) Flush() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	return l.flushLocked()
}

// flushLocked writes the buffer and, behind it, what is to be told of a gap;
// l.writing is held.
func (l *Log) flushLocked() error {
	l.mu.Lock()
	data, lost := l.buf, l.lost
	l.buf = nil
	l.mu.Unlock()
	if len(data) == 0 && lost == 0 {
		l.store.recycle(data)
		return nil
	}
	out := data
	if lost > 0 {
		out = append(out, gap{lost: lost, torn: l.endsTorn(data)}.mark()...)
	}
	n, err := l.store.write(l, out)
	if n > 0 {
		l.torn = out[n-1] != '\n'
	}
	if err != nil {
		l.failed(data[min(n, len(data)):])
		return fmt.Errorf("log %d: %w", l.key.id, err)
	}
	l.succeeded(lost)
	l.store.recycle(out)
	return nil
}

// endsTorn reports whether the file ends within a line once pending is in it.
func (l *Log) endsTorn(pending []byte) bool {
	if n := len(pending); n > 0 {
		return pending[n-1] != '\n'
	}
	return l.torn
}

// succeeded ends the trouble with the disk. What was dropped while the buffer
// was written is told next.
func (l *Log) succeeded(told int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failing = false
	if l.lost -= told; l.lost > 0 {
		l.buf = append(l.buf, gap{lost: l.lost, torn: l.endsTorn(l.buf)}.mark()...)
		l.lost = 0
	}
}

// failed puts back what the disk did not take, as far as memory allows. A gap
// always lies behind the buffer: once there is one, nothing more is taken
// until the buffer is written.
func (l *Log) failed(rest []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest = append(bytes.Clone(rest), l.buf...)
	room := retryBytes
	if l.closed {
		room = 0
	}
	l.failing = true
	l.buf = rest[:min(room, len(rest))]
	if over := len(rest) - len(l.buf); over > 0 {
		l.loseLocked(over)
	}
}

func (l *Log) loseLocked(n int) {
	l.lost += int64(n)
	l.store.stats.lost.Add(int64(n))
	l.midLine = false // the line that tells of the gap ends with \n
}

// gap is what the disk did not take.
type gap struct {
	lost int64 // bytes
	torn bool  // what stands before the gap is not a whole line
}

// mark returns the line that tells of the gap.
func (g gap) mark() []byte {
	newLine := ""
	if g.torn {
		newLine = "\n"
	}
	return fmt.Appendf(nil, "%s[xxljob] %d bytes are missing here: the disk did not take them\n",
		newLine, g.lost)
}

// Close writes what is in memory, and ends an unfinished last line. Later
// entries are dropped. It returns the error of the last write. A second Close
// does nothing.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.endLineLocked()
	l.closed = true
	l.mu.Unlock()
	return l.settle()
}

// endLineLocked ends an unfinished last line.
func (l *Log) endLineLocked() {
	if l.midLine {
		l.buf = append(l.buf, '\n')
		l.midLine = false
	}
}

// End is Close without waiting for the disk: the store writes what is in memory
// within Config.FlushEvery or so, in one go with what AppendAfter adds until
// then. When too many logs wait for that, it waits like Close.
func (l *Log) End() {
	l.mu.Lock()
	deferred := !l.closed && l.listed && l.store.mayDefer()
	if deferred {
		l.endLineLocked()
		l.closed, l.ended = true, true
	}
	l.mu.Unlock()
	switch {
	case !deferred:
		_ = l.Close() // counted and logged there
	case l.store.ended.Load():
		_ = l.settle() // the flusher has gone meanwhile
	default:
		l.store.wakeFlusher()
	}
}

// addLate adds a line to a log that was ended and is not written yet. It
// reports false if the line is to go to the file; what was to go before it is
// there then.
func (l *Log) addLate(text []byte) bool {
	l.mu.Lock()
	if l.ended && !l.settled && !l.failing {
		if l.buf == nil {
			l.buf = l.store.buffer()
		}
		l.addLocked(text, true)
		l.midLine = false
		l.mu.Unlock()
		l.store.wakeFlusher()
		return true
	}
	ended := l.ended
	l.mu.Unlock()
	if ended {
		l.writing.Lock() // until it is written
		defer l.writing.Unlock()
	}
	return false
}

// isEnded reports whether the store is to settle the log.
func (l *Log) isEnded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// settle writes the rest of a closed log and forgets it.
func (l *Log) settle() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	again := l.settled
	l.settled = true
	listed, ended := l.listed, l.ended
	l.mu.Unlock()
	if again {
		return nil
	}
	err := l.flushLocked()
	if ended {
		l.store.ending.Add(-1)
	}
	if listed {
		l.store.drop(l)
	}
	if err != nil {
		l.store.remember(l.key, l.gap())
	}
	if l.index != nil {
		if serr := l.index.save(l.store.files, l.key); serr != nil {
			l.store.trouble("line index not stored", l.key, serr)
		}
	}
	return err
}

func (l *Log) gap() gap {
	l.mu.Lock()
	defer l.mu.Unlock()
	return gap{lost: l.lost, torn: l.torn}
}

// Truncated reports whether entries were dropped because of MaxRunBytes.
func (l *Log) Truncated() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.truncated
}

// unwritten reports whether a flush would have something to do.
func (l *Log) unwritten() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.buf) > 0 || l.lost > 0
}
