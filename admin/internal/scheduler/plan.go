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
	// maxGapCount bounds how far the instants of one job's gap are counted, and
	// maxBatchCount those of all jobs of a transaction: after days of down time
	// counting must not keep anybody from firing.
	maxGapCount   = 100_000
	maxBatchCount = 4_000_000
	// minGapCount is counted also when the others have used up maxBatchCount.
	minGapCount = 20
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

// decide plans one job at now up to horizon. Of a gap it counts at most limit
// instants. It is pure.
func decide(s Schedule, loc *time.Location, j *model.Job, now, horizon time.Time, limit int) decision {
	d := decision{last: j.LastMs}
	t := first(s, loc, j, now)
	oldest := now.Add(-Grace)
	if !t.IsZero() && t.Before(oldest) {
		t = d.gap.take(s, t, oldest, limit)
		d.last = d.gap.last.UnixMilli()
	}
	for !t.IsZero() && !t.After(horizon) && len(d.instants) < maxInstants {
		d.instants = append(d.instants, t)
		d.last = t.UnixMilli()
		t = s.Next(t)
	}
	d.next = t
	return d
}

// overlooked is decide for a job that is not planned any more after this:
// everything that is due by now and was not planned is a gap.
func overlooked(s Schedule, loc *time.Location, j *model.Job, now time.Time) decision {
	d := decision{last: j.LastMs, next: first(s, loc, j, now)}
	if !d.next.IsZero() && d.next.Before(now) {
		d.next = d.gap.take(s, d.next, now, maxGapCount)
		d.last = d.gap.last.UnixMilli()
	}
	return d
}

// first is the instant to begin with.
func first(s Schedule, loc *time.Location, j *model.Job, now time.Time) time.Time {
	switch {
	case j.LastMs != 0 && j.NextMs <= j.LastMs:
		// The clock was set back, or an edit has moved the job to before what is
		// planned already: no instant fires again.
		return s.Next(time.UnixMilli(j.LastMs).In(loc))
	case j.NextMs <= 0: // switched on by somebody who left the rest to us
		return s.Next(now.In(loc))
	default:
		return time.UnixMilli(j.NextMs).In(loc)
	}
}

// take takes the instants from t up to oldest, and returns the one after them.
// It counts at most limit of them one by one.
func (g *gap) take(s Schedule, t, oldest time.Time, limit int) time.Time {
	g.first = t
	if f, ok := s.(fixRate); ok { // needs no walk
		return g.takeRate(f, t, oldest)
	}
	for !t.IsZero() && t.Before(oldest) {
		if g.count == limit {
			g.more = true
			return g.skip(s, oldest)
		}
		g.count++
		g.last = t
		t = s.Next(t)
	}
	return t
}

func (g *gap) takeRate(f fixRate, t, oldest time.Time) time.Time {
	g.count, g.last = 1, t
	t = f.Next(t) // a whole second, even if t was none
	if t.IsZero() || !t.Before(oldest) {
		return t
	}
	step := time.Duration(f.seconds) * time.Second
	n := (oldest.Sub(t) - 1) / step
	g.count += int(n) + 1
	g.last = t.Add(n * step)
	return f.Next(g.last)
}

// skip finds the last instant of a gap that is too long to be counted, and
// returns the first one after it.
func (g *gap) skip(s Schedule, oldest time.Time) time.Time {
	for none := oldest; none.Sub(g.last) >= time.Second; { // no instant after none and before oldest
		mid := g.last.Add(none.Sub(g.last) / 2)
		if next := s.Next(mid); !next.IsZero() && next.Before(oldest) {
			g.last = next
		} else {
			none = mid
		}
	}
	return s.Next(g.last)
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
