// Package supervise keeps loops alive: a loop that panics or returns before its
// time is started again, and when each last did its work is known to metrics
// and to the readiness probe.
package supervise

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/internal/lifecycle"
)

// restartPause is the time before a loop that ended is started again.
const restartPause = time.Second

// Loops is a set of supervised loops. The zero value is not usable; New makes
// one. All methods are safe for concurrent use.
type Loops struct {
	log *slog.Logger

	mu       sync.Mutex
	ticks    map[string]*tick
	restarts int
}

type tick struct {
	last  time.Time
	limit time.Duration
}

// New returns an empty set.
func New(log *slog.Logger) *Loops { return &Loops{log: log, ticks: make(map[string]*tick)} }

// Expect registers a loop by its name: it has to tick at least every limit to
// count as well. It counts from now on.
func (l *Loops) Expect(name string, limit time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ticks[name] = &tick{last: time.Now(), limit: limit}
}

// Tick notes that the loop has just done its work.
func (l *Loops) Tick(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.ticks[name]; t != nil {
		t.last = time.Now()
	}
}

// Ticker returns the function that ticks for the loop.
func (l *Loops) Ticker(name string) func() { return func() { l.Tick(name) } }

// Status is how a loop is.
type Status struct {
	Name  string
	Last  time.Time     // when it last did its work
	Limit time.Duration // how long it may take
	Late  bool
}

// Status lists the loops by name.
func (l *Loops) Status() []Status {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []Status
	for _, name := range slices.Sorted(maps.Keys(l.ticks)) {
		t := l.ticks[name]
		list = append(list, Status{Name: name, Last: t.last, Limit: t.limit, Late: now.Sub(t.last) > t.limit})
	}
	return list
}

// Restarts returns how often a loop had to be started again.
func (l *Loops) Restarts() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.restarts
}

// Go runs loop in the group until its context is done. A loop that panics, or
// returns before that, is started again after a second.
func (l *Loops) Go(g *lifecycle.Group, name string, loop func(ctx context.Context)) {
	g.Go(func(ctx context.Context) {
		for {
			err := once(ctx, loop)
			if ctx.Err() != nil {
				return
			}
			l.mu.Lock()
			l.restarts++
			l.mu.Unlock()
			l.log.ErrorContext(ctx, "loop ended and is started again", slog.String("loop", name), slog.Any("err", err))
			timer := time.NewTimer(restartPause)
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
		}
	})
}

// once runs the loop and turns its panic into an error.
func once(ctx context.Context, loop func(ctx context.Context)) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	loop(ctx)
	return nil
}
