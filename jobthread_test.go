package xxljob

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// testLogger writes everything to w.
func testLogger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(&syncWriter{w: w}, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

type syncWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *syncWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// The cause of a context says why a run ended, and errors.Is knows it.
func TestContextCauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		causes := make(chan error, 10)
		b := newBed(t, nil, func(e *Executor) {
			for _, name := range []string{"wait", "other"} {
				require.NoError(t, e.Register(name, func(ctx context.Context, _ *Run) error {
					<-ctx.Done()
					causes <- context.Cause(ctx)
					return ctx.Err()
				}))
			}
		})
		b.mustRun(trig{id: 1, handler: "wait", timeout: 2})
		assert.ErrorIs(t, <-causes, ErrTimeout)
		b.mustRun(trig{id: 2, handler: "wait"})
		synctest.Wait()
		b.post("/kill", `{"jobId":2}`)
		assert.ErrorIs(t, <-causes, ErrKilled)
		b.mustRun(trig{id: 3, handler: "wait"})
		synctest.Wait()
		b.mustRun(trig{id: 3, handler: "wait", block: wire.BlockCoverEarly})
		assert.ErrorIs(t, <-causes, ErrCovered)
		synctest.Wait()
		b.mustRun(trig{id: 3, handler: "other"})
		assert.ErrorIs(t, <-causes, ErrReplaced)
		synctest.Wait()
		b.close()
		assert.ErrorIs(t, <-causes, ErrShutdown)
	})
}

// The executorTimeout is the deadline of the handler's context, and begins
// when the handler does, not while it waits for a slot.
func TestTimeoutBeginsWithTheHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, func(cfg *Config) { cfg.MaxConcurrent = 1 }, registerTestHandlers)
		b.mustRun(trig{id: 1, handler: "sleep", param: "5000"})
		synctest.Wait()
		b.mustRun(trig{id: 2, handler: "sleep", param: "1500", timeout: 2})
		b.mustRun(trig{id: 3, handler: "sleep", param: "1500", timeout: 1})
		assert.EqualValues(t, 200, b.admin.node(1).next(t).Code)
		codes := []int32{b.admin.node(1).next(t).Code, b.admin.node(1).next(t).Code}
		assert.ElementsMatch(t, []int32{200, 502}, codes)
	})
}

// A run that waits for a slot counts as running for DISCARD_LATER and
// idleBeat, can be killed, and gives nothing up.
func TestConcurrencyLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		b := newBed(t, func(cfg *Config) { cfg.MaxConcurrent = 3 }, func(e *Executor) {
			h := func(context.Context, *Run) error {
				most.Store(max(most.Load(), now.Add(1)))
				defer now.Add(-1)
				<-time.After(time.Second)
				return nil
			}
			require.NoError(t, e.Register("two", h, MaxConcurrent(2)))
			require.NoError(t, e.Register("any", h))
		})
		for id := range 8 {
			b.mustRun(trig{id: id, handler: "two"})
		}
		synctest.Wait()
		assert.EqualValues(t, 2, most.Load())
		assert.Equal(t, wire.TextBusy, b.post("/idleBeat", `{"jobId":7}`).Msg)
		assert.Equal(t, 2, b.e.Stats().Running)
		waiting := 0
		for _, info := range b.e.Runs() {
			if info.Since.IsZero() {
				waiting++
			}
		}
		assert.Equal(t, 6, waiting)
		for id := range 5 {
			b.mustRun(trig{id: 100 + id, handler: "any"})
		}
		synctest.Wait()
		assert.EqualValues(t, 3, most.Load())
		b.post("/kill", `{"jobId":7}`)
		killed := b.admin.node(1).next(t)
		for killed.Code == 200 {
			killed = b.admin.node(1).next(t)
		}
		assert.Equal(t, wire.ReasonKilled+wire.SuffixRunning, killed.Msg.String)
		after(time.Minute)
		assert.EqualValues(t, 12, b.e.Stats().Succeeded)
		assert.EqualValues(t, 3, most.Load())
	})
}

// A handler that goes on is reported within 3 s, counted, its stack is in the
// run's log, its slot is free, and at the limit its handler takes no more.
func TestStrandedHandlers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		var hooked atomic.Int64
		b := newBed(t, func(cfg *Config) {
			cfg.MaxConcurrent, cfg.MaxStranded, cfg.Logger = 1, 2, testLogger(&log)
			cfg.Hooks.HandlerStranded = func(*Run, string) { hooked.Add(1) }
		}, registerTestHandlers)
		for id := range 2 {
			b.mustRun(trig{id: id, logID: int64(10 + id), handler: "stubborn", param: "60000"})
			synctest.Wait()
			start := time.Now()
			b.post("/kill", `{"jobId":`+itoa(int64(id))+`}`)
			assert.Equal(t, wire.ReasonKilled+wire.SuffixRunning, b.admin.node(1).next(t).Msg.String)
			assert.LessOrEqual(t, time.Since(start), 3*time.Second)
			assert.Equal(t, id+1, b.e.Stats().Stranded)
			assert.Contains(t, b.file(int64(10+id)), "xxljob.stubbornHandler")
		}
		assert.EqualValues(t, 2, hooked.Load())
		runs := b.e.Runs()
		require.Len(t, runs, 2)
		assert.True(t, runs[0].Stranded && runs[1].Stranded)
		stack, err := b.e.Stack(10)
		require.NoError(t, err)
		assert.Contains(t, stack, "xxljob.stubbornHandler", "the stack of one left behind can be asked for")
		assert.Contains(t, log.String(), "goroutine left behind")
		r := b.run(trig{id: 3, handler: "stubborn", param: "1"})
		assert.Equal(t, 500, r.Code)
		assert.Contains(t, r.Msg, "MaxStranded")
		b.mustRun(trig{id: 0, handler: "echo"}) // others go on, also with the one slot
		assert.EqualValues(t, 200, b.admin.node(1).next(t).Code)
		after(time.Minute)
		assert.Zero(t, b.e.Stats().Stranded)
		_, behind, left := strings.Cut(b.file(10), wire.LogStranded)
		assert.True(t, left)
		assert.Contains(t, behind, wire.LogReturned, "whoever reads the log knows that it needs no restart")
		b.mustRun(trig{id: 3, handler: "stubborn", param: "1"})
		assert.EqualValues(t, 200, b.admin.node(1).next(t).Code)
		assert.Contains(t, log.String(), "stranded handler returned")
	})
}

// Runs lists what runs; Stack shows where.
func TestRunsAndStack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.mustRun(trig{id: 1, logID: 5, handler: "sleep", param: "60000"})
		b.mustRun(trig{id: 1, logID: 6, handler: "sleep", param: "1"})
		after(10 * time.Second)
		runs := b.e.Runs()
		require.Len(t, runs, 1)
		assert.Equal(t, RunInfo{JobID: 1, LogID: 5, Handler: "sleep", Param: "60000", Since: runs[0].Since, Age: 10 * time.Second, Queued: 1}, runs[0])
		stack, err := b.e.Stack(5)
		require.NoError(t, err)
		assert.Contains(t, stack, "xxljob.sleepHandler")
		_, err = b.e.Stack(6)
		assert.ErrorIs(t, err, ErrNoSuchRun)
		b.post("/kill", `{"jobId":1}`)
	})
}

// The queue, the queue's memory and the number of jobs are bounded; a refusal
// says the limit, and what was accepted is not touched.
func TestQueueLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, func(cfg *Config) { cfg.MaxQueuePerJob, cfg.MaxQueueBytes, cfg.MaxJobs = 2, 4000, 2 }, registerTestHandlers)
		b.mustRun(trig{id: 1, handler: "sleep", param: "1000"})
		synctest.Wait()
		b.mustRun(trig{id: 1, handler: "sleep", param: "1"})
		b.mustRun(trig{id: 1, handler: "sleep", param: "1"})
		assert.Contains(t, b.run(trig{id: 1, handler: "sleep"}).Msg, "queue of job 1 is full: 2 triggers wait, which is the limit (MaxQueuePerJob)")
		assert.Contains(t, b.run(trig{id: 2, handler: "sleep", param: strings.Repeat("1", 4000)}).Msg, "MaxQueueBytes")
		b.mustRun(trig{id: 2, handler: "sleep", param: "1000"})
		assert.Contains(t, b.run(trig{id: 3, handler: "sleep"}).Msg, "2 jobs are live, which is the limit (MaxJobs)")
		after(time.Minute)
		assert.EqualValues(t, 4, b.e.Stats().Succeeded)
		assert.EqualValues(t, 3, b.e.Stats().Refused)
		assert.Zero(t, b.e.Stats().Queued)
	})
}

// A trigger at the instant at which an idle job thread ends is never lost.
func TestTriggerAtIdleEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, func(cfg *Config) { cfg.IdleTimeout = time.Second }, registerTestHandlers)
		const rounds = 500
		for range rounds {
			b.mustRun(trig{id: 1, handler: "echo"})
			<-b.admin.node(1).got
			// The thread's timer and this one fire at the same instant, in any order.
			<-time.After(time.Second)
		}
		after(time.Minute)
		assert.EqualValues(t, rounds, b.e.Stats().Succeeded)
	})
}

// Whatever interleaving of kill, cover, timeout and end: one result a run.
func TestInterleavingsGiveOneResult(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			b := newBed(t, nil, registerTestHandlers)
			rnd := rand.New(rand.NewPCG(seed, 1))
			accepted := map[int64]bool{}
			for range 50 {
				b.nextID++
				j := trig{id: rnd.IntN(3), logID: b.nextID, timeout: rnd.IntN(3)}
				j.handler = []string{"sleep", "stubborn", "echo"}[rnd.IntN(3)]
				j.param = []string{"0", "999", "1000", "1001", "2800", "3000", "5000"}[rnd.IntN(7)]
				j.block = []string{wire.BlockSerial, wire.BlockCoverEarly, wire.BlockDiscardLater}[rnd.IntN(3)]
				if b.run(j).Code == 200 {
					accepted[j.logID] = true
				}
				if rnd.IntN(4) == 0 {
					b.post("/kill", `{"jobId":`+itoa(int64(rnd.IntN(3)))+`}`)
				}
				<-time.After([]time.Duration{0, time.Millisecond, time.Second, 2800 * time.Millisecond}[rnd.IntN(4)])
			}
			after(10 * time.Minute)
			results := map[int64]int{}
			for len(b.admin.node(1).got) > 0 {
				results[(<-b.admin.node(1).got).LogID]++
			}
			for id := range accepted {
				assert.Equal(t, 1, results[id], "seed %d, run %d", seed, id)
			}
			assert.Len(t, results, len(accepted))
			stats := b.e.Stats()
			assert.Zero(t, stats.Stranded+stats.Running+stats.Queued)
		})
	}
}

// A hook that panics is logged and changes nothing.
func TestHookPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		b := newBed(t, func(cfg *Config) {
			cfg.Logger = testLogger(&log)
			cfg.Hooks = Hooks{
				TriggerAccepted:  func(*Run) { panic("a") },
				TriggerRefused:   func(int, int64, string) { panic("b") },
				RunStarted:       func(*Run) { panic("c") },
				RunFinished:      func(*Run, RunResult) { panic("d") },
				HandlerStranded:  func(*Run, string) { panic("e") },
				ResultsDelivered: func(int, string) { panic("f") },
			}
		}, registerTestHandlers)
		b.mustRun(trig{id: 1, handler: "stubborn", param: "60000", timeout: 1})
		b.run(trig{id: 1, handler: "x"})
		assert.EqualValues(t, 502, b.admin.node(1).next(t).Code)
		after(2 * time.Minute)
		assert.Equal(t, 6, strings.Count(log.String(), "hook panicked"))
	})
}

// Every accepted trigger has one RunFinished, whatever becomes of it, with the
// reason.
func TestRunFinishedHook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		finished := map[int64]error{}
		b := newBed(t, func(cfg *Config) {
			cfg.Hooks.RunFinished = func(run *Run, r RunResult) {
				mu.Lock()
				defer mu.Unlock()
				finished[run.LogID()] = r.Err
			}
		}, registerTestHandlers)
		b.mustRun(trig{id: 1, logID: 1, handler: "stubborn", param: "60000"})
		b.mustRun(trig{id: 1, logID: 2, handler: "stubborn", param: "60000"})
		b.mustRun(trig{id: 2, logID: 3, handler: "stubborn", param: "60000", timeout: 1})
		synctest.Wait()
		b.post("/kill", `{"jobId":1}`)
		after(2 * time.Minute)
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(t, map[int64]error{1: ErrKilled, 2: ErrKilled, 3: ErrTimeout}, finished)
	})
}

// Hooks tell what happens.
func TestHooks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var seen []string
		note := func(s string) { mu.Lock(); defer mu.Unlock(); seen = append(seen, s) }
		b := newBed(t, func(cfg *Config) {
			cfg.Hooks = Hooks{
				TriggerAccepted: func(run *Run) { note("accepted " + itoa(run.LogID())) },
				TriggerRefused:  func(_ int, id int64, reason string) { note("refused " + itoa(id) + " " + reason) },
				RunStarted:      func(run *Run) { note("started " + itoa(run.LogID())) },
				RunFinished: func(run *Run, r RunResult) {
					note("finished " + itoa(run.LogID()) + " " + r.Msg + " " + r.Duration.String())
				},
				ResultsDelivered: func(n int, admin string) { note("delivered " + itoa(int64(n)) + " " + admin) },
			}
		}, registerTestHandlers)
		b.mustRun(trig{id: 1, logID: 5, handler: "sleep", param: "1000"})
		b.admin.node(1).next(t)
		synctest.Wait()
		b.run(trig{id: 1, logID: 6, handler: "x"})
		assert.ElementsMatch(t, []string{
			"accepted 5", "started 5", "finished 5 slept 1s", "delivered 1 http://admin-1/xxl-job-admin",
			"refused 6 job handler [x] not found.",
		}, seen)
	})
}

// What a log ends with is in it although its limit was reached.
func TestEndLineBeyondTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, func(cfg *Config) { cfg.MaxRunLogBytes = 2000 }, registerTestHandlers)
		b.mustRun(trig{id: 1, logID: 5, handler: "lines", param: "100"})
		b.admin.node(1).next(t)
		after(time.Second)
		log := b.file(5)
		assert.Contains(t, log, "log limit of 2000 bytes reached")
		assert.NotContains(t, log, "line 100\n")
		assert.Contains(t, log, "Result: handleCode=200")
		assert.True(t, strings.HasSuffix(log, wire.LogCallbackDone+"\n"))
	})
}

// DrainDelay comes before ShutdownTimeout: handlers have their time after it.
func TestDrainDelayIsExtra(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, func(cfg *Config) { cfg.DrainDelay = 35 * time.Second }, registerTestHandlers)
		b.stop()
		after(34 * time.Second)
		b.mustRun(trig{id: 1, handler: "sleep", param: "20000"})
		assert.EqualValues(t, 200, b.admin.node(1).next(t).Code)
	})
}
