package journal

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"sync"
	"time"
	"unsafe"
)

// sameWithin is how far apart the trigger times of two repeats of one trigger
// may be, in milliseconds: some admins store them in whole seconds.
const sameWithin = 1000

const (
	chunkLen = 1024
	tables   = 256
	// bucketBits makes the times that fall into one hash bucket 2,048 ms wide,
	// so that all repeats of a trigger lie in at most two buckets.
	bucketBits = 11
)

// memory knows the triggers seen lately: always the last keep, and those
// younger than maxAge up to limit. It holds 20 bytes a trigger and 7 to 10
// bytes of index, in memory without pointers.
//
// Ages are measured on the up-time of the executor, which the caller hands in.
type memory struct {
	keep, limit int
	maxAge      time.Duration
	seed        [2]uint64

	mu     sync.Mutex
	chunks []*chunk // oldest first
	base   uint64   // position of the first entry of chunks[0]
	head   uint64   // position of the oldest entry that is still known
	tail   uint64   // position of the next entry
	index  [tables]table
	size   int // triggers in the index; forgotten ones leave a hole in the ring
}

// chunk is a stretch of the ring. Position p of the ring stands in entry
// p-base of the chunks.
type chunk struct {
	logIDs [chunkLen]int64
	ats    [chunkLen]int64
	jobs   [chunkLen]int32
	up     time.Duration         // up-time when the youngest entry was added
	gone   [chunkLen / 64]uint64 // a bit for each entry that is forgotten
}

// table is a hash table with linear probing, at most three quarters full.
type table struct {
	tags []uint8  // 0 is a free slot
	pos  []uint32 // the low half of a ring position
	n    int
}

func newMemory(keep, limit int, maxAge time.Duration) *memory {
	return &memory{
		keep: keep, limit: max(limit, keep), maxAge: maxAge,
		seed: [2]uint64{rand.Uint64(), rand.Uint64() | 1},
	}
}

// known reports whether id, or a repeat of it, was added and is not forgotten.
func (m *memory) known(id ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.findLocked(id)
	return ok
}

// add remembers id as seen at up-time up. What is known already stays as it is.
func (m *memory) add(id ID, up time.Duration) {
	m.mu.Lock()
	m.addLocked(id, up)
	m.mu.Unlock()
}

// addAll remembers ids in their order, and returns the position after them.
func (m *memory) addAll(ids []ID, up time.Duration) (end uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		m.addLocked(id, up)
	}
	return m.tail
}

func (m *memory) addLocked(id ID, up time.Duration) {
	if _, ok := m.findLocked(id); ok {
		return
	}
	if m.tail == m.base+uint64(len(m.chunks))*chunkLen {
		m.chunks = append(m.chunks, new(chunk))
	}
	c, i := m.entry(m.tail)
	c.logIDs[i], c.ats[i], c.jobs[i] = id.LogID, id.At, id.JobID
	c.up = max(c.up, up)
	hash := m.hash(id, bucket(id.At))
	t := &m.index[hash>>56]
	if (t.n+1)*4 > len(t.tags)*3 {
		m.growLocked(t)
	}
	t.insert(hash, uint32(m.tail))
	m.tail++
	m.size++
	m.expireLocked(up)
}

// forget removes id, as if it had not been added, and returns where it stood.
func (m *memory) forget(id ID) (pos uint64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if pos, ok = m.findLocked(id); ok {
		m.unindexLocked(pos)
		c, i := m.entry(pos)
		c.gone[i/64] |= 1 << (i % 64)
	}
	return pos, ok
}

// len returns how many triggers are known.
func (m *memory) len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.size
}

// oldest returns the position of the oldest trigger that is still known.
func (m *memory) oldest() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.head
}

// expire drops all that is too old at up-time up.
func (m *memory) expire(up time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		before := m.head
		if m.expireLocked(up); m.head == before {
			return
		}
	}
}

// expireLocked drops a few of the oldest entries if they are too many or too
// old; more than one, so that an overhang shrinks.
func (m *memory) expireLocked(up time.Duration) {
	for range 4 {
		n := int(m.tail - m.head)
		if n <= m.keep {
			return
		}
		if c, _ := m.entry(m.head); n <= m.limit && up-c.up <= m.maxAge {
			return
		}
		m.unindexLocked(m.head)
		m.head++
		if m.head == m.base+chunkLen {
			m.chunks[0] = nil
			m.chunks = m.chunks[1:]
			m.base += chunkLen
		}
	}
}

func (m *memory) entry(pos uint64) (*chunk, int) {
	off := pos - m.base
	return m.chunks[off/chunkLen], int(off % chunkLen)
}

func (m *memory) idAt(pos uint64) ID {
	c, i := m.entry(pos)
	return ID{JobID: c.jobs[i], LogID: c.logIDs[i], At: c.ats[i]}
}

// position widens what a table holds to a ring position.
func (m *memory) position(low uint32) uint64 { return m.head + uint64(low-uint32(m.head)) }

func (m *memory) findLocked(id ID) (uint64, bool) {
	low, high := id.At-sameWithin, id.At+sameWithin
	if low > id.At {
		low = math.MinInt64
	}
	if high < id.At {
		high = math.MaxInt64
	}
	if pos, ok := m.probeLocked(id, bucket(low)); ok {
		return pos, true
	}
	if bucket(high) == bucket(low) {
		return 0, false
	}
	return m.probeLocked(id, bucket(high))
}

func (m *memory) probeLocked(id ID, b int64) (uint64, bool) {
	hash := m.hash(id, b)
	t := &m.index[hash>>56]
	if t.n == 0 {
		return 0, false
	}
	for slot := t.home(hash); t.tags[slot] != 0; slot = t.after(slot) {
		if t.tags[slot] != tag(hash) {
			continue
		}
		pos := m.position(t.pos[slot])
		if sameTrigger(m.idAt(pos), id) {
			return pos, true
		}
	}
	return 0, false
}

// goneLocked reports whether the entry at pos is forgotten.
func (m *memory) goneLocked(pos uint64) bool {
	c, i := m.entry(pos)
	return c.gone[i/64]&(1<<(i%64)) != 0
}

// unindexLocked takes the entry at pos out of the index, if it is in there.
func (m *memory) unindexLocked(pos uint64) {
	if m.goneLocked(pos) {
		return
	}
	hash := m.hashAt(pos)
	t := &m.index[hash>>56]
	if t.n == 0 {
		return
	}
	slot := t.home(hash)
	for t.tags[slot] != 0 && t.pos[slot] != uint32(pos) {
		slot = t.after(slot)
	}
	if t.tags[slot] == 0 {
		return
	}
	// Close the hole, so that no search stops too early.
	for next := t.after(slot); t.tags[next] != 0; next = t.after(next) {
		home := t.home(m.hashAt(m.position(t.pos[next])))
		if between(slot, home, next) {
			continue
		}
		t.tags[slot], t.pos[slot] = t.tags[next], t.pos[next]
		slot = next
	}
	t.tags[slot] = 0
	t.n--
	m.size--
}

// between reports whether home lies behind hole and not behind slot, going
// round the table.
func between(hole, home, slot int) bool {
	if hole <= slot {
		return hole < home && home <= slot
	}
	return hole < home || home <= slot
}

func (m *memory) growLocked(t *table) {
	old := *t
	size := max(16, len(old.tags)*3/2)
	*t = table{tags: make([]uint8, size), pos: make([]uint32, size)}
	for slot, used := range old.tags {
		if used != 0 {
			t.insert(m.hashAt(m.position(old.pos[slot])), old.pos[slot])
		}
	}
}

func (m *memory) hashAt(pos uint64) uint64 {
	id := m.idAt(pos)
	return m.hash(id, bucket(id.At))
}

// hash is seeded, so that nobody can choose identities that collide.
func (m *memory) hash(id ID, bucket int64) uint64 {
	a, b := bits.Mul64(uint64(id.LogID)^m.seed[0], uint64(bucket)^m.seed[1])
	c, d := bits.Mul64(a^b^uint64(uint32(id.JobID)), 0x9E3779B97F4A7C15^m.seed[0])
	return c ^ d
}

func (t *table) home(hash uint64) int {
	return int(hash & math.MaxUint32 * uint64(len(t.tags)) >> 32)
}

func (t *table) after(slot int) int {
	if slot++; slot == len(t.tags) {
		return 0
	}
	return slot
}

func (t *table) insert(hash uint64, pos uint32) {
	slot := t.home(hash)
	for t.tags[slot] != 0 {
		slot = t.after(slot)
	}
	t.tags[slot], t.pos[slot] = tag(hash), pos
	t.n++
}

func tag(hash uint64) uint8 { return max(1, uint8(hash>>48)) }

func bucket(at int64) int64 { return at >> bucketBits }

// sameTrigger reports whether a and b are one trigger, sent twice.
func sameTrigger(a, b ID) bool {
	if a.JobID != b.JobID || a.LogID != b.LogID {
		return false
	}
	if a.At < b.At {
		a, b = b, a
	}
	return uint64(a.At)-uint64(b.At) <= sameWithin
}

// bytes returns the memory in use.
func (m *memory) bytes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.chunks) * int(unsafe.Sizeof(chunk{}))
	for i := range m.index {
		n += 5 * len(m.index[i].tags)
	}
	return n
}

// end returns the position after the last trigger that was added.
func (m *memory) end() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tail
}

// stretch appends to dst the triggers that are known among those from position
// from to position to, at most 256, and their age. It returns the position
// that it has come to.
func (m *memory) stretch(dst []ID, from, to uint64) (ids []ID, up time.Duration, next uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if from = max(from, m.head); from >= to {
		return dst, 0, to
	}
	to = min(to, (from/rememberBlock+1)*rememberBlock)
	c, _ := m.entry(from) // chunks begin at multiples of the block
	for pos := from; pos < to; pos++ {
		if !m.goneLocked(pos) {
			dst = append(dst, m.idAt(pos))
		}
	}
	return dst, c.up, to
}
