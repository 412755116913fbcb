package consoletest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// Foreign are objects of a group that the user of the matrix has nothing to do
// with, by the beginning of the paths that name them.
type Foreign map[string]string

// Path fills the parameters of a route in.
func (f Foreign) Path(t *testing.T, pattern string) string {
	t.Helper()
	path := strings.NewReplacer("{$}", "", "{anything...}", "no/such/page", "{file}", "none.css").Replace(pattern)
	for prefix, id := range f {
		if strings.HasPrefix(path, prefix+"{") {
			begin, end := strings.Index(path, "{"), strings.Index(path, "}")
			path = path[:begin] + id + path[end+1:]
		}
	}
	if begin := strings.Index(path, "{"); begin >= 0 { // a second parameter names a part of the first one
		path = path[:begin] + "1" + path[strings.Index(path, "}")+1:]
	}
	require.NotContains(t, path, "{", "fill in the parameters of %s", pattern)
	return path
}

// State is what a stranger must not change: the group, the job, its runs, rules
// and mutes.
func (w *World) State(t *testing.T, group, job int32) []any {
	t.Helper()
	ctx := t.Context()
	g, err := w.DB.Group(ctx, group)
	require.NoError(t, err)
	j, err := w.DB.Job(ctx, job)
	require.NoError(t, err)
	_, runs, err := w.DB.Logs(ctx, model.LogFilter{JobID: job, Limit: 1})
	require.NoError(t, err)
	rules, err := w.DB.AlarmRules(ctx)
	require.NoError(t, err)
	mutes, err := w.DB.Mutes(ctx, Noon)
	require.NoError(t, err)
	return []any{*g, *j, runs, rules, mutes}
}

// About makes the job and the run that a route is asked about, by the beginning of
// the paths that name them.
func (w *World) About(route string, group int32) Foreign {
	w.T.Helper()
	j := w.Job(group, "settle", func(j *model.Job) {
		if strings.Contains(route, "/code") {
			j.GlueType, j.Handler = "GLUE_SHELL", model.T("")
		}
	})
	code := model.CodeSuccess
	if strings.HasSuffix(route, "/kill") {
		code = model.CodeNone
	}
	run := w.Run(j, Noon, 0, code, "done")
	if route == "/jobs/{id}/restore" {
		require.NoError(w.T, w.Ops.DeleteJob(w.T.Context(), ops.UserPrincipal(w.Admin), j.ID))
	}
	alarm := "999"
	if strings.HasSuffix(route, "ack") {
		require.NoError(w.T, w.DB.RaiseAlarms(w.T.Context(), []model.AlarmRecord{{
			AlarmKey: model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: j.ID},
			GroupID:  group, Last: Noon, Count: 1, LogID: run,
		}}))
		open, err := w.DB.Alarms(w.T.Context(), model.AlarmFilter{Kind: model.ChangeJob, ObjectID: j.ID})
		require.NoError(w.T, err)
		alarm = strconv.FormatInt(open[0].ID, 10)
	}
	return Foreign{
		"/alarms/": alarm,
		"/jobs/":   strconv.Itoa(int(j.ID)), "/runs/": strconv.FormatInt(run, 10),
		"/executors/":      strconv.Itoa(int(group)),
		"/settings/users/": "999", "/settings/keys/": "999", "/settings/sessions/": "0123456789abcdef",
	}
}

// AskAs asks a route about them.
func (w *World) AskAs(v *Visitor, method, route string, about Foreign) *httptest.ResponseRecorder {
	w.T.Helper()
	path, job := about.Path(w.T, route), about["/jobs/"]
	if strings.Contains(route, "/address") {
		path += "?at=http://10.0.0.1:9999/"
	}
	if method == http.MethodGet {
		return v.Get(path)
	}
	form := url.Values{
		"job": {job}, "id": {job}, "kind": {"9"}, "sure": {"1"}, "minutes": {"5"}, "what": {"late"}, "limit": {"60"},
		"name": {"x"}, "do": {"stop"}, "title": {"gold"}, "app": {"golden"}, "source": {"echo"}, "remark": {"a remark"},
		"username": {"target"}, "role": {"viewer"}, "version": {"1"},
	}
	if strings.HasSuffix(route, "ack") {
		form.Set("id", about["/alarms/"])
	}
	if strings.HasPrefix(route, "/settings/clean") {
		form.Set("group", about["/executors/"])
	}
	return v.Post(path, form)
}
