//go:build linux

package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shards is the number of scheduling shards of a new database.
const shards = 16

// owned returns the shards of a node, by the process that runs there.
func (n *node) owned(t *testing.T) map[int32]bool {
	t.Helper()
	result, err := n.w.db.raw.QueryContext(t.Context(), "SELECT shard_index FROM xxljob_shard WHERE owner LIKE '%-"+
		fmt.Sprint(n.cmd.Process.Pid)+"-%'")
	require.NoError(t, err)
	defer result.Close()
	list := make(map[int32]bool)
	for result.Next() {
		var shard int32
		require.NoError(t, result.Scan(&shard))
		list[shard] = true
	}
	require.NoError(t, result.Err())
	return list
}

// waitShared blocks until every node holds its share.
func (w *world) waitShared(t *testing.T) {
	t.Helper()
	waitFor(t, startLimit, "shards are shared", func() bool {
		for _, n := range w.nodes {
			if len(n.owned(t)) != shards/len(w.nodes) {
				return false
			}
		}
		return true
	})
}

// incident is the loss of a node: its shards, and when.
type incident struct {
	what   string
	shards map[int32]bool
	at     time.Time
}

// takeover returns how long after the incident each job of the lost shards
// fired again, at the latest.
func (w *world) takeover(e *evidence, i incident) time.Duration {
	first := make(map[int32]time.Duration)
	for _, p := range w.jobs {
		if i.shards[p.id%shards] {
			first[p.id] = time.Hour
		}
	}
	for _, r := range e.records {
		after := time.Duration(r.at - i.at.UnixNano())
		if was, ok := first[r.job]; ok && r.kind == 'R' && after > 0 && after < was {
			first[r.job] = after
		}
	}
	longest := time.Duration(0)
	for _, d := range first {
		longest = max(longest, d)
	}
	return longest
}

// TestTwoNodes kills one of two nodes, and freezes one past its lease and wakes
// it, while the sends are counted at the executors: no instant is missed or
// doubled, none is given up, a node that wakes sends nothing that has been
// sent, and from the loss of a node to the next fire of its jobs it takes 5 s.
func TestTwoNodes(t *testing.T) {
	t.Parallel()
	for _, db := range []string{mysql, postgres} {
		t.Run(db, func(t *testing.T) {
			t.Parallel()
			twoNodes(t, db)
		})
	}
}

func twoNodes(t *testing.T, db string) {
	t.Helper()
	w := newWorld(t, newDatabase(t, db))
	for range 2 {
		w.newNode(t).start(t)
	}
	w.newExecutor(t, 2, -1)
	w.setUp(t, 2)
	w.waitShared(t)
	pass(t, 6*time.Second) // the second node hears of group and executors within 5 s
	w.addJobs(t, pick(48, 300), plain, 1)
	w.doubt() // what a node had on its way when it was lost
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	var incidents []incident
	var woken []time.Time
	for round := range pick(2, 12) {
		pass(t, time.Duration(2000+rng.IntN(1000))*time.Millisecond)
		n := w.nodes[round%2]
		i := incident{what: "kill", shards: n.owned(t), at: time.Now()}
		require.Len(t, i.shards, shards/2)
		if round%4 == 0 || round%4 == 3 {
			n.kill()
			pass(t, 6*time.Second)
			n.start(t)
		} else {
			i.what = "freeze"
			n.freeze(t)
			pass(t, 9*time.Second) // its lease has run out, and what was in doubt is settled
			woken = append(woken, time.Now())
			n.thaw(t)
		}
		incidents = append(incidents, i)
		w.waitShared(t)
	}
	pass(t, 3*time.Second)
	e := w.gather(t)
	prove(t, e)
	for _, i := range incidents {
		took := w.takeover(e, i)
		t.Logf("%s: all jobs of the node fired again after %v", i.what, took.Round(time.Millisecond))
		assert.LessOrEqual(t, took, inShort(5*time.Second), "from the %s of a node to the next fire of its jobs", i.what)
	}
	for _, at := range woken {
		assert.Empty(t, sentAgainAfter(e, at), "runs that a node sent again when it woke")
	}
}

// sentAgainAfter returns the log ids that were sent both before and within
// three seconds after an instant.
func sentAgainAfter(e *evidence, at time.Time) []int64 {
	before := make(map[int64]bool)
	var again []int64
	for _, r := range e.records {
		if r.kind == 'R' && r.at < at.UnixNano() {
			before[r.logID] = true
		}
	}
	for _, r := range e.records {
		after := time.Duration(r.at - at.UnixNano())
		if r.kind == 'R' && after >= 0 && after < 3*time.Second && before[r.logID] {
			again = append(again, r.logID)
		}
	}
	return again
}
