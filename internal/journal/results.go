package journal

import (
	"math/bits"
	"math/rand/v2"
	"sync"
)

const (
	// resultCost is the memory that a result takes besides its message: its
	// place in the ring and in the index, which are up to half empty.
	resultCost = 144
	// firstResults is how many results the ring of a new cache holds.
	firstResults = 64
)

// resultCache holds the latest results, up to a number of bytes. They lie in a
// ring, and an index with linear probing says where that of a trigger is.
type resultCache struct {
	limit int
	seed  [2]uint64

	mu         sync.Mutex
	used       int
	ring       []cached     // a power of two long
	head, tail uint64       // positions of the oldest and of the next one
	slots      []resultSlot // twice as long as the ring
}

// resultSlot is a hash in its upper half, so that a search need not look into
// the ring, and a place in the ring + 1 in its lower half; 0 is free.
type resultSlot uint64

func (s resultSlot) hash() uint32 { return uint32(s >> 32) }

// place is that in the ring, of a slot that is not free.
func (s resultSlot) place() uint64 { return uint64(uint32(s)) - 1 }

func slotOf(hash uint32, place uint64) resultSlot {
	return resultSlot(uint64(hash)<<32 | (place + 1))
}

type cached struct {
	id     ID
	result Result
}

func newResultCache(limit int) *resultCache {
	return &resultCache{
		limit: limit, seed: [2]uint64{rand.Uint64(), rand.Uint64()},
		ring: make([]cached, firstResults), slots: make([]resultSlot, 2*firstResults),
	}
}

// put keeps r. An older result of the same job and log id is no longer found.
func (c *resultCache) put(id ID, r Result) {
	cost := resultCost + len(r.Msg)
	if cost > c.limit {
		return
	}
	c.mu.Lock()
	for c.used+cost > c.limit {
		c.dropOldestLocked()
	}
	if c.tail-c.head == uint64(len(c.ring)) {
		c.growLocked()
	}
	place := c.tail & uint64(len(c.ring)-1)
	c.ring[place] = cached{id: id, result: r}
	hash := c.hash(id)
	c.slots[c.slotLocked(id, hash)] = slotOf(hash, place)
	c.tail++
	c.used += cost
	c.mu.Unlock()
}

// get returns the result of id or of a repeat of it. The trigger time tells
// two triggers of one job and log id apart; only the later one is found.
func (c *resultCache) get(id ID) (Finished, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	slot := c.slots[c.slotLocked(id, c.hash(id))]
	if slot == 0 || !sameTrigger(c.ring[slot.place()].id, id) {
		return Finished{}, false
	}
	found := &c.ring[slot.place()]
	return Finished{ID: found.id, Result: found.result}, true
}

// slotLocked returns the slot of the job and log id, or the free one where it
// belongs.
func (c *resultCache) slotLocked(id ID, hash uint32) int {
	at := c.home(hash)
	for ; c.slots[at] != 0; at = c.after(at) {
		if c.slots[at].hash() != hash {
			continue
		}
		if old := &c.ring[c.slots[at].place()].id; old.LogID == id.LogID && old.JobID == id.JobID {
			break
		}
	}
	return at
}

func (c *resultCache) dropOldestLocked() {
	place := c.head & uint64(len(c.ring)-1)
	old := &c.ring[place]
	// A later result of the same job and log id has taken its slot.
	hash := c.hash(old.id)
	if at := c.slotLocked(old.id, hash); c.slots[at] == slotOf(hash, place) {
		c.freeLocked(at)
	}
	c.used -= resultCost + len(old.result.Msg)
	old.result.Msg = ""
	c.head++
}

// freeLocked empties a slot and closes the hole, so that no search stops too
// early.
func (c *resultCache) freeLocked(at int) {
	for next := c.after(at); c.slots[next] != 0; next = c.after(next) {
		if home := c.home(c.slots[next].hash()); !between(at, home, next) {
			c.slots[at] = c.slots[next]
			at = next
		}
	}
	c.slots[at] = 0
}

// growLocked doubles the ring, which is full.
func (c *resultCache) growLocked() {
	old := c.ring
	c.ring, c.slots = make([]cached, 2*len(old)), make([]resultSlot, 4*len(old))
	for pos := c.head; pos < c.tail; pos++ {
		place := pos & uint64(len(c.ring)-1)
		c.ring[place] = old[pos&uint64(len(old)-1)]
		hash := c.hash(c.ring[place].id)
		c.slots[c.slotLocked(c.ring[place].id, hash)] = slotOf(hash, place)
	}
}

// hash is seeded, so that nobody can choose triggers that collide.
func (c *resultCache) hash(id ID) uint32 {
	a, b := bits.Mul64(uint64(id.LogID)^c.seed[0], uint64(uint32(id.JobID))^c.seed[1])
	return uint32((a ^ b) * 0x9E3779B97F4A7C15 >> 32)
}

func (c *resultCache) home(hash uint32) int { return int(hash) & (len(c.slots) - 1) }

func (c *resultCache) after(slot int) int { return (slot + 1) & (len(c.slots) - 1) }
