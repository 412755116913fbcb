package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob"
)

// handlers are the jobs that other programs drive; their contract is in the
// package comment.
var handlers = map[string]xxljob.HandlerFunc{
	"echo":     echo,
	"sleep":    sleep,
	"stubborn": stubborn,
	"fail":     fail,
	"panic":    panicking,
	"lines":    lines,
	"bigmsg":   bigmsg,
	"shard":    shard,
	"spin":     spin,
	"bench":    bench,
	"mark":     mark,
}

func echo(_ context.Context, run *xxljob.Run) error {
	run.Logf("%s", run.Param())
	run.SetResult(run.Param())
	return nil
}

func sleep(ctx context.Context, run *xxljob.Run) error {
	d, err := milliseconds(run.Param())
	if err != nil {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		run.SetResult("slept")
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func stubborn(_ context.Context, run *xxljob.Run) error {
	d, err := milliseconds(run.Param())
	if err != nil {
		return err
	}
	time.Sleep(d)
	run.SetResult("stubborn done")
	return nil
}

func fail(_ context.Context, run *xxljob.Run) error { return errors.New(run.Param()) }

func panicking(_ context.Context, run *xxljob.Run) error { panic(run.Param()) }

func lines(_ context.Context, run *xxljob.Run) error {
	n, err := number(run.Param())
	if err != nil {
		return err
	}
	for i := 1; i <= n; i++ {
		run.Logf("line %d", i)
	}
	return nil
}

func bigmsg(_ context.Context, run *xxljob.Run) error {
	n, err := number(run.Param())
	if err != nil {
		return err
	}
	run.SetResult(strings.Repeat("x", n))
	return nil
}

func shard(_ context.Context, run *xxljob.Run) error {
	run.SetResult(fmt.Sprintf("%d/%d", run.ShardIndex(), run.ShardTotal()))
	return nil
}

// spins keeps the compiler from seeing through spin.
var spins atomic.Int64

func spin(context.Context, *xxljob.Run) error {
	for {
		spins.Add(1)
	}
}

func bench(context.Context, *xxljob.Run) error { return nil }

func mark(_ context.Context, run *xxljob.Run) (err error) {
	f, err := os.OpenFile(run.Param(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.WriteString(strconv.FormatInt(run.LogID(), 10) + "\n"); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() { // a FIFO has nothing to sync
		if err := f.Sync(); err != nil {
			return err
		}
	}
	run.SetResult("marked")
	return nil
}

// milliseconds reads a duration; an empty parameter is none.
func milliseconds(param string) (time.Duration, error) {
	n, err := number(param)
	return time.Duration(n) * time.Millisecond, err
}

// number reads a count; an empty parameter is 0.
func number(param string) (int, error) {
	param = strings.TrimSpace(param)
	if param == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(param)
	if err == nil && n < 0 {
		err = errors.New("below 0")
	}
	if err != nil {
		return 0, fmt.Errorf("the job's parameter %q must be a number: %w", param, err)
	}
	return n, nil
}
