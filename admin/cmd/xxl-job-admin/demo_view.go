package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	drawEvery = 250 * time.Millisecond
	viewWidth = 100
	viewRuns  = 12               // runs in the picture
	viewKeep  = 10 * time.Minute // how long it is remembered when a handler began
	maxBegun  = 100_000
)

// Control sequences of terminals.
const (
	screenOn  = "\x1b[?1049h\x1b[?25l" // a screen of its own, without a cursor
	screenOff = "\x1b[?25h\x1b[?1049l"
	screenTop = "\x1b[H"
	lineEnd   = "\x1b[K\r\n" // clear what stood behind
	screenCut = "\x1b[J"
	green     = "\x1b[32m"
	red       = "\x1b[31m"
	bold      = "\x1b[1m"
	plainText = "\x1b[0m"
)

// begin is when a handler began, and when it was to.
type begin struct{ at, planned time.Time }

// view shows what fires, where it ran, how late, and with what result.
type view struct {
	out     io.Writer
	picture bool
	head    []string
	jobs    []demoJob

	mu    sync.Mutex
	begun map[int64]begin // how the handlers of runs began
	names map[string]int  // executors by address

	seen  map[int64]bool // runs that were shown when they had ended
	shown []shownRun     // the newest, newest last
	sums  map[int]*sum
}

// shownRun is a run that has ended.
type shownRun struct {
	row  logRow
	at   time.Time
	late time.Duration // negative where it means nothing
}

// sum is what is known of a job.
type sum struct {
	runs, ok, failed int
	late, worst      time.Duration
}

func newView(out io.Writer, picture bool) *view {
	return &view{
		out: out, picture: picture, begun: map[int64]begin{}, names: map[string]int{},
		seen: map[int64]bool{}, sums: map[int]*sum{},
	}
}

// name gives an executor its number.
func (v *view) name(address string, n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.names[address] = n
}

// started notes when a handler began.
func (v *view) started(logID int64, planned time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.begun) < maxBegun {
		v.begun[logID] = begin{at: time.Now(), planned: planned}
	}
}

// run shows the runs that read returns until ctx is done.
func (v *view) run(ctx context.Context, read func(context.Context) ([]logRow, error)) error {
	defer v.totals()
	if v.picture {
		fmt.Fprint(v.out, screenOn)
		defer fmt.Fprint(v.out, screenOff)
	} else {
		fmt.Fprintln(v.out, strings.Join(v.head, "\n"))
	}
	tick := time.NewTicker(drawEvery)
	defer tick.Stop()
	for {
		rows, err := read(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("read the runs: %w", err)
		}
		fresh := v.take(rows, time.Now())
		if v.picture {
			v.draw(rows)
		} else {
			for _, run := range fresh {
				fmt.Fprintln(v.out, v.line(&run))
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// take notes the rows that have ended since the last time, oldest first.
func (v *view) take(rows []logRow, now time.Time) []shownRun {
	v.mu.Lock()
	defer v.mu.Unlock()
	var fresh []shownRun
	for i := len(rows) - 1; i >= 0; i-- {
		row := rows[i]
		if !row.ended() || v.seen[row.ID] {
			continue
		}
		v.seen[row.ID] = true
		run := shownRun{row: row, at: now, late: -1}
		if b, ok := v.begun[row.ID]; ok {
			run.at = b.at
			if v.kind(&row) == "" {
				run.late = max(b.at.Sub(b.planned), 0)
			}
		}
		v.addLocked(&run)
		fresh = append(fresh, run)
	}
	for id, b := range v.begun {
		if now.Sub(b.at) > viewKeep {
			delete(v.begun, id)
		}
	}
	v.shown = append(v.shown, fresh...)
	v.shown = v.shown[max(len(v.shown)-viewRuns, 0):]
	if len(v.seen) > maxBegun {
		clear(v.seen)
		for _, row := range rows {
			v.seen[row.ID] = row.ended()
		}
	}
	return fresh
}

func (v *view) addLocked(run *shownRun) {
	s := v.sums[run.row.JobID]
	if s == nil {
		s = new(sum)
		v.sums[run.row.JobID] = s
	}
	s.runs++
	if run.row.HandleCode == http.StatusOK {
		s.ok++
	} else {
		s.failed++
	}
	if run.late >= 0 {
		s.late = run.late
		s.worst = max(s.worst, run.late)
	}
}

// job returns a sample job by its id.
func (v *view) job(id int) demoJob {
	i := slices.IndexFunc(v.jobs, func(j demoJob) bool { return j.id == id })
	if i < 0 {
		return demoJob{id: id, name: fmt.Sprintf("job %d", id)}
	}
	return v.jobs[i]
}

// kind says what made a run, "" for the schedule.
func (v *view) kind(row *logRow) string {
	j := v.job(row.JobID)
	switch {
	case row.Retries < j.retries:
		return fmt.Sprintf("retry %d", j.retries-row.Retries)
	case j.cron == "":
		return "child"
	}
	return ""
}

// line is a run on one line.
func (v *view) line(run *shownRun) string {
	row := &run.row
	what := v.job(row.JobID).name
	if row.Shard != "" {
		what += " " + row.Shard
	}
	if kind := v.kind(row); kind != "" {
		what += ", " + kind
	}
	late := "-"
	if run.late >= 0 {
		late = fmt.Sprintf("%d ms late", run.late.Milliseconds())
	}
	code := row.HandleCode
	if code == 0 {
		code = row.TriggerCode
	}
	msg, _, _ := strings.Cut(row.HandleMsg, "<br>") // what follows is about child jobs, for the console
	result := fmt.Sprintf("%d %s", code, strings.Join(strings.Fields(msg), " "))
	return cutText(fmt.Sprintf("%s  %-27s run %-5d %-11s %11s  %s", run.at.Format("15:04:05.000"), what, row.ID,
		v.executor(row.Address), late, result), viewWidth)
}

func (v *view) executor(address string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := v.names[address]; n > 0 {
		return fmt.Sprintf("executor %d", n)
	}
	return cmp.Or(address, "nowhere")
}

// draw paints the whole picture.
func (v *view) draw(rows []logRow) {
	var b strings.Builder
	b.WriteString(screenTop)
	write := func(line string) { b.WriteString(line + lineEnd) }
	for i, line := range v.head {
		if line = cutText(line, viewWidth); i == 0 {
			line = bold + line + plainText
		}
		write(line)
	}
	write("")
	for _, line := range v.table() {
		write(line)
	}
	running := 0
	for i := range rows {
		if !rows[i].ended() {
			running++
		}
	}
	write("")
	write(fmt.Sprintf("%sruns, newest last%s (%d at work)", bold, plainText, running))
	for i := range v.shown {
		colour := green
		if v.shown[i].row.HandleCode != http.StatusOK {
			colour = red
		}
		write(colour + v.line(&v.shown[i]) + plainText)
	}
	b.WriteString(screenCut)
	fmt.Fprint(v.out, b.String())
}

// table has a line a job.
func (v *view) table() []string {
	lines := []string{bold + fmt.Sprintf("%-22s %-15s %-20s %5s %5s %7s %9s %9s",
		"job", "schedule", "route", "runs", "ok", "failed", "late", "at most") + plainText}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, j := range v.jobs {
		s := cmp.Or(v.sums[j.id], new(sum))
		late, worst := "-", "-"
		if j.cron != "" && s.runs > 0 {
			late, worst = fmt.Sprintf("%d ms", s.late.Milliseconds()), fmt.Sprintf("%d ms", s.worst.Milliseconds())
		}
		lines = append(lines, cutText(fmt.Sprintf("%-22s %-15s %-20s %5d %5d %7d %9s %9s", j.name,
			cmp.Or(j.cron, "follows another"), j.route, s.runs, s.ok, s.failed, late, worst), viewWidth))
	}
	return lines
}

// totals says what it came to.
func (v *view) totals() {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all sum
	for _, s := range v.sums {
		all.runs += s.runs
		all.ok += s.ok
		all.failed += s.failed
		all.worst = max(all.worst, s.worst)
	}
	fmt.Fprintf(v.out, "%d runs, %d ok, %d failed, at most %d ms late\n", all.runs, all.ok, all.failed,
		all.worst.Milliseconds())
}

// cutText shortens a line to at most n characters, and leaves out what a
// terminal would take for a command.
func cutText(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:n-1]) + "…"
}
