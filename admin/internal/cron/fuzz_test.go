package cron

import (
	"errors"
	"testing"
	"time"
)

// FuzzParse says that no text makes Parse panic, that a refusal explains
// itself, and that what is accepted fires strictly later, at a time that its
// fields name, and never before an earlier one.
func FuzzParse(f *testing.F) {
	for _, expr := range []string{
		"", "* * * * * ?", "0 0/5 8-18,22 ? JAN-MAR,NOV MON-FRI 2026-2030/2", "0 0 0 L-3W,15W,LW,L * ?",
		"0 0 0 ? * FRI#5", "0 0 0 ? * 6L", "1- 0 0 * * ?", "0 0 0 L- * ?", "*/-5 0 0 * * ?", ", , , , , ,",
		"0 0 0 ? * 0#1", "99 98 0 * * ?", "0 é ß\xff 0 * ?", "0 0 0 * * ? 2147483647", "5-10/2147483647 0 0 * * ?",
		"0 0 2 * * ?\n", "0 0 0 29 2 ? */7", "? ? ? ? ? ?", "0 0 0 ? * MON-", "0 0 0 ? * MON#", "0 0 0 1W,?,* * *",
	} {
		f.Add(expr, int64(1772323200))
	}
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, expr string, unix int64) {
		s, err := Parse(expr)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Problem == "" || syntax.JavaText() == "" || err.Error() == "" {
				t.Fatalf("Parse(%q) = %#v", expr, err)
			}
			if syntax.Field != "" && (syntax.Column < 1 || syntax.Column > len([]rune(expr))) {
				t.Fatalf("Parse(%q): column %d", expr, syntax.Column)
			}
			return
		}
		for _, loc := range []*time.Location{time.UTC, newYork} {
			at := time.Unix(unix, 0).In(loc)
			for range 3 {
				next := s.Next(at)
				if next.IsZero() {
					break
				}
				if !next.After(at) {
					t.Fatalf("Next(%v) of %q = %v", at, expr, next)
				}
				if loc == time.UTC && !named(s.spec, next) {
					t.Fatalf("Next(%v) of %q = %v, which its fields do not name", at, expr, next)
				}
				if again := s.Next(next.Add(-time.Second)); !again.Equal(next) {
					t.Fatalf("Next(%v) of %q = %v, but a second earlier %v", at, expr, next, again)
				}
				at = next
			}
		}
	})
}

// named reports whether the fields of s name the time, with the plain calendar
// of package time and no search.
func named(s *spec, at time.Time) bool {
	inYears := false
	for _, span := range s.years {
		inYears = inYears || at.Year() >= span.from && at.Year() <= span.to && (at.Year()-span.from)%span.step == 0
	}
	if !inYears || s.sec>>at.Second()&1 == 0 || s.min>>at.Minute()&1 == 0 || s.hour>>at.Hour()&1 == 0 ||
		s.month>>at.Month()&1 == 0 {
		return false
	}
	last := lastOf(at)
	if s.byWeekday {
		return s.dow>>at.Weekday()&1 == 1 &&
			(!s.lastDOW || at.Day()+7 > last) && (s.lastDOW || s.nth == 0 || (at.Day()-1)/7+1 == s.nth)
	}
	if s.dom>>at.Day()&1 == 1 || s.last>>(last-at.Day())&1 == 1 {
		return true
	}
	for d := 1; d <= last; d++ {
		if (s.near>>d&1 == 1 || s.nearLast>>(last-d)&1 == 1) && workday(at, d) == at.Day() {
			return true
		}
	}
	return false
}
