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
	truncated bool  // MaxRunBytes was reached
	paused    bool  // MaxBytes was reached, and the log says so
	midLine   bool  // the last byte taken was not \n
	taken     int64 // bytes

	// writing is held while the buffer goes to the file, so that parts keep
	// their order and appenders wait for the disk only when the buffer is full.
	writing sync.Mutex
	written int64
	torn    bool  // what stands in the file ends within a line
	lost    int64 // bytes dropped because of the disk, not yet told in the log
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
func (l *Log) Append(entry []byte) bool {
	open, full := l.take(entry, true)
	if full {
		_ = l.Flush() // counted and logged there
	}
	return open
}

// Write adds raw bytes, such as the output of a script, as Append does but
// without ending lines. It returns len(p), or os.ErrClosed after Close.
func (l *Log) Write(p []byte) (int, error) {
	open, full := l.take(p, false)
	if full {
		_ = l.Flush()
	}
	if !open {
		return 0, os.ErrClosed
	}
	return len(p), nil
}

// take copies p to the buffer, unless a limit forbids it.
func (l *Log) take(p []byte, entry bool) (open, full bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.store.stats.late.Add(1)
		return false, false
	}
	if len(p) == 0 && !entry {
		return true, false
	}
	if l.buf == nil {
		l.buf = l.store.buffer()
	}
	if !l.limitLocked(p) {
		l.addLocked(p, entry)
	}
	l.listLocked()
	return true, len(l.buf) >= writeAtBytes || l.store.ended.Load()
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
	l.midLine = l.buf[len(l.buf)-1] != '\n'
	l.taken += int64(len(l.buf) - before)
}

// limitLocked reports whether p must be dropped. The first time it says so in
// the log.
func (l *Log) limitLocked(p []byte) bool {
	limit := l.store.cfg.MaxRunBytes
	switch {
	case l.truncated:
	case limit > 0 && l.taken+int64(len(p)) > limit:
		l.truncated = true
		l.markLocked("log limit of %d bytes reached: what follows is dropped", limit)
	case !l.store.full():
		l.paused = false
		return false
	case !l.paused:
		l.paused = true
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

// Flush writes what is in memory. An error is also counted and logged; what
// was not written is tried again with the next flush, within 64 KiB.
func (l *Log) Flush() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	return l.flushLocked()
}

// flushLocked writes the buffer; l.writing is held.
func (l *Log) flushLocked() error {
	l.mu.Lock()
	data, last := l.buf, l.closed && l.lost > 0
	l.buf = nil
	l.mu.Unlock()
	if len(data) == 0 && !last {
		l.store.recycle(data)
		return nil
	}
	out, mark := data, 0
	if l.lost > 0 {
		out = append(gap{lost: l.lost, torn: l.torn}.mark(), data...)
		mark = len(out) - len(data)
	}
	n, err := l.store.write(l, out)
	if n > 0 {
		l.torn = out[n-1] != '\n'
	}
	if n >= mark {
		l.lost = 0
	}
	if err != nil {
		l.keep(data[max(n-mark, 0):])
		return fmt.Errorf("log %d: %w", l.key.id, err)
	}
	l.store.recycle(data)
	return nil
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

// keep puts back what the disk did not take, or counts it as lost.
func (l *Log) keep(rest []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed && len(rest)+len(l.buf) < retryBytes {
		l.buf = append(bytes.Clone(rest), l.buf...)
		return
	}
	l.lost += int64(len(rest))
	l.store.stats.lost.Add(int64(len(rest)))
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
	if l.midLine {
		l.buf = append(l.buf, '\n')
	}
	l.closed = true
	listed := l.listed
	l.mu.Unlock()

	l.writing.Lock()
	defer l.writing.Unlock()
	err := l.flushLocked()
	if listed {
		l.store.drop(l)
	}
	if l.lost > 0 {
		l.store.remember(l.key, gap{lost: l.lost, torn: l.torn})
	}
	if l.index != nil {
		if serr := l.index.save(l.store.files, l.key); serr != nil {
			l.store.trouble("line index not stored", l.key, serr)
		}
	}
	return err
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
	return len(l.buf) > 0
}
