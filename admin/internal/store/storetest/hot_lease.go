package storetest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

func hotLease(t *testing.T, f *fixture) {
	n, err := f.InitShards(t.Context(), 4)
	require.NoError(t, err)
	assert.EqualValues(t, 4, n)
	view, err := f.Renew(t.Context(), "a", ttl)
	require.NoError(t, err)
	seen, err := f.Leases(t.Context())
	require.NoError(t, err)
	assert.Equal(t, view.Nodes, seen.Nodes)
	assert.Equal(t, view.Shards, seen.Shards)
	assert.GreaterOrEqual(t, seen.NowMs, view.NowMs)
	require.NoError(t, err)
	require.Len(t, view.Shards, 4)
	require.Len(t, view.Nodes, 1)
	assert.Equal(t, "a", view.Nodes[0].Name)
	assert.InDelta(t, view.NowMs, view.Nodes[0].SeenMs, 60_000)
	assert.LessOrEqual(t, view.Nodes[0].SeenMs, view.NowMs)
	first := view.Shards[1].Token
	assert.Positive(t, first)

	won, err := f.Acquire(t.Context(), "a", []int32{1, 0, 1}, ttl)
	require.NoError(t, err)
	require.Len(t, won, 2)
	assert.Equal(t, store.LeaseShard{
		Index: 1, Owner: "a", Token: first + 1, ExpiresMs: won[1].ExpiresMs, PrevExpiresMs: 0,
	}, won[1])
	assert.InDelta(t, f.now(t)+ttl.Milliseconds(), won[1].ExpiresMs, 60_000)
	won, err = f.Acquire(t.Context(), "b", []int32{1, 2}, ttl)
	require.NoError(t, err)
	require.Len(t, won, 1, "1 is held by a")
	assert.EqualValues(t, 2, won[0].Index)

	n, err = f.InitShards(t.Context(), 8)
	require.NoError(t, err)
	assert.EqualValues(t, 4, n, "not while leases are held")
	hotLeaseExpiry(t, f, first)

	require.NoError(t, f.Leave(t.Context(), "b"))
	require.NoError(t, f.Leave(t.Context(), "a"))
	n, err = f.InitShards(t.Context(), 6)
	require.NoError(t, err)
	assert.EqualValues(t, 6, n)
	n, err = f.InitShards(t.Context(), 2)
	require.NoError(t, err)
	assert.EqualValues(t, 2, n)
	view, err = f.Renew(t.Context(), "c", ttl)
	require.NoError(t, err)
	assert.Len(t, view.Shards, 2)
	assert.Len(t, view.Nodes, 1)

	// A node that has been gone for long is forgotten.
	f.exec(t, "INSERT INTO xxljob_node (name, seen_ms) VALUES ('old', ?)", view.NowMs-time.Hour.Milliseconds())
	_, err = f.Renew(t.Context(), "c", ttl)
	require.NoError(t, err)
	view, err = f.Renew(t.Context(), "c", ttl)
	require.NoError(t, err)
	assert.Len(t, view.Nodes, 1)
	require.NoError(t, f.Leave(t.Context(), "c"))
}

// hotLeaseExpiry: what counts is the clock of the database.
func hotLeaseExpiry(t *testing.T, f *fixture, first int64) {
	past := f.now(t) - 5
	f.exec(t, "UPDATE xxljob_shard SET expires_ms = ? WHERE shard_index = 1", past)
	view, err := f.Renew(t.Context(), "a", 2*ttl)
	require.NoError(t, err)
	assert.Equal(t, past, view.Shards[1].ExpiresMs, "what has expired is not renewed")
	assert.InDelta(t, view.NowMs+2*ttl.Milliseconds(), view.Shards[0].ExpiresMs, 60_000)
	won, err := f.Acquire(t.Context(), "b", []int32{0, 1, 3}, ttl)
	require.NoError(t, err)
	require.Len(t, won, 2)
	assert.EqualValues(t, 1, won[0].Index)
	assert.Equal(t, first+2, won[0].Token)
	assert.Equal(t, past, won[0].PrevExpiresMs)

	require.NoError(t, f.Release(t.Context(), "b", []int32{0, 3}))
	view, err = f.Renew(t.Context(), "b", ttl)
	require.NoError(t, err)
	owners := make([]string, 0, 4)
	for _, sh := range view.Shards {
		owners = append(owners, sh.Owner)
	}
	assert.Equal(t, []string{"a", "b", "b", ""}, owners, "0 is not b's to give back")
	assert.InDelta(t, view.NowMs, view.Shards[3].ExpiresMs, 60_000, "its lease has ended just now")
	won, err = f.Acquire(t.Context(), "a", []int32{3}, ttl)
	require.NoError(t, err)
	require.Len(t, won, 1)
	assert.Equal(t, view.Shards[3].ExpiresMs, won[0].PrevExpiresMs)
}

// hotConcurrent plans, finishes, stops, starts and renews at the same time, and
// then counts: no instant is lost or doubled, every result is stored.
func hotConcurrent(t *testing.T, f *fixture) {
	const jobs, rounds = 40, 12
	fence := f.lease(t, node)
	list := f.addJobs(t, jobs, base)
	ended := make(chan []*model.Run, rounds)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(ended)
		for round := range rounds {
			bound := base.UnixMilli() + int64(round)*10_000
			for more := true; more; {
				var got store.PlanResult
				var err error
				more, err = f.Plan(t.Context(), fence, bound, 15, each(&got))
				if !assert.NoError(t, err) {
					return
				}
				ended <- got.Runs
			}
		}
	})
	stored := make(map[int64]bool)
	wg.Go(func() {
		for runs := range ended {
			outs := make([]*model.Outcome, 0, 2*len(runs))
			for _, r := range runs {
				outs = append(outs, accepted(r.LogID), result(r.LogID, 200, "ok"))
				assert.False(t, stored[r.LogID])
				stored[r.LogID] = true
			}
			for i := 0; i < len(outs); i += 8 {
				_, err := f.Finish(t.Context(), outs[i:min(i+8, len(outs))], nothing)
				assert.NoError(t, err)
			}
		}
	})
	wg.Go(func() { // one job is stopped and started again and again
		id := list[0].ID
		for range 2 * rounds {
			assert.NoError(t, f.SetRunning(t.Context(), id, false, 0))
			assert.NoError(t, f.SetRunning(t.Context(), id, true, base.Add(time.Hour).UnixMilli()))
			_, err := f.Renew(t.Context(), node, ttl)
			assert.NoError(t, err)
		}
	})
	wg.Wait()
	assert.Empty(t, f.open(t))
	for _, j := range list[1:] {
		n := f.number(t, "SELECT COUNT(*) FROM xxl_job_log WHERE job_id = ? AND handle_code = 200", j.ID)
		assert.EqualValues(t, rounds, n, "job %d", j.ID)
		now, err := f.Job(t.Context(), j.ID)
		require.NoError(t, err)
		assert.Equal(t, base.UnixMilli()+rounds*10_000, now.NextMs)
	}
	assert.EqualValues(t, len(stored), f.number(t, "SELECT COUNT(*) FROM xxl_job_log"))
	if f.info.MadeByUs {
		d := f.day(t)
		assert.Equal(t, [3]int{0, len(stored), 0}, [3]int{d.Running, d.Success, d.Failed})
	}
	f.wipe(t)
}
