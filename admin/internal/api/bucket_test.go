package api

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// advance lets the fake time of a bubble pass.
func advance(t *testing.T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

func TestBucket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b bucket
		start := time.Now()
		for range 100 {
			assert.True(t, b.take(t.Context()))
		}
		assert.Zero(t, time.Since(start), "a quiet bucket is full")

		assert.True(t, b.take(t.Context()))
		assert.Equal(t, 10*time.Millisecond, time.Since(start), "then 100 a second")

		now := time.Now()
		taken := 0
		for {
			wait, ok := b.reserve(now)
			if !ok {
				break
			}
			assert.LessOrEqual(t, wait, bucketWait)
			taken++
		}
		assert.Equal(t, 100, taken, "what would wait over a second is refused")
		assert.False(t, b.take(t.Context()))

		advance(t, 3*time.Second)
		assert.True(t, b.take(t.Context()))
	})
}

func TestBucketGivesUpWithItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b bucket
		for range 150 {
			_, ok := b.reserve(time.Now())
			assert.True(t, ok)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		assert.False(t, b.take(ctx))
	})
}
