package cron

import (
	"math"
	"time"
)

// reach is more than any clock was ever put forward or back, in seconds.
const reach = 26 * 60 * 60

// stretch is a time from start up to, not including, end in which the wall
// clock is off seconds ahead of UTC.
type stretch struct{ off, start, end int64 }

// stretchAt returns the stretch that an instant lies in. Two that follow one
// another may have the same offset.
func stretchAt(unix int64, loc *time.Location) stretch {
	z := stretch{start: math.MinInt64, end: math.MaxInt64}
	if loc == time.UTC {
		return z
	}
	t := time.Unix(unix, 0).In(loc)
	_, off := t.Zone()
	z.off = int64(off)
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		z.start = start.Unix()
	}
	if !end.IsZero() {
		z.end = end.Unix()
	}
	// In a year that is reckoned by the rule at the end of the zone's file and
	// not by its table, ZoneBounds ends the last stretch after 365 days, so that
	// on the last day of a leap year it lies in the past (Go 1.26).
	for z.end <= unix {
		z.end += secondsADay
	}
	return z
}

// nextAtHour is Next for an expression that names hours; z is the stretch of
// after.
//
// Every time of the wall clock has one instant: in a gap the end of the gap, in
// a repeated hour the second pass. Later times never have earlier instants, so
// what is sought belongs to the first match among the times whose instant lies
// after the given one.
func (s *spec) nextAtHour(after int64, z stretch, loc *time.Location) (int64, bool) {
	limit := lastYear(after + z.off)
	wall := after + z.off + 1
	if after >= z.end-reach {
		n := stretchAt(z.end, loc)
		if after-n.off+z.off >= z.end { // the first pass of what comes again
			wall = z.end + n.off
		}
	}
	next, ok := s.nextWall(wall, limit)
	if !ok {
		return 0, false
	}
	return instant(next, z, loc), true
}

// instant returns the one instant of a time of the wall clock. z is a stretch
// near to it.
func instant(wall int64, z stretch, loc *time.Location) int64 {
	for {
		unix := wall - z.off
		switch {
		case unix < z.start:
			before := stretchAt(z.start-1, loc)
			if wall-before.off >= z.start {
				return z.start
			}
			z = before
		case unix >= z.end:
			n := stretchAt(z.end, loc)
			if wall-n.off < z.end {
				return z.end
			}
			if unix-z.end > 2*reach {
				n = stretchAt(unix, loc)
			}
			z = n
		case unix >= z.end-reach:
			n := stretchAt(z.end, loc)
			if wall-n.off < z.end {
				return unix
			}
			z = n
		default:
			return unix
		}
	}
}

// nextEveryHour is Next for an expression with all hours, which follows the
// clock: a second fires when the wall clock shows a match. z is the stretch of
// after.
func (s *spec) nextEveryHour(after int64, z stretch, loc *time.Location) (int64, bool) {
	limit := lastYear(after + z.off)
	wall := after + z.off + 1
	for {
		next, ok := s.nextWall(wall, limit)
		if ok && next-z.off < z.end {
			return next - z.off, true
		}
		if z.end == math.MaxInt64 {
			return 0, false
		}
		to, n := z.end, stretchAt(z.end, loc)
		if n.off+z.end >= wall { // no time before next comes again
			if !ok {
				return 0, false
			}
			if jump := next - z.off - reach; jump > to {
				to, n = jump, stretchAt(jump, loc)
			}
		}
		z, wall = n, to+n.off
	}
}
