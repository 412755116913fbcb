package recovery

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
	"go.uber.org/goleak"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/lease"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errAway = errors.New("away")

// world is everything around a Recovery.
type world struct {
	*Recovery

	mu       sync.Mutex
	runs     map[int64]*model.Run
	jobs     map[int32]*model.Job
	ends     int64 // a run that ends between the first two reads
	fault    error
	faultAt  int // the how manieth read fails; 0 is none
	reads    int
	items    []dispatch.Item
	known    map[int64]bool
	pending  map[int64]bool
	dropped  []int64 // what DropShards says
	own      int
	finished []*model.Outcome
	refuse   error // of Finish
	held     []lease.Held
	idle     func(address string, job int32) (bool, error)
	asked    []string
	reg      map[string]bool
	ticks    int
	view     lease.View
	onView   func()
	ctx      context.Context
}

func (w *world) OpenRuns(_ context.Context, f store.OpenRunFilter) (list []*model.Run, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads++
	if w.fault != nil || w.reads == w.faultAt {
		return nil, cmpOr(w.fault)
	}
	if w.reads == 2 && w.ends != 0 {
		delete(w.runs, w.ends)
	}
	for id, r := range w.runs {
		if id > f.AfterLogID && slices.Contains(f.Shards, r.JobID%f.Total) && r.State == *f.State &&
			(!f.Made || r.Token < 0) && (f.TriggerBeforeMs == 0 || r.TriggerMs < f.TriggerBeforeMs) {
			c := *r
			list = append(list, &c)
		}
	}
	slices.SortFunc(list, func(a, b *model.Run) int { return int(a.LogID - b.LogID) })
	return list[:min(len(list), f.Limit)], nil
}

func (w *world) View(context.Context) (lease.View, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.onView != nil {
		w.onView()
	}
	return w.view, nil
}

func cmpOr(err error) error {
	if err == nil {
		return errAway
	}
	return err
}

func (w *world) JobsByID(_ context.Context, ids []int32) (map[int32]*model.Job, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := make(map[int32]*model.Job)
	for _, id := range ids {
		if j := w.jobs[id]; j != nil {
			m[id] = j
		}
	}
	return m, nil
}

func (w *world) Add(items ...dispatch.Item) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.items = append(w.items, items...)
}

func (w *world) DropShards(drop func(int32) bool) (ids []int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range w.dropped {
		if drop(w.runs[id].JobID) {
			ids = append(ids, id)
		}
	}
	return ids
}
func (w *world) DropOwn()            { w.mu.Lock(); defer w.mu.Unlock(); w.own++ }
func (w *world) Knows(id int64) bool { w.mu.Lock(); defer w.mu.Unlock(); return w.known[id] }

func (w *world) Beat(context.Context, execclient.Target) error { return nil }
func (w *world) IdleBeat(ctx context.Context, t execclient.Target, job int32) (bool, string, error) {
	w.mu.Lock()
	w.asked = append(w.asked, t.Address)
	idle := w.idle
	w.mu.Unlock()
	free, err := idle(t.Address, job)
	if errors.Is(err, context.DeadlineExceeded) {
		<-ctx.Done()
	}
	return free, "", err
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		ctx:  t.Context(),
		runs: make(map[int64]*model.Run), jobs: map[int32]*model.Job{1: {ID: 1, Running: true}, 2: {ID: 2, Running: true}},
		known: make(map[int64]bool), pending: make(map[int64]bool), reg: make(map[string]bool),
		held: []lease.Held{{Shard: 0, Token: 9}, {Shard: 1, Token: 9}},
		idle: func(string, int32) (bool, error) { return false, nil },
	}
	r, err := New(t.Context(), Config{
		Store: w, Dispatcher: w, Client: w, Total: 2, Lang: i18n.En,
		Leases: w, Node: "me",
		Held:       func() []lease.Held { w.mu.Lock(); defer w.mu.Unlock(); return w.held },
		Group:      func(int32) (*model.Group, bool) { return &model.Group{AppName: "app"}, true },
		Registered: func(a string) bool { w.mu.Lock(); defer w.mu.Unlock(); return w.reg[a] },
		Pending:    func(id int64) bool { w.mu.Lock(); defer w.mu.Unlock(); return w.pending[id] },
		Finish: func(_ context.Context, outs []*model.Outcome) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.refuse == nil {
				w.finished = append(w.finished, outs...)
				for _, o := range outs {
					delete(w.runs, o.LogID)
				}
			}
			return w.refuse
		},
		Ticked: func() { w.mu.Lock(); defer w.mu.Unlock(); w.ticks++ },
	})
	require.NoError(t, err)
	w.Recovery = r
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	return w
}

func (w *world) set(change func()) { w.mu.Lock(); defer w.mu.Unlock(); change() }

// byID is the items that the dispatcher got.
func (w *world) byID() map[int64]dispatch.Item {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := make(map[int64]dispatch.Item)
	for _, it := range w.items {
		m[it.Run.LogID] = it
	}
	return m
}

func (w *world) lost() []*model.Outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.finished)
}

func wait(d time.Duration) { <-time.After(d); synctest.Wait() }

func TestTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		free := time.Now().Add(10 * time.Second)
		ms := func(d time.Duration) int64 { return free.Add(d).UnixMilli() }
		const s = time.Second
		w.runs = map[int64]*model.Run{
			1:  {LogID: 1, JobID: 1, Token: 5, PlannedMs: ms(-s), TriggerMs: ms(-s)},    // may have been sent
			2:  {LogID: 2, JobID: 1, Token: 5, PlannedMs: ms(s), TriggerMs: ms(s)},      // sent by nobody
			3:  {LogID: 3, JobID: 1, Token: 5, TriggerMs: ms(s)},                        // a misfire: no instant to go by
			4:  {LogID: 4, JobID: 1, TriggerMs: ms(-s)},                                 // made by some node without a lease
			5:  {LogID: 5, JobID: 2, Token: 5, PlannedMs: ms(s)},                        // of another shard
			6:  {LogID: 6, JobID: 1, Token: 9, PlannedMs: ms(s)},                        // planned since by this node
			7:  {LogID: 7, JobID: 1, Token: 5, PlannedMs: ms(-s)},                       // its result is about to be stored
			8:  {LogID: 8, JobID: 3, Token: 5, PlannedMs: ms(s)},                        // its job is gone
			9:  {LogID: 9, JobID: 5, Token: 5, PlannedMs: ms(s)},                        // its job was stopped
			10: {LogID: 10, JobID: 7, Token: 5, PlannedMs: ms(s)},                       // its schedule has ended by itself
			11: {LogID: 11, JobID: 1, Token: 5, State: model.RunAccepted, TriggerMs: 1}, // taken
		}
		w.jobs[5] = &model.Job{ID: 5}
		w.jobs[7] = &model.Job{ID: 7, LastMs: ms(s)}
		w.pending[7] = true
		w.Gained(t.Context(), []lease.Gained{{Held: lease.Held{Shard: 1, Token: 9}, FreeSince: free}})
		synctest.Wait()
		got := w.byID()
		assert.Len(t, got, 5)
		assert.True(t, got[1].Settle)
		assert.Equal(t, free.Add(clockMargin+3*s).UnixMilli(), got[1].Due.UnixMilli(), "not while the old owner may still call")
		assert.False(t, got[2].Settle)
		assert.Equal(t, ms(s), got[2].Due.UnixMilli())
		assert.True(t, got[3].Settle)
		assert.True(t, got[9].Stopped)
		assert.False(t, got[10].Stopped, "the last instant still fires")
		for _, it := range got {
			assert.Equal(t, int64(9), it.Run.Token, "fenced by the new lease")
			assert.NotNil(t, it.Job)
		}
		require.Len(t, w.finished, 1)
		assert.Equal(t, int64(8), w.finished[0].LogID)
		assert.NotEmpty(t, w.finished[0].Handle.Msg.S)
	})
}

// A run whose answer is stored while it is looked for is not sent again.
func TestTakeOverMeetsAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for id := int64(1); id <= 2; id++ {
			w.runs[id] = &model.Run{LogID: id, JobID: 1, Token: 5, PlannedMs: time.Now().Add(time.Second).UnixMilli()}
		}
		w.ends = 1
		w.Gained(t.Context(), []lease.Gained{{Held: lease.Held{Shard: 1, Token: 9}, FreeSince: time.Now()}})
		synctest.Wait()
		assert.Len(t, w.byID(), 1)
		assert.Contains(t, w.byID(), int64(2))
	})
}

// What a node made without a lease is taken over when that node is gone, and not
// before.
func TestTakeOverOfMakers(t *testing.T) {
	start := map[string]func(w *world){
		"with a shard": func(w *world) {
			w.Gained(w.ctx, []lease.Gained{{Held: lease.Held{Shard: 1, Token: 9}, FreeSince: time.Now()}})
		},
		"with a node": func(w *world) { w.NodeGone() },
	}
	for name, start := range start {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.held = []lease.Held{{Shard: 1, Token: 9}}
				now := time.Now()
				ms := func(d time.Duration) int64 { return now.Add(d).UnixMilli() }
				const s = time.Second
				w.view = lease.View{NowMs: now.UnixMilli(), Nodes: []lease.Node{
					{Name: "me", SeenMs: ms(-s)},
					{Name: "dead", SeenMs: ms(-4 * s)},
					{Name: "dying", SeenMs: ms(-4 * s)},
					{Name: "other", SeenMs: ms(-2 * s)},
				}, Shards: []lease.Shard{{Index: 0, Owner: "dying", ExpiresMs: ms(s)}}}
				for i, maker := range []string{"me", "dead", "dying", "other", "never seen", "dead"} {
					id := int64(i + 1)
					w.runs[id] = &model.Run{LogID: id, JobID: 1, Token: model.MakerToken(maker), TriggerMs: now.UnixMilli()}
				}
				w.known[6] = true
				start(w)
				synctest.Wait()
				got := w.byID()
				require.Len(t, got, 2)
				assert.True(t, got[2].Settle)
				assert.Equal(t, int64(9), got[2].Run.Token, "fenced by the lease")
				assert.False(t, got[2].Due.Before(now.Add(-s+clockMargin+3*s)), "not while its maker may still call")
				assert.True(t, got[5].Settle)
				assert.False(t, got[5].Due.Before(now.Add(clockMargin+3*s)), "it may have said goodbye just now")
			})
		})
	}
}

// A page of the record is judged by who lives after it was read.
func TestMakersAreSeenAfterTheirRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.runs[1] = &model.Run{LogID: 1, JobID: 1, Token: model.MakerToken("new")}
		w.onView = func() {
			require.Equal(t, 2, w.reads, "both looks at the runs come first")
			w.view.Nodes = []lease.Node{{Name: "new"}}
		}
		w.NodeGone()
		synctest.Wait()
		assert.Empty(t, w.byID())
	})
}

func TestShardsThatComeBack(t *testing.T) {
	for name, same := range map[string]bool{"nobody had it": true, "somebody had it": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				now := time.Now()
				for id := int64(1); id <= 4; id++ {
					w.runs[id] = &model.Run{LogID: id, JobID: 1, Token: 5, PlannedMs: now.Add(-time.Second).UnixMilli()}
				}
				w.runs[4].JobID = 2
				w.dropped = []int64{1, 2, 4}
				w.Lost([]int32{0, 1})
				gained := []lease.Gained{{Held: lease.Held{Shard: 1, Token: 6}, FreeSince: now, Same: same}}
				w.Gained(t.Context(), gained)
				synctest.Wait()
				got := w.byID()
				assert.Len(t, got, 3)
				assert.Equal(t, !same, got[1].Settle)
				assert.Equal(t, !same, got[2].Settle)
				assert.True(t, got[3].Settle, "it was in a lane")
				// That knowledge counts once: they may have been sent since.
				w.set(func() { w.items = nil })
				gained[0].Token = 7
				w.Gained(t.Context(), gained)
				synctest.Wait()
				assert.True(t, w.byID()[1].Settle)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.Lapsed()
		assert.Equal(t, 1, w.own)
	})
}

// A takeover goes on where a fault has stopped it: what was handed over already
// may have been sent.
func TestTakeOverWithFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for id := int64(1); id <= 2500; id++ {
			w.runs[id] = &model.Run{LogID: id, JobID: 1, Token: 5, PlannedMs: time.Now().Add(time.Second).UnixMilli()}
		}
		w.faultAt = 5
		w.Gained(t.Context(), []lease.Gained{{Held: lease.Held{Shard: 1, Token: 9}, FreeSince: time.Now()}})
		wait(500 * time.Millisecond)
		assert.Equal(t, 2000, len(w.byID()))
		wait(time.Second)
		assert.Equal(t, 2500, len(w.items), "each once")
	})
}

func accepted(id int64, job int32, address string, ago time.Duration) *model.Run {
	return &model.Run{
		LogID: id, JobID: job, State: model.RunAccepted, Address: address, TriggerMs: time.Now().Add(-ago).UnixMilli(),
	}
}

func TestSweepOfOrphans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		old := time.Now().Add(-orphanAfter - time.Second).UnixMilli()
		w.runs = map[int64]*model.Run{
			1: {LogID: 1, JobID: 1, TriggerMs: old},
			2: {LogID: 2, JobID: 1, TriggerMs: old},                                                               // on its way here
			3: {LogID: 3, JobID: 1, TriggerMs: old},                                                               // about to be stored
			4: {LogID: 4, JobID: 1, TriggerMs: time.Now().Add(time.Minute).UnixMilli(), Type: model.TriggerRetry}, // waits elsewhere
			5: {LogID: 5, JobID: 1, TriggerMs: old, Type: model.TriggerRetry},
			6: {LogID: 6, JobID: 1, TriggerMs: time.Now().UnixMilli()},
		}
		w.known[2], w.pending[3] = true, true
		require.NoError(t, w.Sweep(t.Context()))
		got := w.byID()
		assert.Len(t, got, 2)
		assert.True(t, got[1].Settle)
		assert.Equal(t, int64(9), got[5].Run.Token)
		w.set(func() { w.held, w.items = nil, nil })
		require.NoError(t, w.Sweep(t.Context()))
		assert.Empty(t, w.items, "the shards of others are theirs")
	})
}

func TestSweepOfLostRuns(t *testing.T) {
	tests := []struct {
		name  string
		idle  func(since time.Duration) (bool, error)
		reg   bool
		after time.Duration // until it is lost; 0 is never
		why   i18n.Key
	}{
		{name: "busy", idle: func(time.Duration) (bool, error) { return false, nil }, reg: true},
		{
			name: "idle twice", idle: func(time.Duration) (bool, error) { return true, nil }, reg: true,
			after: IdleTwice, why: i18n.JoblogLostIdle,
		},
		{
			name: "idle and unregistered", idle: func(time.Duration) (bool, error) { return true, nil },
			after: IdleTwice, why: i18n.JoblogLostIdle,
		},
		{name: "idle, busy again, idle", idle: func(d time.Duration) (bool, error) { return d/time.Minute%4 != 3, nil }, reg: true},
		{name: "gone", idle: func(time.Duration) (bool, error) { return false, errAway }, after: GoneTwice, why: i18n.JoblogLostGone},
		{name: "unreachable and registered", idle: func(time.Duration) (bool, error) { return false, errAway }, reg: true},
		{name: "one call that fails", idle: func(d time.Duration) (bool, error) {
			if d/time.Minute%2 == 1 {
				return false, errAway
			}
			return false, nil
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				begin := time.Now()
				w.set(func() {
					w.runs[1] = accepted(1, 1, "http://x/", LostAfter+time.Second)
					w.runs[2] = accepted(2, 1, "http://x/", 0) // too young
					w.reg["http://x/"] = tt.reg
					w.idle = func(string, int32) (bool, error) { return tt.idle(time.Since(begin)) }
				})
				if tt.after == 0 {
					wait(9 * time.Minute)
					assert.Empty(t, w.lost())
					return
				}
				wait(sweepEvery + tt.after - time.Second)
				assert.Empty(t, w.lost(), "not after one answer")
				wait(2 * time.Second)
				require.Len(t, w.lost(), 1)
				assert.Equal(t, int64(1), w.lost()[0].LogID)
				assert.Contains(t, w.lost()[0].Handle.Msg.S, i18n.En.Text(tt.why))
				assert.Equal(t, model.CodeFail, w.lost()[0].Handle.Code)
			})
		})
	}
}

// An executor that hangs is asked once a sweep, whatever the number of its
// runs.
func TestSweepAsksLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for id := int64(1); id <= 3000; id++ {
			address := "http://hangs/"
			if id%2 == 0 {
				address = "http://works/"
			}
			w.runs[id] = accepted(id, int32(id%100), address, time.Hour)
		}
		w.reg["http://hangs/"] = true
		w.idle = func(a string, _ int32) (bool, error) {
			if a == "http://hangs/" {
				return false, context.DeadlineExceeded
			}
			return false, nil
		}
		begin := time.Now()
		require.NoError(t, w.Sweep(t.Context()))
		assert.Equal(t, probeTimeout, time.Since(begin))
		assert.Len(t, w.asked, 51)
	})
}

// A sweep that a fault cuts short forgets nothing that it had seen.
func TestSweepWithFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.set(func() {
			w.runs[1] = accepted(1, 1, "http://x/", time.Hour)
			w.idle = func(string, int32) (bool, error) { return true, nil }
			w.reg["http://x/"] = true
		})
		wait(90 * time.Second)
		w.set(func() { w.fault = errAway })
		wait(2 * time.Minute)
		w.set(func() { assert.Equal(t, 1, w.ticks) })
		w.set(func() { w.fault = nil; w.refuse = errAway })
		wait(3 * time.Minute)
		assert.Empty(t, w.lost())
		w.set(func() { w.refuse = nil })
		wait(time.Minute)
		assert.Len(t, w.lost(), 1)
	})
}

func TestNewChecksItsConfig(t *testing.T) {
	_, err := New(t.Context(), Config{})
	assert.Error(t, err)
}
