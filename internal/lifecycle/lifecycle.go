// Package lifecycle keeps goroutines owned: whoever starts one can stop it and
// wait for its end.
package lifecycle

import (
	"context"
	"sync"
)

// Group is a set of goroutines with one context. The zero value is not usable;
// NewGroup makes one. All methods are safe for concurrent use.
type Group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	wg      sync.WaitGroup
	stopped bool // set by Stop, under mu, so that no Add races with Wait
}

// NewGroup returns a group whose goroutines see a context derived from ctx.
func NewGroup(ctx context.Context) *Group {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Group{ctx: ctx, cancel: cancel}
}

// Context returns the context that the goroutines are given.
func (g *Group) Context() context.Context { return g.ctx }

// Go runs f in a new goroutine and reports whether it did: a group that was
// stopped starts nothing more.
func (g *Group) Go(f func(ctx context.Context)) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return false
	}
	g.wg.Go(func() { f(g.ctx) })
	return true
}

// Stop cancels the context with cause and blocks until every goroutine has
// returned. It may be called any number of times, also concurrently.
func (g *Group) Stop(cause error) {
	g.mu.Lock()
	g.stopped = true
	g.mu.Unlock()
	g.cancel(cause)
	g.wg.Wait()
}
