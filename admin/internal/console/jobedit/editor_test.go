package jobedit_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/jobedit"
)

func TestEditor(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	group := strconv.Itoa(int(w.Group("golden", "gold", "")))
	form := func(change ...string) url.Values {
		f := url.Values{
			"name": {"settle"}, "group": {group}, "author": {"lin"}, "type": {"BEAN"}, "handler": {"settle"}, "param": {"{}"},
			"schedule": {"CRON"}, "cron": {"0 0 3 * * ?"}, "zone": {"Asia/Shanghai"}, "misfire": {"DO_NOTHING"},
			"route": {"FIRST"}, "block": {"SERIAL_EXECUTION"}, "timeout": {"30"}, "retries": {"2"}, "children": {""}, "mail": {""},
		}
		for i := 0; i+1 < len(change); i += 2 {
			f.Set(change[i], change[i+1])
		}
		return f
	}
	for _, bad := range [][3]string{
		{"name", "", "must not be empty"},
		{"group", "", "Choose one"},
		{"handler", "", "has registered"},
		{"cron", "0 0 99 * * ?", "Hour (character 5)"},
		{"zone", "Mars/Phobos", "is no time zone"},
		{"timeout", "-1", "whole number, 0 or more"},
		{"children", "x", "No id of a job: x"},
		{"children", "4711", "There is no job 4711"},
		{"name", strings.Repeat("x", 300), "must have 0-255 characters"},
	} {
		rec := v.Post("/jobs/new", form(bad[0], bad[1]))
		assert.Equal(t, http.StatusUnprocessableEntity, rec.Code, bad)
		assert.Contains(t, rec.Body.String(), bad[2])
		assert.Contains(t, rec.Body.String(), `value="settle"`, "what was typed is kept")
	}
	rec := v.Post("/jobs/new", form("cron", "x"))
	assert.Contains(t, rec.Body.String(), `1 field to mend; nothing was saved: <a href="#f-cron">`)
	rec = v.Post("/jobs/new", form("do", "preview"))
	assert.Equal(t, http.StatusOK, rec.Code)
	assert.Contains(t, rec.Body.String(), "2026-11-22 Sun 03:00:00 UTC&#43;08:00")
	rec = v.Post("/jobs/new", form("preset", "0 */5 * * * ?"))
	assert.Contains(t, rec.Body.String(), `value="0 */5 * * * ?"`)

	rec = v.Post("/jobs/new", form("start", "1"))
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	at := rec.Header().Get("Location")
	assert.Contains(t, v.Text(at), "The job is created.")
	id, err := strconv.ParseInt(strings.TrimPrefix(at, "/jobs/"), 10, 32)
	require.NoError(t, err)
	j, err := w.DB.Job(t.Context(), int32(id))
	require.NoError(t, err)
	assert.True(t, j.Running)
	assert.Equal(t, "Asia/Shanghai", j.TimeZone)
	assert.Equal(t, int32(30), j.TimeoutSec)
	assert.NotZero(t, j.NextMs)

	was := jobedit.Version(jobedit.FormOf(j, nil))
	rec = v.Post(at+"/edit", form("version", was, "schedule", "FIX_RATE", "seconds", "90", "zone", ""))
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	assert.Contains(t, v.Text(at), "every 90 seconds")
	rec = v.Post(at+"/edit", form("version", was))
	assert.Equal(t, http.StatusConflict, rec.Code, "somebody else was at it")
	assert.Contains(t, rec.Body.String(), "Somebody has changed")
	j, err = w.DB.Job(t.Context(), int32(id))
	require.NoError(t, err)
	assert.Empty(t, j.TimeZone)
	assert.Equal(t, "90", j.ScheduleConf.S)
}
