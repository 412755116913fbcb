package joblog

import (
	"container/list"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"sync"
)

const (
	sidecarMagic    = "xjlidx1\n"
	sidecarMinBytes = 1 << 20 // smaller logs are scanned quickly enough
	sidecarMaxBytes = 8 << 20 // of the sidecar itself
)

var errSidecar = errors.New("line index is damaged or of another version")

// encodeLocked returns the index as bytes: magic, scan state, tail, points as
// differences, CRC-32C.
func (x *lineIndex) encodeLocked() []byte {
	b := append(make([]byte, 0, 128+6*len(x.points)), sidecarMagic...)
	cr := uint64(0)
	if x.scan.cr {
		cr = 1
	}
	for _, n := range []uint64{
		uint64(x.scan.off), uint64(x.scan.ended), uint64(x.scan.start), cr, uint64(len(x.tail)),
	} {
		b = binary.AppendUvarint(b, n)
	}
	b = append(b, x.tail...)
	last := point{}
	for _, p := range x.points {
		b = binary.AppendUvarint(b, uint64(p.off-last.off))
		b = binary.AppendUvarint(b, uint64(p.line-last.line))
		last = p
	}
	return seal(b)
}

func seal(b []byte) []byte {
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// decodeSidecar is the inverse of encodeLocked. An index that it returns is in
// itself consistent; whether it fits the file is for check to say.
func decodeSidecar(b []byte) (scan, []byte, []point, error) {
	end := len(b) - crc32.Size
	if end < len(sidecarMagic) || string(b[:len(sidecarMagic)]) != sidecarMagic ||
		binary.BigEndian.Uint32(b[end:]) != crc32.Checksum(b[:end], castagnoli) {
		return scan{}, nil, nil, errSidecar
	}
	in := uvarints{b: b[len(sidecarMagic):end]}
	s := scan{off: in.next(), ended: in.next(), start: in.next(), cr: in.next() != 0}
	tail := in.bytes(in.next())
	if s.start > s.off || s.ended > s.off || int64(len(tail)) != min(s.off, tailLen) {
		return scan{}, nil, nil, errSidecar
	}
	var points []point
	for last := (point{}); len(in.b) > 0 && !in.bad; {
		p := point{off: last.off + in.next(), line: last.line + in.next()}
		if p.off <= last.off || p.line <= last.line || p.off > s.off || p.line > s.ended+1 {
			return scan{}, nil, nil, errSidecar
		}
		points, last = append(points, p), p
	}
	if in.bad {
		return scan{}, nil, nil, errSidecar
	}
	return s, tail, points, nil
}

// uvarints takes numbers off a slice; bad is set when it has no more.
type uvarints struct {
	b   []byte
	bad bool
}

func (u *uvarints) next() int64 {
	n, size := binary.Uvarint(u.b)
	if size <= 0 || n > math.MaxInt64/2 { // half: sums of two stay positive
		u.b, u.bad = nil, true
		return 0
	}
	u.b = u.b[size:]
	return int64(n)
}

func (u *uvarints) bytes(n int64) []byte {
	if n > int64(len(u.b)) {
		u.b, u.bad = nil, true
		return nil
	}
	out := u.b[:n:n]
	u.b = u.b[n:]
	return out
}

// save stores the index of a big log beside it, if it covers notably more than
// the stored one. A crash in between leaves a file that load refuses.
func (x *lineIndex) save(fs files, k key) error {
	x.mu.Lock()
	if x.scan.off-x.saved < sidecarMinBytes {
		x.mu.Unlock()
		return nil
	}
	data, covers := x.encodeLocked(), x.scan.off
	x.mu.Unlock()
	if len(data) > sidecarMaxBytes {
		return nil
	}
	f, err := fs.open(k.day, k.sidecarName(), forReplace)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.saved = max(x.saved, covers)
	return nil
}

// load takes the stored index if the index is still empty. A missing or
// damaged one is left alone: the next reader scans the log.
func (x *lineIndex) load(fs files, k key) {
	f, err := fs.open(k.day, k.sidecarName(), forRead)
	if err != nil {
		return
	}
	defer f.Close()
	size, err := f.size()
	if err != nil || size > sidecarMaxBytes {
		return
	}
	data := make([]byte, size)
	if _, err := f.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return
	}
	s, tail, points, err := decodeSidecar(data)
	if err != nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.scan.off == 0 {
		x.scan, x.tail, x.points, x.saved = s, tail, points, s.off
		x.count.Store(int32(len(points)))
	}
}

const (
	cachedIndexes = 256
	cachedPoints  = 512 << 10 // 8 MiB
)

// indexCache keeps the indexes of the logs used last.
type indexCache struct {
	mu     sync.Mutex
	recent *list.List // of *cachedIndex, most recent first
	byKey  map[key]*list.Element
}

type cachedIndex struct {
	key   key
	index *lineIndex
}

func newIndexCache() *indexCache {
	return &indexCache{recent: list.New(), byKey: make(map[key]*list.Element)}
}

// get returns the index of a log, a new one if none is kept.
func (c *indexCache) get(k key) *lineIndex {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byKey[k]; e != nil {
		c.recent.MoveToFront(e)
		return e.Value.(*cachedIndex).index
	}
	x := new(lineIndex)
	c.byKey[k] = c.recent.PushFront(&cachedIndex{key: k, index: x})
	c.trimLocked()
	return x
}

func (c *indexCache) trimLocked() {
	points := 0
	for e := c.recent.Front(); e != nil; e = e.Next() {
		points += int(e.Value.(*cachedIndex).index.count.Load())
	}
	for c.recent.Len() > cachedIndexes || points > cachedPoints && c.recent.Len() > 1 {
		last := c.recent.Back()
		old := last.Value.(*cachedIndex)
		points -= int(old.index.count.Load())
		delete(c.byKey, old.key)
		c.recent.Remove(last)
	}
}

// forget drops the indexes of a day.
func (c *indexCache) forget(d day) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, e := range c.byKey {
		if k.day == d {
			delete(c.byKey, k)
			c.recent.Remove(e)
		}
	}
}
