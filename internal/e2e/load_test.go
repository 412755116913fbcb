//go:build linux

package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestManyTriggersOfOneJob queues 5,000 triggers on one job.
func TestManyTriggersOfOneJob(t *testing.T) {
	t.Parallel()
	const count = 5000
	a, l := newAdmin(t), newLedger(t)
	p := start(t, setup{Admin: a.url()})
	before := p.residentBytes(t)
	first := l.mustSend(t, p.client, trigger(1, "sleep", "60000")) // holds the queue up
	begin := time.Now()
	var sentInOrder []int64
	for range count {
		tr := l.mustSend(t, p.client, trigger(1, "sleep", "0"))
		sentInOrder = append(sentInOrder, tr.LogID)
	}
	queued := time.Since(begin)
	grown := p.residentBytes(t) - before
	assert.False(t, p.idle(1))
	page, err := p.log(first, 1)
	require.NoError(t, err)
	assert.False(t, page.IsEnd)
	_, ended := a.result(sentInOrder[0])
	require.False(t, ended, "the queue is not first in, first out")
	res, err := p.killJob(1)
	require.NoError(t, err)
	require.Equal(t, wire.CodeSuccess, res.Code)
	l.waitDelivered(t, time.Minute, a)
	item, _ := a.result(sentInOrder[count-1])
	assert.Equal(t, wire.ReasonKilled+wire.SuffixQueued, item.Msg.String)
	for range 100 { // and in order
		l.mustSend(t, p.client, trigger(1, "mark", l.marks))
	}
	l.waitDelivered(t, time.Minute, a)
	l.check(t, a)
	assert.IsIncreasing(t, l.history(t, a).marks)
	assert.Less(t, grown, int64(64<<20), "memory of 5,000 waiting triggers")
	t.Logf("%d triggers queued in %v, %d KiB of memory more; %s", count, queued.Round(time.Millisecond), grown>>10, l.figures(a))
}

// TestQueueLimitRefusesVisibly sends more triggers than a queue takes.
func TestQueueLimitRefusesVisibly(t *testing.T) {
	t.Parallel()
	const limit = 10_000 // Config.MaxQueuePerJob of the kitchensink
	a, l := newAdmin(t), newLedger(t)
	p := start(t, setup{Admin: a.url()})
	l.mustSend(t, p.client, trigger(1, "sleep", "600000"))
	refusals := 0
	for range limit + 50 {
		res, err := l.send(p.client, trigger(1, "sleep", "0"))
		require.NoError(t, err)
		if res.Code != wire.CodeSuccess {
			assert.Contains(t, res.Msg.String, "10000")
			assert.Contains(t, res.Msg.String, "MaxQueuePerJob")
			refusals++
		}
	}
	assert.Equal(t, 50, refusals)
	_, err := p.killJob(1)
	require.NoError(t, err)
	l.waitDelivered(t, time.Minute, a)
	l.check(t, a)
}

// TestManyJobsAtOnce runs 1,000 jobs at one time.
func TestManyJobsAtOnce(t *testing.T) {
	t.Parallel()
	const jobs = 1000
	a, l := newAdmin(t), newLedger(t)
	p := start(t, setup{Admin: a.url()})
	begin := time.Now()
	l.sendMany(t, p.client, jobs, jobs, "sleep", "8000")
	accepted := time.Since(begin)
	require.Less(t, accepted, 8*time.Second, "too slow to have all of them running at one time")
	l.waitDelivered(t, time.Minute, a)
	took := a.last().Sub(begin)
	assert.Less(t, took, accepted+15*time.Second, "jobs waited for one another")
	l.check(t, a)
	for _, s := range l.history(t, a).sent {
		item, _ := a.result(s.logID)
		assert.Equal(t, "slept", item.Msg.String)
	}
	t.Logf("%d jobs accepted in %v, all reported after %v", jobs, accepted.Round(time.Millisecond), took.Round(time.Millisecond))
}
