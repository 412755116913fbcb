package alarm

import "time"

// bucket is a token bucket. It belongs to one goroutine.
type bucket struct {
	size  float64 // tokens it holds at most, which come in a minute
	left  float64
	asked time.Time // when left was true
}

func newBucket(perMinute int) *bucket {
	return &bucket{size: float64(perMinute), left: float64(perMinute)}
}

// wait returns how long it takes until there is a token; 0 is now.
func (b *bucket) wait(now time.Time) time.Duration {
	if !b.asked.IsZero() {
		b.left = min(b.size, b.left+b.size*now.Sub(b.asked).Minutes())
	}
	b.asked = now
	if b.left >= 1 {
		return 0
	}
	// The next whole millisecond, so that waiting is never a little too short.
	return time.Duration((1-b.left)/b.size*float64(time.Minute)).Truncate(time.Millisecond) + time.Millisecond
}

// take uses a token, which wait said is there.
func (b *bucket) take() { b.left-- }
