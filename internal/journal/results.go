package journal

import "sync"

// resultCost is the memory that a result takes besides its message, roughly.
const resultCost = 160

// resultCache holds the latest results, up to a number of bytes.
type resultCache struct {
	limit int

	mu    sync.Mutex
	used  int
	at    map[resultKey]uint64 // position in the queue
	queue []cached             // oldest first, from head on
	head  int
	base  uint64 // position of queue[0]
}

// resultKey is made of a job and a log id. Two triggers with one key are told
// apart when they are looked up; the later one wins.
type resultKey uint64

func keyOf(id ID) resultKey {
	return resultKey(uint64(id.LogID) ^ uint64(uint32(id.JobID))*0x9E3779B97F4A7C15)
}

type cached struct {
	id     ID
	result Result
}

func newResultCache(limit int) *resultCache {
	return &resultCache{limit: limit, at: make(map[resultKey]uint64)}
}

// put keeps r. An older result of the same job and log id is no longer found.
func (c *resultCache) put(id ID, r Result) {
	cost := resultCost + len(r.Msg)
	if cost > c.limit {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at[keyOf(id)] = c.base + uint64(len(c.queue))
	c.queue = append(c.queue, cached{id: id, result: r})
	c.used += cost
	for c.used > c.limit {
		c.dropOldestLocked()
	}
}

func (c *resultCache) dropOldestLocked() {
	old := &c.queue[c.head]
	key := keyOf(old.id)
	if c.at[key] == c.base+uint64(c.head) {
		delete(c.at, key)
	}
	c.used -= resultCost + len(old.result.Msg)
	*old = cached{}
	c.head++
	if c.head >= 1024 && c.head*2 >= len(c.queue) {
		n := copy(c.queue, c.queue[c.head:])
		clear(c.queue[n:])
		c.queue = c.queue[:n]
		c.base += uint64(c.head)
		c.head = 0
	}
}

func (c *resultCache) get(id ID) (Result, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pos, ok := c.at[keyOf(id)]
	if !ok {
		return Result{}, false
	}
	found := c.queue[pos-c.base]
	if !sameTrigger(found.id, id) {
		return Result{}, false
	}
	return found.result, true
}
