//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestLedger(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_800_000_000, 0)
	l := newLedger(start, 12, 2)
	at := func(job, round int, late time.Duration) {
		l.fire(job, start.Add(time.Duration(round)*period+time.Duration(job%10)*time.Second+late))
	}
	for job := range 12 {
		at(job, 0, 5*time.Millisecond)
	}
	at(3, 0, 700*time.Millisecond) // a second time
	at(4, 1, -15*time.Millisecond) // early, as its executor's clock sees it
	at(5, 1, 9*time.Second)        // very late
	at(6, -1, 0)                   // of before the window
	at(6, 2, 0)                    // of after it
	l.fire(12, start)              // no job of ours
	l.fire(-1, start)

	fired, missed, doubled := l.totals()
	assert.Equal(t, []int{14, 10, 1}, []int{fired, missed, doubled})
	assert.EqualValues(t, 2, l.alien.Load())
	assert.Equal(t, 9*time.Second+step, l.late.quantile(1))
	assert.Equal(t, 5*time.Millisecond+step, l.late.quantile(.5))
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	var h histogram
	assert.Zero(t, h.quantile(.5))
	for i := range 100 {
		h.add(time.Duration(i) * time.Millisecond)
	}
	assert.Equal(t, 50*time.Millisecond+step, h.quantile(.5))
	assert.Equal(t, 99*time.Millisecond+step, h.quantile(.99))
	h.add(time.Hour)
	h.add(-time.Hour)
	assert.Equal(t, time.Minute, h.quantile(1), "the last step holds all that is longer")
}

// TestNumber reads numbers as they are written.
func TestNumber(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Int64Min(0).Draw(t, "n")
		body := appendResults(nil, []result{{logID: want, logTime: 1}, {logID: 2}})
		got, ok := number(body, logKey)
		assert.True(t, ok)
		assert.Equal(t, want, got)
	})
	_, ok := number([]byte(`{"executorParams":"","logId":x}`), logKey)
	assert.False(t, ok)
	_, ok = number([]byte(`{}`), logKey)
	assert.False(t, ok)
}
