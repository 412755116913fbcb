package jobpages_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestMonth: the calendar of a job says how often it fires on which day, and when.
func TestMonth(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	g := w.Group("golden", "gold", "")
	job := func(kind model.ScheduleType, conf string) string {
		t.Helper()
		j := w.Job(g, "a")
		j.ScheduleType, j.ScheduleConf, j.TimeZone = kind, model.T(conf), "Asia/Tokyo"
		require.NoError(t, w.DB.UpdateJob(t.Context(), j, nil))
		return consoletest.PathOf(j) + "?tab=times"
	}
	at := job(model.ScheduleCron, "0 0 3,18 ? * *") // it is 21 November, 21:00 in Tokyo
	page := v.Text(at)
	assert.Contains(t, page, `Nov 2026 <span class="muted">fires a day · Asia/Tokyo`)
	assert.Contains(t, page, "<td>2026-11-22 Sun</td><td class=\"num\">2</td><td class=\"mono\">03:00:00 18:00:00</td>")
	assert.NotContains(t, page, "<td>2026-11-21 Sat</td>", "what is over today is not to come")
	assert.Contains(t, page, `month=2026-12`)
	assert.NotContains(t, page, `rel="prev"`)
	last := v.Text(at + "&month=2027-11")
	assert.Contains(t, last, "Nov 2027")
	assert.Contains(t, last, `month=2027-10`)
	assert.NotContains(t, last, `rel="next"`)
	assert.Contains(t, last, "month=2027-11&part=now&tab=times", "it renews itself as it is")
	for _, bad := range []string{"2020-01", "2999-01", "x", "<b>"} {
		assert.Contains(t, v.Text(at+"&month="+bad), "Nov 2026")
	}
	every := v.Text(job(model.ScheduleCron, "* * * * * ?") + "&month=2026-12")
	assert.Contains(t, every, "1,440+×")
	assert.Contains(t, every, "and 1,417 more")
	assert.Contains(t, v.Text(job(model.ScheduleFixRate, "172800")), "<td>2026-11-23 Mon</td>")
	assert.NotContains(t, v.Text(job(model.ScheduleNone, "")), `class="month"`)
	assert.NotContains(t, v.Text(job(model.ScheduleCron, "bad")), `class="month"`)
	far := job(model.ScheduleCron, "0 0 3 * * ? 2027")
	assert.Contains(t, v.Text(far), "Jan 2027", "the month of the next fire")
	assert.Contains(t, v.Text(far+"&month=2026-11"), "Nothing (more) fires in this month.")
}
