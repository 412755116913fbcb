package xxljobtest_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/xxljobtest"
)

// TestRunReportsAsTheExecutor runs each way in which a handler can end.
func TestRunReportsAsTheExecutor(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk gone")
	tests := []struct {
		name        string
		handler     xxljob.HandlerFunc
		wantCode    int
		wantMsg     string
		wantErr     error
		wantNoRetry bool
	}{
		{name: "success without message", handler: func(context.Context, *xxljob.Run) error { return nil }, wantCode: 200},
		{name: "result message", wantCode: 200, wantMsg: "second", handler: func(_ context.Context, run *xxljob.Run) error {
			run.SetResult("first")
			run.SetResult("second")
			return nil
		}},
		{
			name: "error", wantCode: 500, wantMsg: "disk gone", wantErr: broken,
			handler: func(_ context.Context, run *xxljob.Run) error {
				run.SetResult("not shown")
				return broken
			},
		},
		{
			name: "skip", handler: func(context.Context, *xxljob.Run) error { return xxljob.Skip("nothing to do") },
			wantCode: 200, wantMsg: "nothing to do",
		},
		{
			name: "no retry", handler: func(context.Context, *xxljob.Run) error { return xxljob.NoRetry(broken) },
			wantCode: 500, wantMsg: "disk gone", wantErr: broken, wantNoRetry: true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := xxljobtest.Run(t.Context(), tt.handler, xxljobtest.Trigger{})
			assert.Equal(t, tt.wantCode, got.Code)
			assert.Equal(t, tt.wantMsg, got.Msg)
			assert.Equal(t, tt.wantNoRetry, got.NoRetry)
			if tt.wantErr != nil {
				assert.ErrorIs(t, got.Err, tt.wantErr)
			}
			assert.False(t, got.Stranded)
		})
	}
}

func TestRunCatchesPanicAndGoexit(t *testing.T) {
	t.Parallel()
	got := xxljobtest.Run(t.Context(), func(context.Context, *xxljob.Run) error { panic("at the disco") }, xxljobtest.Trigger{})
	assert.Equal(t, 500, got.Code)
	assert.Contains(t, got.Msg, "panic: at the disco")
	var panicked *xxljob.PanicError
	require.ErrorAs(t, got.Err, &panicked)
	assert.Equal(t, "at the disco", panicked.Value)
	assert.Contains(t, string(panicked.Stack), "TestRunCatchesPanicAndGoexit")

	got = xxljobtest.Run(t.Context(), func(context.Context, *xxljob.Run) error { runtime.Goexit(); return nil }, xxljobtest.Trigger{})
	assert.Equal(t, 500, got.Code)
	assert.Contains(t, got.Msg, "Goexit")
}

func TestRunGivesTheTriggerToTheHandler(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_123)
	trigger := xxljobtest.Trigger{
		JobID: 7, LogID: 1 << 40, Time: at, Handler: "close-day", Param: "p", ShardIndex: 1, ShardTotal: 3,
		Timeout: 1500 * time.Millisecond, Recovered: true,
	}
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "value")
	got := xxljobtest.Run(ctx, func(ctx context.Context, run *xxljob.Run) error {
		assert.Equal(t, 7, run.JobID())
		assert.Equal(t, int64(1<<40), run.LogID())
		assert.True(t, at.Equal(run.TriggerTime()))
		assert.Equal(t, "close-day", run.Handler())
		assert.Equal(t, "p", run.Param())
		assert.Equal(t, 1, run.ShardIndex())
		assert.Equal(t, 3, run.ShardTotal())
		assert.Equal(t, []string{"b", "e"}, xxljob.Shard(run, []string{"a", "b", "c", "d", "e"}))
		assert.Equal(t, 2*time.Second, run.Timeout(), "the protocol carries whole seconds")
		assert.True(t, run.Recovered())
		assert.Same(t, run, xxljob.RunFromContext(ctx))
		assert.Equal(t, "value", ctx.Value(key{}))
		_, hasDeadline := ctx.Deadline()
		assert.True(t, hasDeadline)
		return nil
	}, trigger)
	assert.Equal(t, 200, got.Code)
}

func TestRunFillsInDefaults(t *testing.T) {
	t.Parallel()
	before := time.Now().Truncate(time.Millisecond)
	xxljobtest.Run(t.Context(), func(ctx context.Context, run *xxljob.Run) error {
		assert.Equal(t, 1, run.JobID())
		assert.Equal(t, int64(1), run.LogID())
		assert.Equal(t, 1, run.ShardTotal())
		assert.Zero(t, run.Timeout())
		assert.False(t, run.TriggerTime().Before(before))
		_, hasDeadline := ctx.Deadline()
		assert.False(t, hasDeadline)
		return nil
	}, xxljobtest.Trigger{})
	assert.PanicsWithValue(t, "xxljobtest: Run: the handler is nil", func() {
		xxljobtest.Run(t.Context(), nil, xxljobtest.Trigger{})
	})
}

func TestRunKeepsTheLog(t *testing.T) {
	t.Parallel()
	var late *xxljob.Run
	got := xxljobtest.Run(t.Context(), func(ctx context.Context, run *xxljob.Run) error {
		late = run
		run.Logf("line %d\nand more", 1)
		run.Logger().WarnContext(ctx, "slow", slog.Duration("took", 3*time.Second))
		run.Logf("looks [like]-[1]-[a head] of an entry")
		return errors.New("broken")
	}, xxljobtest.Trigger{Param: "p1"})

	assert.Equal(t, []string{"line 1\nand more", "WARN slow took=3s", "looks [like]-[1]-[a head] of an entry"}, got.Entries)
	assert.Contains(t, got.Log, "xxl-job job execute start -----------<br>----------- Param:p1\n")
	assert.Regexp(t, `\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[xxljobtest_test\.run_test#TestRunKeepsTheLog\.func1\]-\[\d+\]-\[.+\] line 1\nand more\n`, got.Log)
	assert.Contains(t, got.Log, "JobThread Exception:broken")

	late.Logf("too late")
	again := xxljobtest.Run(t.Context(), func(context.Context, *xxljob.Run) error { return nil }, xxljobtest.Trigger{})
	assert.Empty(t, again.Entries)
}

// TestRunTimeout shows the timeout with exact, fake times: for a handler that
// stops, one that succeeds all the same, and one that is deaf.
func TestRunTimeout(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		handler      xxljob.HandlerFunc
		wantStranded bool
		wantDuration time.Duration
	}{
		{name: "returns the context's error", wantDuration: 5 * time.Second, handler: func(ctx context.Context, _ *xxljob.Run) error {
			<-ctx.Done()
			return ctx.Err()
		}},
		{name: "succeeds late", wantDuration: 6 * time.Second, handler: func(ctx context.Context, _ *xxljob.Run) error {
			<-time.After(6 * time.Second)
			return nil
		}},
		{name: "is deaf", wantStranded: true, wantDuration: 7800 * time.Millisecond, handler: func(context.Context, *xxljob.Run) error {
			<-time.After(time.Hour)
			return nil
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got := xxljobtest.Run(t.Context(), func(ctx context.Context, run *xxljob.Run) error {
					err := tt.handler(ctx, run)
					assert.ErrorIs(t, context.Cause(ctx), xxljob.ErrTimeout)
					return err
				}, xxljobtest.Trigger{Timeout: 5 * time.Second})
				assert.Equal(t, 502, got.Code)
				assert.Equal(t, "job execute timeout ", got.Msg)
				assert.Equal(t, tt.wantDuration, got.Duration)
				assert.Equal(t, tt.wantStranded, got.Stranded)
				if tt.wantStranded {
					assert.ErrorIs(t, got.Err, xxljob.ErrTimeout)
					assert.Contains(t, got.Log, "TestRunTimeout", "the stack of the handler is in the log")
					<-time.After(time.Hour) // fake time, in which the handler ends
				}
			})
		})
	}
}

// TestRunStops ends the context with each cause.
func TestRunStops(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		cause     error
		wantCause error
		wantMsg   string
	}{
		{name: "kill", cause: xxljob.ErrKilled, wantCause: xxljob.ErrKilled, wantMsg: "scheduling center kill job. [job running, killed]"},
		{name: "cover", cause: xxljob.ErrCovered, wantCause: xxljob.ErrCovered, wantMsg: "block strategy effect：Cover Early [job running, killed]"},
		{
			name: "replaced", cause: xxljob.ErrReplaced, wantCause: xxljob.ErrReplaced,
			wantMsg: "change jobhandler or glue type, and terminate the old job thread. [job running, killed]",
		},
		{
			name: "shutdown", cause: xxljob.ErrShutdown, wantCause: xxljob.ErrShutdown,
			wantMsg: "web container destroy and kill the job. [job running, killed]",
		},
		{name: "any other", cause: nil, wantCause: xxljob.ErrKilled, wantMsg: "scheduling center kill job. [job running, killed]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Minute, func() { cancel(tt.cause) })
				var cause error
				got := xxljobtest.Run(ctx, func(ctx context.Context, _ *xxljob.Run) error {
					<-ctx.Done()
					cause = context.Cause(ctx)
					return nil
				}, xxljobtest.Trigger{})
				assert.Equal(t, 500, got.Code)
				assert.Equal(t, tt.wantMsg, got.Msg)
				assert.Equal(t, tt.wantCause, cause)
				assert.Equal(t, time.Minute, got.Duration)
			})
		})
	}
}

func TestRunOfAnEndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(xxljob.ErrShutdown)
	var seen error
	got := xxljobtest.Run(ctx, func(ctx context.Context, _ *xxljob.Run) error {
		seen = context.Cause(ctx)
		return nil
	}, xxljobtest.Trigger{})
	assert.Equal(t, xxljob.ErrShutdown, seen)
	assert.Equal(t, 500, got.Code)
}

func TestRunTyped(t *testing.T) {
	t.Parallel()
	type params struct{ Day string }
	handler := func(_ context.Context, run *xxljob.Run, p params) error {
		run.SetResult("day " + p.Day)
		return nil
	}
	got := xxljobtest.RunTyped(t.Context(), handler, xxljobtest.Trigger{Param: `{"Day":"monday"}`})
	assert.Equal(t, "day monday", got.Msg)

	got = xxljobtest.RunTyped(t.Context(), handler, xxljobtest.Trigger{Param: `{"Day":"monday","Month":5}`})
	assert.Equal(t, 500, got.Code)
	assert.True(t, got.NoRetry)
	assert.Contains(t, got.Msg, "Month")

	got = xxljobtest.RunTyped(t.Context(), handler, xxljobtest.Trigger{Param: `{"Day":"monday","Month":5}`}, xxljob.LenientParams())
	assert.Equal(t, 200, got.Code)
	assert.Panics(t, func() { xxljobtest.RunTyped[params](t.Context(), nil, xxljobtest.Trigger{}) })
}

func TestRunRegistered(t *testing.T) {
	t.Parallel()
	executor, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{"http://127.0.0.1"}, AppName: "demo", AccessToken: "secret",
	})
	require.NoError(t, err)
	var calls []string
	note := func(name string) xxljob.Middleware {
		return func(next xxljob.HandlerFunc) xxljob.HandlerFunc {
			return func(ctx context.Context, run *xxljob.Run) error {
				calls = append(calls, name)
				return next(ctx, run)
			}
		}
	}
	require.NoError(t, executor.Use(note("outer"), note("inner")))
	require.NoError(t, executor.Register("job", func(_ context.Context, run *xxljob.Run) error {
		calls = append(calls, "handler "+run.Handler())
		return nil
	}, xxljob.Init(func(context.Context) error { calls = append(calls, "init"); return nil }),
		xxljob.Destroy(func() { calls = append(calls, "destroy") })))
	require.NoError(t, executor.Register("no init", func(context.Context, *xxljob.Run) error { return nil },
		xxljob.Init(func(context.Context) error { return errors.New("no database") })))

	got := xxljobtest.RunRegistered(t.Context(), executor, "job", xxljobtest.Trigger{})
	assert.Equal(t, 200, got.Code)
	assert.Equal(t, []string{"init", "outer", "inner", "handler job", "destroy"}, calls)

	got = xxljobtest.RunRegistered(t.Context(), executor, "no init", xxljobtest.Trigger{})
	assert.Equal(t, "init of handler no init: no database", got.Msg)
	assert.Panics(t, func() { xxljobtest.RunRegistered(t.Context(), executor, "unknown", xxljobtest.Trigger{}) })
}
