package alarm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// sent is what a recorder was given.
type sent struct {
	title string
	text  string
	kind  Kind
	count int
	logID int64
	at    time.Time
}

// recorder is a service: it remembers what it gets, and does what answer says.
type recorder struct {
	answer func(ctx context.Context, n int) error // n counts attempts from 1; nil: all is well

	mu       sync.Mutex
	attempts int
	got      []sent
}

func (r *recorder) send(ctx context.Context, m *message) error {
	r.mu.Lock()
	r.attempts++
	n := r.attempts
	r.mu.Unlock()
	if r.answer != nil {
		if err := r.answer(ctx, n); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, sent{
		title: m.title, text: m.text(0), kind: m.alarm.Kind, count: m.alarm.Count, logID: m.alarm.LogID, at: time.Now(),
	})
	return nil
}

func (r *recorder) all() []sent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]sent(nil), r.got...)
}

// blackHole answers nothing until its caller gives up.
func blackHole(ctx context.Context, _ int) error {
	<-ctx.Done()
	return ctx.Err()
}

// marks remembers what Mark was told.
type marks struct {
	mu    sync.Mutex
	of    map[int64]model.AlarmStatus
	calls int
}

func (m *marks) mark(_ context.Context, ids []int64, status model.AlarmStatus) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if m.of == nil {
		m.of = make(map[int64]model.AlarmStatus)
	}
	for _, id := range ids {
		m.of[id] = status
	}
	return nil
}

func (m *marks) get(id int64) model.AlarmStatus {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of[id]
}

// running is a Manager whose channels are recorders.
type running struct {
	*Manager
	marks marks
	stop  func() // ends Run and waits for it
}

// start runs a Manager with a channel for each sender.
func start(t *testing.T, cfg Config, senders ...sender) *running {
	t.Helper()
	for i := range senders {
		if i >= len(cfg.Channels) {
			cfg.Channels = append(cfg.Channels, Channel{
				Name: fmt.Sprintf("c%d", i), Type: TypeWebhook, URL: "http://alarms.test/",
			})
		}
	}
	r := &running{}
	if cfg.Mark == nil {
		cfg.Mark = r.marks.mark
	}
	m, err := New(cfg)
	require.NoError(t, err)
	for i, s := range senders {
		m.lanes[i].sender = s
	}
	r.Manager = m
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-done)
	})
	t.Cleanup(r.stop)
	return r
}

// failure is the alarm of a run of the job that failed.
func failure(job int32, logID int64) Alarm {
	return Alarm{
		Kind: RunFailed, Job: &model.Job{ID: job, GroupID: 1, Name: fmt.Sprintf("job %d", job)}, Group: "orders",
		LogID: logID, TriggerCode: 200, HandleCode: 500, HandleMsg: "disk full", Address: "http://10.0.0.1:9999/",
	}
}

func TestNotifySendsThroughEveryChannelAndMarks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, two := &recorder{}, &recorder{}
		r := start(t, Config{}, one, two)
		r.Notify(failure(7, 70))
		synctest.Wait()
		require.Len(t, one.all(), 1)
		require.Len(t, two.all(), 1)
		got := one.all()[0]
		assert.Equal(t, "Job alarm: job 7 (7)", got.title)
		assert.Contains(t, got.text, "Alarm Job LogId=70\nHandleCode=disk full")
		assert.Equal(t, model.AlarmSent, r.marks.get(70))
		assert.Equal(t, int64(1), r.Stats().Channels[0].Sent)
	})
}

func TestFailuresInTheWindowMakeOneMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := &recorder{}
		r := start(t, Config{}, one)
		begin := time.Now()
		for i := range int64(8) { // one a minute
			r.Notify(failure(7, 70+i))
			synctest.Wait()
			assert.Len(t, one.all(), 1)
			<-time.After(time.Minute)
		}
		<-time.After(2*time.Minute + time.Second)
		synctest.Wait()
		got := one.all()
		require.Len(t, got, 2)
		assert.Equal(t, 7, got[1].count)
		assert.Contains(t, got[1].text, "Failures in this message: 7")
		assert.WithinDuration(t, begin.Add(10*time.Minute), got[1].at, time.Second)
		for i := range int64(8) {
			assert.Equal(t, model.AlarmSent, r.marks.get(70+i), "row %d", 70+i)
		}
		assert.Equal(t, int64(7), r.Stats().Collapsed)

		// The next window has nothing to say, and then a failure is news again.
		<-time.After(11 * time.Minute)
		synctest.Wait()
		assert.Len(t, one.all(), 2)
		r.Notify(failure(7, 99))
		synctest.Wait()
		assert.Len(t, one.all(), 3)
	})
}

func TestOtherFailuresOfAJobAreNews(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := &recorder{}
		r := start(t, Config{}, one)
		r.Notify(failure(7, 1))
		timeout := failure(7, 2)
		timeout.HandleCode = model.CodeTimeout
		r.Notify(timeout)
		lost := failure(7, 3)
		lost.Kind = RunLost
		r.Notify(lost)
		r.Notify(failure(8, 4))
		synctest.Wait()
		assert.Len(t, one.all(), 4)
	})
}

func TestWindowSwitchedOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := &recorder{}
		r := start(t, Config{Window: -1}, one)
		for i := range int64(5) {
			r.Notify(failure(7, i+1))
		}
		synctest.Wait()
		assert.Len(t, one.all(), 5)
	})
}

func TestRecoveryNotice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := &recorder{}
		r := start(t, Config{}, one)
		r.Recovered(7) // nobody was told of a failure
		r.Notify(failure(7, 1))
		<-time.After(time.Minute)
		r.Notify(failure(7, 2))
		r.Recovered(8)
		r.Recovered(7)
		r.Recovered(7)
		synctest.Wait()
		got := one.all()
		require.Len(t, got, 2)
		assert.Equal(t, Recovered, got[1].kind)
		assert.Equal(t, "Job recovered: job 7 (7)", got[1].title)
		assert.Contains(t, got[1].text, "Failures until it recovered: 2")
		assert.Zero(t, r.Stats().Failing)

		// What the notice counted is not told again, and a job that flaps makes no
		// notice for failures that were not told.
		r.Notify(failure(7, 3))
		r.Recovered(7)
		synctest.Wait()
		assert.Len(t, one.all(), 2)
		<-time.After(11 * time.Minute)
		synctest.Wait()
		got = one.all()
		require.Len(t, got, 3)
		assert.Equal(t, 1, got[2].count)
		r.Recovered(7)
		synctest.Wait()
		assert.Len(t, one.all(), 4)
	})
}

func TestABlackHoleDelaysNoOtherChannel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dead, alive := &recorder{answer: blackHole}, &recorder{}
		r := start(t, Config{}, dead, alive)
		begin := time.Now()
		for i := range int64(20) {
			r.Notify(failure(int32(i)+1, i+1))
		}
		assert.Equal(t, begin, time.Now(), "Notify blocked")
		synctest.Wait()
		got := alive.all()
		require.Len(t, got, 20)
		assert.Equal(t, begin, got[19].at)
		assert.Empty(t, dead.all())
		<-time.After(4 * time.Minute)
		synctest.Wait()
		for i := range int64(20) {
			assert.Equal(t, model.AlarmFailed, r.marks.get(i+1), "row %d: one channel failed", i+1)
		}
		stats := r.Stats().Channels[0]
		assert.Equal(t, int64(20), stats.Failed+stats.Dropped)
		assert.Positive(t, stats.Dropped, "an alarm waits for two minutes at most")
		assert.NotEmpty(t, stats.LastError)
	})
}

func TestEveryRowIsMarkedBeforeTheSweep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dead := &recorder{answer: blackHole}
		r := start(t, Config{}, dead)
		for i := range int64(300) { // more than the queue holds
			r.Notify(failure(int32(i)+1, i+1))
		}
		<-time.After(5 * time.Minute)
		synctest.Wait()
		for i := range int64(300) {
			assert.Equal(t, model.AlarmFailed, r.marks.get(i+1), "row %d", i+1)
		}
	})
}

func TestRetries(t *testing.T) {
	t.Parallel()
	boom := errors.New("connection refused")
	tests := []struct {
		name         string
		fail         func(n int) error
		wantAttempts int
		wantSent     int
		wantAfter    time.Duration
	}{
		{name: "at once", fail: func(int) error { return nil }, wantAttempts: 1, wantSent: 1},
		{name: "the third time", fail: func(n int) error {
			if n < 3 {
				return boom
			}
			return nil
		}, wantAttempts: 3, wantSent: 1, wantAfter: 3 * time.Second},
		{name: "never", fail: func(int) error { return boom }, wantAttempts: 4},
		{name: "of no use", fail: func(int) error { return permanent(boom) }, wantAttempts: 1},
		{name: "a refused address", fail: func(int) error { return fmt.Errorf("dial: %w", ErrRefusedAddress) }, wantAttempts: 1},
		{name: "a panic", fail: func(int) error { panic("boom") }, wantAttempts: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				one := &recorder{answer: func(_ context.Context, n int) error { return tt.fail(n) }}
				r := start(t, Config{}, one)
				begin := time.Now()
				r.Notify(failure(1, 1))
				<-time.After(time.Minute)
				synctest.Wait()
				assert.Equal(t, tt.wantAttempts, one.attempts)
				got := one.all()
				require.Len(t, got, tt.wantSent)
				want := model.AlarmFailed
				if tt.wantSent > 0 {
					want = model.AlarmSent
					assert.Equal(t, tt.wantAfter, got[0].at.Sub(begin))
				}
				assert.Equal(t, want, r.marks.get(1))
			})
		})
	}
}

func TestRateAndWhatWasNotSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := &recorder{}
		r := start(t, Config{Rate: 6, MaxWait: 61 * time.Second}, one)
		begin := time.Now()
		for i := range int64(30) {
			r.Notify(failure(int32(i)+1, i+1))
		}
		synctest.Wait()
		assert.Len(t, one.all(), 6, "a full bucket at once")
		<-time.After(2 * time.Minute)
		synctest.Wait()
		got := one.all()
		require.Len(t, got, 12, "and six more in the minute that an alarm waits")
		assert.WithinDuration(t, begin.Add(10*time.Second), got[6].at, 100*time.Millisecond)
		assert.Equal(t, int64(18), r.Stats().Channels[0].Dropped)
		assert.Equal(t, model.AlarmFailed, r.marks.get(30))

		r.Notify(failure(99, 99))
		synctest.Wait()
		got = one.all()
		assert.Contains(t, got[len(got)-1].text, "Alarms that were not sent before this one: 18")
		r.Notify(failure(100, 100))
		synctest.Wait()
		got = one.all()
		assert.NotContains(t, got[len(got)-1].text, "not sent before")
	})
}

func TestTheOldestStayInAFullQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		one := &recorder{answer: func(context.Context, int) error { <-release; return nil }}
		results := make(chan string, 16)
		r := start(t, Config{
			QueueSize: 2, Observe: func(_, result string) { results <- result },
		}, one)
		for i := range int64(6) {
			r.Notify(failure(int32(i)+1, i+1))
			synctest.Wait()
		}
		assert.Equal(t, int64(3), r.Stats().Channels[0].Dropped)
		assert.Equal(t, 2, r.Stats().Channels[0].Queued)
		close(release)
		synctest.Wait()
		var ids []int64
		for _, s := range one.all() {
			ids = append(ids, s.logID)
		}
		assert.Equal(t, []int64{1, 2, 3}, ids)
		assert.Equal(t, model.AlarmFailed, r.marks.get(6))
		assert.Equal(t, "dropped", <-results)
	})
}

func TestGroupsOfAChannel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := &recorder{}
		r := start(t, Config{Channels: []Channel{
			{Name: "orders", Type: TypeWebhook, URL: "http://alarms.test/", Groups: []int32{2}},
		}}, one)
		r.Notify(failure(1, 1))
		other := failure(2, 2)
		other.Job.GroupID = 2
		r.Notify(other)
		synctest.Wait()
		require.Len(t, one.all(), 1)
		assert.Equal(t, int64(2), one.all()[0].logID)
		assert.Equal(t, model.AlarmNone, r.marks.get(1), "no channel is for the job")
		assert.Equal(t, model.AlarmSent, r.marks.get(2))
	})
}

func TestMailOnlyGoesWhereThereIsAnAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := &recorder{}
		r := start(t, Config{Channels: []Channel{
			{Name: "mail", Type: TypeMail, Mail: &Mail{Host: "mail.test", From: "admin@mail.test"}},
		}}, one)
		r.Notify(failure(1, 1))
		addressed := failure(2, 2)
		addressed.Job.AlarmEmail = model.T(" , ops@mail.test")
		r.Notify(addressed)
		synctest.Wait()
		assert.Len(t, one.all(), 1)
		assert.Equal(t, model.AlarmNone, r.marks.get(1))
		assert.Equal(t, model.AlarmSent, r.marks.get(2))
	})
}

func TestRunEndsInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &recorder{answer: func(ctx context.Context, _ int) error {
			select {
			case <-time.After(1500 * time.Millisecond):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
		dead := &recorder{answer: blackHole}
		r := start(t, Config{}, slow, dead)
		for i := range int64(10) {
			r.Notify(failure(int32(i)+1, i+1))
		}
		synctest.Wait()
		begin := time.Now()
		r.stop()
		assert.Equal(t, 5*time.Second, time.Since(begin), "the time to drain")
		assert.Len(t, slow.all(), 3, "what fits into it")
		for i := range int64(10) {
			assert.Equal(t, model.AlarmFailed, r.marks.get(i+1), "row %d", i+1)
		}
		r.Notify(failure(50, 50)) // refused, without a panic
		r.Recovered(1)
		assert.ErrorIs(t, r.Run(t.Context()), ErrStarted)
	})
}

func TestStopWithNothingToDoIsImmediate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := &recorder{answer: func(context.Context, int) error { return errors.New("not now") }}
		r := start(t, Config{}, one)
		r.Notify(failure(1, 1))
		synctest.Wait() // it waits to try again
		begin := time.Now()
		r.stop()
		assert.Equal(t, begin, time.Now())
		assert.Equal(t, model.AlarmFailed, r.marks.get(1))
	})
}

func TestMarksAreBatchedAndRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		calls := 0
		stored := make(map[int64]bool)
		r := start(t, Config{Mark: func(_ context.Context, ids []int64, _ model.AlarmStatus) error {
			mu.Lock()
			defer mu.Unlock()
			calls++
			if calls == 1 {
				return errors.New("deadlock")
			}
			assert.LessOrEqual(t, len(ids), 512)
			for _, id := range ids {
				stored[id] = true
			}
			return nil
		}}, &recorder{})
		for i := range int64(2000) { // one is sent, the others are counted
			r.Notify(failure(1, i+1))
		}
		<-time.After(10 * time.Second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		assert.Len(t, stored, 2000)
		assert.Less(t, calls, 20)
		assert.Zero(t, r.Stats().Unmarked)
	})
}

func TestMarksThatCannotBeStoredAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{Mark: func(context.Context, []int64, model.AlarmStatus) error {
			return errors.New("database is gone")
		}}, &recorder{})
		r.Notify(failure(1, 1))
		<-time.After(time.Minute)
		synctest.Wait()
		assert.Equal(t, int64(1), r.Stats().Unmarked)
	})
}

func TestTestMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, dead := &recorder{}, &recorder{answer: blackHole}
		r := start(t, Config{TitlePrefix: "[prod] "}, one, dead)
		require.NoError(t, r.Test(t.Context(), "c0"))
		require.Len(t, one.all(), 1)
		assert.Equal(t, "[prod] Test alarm", one.all()[0].title)
		assert.ErrorIs(t, r.Test(t.Context(), "nope"), ErrUnknownChannel)
		begin := time.Now()
		assert.ErrorIs(t, r.Test(t.Context(), "c1"), context.DeadlineExceeded)
		assert.Equal(t, 10*time.Second, time.Since(begin))
	})
}

func TestNotifyFromManyGoroutinesWhileStopping(t *testing.T) {
	t.Parallel()
	for range 20 {
		r := start(t, Config{Rate: 1000}, &recorder{}, &recorder{})
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for i := range 50 {
					r.Notify(failure(int32(g*50+i), int64(i+1)))
					r.Recovered(int32(g*50 + i))
					_ = r.Stats()
				}
			})
		}
		r.stop()
		wg.Wait()
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := newMemory(10 * time.Minute)
	now := time.Now()
	for i := range int32(3 * maxWindows) {
		a := failure(i+1, 1)
		assert.True(t, m.failed(a.compact(), now.Add(time.Duration(i)*time.Millisecond)))
	}
	assert.Len(t, m.windows, maxWindows)
	assert.Len(t, m.episodes, maxEpisodes)
	assert.Nil(t, m.recovered(1, now), "the oldest is forgotten")
	assert.NotNil(t, m.recovered(3*maxWindows, now))
	assert.Empty(t, m.due(now.Add(time.Hour)))
	assert.Empty(t, m.windows)
	assert.Empty(t, m.queue)
}

func BenchmarkNotifyCollapsed(b *testing.B) {
	m, err := New(Config{})
	require.NoError(b, err)
	a := failure(1, 1)
	m.Notify(a)
	b.ReportAllocs()
	for b.Loop() {
		m.Notify(a)
	}
}

func BenchmarkRecoveredWhileAnotherFails(b *testing.B) {
	m, err := New(Config{})
	require.NoError(b, err)
	m.Notify(failure(1, 1))
	b.ReportAllocs()
	for b.Loop() {
		m.Recovered(2)
	}
}

// TestTrying: while a message is tried again, the channel says which attempt is
// next, when, and what was wrong with the one before.
func TestTrying(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &recorder{answer: func(ctx context.Context, n int) error {
			if n < 3 {
				return errors.New("answered HTTP 503")
			}
			return pauseOf(ctx, 5*time.Second)
		}}
		r := start(t, Config{}, slow)
		trying := func() *Trying {
			synctest.Wait()
			return r.Stats().Channels[0].Trying
		}
		assert.Nil(t, trying(), "nothing is sent")
		begin := time.Now()
		r.Notify(failure(7, 70))
		r.Notify(failure(8, 80))
		const fault = "answered HTTP 503"
		assert.Equal(t, &Trying{Attempt: 2, Attempts: 4, Next: begin.Add(time.Second), Error: fault}, trying())
		assert.Equal(t, 1, r.Stats().Channels[0].Queued)
		<-time.After(time.Second)
		assert.Equal(t, &Trying{Attempt: 3, Attempts: 4, Next: begin.Add(3 * time.Second), Error: fault}, trying())
		<-time.After(2 * time.Second)
		assert.Equal(t, &Trying{Attempt: 3, Attempts: 4, Error: fault}, trying(), "it runs")
		<-time.After(5 * time.Second)
		assert.Equal(t, &Trying{Attempt: 1, Attempts: 4}, trying(), "the next message")
		<-time.After(5 * time.Second)
		assert.Nil(t, trying())
		assert.Len(t, slow.all(), 2)
	})
}

// pauseOf takes its time.
func pauseOf(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
