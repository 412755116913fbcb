package scheduler

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/lease"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

var errAway = errors.New("database away")

// played is the jobs and open runs of a database, as Plan's contract has them.
type played struct {
	mu       sync.Mutex
	jobs     map[int32]*model.Job
	runs     map[int64]*model.Run
	gaps     []*model.Log
	nextID   int64
	fault    error // of the next Plan, before anything is done
	after    error // of the next Plan, after it was done
	deletion error // of DeleteUnsent
	read     error // of OpenRuns
	fenced   bool
	refuse   int32 // runs of this job are refused
	plans    []time.Time
	perJob   time.Duration // of a transaction
	limit    int           // of one Plan, to see more than one
	busy     error         // of Missed
}

func newPlayed(jobs ...*model.Job) *played {
	p := &played{jobs: make(map[int32]*model.Job), runs: make(map[int64]*model.Run)}
	for _, j := range jobs {
		p.jobs[j.ID] = j
	}
	return p
}

// takes is how long a transaction of so many jobs takes.
func (p *played) takes(limit int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.perJob * time.Duration(min(limit, len(p.jobs)))
}

func (p *played) Plan(
	ctx context.Context, f store.Fence, before int64, limit int, decide func([]*model.Job) store.PlanResult,
) (bool, error) {
	select {
	case <-time.After(p.takes(limit)):
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plans = append(p.plans, time.Now())
	if p.limit > 0 {
		limit = p.limit
	}
	if err := p.fault; err != nil {
		return false, err
	}
	if p.fenced {
		return false, store.ErrFenced
	}
	var due []*model.Job
	for _, j := range p.jobs {
		mine := slices.ContainsFunc(f.Shards, func(s store.ShardToken) bool { return s.Shard == j.ID%f.Total })
		if j.Running && j.NextMs <= before && mine {
			c := *j
			due = append(due, &c)
		}
	}
	slices.SortFunc(due, func(a, b *model.Job) int { return int(a.NextMs - b.NextMs) })
	due = due[:min(limit, len(due))]
	if len(due) == 0 {
		return false, nil
	}
	res := decide(due)
	f.Extended(time.Now().Add(lease.DefaultTTL - f.TTL)) // now, if the TTL is that of the leases
	var refused store.RefusedError
	for _, r := range res.Runs {
		if r.JobID == p.refuse {
			refused.Runs, refused.Errs = append(refused.Runs, r), append(refused.Errs, errors.New("too long"))
			continue
		}
		if r.PlannedMs != 0 && p.hasLocked(r) {
			continue
		}
		p.nextID++
		r.LogID = p.nextID
		c := *r
		p.runs[c.LogID] = &c
	}
	p.gaps = append(p.gaps, res.Gaps...)
	for _, a := range res.Advances {
		j := p.jobs[a.JobID]
		j.LastMs, j.NextMs, j.Running = a.LastMs, a.NextMs, !a.Stop
	}
	if err := p.after; err != nil {
		p.after = nil
		for _, r := range res.Runs {
			r.LogID = 0
		}
		return false, err
	}
	if len(refused.Runs) > 0 {
		return len(due) == limit, &refused
	}
	return len(due) == limit, nil
}

func (p *played) Missed(
	_ context.Context, id int32, _ bool, before int64, decide func(*model.Job) store.PlanResult,
) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := p.jobs[id]
	if p.busy != nil || j == nil || !j.Running || j.NextMs > before {
		return p.busy
	}
	c := *j
	res := decide(&c)
	p.gaps = append(p.gaps, res.Gaps...)
	for _, a := range res.Advances {
		j.LastMs, j.NextMs, j.Running = a.LastMs, a.NextMs, !a.Stop
	}
	return nil
}

func (p *played) hasLocked(r *model.Run) bool {
	for _, o := range p.runs {
		if o.JobID == r.JobID && o.PlannedMs == r.PlannedMs && o.ShardIndex == r.ShardIndex {
			return true
		}
	}
	return false
}

func (p *played) DeleteUnsent(_ context.Context, ids []int64) ([]int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deletion != nil {
		return nil, p.deletion
	}
	for _, id := range ids {
		delete(p.runs, id)
	}
	return ids, nil
}

func (p *played) OpenRuns(_ context.Context, f store.OpenRunFilter) ([]*model.Run, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read != nil {
		return nil, p.read
	}
	var list []*model.Run
	for id, r := range p.runs {
		if id > f.AfterLogID && slices.Contains(f.Shards, r.JobID%f.Total) {
			c := *r
			list = append(list, &c)
		}
	}
	slices.SortFunc(list, func(a, b *model.Run) int { return int(a.LogID - b.LogID) })
	return list[:min(len(list), f.Limit)], nil
}

func (p *played) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

type playedLeases struct {
	mu       sync.Mutex
	held     []lease.Held
	extended []lease.Held // as last told
	since    time.Time
	kicks    int
}

func (l *playedLeases) Held() []lease.Held {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.held)
}
func (l *playedLeases) Total() int32       { return 4 }
func (l *playedLeases) Kick()              { l.mu.Lock(); defer l.mu.Unlock(); l.kicks++ }
func (l *playedLeases) TTL() time.Duration { return lease.DefaultTTL }
func (l *playedLeases) Extended(start time.Time, held []lease.Held) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.extended, l.since = held, start
}

func allHeld() *playedLeases {
	return &playedLeases{held: []lease.Held{{Shard: 0, Token: 7}, {Shard: 1, Token: 7}, {Shard: 2, Token: 7}, {Shard: 3, Token: 7}}}
}

// playedDispatcher keeps what it is given.
type playedDispatcher struct {
	mu    sync.Mutex
	items map[int64]dispatch.Item
	added []dispatch.Item
}

func (d *playedDispatcher) NewRuns(j *model.Job, t dispatch.Trigger) []*model.Run {
	r := &model.Run{
		JobID: j.ID, Type: t.Type, Token: t.Token, ShardTotal: 1, TriggerMs: t.At.Truncate(time.Second).UnixMilli(),
		Param: j.Param,
	}
	if t.Planned {
		r.PlannedMs = t.At.UnixMilli()
	}
	return []*model.Run{r}
}

func (d *playedDispatcher) Add(items ...dispatch.Item) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, it := range items {
		d.items[it.Run.LogID] = it
		d.added = append(d.added, it)
	}
}

func (d *playedDispatcher) Cancel(jobID int32) (ids []int64, first time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, it := range d.items {
		if it.Run.JobID == jobID && it.Run.PlannedMs != 0 && it.Due.After(time.Now()) {
			ids = append(ids, id)
			delete(d.items, id)
			if first.IsZero() || it.Due.Before(first) {
				first = it.Due
			}
		}
	}
	return ids, first
}

func (d *playedDispatcher) dues(job int32) (list []time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, it := range d.added {
		if it.Run.JobID == job {
			list = append(list, it.Due)
		}
	}
	return list
}

type world struct {
	*Scheduler

	store  *played
	leases *playedLeases
	disp   *playedDispatcher
	ticks  atomic.Int32
	missed atomic.Int32
}

func newWorld(t *testing.T, jobs ...*model.Job) *world {
	t.Helper()
	w := &world{store: newPlayed(jobs...), leases: allHeld(), disp: &playedDispatcher{items: make(map[int64]dispatch.Item)}}
	s, err := New(Config{
		Store: w.store, Leases: w.leases, Dispatcher: w.disp, Node: "n", Location: time.UTC,
		Ticked: func() { w.ticks.Add(1) }, Misfired: func(n int) { w.missed.Add(int32(n)) },
	})
	require.NoError(t, err)
	w.Scheduler = s
	return w
}

func (w *world) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
}

func wait(d time.Duration) { <-time.After(d) }

func second(id int32) *model.Job {
	return &model.Job{
		ID: id, Running: true, ScheduleType: model.ScheduleCron, ScheduleConf: model.T("* * * * * ?"),
		NextMs: time.Now().Truncate(time.Second).Add(time.Second).UnixMilli(),
	}
}

// each asserts that a job of each second was planned for each second.
func (w *world) each(t *testing.T, id int32, from time.Time, n int) {
	t.Helper()
	dues := w.disp.dues(id)
	slices.SortFunc(dues, time.Time.Compare)
	require.GreaterOrEqual(t, len(dues), n)
	for i := range n {
		require.Equal(t, from.Add(time.Duration(i)*time.Second).UnixMilli(), dues[i].UnixMilli())
	}
}

func TestPassesLieBetweenTheSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, second(1))
		begin := time.Now()
		w.start(t)
		wait(10*time.Second + time.Millisecond)
		w.each(t, 1, begin.Add(time.Second), 10)
		synctest.Wait()
		for _, at := range w.store.plans[1:] {
			assert.Equal(t, 250*time.Millisecond, at.Sub(at.Truncate(500*time.Millisecond)))
		}
		for _, it := range w.disp.added {
			assert.NotZero(t, it.Run.LogID)
			assert.Equal(t, int64(7), it.Run.Token)
		}
		synctest.Wait()
		assert.Len(t, w.store.plans, int(w.ticks.Load()))
	})
}

func TestNothingHeldNothingPlanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, second(1), second(2))
		w.leases.held = nil
		require.NoError(t, w.Pass(t.Context()))
		assert.Empty(t, w.store.plans)
		w.leases.held = []lease.Held{{Shard: 1, Token: 3}}
		require.NoError(t, w.Pass(t.Context()))
		assert.Len(t, w.disp.dues(1), 1)
		assert.Empty(t, w.disp.dues(2), "the shard of somebody else")
	})
}

func TestPlanningExtendsTheLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, second(1))
		w.leases.held = w.leases.held[1:3]
		require.NoError(t, w.Pass(t.Context()))
		assert.Equal(t, w.leases.held, w.leases.extended)
		assert.Equal(t, time.Now(), w.leases.since)
		w.leases.extended = nil
		require.NoError(t, w.Pass(t.Context()))
		assert.Empty(t, w.leases.extended, "nothing was due")
	})
}

func TestPoisonedJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad, zone, none := second(2), second(3), second(4)
		bad.ScheduleConf = model.T("not a cron")
		zone.TimeZone = "Nowhere/At-All"
		none.ScheduleType = model.ScheduleNone
		w := newWorld(t, second(1), bad, zone, none)
		w.start(t)
		begin := time.Now()
		wait(5 * time.Second)
		w.each(t, 1, begin.Add(time.Second), 5)
		assert.True(t, w.store.jobs[1].Running)
		for _, id := range []int32{2, 3, 4} {
			assert.False(t, w.store.jobs[id].Running, "job %d stops itself", id)
		}
	})
}

// panics is a schedule with a fault of ours.
type panics struct{}

func (panics) Next(time.Time) time.Time { panic("fault") }

func TestAPanicStopsOneJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		odd := second(2)
		odd.ScheduleConf = model.T("odd")
		w := newWorld(t, second(1), odd)
		w.cache.m = map[scheduleKey]parsed{{model.ScheduleCron, "odd", ""}: {schedule: panics{}, loc: time.UTC}}
		w.store.jobs[2].LastMs = w.store.jobs[2].NextMs // asks the schedule
		require.NoError(t, w.Pass(t.Context()))
		assert.Len(t, w.disp.dues(1), 1)
		assert.False(t, w.store.jobs[2].Running)
	})
}

// A run that the database refuses takes nobody with it: all others of the
// transaction are on record and are sent.
func TestARefusedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, second(1), second(2), second(3))
		w.store.refuse = 2
		w.start(t)
		begin := time.Now()
		wait(5 * time.Second)
		w.each(t, 1, begin.Add(time.Second), 5)
		w.each(t, 3, begin.Add(time.Second), 5)
		assert.Empty(t, w.disp.dues(2))
	})
}

func TestMisfire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait(time.Hour)
		skip, once := second(1), second(2)
		skip.NextMs, once.NextMs = skip.NextMs-60_000, once.NextMs-60_000
		skip.Misfire, once.Misfire = model.MisfireDoNothing, model.MisfireFireOnceNow
		skip.Param = model.T("p")
		w := newWorld(t, skip, once)
		begin := time.Now()
		require.NoError(t, w.Pass(t.Context()))
		require.Len(t, w.store.gaps, 2)
		g := w.store.gaps[0]
		assert.Equal(t, model.CodeFail, g.TriggerCode)
		assert.Equal(t, model.AlarmNone, g.AlarmStatus, "no alarm, no retry")
		assert.Zero(t, g.RetriesLeft)
		assert.Contains(t, g.TriggerMsg.S, "54")
		assert.Equal(t, int32(108), w.missed.Load())
		assert.Len(t, w.disp.dues(1), 7, "the last five seconds, now and the next second")
		assert.Len(t, w.disp.dues(2), 8)
		var types []model.TriggerType
		for _, it := range w.disp.added {
			if it.Run.Type == model.TriggerMisfire {
				assert.Zero(t, it.Run.PlannedMs)
				assert.Equal(t, begin, it.Due)
			}
			types = append(types, it.Run.Type)
		}
		assert.Contains(t, types, model.TriggerMisfire)
		require.NoError(t, w.Pass(t.Context()))
		assert.Len(t, w.store.gaps, 2, "one record a gap")
	})
}

// More jobs than one transaction takes: all are planned, in order of their
// instants.
func TestMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jobs []*model.Job
		for id := int32(1); id <= 50; id++ {
			jobs = append(jobs, second(id))
		}
		w := newWorld(t, jobs...)
		w.store.limit = 7
		require.NoError(t, w.Pass(t.Context()))
		for id := int32(1); id <= 50; id++ {
			assert.Len(t, w.disp.dues(id), 1)
		}
	})
}

// A transaction that the database does not carry out in time is not tried again
// as it was: the next ones plan fewer jobs, until they fit.
func TestSlowPlanning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jobs []*model.Job
		for id := int32(1); id <= 3000; id++ {
			jobs = append(jobs, second(id))
		}
		w := newWorld(t, jobs...)
		w.store.perJob = 15 * time.Millisecond
		for _, limit := range []int{planLimit / 4, planLimit / 16} {
			require.ErrorIs(t, w.Pass(t.Context()), context.DeadlineExceeded)
			assert.Equal(t, limit, w.limit)
		}
		require.NoError(t, w.Pass(t.Context()), "what fits is planned")
		assert.Equal(t, planLimit/16, w.limit, "and does not grow before it is done with ease")
		w.store.perJob = 0
		for range 4 {
			require.NoError(t, w.Pass(t.Context()))
		}
		assert.Equal(t, planLimit, w.limit)
		for range 20 {
			w.adapt(expired(t), 0)
		}
		assert.Equal(t, leastPlanLimit, w.limit)
	})
}

// expired is a context whose time is over.
func expired(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	t.Cleanup(cancel)
	return ctx
}

func TestFencedAsksForALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, second(1))
		w.store.fenced = true
		require.ErrorIs(t, w.Pass(t.Context()), store.ErrFenced)
		assert.Equal(t, 1, w.leases.kicks)
		assert.Empty(t, w.doubt.items, "nothing was written")
		assert.Zero(t, w.ticks.Load())
	})
}

// A transaction that was carried out although it ended with an error: its runs
// are found and sent, each once, and on time.
func TestUnknownOutcome(t *testing.T) {
	for name, carriedOut := range map[string]bool{"carried out": true, "not carried out": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, second(1), second(2))
				w.start(t)
				begin := time.Now()
				wait(3100 * time.Millisecond)
				w.store.set(func() {
					w.store.read = errAway
					if carriedOut {
						w.store.after = store.ErrUnknownOutcome
					} else {
						w.store.fault = store.ErrUnknownOutcome
					}
				})
				wait(time.Second)
				w.store.set(func() { w.store.fault, w.store.read = nil, nil })
				wait(5 * time.Second)
				w.each(t, 1, begin.Add(time.Second), 9)
				w.each(t, 2, begin.Add(time.Second), 9)
				assert.Len(t, w.disp.items, len(w.disp.added), "none is handed over twice")
				assert.Empty(t, w.doubt.items)
			})
		})
	}
}

// What is in doubt when its job is stopped is deleted once it is found.
func TestUnknownOutcomeOfAJobThatIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, second(1), second(2))
		w.store.after = store.ErrUnknownOutcome
		require.ErrorIs(t, w.Pass(t.Context()), store.ErrUnknownOutcome)
		require.NoError(t, w.Change(t.Context(), 1, func(context.Context) error {
			w.store.set(func() { w.store.jobs[1].Running = false })
			return nil
		}))
		require.NoError(t, w.Pass(t.Context()))
		assert.Empty(t, w.disp.dues(1))
		assert.Len(t, w.disp.dues(2), 1)
		assert.Len(t, w.store.runs, 1)
	})
}

func TestChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, second(1))
		w.start(t)
		begin := time.Now()
		wait(2500 * time.Millisecond) // the run of second 3 is planned
		require.NoError(t, w.Change(t.Context(), 1, func(context.Context) error {
			w.store.set(func() { // a new param; the schedule is computed from now on
				w.store.jobs[1].Param = model.T("new")
				w.store.jobs[1].NextMs = begin.Add(3 * time.Second).UnixMilli()
			})
			return nil
		}))
		synctest.Wait() // the pass that Change has kicked off
		dues := w.disp.dues(1)
		assert.Equal(t, begin.Add(3*time.Second), dues[len(dues)-1].In(begin.Location()), "planned anew at once")
		assert.Equal(t, "new", w.disp.added[len(w.disp.added)-1].Run.Param.S)
		n := 0
		for _, r := range w.store.runs {
			if r.PlannedMs == begin.Add(3*time.Second).UnixMilli() {
				n++
			}
		}
		assert.Equal(t, 1, n, "neither lost nor doubled")

		failed := errors.New("no such group")
		assert.ErrorIs(t, w.Change(t.Context(), 1, func(context.Context) error { return failed }), failed)
		wait(time.Second)
		assert.GreaterOrEqual(t, len(w.disp.dues(1)), 5)
	})
}

// Rows that could not be deleted would hide the instant from the new plan: it
// waits until they are gone.
func TestChangeWhileRowsCannotBeDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, second(1))
		w.start(t)
		begin := time.Now()
		wait(2500 * time.Millisecond)
		w.store.set(func() { w.store.deletion = errAway })
		require.NoError(t, w.Change(t.Context(), 1, func(context.Context) error {
			w.store.set(func() { w.store.jobs[1].NextMs = begin.Add(3 * time.Second).UnixMilli() })
			return nil
		}), "the change itself stands")
		wait(1200 * time.Millisecond)
		w.store.set(func() { w.store.deletion = nil })
		wait(3 * time.Second)
		synctest.Wait()
		var third int
		for _, it := range w.disp.items {
			if it.Run.PlannedMs == begin.Add(3*time.Second).UnixMilli() {
				third++
				assert.Contains(t, w.store.runs, it.Run.LogID)
			}
		}
		assert.Equal(t, 1, third)
	})
}

func TestFirstFireSoonAfterStart(t *testing.T) {
	for off := time.Duration(0); off < time.Second; off += 50 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.start(t)
			wait(5*time.Second + off)
			begin := time.Now()
			w.store.set(func() { w.store.jobs[9] = second(9) })
			require.NoError(t, w.Started(t.Context(), 9))
			wait(1500 * time.Millisecond)
			dues := w.disp.dues(9)
			require.NotEmpty(t, dues)
			assert.LessOrEqual(t, dues[0].Sub(begin), time.Second)
		})
	}
}

func TestFaultsAreTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, second(1))
		w.start(t)
		begin := time.Now()
		wait(2100 * time.Millisecond)
		w.store.set(func() { w.store.fault = errAway })
		ticks := w.ticks.Load()
		wait(4 * time.Second)
		assert.Equal(t, ticks, w.ticks.Load(), "a pass that failed is no tick")
		w.store.set(func() { w.store.fault = nil })
		wait(2 * time.Second)
		w.each(t, 1, begin.Add(time.Second), 8)
		assert.Empty(t, w.store.gaps, "four seconds are no gap")
	})
}

func TestNewChecksItsConfig(t *testing.T) {
	_, err := New(Config{})
	assert.Error(t, err)
}

func TestCacheIsBounded(t *testing.T) {
	var c scheduleCache
	c.m = make(map[scheduleKey]parsed, maxCached)
	for i := range maxCached {
		c.m[scheduleKey{conf: strconv.Itoa(i)}] = parsed{}
	}
	_, _, err := c.get(model.ScheduleFixRate, "5", "", time.UTC)
	require.NoError(t, err)
	assert.Len(t, c.m, 1)
}

// A run that was taken back and could not be deleted may have been taken over
// since: under another lease its row is left alone, and nothing stands in for
// it.
func TestLeaseLostWhileRowsCannotBeDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, second(1))
		require.NoError(t, w.Pass(t.Context()))
		third := w.store.jobs[1].LastMs
		w.store.set(func() { w.store.deletion = errAway })
		require.NoError(t, w.Change(t.Context(), 1, func(context.Context) error {
			w.store.set(func() { w.store.jobs[1].NextMs = third })
			return nil
		}))
		w.store.set(func() { w.store.deletion = nil })
		w.leases.mu.Lock()
		for i := range w.leases.held {
			w.leases.held[i].Token++
		}
		w.leases.mu.Unlock()
		wait(100 * time.Millisecond)
		require.NoError(t, w.Pass(t.Context()))
		assert.Len(t, w.store.runs, 1)
		assert.Empty(t, w.leftover)
		assert.Empty(t, w.replan)
		for _, it := range w.disp.items {
			assert.NotEqual(t, third, it.Run.PlannedMs)
		}
	})
}
