package xxljob

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// registerTestHandlers registers the handlers that the tests of this package
// trigger.
func registerTestHandlers(e *Executor) {
	for name, h := range map[string]HandlerFunc{
		"echo":     echoHandler,
		"sleep":    sleepHandler,
		"stubborn": stubbornHandler,
		"fail":     func(_ context.Context, run *Run) error { return errors.New(run.Param()) },
		"panic":    func(_ context.Context, run *Run) error { panic(run.Param()) },
		"lines":    linesHandler,
		"bigmsg": func(_ context.Context, run *Run) error {
			n, err := strconv.Atoi(run.Param())
			run.SetResult(strings.Repeat("x", n))
			return err
		},
		"shard": func(_ context.Context, run *Run) error {
			run.SetResult(fmt.Sprintf("%d/%d", run.ShardIndex(), run.ShardTotal()))
			return nil
		},
	} {
		if err := e.Register(name, h); err != nil {
			panic(err)
		}
	}
}

func echoHandler(_ context.Context, run *Run) error {
	run.Logf("%s", run.Param())
	run.SetResult(run.Param())
	return nil
}

// sleepHandler waits the milliseconds of its parameter, or until cancelled.
func sleepHandler(ctx context.Context, run *Run) error {
	n, err := strconv.Atoi(run.Param())
	if err != nil {
		return err
	}
	select {
	case <-time.After(time.Duration(n) * time.Millisecond):
		run.SetResult("slept")
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stubbornHandler waits the milliseconds of its parameter whatever happens.
func stubbornHandler(_ context.Context, run *Run) error {
	n, err := strconv.Atoi(run.Param())
	if err != nil {
		return err
	}
	<-time.After(time.Duration(n) * time.Millisecond)
	run.SetResult("stubborn done")
	return nil
}

func linesHandler(_ context.Context, run *Run) error {
	n, err := strconv.Atoi(run.Param())
	for i := 1; i <= n; i++ {
		run.Logf("line %d", i)
	}
	return err
}
