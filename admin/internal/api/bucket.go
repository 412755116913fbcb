package api

import (
	"context"
	"sync"
	"time"
)

// Numbers of the job API's rate limit (wire.md 2.8).
const (
	bucketEvery = time.Second / 100 // one permit
	bucketBurst = time.Second       // permits of that time may be taken at once after a quiet time
	bucketWait  = time.Second       // a call waits so long for its permit, else it is refused
)

// bucket is a token bucket: 100 permits a second for the whole admin. Java's
// warms up over 30 s, ours has all its permits at once. The zero value is full.
type bucket struct {
	mu   sync.Mutex
	next time.Time // when the next permit is due
}

// take waits for a permit, and reports whether it got one.
func (b *bucket) take(ctx context.Context) bool {
	wait, ok := b.reserve(time.Now())
	if !ok || wait <= 0 {
		return ok
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// reserve takes a permit and says how long to wait for it; ok is false, and
// nothing is taken, if that is too long.
func (b *bucket) reserve(now time.Time) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := b.next
	if oldest := now.Add(-bucketBurst); next.Before(oldest) {
		next = oldest
	}
	next = next.Add(bucketEvery)
	if wait = next.Sub(now); wait > bucketWait {
		return 0, false
	}
	b.next = next
	return max(wait, 0), true
}
