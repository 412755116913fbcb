//go:build linux

package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The goals, by rate.
const (
	slowRate, fastRate = 1000, 5000
	slowLate, fastLate = 50 * time.Millisecond, 150 * time.Millisecond
	goalMicroseconds   = 300.0
	goalMegabytes      = 120.0
)

const (
	titleJobs = "Growth of the job table, at 1,000 fires a second"
	titleLogs = "Growth of the log, at 1,000 fires a second"
	noteRates = "late is from the planned second to the arrival of the trigger, result from there to the " +
		"acknowledgement of its result. CPU is of admin and database, a fire."
	noteCeiling = "The last rate of a database is the one that it did not hold, unless it is the last that was tried."
)

// report collects what was measured. It belongs to the goroutine of the run.
type report struct {
	machine                    string
	took                       time.Duration
	rates, jobs, logs, ceiling []figures
	faults                     []string
}

func (r *report) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
	progress("WRONG: "+format, args...)
}

// judge notes what must not be, however slow the machine is.
func (r *report) judge(f figures) {
	name := fmt.Sprintf("%s at %d a second%s", f.trial.db, f.trial.rate, f.trial.more())
	if f.missed > 0 || f.doubled > 0 {
		r.fault("%s: %d fires missed, %d doubled", name, f.missed, f.doubled)
	}
	if f.postErrors > 0 || f.undelivered > 0 {
		r.fault("%s: %d posts of results failed (%s), %d results undelivered", name, f.postErrors, f.lastError,
			f.undelivered)
	}
	if f.stored.good < f.acked {
		r.fault("%s: %d results acknowledged, %d stored", name, f.acked, f.stored.good)
	}
}

// print writes the report in Markdown.
func (r *report) print(w io.Writer) {
	fmt.Fprintf(w, "Measured %s. The run took %v.\n\n", r.machine, r.took.Round(time.Second))
	for _, t := range []table{
		r.goals(),
		figureTable("Rates", r.rates, noteRates, nil),
		figureTable(titleJobs, r.jobs, "", func(f figures) (string, string) {
			return "jobs", grouped(int64(f.trial.idleJobs + f.trial.jobs()))
		}),
		figureTable(titleLogs, r.logs, "", func(f figures) (string, string) {
			return "log rows before", grouped(int64(f.trial.logRows))
		}),
		figureTable("Ceiling", r.ceiling, noteCeiling, nil),
	} {
		t.print(w)
	}
	if len(r.faults) == 0 {
		fmt.Fprintln(w, "No fire was missed or doubled, and every acknowledged result was stored.")
	}
	for _, fault := range r.faults {
		fmt.Fprintf(w, "WRONG: %s\n", fault)
	}
}

// goals compares the rates that have goals with them.
func (r *report) goals() table {
	t := table{title: "Goals", head: []string{"Goal", "limit", "measured", "verdict"}}
	for _, f := range r.rates {
		name := fmt.Sprintf("%s, %s fires a second: ", f.trial.db, grouped(int64(f.trial.rate)))
		late := fastLate
		if f.trial.rate == slowRate {
			late = slowLate
			cpu := f.admin.microseconds + f.database.microseconds
			t.goal(name+"CPU a fire", fmt.Sprintf("at most %.0f µs", goalMicroseconds), fmt.Sprintf("%.0f µs", cpu),
				cpu <= goalMicroseconds)
			peak := megabytes(f.admin.memory.peak)
			t.goal(name+"memory", fmt.Sprintf("under %.0f MB", goalMegabytes), fmt.Sprintf("%.0f MB", peak),
				peak < goalMegabytes)
		} else if f.trial.rate != fastRate {
			continue
		}
		t.goal(name+"late p99", "at most "+milli(late), milli(f.p99), f.p99 <= late)
		t.goal(name+"missed, doubled, callback errors", "0, 0, 0",
			fmt.Sprintf("%d, %d, %d of %s", f.missed, f.doubled, f.postErrors, grouped(int64(f.fired+f.missed))),
			f.missed+f.doubled == 0 && f.postErrors == 0)
		t.goal(name+"acknowledged results stored", "all",
			grouped(min(f.stored.good, f.acked))+" of "+grouped(f.acked), f.stored.good >= f.acked)
	}
	return t
}

// figureTable is a table with a row a trial. extra is a further column.
func figureTable(title string, list []figures, note string, extra func(figures) (head, cell string)) table {
	t := table{title: title, note: note, head: []string{
		"Database", "fires/s", "fired", "missed", "doubled", "late p50 / p99 / max", "result p50 / p99",
		"callback errors", "CPU admin + database", "cores", "admin now / peak", "database now",
	}}
	for _, f := range list {
		row := []string{
			f.trial.db, grouped(int64(f.trial.rate)), grouped(int64(f.fired)), grouped(int64(f.missed)),
			grouped(int64(f.doubled)), milli(f.p50) + " / " + milli(f.p99) + " / " + milli(f.worst),
			milli(f.ack50) + " / " + milli(f.ack99), grouped(f.postErrors),
			fmt.Sprintf("%.0f + %.0f µs", f.admin.microseconds, f.database.microseconds),
			fmt.Sprintf("%.2f + %.2f", f.admin.cores, f.database.cores),
			fmt.Sprintf("%.0f / %.0f MB", megabytes(f.admin.memory.now), megabytes(f.admin.memory.peak)),
			fmt.Sprintf("%.0f MB", megabytes(f.database.memory.now)),
		}
		if extra != nil {
			head, cell := extra(f)
			if len(t.rows) == 0 {
				t.head = append([]string{t.head[0], head}, t.head[1:]...)
			}
			row = append([]string{row[0], cell}, row[1:]...)
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// table is a table of figures.
type table struct {
	title string
	head  []string
	rows  [][]string
	note  string // a paragraph below it
}

func (t *table) goal(name, limit, figure string, met bool) {
	verdict := "not met"
	if met {
		verdict = "met"
	}
	t.rows = append(t.rows, []string{name, limit, figure, verdict})
}

// print writes Markdown whose columns also stand under one another in a
// terminal: the first to the left, figures to the right. An empty table is
// left out.
func (t *table) print(w io.Writer) {
	if len(t.rows) == 0 {
		return
	}
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	fmt.Fprintf(w, "### %s\n\n", t.title)
	printRow(w, widths, t.head)
	rule := make([]string, len(widths))
	for i, width := range widths {
		rule[i] = strings.Repeat("-", max(width-1, 2)) + ":"
	}
	rule[0] = strings.Repeat("-", widths[0])
	fmt.Fprintf(w, "| %s |\n", strings.Join(rule, " | "))
	for _, row := range t.rows {
		printRow(w, widths, row)
	}
	fmt.Fprintln(w)
	if t.note != "" {
		fmt.Fprintf(w, "%s\n\n", t.note)
	}
}

func printRow(w io.Writer, widths []int, cells []string) {
	padded := make([]string, len(cells))
	for i, cell := range cells {
		blank := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i == 0 {
			padded[i] = cell + blank
		} else {
			padded[i] = blank + cell
		}
	}
	fmt.Fprintf(w, "| %s |\n", strings.Join(padded, " | "))
}

func milli(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// grouped writes a number with a comma before each three digits.
func grouped(n int64) string {
	if n < 0 {
		return "-" + grouped(-n)
	}
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
