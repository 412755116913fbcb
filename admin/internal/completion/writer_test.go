package completion

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

var errAway = errors.New("database away")

// played is open runs and jobs, as Finish's contract has them.
type played struct {
	mu      sync.Mutex
	runs    map[int64]*model.Run
	logs    map[int64]*model.Log // rows without a run
	jobs    map[int32]*model.Job
	ended   map[int64]*store.Ending
	open    map[int64]*model.Run // that were made here
	nextID  int64
	fault   error         // before anything is done
	after   error         // after it was done, once
	takes   time.Duration // of one transaction
	poison  int64         // a log id that is refused
	halves  bool          // stored in two parts, as after a refusal
	cut     bool          // the second part is not, once
	blind   int           // how many reads fail
	lose    bool          // nothing is done, and nobody told so, once
	batches [][]*model.Outcome
	at      []time.Time
}

func newPlayed() *played {
	return &played{
		runs: make(map[int64]*model.Run), logs: make(map[int64]*model.Log), jobs: make(map[int32]*model.Job),
		ended: make(map[int64]*store.Ending), open: make(map[int64]*model.Run), nextID: 1000,
	}
}

func (p *played) set(change func()) { p.mu.Lock(); defer p.mu.Unlock(); change() }

func (p *played) Jobs(_ context.Context, ids []int32) (map[int32]*model.Job, error) {
	m := make(map[int32]*model.Job)
	for _, id := range ids {
		if j := p.jobs[id]; j != nil {
			m[id] = j
		}
	}
	return m, nil
}

func (p *played) Finish(
	ctx context.Context, outs []*model.Outcome, decide func([]*store.Ending, store.Loader) error,
) ([]*store.Ending, error) {
	p.mu.Lock()
	takes := p.takes
	p.mu.Unlock()
	if takes > 0 {
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.batches, p.at = append(p.batches, slices.Clone(outs)), append(p.at, time.Now())
	switch {
	case p.fault != nil:
		return nil, p.fault
	case p.lose:
		p.lose = false
		return nil, p.decideOnly(outs, decide)
	}
	parts := [][]*model.Outcome{outs}
	if p.halves && len(outs) > 1 {
		parts = [][]*model.Outcome{outs[:len(outs)/2], outs[len(outs)/2:]}
	}
	var all []*store.Ending
	for i, part := range parts {
		if i == 1 && p.cut {
			p.cut = false
			return nil, errAway
		}
		ends, err := p.part(part, decide)
		if err != nil {
			return nil, err
		}
		all = append(all, ends...)
	}
	if err := p.after; err != nil {
		p.after = nil
		for _, e := range all {
			for _, r := range e.NewRuns {
				r.LogID = 0
			}
		}
		return nil, err
	}
	return all, nil
}

// decideOnly is a transaction that was rolled back, which nobody knows.
func (p *played) decideOnly(outs []*model.Outcome, decide func([]*store.Ending, store.Loader) error) error {
	var ends []*store.Ending
	for _, out := range outs {
		run := p.runs[out.LogID]
		ends = append(ends, &store.Ending{Outcome: out, Run: run, Job: p.jobs[run.JobID], Ends: true})
	}
	return errors.Join(store.ErrUnknownOutcome, decide(ends, p))
}

func (p *played) part(outs []*model.Outcome, decide func([]*store.Ending, store.Loader) error) ([]*store.Ending, error) {
	var ends, ending []*store.Ending
	for _, out := range outs {
		e := &store.Ending{Outcome: out, Run: p.runs[out.LogID]}
		ends = append(ends, e)
		switch {
		case out.LogID == p.poison:
			e.Err = errors.New("refused")
			continue
		case e.Run == nil && p.logs[out.LogID] != nil:
			e.Log = p.logs[out.LogID]
		case e.Run == nil && p.ended[out.LogID] != nil:
			e.Status, e.Log = store.FinishRepeated, endedLog(p.ended[out.LogID])
			continue
		case e.Run == nil:
			e.Status = store.FinishUnknown
			continue
		}
		if e.Ends = out.Handle != nil || out.Trigger.Code != 200; !e.Ends {
			continue
		}
		if e.Run != nil {
			e.Job = p.jobs[e.Run.JobID]
		} else {
			e.Job = p.jobs[e.Log.JobID]
		}
		ending = append(ending, e)
	}
	if len(ending) > 0 {
		if err := decide(ending, p); err != nil {
			return nil, err
		}
	}
	for _, e := range ending {
		delete(p.runs, e.Outcome.LogID)
		delete(p.logs, e.Outcome.LogID)
		p.ended[e.Outcome.LogID] = e
		for _, r := range e.NewRuns {
			p.nextID++
			r.LogID = p.nextID
			onRecord := *r
			onRecord.Token = maker
			p.open[r.LogID] = &onRecord
		}
	}
	return ends, nil
}

// maker is the token on record of what the writer makes.
const maker = -7

// endedLog is the log row of a run that has ended.
func endedLog(e *store.Ending) *model.Log {
	l := &model.Log{ID: e.Outcome.LogID, JobID: 1}
	if t := e.Outcome.Trigger; t != nil {
		l.TriggerCode, l.TriggerMsg = t.Code, model.T(t.Msg+e.TriggerMsgSuffix)
	}
	if h := e.Outcome.Handle; h != nil {
		l.HandleCode, l.HandleMsg, l.HandleTime = h.Code, e.HandleMsg, time.UnixMilli(h.AtMs).Truncate(time.Second)
	}
	return l
}

func (p *played) OpenRuns(_ context.Context, f store.OpenRunFilter) ([]*model.Run, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.blind > 0 {
		p.blind--
		return nil, errAway
	}
	var list []*model.Run
	for id, r := range p.open {
		if id > f.AfterLogID && r.TriggerMs >= f.TriggerFromMs && r.TriggerMs < f.TriggerBeforeMs {
			c := *r
			list = append(list, &c)
		}
	}
	slices.SortFunc(list, func(a, b *model.Run) int { return int(a.LogID - b.LogID) })
	return list[:min(len(list), f.Limit)], nil
}

type world struct {
	*Writer

	store *played

	mu       sync.Mutex
	created  []dispatch.Item
	known    map[int64]bool // runs that are on their way
	ended    []*store.Ending
	bursting bool
	stop     func()
}

func newWorld(t *testing.T, change ...func(*Config)) *world {
	t.Helper()
	w := &world{store: newPlayed(), known: make(map[int64]bool)}
	cfg := Config{
		Store: w.store, Lang: i18n.En,
		NewRuns: func(j *model.Job, tr dispatch.Trigger) []*model.Run {
			return []*model.Run{{JobID: j.ID, Type: tr.Type, TriggerMs: tr.At.UnixMilli(), Param: j.Param, Handler: j.Handler}}
		},
		Assign: func(r *model.Run, _ *model.Job, _ []string) { r.Address = "http://assigned/" },
		Created: func(items ...dispatch.Item) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.created = append(w.created, items...)
			for _, it := range items {
				w.known[it.Run.LogID] = true
			}
		},
		Ended:    func(e *store.Ending) { w.mu.Lock(); defer w.mu.Unlock(); w.ended = append(w.ended, e) },
		Maker:    maker,
		Knows:    func(id int64) bool { w.mu.Lock(); defer w.mu.Unlock(); return w.known[id] },
		Bursting: func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.bursting },
	}
	for _, f := range change {
		f(&cfg)
	}
	writer, err := New(cfg)
	require.NoError(t, err)
	w.Writer = writer
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	w.stop = func() { cancel(); <-ended }
	t.Cleanup(w.stop)
	return w
}

// open puts runs of job 1 on record.
func (w *world) open(ids ...int64) {
	w.store.set(func() {
		if w.store.jobs[1] == nil {
			w.store.jobs[1] = &model.Job{ID: 1, GroupID: 1}
		}
		for _, id := range ids {
			w.store.runs[id] = &model.Run{LogID: id, JobID: 1, GroupID: 1, ShardTotal: 1, Handler: model.T("h"), Param: model.T("p")}
		}
	})
}

func result(id int64, code int32, msg string) *model.Outcome {
	return &model.Outcome{LogID: id, Handle: &model.HandleResult{Code: code, Msg: model.T(msg)}}
}

func taken(id int64) model.Outcome {
	return model.Outcome{LogID: id, Trigger: &model.TriggerResult{Code: 200, Msg: "success", Address: "http://a/"}}
}

func refusal(id int64) model.Outcome {
	return model.Outcome{LogID: id, Trigger: &model.TriggerResult{Code: 500, Msg: "refused"}}
}

func (w *world) items() []dispatch.Item {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.created)
}

func (w *world) batches() [][]*model.Outcome {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	return slices.Clone(w.store.batches)
}

func wait(d time.Duration) { <-time.After(d) }

func TestResultsOfOneMomentAreOneBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1, 2, 3)
		begin := time.Now()
		var wg sync.WaitGroup
		for id := int64(1); id <= 3; id++ {
			wg.Go(func() { assert.NoError(t, w.Results(t.Context(), []*model.Outcome{result(id, 200, "ok")})) })
		}
		wg.Wait()
		assert.Equal(t, batchWait, time.Since(begin))
		assert.Len(t, w.batches(), 1)
		assert.Len(t, w.ended, 3)
		assert.Zero(t, w.Waiting())
		assert.False(t, w.Pending(1))
	})
}

func TestAFullBatchGoesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var outs []*model.Outcome
		for id := int64(1); id <= 3*BatchRows; id++ {
			w.open(id)
			outs = append(outs, result(id, 200, ""))
		}
		begin := time.Now()
		require.NoError(t, w.Results(t.Context(), outs))
		assert.Zero(t, time.Since(begin))
		require.Len(t, w.batches(), 3)
		for _, b := range w.batches() {
			assert.Len(t, b, BatchRows)
		}
	})
}

// Nobody is told that a result is stored before it is.
func TestAnsweredAfterTheCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1)
		w.store.takes = 2 * time.Second
		begin := time.Now()
		require.NoError(t, w.Results(t.Context(), []*model.Outcome{result(1, 200, "")}))
		assert.Equal(t, 2*time.Second+batchWait, time.Since(begin))

		// Somebody who goes away is not told; the result is stored all the same.
		w.open(2)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, w.Results(ctx, []*model.Outcome{result(2, 200, "")}), context.DeadlineExceeded)
		assert.True(t, w.Pending(2))
		wait(3 * time.Second)
		assert.Contains(t, w.store.ended, int64(2))
		assert.False(t, w.Pending(2))
	})
}

func TestTriggerAndResultMeet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1, 2)
		w.Trigger(taken(1))
		w.Trigger(taken(1)) // sent twice
		w.Trigger(taken(2))
		assert.True(t, w.Pending(1))
		wait(50 * time.Millisecond)
		require.NoError(t, w.Results(t.Context(), []*model.Outcome{result(1, 200, "")}))
		require.Len(t, w.batches(), 1)
		assert.Len(t, w.batches()[0], 1, "one update for both")
		assert.NotNil(t, w.batches()[0][0].Trigger)
		assert.True(t, w.Pending(2))
		wait(triggerWait)
		require.Len(t, w.batches(), 2, "what gets no result is stored by itself")
		assert.Equal(t, int64(2), w.batches()[1][0].LogID)
		synctest.Wait()
		assert.Empty(t, w.pending)
		assert.Empty(t, w.triggers)
		assert.Zero(t, w.Waiting())
	})
}

// TestTextsAreWrittenWhenStored: the text of an answer is made for the batch that
// stores it, not while others wait to be sent, and once.
func TestTextsAreWrittenWhenStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1)
		made := 0
		out := taken(1)
		out.Trigger.Write = func() string { made++; return "made late" }
		w.Trigger(out)
		synctest.Wait()
		assert.Zero(t, made)
		w.store.set(func() { w.store.fault = errAway })
		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, w.Results(t.Context(), []*model.Outcome{result(1, 200, "")})) })
		wait(retryEvery)
		w.store.set(func() { w.store.fault = nil })
		wg.Wait()
		require.Greater(t, len(w.batches()), 1)
		assert.Equal(t, 1, made)
		assert.Equal(t, "made late", w.batches()[0][0].Trigger.Msg)
	})
}

// TestManyTriggersWaitLonger has results come later than an answer waits
// otherwise, as they do when the database is behind.
func TestManyTriggersWaitLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		const runs = manyTriggers + 40
		var outs []*model.Outcome
		for id := range int64(runs) {
			w.open(id + 1)
			w.Trigger(taken(id + 1))
			outs = append(outs, result(id+1, 200, ""))
		}
		wait(longTriggerWait - 100*time.Millisecond)
		require.Empty(t, w.batches())
		require.NoError(t, w.Results(t.Context(), outs[:30]))
		for _, batch := range w.batches() {
			for _, out := range batch {
				assert.NotNil(t, out.Trigger, "one update has both")
				assert.NotNil(t, out.Handle)
			}
		}
		wait(100 * time.Millisecond)
		synctest.Wait()
		assert.Zero(t, w.Waiting(), "those without a result go at last")
	})
}

// TestResultsGoFirst has the answers to triggers fill up batches, and not push
// results back that others wait for.
func TestResultsGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		const held = manyTriggers + 1
		for id := range int64(held) {
			w.open(id + 1)
			w.Trigger(taken(id + 1))
		}
		wait(longTriggerWait - time.Millisecond)
		outs := make([]*model.Outcome, 3*BatchRows-100)
		for i := range outs {
			id := int64(10_000 + i)
			w.open(id)
			outs[i] = result(id, 200, "")
		}
		w.store.set(func() { w.store.takes = 200 * time.Millisecond })
		require.NoError(t, w.Results(t.Context(), outs))
		batches := w.batches()
		require.Len(t, batches, 3)
		for i, batch := range batches {
			require.Len(t, batch, BatchRows)
			answers := 0
			for _, out := range batch {
				if out.Handle == nil {
					answers++
				}
			}
			assert.Equal(t, []int{0, 0, 100}[i], answers, "answers in batch %d", i)
		}
		wait(lastTriggerWait)
		synctest.Wait()
		assert.Zero(t, w.Waiting())
	})
}

func TestARefusedTriggerWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1)
		w.Trigger(refusal(1))
		wait(batchWait)
		synctest.Wait()
		assert.Contains(t, w.store.ended, int64(1))
	})
}

func TestFirstResultWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1)
		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, w.Results(t.Context(), []*model.Outcome{result(1, 200, "first")})) })
		synctest.Wait()
		wg.Go(func() { assert.NoError(t, w.Results(t.Context(), []*model.Outcome{result(1, 500, "second")})) })
		wg.Wait()
		assert.Equal(t, "first", w.store.ended[1].HandleMsg.S)
		assert.Len(t, w.ended, 1, "one end, one alarm")
		// One call with the same run twice.
		w.open(2)
		require.NoError(t, w.Results(t.Context(), []*model.Outcome{result(2, 200, "a"), result(2, 500, "b")}))
		assert.Equal(t, "a", w.store.ended[2].HandleMsg.S)
		// A run that nobody knows is no error: the executor may forget it.
		require.NoError(t, w.Results(t.Context(), []*model.Outcome{result(99, 200, "")}))
		require.NoError(t, w.Results(t.Context(), nil))
		assert.Empty(t, w.pending)
	})
}

func TestFaultsOfTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1, 2, 3)
		w.store.set(func() { w.store.fault = errAway })
		begin := time.Now()
		var wg sync.WaitGroup
		for id := int64(1); id <= 3; id++ {
			wg.Go(func() { assert.NoError(t, w.Results(t.Context(), []*model.Outcome{result(id, 200, "")})) })
			wait(time.Second)
		}
		wait(7 * time.Second)
		tries := len(w.batches())
		assert.LessOrEqual(t, tries, 21, "new results do not hurry a database that is away")
		assert.Len(t, w.batches()[tries-1], 3)
		w.store.set(func() { w.store.fault = nil })
		wg.Wait()
		assert.LessOrEqual(t, time.Since(begin), 11*time.Second)
		assert.Len(t, w.ended, 3)
	})
}

// A commit whose outcome nobody knows is never answered as a success: it is
// stored again, and the first one wins.
func TestUnknownOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1)
		w.store.set(func() { w.store.after = store.ErrUnknownOutcome })
		begin := time.Now()
		require.NoError(t, w.Results(t.Context(), []*model.Outcome{result(1, 200, "x")}))
		assert.Equal(t, batchWait+retryEvery, time.Since(begin))
		assert.Len(t, w.batches(), 2)
		assert.Equal(t, "x", w.store.ended[1].HandleMsg.S)
	})
}

func TestPoisonRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1, 2, 3)
		w.store.poison = 2
		var wg sync.WaitGroup
		for id := int64(1); id <= 3; id++ {
			wg.Go(func() {
				err := w.Results(t.Context(), []*model.Outcome{result(id, 200, "")})
				assert.Equal(t, id == 2, err != nil, "run %d: %v", id, err)
			})
		}
		wg.Wait()
		assert.Len(t, w.ended, 2)
		assert.Empty(t, w.pending)
	})
}

// A batch that the store has to divide keeps the jobs of every part.
func TestRunsThatFollowOfADividedBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1, 2, 3, 4)
		w.store.halves = true
		for id := range w.store.runs {
			w.store.runs[id].RetriesLeft = 1
		}
		outs := []*model.Outcome{result(1, 500, ""), result(2, 500, ""), result(3, 500, ""), result(4, 500, "")}
		require.NoError(t, w.Results(t.Context(), outs))
		require.Len(t, w.items(), 4)
		for _, it := range w.items() {
			assert.NotNil(t, it.Job)
			assert.NotZero(t, it.Run.LogID)
		}
	})
}

func TestResultsWaitForABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1)
		w.bursting = true
		begin := time.Now()
		require.NoError(t, w.Results(t.Context(), []*model.Outcome{result(1, 200, "")}))
		assert.InDelta(t, burstWait.Seconds(), time.Since(begin).Seconds(), 0.006, "not for longer")
	})
}

func TestBusyAndClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.set(func() { w.store.fault = errAway })
		many := make([]*model.Outcome, maxWaiting)
		for i := range many {
			many[i] = result(int64(i), 200, "")
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { assert.Error(t, w.Results(ctx, many)) })
		wait(time.Millisecond)
		assert.ErrorIs(t, w.Results(t.Context(), []*model.Outcome{result(-1, 200, "")}), ErrBusy)
		cancel()
		wg.Wait()

		var closed sync.WaitGroup
		closed.Go(func() { w.stop() })
		closed.Wait()
		assert.ErrorIs(t, w.Results(t.Context(), []*model.Outcome{result(1, 200, "")}), ErrClosed)
		w.Trigger(taken(1)) // no effect
		assert.Zero(t, w.Waiting())
		assert.Empty(t, w.pending)
	})
}

func TestStopStoresWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1, 2)
		w.Trigger(taken(1))
		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, w.Results(t.Context(), []*model.Outcome{result(2, 200, "")})) })
		synctest.Wait()
		w.stop()
		wg.Wait()
		assert.Contains(t, w.store.ended, int64(2))
		assert.Len(t, w.batches()[0], 2, "answers do not wait any more")
	})
}

// A fault of ours leaves nobody waiting, and the next results are stored.
func TestAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, err := New(Config{
			Store: newPlayed(), Assign: func(*model.Run, *model.Job, []string) {}, Created: func(...dispatch.Item) {},
			NewRuns: func(*model.Job, dispatch.Trigger) []*model.Run { return nil },
			Knows:   func(int64) bool { return false },
			Stored:  func(int, time.Duration) { panic("fault") },
		})
		require.NoError(t, err)
		ended := make(chan any)
		go func() {
			defer func() { ended <- recover() }()
			w.Run(t.Context())
		}()
		assert.ErrorIs(t, w.Results(t.Context(), []*model.Outcome{result(1, 200, "")}), ErrFault)
		assert.Equal(t, "fault", <-ended)
		assert.Empty(t, w.pending)
	})
}

func TestNewChecksItsConfig(t *testing.T) {
	_, err := New(Config{})
	assert.Error(t, err)
}
