package runpages

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// What executors of all kinds write into the log of a run when it begins and
// when it ends.
const (
	logBegan = " job execute start -----------"
	logEnded = " job execute end("
)

const (
	// beganLines is among how many first lines of a log the one is looked for that
	// says when the run began. It is the first, but where somebody else writes into
	// the same file.
	beganLines = 20
	// keptClocks is of how many ended runs the server keeps what their logs said.
	keptClocks = 4096
)

// runClock is when a run began and ended by the clock of its executor, as the
// first and last lines of its log say; "" where they do not.
type runClock struct {
	Began, Ended string
	Read         time.Time // when that was read; zero for just now
}

// readClock finds in the text of a log what the executor says of begin and end.
// text is empty or begins with the log's first line.
func readClock(text string) (k runClock) {
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > beganLines || k.Began != "" {
			break
		}
		if strings.Contains(line, logBegan) {
			k.Began = lineClock(line)
		}
	}
	if at := strings.LastIndex(text, logEnded); at >= 0 {
		k.Ended = entryClock(text, at)
	}
	return k
}

// entryLines bounds how many lines of an entry of a log are looked at for its time:
// a stack may stand before the words that the run has ended.
const entryLines = 1000

// entryClock is the time of the entry of a log in which a place lies.
func entryClock(text string, at int) string {
	for range entryLines {
		begin := strings.LastIndexByte(text[:at], '\n')
		if clock := lineClock(text[begin+1:]); clock != "" || begin < 0 {
			return clock
		}
		at = begin
	}
	return ""
}

// lineClock is the time at which a line of a log begins, or "".
func lineClock(line string) string {
	if len(line) < len(time.DateTime) {
		return ""
	}
	if _, err := time.Parse(time.DateTime, line[:len(time.DateTime)]); err != nil {
		return ""
	}
	return line[:len(time.DateTime)]
}

// clockSlack is how far the clock of an executor may be from ours before a page
// says so.
const clockSlack = 10 * time.Minute

// zoneSlack is how far a clock may be from whole quarters of an hour to be taken
// for one of another time zone.
const zoneSlack = 2 * time.Minute

// zoneApart is by how much the time zone of the executor is ahead of that of the
// pages, as far as the first or last line of the log tells: whole quarters of an
// hour; 0 where it is the same, or where the clock itself is wrong.
func (k runClock) zoneApart(l *model.Log, loc *time.Location) time.Duration {
	for _, p := range []struct {
		there string
		here  time.Time
	}{{k.Began, l.TriggerTime}, {k.Ended, l.HandleTime}} {
		there, err := time.ParseInLocation(time.DateTime, p.there, loc)
		if err != nil || p.here.IsZero() {
			continue
		}
		apart := there.Sub(p.here)
		if whole := apart.Round(15 * time.Minute); whole != 0 && (apart-whole).Abs() <= zoneSlack {
			return whole
		}
	}
	return 0
}

// inZone is the clock by the time zone of the pages, which the one of the executor
// is ahead of.
func (k runClock) inZone(loc *time.Location, ahead time.Duration) runClock {
	in := func(clock string) string {
		there, err := time.ParseInLocation(time.DateTime, clock, loc)
		if err != nil {
			return clock
		}
		return say.Stamp(there.Add(-ahead))
	}
	k.Began, k.Ended = in(k.Began), in(k.Ended)
	return k
}

// clockApart says how far the clock of the executor is from that of the pages, if
// it cannot have been within the time of the run; "" else.
func (c *call) clockApart(l *model.Log, k runClock) string {
	there, err := time.ParseInLocation(time.DateTime, cmp.Or(k.Began, k.Ended), c.Cfg.Location)
	if err != nil || l.TriggerTime.IsZero() {
		return ""
	}
	until := l.HandleTime
	if until.IsZero() {
		until = c.Now()
	}
	switch {
	case there.Before(l.TriggerTime.Add(-clockSlack)):
		return " " + c.T("run.step.behind", say.Took(c.Lang, l.TriggerTime.Sub(there).Round(time.Minute)))
	case there.After(until.Add(clockSlack)):
		return " " + c.T("run.step.ahead", say.Took(c.Lang, there.Sub(until).Round(time.Minute)))
	}
	return ""
}

// zoneWords says how the clock of an executor in another time zone reads.
func (c *call) zoneWords(clock string, ahead time.Duration) string {
	if clock == "" {
		return ""
	}
	key := "run.step.zone.ahead"
	if ahead < 0 {
		key = "run.step.zone.behind"
	}
	return " " + c.T(key, clock, say.Took(c.Lang, ahead.Abs()))
}

// runClocks keeps what the logs of runs that have ended said, so that it is known
// when their executor, or the log, is gone. The zero value is ready; it is safe
// for concurrent use.
type runClocks struct {
	mu    sync.Mutex
	known map[int64]runClock
	order []int64 // of known, the oldest first
}

// keep keeps the clock of a run that has ended.
func (r *runClocks) keep(id int64, k runClock) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[int64]runClock{}
	}
	if _, known := r.known[id]; !known {
		if len(r.order) == keptClocks {
			delete(r.known, r.order[0])
			r.order = slices.Delete(r.order, 0, 1)
		}
		r.order = append(r.order, id)
	}
	r.known[id] = k
}

// of returns the clock of a run, if it is kept.
func (r *runClocks) of(id int64) (runClock, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.known[id]
	return k, ok
}
