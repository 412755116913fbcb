package alarm

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// watching is a Watcher and a Book on a real SQLite store, on fake time.
type watching struct {
	*store.Store
	t     *testing.T
	book  *Book
	holds atomic.Bool
	group *model.Group
	job   *model.Job
	stop  func()

	mu   sync.Mutex
	told []Alarm
}

func watch(t *testing.T, check func(t *testing.T, w *watching)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), store.Options{DSN: "sqlite:" + filepath.Join(t.TempDir(), "admin.db")})
		require.NoError(t, err)
		defer func() { assert.NoError(t, db.Close()) }()
		require.NoError(t, db.Migrate(t.Context()))
		w := &watching{Store: db, t: t, book: NewBook(BookConfig{Store: db})}
		w.holds.Store(true)
		w.group = &model.Group{AppName: "golden", Title: "gold", Manual: true, AddressList: model.T("http://10.0.0.1/")}
		require.NoError(t, db.CreateGroup(t.Context(), w.group))
		w.job = &model.Job{
			GroupID: w.group.ID, Name: "settle", ScheduleType: model.ScheduleNone, Misfire: model.MisfireDoNothing,
			Route: model.RouteFirst, Block: model.BlockSerial, GlueType: model.GlueBean, AddTime: time.Now(),
			UpdateTime: time.Now(),
		}
		require.NoError(t, db.CreateJob(t.Context(), w.job))
		w.start()
		defer func() { w.stop() }()
		check(t, w)
	})
}

// start runs a new Watcher, as another node would.
func (w *watching) start() {
	ctx, cancel := context.WithCancel(w.t.Context())
	watcher := NewWatcher(WatchConfig{
		Store: w.Store, Holds: func() bool { return w.holds.Load() }, Muted: w.book.Muted,
		Tell: func(a Alarm) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.told = append(w.told, a)
		},
	})
	var loops sync.WaitGroup
	loops.Go(func() { watcher.Run(ctx) })
	loops.Go(func() { w.book.Run(ctx) })
	w.stop = func() { cancel(); loops.Wait() }
}

// after lets time pass, and returns what was told in it.
func (w *watching) after(d time.Duration) []Kind {
	w.t.Helper()
	<-time.After(d)
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	list := make([]Kind, 0, len(w.told))
	for _, a := range w.told {
		list = append(list, a.Kind)
	}
	w.told = nil
	return list
}

func (w *watching) rule(what model.AlarmWhat, kind string, id int32, limit time.Duration) {
	w.t.Helper()
	key := model.AlarmKey{What: what, Kind: kind, ObjectID: id}
	require.NoError(w.t, w.SetAlarmRule(w.t.Context(), &model.AlarmRule{AlarmKey: key, Limit: limit, Created: time.Now()}))
}

// next sets when the job is due.
func (w *watching) next(at time.Time) {
	w.t.Helper()
	require.NoError(w.t, w.SetRunning(w.t.Context(), w.job.ID, true, at.UnixMilli()))
}

func (w *watching) alarms(ended bool) []*model.AlarmRecord {
	w.t.Helper()
	list, err := w.Alarms(w.t.Context(), model.AlarmFilter{Ended: ended, Limit: 100})
	require.NoError(w.t, err)
	return list
}

// run stores a run that was taken, and with a code one that has ended.
func (w *watching) run(code int32) int64 {
	w.t.Helper()
	now := time.Now().UnixMilli()
	r := &model.Run{JobID: w.job.ID, GroupID: w.group.ID, Type: model.TriggerManual, TriggerMs: now, ShardTotal: 1}
	require.NoError(w.t, w.CreateRuns(w.t.Context(), []*model.Run{r}))
	out := &model.Outcome{LogID: r.LogID, Trigger: &model.TriggerResult{Code: model.CodeSuccess, AtMs: now}}
	if code != 0 {
		out.Handle = &model.HandleResult{Code: code, AtMs: now, NoRetry: true}
	}
	_, err := w.Finish(w.t.Context(), []*model.Outcome{out}, func([]*store.Ending, store.Loader) error { return nil })
	require.NoError(w.t, err)
	return r.LogID
}

func TestLateFireIsToldOnce(t *testing.T) {
	watch(t, func(t *testing.T, w *watching) {
		w.rule(model.AlarmOnLate, model.ChangeJob, w.job.ID, 30*time.Second)
		w.next(time.Now())
		assert.Empty(t, w.after(29*time.Second))
		assert.Equal(t, []Kind{RunLate}, w.after(7*time.Second))
		assert.Empty(t, w.after(15*time.Minute))
		require.Len(t, w.alarms(false), 1)
		w.next(time.Now().Add(time.Hour))
		assert.Equal(t, []Kind{Recovered}, w.after(6*time.Second))
		assert.Empty(t, w.alarms(false))
		require.Len(t, w.alarms(true), 1)
	})
}

func TestLateAgainWaitsForTheWindow(t *testing.T) {
	watch(t, func(t *testing.T, w *watching) {
		w.rule(model.AlarmOnLate, model.ChangeGroup, w.group.ID, time.Second)
		w.next(time.Now())
		assert.Equal(t, []Kind{RunLate}, w.after(6*time.Second))
		for range 3 {
			w.next(time.Now().Add(time.Hour))
			w.after(6 * time.Second)
			w.next(time.Now().Add(-time.Minute))
			assert.Empty(t, w.after(6*time.Second), "it flaps: nobody wants to read that")
		}
		require.Len(t, w.alarms(false), 1, "it is on record")
		assert.Equal(t, []Kind{RunLate}, w.after(10*time.Minute), "it has stayed so")
	})
}

func TestMuteEndsByItself(t *testing.T) {
	watch(t, func(t *testing.T, w *watching) {
		w.rule(model.AlarmOnLate, model.ChangeGroup, w.group.ID, time.Second)
		require.NoError(t, w.SetMute(t.Context(), model.Mute{
			Kind: model.ChangeGroup, ObjectID: w.group.ID, Until: time.Now().Add(15 * time.Minute), Reason: "deploy",
		}))
		w.after(3 * time.Second)
		w.next(time.Now())
		assert.Empty(t, w.after(14*time.Minute))
		list := w.alarms(false)
		require.Len(t, list, 1, "muted, not lost")
		assert.Equal(t, []int64{1, 1}, []int64{list[0].Count, list[0].Muted})
		assert.Equal(t, []Kind{RunLate}, w.after(2*time.Minute), "it is late still")
		list = w.alarms(false)
		assert.Equal(t, []int64{2, 1}, []int64{list[0].Count, list[0].Muted})
	})
}

func TestMutedAndMendedIsNotTold(t *testing.T) {
	watch(t, func(t *testing.T, w *watching) {
		w.rule(model.AlarmOnLate, model.ChangeJob, w.job.ID, time.Second)
		require.NoError(t, w.SetMute(t.Context(), model.Mute{
			Kind: model.ChangeJob, ObjectID: w.job.ID, Until: time.Now().Add(10 * time.Minute),
		}))
		require.NoError(t, w.book.Refresh(t.Context()))
		w.next(time.Now())
		assert.Empty(t, w.after(time.Minute))
		w.next(time.Now().Add(10 * time.Hour))
		assert.Empty(t, w.after(11*time.Minute))
		require.Len(t, w.alarms(true), 1)
	})
}

func TestLongRunAndNobody(t *testing.T) {
	watch(t, func(t *testing.T, w *watching) {
		w.rule(model.AlarmOnLong, model.ChangeGroup, w.group.ID, time.Second)
		w.rule(model.AlarmOnLong, model.ChangeJob, w.job.ID, time.Minute) // goes before that of the group
		w.rule(model.AlarmOnNobody, model.ChangeGroup, w.group.ID, 20*time.Second)
		id := w.run(0)
		assert.Empty(t, w.after(59*time.Second))
		assert.Equal(t, []Kind{RunLong}, w.after(6*time.Second))
		assert.Equal(t, id, w.alarms(false)[0].LogID)
		_, err := w.Finish(t.Context(), []*model.Outcome{{LogID: id, Handle: &model.HandleResult{
			Code: model.CodeSuccess, AtMs: time.Now().UnixMilli(),
		}}}, func([]*store.Ending, store.Loader) error { return nil })
		require.NoError(t, err)
		assert.Equal(t, []Kind{Recovered}, w.after(6*time.Second))

		w.group.AddressList = model.T("")
		require.NoError(t, w.UpdateGroup(t.Context(), w.group))
		assert.Empty(t, w.after(19*time.Second))
		assert.Equal(t, []Kind{NoExecutor}, w.after(7*time.Second))
		w.group.AddressList = model.T("http://10.0.0.2/")
		require.NoError(t, w.UpdateGroup(t.Context(), w.group))
		assert.Equal(t, []Kind{Recovered}, w.after(6*time.Second))
	})
}

// TestTakeover: a node that takes over neither tells again what was told, nor
// forgets to say that it is over; one that does not hold the shard is silent.
func TestTakeover(t *testing.T) {
	watch(t, func(t *testing.T, w *watching) {
		w.rule(model.AlarmOnLate, model.ChangeJob, w.job.ID, time.Second)
		w.next(time.Now())
		assert.Equal(t, []Kind{RunLate}, w.after(6*time.Second))
		w.stop()
		w.start()
		assert.Empty(t, w.after(15*time.Minute))
		w.holds.Store(false)
		w.next(time.Now().Add(10 * time.Hour))
		assert.Empty(t, w.after(time.Minute))
		w.holds.Store(true)
		assert.Equal(t, []Kind{Recovered}, w.after(6*time.Second))
	})
}

// TestAPauseIsNoRecovery: when a node loses the watch for a moment, or another
// one takes it over, a group without an executor is not told to have one again.
func TestAPauseIsNoRecovery(t *testing.T) {
	watch(t, func(t *testing.T, w *watching) {
		w.rule(model.AlarmOnNobody, model.ChangeGroup, w.group.ID, 20*time.Second)
		w.group.AddressList = model.T("")
		require.NoError(t, w.UpdateGroup(t.Context(), w.group))
		assert.Equal(t, []Kind{NoExecutor}, w.after(time.Minute))
		w.holds.Store(false)
		assert.Empty(t, w.after(10*time.Second))
		w.holds.Store(true)
		assert.Empty(t, w.after(time.Minute), "after a pause")
		w.stop()
		w.start()
		assert.Empty(t, w.after(time.Minute), "on another node")
		require.Len(t, w.alarms(false), 1)
		assert.Empty(t, w.alarms(true))
		w.group.AddressList = model.T("http://10.0.0.1/")
		require.NoError(t, w.UpdateGroup(t.Context(), w.group))
		assert.Equal(t, []Kind{Recovered}, w.after(time.Minute))
	})
}

func TestFailuresOnRecordEnd(t *testing.T) {
	watch(t, func(t *testing.T, w *watching) {
		failed := model.AlarmRecord{
			AlarmKey: model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: w.job.ID},
			GroupID:  w.group.ID, LogID: w.run(model.CodeFail), Last: time.Now(), Message: "no money",
		}
		w.book.Raised(failed)
		w.book.Raised(failed)
		w.book.Delivered(failed.AlarmKey, "ding", errors.New("no answer"))
		assert.Empty(t, w.after(time.Minute))
		list := w.alarms(false)
		require.Len(t, list, 1)
		assert.EqualValues(t, 2, list[0].Count)
		sent, err := w.Deliveries(t.Context(), []int64{list[0].ID})
		require.NoError(t, err)
		assert.Equal(t, "no answer", sent[list[0].ID][0].Error)
		w.run(model.CodeSuccess)
		assert.Empty(t, w.after(time.Minute), "the manager sends that notice")
		assert.Empty(t, w.alarms(false))

		failed.LogID = w.run(model.CodeFail)
		w.book.Raised(failed)
		w.after(time.Minute)
		require.Len(t, w.alarms(false), 1)
		require.NoError(t, w.DeleteJob(t.Context(), w.job.ID))
		w.after(time.Minute)
		assert.Empty(t, w.alarms(false))
	})
}

// shakyStore fails while it is told to.
type shakyStore struct {
	*store.Store
	mu  sync.Mutex
	err error
}

func (s *shakyStore) RaiseAlarms(ctx context.Context, list []model.AlarmRecord) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	return s.Store.RaiseAlarms(ctx, list)
}

func TestBookOutlivesAFault(t *testing.T) {
	watch(t, func(t *testing.T, w *watching) {
		shaky := &shakyStore{Store: w.Store, err: errors.New("down")}
		book := NewBook(BookConfig{Store: shaky})
		ctx, cancel := context.WithCancel(t.Context())
		var loop sync.WaitGroup
		loop.Go(func() { book.Run(ctx) })
		for i := range bookKeys + 10 {
			book.Raised(model.AlarmRecord{
				AlarmKey: model.AlarmKey{What: model.AlarmOnLate, Kind: model.ChangeGroup, ObjectID: int32(i + 1)},
				Last:     time.Now(), Message: strings.Repeat("x", 2*maxMessage),
			})
		}
		w.holds.Store(false) // nobody ends them
		w.after(time.Minute)
		assert.Empty(t, w.alarms(false))
		shaky.mu.Lock()
		shaky.err = nil
		shaky.mu.Unlock()
		cancel()
		loop.Wait()
		n := 0
		for before := int64(0); ; n++ {
			list, err := w.Alarms(t.Context(), model.AlarmFilter{BeforeID: before, Limit: 1000})
			require.NoError(t, err)
			if len(list) == 0 {
				break
			}
			before, n = list[len(list)-1].ID, n+len(list)-1
		}
		assert.Equal(t, bookKeys, n, "what waited is stored at the end")
		assert.Zero(t, book.lost, "and the rest was reported")
	})
}

func TestMutedFailuresAreNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		var muted bool
		var results []string
		m := start(t, Config{
			Muted:     func(group, job int32) bool { return muted && group == 1 && job == 7 },
			Delivered: func(a *Alarm, channel string, _ error) { results = append(results, string(a.Kind)+" "+channel) },
		}, r)
		defer m.stop()
		muted = true
		m.Notify(failure(7, 70))
		synctest.Wait()
		assert.Empty(t, r.all())
		assert.Equal(t, model.AlarmNone, m.marks.get(70))
		muted = false
		m.Notify(failure(7, 71))
		synctest.Wait()
		require.Len(t, r.all(), 1)
		assert.Equal(t, []string{"run_failed c0"}, results)
		m.Tell(Alarm{Kind: RunLong, Job: failure(7, 0).Job, LogID: 72, Limit: time.Minute, Since: time.Now()})
		m.Tell(Alarm{Kind: RunLong})
		synctest.Wait()
		got := r.all()
		require.Len(t, got, 2)
		assert.Contains(t, got[1].title, "Run takes long")
		assert.Contains(t, got[1].text, "Limit: 1m0s")
		m.Tell(Alarm{Kind: Recovered, Of: NoExecutor, Job: &model.Job{GroupID: 1}, Group: "gold", Since: time.Now()})
		synctest.Wait()
		assert.Contains(t, r.all()[2].text, "Alarm: No executor")
	})
}
