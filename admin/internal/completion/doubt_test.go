package completion

import (
	"context"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// timed is a result as the interfaces give it.
func timed(id int64, code int32) *model.Outcome {
	out := result(id, code, "x")
	out.Handle.AtMs = time.Now().UnixMilli()
	return out
}

func (w *world) endings() (ids []int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.ended {
		ids = append(ids, e.Outcome.LogID)
	}
	return ids
}

// TestWhatAnUnknownAttemptHasStored has a transaction carried out of which
// nobody is told: the end is told once, and what follows is sent.
func TestWhatAnUnknownAttemptHasStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1, 2, 3)
		w.store.set(func() {
			w.store.after = store.ErrUnknownOutcome
			w.store.jobs[1].Children = model.T("9")
			w.store.jobs[9] = &model.Job{ID: 9}
			w.store.runs[2].RetriesLeft = 1
			w.store.runs[3].RetriesLeft = 1
		})
		begin := time.Now()
		w.Trigger(refusal(3))
		require.NoError(t, w.Results(t.Context(), []*model.Outcome{timed(1, 200), timed(2, 500)}))
		synctest.Wait()
		assert.ElementsMatch(t, []int64{1, 2, 3}, w.endings())
		items := w.items()
		require.Len(t, items, 3)
		for _, it := range items {
			assert.NotZero(t, it.Run.LogID)
			assert.Zero(t, it.Run.Token, "made here, without a lease")
			assert.False(t, it.Settle)
			assert.Equal(t, begin.Add(batchWait), it.Since, "others may have taken it over since the first attempt")
			switch it.Run.Type {
			case model.TriggerRetry:
				assert.Equal(t, int32(1), it.Job.ID)
				assert.WithinDuration(t, begin.Add(3*time.Second), it.Due, time.Second)
			default:
				assert.Equal(t, int32(9), it.Job.ID)
				assert.False(t, it.Due.After(time.Now()))
			}
		}
		wait(time.Minute)
		assert.Len(t, w.items(), 3)
		assert.Len(t, w.endings(), 3)
		w.stop()
		assert.Empty(t, w.doubt)
		assert.Empty(t, w.missing)
	})
}

// TestWhatAnUnknownAttemptHasNotStored has the transaction not carried out, or
// something else that is on record.
func TestWhatAnUnknownAttemptHasNotStored(t *testing.T) {
	tests := map[string]struct {
		change func(p *played)
		ended  int
		items  int
	}{
		"not carried out": {func(p *played) { p.after, p.fault = nil, errAway }, 1, 1},
		"another node was told another result": {func(p *played) {
			p.after = nil
			p.fault = errAway
			delete(p.runs, 1)
			other := timed(1, 500)
			other.Handle.AtMs += 4000
			p.ended[1] = &store.Ending{Outcome: other}
		}, 0, 0},
		"the log is gone": {func(p *played) {
			p.fault, p.after = errAway, nil
			delete(p.runs, 1)
		}, 0, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.open(1)
				w.store.set(func() { w.store.runs[1].RetriesLeft = 1; w.store.lose = true })
				var wg sync.WaitGroup
				wg.Go(func() { assert.NoError(t, w.Results(t.Context(), []*model.Outcome{timed(1, 500)})) })
				wait(100 * time.Millisecond)
				assert.Len(t, w.batches(), 1)
				w.store.set(func() { tt.change(w.store) })
				wait(5 * time.Second)
				w.store.set(func() { w.store.fault = nil })
				wg.Wait()
				wait(time.Second)
				assert.Len(t, w.endings(), tt.ended)
				assert.Len(t, w.items(), tt.items)
				w.stop()
				assert.Empty(t, w.doubt)
				assert.Empty(t, w.missing)
			})
		})
	}
}

// TestHalfStored has the store divide a batch, and fail at the second part.
func TestHalfStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1, 2, 3, 4)
		w.store.set(func() {
			w.store.halves, w.store.cut, w.store.blind = true, true, 3
			for _, r := range w.store.runs {
				r.RetriesLeft = 1
			}
		})
		outs := []*model.Outcome{timed(1, 500), timed(2, 500), timed(3, 500), timed(4, 500)}
		require.NoError(t, w.Results(t.Context(), outs))
		assert.ElementsMatch(t, []int64{1, 2, 3, 4}, w.endings())
		wait(5 * time.Second)
		ids := make(map[int64]bool)
		for _, it := range w.items() {
			ids[it.Run.LogID] = true
		}
		assert.Len(t, ids, 4, "each once, also when the database does not answer the search at once")
		assert.Len(t, w.items(), 4)
	})
}

// TestOnlyWhatIsMissing has runs on record that look alike.
func TestOnlyWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1)
		w.known[501] = true
		w.Writer.pending[502] = 1                                                   // its answer is not stored yet
		second := time.Now().Truncate(time.Second).Add(3 * time.Second).UnixMilli() // when the retry is due
		alike := func(id int64, change func(r *model.Run)) {
			r := &model.Run{
				LogID: id, JobID: 1, Type: model.TriggerRetry, ShardTotal: 1, TriggerMs: second, Token: maker,
			}
			change(r)
			w.store.open[id] = r
		}
		w.store.set(func() {
			w.store.after = store.ErrUnknownOutcome
			w.store.runs[1].RetriesLeft = 1
			alike(501, func(*model.Run) {})
			alike(502, func(*model.Run) {})
			alike(503, func(r *model.Run) { r.Token = maker - 1 })
			alike(504, func(r *model.Run) { r.Token = 12 })
			alike(505, func(r *model.Run) { r.JobID = 2 })
			alike(506, func(r *model.Run) { r.Type = model.TriggerParent })
			alike(507, func(r *model.Run) { r.TriggerMs -= 1000 })
		})
		require.NoError(t, w.Results(t.Context(), []*model.Outcome{timed(1, 500)}))
		synctest.Wait()
		require.Len(t, w.items(), 1)
		assert.Equal(t, int64(1001), w.items()[0].Run.LogID)
	})
}

// A run that was found late may have been found by others too.
func TestFoundLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1)
		w.store.set(func() {
			w.store.after = store.ErrUnknownOutcome
			w.store.blind = 1000
			w.store.runs[1].RetriesLeft = 1
		})
		require.NoError(t, w.Results(t.Context(), []*model.Outcome{timed(1, 500)}))
		wait(settleAfter + 3*time.Second) // from when the retry is due
		require.Empty(t, w.items())
		assert.Len(t, w.endings(), 1)
		w.open(2)
		require.NoError(t, w.Results(t.Context(), []*model.Outcome{timed(2, 200)}), "results are stored meanwhile")
		w.store.set(func() { w.store.blind = 0 })
		wait(time.Second)
		require.Len(t, w.items(), 1)
		assert.True(t, w.items()[0].Settle)
	})
}

// cut is a database whose answers get lost.
type cut struct {
	*store.Store

	mu    sync.Mutex
	times int // how many commits are not heard of
}

func (c *cut) Finish(
	ctx context.Context, outs []*model.Outcome, decide func([]*store.Ending, store.Loader) error,
) ([]*store.Ending, error) {
	ends, err := c.Store.Finish(ctx, outs, decide)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && c.times > 0 {
		c.times--
		return nil, store.ErrUnknownOutcome
	}
	return ends, err
}

// TestUnknownOutcomeOnSQLite has a real database store an end and what follows,
// and its answer lost, twice.
func TestUnknownOutcomeOnSQLite(t *testing.T) {
	db, err := store.Open(t.Context(), store.Options{
		DSN: "sqlite:" + filepath.Join(t.TempDir(), "admin.db"), Location: time.UTC, Node: "here",
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(t.Context()))
	child := &model.Job{GroupID: 1, GlueType: model.GlueBean, AddTime: time.Now(), UpdateTime: time.Now()}
	require.NoError(t, db.CreateJob(t.Context(), child))
	parent := *child
	parent.ID, parent.Children = 0, model.T(strconv.Itoa(int(child.ID)))
	require.NoError(t, db.CreateJob(t.Context(), &parent))
	runs := make([]*model.Run, 3)
	for i := range runs {
		runs[i] = &model.Run{
			JobID: parent.ID, GroupID: 1, Type: model.TriggerManual, ShardTotal: 1, RetriesLeft: 1,
			TriggerMs: time.Now().Truncate(time.Second).UnixMilli(),
		}
	}
	require.NoError(t, db.CreateRuns(t.Context(), runs))

	broken := &cut{Store: db, times: 2}
	w := newWorld(t, func(c *Config) { c.Store, c.Maker = broken, model.MakerToken("here") })
	require.NoError(t, w.Results(t.Context(), []*model.Outcome{
		timed(runs[0].LogID, 200), timed(runs[1].LogID, 500), timed(runs[2].LogID, 502),
	}))
	require.Eventually(t, func() bool { return len(w.items()) == 3 }, time.Minute, time.Millisecond, "%v", w.items())
	assert.Len(t, w.endings(), 3)
	kinds := map[model.TriggerType]int{}
	for _, it := range w.items() {
		kinds[it.Run.Type]++
		want := parent.ID
		if it.Run.Type == model.TriggerParent {
			want = child.ID
		}
		assert.Equal(t, want, it.Job.ID)
	}
	assert.Equal(t, map[model.TriggerType]int{model.TriggerParent: 1, model.TriggerRetry: 2}, kinds)
	open, err := db.OpenRuns(t.Context(), store.OpenRunFilter{})
	require.NoError(t, err)
	assert.Len(t, open, 3, "each is on record once")
}
