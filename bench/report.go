//go:build linux

package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// floorSeries are the measurements of files alone in one place.
type floorSeries struct {
	place  string
	floors []floor
}

// report collects what was measured. It belongs to the goroutine of the run.
type report struct {
	machine string
	took    time.Duration
	series  []series
	floors  []floorSeries
	onejob  []oneJobResult
	lastLog *logFigures // of the largest log
	tables  []table     // growth
	notes   []string
	faults  []string // what our executor did wrong
}

func (r *report) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
	progress(format, args...)
}

func (r *report) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
	progress("WRONG: "+format, args...)
}

// print writes the report in Markdown.
func (r *report) print(w io.Writer) {
	fmt.Fprintf(w, "Measured %s. The run took %v.\n\n", r.machine, r.took.Round(time.Second))
	if goals := r.goals(); len(goals) > 0 {
		t := goalTable(goals)
		t.print(w)
	}
	if len(r.series) > 0 {
		t := r.throughputTable()
		t.print(w)
		t = r.floorTable()
		t.print(w)
	}
	if len(r.onejob) > 0 {
		t := r.oneJobTable()
		t.print(w)
	}
	for i := range r.tables {
		r.tables[i].print(w)
	}
	for _, note := range r.notes {
		fmt.Fprintf(w, "Note: %s\n\n", note)
	}
	if len(r.faults) == 0 {
		fmt.Fprintln(w, "No result was lost or doubled, and no answer was wrong.")
		return
	}
	for _, fault := range r.faults {
		fmt.Fprintf(w, "WRONG: %s\n", fault)
	}
}

func (r *report) throughputTable() table {
	t := table{
		title: "Throughput",
		head: []string{
			"Executor", "Log path", "CPU a trigger", "accepted/s", "reported/s", "answer p50 / p99", "result p50 / p99",
			"memory idle / peak", "refused", "lost", "doubled",
		},
		notes: []string{"Best of the rounds, in brackets the median; latencies are medians, memory is the largest."},
	}
	for _, s := range r.series {
		sum := s.sum()
		t.add(s.name, s.place,
			micro(s.least(round.cpuMicros))+fmt.Sprintf(" (%.1f)", s.median(round.cpuMicros)),
			rate(s.most(round.acceptRate))+" ("+rate(s.median(round.acceptRate))+")",
			rate(s.most(round.completeRate))+" ("+rate(s.median(round.completeRate))+")",
			s.latency(func(r round) (p50, p99 time.Duration) { return r.answerP50, r.answerP99 }),
			s.latency(func(r round) (p50, p99 time.Duration) { return r.resultP50, r.resultP99 }),
			fmt.Sprintf("%.0f / %.0f MB", s.most(round.idleMegabytes), s.most(round.peakMegabytes)),
			count(sum.refused), count(sum.lost), count(sum.doubled))
	}
	return t
}

func (r *report) floorTable() table {
	t := table{
		title: "Files alone",
		head:  []string{"Log path", "create, write, close", "open, append, close", "both"},
		notes: []string{
			"CPU of one file, by one thread that does nothing else; best of the rounds, in brackets the median.",
		},
	}
	for _, f := range r.floors {
		figure := func(get func(floor) float64) string {
			values := each(f.floors, get)
			return micro(slices.Min(values)) + fmt.Sprintf(" (%.1f)", median(values))
		}
		t.add(f.place, figure(floor.createMicros), figure(floor.addMicros), figure(floor.micros))
	}
	return t
}

// latency writes the medians of both percentiles over the rounds.
func (s *series) latency(get func(round) (p50, p99 time.Duration)) string {
	var p50s, p99s []time.Duration
	for _, r := range s.rounds {
		p50, p99 := get(r)
		p50s, p99s = append(p50s, p50), append(p99s, p99)
	}
	return milli(median(p50s)) + " / " + milli(median(p99s))
}

func (s *series) least(get func(round) float64) float64  { return slices.Min(each(s.rounds, get)) }
func (s *series) most(get func(round) float64) float64   { return slices.Max(each(s.rounds, get)) }
func (s *series) median(get func(round) float64) float64 { return median(each(s.rounds, get)) }

func (s *series) sum() totals {
	var sum totals
	for _, r := range s.rounds {
		sum = sum.plus(r.totals)
	}
	return sum
}
