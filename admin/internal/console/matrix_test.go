package console

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// foreign are objects of a group that the user of the matrix has nothing to do
// with, by the beginning of the paths that name them.
type foreign map[string]string

// path fills the parameters of a route in.
func (f foreign) path(t *testing.T, pattern string) string {
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

// TestMatrix asks every route as everybody: who is not logged in gets to the
// login page and nowhere else, what is for administrators is refused to others,
// and nothing of a foreign group is read or changed.
func TestMatrix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	group := w.group("golden", "gold-of-others", "http://10.0.0.1:9999/")
	j := w.job(group, "settle-of-others")
	run := w.run(j, noon, 0, model.CodeSuccess, "message-of-others")
	bert := w.user("bert", false, strconv.Itoa(int(w.group("silver", "silver", ""))))
	user, admin, nobody := w.as(bert), w.as(w.admin), w.as(nil)
	ids := foreign{
		"/jobs/": strconv.Itoa(int(j.ID)), "/runs/": strconv.FormatInt(run, 10), "/executors/": strconv.Itoa(int(group)),
		"/settings/users/": "999", "/settings/keys/": "999",
		"/settings/sessions/": auth.SessionID(admin.cookies[sessionCookie]),
	}
	forms := url.Values{
		"group": {strconv.Itoa(int(group))}, "job": {strconv.Itoa(int(j.ID))}, "id": {strconv.Itoa(int(j.ID))},
		"kind": {"9"}, "sure": {"1"}, "minutes": {"5"}, "what": {"late"}, "limit": {"60"}, "name": {"x"}, "do": {"stop"},
		"to": {strconv.Itoa(int(group))},
	}
	own := map[string]bool{"/jobs/new": true, "/jobs/import": true, "/jobs/children": true} // about what bert has himself
	before := w.state(t, group, j.ID)
	for _, route := range w.server.routes {
		path := ids.path(t, route.Path)
		for _, method := range route.Methods {
			name := method + " " + route.Path
			ask := func(v *visitor) (int, string) {
				rec := v.get(path)
				if method == http.MethodPost {
					form := url.Values{}
					maps.Copy(form, forms)
					rec = v.post(path, form)
				}
				return rec.Code, rec.Header().Get("Location") + rec.Body.String()
			}
			if route.Permission != httpx.Anonymous {
				code, body := ask(nobody)
				assert.Equal(t, http.StatusSeeOther, code, "%s as nobody", name)
				assert.True(t, strings.HasPrefix(body, "/signin"), "%s as nobody leads to %s", name, body)
			}
			if route.Path == "/signout" || strings.HasPrefix(route.Path, "/sign") || route.Path == "/prefs" {
				continue
			}
			code, body := ask(user)
			switch {
			case route.Permission == httpx.Admin:
				assert.Equal(t, http.StatusForbidden, code, "%s as a user", name)
			case route.Permission.Role() != model.RoleNone && method == http.MethodGet && !own[route.Path]:
				assert.Contains(t, []int{http.StatusForbidden, http.StatusNotFound}, code, "%s as a user", name)
			case route.Permission.Role() != model.RoleNone && method == http.MethodPost: // a page that says why, or one that is told by the next page
				assert.Contains(t, []int{
					http.StatusSeeOther, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity,
					http.StatusBadRequest,
				}, code, "%s as a user", name)
			}
			for _, text := range []string{"gold-of-others", "settle-of-others", "message-of-others", "s3cret-of-the-group"} {
				assert.NotContains(t, body, text, "%s as a user", name)
			}
			require.Equal(t, before, w.state(t, group, j.ID), "%s as a user", name)
			if method == http.MethodGet && !strings.HasSuffix(route.Path, "/stream") {
				code, _ = ask(admin)
				assert.NotContains(t, []int{http.StatusForbidden, http.StatusInternalServerError}, code, "%s as an administrator", name)
			}
		}
	}
	assert.Equal(t, http.StatusOK, admin.get("/settings").Code, "the session of the administrator was not ended")
	list, err := w.db.Audits(t.Context(), model.AuditFilter{User: "bert", Limit: 1000})
	require.NoError(t, err)
	for _, a := range list {
		assert.True(t, strings.HasPrefix(a.Action, "session.") || strings.HasPrefix(a.Action, "user.password"),
			"bert did %s to %s", a.Action, a.Object)
	}
}

// state is what a stranger must not change: the group, the job, its runs, rules
// and mutes.
func (w *world) state(t *testing.T, group, job int32) []any {
	t.Helper()
	ctx := t.Context()
	g, err := w.db.Group(ctx, group)
	require.NoError(t, err)
	j, err := w.db.Job(ctx, job)
	require.NoError(t, err)
	_, runs, err := w.db.Logs(ctx, model.LogFilter{JobID: job, Limit: 1})
	require.NoError(t, err)
	rules, err := w.db.AlarmRules(ctx)
	require.NoError(t, err)
	mutes, err := w.db.Mutes(ctx, noon)
	require.NoError(t, err)
	return []any{*g, *j, runs, rules, mutes}
}
