package xxljob

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
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

func newTestExecutor(t *testing.T) *Executor {
	t.Helper()
	e, err := NewExecutor(Config{AdminAddrs: []string{"http://admin-1"}, AppName: testApp, AccessToken: testToken, LogPath: t.TempDir()})
	require.NoError(t, err)
	return e
}

func TestRegisterFaults(t *testing.T) {
	t.Parallel()
	e := newTestExecutor(t)
	require.NoError(t, e.Register("a", echoHandler))
	assert.ErrorContains(t, e.Register(" ", echoHandler), "name is empty")
	assert.ErrorContains(t, e.Register("b", nil), "function is nil")
	assert.ErrorContains(t, RegisterTyped[int](e, "b", nil), "function is nil")
	assert.ErrorContains(t, e.Register("a", echoHandler), "xxl-job jobhandler[a] naming conflicts")
	assert.ErrorContains(t, e.Register("c", echoHandler, MaxConcurrent(-1)), "negative")
	err := e.Run(t.Context())
	assert.ErrorContains(t, err, "name is empty", "Run tells what Register's caller ignored")
	assert.ErrorContains(t, err, "naming conflicts")
	assert.ErrorIs(t, e.Register("d", echoHandler), ErrRunning)
	assert.ErrorIs(t, e.Use(), ErrRunning)
}

type params struct {
	Day   string `json:"day"`
	Count int    `json:"count"`
}

func TestRegisterTyped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, handler, param string
		code                 int32
		msg                  string
		noRetry              bool
	}{
		{name: "all fields", handler: "strict", param: `{"day":"monday","count":3}`, code: 200, msg: "monday 3"},
		{name: "empty param is the zero value", handler: "strict", param: " ", code: 200, msg: " 0"},
		{name: "unknown field", handler: "strict", param: `{"dya":"monday"}`, code: 500, msg: `unknown field "dya"`, noRetry: true},
		{name: "unknown field, lenient", handler: "lenient", param: `{"dya":"monday","count":1}`, code: 200, msg: " 1"},
		{name: "no JSON", handler: "lenient", param: "monday", code: 500, msg: "job parameter is not valid JSON for this handler", noRetry: true},
		{name: "two values", handler: "strict", param: "{}{}", code: 500, msg: "text after the JSON value", noRetry: true},
		{name: "wrong type", handler: "strict", param: `{"count":"x"}`, code: 500, msg: "count", noRetry: true},
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, func(e *Executor) {
			h := func(_ context.Context, run *Run, p params) error {
				run.SetResult(fmt.Sprintf("%s %d", p.Day, p.Count))
				return nil
			}
			require.NoError(t, RegisterTyped(e, "strict", h))
			require.NoError(t, RegisterTyped(e, "lenient", h, LenientParams()))
		})
		for _, tt := range tests {
			b.mustRun(trig{id: 1, handler: tt.handler, param: tt.param})
			item := b.admin.node(1).next(t)
			assert.Equal(t, tt.code, item.Code, tt.name)
			assert.Contains(t, item.Msg.String, tt.msg, tt.name)
			assert.Equal(t, tt.noRetry, item.NoRetry, tt.name)
		}
	})
}

// Every way in which a handler can end becomes a result.
func TestHandlerOutcomes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		handler HandlerFunc
		code    int32
		msg     string
		noMsg   bool
		noRetry bool
	}{
		{name: "nil", handler: func(context.Context, *Run) error { return nil }, code: 200, noMsg: true},
		{name: "skip", handler: func(context.Context, *Run) error { return Skip("nothing to do") }, code: 200, msg: "nothing to do"},
		{name: "wrapped skip", handler: func(context.Context, *Run) error { return fmt.Errorf("x: %w", Skip("none")) }, code: 200, msg: "none"},
		{name: "no retry", handler: func(context.Context, *Run) error { return NoRetry(errors.New("bad account")) }, code: 500, msg: "bad account", noRetry: true},
		{name: "no retry of nil", handler: func(context.Context, *Run) error { return NoRetry(nil) }, code: 200, noMsg: true},
		{name: "panic with nil", handler: func(context.Context, *Run) error { panic(nilValue) }, code: 500, msg: "panic called with nil argument"},
		{name: "panic with error", handler: func(context.Context, *Run) error { panic(errors.New("deep")) }, code: 500, msg: "panic: deep"},
		{name: "Goexit", handler: func(context.Context, *Run) error { runtime.Goexit(); return nil }, code: 500, msg: "runtime.Goexit"},
		{name: "Error panics", handler: func(context.Context, *Run) error { return badError{} }, code: 500, msg: "whose Error method panics"},
		{name: "own cancellation is no kill", handler: func(context.Context, *Run) error { return context.Canceled }, code: 500, msg: "context canceled"},
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, func(e *Executor) {
			for _, tt := range tests {
				require.NoError(t, e.Register(tt.name, tt.handler))
			}
		})
		for i, tt := range tests {
			for range 2 { // the job goes on afterwards
				b.mustRun(trig{id: i, handler: tt.name})
				item := b.admin.node(1).next(t)
				assert.Equal(t, tt.code, item.Code, tt.name)
				assert.Contains(t, item.Msg.String, tt.msg, tt.name)
				assert.Equal(t, !tt.noMsg, item.Msg.Valid, tt.name)
				assert.Equal(t, tt.noRetry, item.NoRetry, tt.name)
			}
		}
		assert.EqualValues(t, 2*4, b.e.Stats().Succeeded)
	})
}

// nilValue is what a handler panics with that panics with nil.
var nilValue any

type badError struct{}

func (badError) Error() string { panic("no text") }

// Middleware wraps handlers and scripts, the first given outermost, and sees
// panics as they are.
func TestMiddleware(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		note := func(name string) Middleware {
			return func(next HandlerFunc) HandlerFunc {
				return func(ctx context.Context, run *Run) error {
					assert.Same(t, run, RunFromContext(ctx))
					seen = append(seen, name+" "+run.Handler())
					return next(ctx, run)
				}
			}
		}
		b := newBed(t, scriptsOn, func(e *Executor) {
			require.NoError(t, e.Use(note("outer"), note("inner")))
			registerTestHandlers(e)
		})
		b.mustRun(trig{id: 1, handler: "echo"})
		b.admin.node(1).next(t)
		b.mustRun(trig{id: 2, glue: wire.GlueTypeShell, source: "exit 0"})
		b.admin.node(1).next(t)
		assert.Equal(t, []string{"outer echo", "inner echo", "outer GLUE_SHELL", "inner GLUE_SHELL"}, seen)
	})
}

// A failing Init fails the run, and is tried again; Destroy follows only a
// successful one.
func TestInitAndDestroy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var calls []string
		note := func(call string) { mu.Lock(); defer mu.Unlock(); calls = append(calls, call) }
		seen := func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(calls) }
		fails := true
		b := newBed(t, nil, func(e *Executor) {
			require.NoError(t, e.Register("hooked", stubbornHandler,
				Init(func(context.Context) error {
					note("init")
					if fails {
						fails = false
						return errors.New("no database")
					}
					return nil
				}),
				Destroy(func() { note("destroy"); panic("in a hook") })))
		})
		b.mustRun(trig{id: 1, handler: "hooked", param: "1"})
		assert.Equal(t, "init of handler hooked: no database", b.admin.node(1).next(t).Msg.String)
		for range 2 {
			b.mustRun(trig{id: 1, handler: "hooked", param: "10000"})
		}
		synctest.Wait()
		b.post("/kill", `{"jobId":1}`)
		b.admin.node(1).next(t)
		b.admin.node(1).next(t)
		after(5 * time.Second)
		assert.Equal(t, []string{"init", "init"}, seen(), "Destroy waits for the handler that was left behind")
		after(10 * time.Second)
		assert.Equal(t, []string{"init", "init", "destroy"}, seen())
	})
}

// Shutdown waits for Destroy hooks, but not beyond its limit.
func TestShutdownWaitsForDestroy(t *testing.T) {
	t.Parallel()
	for hook, want := range map[time.Duration]bool{4 * time.Second: true, time.Hour: false} {
		synctest.Test(t, func(t *testing.T) {
			var destroyed atomic.Bool
			b := newBed(t, nil, func(e *Executor) {
				require.NoError(t, e.Register("hooked", echoHandler,
					Init(func(context.Context) error { return nil }),
					Destroy(func() { <-time.After(hook); destroyed.Store(true) })))
			})
			b.mustRun(trig{id: 1, handler: "hooked"})
			b.admin.node(1).next(t)
			start := time.Now()
			b.close()
			assert.Equal(t, want, destroyed.Load())
			assert.LessOrEqual(t, time.Since(start), 35*time.Second)
			after(time.Hour)
		})
	}
}

func TestShards(t *testing.T) {
	t.Parallel()
	items := make([]int, 100)
	for i := range items {
		items[i] = i
	}
	seen := map[int]int{}
	for index := range 7 {
		run := &Run{trigger: wire.TriggerRequest{BroadcastIndex: int32(index), BroadcastTotal: 7}}
		for _, item := range Shard(run, items) {
			seen[item]++
			assert.True(t, run.Owns(int64(item)))
		}
		assert.Equal(t, index == 4, run.Owns(-3), "negative ids belong to one shard too")
	}
	assert.Len(t, seen, 100)
	for item, n := range seen {
		assert.Equal(t, 1, n, item)
	}
	alone := &Run{}
	assert.Equal(t, items, Shard(alone, items), "outside of a broadcast everything is one's own")
	assert.Equal(t, 1, alone.ShardTotal())
}

// The logger writes Java's lines: level unless INFO, message, attributes.
func TestRunLogger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var kept *Run
		var tee strings.Builder
		b := newBed(t, func(cfg *Config) {
			cfg.LogRuns = true
			cfg.Logger = testLogger(&tee)
		}, func(e *Executor) {
			require.NoError(t, e.Register("log", func(ctx context.Context, run *Run) error {
				kept = run
				log := run.Logger()
				log.InfoContext(ctx, "rows copied", slog.Int("count", 3), slog.String("table", "a b"))
				log.With(slog.String("part", "x")).WithGroup("g").WarnContext(ctx, "slow",
					slog.Duration("took", 5*time.Second), slog.String("empty", ""))
				log.DebugContext(ctx, "several\nlines")
				return nil
			}))
		})
		b.mustRun(trig{id: 1, logID: 9, handler: "log"})
		b.admin.node(1).next(t)
		text := b.file(9)
		assert.Contains(t, text, `] rows copied count=3 table="a b"`+"\n")
		assert.Contains(t, text, `] WARN slow part=x g.took=5s g.empty=""`+"\n")
		assert.Contains(t, text, "] DEBUG several\nlines\n")
		assert.Regexp(t, `\[xxljob\.handler_test#TestRunLogger\.`, text, "the entry names its place")
		assert.Contains(t, tee.String(), "rows copied")
		assert.Contains(t, tee.String(), "log_id=9")

		after(time.Second)
		before := b.file(9)
		kept.Logger().Info("too late")
		kept.Logf("too late")
		after(time.Second)
		assert.Equal(t, before, b.file(9))
		assert.EqualValues(t, 2, b.e.Stats().LateLogEntries)
	})
}
