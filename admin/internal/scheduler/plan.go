package scheduler

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/cron"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Numbers of planning.
const (
	// Grace is how late an instant may be planned and still be sent.
	Grace = 5 * time.Second
	// maxGapCount bounds how far the instants of a gap are counted.
	maxGapCount = 100_000
	// maxInstants bounds the runs of one job in one pass.
	maxInstants = 64
)

// Schedule is the times at which a job fires.
type Schedule interface {
	// Next returns the first instant after t, and zero when there is none.
	Next(t time.Time) time.Time
}

// fixRate fires every so many seconds, in phase with the instant before.
type fixRate struct{ seconds int64 }

func (f fixRate) Next(t time.Time) time.Time { return cron.FixRate(t, f.seconds) }

// ScheduleOf reads the schedule of a job: type, text, and the IANA name of its
// zone, "" being def. It refuses NONE, which never fires by itself.
func ScheduleOf(t model.ScheduleType, conf, zone string, def *time.Location) (Schedule, *time.Location, error) {
	loc := def
	if zone != "" {
		var err error
		if loc, err = time.LoadLocation(zone); err != nil {
			return nil, nil, fmt.Errorf("time zone %q: %w", zone, err)
		}
	}
	switch t {
	case model.ScheduleCron:
		s, err := cron.Parse(conf)
		if err != nil {
			return nil, nil, err
		}
		return s, loc, nil
	case model.ScheduleFixRate:
		n, err := strconv.ParseInt(strings.TrimSpace(conf), 10, 32)
		if err != nil || n < 1 {
			return nil, nil, fmt.Errorf("FIX_RATE %q is not a whole number of seconds, 1 or more", conf)
		}
		return fixRate{n}, loc, nil
	default:
		return nil, nil, fmt.Errorf("schedule type %q fires never by itself", t)
	}
}

// decision is what a pass does with one job.
type decision struct {
	instants []time.Time // to run, in order
	gap      gap
	last     int64     // the last instant that was dealt with, Unix ms; 0 is none
	next     time.Time // zero: the schedule has no further instant
}

// gap is a row of instants that nobody planned in time.
type gap struct {
	count       int
	more        bool // count is a lower bound
	first, last time.Time
}

// decide plans one job at now up to horizon. It is pure.
func decide(s Schedule, loc *time.Location, j *model.Job, now, horizon time.Time) decision {
	d := decision{last: j.LastMs}
	t := time.UnixMilli(j.NextMs).In(loc)
	// A clock that was set back, or a database that says so, must not fire an
	// instant again.
	if j.LastMs != 0 && j.NextMs <= j.LastMs {
		t = s.Next(time.UnixMilli(j.LastMs).In(loc))
	}
	oldest := now.Add(-Grace)
	for !t.IsZero() && t.Before(oldest) {
		if d.gap.count == 0 {
			d.gap.first = t
		}
		d.gap.count++
		d.gap.last, d.last = t, t.UnixMilli()
		if d.gap.count == maxGapCount {
			t = d.gap.skip(s, loc, t, oldest)
			d.last = d.gap.last.UnixMilli()
			break
		}
		t = s.Next(t)
	}
	for !t.IsZero() && !t.After(horizon) && len(d.instants) < maxInstants {
		d.instants = append(d.instants, t)
		d.last = t.UnixMilli()
		t = s.Next(t)
	}
	d.next = t
	return d
}

// skip leaves the rest of an endless gap uncounted and returns the first
// instant after it.
func (g *gap) skip(s Schedule, loc *time.Location, t, oldest time.Time) time.Time {
	g.more = true
	if f, ok := s.(fixRate); ok { // keep the phase
		step := time.Duration(f.seconds) * time.Second
		n := oldest.Sub(t) / step
		t = t.Add(n * step)
		g.count += int(n)
		g.more = false
	} else {
		t = oldest.Add(-time.Second)
	}
	for next := s.Next(t); ; next = s.Next(t) {
		if next.IsZero() || !next.Before(oldest) {
			g.last = t.In(loc)
			return next
		}
		t = next
		if !g.more {
			g.count++
		}
	}
}

// text is the message of the gap's record.
func (g gap) text(lang i18n.Lang) string {
	const layout = "2006-01-02 15:04:05"
	n := strconv.Itoa(g.count)
	if g.more {
		n = "> " + n
	}
	return lang.Format(i18n.JoblogMisfireGap, n, g.first.Format(layout), g.last.Format(layout))
}
