//go:build linux

package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestTimes measures what design 4.1 and 4.2 promise of times: the first fire
// at most 2 s after a start, none later than 1 s after a stop, and from the
// boot of an admin that was killed to the next fire at most 5 s. The checker
// knows the first two.
func TestTimes(t *testing.T) {
	t.Parallel()
	for _, db := range []string{sqlite, mysql, postgres} {
		t.Run(db, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, newDatabase(t, db))
			n := w.newNode(t)
			n.start(t)
			w.newExecutor(t, 1, -1)
			w.setUp(t, 1)
			w.addJobs(t, 16, plain, 1) // one for each shard
			var boots []time.Time
			for range pick(2, 10) {
				pass(t, 2*time.Second)
				boots = append(boots, n.crash(t, 0))
				pass(t, 10*time.Second) // what was in doubt is settled
			}
			e := w.gather(t)
			prove(t, e)
			for i, d := range firstFires(e, boots) {
				t.Logf("boot %d: first fire after %v, every job's after %v", i+1, d, w.allFired(e, boots[i]))
				assert.LessOrEqual(t, w.allFired(e, boots[i]), inShort(5*time.Second), "from a boot to the next fire of every job")
			}
			t.Logf("from a start to the first fire at most %v, from a stop to the last one at most %v",
				longestStart(e), lastAfter(e))
			assert.LessOrEqual(t, longestStart(e), inShort(2*time.Second), "from a start to the first fire")
			assert.LessOrEqual(t, lastAfter(e), time.Second, "from a stop to the last fire")
		})
	}
}

// allFired returns how long after an instant the last job fired for the first
// time.
func (w *world) allFired(e *evidence, at time.Time) time.Duration {
	every := incident{shards: make(map[int32]bool), at: at}
	for shard := range int32(shards) {
		every.shards[shard] = true
	}
	return w.takeover(e, every).Round(time.Millisecond)
}

// longestStart returns the longest time from the answer to a start to the
// arrival of the job's first trigger.
func longestStart(e *evidence) time.Duration {
	longest := time.Duration(0)
	for _, p := range e.jobs {
		started := (p.must.from - 2000) * int64(time.Millisecond)
		first := time.Hour
		for _, r := range e.records {
			if r.job == p.id && r.kind == 'R' {
				first = min(first, time.Duration(r.at-started))
			}
		}
		longest = max(longest, first)
	}
	return longest.Round(time.Millisecond)
}

// lastAfter returns the longest time from the answer to a stop to the arrival
// of the job's last trigger; below zero when it came before.
func lastAfter(e *evidence) time.Duration {
	longest := -time.Hour
	for _, p := range e.jobs {
		stopped := (p.may.to - 1000) * int64(time.Millisecond)
		for _, r := range e.records {
			if r.job == p.id && r.kind == 'R' {
				longest = max(longest, time.Duration(r.at-stopped))
			}
		}
	}
	return longest.Round(time.Millisecond)
}
