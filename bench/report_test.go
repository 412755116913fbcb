//go:build linux

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGrouped(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 40_000: "40,000", 1_234_567: "1,234,567", -12_345: "-12,345",
	} {
		assert.Equal(t, want, grouped(n))
	}
}

func TestTablePrint(t *testing.T) {
	t.Parallel()
	tab := table{title: "Title", head: []string{"Name", "µs"}, notes: []string{"A note."}}
	tab.add("one", "1.0")
	tab.add("longer name", "10.0")
	var out strings.Builder
	tab.print(&out)
	assert.Equal(t, `### Title

| Name        |   µs |
| ----------- | ---: |
| one         |  1.0 |
| longer name | 10.0 |

A note.

`, out.String())
}

// rounds makes rounds of 1,000 triggers from microseconds of CPU a trigger.
func rounds(wall time.Duration, cpu ...float64) []round {
	var all []round
	for _, us := range cpu {
		all = append(all, round{
			totals: totals{sent: 1000, accepted: 1000}, wall: wall, all: wall,
			cpu: time.Duration(us * 1000 * float64(time.Microsecond)), peak: 40 << 20,
		})
	}
	return all
}

// measured is a report that meets every goal, barely.
func measured() *report {
	return &report{
		series: []series{
			{name: "xxljob", place: "disk", ours: true, rounds: rounds(100*time.Millisecond, 90, 55, 60)},
			{name: "Java", place: "disk", rounds: rounds(200*time.Millisecond, 150)},
			{name: "xxljob", place: "memory", ours: true, rounds: rounds(100*time.Millisecond, 35)},
			{name: "Java", place: "memory", rounds: rounds(300*time.Millisecond, 150)},
		},
		floors: []floorSeries{
			{place: "memory", floors: []floor{{create: time.Millisecond, files: 1000}}},
			{place: "disk", floors: []floor{
				{create: 35 * time.Millisecond, files: 1000},
				{create: 25 * time.Millisecond, add: 5 * time.Millisecond, files: 1000},
			}},
		},
		onejob:  []oneJobResult{{totals: totals{sent: 9, accepted: 9}}, {totals: totals{sent: 9, accepted: 4, refused: 5}}},
		lastLog: &logFigures{size: "1 GB", last: 19 * time.Millisecond, lastBytes: 3 << 20},
	}
}

func TestGoals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		change  func(r *report)
		notMet  []string
		unknown []string
	}{
		{name: "all met", change: func(*report) {}},
		{
			name:   "too much CPU on disk",
			change: func(r *report) { r.series[0].rounds = rounds(100*time.Millisecond, 60.5) },
			notMet: []string{
				"CPU a trigger, log path on disk", "CPU a trigger above the cost of its file, on disk",
				"CPU a trigger as a share of Java's, log path on disk",
			},
		},
		{
			name:   "files cost less",
			change: func(r *report) { r.floors[1].floors[0] = floor{create: 29 * time.Millisecond, files: 1000} },
			notMet: []string{"CPU a trigger above the cost of its file, on disk"},
		},
		{
			name:   "too much CPU in memory",
			change: func(r *report) { r.series[2].rounds = rounds(100*time.Millisecond, 36) },
			notMet: []string{
				"CPU a trigger, log path in memory", "CPU a trigger as a share of Java's, log path in memory",
			},
		},
		{
			name:   "Java is faster than thought",
			change: func(r *report) { r.series[3].rounds = rounds(290*time.Millisecond, 150) },
			notMet: []string{"accept rate beside Java's, log path in memory"},
		},
		{
			name:   "one round of too much memory",
			change: func(r *report) { r.series[0].rounds[1].peak = 80 << 20 },
			notMet: []string{"largest memory"},
		},
		{
			name:   "one result lost in one round",
			change: func(r *report) { r.series[2].rounds[0].lost = 1 },
			notMet: []string{"lost, doubled, refused"},
		},
		{
			name:   "one trigger refused",
			change: func(r *report) { r.series[0].rounds[0].refused = 1 },
			notMet: []string{"lost, doubled, refused"},
		},
		{
			name:   "Java lost results, which is not our goal",
			change: func(r *report) { r.series[1].rounds[0].lost = 9 },
		},
		{
			name:   "queue limit never reached",
			change: func(r *report) { r.onejob = r.onejob[:1] },
			notMet: []string{"one job id: above the queue limit refused, none lost"},
		},
		{
			name:   "lost on one job id",
			change: func(r *report) { r.onejob[0].lost = 1 },
			notMet: []string{"one job id: above the queue limit refused, none lost"},
		},
		{
			name:   "slow log",
			change: func(r *report) { r.lastLog.last = goalLogTime; r.lastLog.lastBytes = 4 << 20 },
			notMet: []string{"last page of a log of 1 GB", "memory for it"},
		},
		{
			name:   "no Java",
			change: func(r *report) { r.series = []series{r.series[0], r.series[2]} },
			unknown: []string{
				"CPU a trigger as a share of Java's, log path on disk",
				"CPU a trigger as a share of Java's, log path in memory",
				"accept rate beside Java's, log path on disk", "accept rate beside Java's, log path in memory",
			},
		},
		{
			name:   "nothing in memory",
			change: func(r *report) { r.series = r.series[:2] },
			unknown: []string{
				"CPU a trigger, log path in memory", "CPU a trigger as a share of Java's, log path in memory",
				"accept rate beside Java's, log path in memory",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := measured()
			tt.change(r)
			goals := r.goals()
			require.Len(t, goals, 12)
			var notMet, unknown []string
			for _, g := range goals {
				switch g.verdict() {
				case "not met":
					notMet = append(notMet, g.name)
				case "not measured":
					unknown = append(unknown, g.name)
				}
			}
			assert.Equal(t, tt.notMet, notMet)
			assert.Equal(t, tt.unknown, unknown)
		})
	}
	assert.Empty(t, (&report{}).goals(), "goals of what was not run")
}

func TestReportPrint(t *testing.T) {
	t.Parallel()
	r := measured()
	r.machine = "on two cores"
	r.note("no %s", "Java")
	var out strings.Builder
	r.print(&out)
	text := out.String()
	for _, want := range []string{
		"Measured on two cores.", " 55.0 µs (60.0) |", " 10,000 (10,000) |", "25.0 µs above 30.0", "Note: no Java",
		"No result was lost or doubled, and no answer was wrong.",
	} {
		assert.Contains(t, text, want)
	}
	r.fault("%d lost", 3)
	out.Reset()
	r.print(&out)
	assert.Contains(t, out.String(), "WRONG: 3 lost")
	assert.NotContains(t, out.String(), "No result was lost")
}
