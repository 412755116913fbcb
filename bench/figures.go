//go:build linux

package main

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// percentile returns the smallest value that at least q (0 to 1) of the values
// do not exceed, 0 of no values. It does not change the slice.
func percentile[T cmp.Ordered](values []T, q float64) T {
	var zero T
	if len(values) == 0 {
		return zero
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(q * float64(len(sorted)))) // from 1
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// median returns the middle value, the lower one of two.
func median[T cmp.Ordered](values []T) T { return percentile(values, 0.5) }

// each returns what get says of every element.
func each[E, T any](elements []E, get func(E) T) []T {
	values := make([]T, 0, len(elements))
	for _, element := range elements {
		values = append(values, get(element))
	}
	return values
}

// micros returns a duration divided by n, in microseconds; 0 if n is 0.
func micros(d time.Duration, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(d.Nanoseconds()) / 1000 / float64(n)
}

// perSecond returns n a second; 0 if d is 0.
func perSecond(n int, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// megabytes returns bytes in units of 1,048,576.
func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }
