package rest

import (
	"sync"
	"time"
)

const (
	maxCallers = 10_000 // whose buckets are remembered; what is full is forgotten first
	maxStreams = 20     // of one caller
)

// rates are token buckets, one for each caller. The zero rate and below is no
// limit.
type rates struct {
	rate, size float64

	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

func newRates(rate, size int) *rates {
	return &rates{rate: float64(rate), size: float64(size), buckets: map[string]*bucket{}}
}

// take counts a request of a caller, and returns how long to wait where it is
// one too many.
func (r *rates) take(caller string, now time.Time) time.Duration {
	if r.rate <= 0 {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.buckets[caller]
	if b == nil {
		r.forgetLocked(now)
		b = &bucket{tokens: r.size, at: now}
		r.buckets[caller] = b
	}
	b.tokens = min(r.size, b.tokens+r.rate*max(0, now.Sub(b.at).Seconds()))
	b.at = now
	if b.tokens < 1 {
		return time.Duration((1 - b.tokens) / r.rate * float64(time.Second))
	}
	b.tokens--
	return 0
}

// forgetLocked makes room: a bucket that is full again says nothing.
func (r *rates) forgetLocked(now time.Time) {
	if len(r.buckets) < maxCallers {
		return
	}
	for caller, b := range r.buckets {
		if b.tokens+r.rate*now.Sub(b.at).Seconds() >= r.size {
			delete(r.buckets, caller)
		}
	}
}
