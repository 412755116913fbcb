package cron

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestNextAgainstEverySecond walks the clock second by second, also over the
// jumps of several zones, and asks of each second whether it fires.
func TestNextAgainstEverySecond(t *testing.T) {
	t.Parallel()
	const window = 26 * 60 * 60
	// Starts lie before jumps: forward and back, at night and at midnight, by an
	// hour, by half of one and by a day, by table and by rule.
	starts := map[string][]string{
		"UTC":                 {"2026-02-28T00:00:00Z", "2027-12-31T20:00:00Z"},
		"Asia/Shanghai":       {"2028-02-28T20:00:00Z"},
		"America/New_York":    {"2026-03-08T00:00:00Z", "2026-11-01T00:00:00Z", "2040-11-04T00:00:00Z", "2040-12-31T00:00:00Z"},
		"America/Sao_Paulo":   {"2018-11-03T20:00:00Z", "2019-02-16T20:00:00Z"},
		"Australia/Lord_Howe": {"2026-04-04T08:00:00Z", "2026-10-03T08:00:00Z"},
		"Pacific/Apia":        {"2011-12-30T02:00:00Z"},
	}
	var zones []string
	for name := range starts {
		zones = append(zones, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := drawMeaning(t)
		name := rapid.SampledFrom(zones).Draw(t, "zone")
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		start, err := time.Parse(time.RFC3339, rapid.SampledFrom(starts[name]).Draw(t, "start"))
		if err != nil {
			t.Fatal(err)
		}
		from := start.Unix() + rapid.Int64Range(0, 12*60*60).Draw(t, "seconds later")
		s, err := Parse(m.expr)
		if err != nil {
			t.Fatal(err)
		}
		want, found := walk(m, from, from+window, loc)
		got := s.Next(time.Unix(from, 0).In(loc))
		switch {
		case found && !got.Equal(time.Unix(want, 0)):
			t.Fatalf("%q after %v = %v, want %v", m.expr, time.Unix(from, 0).In(loc), got, time.Unix(want, 0).In(loc))
		case !found && !got.IsZero() && got.Unix() < from+window:
			t.Fatalf("%q after %v = %v, want none so early", m.expr, time.Unix(from, 0).In(loc), got)
		}
	})
}

// wallAt shows the wall clock of a zone as a time of UTC.
func wallAt(unix int64, loc *time.Location) time.Time {
	_, off := time.Unix(unix, 0).In(loc).Zone()
	return time.Unix(unix+int64(off), 0).UTC()
}

// walk returns the first second after from that fires, if there is one before
// to.
func walk(m meaning, from, to int64, loc *time.Location) (int64, bool) {
	const ahead = 26 * 60 * 60 // a wall clock shows a time again within that, or never
	last := map[int64]int64{}  // the last instant of each wall clock time that jumps back repeat
	before := wallAt(from, loc).Unix()
	for u := from + 1; u < to+ahead; u++ {
		wall := wallAt(u, loc).Unix()
		for w := wall; w <= before; w++ { // set back: what follows comes again
			last[w] = u + w - wall
		}
		before = wall
	}
	before = wallAt(from, loc).Unix()
	for u := from + 1; u < to; u++ {
		wall := wallAt(u, loc)
		if again, ok := last[wall.Unix()]; m.has(wall) && (m.everyHour || !ok || again <= u) {
			return u, true
		}
		if m.everyHour {
			continue
		}
		for w := before + 1; w < wall.Unix(); w++ { // put forward
			if m.has(time.Unix(w, 0).UTC()) {
				return u, true
			}
		}
		before = wall.Unix()
	}
	return 0, false
}

// TestNextAgainstEveryDay compares the days on which a schedule fires with a
// calendar of eight years.
func TestNextAgainstEveryDay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMeaning(t)
		s, err := Parse(m.expr)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2023, 12, 31, 23, 59, 59, 0, time.UTC)
		first := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
		for d := first; d.Year() < 2032; d = d.AddDate(0, 0, 1) {
			next := s.Next(at)
			on := !next.IsZero() && next.Before(d.AddDate(0, 0, 1))
			if on != m.hasDay(d) {
				t.Fatalf("%q fires on %s: %v, want %v", m.expr, d.Format(time.DateOnly), on, m.hasDay(d))
			}
			at = d.AddDate(0, 0, 1).Add(-time.Second)
		}
	})
}

// TestNextIsMonotone says that from a later instant one never comes to an
// earlier fire, and that fires are fixed points.
func TestNextIsMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMeaning(t)
		s, err := Parse(m.expr)
		if err != nil {
			t.Fatal(err)
		}
		zones := []string{"UTC", "America/New_York", "Australia/Lord_Howe", "Europe/Dublin", "Africa/Casablanca", "Antarctica/Troll"}
		loc, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		at := time.Unix(rapid.Int64Range(0, 2_500_000_000).Draw(t, "at"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).In(loc)
		later := at.Add(time.Duration(rapid.Int64Range(0, int64(4e6*time.Second)).Draw(t, "later")))
		next, nextLater := s.Next(at), s.Next(later)
		if next.IsZero() {
			return
		}
		if !next.After(at) || next.Nanosecond() != 0 {
			t.Fatalf("%q after %v = %v", m.expr, at, next)
		}
		if nextLater.Before(next) && !nextLater.IsZero() {
			t.Fatalf("%q after %v = %v, but after %v = %v", m.expr, at, next, later, nextLater)
		}
		if again := s.Next(next.Add(-1)); !again.Equal(next) {
			t.Fatalf("%q after %v = %v, but just before it = %v", m.expr, at, next, again)
		}
	})
}
