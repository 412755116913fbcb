//go:build race

package joblog

// slowdown is what the race detector does to measured times.
const slowdown = 20
