package journal

import (
	"math/bits"
	"math/rand/v2"
	"sync"
)

const (
	// resultCost is the memory that a result takes besides its message: its
	// place in the ring and in the index, which are up to half empty.
	resultCost = 128
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
	ring       []cached // a power of two long
	head, tail uint64   // positions of the oldest and of the next one
	slots      []uint32 // place in the ring + 1, 0 is free; twice as long as the ring
}

type cached struct {
	id     ID
	result Result
}

func newResultCache(limit int) *resultCache {
	return &resultCache{
		limit: limit, seed: [2]uint64{rand.Uint64(), rand.Uint64()},
		ring: make([]cached, firstResults), slots: make([]uint32, 2*firstResults),
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
	c.slots[c.slotLocked(id)] = uint32(place) + 1
	c.tail++
	c.used += cost
	c.mu.Unlock()
}

// get returns the result of id or of a repeat of it. The trigger time tells
// two triggers of one job and log id apart; only the later one is found.
func (c *resultCache) get(id ID) (Result, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.slots[c.slotLocked(id)]
	if at == 0 || !sameTrigger(c.ring[at-1].id, id) {
		return Result{}, false
	}
	return c.ring[at-1].result, true
}

// slotLocked returns the slot of the job and log id, or the free one where it
// belongs.
func (c *resultCache) slotLocked(id ID) int {
	slot := c.home(id)
	for c.slots[slot] != 0 {
		if old := &c.ring[c.slots[slot]-1].id; old.LogID == id.LogID && old.JobID == id.JobID {
			break
		}
		slot = c.after(slot)
	}
	return slot
}

func (c *resultCache) dropOldestLocked() {
	place := c.head & uint64(len(c.ring)-1)
	old := &c.ring[place]
	// A later result of the same job and log id has taken its slot.
	if slot := c.slotLocked(old.id); c.slots[slot] == uint32(place)+1 {
		c.freeLocked(slot)
	}
	c.used -= resultCost + len(old.result.Msg)
	old.result.Msg = ""
	c.head++
}

// freeLocked empties a slot and closes the hole, so that no search stops too
// early.
func (c *resultCache) freeLocked(slot int) {
	for next := c.after(slot); c.slots[next] != 0; next = c.after(next) {
		if home := c.home(c.ring[c.slots[next]-1].id); !between(slot, home, next) {
			c.slots[slot] = c.slots[next]
			slot = next
		}
	}
	c.slots[slot] = 0
}

// growLocked doubles the ring, which is full.
func (c *resultCache) growLocked() {
	old := c.ring
	c.ring, c.slots = make([]cached, 2*len(old)), make([]uint32, 4*len(old))
	for pos := c.head; pos < c.tail; pos++ {
		place := pos & uint64(len(c.ring)-1)
		c.ring[place] = old[pos&uint64(len(old)-1)]
		c.slots[c.slotLocked(c.ring[place].id)] = uint32(place) + 1
	}
}

// home is seeded, so that nobody can choose triggers that collide.
func (c *resultCache) home(id ID) int {
	a, b := bits.Mul64(uint64(id.LogID)^c.seed[0], uint64(uint32(id.JobID))^c.seed[1])
	return int((a^b)*0x9E3779B97F4A7C15>>32) & (len(c.slots) - 1)
}

func (c *resultCache) after(slot int) int { return (slot + 1) & (len(c.slots) - 1) }
