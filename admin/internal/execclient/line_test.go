package execclient

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLine: questions and triggers take turns, each kind in the order in which
// it came.
func TestLine(t *testing.T) {
	t.Parallel()
	var l line
	var triggers, questions []*Call
	for range 5 {
		triggers = append(triggers, &Call{})
		l.push(triggers[len(triggers)-1])
	}
	for range 3 {
		questions = append(questions, &Call{safe: true})
		l.push(questions[len(questions)-1])
	}
	assert.Equal(t, 8, l.len())
	back := &Call{}
	l.pushFront(back)
	assert.True(t, l.remove(questions[1]))
	assert.False(t, l.remove(questions[1]))
	var got []*Call
	for c := l.pop(); c != nil; c = l.pop() {
		got = append(got, c)
	}
	want := []*Call{questions[0], back, questions[2], triggers[0], triggers[1], triggers[2], triggers[3], triggers[4]}
	assert.Len(t, got, len(want))
	for i := range want {
		assert.Same(t, want[i], got[i], "place %d", i)
	}

	l.push(questions[0])
	l.push(triggers[0])
	assert.Same(t, questions[0], l.pop(), "a trigger was last")
	l.push(questions[1])
	assert.Same(t, triggers[0], l.pop(), "a question was last")
	l.push(triggers[1])
	assert.Len(t, l.drain(), 2)
	assert.Zero(t, l.len())
}
