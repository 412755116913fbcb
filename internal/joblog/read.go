package joblog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"
	"unicode/utf8"
)

// cutMark ends a line that is longer than Config.MaxLineBytes.
const cutMark = " ...[line cut: too long to show]"

// Page is a run of whole lines of one log.
type Page struct {
	// Found reports whether the log has a file. All else is zero if not.
	Found bool
	// From is the number of the first line asked for, at least 1.
	From int32
	// To is the number of the last line in Text or, when the log has no line
	// From, the number of its lines.
	To int32
	// Text is valid UTF-8; each line ends with \n. It is the caller's.
	Text []byte
}

// Read returns lines of a log, from the given number on (less than 1 means 1),
// as many as Config.PageBytes allows and at least one. Entries still in memory
// are written first. If the day of at has no such log, the day before and the
// day after are tried, since a scheduling centre may round times. Nothing is
// created for a missing log, which is no error.
//
// Read blocks on the disk and is safe for concurrent use.
func (s *Store) Read(logID int64, at time.Time, from int32) (Page, error) {
	d := dayOf(at, s.cfg.Location)
	var fault error
	for _, d := range [...]day{d, d.add(-1), d.add(1)} {
		page, err := s.readFile(key{logID, d}, max(from, 1))
		if err == nil {
			return page, nil
		}
		if fault == nil && !errors.Is(err, fs.ErrNotExist) {
			fault = err
		}
	}
	return Page{}, fault
}

func (s *Store) readFile(k key, from int32) (Page, error) {
	isOpen := s.flushKey(k)
	f, err := s.files.open(k.day, k.logName(), forRead)
	if err != nil {
		return Page{}, fmt.Errorf("log %d: %w", k.id, err)
	}
	defer f.Close()
	size, err := f.size()
	if err != nil {
		return Page{}, fmt.Errorf("log %d: %w", k.id, err)
	}
	index := s.indexFor(k, f, size)
	start, total, err := index.seek(f, size, int64(from))
	if err != nil {
		return Page{}, fmt.Errorf("log %d: %w", k.id, err)
	}
	page := Page{Found: true, From: from}
	if total < int64(from) {
		page.To = clampLine(total)
		return page, nil
	}
	if size, err = f.size(); err == nil { // the index may know more by now
		err = s.fill(&page, f, start, size)
	}
	if err != nil {
		return Page{}, fmt.Errorf("log %d: %w", k.id, err)
	}
	if page.To == 0 { // cut by somebody else just now
		page.To = clampLine(total)
	}
	if !isOpen && size >= sidecarMinBytes {
		_ = index.save(s.files, k) // only a shortcut; a read-only disk has none
	}
	return page, nil
}

// indexFor returns an index that is right for the file, perhaps an empty one.
func (s *Store) indexFor(k key, f file, size int64) *lineIndex {
	if size <= pointEvery {
		return new(lineIndex)
	}
	x := s.indexes.get(k)
	x.check(f)
	if size >= sidecarMinBytes && x.empty() {
		x.load(s.files, k)
		x.check(f)
	}
	return x
}

func (x *lineIndex) empty() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.scan.off == 0
}

// fill reads the lines of a page, beginning at a known start of a line.
func (s *Store) fill(page *Page, f file, start point, size int64) error {
	buf := chunks.Get().(*[]byte)
	defer chunks.Put(buf)
	lines := lineReader{f: f, off: start.off, size: size, buf: *buf}
	for line := start.line; line < int64(page.From); line++ {
		if _, _, err := lines.next(nil, 0); err != nil {
			return err
		}
	}
	// Room for the line that turns out not to fit any more, too.
	text := make([]byte, 0, min(int64(s.cfg.PageBytes), lines.left())+4<<10)
	used := 0
	for line := int64(page.From); line <= math.MaxInt32; line++ {
		before := len(text)
		longer, ok, err := lines.next(text, s.cfg.MaxLineBytes)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		text = append(makeValid(longer, before), '\n')
		used += s.cfg.QuotedLen(text[before:])
		if used > s.cfg.PageBytes && before > 0 {
			text = text[:before]
			break
		}
		page.To = int32(line)
		if used >= s.cfg.PageBytes {
			break
		}
	}
	page.Text = text
	return nil
}

// makeValid replaces each byte of text[from:] that is not part of valid UTF-8
// by U+FFFD.
func makeValid(text []byte, from int) []byte {
	if utf8.Valid(text[from:]) {
		return text
	}
	valid := make([]byte, 0, len(text)-from+64)
	for rest := text[from:]; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		valid = utf8.AppendRune(valid, r)
		rest = rest[n:]
	}
	return append(text[:from], valid...)
}

func clampLine(n int64) int32 { return int32(min(n, math.MaxInt32)) }

// lineReader takes lines off a file, up to size.
type lineReader struct {
	f    file
	off  int64 // of the byte after buf[:w]
	size int64
	buf  []byte
	r, w int
	nl   int // position of the first \n at or behind r, w if none; valid if >= r
	seen bool
}

// left is the number of bytes not yet taken.
func (l *lineReader) left() int64 { return l.size - l.off + int64(l.w-l.r) }

// more makes sure that there is a byte to take; false at the end.
func (l *lineReader) more() (bool, error) {
	if l.r < l.w {
		return true, nil
	}
	n := int(min(int64(len(l.buf)), l.size-l.off))
	if n <= 0 {
		return false, nil
	}
	if _, err := l.f.ReadAt(l.buf[:n], l.off); err != nil {
		return false, err
	}
	l.off += int64(n)
	l.r, l.w, l.seen = 0, n, false
	return true, nil
}

// next appends one line, without its end, to dst. Of a line longer than limit
// only so much is taken, at a border of runes, and cutMark; a limit of 0
// takes nothing. ok is false at the end of the file.
func (l *lineReader) next(dst []byte, limit int) (line []byte, ok bool, err error) {
	room, start := limit, len(dst)
	cut := false
	for {
		if more, err := l.more(); err != nil || !more {
			return l.finish(dst, start, cut), ok, err
		}
		ok = true
		part, ended := l.part()
		take := min(len(part), room)
		cut = cut || take < len(part) && limit > 0
		dst, room = append(dst, part[:take]...), room-take
		if ended {
			err := l.skipPair()
			return l.finish(dst, start, cut), true, err
		}
	}
}

// part takes bytes up to and excluding the end of the line, or all there are.
// If ended, l.r is behind the end's first byte.
func (l *lineReader) part() (part []byte, ended bool) {
	if !l.seen || l.nl < l.r {
		l.nl, l.seen = l.w, true
		if i := bytes.IndexByte(l.buf[l.r:l.w], '\n'); i >= 0 {
			l.nl = l.r + i
		}
	}
	end := l.nl
	if i := bytes.IndexByte(l.buf[l.r:l.nl], '\r'); i >= 0 {
		end = l.r + i
	}
	part = l.buf[l.r:end]
	l.r = min(end+1, l.w)
	return part, end < l.w
}

// skipPair takes the \n of an end \r\n of which the \r was just taken.
func (l *lineReader) skipPair() error {
	if l.buf[l.r-1] != '\r' {
		return nil
	}
	if more, err := l.more(); err != nil || !more {
		return err
	}
	if l.buf[l.r] == '\n' {
		l.r++
	}
	return nil
}

func (l *lineReader) finish(dst []byte, start int, cut bool) []byte {
	if !cut {
		return dst
	}
	for back := 1; back < utf8.UTFMax && len(dst)-back >= start; back++ {
		if i := len(dst) - back; utf8.RuneStart(dst[i]) {
			if !utf8.FullRune(dst[i:]) {
				dst = dst[:i]
			}
			break
		}
	}
	return append(dst, cutMark...)
}
