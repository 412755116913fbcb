package xxljob

// runQueue is the queue of a job thread: first in, first out, and it knows the
// log ids that wait in it.
type runQueue struct {
	runs []*Run
	head int
	ids  map[int64]struct{}
}

// len returns the number of waiting runs.
func (q *runQueue) len() int { return len(q.runs) - q.head }

// holds reports whether a run with this log id waits.
func (q *runQueue) holds(logID int64) bool {
	_, ok := q.ids[logID]
	return ok
}

// push adds run at the end.
func (q *runQueue) push(run *Run) {
	if q.ids == nil {
		q.ids = make(map[int64]struct{})
	}
	q.ids[run.LogID()] = struct{}{}
	q.runs = append(q.runs, run)
}

// pop removes the run that waits longest, or returns nil.
func (q *runQueue) pop() *Run {
	if q.len() == 0 {
		return nil
	}
	run := q.runs[q.head]
	q.runs[q.head] = nil
	q.head++
	delete(q.ids, run.LogID())
	q.shrink()
	return run
}

// shrink gives memory back: all of a large queue that has run empty, and the
// used-up half of one that has not.
func (q *runQueue) shrink() {
	const small = 64
	switch {
	case q.len() == 0 && len(q.runs) > small:
		*q = runQueue{}
	case q.len() == 0:
		q.runs, q.head = q.runs[:0], 0
	case q.head >= small && q.head*2 >= len(q.runs):
		n := copy(q.runs, q.runs[q.head:])
		clear(q.runs[n:])
		q.runs, q.head = q.runs[:n], 0
	}
}
