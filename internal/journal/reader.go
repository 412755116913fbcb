package journal

import (
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"
)

const (
	readWindow = 256 << 10
	// readAhead is how much of a window must be left to be used once more.
	readAhead = 64 << 10
	// resultFrame is what a result counts towards maxBytes of Next besides
	// its message.
	resultFrame = 64
	// readAttempts is how often a stretch that the disk does not give back is
	// read before the reader goes on behind its segment.
	readAttempts = 3
	// readPause is the time between attempts at the latest, and backAfter the
	// time after which the reader goes back to a segment that it left.
	readPause = time.Second
	backAfter = time.Minute
)

// reader is the place in the journal up to which Next has given results out.
type reader struct {
	mu       sync.Mutex
	no       uint32 // segment
	off      int64
	buf      []byte
	window   []byte // the part of buf that was read last: of segment windowNo,
	windowNo uint32 // from windowAt on; records that are written never change
	windowAt int64
	found    []record // candidates of the last window
	failures int

	left   bool // there is a segment that could not be read to its end
	leftNo uint32
	back   time.Time // when the reader goes back to it
}

// goBack returns to the segment that was left, if it is time. What was given
// out since then is not given out again.
func (r *reader) goBack() {
	if r.left && !time.Now().Before(r.back) {
		r.no, r.off, r.failures, r.left = r.leftNo, headerSize, 0, false
	}
}

// leave notes that the reader goes on behind its segment. It reports whether
// that is the first one that is left.
func (r *reader) leave(end int64) bool {
	first := !r.left
	if first {
		r.left, r.leftNo = true, r.no
	}
	r.back = time.Now().Add(backAfter)
	r.off, r.failures = end, 0
	return first
}

// Next returns results that are written and not acknowledged, in the order of
// the journal, each once in the life of the process; nil if there are none
// now. It returns at most max of them, and at most maxBytes of messages (64
// bytes are added for each), but at least one. It reads from the file, so a
// long backlog takes no memory. It may block on the disk.
func (j *Journal) Next(max, maxBytes int) []Finished {
	j.reader.mu.Lock()
	defer j.reader.mu.Unlock()
	if max <= 0 || !j.anyFresh() {
		return nil
	}
	j.reader.goBack()
	p := &picker{max: max, left: maxBytes}
	for !p.full() {
		s, limit, more := j.locate()
		if !more {
			break
		}
		if !j.readWindow(s, limit, p) {
			break
		}
	}
	if !p.full() {
		j.takeFromMemory(p)
	}
	if p.full() {
		signal(j.ready)
	}
	return p.out
}

// picker collects the results of one Next.
type picker struct {
	max, left int
	out       []Finished
	taken     int  // results promised, also those not yet in out
	stopped   bool // the next result does not fit
}

func (p *picker) full() bool { return p.stopped || p.taken >= p.max }

// fits reports whether a message of n bytes may be added, and counts it.
func (p *picker) fits(n int) bool {
	if p.taken > 0 && p.left < n+resultFrame {
		p.stopped = true
		return false
	}
	p.left -= n + resultFrame
	p.taken++
	return true
}

func (j *Journal) anyFresh() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.fresh > 0
}

// locate returns the segment to read from next and where its records end.
func (j *Journal) locate() (s *segment, limit int64, more bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := &j.reader
	if first := j.segs[0].no; r.no < first {
		r.no, r.off = first, headerSize
	}
	for {
		s := j.segmentLocked(r.no)
		if s != nil && s.file != nil && r.off < s.data {
			return s, s.data, true
		}
		if r.no >= j.currentLocked().no {
			return nil, 0, false
		}
		r.no, r.off, r.failures = r.no+1, headerSize, 0
	}
}

// readWindow reads one stretch of records and gives its results to p. It
// reports false if the disk does not answer.
func (j *Journal) readWindow(s *segment, limit int64, p *picker) bool {
	r := &j.reader
	data, err := r.peek(s.file, limit)
	if err != nil {
		return j.readFailed(s, limit, err)
	}
	r.failures = 0
	used := r.collect(data, s.salt, p.max-len(p.out))
	if used == 0 { // a long record, or a damaged one
		if data, err = r.load(s.file, limit-r.off); err != nil {
			return j.readFailed(s, limit, err)
		}
		if used = r.collect(data, s.salt, p.max-len(p.out)); used == 0 {
			used = newScanner(data, 0, s.salt).resync(0)
		}
	}
	r.off += int64(j.pick(p, used))
	return true
}

// peek returns the next records as far as limit, or a window of them. What is
// left of the last window does if it is long enough.
func (r *reader) peek(f file, limit int64) ([]byte, error) {
	if r.windowNo == r.no && r.windowAt <= r.off {
		if end := r.windowAt + int64(len(r.window)); end >= min(r.off+readAhead, limit) {
			return r.window[r.off-r.windowAt:], nil
		}
	}
	return r.load(f, min(limit-r.off, readWindow))
}

// load reads the next n bytes.
func (r *reader) load(f file, n int64) ([]byte, error) {
	if int64(cap(r.buf)) < n || cap(r.buf) > 4*readWindow {
		r.buf = make([]byte, max(n, readWindow))
	}
	r.window = nil
	got, err := f.ReadAt(r.buf[:n], r.off)
	if int64(got) < n {
		return nil, err
	}
	r.window, r.windowNo, r.windowAt = r.buf[:n], r.no, r.off
	return r.window, nil
}

// readFailed leaves a segment that cannot be read, after some attempts and for
// a while.
func (j *Journal) readFailed(s *segment, limit int64, err error) bool {
	if errors.Is(err, os.ErrClosed) { // deleted meanwhile, so nothing was left in it
		return true
	}
	r := &j.reader
	if r.failures++; r.failures < readAttempts {
		time.AfterFunc(readPause, func() { signal(j.ready) })
		return false
	}
	j.log.Error("journal unreadable, its results are sent when it can be read again",
		slog.String("file", s.path), slog.Int64("offset", r.off), slog.Any("err", err))
	if r.leave(limit) {
		j.mu.Lock()
		j.damaged++
		j.mu.Unlock()
	}
	time.AfterFunc(backAfter, func() { signal(j.ready) })
	return true
}

// collect finds at most want finished records and returns how many bytes it
// went over; 0 if the first record is not whole.
func (r *reader) collect(data []byte, salt uint32, want int) int {
	r.found = r.found[:0]
	pos := 0
	for pos < len(data) && len(r.found) < want {
		rec, ok := parse(data[pos:], salt)
		if !ok {
			break
		}
		if rec.kind == kindFinished {
			rec.at = pos
			r.found = append(r.found, rec)
		}
		pos += rec.size
	}
	return pos
}

// pick hands out those of the found records that are due, and returns how far
// the reader may go on: used, or less if a result did not fit.
func (j *Journal) pick(p *picker, used int) int {
	r := &j.reader
	j.mu.Lock()
	n := 0
	for _, rec := range r.found {
		st, pin := j.runLocked(rec.seq)
		if st == nil || !st.fresh() {
			continue
		}
		if !p.fits(len(rec.body) - idLen - 4) {
			used = rec.at
			break
		}
		j.moveLocked(rec.seq, st, pin, runHanded)
		r.found[n] = rec
		n++
	}
	j.mu.Unlock()
	for _, rec := range r.found[:n] {
		p.out = append(p.out, rec.finished())
	}
	return used
}

// takeFromMemory gives out results that the disk refused.
func (j *Journal) takeFromMemory(p *picker) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.inMemory) > 0 && !p.full() {
		f := j.inMemory[0]
		st, pin := j.runLocked(f.Seq)
		if st != nil && st.fresh() {
			if !p.fits(len(f.Result.Msg)) {
				return
			}
			j.moveLocked(f.Seq, st, pin, runHanded)
			p.out = append(p.out, f)
		}
		j.inMemory[0] = Finished{}
		j.inMemory = j.inMemory[1:]
	}
}
