package console

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestMonth: the calendar of a job says how often it fires on which day, and when.
func TestMonth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	g := w.group("golden", "gold", "")
	job := func(kind model.ScheduleType, conf string) string {
		t.Helper()
		j := w.job(g, "a")
		j.ScheduleType, j.ScheduleConf, j.TimeZone = kind, model.T(conf), "Asia/Tokyo"
		require.NoError(t, w.db.UpdateJob(t.Context(), j, nil))
		return pathOf(j) + "?tab=times"
	}
	at := job(model.ScheduleCron, "0 0 3,18 ? * *") // it is 21 November, 21:00 in Tokyo
	page := v.text(at)
	assert.Contains(t, page, `Nov 2026 <span class="muted">fires a day · Asia/Tokyo`)
	assert.Contains(t, page, "<td>2026-11-22 Sun</td><td class=\"num\">2</td><td class=\"mono\">03:00:00 18:00:00</td>")
	assert.NotContains(t, page, "<td>2026-11-21 Sat</td>", "what is over today is not to come")
	assert.Contains(t, page, `month=2026-12`)
	assert.NotContains(t, page, `rel="prev"`)
	last := v.text(at + "&month=2027-11")
	assert.Contains(t, last, "Nov 2027")
	assert.Contains(t, last, `month=2027-10`)
	assert.NotContains(t, last, `rel="next"`)
	assert.Contains(t, last, "month=2027-11&part=now&tab=times", "it renews itself as it is")
	for _, bad := range []string{"2020-01", "2999-01", "x", "<b>"} {
		assert.Contains(t, v.text(at+"&month="+bad), "Nov 2026")
	}
	every := v.text(job(model.ScheduleCron, "* * * * * ?") + "&month=2026-12")
	assert.Contains(t, every, "1,440+×")
	assert.Contains(t, every, "and 1,417 more")
	assert.Contains(t, v.text(job(model.ScheduleFixRate, "172800")), "<td>2026-11-23 Mon</td>")
	assert.NotContains(t, v.text(job(model.ScheduleNone, "")), `class="month"`)
	assert.NotContains(t, v.text(job(model.ScheduleCron, "bad")), `class="month"`)
	far := job(model.ScheduleCron, "0 0 3 * * ? 2027")
	assert.Contains(t, v.text(far), "Jan 2027", "the month of the next fire")
	assert.Contains(t, v.text(far+"&month=2026-11"), "Nothing (more) fires in this month.")
}

func TestRate(t *testing.T) {
	t.Parallel()
	anchor := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	next := rate(anchor, time.Minute)
	for from, want := range map[time.Duration]time.Duration{
		0: time.Minute, -1: 0, time.Second: time.Minute, time.Minute: 2 * time.Minute,
		-time.Minute: 0, -time.Minute - 1: -time.Minute, -time.Hour: -59 * time.Minute,
	} {
		assert.Equal(t, anchor.Add(want), next(anchor.Add(from)), from)
	}
}
