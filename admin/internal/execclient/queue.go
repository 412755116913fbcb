package execclient

// queue is a first-in-first-out queue of calls that can also take one back at
// its front. The zero value is empty.
type queue struct {
	ring []*Call // its length is a power of two
	head int
	n    int
}

func (q *queue) len() int { return q.n }

// at returns the call at place i, 0 being the next one.
func (q *queue) at(i int) **Call { return &q.ring[(q.head+i)&(len(q.ring)-1)] }

func (q *queue) push(c *Call) {
	q.grow()
	q.n++
	*q.at(q.n - 1) = c
}

func (q *queue) pushFront(c *Call) {
	q.grow()
	q.head = (q.head - 1) & (len(q.ring) - 1)
	q.n++
	*q.at(0) = c
}

// pop returns the next call, or nil.
func (q *queue) pop() *Call {
	if q.n == 0 {
		return nil
	}
	place := q.at(0)
	c := *place
	*place = nil
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	return c
}

// remove takes c out, wherever it is, and reports whether it was there.
func (q *queue) remove(c *Call) bool {
	for i := range q.n {
		if *q.at(i) != c {
			continue
		}
		for ; i < q.n-1; i++ {
			*q.at(i) = *q.at(i + 1)
		}
		*q.at(q.n - 1) = nil
		q.n--
		return true
	}
	return false
}

// drain empties the queue and gives its memory back.
func (q *queue) drain() []*Call {
	calls := make([]*Call, 0, q.n)
	for c := q.pop(); c != nil; c = q.pop() {
		calls = append(calls, c)
	}
	*q = queue{}
	return calls
}

func (q *queue) grow() {
	if q.n < len(q.ring) {
		return
	}
	ring := make([]*Call, max(16, 2*len(q.ring)))
	for i := range q.n {
		ring[i] = *q.at(i)
	}
	q.ring, q.head = ring, 0
}
