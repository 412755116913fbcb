package joblog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// complainEvery is the shortest time between two log lines about the disk.
const complainEvery = time.Minute

// maxGaps bounds what is remembered of logs that a full disk has cut.
const maxGaps = 1024

// maxEnding bounds the ended logs that wait to be written.
const maxEnding = 8192

// Store is a folder of run logs. Open makes one; its methods are safe for
// concurrent use.
type Store struct {
	cfg     Config
	disk    *disk
	files   files // disk, or what a test puts before it
	indexes *indexCache
	born    time.Time
	stats   counters
	usage   usage

	wake       chan struct{} // size 1: the flusher has something to do
	awake      atomic.Bool   // wake was sent and not yet taken up
	running    atomic.Bool
	ended      atomic.Bool  // Run has returned: entries are written at once
	complained atomic.Int64 // since born, nanoseconds

	ending atomic.Int64 // logs that were ended and are not settled

	mu   sync.Mutex
	open map[key]*Log // logs with entries that are not closed, or not settled
	gaps map[key]gap  // of closed logs, for the late line to tell
}

// Stats are counts since Open, except Open, Bytes and Full.
type Stats struct {
	Open           int   // logs that have entries and are not closed
	WrittenBytes   int64 // taken by the disk
	LostBytes      int64 // dropped because the disk did not take them
	DroppedBytes   int64 // dropped because of MaxRunBytes or MaxBytes
	LateEntries    int64 // dropped because their log was closed
	Errors         int64 // failed writes
	RemovedFolders int64 // day folders removed by Clean
	Bytes          int64 // as Store.Size
	Full           bool  // MaxBytes is reached, logs take nothing
}

type counters struct {
	written, lost, dropped, late, errors, removed atomic.Int64
}

// Open makes the folder if needed and returns its Store. It starts no
// goroutine; Run does.
func Open(cfg Config) (*Store, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("joblog: invalid config: %w", err)
	}
	d, err := openDisk(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("joblog: %w", err)
	}
	return &Store{
		cfg:     cfg,
		disk:    d,
		files:   d,
		indexes: newIndexCache(),
		born:    time.Now(),
		usage:   usage{days: make(map[day]int64), kick: make(chan struct{}, 1)},
		wake:    make(chan struct{}, 1),
		open:    make(map[key]*Log),
		gaps:    make(map[key]gap),
	}, nil
}

// Close releases the handles of folders. What is still in memory is lost, and
// writing and reading fail from then on; call it after Run has returned.
func (s *Store) Close() error { return s.disk.close() }

// ErrRunning is returned by Run when it was called before.
var ErrRunning = errors.New("joblog: Run may be called only once")

// Run flushes logs and applies retention, at the start and at each midnight
// of Config.Location. It blocks until ctx is done, writes everything that is
// in memory, and returns nil. After that each entry is written at once.
func (s *Store) Run(ctx context.Context) error {
	if !s.running.CompareAndSwap(false, true) {
		return ErrRunning
	}
	var wg sync.WaitGroup
	wg.Go(func() { s.runCleaner(ctx) })
	s.runFlusher(ctx)
	wg.Wait()
	return nil
}

// runFlusher sleeps while nothing is in memory.
func (s *Store) runFlusher(ctx context.Context) {
	timer := time.NewTimer(s.cfg.FlushEvery)
	timer.Stop()
	defer timer.Stop()
	var logs []*Log
	for {
		select {
		case <-ctx.Done():
			s.ended.Store(true)
			s.flushAll(logs)
			return
		case <-s.wake:
			timer.Reset(s.cfg.FlushEvery)
		case <-timer.C:
			s.awake.Store(false)
			logs = s.flushAll(logs)
		}
	}
}

// flushAll writes all logs that have something in memory. logs is a buffer.
func (s *Store) flushAll(logs []*Log) []*Log {
	logs = logs[:0]
	s.mu.Lock()
	for _, l := range s.open {
		for ; l != nil; l = l.twin {
			logs = append(logs, l)
		}
	}
	s.mu.Unlock()
	for _, l := range logs {
		if l.isEnded() {
			_ = l.settle() // counted and logged there
		} else if l.unwritten() && l.Flush() != nil {
			s.wakeFlusher() // kept in memory: try again
		}
	}
	clear(logs)
	return logs
}

// mayDefer reports whether one more ended log may wait for the flusher, and
// counts it.
func (s *Store) mayDefer() bool {
	if !s.running.Load() || s.ended.Load() {
		return false
	}
	if s.ending.Add(1) > maxEnding {
		s.ending.Add(-1)
		return false
	}
	return true
}

// wakeFlusher starts the flusher's timer, if it does not run already.
func (s *Store) wakeFlusher() {
	if s.awake.Load() || !s.awake.CompareAndSwap(false, true) {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Store) add(l *Log) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.twin = s.open[l.key]
	s.open[l.key] = l
}

func (s *Store) drop(l *Log) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[l.key] == l {
		if l.twin == nil {
			delete(s.open, l.key)
		} else {
			s.open[l.key] = l.twin
		}
		return
	}
	for at := s.open[l.key]; at != nil; at = at.twin {
		if at.twin == l {
			at.twin = l.twin
			return
		}
	}
}

// flushKey writes what open logs hold for a file, and reports whether there
// are any.
func (s *Store) flushKey(k key) bool {
	s.mu.Lock()
	var logs []*Log
	for l := s.open[k]; l != nil; l = l.twin {
		logs = append(logs, l)
	}
	s.mu.Unlock()
	for _, l := range logs {
		_ = l.Flush() // counted and logged there; what is on disk can still be read
	}
	return len(logs) > 0
}

// write appends to a log's file: one open, one write, one close.
func (s *Store) write(l *Log, out []byte) (int, error) {
	f, err := s.files.open(l.key.day, l.key.logName(), forAppend)
	if err != nil {
		s.trouble("run log not written", l.key, err)
		return 0, err
	}
	n, err := f.Write(out)
	s.wrote(l.key, n)
	l.written += int64(n)
	if l.index == nil && l.written >= bigAfter {
		l.index = s.indexes.get(l.key)
	}
	if l.index != nil && n > 0 {
		if xerr := l.index.follow(f, out[:n]); xerr != nil {
			s.trouble("line index not kept", l.key, xerr)
		}
	}
	if cerr := f.Close(); err == nil && cerr != nil {
		s.trouble("run log not closed", l.key, cerr) // written, as far as we can know
	}
	if err != nil {
		s.trouble("run log not written", l.key, err)
	}
	return n, err
}

// AppendAfter adds text to a log whose Log is closed, or was never opened, as
// one write, for which it blocks on the disk; or it adds text to what an ended
// log is about to have written. A \n is added if missing. Limits do not apply.
func (s *Store) AppendAfter(logID int64, at time.Time, text []byte) error {
	k := key{logID, dayOf(at, s.cfg.Location)}
	if s.addLate(k, text) {
		return nil
	}
	buf := s.buffer()
	g, hasGap := s.gapOf(k)
	if hasGap {
		buf = append(buf, g.mark()...)
	}
	buf = append(buf, text...)
	if len(text) == 0 || text[len(text)-1] != '\n' {
		buf = append(buf, '\n')
	}
	defer s.recycle(buf)
	f, err := s.files.open(k.day, k.logName(), forAppend)
	if err == nil {
		var n int
		n, err = f.Write(buf)
		s.wrote(k, n)
		s.stats.lost.Add(int64(len(buf) - n))
		err = errors.Join(err, f.Close())
	} else {
		s.stats.lost.Add(int64(len(buf)))
	}
	if err != nil {
		s.trouble("run log not written", k, err)
		return fmt.Errorf("log %d: %w", logID, err)
	}
	if hasGap {
		s.mu.Lock()
		delete(s.gaps, k)
		s.mu.Unlock()
	}
	return nil
}

// addLate adds text to an ended log of the file that is not written yet.
func (s *Store) addLate(k key, text []byte) bool {
	s.mu.Lock()
	l := s.open[k] // the newest one of the file
	s.mu.Unlock()
	return l != nil && l.addLate(text)
}

// remember keeps the gap of a closed log, for some logs.
func (s *Store) remember(k key, g gap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.gaps) < maxGaps {
		s.gaps[k] = g
	}
}

func (s *Store) gapOf(k key) (gap, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.gaps[k]
	return g, ok
}

// trouble counts an error and logs it, at most once a minute.
func (s *Store) trouble(what string, k key, err error) {
	s.stats.errors.Add(1)
	now := int64(time.Since(s.born)) + 1
	last := s.complained.Load()
	if last != 0 && now-last < int64(complainEvery) || !s.complained.CompareAndSwap(last, now) {
		return
	}
	s.cfg.Logger.Warn("trouble with a run log", slog.String("what", what), slog.Int64("log_id", k.id),
		slog.Any("err", err), slog.Int64("lost_bytes", s.stats.lost.Load()))
}

// Stats returns what has happened so far.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	open := 0
	for _, l := range s.open {
		for ; l != nil; l = l.twin {
			open++
		}
	}
	s.mu.Unlock()
	return Stats{
		Open:           open,
		WrittenBytes:   s.stats.written.Load(),
		LostBytes:      s.stats.lost.Load(),
		DroppedBytes:   s.stats.dropped.Load(),
		LateEntries:    s.stats.late.Load(),
		Errors:         s.stats.errors.Load(),
		RemovedFolders: s.stats.removed.Load(),
		Bytes:          s.Size(),
		Full:           s.full(),
	}
}

// buffers hold the entries of logs and late lines.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

func (s *Store) buffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

func (s *Store) recycle(b []byte) {
	if c := cap(b); c > 0 && c <= retryBytes {
		buffers.Put(&b)
	}
}
