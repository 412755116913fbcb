//go:build !race

package joblog

const slowdown = 1
