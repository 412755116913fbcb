package scheduler

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// TestStoppedBeforePlanningResumes stops and edits jobs while nobody plans:
// their instants are counted in a gap.
func TestStoppedBeforePlanningResumes(t *testing.T) {
	const sec = time.Second
	tests := map[string]struct {
		change func(j *model.Job)
		away   time.Duration // since the first instant
		count  int           // in the gap; 0 is none
		next   time.Duration // from the first instant on
	}{
		"a minute":             {away: time.Minute + 500*time.Millisecond, count: 61, next: 61 * sec},
		"also younger ones":    {away: 3500 * time.Millisecond, count: 4, next: 4 * sec},
		"a second":             {away: time.Second, count: 1, next: sec},
		"a pass that is late":  {away: 900 * time.Millisecond},
		"nothing due yet":      {away: -time.Second},
		"a rate":               {change: rate(20), away: 70 * time.Second, count: 4, next: 80 * sec},
		"a schedule that ends": {change: yearly, away: 10 * sec, count: 1},
		"no schedule":          {change: unreadable, away: time.Minute},
		"one that stands":      {change: func(j *model.Job) { j.Running = false }, away: time.Minute},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := second(1)
				j.Misfire = model.MisfireFireOnceNow
				if tt.change != nil {
					tt.change(j)
				}
				first := time.UnixMilli(j.NextMs)
				w := newWorld(t, j)
				wait(time.Until(first.Add(tt.away)))
				seen := int64(-1)
				require.NoError(t, w.Change(t.Context(), 1, func(context.Context) error {
					seen = w.store.jobs[1].NextMs
					return nil
				}))
				assert.Equal(t, tt.count, int(w.missed.Load()))
				assert.Empty(t, w.disp.added, "nothing is sent of a job that is stopped")
				if tt.count == 0 {
					assert.Empty(t, w.store.gaps)
					assert.Equal(t, first.UnixMilli(), seen)
					return
				}
				require.Len(t, w.store.gaps, 1)
				assert.Contains(t, w.store.gaps[0].TriggerMsg.S, fmt.Sprintf("错过 %d 次", tt.count))
				assert.Equal(t, model.AlarmNone, w.store.gaps[0].AlarmStatus)
				assert.Equal(t, first.Add(tt.next).UnixMilli(), seen, "moved on before it is written")
				assert.True(t, w.store.jobs[1].Running, "it is stopped by whoever asked for it alone")
			})
		})
	}
}

func rate(seconds int) func(j *model.Job) {
	return func(j *model.Job) {
		j.ScheduleType, j.ScheduleConf = model.ScheduleFixRate, model.T(strconv.Itoa(seconds))
		j.NextMs = time.Now().Add(time.Duration(seconds) * time.Second).UnixMilli()
	}
}

// yearly leaves one instant that is the last.
func yearly(j *model.Job) {
	at := time.UnixMilli(j.NextMs).UTC()
	j.ScheduleConf = model.T(at.Format("5 4 15 2 1 ? 2006"))
}

func unreadable(j *model.Job) { j.ScheduleConf = model.T("every now and then") }

// TestMissedWhileSomebodyElsePlans has a Java node hold its lock: the stop takes
// place without the record. Any other fault keeps it from taking place, so that
// whoever asked for it asks again.
func TestMissedWhileSomebodyElsePlans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, second(1))
		wait(time.Minute)
		written := 0
		write := func(context.Context) error { written++; return nil }
		w.store.set(func() { w.store.busy = store.ErrBusy })
		require.NoError(t, w.Change(t.Context(), 1, write))
		assert.Equal(t, 1, written)
		w.store.set(func() { w.store.busy = errAway })
		require.ErrorIs(t, w.Change(t.Context(), 1, write), errAway)
		assert.Equal(t, 1, written)
	})
}
