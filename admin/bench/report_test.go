//go:build linux

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// good are figures that meet every goal.
func good(rate int) figures {
	return figures{
		trial: trial{db: "sqlite", rate: rate, window: time.Minute}, fired: 60 * rate, p99: 20 * time.Millisecond,
		acked: 100, stored: stored{rows: 101, good: 100}, admin: share{microseconds: 90, memory: memory{peak: 50 << 20}},
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	r := &report{machine: "somewhere"}
	r.rates = []figures{good(slowRate), good(fastRate)}
	r.jobs = []figures{good(slowRate)}
	r.jobs[0].trial.idleJobs = 1_000_000
	for _, f := range r.rates {
		r.judge(f)
		assert.True(t, f.held())
	}
	var out strings.Builder
	r.print(&out)
	assert.Contains(t, out.String(), "| sqlite, 1,000 fires a second: late p99 ")
	assert.Contains(t, out.String(), "1,010,000")
	assert.Contains(t, out.String(), "No fire was missed")
	assert.NotContains(t, out.String(), "not met")
	assert.NotContains(t, out.String(), "Ceiling", "an empty table")
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		want   string
		change func(f *figures)
	}{
		{want: "3 fires missed", change: func(f *figures) { f.missed = 3 }},
		{want: "2 doubled", change: func(f *figures) { f.doubled = 2 }},
		{want: "refused", change: func(f *figures) { f.postErrors, f.lastError = 1, "refused" }},
		{want: "4 results undelivered", change: func(f *figures) { f.undelivered = 4 }},
		{want: "101 results acknowledged, 100 stored", change: func(f *figures) { f.acked = 101 }},
	} {
		r, f := &report{}, good(fastRate)
		tt.change(&f)
		r.judge(f)
		require.Len(t, r.faults, 1, tt.want)
		assert.Contains(t, r.faults[0], tt.want)
	}
	slow := good(fastRate)
	slow.p99 = time.Hour
	r := &report{}
	r.judge(slow)
	assert.Empty(t, r.faults, "no time is a fault")
	assert.False(t, slow.held())
}

func TestProc(t *testing.T) {
	t.Parallel()
	cpu, err := parseStat("7 (a) b) S 1 2 3 4 5 6 7 8 9 10 30 12 13 14")
	require.NoError(t, err)
	assert.Equal(t, 420*time.Millisecond, cpu)
	_, err = parseStat("7 (a) S 1")
	require.Error(t, err)
	m, err := parseStatus("Name:\tx\nVmHWM:\t  2048 kB\nVmRSS:\t  1024 kB\n")
	require.NoError(t, err)
	assert.Equal(t, memory{now: 1 << 20, peak: 2 << 20}, m)
	_, err = parseStatus("Name:\tx\n")
	require.Error(t, err)
	mounts := "21 1 8:1 / / rw - ext4 /dev/vda rw\n22 21 0:5 / /tmp rw - tmpfs tmpfs rw\n"
	assert.Equal(t, "tmpfs", fileSystem(mounts, "/tmp/x"))
	assert.Equal(t, "ext4", fileSystem(mounts, "/tmpx"))
}
