package cron

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func mustParse(tb testing.TB, expr string) Schedule {
	tb.Helper()
	s, err := Parse(expr)
	require.NoError(tb, err)
	return s
}

func zone(tb testing.TB, name string) *time.Location {
	tb.Helper()
	loc, err := time.LoadLocation(name)
	require.NoError(tb, err)
	return loc
}

// zoned is a wall clock with its offset, so that both passes of a repeated hour
// can be told apart.
const zoned = "2006-01-02 15:04:05 -0700"

func TestNextWhereTheClockJumps(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		zone string
		expr string
		from string
		want []string
	}{
		{
			name: "time in the gap fires at its end",
			zone: "America/New_York", expr: "0 30 2 * * ?", from: "2026-03-07 12:00:00 -0500",
			want: []string{"2026-03-08 03:00:00 -0400", "2026-03-09 02:30:00 -0400"},
		},
		{
			name: "many times in the gap fire once",
			zone: "America/New_York", expr: "0 0/10 2 * * ?", from: "2026-03-07 12:00:00 -0500",
			want: []string{"2026-03-08 03:00:00 -0400", "2026-03-09 02:00:00 -0400"},
		},
		{
			name: "the end of the gap matches itself",
			zone: "America/New_York", expr: "0 30 2,3 * * ?", from: "2026-03-08 01:59:59 -0500",
			want: []string{"2026-03-08 03:00:00 -0400", "2026-03-08 03:30:00 -0400"},
		},
		{
			name: "the end of the gap fires once for both",
			zone: "America/New_York", expr: "0 0/30 2-3 * * ?", from: "2026-03-08 01:59:59 -0500",
			want: []string{"2026-03-08 03:00:00 -0400", "2026-03-08 03:30:00 -0400", "2026-03-09 02:00:00 -0400"},
		},
		{
			name: "a gap at midnight belongs to the day that begins late",
			zone: "Asia/Beirut", expr: "0 0 0 ? * SUN", from: "2026-03-28 12:00:00 +0200",
			want: []string{"2026-03-29 01:00:00 +0300", "2026-04-05 00:00:00 +0300"},
		},
		{
			name: "a day that is left out",
			zone: "Pacific/Apia", expr: "0 0 12 * * ?", from: "2011-12-29 12:00:00 -1000",
			want: []string{"2011-12-31 00:00:00 +1400", "2011-12-31 12:00:00 +1400"},
		},
		{
			name: "a repeated time fires in the second pass",
			zone: "America/New_York", expr: "0 30 1 * * ?", from: "2026-10-31 12:00:00 -0400",
			want: []string{"2026-11-01 01:30:00 -0500", "2026-11-02 01:30:00 -0500"},
		},
		{
			name: "from within the first pass",
			zone: "America/New_York", expr: "0 30 1 * * ?", from: "2026-11-01 01:45:00 -0400",
			want: []string{"2026-11-01 01:30:00 -0500", "2026-11-02 01:30:00 -0500"},
		},
		{
			name: "at the second in the first pass",
			zone: "America/New_York", expr: "0 30 1 * * ?", from: "2026-11-01 01:30:00 -0400",
			want: []string{"2026-11-01 01:30:00 -0500"},
		},
		{
			name: "the first second that comes again",
			zone: "America/New_York", expr: "0 0 1,2 * * ?", from: "2026-11-01 00:59:59 -0400",
			want: []string{"2026-11-01 01:00:00 -0500", "2026-11-01 02:00:00 -0500", "2026-11-02 01:00:00 -0500"},
		},
		{
			name: "an hour that is repeated before midnight",
			zone: "America/Sao_Paulo", expr: "0 30 23 * * ?", from: "2019-02-16 12:00:00 -0200",
			want: []string{"2019-02-16 23:30:00 -0300", "2019-02-17 23:30:00 -0300"},
		},
		{
			name: "half an hour that is repeated",
			zone: "Australia/Lord_Howe", expr: "0 45 1 * * ?", from: "2026-04-04 12:00:00 +1100",
			want: []string{"2026-04-05 01:45:00 +1030", "2026-04-06 01:45:00 +1030"},
		},
		{
			name: "half hours of every hour keep their pace through the repeated hour",
			zone: "America/New_York", expr: "0 0/30 * * * ?", from: "2026-11-01 00:30:00 -0400",
			want: []string{
				"2026-11-01 01:00:00 -0400", "2026-11-01 01:30:00 -0400",
				"2026-11-01 01:00:00 -0500", "2026-11-01 01:30:00 -0500", "2026-11-01 02:00:00 -0500",
			},
		},
		{
			name: "half hours of every hour keep their pace over the gap",
			zone: "America/New_York", expr: "0 15/30 * * * ?", from: "2026-03-08 01:30:00 -0500",
			want: []string{"2026-03-08 01:45:00 -0500", "2026-03-08 03:15:00 -0400", "2026-03-08 03:45:00 -0400"},
		},
		{
			name: "every hour of a day whose last hour is repeated",
			zone: "America/Sao_Paulo", expr: "0 0 * 16 2 ? 2019", from: "2019-02-16 22:00:00 -0200",
			want: []string{"2019-02-16 23:00:00 -0200", "2019-02-16 23:00:00 -0300", ""},
		},
		{
			name: "many jumps ahead, every hour",
			zone: "America/New_York", expr: "0 0 * 29 2 ?", from: "2025-01-01 00:00:00 -0500",
			want: []string{"2028-02-29 00:00:00 -0500", "2028-02-29 01:00:00 -0500"},
		},
		{
			name: "many jumps ahead, one hour",
			zone: "America/New_York", expr: "0 0 12 4 7 ? 2040", from: "2025-01-01 00:00:00 -0500",
			want: []string{"2040-07-04 12:00:00 -0400", ""},
		},
		{
			name: "last day of a leap year that no table holds, one hour",
			zone: "America/New_York", expr: "0 0 12 * * ?", from: "2040-12-30 12:00:00 -0500",
			want: []string{
				"2040-12-31 12:00:00 -0500", "2041-01-01 12:00:00 -0500", "2041-01-02 12:00:00 -0500",
			},
		},
		{
			name: "last day of a leap year that no table holds, every hour",
			zone: "America/New_York", expr: "0 0 * * * ?", from: "2040-12-31 17:30:00 -0500",
			want: []string{
				"2040-12-31 18:00:00 -0500", "2040-12-31 19:00:00 -0500", "2040-12-31 20:00:00 -0500",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, loc := mustParse(t, tt.expr), zone(t, tt.zone)
			from, err := time.Parse(zoned, tt.from)
			require.NoError(t, err)
			at := from.In(loc)
			for _, want := range tt.want {
				got := ""
				if at = s.Next(at); !at.IsZero() {
					got = at.Format(zoned)
				}
				assert.Equalf(t, want, got, "%q from %s", tt.expr, tt.from)
			}
		})
	}
}

func TestNextWDaysHaveAllTheirTimes(t *testing.T) {
	t.Parallel()
	s := mustParse(t, "0 0 9,18 15W * ?")
	at := time.Date(2026, 1, 3, 12, 0, 0, 0, time.UTC) // Java 3.4 leaves out 15 January 09:00
	var got []string
	for range 4 {
		at = s.Next(at)
		got = append(got, at.Format(time.DateTime))
	}
	assert.Equal(t, []string{
		"2026-01-15 09:00:00", "2026-01-15 18:00:00", "2026-02-16 09:00:00", "2026-02-16 18:00:00",
	}, got)
}

func TestNextLooksAHundredYearsAhead(t *testing.T) {
	t.Parallel()
	last := mustParse(t, "0 0 0 1 1 ? 2126")
	assert.Equal(t, 2126, last.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).Year())
	assert.Zero(t, last.Next(time.Date(2025, 12, 31, 23, 59, 59, 0, time.UTC)))
	assert.Zero(t, last.Next(time.Date(2126, 1, 1, 0, 0, 0, 0, time.UTC)))

	daily := mustParse(t, "0 0 0 * * ?")
	assert.Equal(t, 1970, daily.Next(time.Date(1900, 5, 5, 0, 0, 0, 0, time.UTC)).Year())
	assert.Equal(t, 10000, daily.Next(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)).Year())
	assert.Zero(t, daily.Next(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)))
	assert.Zero(t, daily.Next(time.Time{}), "nothing within a hundred years from year 1")
	assert.Zero(t, daily.Next(time.Unix(math.MaxInt64, 0)))
	assert.Zero(t, daily.Next(time.Unix(math.MinInt64, 0)))
}

func TestNextNever(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, expr := range []string{
		"0 0 0 30 2 ?", "0 0 0 31 2,4,6,9,11 ?", "0 0 0 30W 2 ?", "0 0 0 L-30 2 ?", "0 0 0 0W * ?",
		"0 0 0 ? * 8#1", "0 0 0 ? L *", "0 0 0 , * ?", ", 0 0 * * ?", "0 0 0 ? * ,", "0 0 0 * * ? ,", "0 0 0 * * ? 2025",
	} {
		assert.Zerof(t, mustParse(t, expr).Next(from), "%q", expr)
	}
	assert.Zero(t, Schedule{}.Next(from))
	assert.Empty(t, Schedule{}.String())
}

func TestNextIsWholeAndStrictlyLater(t *testing.T) {
	t.Parallel()
	s := mustParse(t, "* * * * * ?")
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, ns := range []time.Duration{0, 1, 500 * time.Millisecond, time.Second - 1} {
		assert.Equalf(t, base.Add(time.Second), s.Next(base.Add(ns)), "from %v past the second", ns)
	}
	assert.True(t, s == s, "comparable") //nolint:staticcheck // that is the point
	assert.Equal(t, s.Next(base), mustParse(t, s.String()).Next(base))
	before1970 := time.Date(1969, 12, 31, 23, 59, 58, 1, time.UTC)
	assert.Equal(t, 1970, s.Next(before1970).Year())
}

func TestNextDoesNotAllocate(t *testing.T) {
	s := mustParse(t, "0 30 2 L-3,15W * ?")
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, zone(t, "America/New_York"))
	assert.Zero(t, testing.AllocsPerRun(100, func() { at = s.Next(at) }))
}

func TestFixRate(t *testing.T) {
	t.Parallel()
	loc := zone(t, "Asia/Shanghai")
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, loc)
	tests := []struct {
		name    string
		after   time.Time
		seconds int64
		want    time.Time
	}{
		{name: "whole second", after: base, seconds: 10, want: base.Add(10 * time.Second)},
		{name: "rounded up", after: base.Add(time.Millisecond), seconds: 10, want: base.Add(11 * time.Second)},
		{name: "beyond 32 bits of milliseconds", after: base, seconds: 2_147_484, want: base.Add(2_147_484 * time.Second)},
		{name: "long", after: base, seconds: math.MaxInt32, want: base.Add(math.MaxInt32 * time.Second)},
		{name: "zero", after: base, seconds: 0},
		{name: "negative", after: base, seconds: -1},
		{name: "too long", after: base, seconds: math.MaxInt64},
		{name: "just too long", after: base, seconds: math.MaxInt64/1000 - base.Unix() + 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, FixRate(tt.after, tt.seconds))
		})
	}
	longest := FixRate(base, math.MaxInt64/1000-base.Unix())
	assert.Positive(t, longest.UnixMilli())
}
