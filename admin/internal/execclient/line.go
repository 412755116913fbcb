package execclient

// line is what waits in a lane: triggers, and questions that somebody waits for
// with little time. They take turns, so that a question is answered in time also
// while a burst of triggers is going out, and neither keeps the other from its
// place. The zero value is empty.
type line struct {
	triggers, questions queue
	asked               bool // the last one was a question
}

func (l *line) len() int { return l.triggers.len() + l.questions.len() }

// of returns the queue that a call belongs to.
func (l *line) of(c *Call) *queue {
	if c.safe {
		return &l.questions
	}
	return &l.triggers
}

func (l *line) push(c *Call) { l.of(c).push(c) }

func (l *line) pushFront(c *Call) { l.of(c).pushFront(c) }

func (l *line) remove(c *Call) bool { return l.of(c).remove(c) }

// pop returns the next call, or nil.
func (l *line) pop() *Call {
	l.asked = l.questions.len() > 0 && (!l.asked || l.triggers.len() == 0)
	if l.asked {
		return l.questions.pop()
	}
	return l.triggers.pop()
}

// drain empties the line and gives its memory back.
func (l *line) drain() []*Call { return append(l.questions.drain(), l.triggers.drain()...) }
