package scheduler

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// noon is a Wednesday.
var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return noon.Add(d) }

func job(typ model.ScheduleType, conf string, next time.Duration) *model.Job {
	return &model.Job{ID: 1, Running: true, ScheduleType: typ, ScheduleConf: model.T(conf), NextMs: at(next).UnixMilli()}
}

func run(t *testing.T, j *model.Job, now time.Time) decision {
	t.Helper()
	s, loc, err := ScheduleOf(j.ScheduleType, j.ScheduleConf.S, j.TimeZone, time.UTC)
	require.NoError(t, err)
	return decide(s, loc, j, now, now.Add(DefaultHorizon), maxGapCount)
}

func offsets(list []time.Time) (d []time.Duration) {
	for _, i := range list {
		d = append(d, i.Sub(noon))
	}
	return d
}

func TestDecide(t *testing.T) {
	const s = time.Second
	last := func(d time.Duration, j *model.Job) *model.Job { j.LastMs = at(d).UnixMilli(); return j }
	never := time.Duration(-1)
	tests := []struct {
		name      string
		job       *model.Job
		now       time.Duration
		instants  []time.Duration
		gap       int
		from, to  time.Duration // of the gap
		last      time.Duration
		next      time.Duration // never: there is none
		wantsLast bool
	}{
		{name: "not due", job: job(model.ScheduleCron, "* * * * * ?", 2*s), now: 0, next: 2 * s},
		{
			name: "due within the horizon, which is included", job: job(model.ScheduleCron, "* * * * * ?", 1*s), now: 0,
			instants: []time.Duration{s}, last: s, wantsLast: true, next: 2 * s,
		},
		{
			name: "both ends", job: job(model.ScheduleCron, "* * * * * ?", 0), now: 0,
			instants: []time.Duration{0, s}, last: s, wantsLast: true, next: 2 * s,
		},
		{
			name: "late by less than the grace, each once", job: job(model.ScheduleCron, "* * * * * ?", -4*s), now: 0,
			instants: []time.Duration{-4 * s, -3 * s, -2 * s, -s, 0, s}, last: s, wantsLast: true, next: 2 * s,
		},
		{
			name: "late by the grace exactly", job: job(model.ScheduleCron, "0/5 * * * * ?", -5*s), now: 0,
			instants: []time.Duration{-5 * s, 0}, wantsLast: true, next: 5 * s,
		},
		{
			name: "a gap, then what is within the grace", job: job(model.ScheduleCron, "0/5 * * * * ?", -20*s), now: s,
			gap: 4, from: -20 * s, to: -5 * s, instants: []time.Duration{0}, wantsLast: true, next: 5 * s,
		},
		{
			name: "a gap alone", job: job(model.ScheduleCron, "0 0 * * * ?", -time.Hour), now: 10 * time.Minute,
			gap: 2, from: -time.Hour, to: 0, wantsLast: true, next: time.Hour,
		},
		{
			name: "the last instant still fires", job: job(model.ScheduleCron, "0 0 12 18 11 ? 2026", 0), now: 0,
			instants: []time.Duration{0}, wantsLast: true, next: never,
		},
		{
			name: "ended in a gap", job: job(model.ScheduleCron, "0 0 12 18 11 ? 2026", 0), now: time.Hour,
			gap: 1, wantsLast: true, next: never,
		},
		{
			name: "fix rate keeps its phase", job: job(model.ScheduleFixRate, "7", -3*s), now: 0,
			instants: []time.Duration{-3 * s}, last: -3 * s, wantsLast: true, next: 4 * s,
		},
		{
			name: "fix rate keeps its phase over a gap", job: job(model.ScheduleFixRate, "7", -70*s), now: 0,
			gap: 10, from: -70 * s, to: -7 * s, instants: []time.Duration{0}, wantsLast: true, next: 7 * s,
		},
		{
			name: "fix rate, gap up to the grace", job: job(model.ScheduleFixRate, "5", -20*s), now: 0,
			gap: 3, from: -20 * s, to: -10 * s, instants: []time.Duration{-5 * s, 0}, wantsLast: true, next: 5 * s,
		},
		{
			name: "fix rate of before 3.4.0, with milliseconds", job: job(model.ScheduleFixRate, "10", -60*s-300*time.Millisecond), now: 0,
			gap: 6, from: -60*s - 300*time.Millisecond, to: -10 * s, instants: []time.Duration{0}, wantsLast: true, next: 10 * s,
		},
		{
			name: "the clock was set back: nothing twice", job: last(30*s, job(model.ScheduleCron, "* * * * * ?", 31*s)), now: 0,
			last: 30 * s, wantsLast: true, next: 31 * s,
		},
		{
			name: "an edit within the horizon", job: last(s, job(model.ScheduleCron, "* * * * * ?", 1*s)), now: s / 2,
			last: s, wantsLast: true, next: 2 * s,
		},
		{
			name: "an edit after the clock was set back", job: last(time.Hour, job(model.ScheduleCron, "0 0/10 * * * ?", 0)), now: 0,
			last: time.Hour, wantsLast: true, next: 70 * time.Minute,
		},
		{
			name: "an edit moved it earlier", job: last(-time.Hour, job(model.ScheduleCron, "0/30 * * * * ?", 0)), now: -s / 2,
			instants: []time.Duration{0}, wantsLast: true, next: 30 * s,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := run(t, tt.job, at(tt.now))
			assert.Equal(t, tt.instants, offsets(d.instants))
			assert.Equal(t, tt.gap, d.gap.count)
			if tt.gap > 0 {
				assert.Equal(t, tt.from, d.gap.first.Sub(noon))
				assert.Equal(t, tt.to, d.gap.last.Sub(noon))
			}
			if tt.next == never {
				assert.True(t, d.next.IsZero())
			} else {
				assert.Equal(t, tt.next, d.next.Sub(noon))
			}
			want := int64(0)
			if n := len(tt.instants); n > 0 {
				want = at(tt.instants[n-1]).UnixMilli()
			} else if tt.gap > 0 {
				want = at(tt.to).UnixMilli()
			} else if tt.wantsLast {
				want = at(tt.last).UnixMilli()
			}
			assert.Equal(t, want, d.last)
		})
	}
}

// A job that somebody switched on in the database without a next time begins
// now; it has not missed anything since 1970.
func TestNoNextTime(t *testing.T) {
	for _, ms := range []int64{0, -5} {
		j := job(model.ScheduleCron, "0/10 * * * * ?", 0)
		j.NextMs = ms
		d := run(t, j, at(500*time.Millisecond))
		assert.Zero(t, d.gap.count)
		assert.Empty(t, d.instants)
		assert.Equal(t, at(10*time.Second), d.next)
	}
}

func TestManyInstantsInOnePass(t *testing.T) {
	s, loc, err := ScheduleOf(model.ScheduleFixRate, "1", "", time.UTC)
	require.NoError(t, err)
	j := job(model.ScheduleFixRate, "1", 0)
	d := decide(s, loc, j, noon, at(time.Hour), maxGapCount)
	assert.Len(t, d.instants, maxInstants)
	assert.Equal(t, at(maxInstants*time.Second), d.next, "the rest follows in the next pass")
}

// The gap of a schedule with more instants than are counted ends where it
// should, and takes no long walk.
func TestEndlessGap(t *testing.T) {
	tests := []struct{ name, conf string }{
		{"each second", "* * * * * ?"},
		{"each minute", "0 * * * * ?"},
		{"each second in January", "* * * * 1 ?"},
		{"sparse", "0 0 0 29 2 ?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := job(model.ScheduleCron, tt.conf, 0)
			s, loc, err := ScheduleOf(j.ScheduleType, tt.conf, "", time.UTC)
			require.NoError(t, err)
			first := s.Next(noon.AddDate(-8, 0, 0))
			j.NextMs = first.UnixMilli()
			few := decide(s, loc, j, noon, at(time.Second), 10)
			assert.Equal(t, first, few.gap.first)
			if few.gap.more {
				assert.Equal(t, 10, few.gap.count)
				assert.Contains(t, few.gap.text(i18n.En), "> 10")
			}
			oldest := at(-Grace)
			assert.True(t, few.gap.last.Before(oldest))
			after := s.Next(few.gap.last)
			assert.False(t, after.Before(oldest), "nothing lies between the gap and the grace")
			if len(few.instants) > 0 {
				assert.Equal(t, after, few.instants[0])
			} else {
				assert.Equal(t, after, few.next)
			}
		})
	}
	// FIX_RATE is counted without a walk, however long.
	j := job(model.ScheduleFixRate, "1", -10*365*24*time.Hour)
	d := run(t, j, noon)
	assert.False(t, d.gap.more)
	assert.Equal(t, 10*365*24*3600-5, d.gap.count)
}

func TestZones(t *testing.T) {
	tests := []struct {
		name, zone, conf string
		from             string // RFC 3339
		want             []string
	}{
		{
			"spring forward: at the end of the gap", "Europe/Berlin", "0 30 2 * * ?", "2026-03-28T00:00:00+01:00",
			[]string{"2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"},
		},
		{
			"fall back: once", "Europe/Berlin", "0 30 2 * * ?", "2026-10-24T12:00:00+02:00",
			[]string{"2026-10-25T02:30:00+01:00", "2026-10-26T02:30:00+01:00"},
		},
		{
			"a zone without", "Asia/Shanghai", "0 0 9 * * ?", "2026-03-28T00:00:00+08:00",
			[]string{"2026-03-28T09:00:00+08:00", "2026-03-29T09:00:00+08:00"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			from, err := time.Parse(time.RFC3339, tt.from)
			require.NoError(t, err)
			s, loc, err := ScheduleOf(model.ScheduleCron, tt.conf, tt.zone, time.UTC)
			require.NoError(t, err)
			j := &model.Job{NextMs: s.Next(from.In(loc)).UnixMilli()}
			var got []string
			for range tt.want {
				now := time.UnixMilli(j.NextMs)
				d := decide(s, loc, j, now, now, maxGapCount)
				require.Len(t, d.instants, 1)
				got = append(got, d.instants[0].In(loc).Format(time.RFC3339))
				j.LastMs, j.NextMs = d.last, d.next.UnixMilli()
			}
			assert.Equal(t, tt.want, got)
		})
	}
	_, _, err := ScheduleOf(model.ScheduleCron, "* * * * * ?", "Europe/Nowhere", time.UTC)
	assert.ErrorContains(t, err, `time zone "Europe/Nowhere"`)
}

func TestScheduleOfRefuses(t *testing.T) {
	for _, tt := range []struct {
		typ  model.ScheduleType
		conf string
	}{
		{model.ScheduleNone, ""},
		{"FIX_DELAY", "3"},
		{model.ScheduleCron, "every now and then"},
		{model.ScheduleFixRate, "0"},
		{model.ScheduleFixRate, "-1"},
		{model.ScheduleFixRate, "1.5"},
		{model.ScheduleFixRate, "99999999999"},
	} {
		_, _, err := ScheduleOf(tt.typ, tt.conf, "", time.UTC)
		assert.Error(t, err, tt)
	}
}

// However the clock is set and however late a pass comes: no instant is planned
// twice, none is left out, and what is planned or counted lies in order.
func TestPlannedOnceUnderClockSteps(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test
		conf := []string{"* * * * * ?", "0/7 * * * * ?", "5,6,50 * * * * ?"}[seed%3]
		s, loc, err := ScheduleOf(model.ScheduleCron, conf, "", time.UTC)
		require.NoError(t, err)
		j := &model.Job{NextMs: s.Next(noon).UnixMilli()}
		now, fired, missed := noon, map[int64]bool{}, 0
		for range 200 {
			switch rng.IntN(20) {
			case 0:
				now = now.Add(-time.Duration(rng.IntN(60)) * time.Second)
			case 1:
				now = now.Add(time.Duration(rng.IntN(60)) * time.Second)
			default:
				now = now.Add(time.Duration(rng.IntN(1500)) * time.Millisecond)
			}
			if j.NextMs > now.Add(DefaultHorizon).UnixMilli() {
				continue // the store reads only what is due
			}
			d := decide(s, loc, j, now, now.Add(DefaultHorizon), maxGapCount)
			for _, i := range d.instants {
				require.False(t, fired[i.UnixMilli()], "seed %d: %v is planned twice", seed, i)
				fired[i.UnixMilli()] = true
			}
			missed += d.gap.count
			j.LastMs, j.NextMs = d.last, d.next.UnixMilli()
		}
		n := 0
		for i := s.Next(noon); i.UnixMilli() < j.NextMs; i = s.Next(i) {
			n++
		}
		require.Equal(t, n, len(fired)+missed, "seed %d: every instant is planned or counted", seed)
	}
}

// The cost of counting after a long time away, for a batch of busy jobs.
func BenchmarkDecideLongGap(b *testing.B) {
	s, loc, err := ScheduleOf(model.ScheduleCron, "* * * * * ?", "", time.UTC)
	require.NoError(b, err)
	j := job(model.ScheduleCron, "", -48*time.Hour)
	for b.Loop() {
		decide(s, loc, j, noon, at(time.Second), maxGapCount)
	}
}
