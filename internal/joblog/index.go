package joblog

import (
	"bytes"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	pointEvery = 64 << 10 // bytes between two points of an index
	tailLen    = 32       // bytes that tell whether a file is still the one indexed
	// catchUpBytes is what a writer reads back at most, when others have
	// written to its file; beyond it the next reader does the work.
	catchUpBytes = 1 << 20
)

// point says that line begins at off.
type point struct {
	off, line int64
}

// scan is the state of counting lines from the start of a file on.
type scan struct {
	off   int64 // bytes seen
	ended int64 // lines that have an end
	start int64 // where line ended+1 begins
	cr    bool  // the last byte was \r: a \n that follows belongs to it
}

// total is the number of lines, the one without an end included.
func (s scan) total() int64 {
	if s.off > s.start {
		return s.ended + 1
	}
	return s.ended
}

// lineIndex finds lines in one file. Its methods are safe for concurrent use.
type lineIndex struct {
	count atomic.Int32 // len(points), for the cache

	mu     sync.Mutex
	scan   scan
	points []point // ascending; the start of the file is not among them
	tail   []byte  // the last bytes before scan.off
	saved  int64   // scan.off of the stored sidecar
}

func (x *lineIndex) resetLocked() {
	x.scan, x.points, x.tail, x.saved = scan{}, nil, nil, 0
	x.count.Store(0)
}

// feedLocked counts the lines of the bytes that follow those already seen.
func (x *lineIndex) feedLocked(chunk []byte) {
	if len(chunk) == 0 {
		return
	}
	s := &x.scan
	base, i := s.off, 0
	if s.cr && chunk[0] == '\n' {
		i, s.start = 1, s.off+1
	}
	s.cr = chunk[len(chunk)-1] == '\r'
	for i < len(chunk) {
		mark := x.nextMarkLocked()
		if s.start >= mark && s.start == base+int64(i) {
			x.points = append(x.points, point{off: s.start, line: s.ended + 1})
			x.count.Store(int32(min(len(x.points), math.MaxInt32)))
			mark = x.nextMarkLocked()
		}
		to := len(chunk)
		if base+int64(to) > mark {
			to = lineStart(chunk, max(i, int(max(mark-1-base, 0))))
		}
		n, last := countEnds(chunk[i:to])
		s.ended += n
		if n > 0 {
			s.start = base + int64(i+last)
		}
		i = to
	}
	s.off = base + int64(len(chunk))
	x.keepTailLocked(chunk)
}

func (x *lineIndex) nextMarkLocked() int64 {
	if n := len(x.points); n > 0 {
		return x.points[n-1].off + pointEvery
	}
	return pointEvery
}

func (x *lineIndex) keepTailLocked(chunk []byte) {
	if len(chunk) >= tailLen {
		x.tail = append(x.tail[:0], chunk[len(chunk)-tailLen:]...)
		return
	}
	x.tail = append(x.tail, chunk...)
	if over := len(x.tail) - tailLen; over > 0 {
		x.tail = slices.Delete(x.tail, 0, over)
	}
}

// lineStart returns where the line after the first end at or behind from
// begins, or len(b).
func lineStart(b []byte, from int) int {
	end := bytes.IndexByte(b[from:], '\n')
	limit := len(b)
	if end >= 0 {
		limit = from + end
	}
	cr := bytes.IndexByte(b[from:limit], '\r')
	switch {
	case cr < 0 && end < 0:
		return len(b)
	case cr < 0:
		return limit + 1
	case from+cr+1 == limit && end >= 0: // \r\n
		return limit + 1
	}
	return from + cr + 1
}

// countEnds returns how many lines end in b, and where the last of them ends.
func countEnds(b []byte) (n int64, last int) {
	count := bytes.Count(b, []byte{'\n'})
	last = bytes.LastIndexByte(b, '\n') + 1
	if bytes.IndexByte(b, '\r') >= 0 {
		count += bytes.Count(b, []byte{'\r'}) - bytes.Count(b, []byte("\r\n"))
		last = max(last, bytes.LastIndexByte(b, '\r')+1)
	}
	return int64(count), last
}

// follow takes in what a writer has just appended to f. When others write to
// the file too, it reads what is missing, up to a limit.
func (x *lineIndex) follow(f file, written []byte) error {
	size, err := f.size()
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if size < x.scan.off {
		x.resetLocked()
	}
	if x.scan.off+int64(len(written)) == size {
		x.feedLocked(written)
		return nil
	}
	if size-x.scan.off > catchUpBytes {
		return nil
	}
	for x.scan.off < size && err == nil {
		err = x.feedFromLocked(f, size)
	}
	return err
}

// seek makes sure that the index knows the line, as far as the file has it.
// It returns the nearest known start of a line at or before it, and the number
// of lines seen.
func (x *lineIndex) seek(f file, size, line int64) (from point, total int64, err error) {
	for {
		x.mu.Lock()
		if x.scan.ended >= line || x.scan.off >= size {
			break
		}
		err := x.feedFromLocked(f, size)
		x.mu.Unlock() // between two pieces, so that a writer need not wait for all
		if err != nil {
			return point{}, 0, err
		}
	}
	defer x.mu.Unlock()
	i, found := slices.BinarySearchFunc(x.points, line, func(p point, line int64) int {
		return int(max(-1, min(1, p.line-line)))
	})
	switch {
	case found:
		from = x.points[i]
	case i > 0:
		from = x.points[i-1]
	default:
		from = point{off: 0, line: 1}
	}
	return from, x.scan.total(), nil
}

func (x *lineIndex) feedFromLocked(f file, size int64) error {
	buf := chunks.Get().(*[]byte)
	defer chunks.Put(buf)
	part := (*buf)[:min(int64(len(*buf)), size-x.scan.off)]
	if _, err := f.ReadAt(part, x.scan.off); err != nil {
		return err
	}
	x.feedLocked(part)
	return nil
}

// check empties the index if f is not, or no longer, the file it describes.
// The size is taken under the lock: a writer may have fed more since any
// earlier look.
func (x *lineIndex) check(f file) {
	x.mu.Lock()
	defer x.mu.Unlock()
	size, err := f.size()
	if err != nil || x.scan.off > size || !x.tailMatchesLocked(f) {
		x.resetLocked()
	}
}

func (x *lineIndex) tailMatchesLocked(f file) bool {
	var have [tailLen]byte
	n := len(x.tail)
	if _, err := f.ReadAt(have[:n], x.scan.off-int64(n)); err != nil {
		return false
	}
	return bytes.Equal(have[:n], x.tail)
}

// chunks are the buffers of readers.
var chunks = sync.Pool{New: func() any { b := make([]byte, pointEvery); return &b }}
