//go:build linux

package main

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = 100 - i // 100 … 1, out of order
	}
	tests := []struct {
		name   string
		values []int
		q      float64
		want   int
	}{
		{name: "nothing", q: 0.5},
		{name: "one value", values: []int{7}, q: 0.99, want: 7},
		{name: "median of two is the lower", values: []int{9, 3}, q: 0.5, want: 3},
		{name: "median of three", values: []int{9, 1, 3}, q: 0.5, want: 3},
		{name: "p50 of a hundred", values: hundred, q: 0.5, want: 50},
		{name: "p99 of a hundred", values: hundred, q: 0.99, want: 99},
		{name: "least", values: hundred, q: 0, want: 1},
		{name: "largest", values: hundred, q: 1, want: 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := slices.Clone(tt.values)
			assert.Equal(t, tt.want, percentile(tt.values, tt.q))
			assert.Equal(t, before, tt.values, "the values were reordered")
		})
	}
}

// TestPercentileCovers checks the definition: at least q of the values do not
// exceed it, and below it there are fewer.
func TestPercentileCovers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-50, 50), 1, 200).Draw(t, "values")
		q := rapid.Float64Range(0.001, 1).Draw(t, "q")
		got := percentile(values, q)
		below, upTo := 0, 0
		for _, v := range values {
			if v < got {
				below++
			}
			if v <= got {
				upTo++
			}
		}
		if n := float64(len(values)); float64(upTo) < q*n || float64(below) >= q*n {
			t.Fatalf("percentile(%v, %v) = %d: %d below, %d up to it", values, q, got, below, upTo)
		}
	})
}

func TestRatios(t *testing.T) {
	t.Parallel()
	assert.InDelta(t, 62.5, micros(2500*time.Millisecond, 40_000), 1e-9)
	assert.Zero(t, micros(time.Second, 0))
	assert.InDelta(t, 20_000, perSecond(40_000, 2*time.Second), 1e-9)
	assert.Zero(t, perSecond(40_000, 0))
	assert.InDelta(t, 1.5, megabytes(3<<19), 1e-9)
}
