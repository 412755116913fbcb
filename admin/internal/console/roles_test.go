package console

import (
	"encoding/base64"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

var update = flag.Bool("update", false, "write the golden files")

// member stores a user with a role in a group.
func (w *world) member(name string, role model.Role, group int32) *model.User {
	w.t.Helper()
	u := &model.User{Username: name, JavaHash: "!"}
	u.Grant(group, role)
	require.NoError(w.t, w.db.CreateUser(w.t.Context(), u))
	return u
}

// told is what an answer says at once or by the message that the next page shows.
func told(rec *httptest.ResponseRecorder) string {
	var text strings.Builder
	text.WriteString(rec.Body.String())
	for _, line := range rec.Header().Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		if err == nil && c.Name == flashCookie {
			raw, _ := base64.RawURLEncoding.DecodeString(c.Value)
			text.WriteString(string(raw))
		}
	}
	return text.String()
}

// TestRoleMatrix asks every route as who has each role in the group of its object,
// and compares who is let through with testdata/roles.txt. What a route names as
// its role is what it takes.
func TestRoleMatrix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	group := w.group("golden", "gold", "http://10.0.0.1:9999/")
	silver := w.group("silver", "silver", "")
	w.user("target", false, "")
	callers := []struct {
		name string
		role model.Role
		v    *visitor
	}{
		{"nobody", model.RoleNone, w.as(nil)},
		{"no group", model.RoleNone, w.as(w.user("lonely", false, ""))},
		{"foreign", model.RoleNone, w.as(w.member("bert", model.RoleAdmin, silver))},
		{"viewer", model.RoleViewer, w.as(w.member("vera", model.RoleViewer, group))},
		{"operator", model.RoleOperator, w.as(w.member("otto", model.RoleOperator, group))},
		{"editor", model.RoleEditor, w.as(w.member("edda", model.RoleEditor, group))},
		{"owner", model.RoleAdmin, w.as(w.member("owen", model.RoleAdmin, group))},
		{"admin", model.RoleAdmin, w.as(w.admin)},
	}
	// What these routes take is judged by what is asked of them, or is about what
	// one has elsewhere.
	own := map[string]bool{
		"/jobs/bulk": true, "/jobs/new": true, "/jobs/import": true, "/jobs/children": true, "/changes/undo": true, "/runs/bulk": true, "/jobs/{id}/code": true,
		"/jobs/{id}/code/restore": true,
	}
	var b strings.Builder
	b.WriteString("role needed  method route ")
	for _, c := range callers {
		b.WriteString(" | " + c.name)
	}
	b.WriteString("\n")
	for _, route := range w.server.routes {
		if route.Permission == httpx.Anonymous || route.Path == "/signout" || strings.HasSuffix(route.Path, "/stream") ||
			strings.Contains(route.Path, "/setup") {
			continue
		}
		for _, method := range route.Methods {
			fmt.Fprintf(&b, "%-12s %-4s %s", route.Permission, method, route.Path)
			var about foreign
			for _, c := range callers {
				if about == nil {
					about = w.about(route.Path, group)
				}
				delete(c.v.cookies, flashCookie) // what the request before was told
				rec := w.askAs(c.v, method, route.Path, about)
				text := told(rec)
				ok := rec.Code != http.StatusForbidden && rec.Code != http.StatusNotFound &&
					!strings.Contains(text, "does not allow this") && !strings.HasPrefix(rec.Header().Get("Location"), "/signin")
				word := "-"
				if ok {
					word = "yes"
				}
				if ok && method == http.MethodPost {
					about = nil // what was done is done
				}
				fmt.Fprintf(&b, " | %s", word)
				if need := route.Permission.Role(); need != model.RoleNone && !own[route.Path] {
					assert.Equal(t, c.role >= need, ok, "%s %s as %s: %d %.300s", method, route.Path, c.name, rec.Code, text)
				}
				assert.NotEqual(t, http.StatusInternalServerError, rec.Code, "%s %s as %s", method, route.Path, c.name)
			}
			b.WriteString("\n")
		}
	}
	file := filepath.Join("testdata", "roles.txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o750))
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(file) //nolint:gosec // our own file
	require.NoError(t, err, "write it with -update")
	assert.Equal(t, string(want), b.String(), "run with -update if this is meant")
}

// about makes the job and the run that a route is asked about, by the beginning of
// the paths that name them.
func (w *world) about(route string, group int32) foreign {
	w.t.Helper()
	j := w.job(group, "settle", func(j *model.Job) {
		if strings.Contains(route, "/code") {
			j.GlueType, j.Handler = "GLUE_SHELL", model.T("")
		}
	})
	code := model.CodeSuccess
	if strings.HasSuffix(route, "/kill") {
		code = model.CodeNone
	}
	run := w.run(j, noon, 0, code, "done")
	if route == "/jobs/{id}/restore" {
		require.NoError(w.t, w.server.cfg.Ops.DeleteJob(w.t.Context(), ops.UserPrincipal(w.admin), j.ID))
	}
	return foreign{
		"/jobs/": strconv.Itoa(int(j.ID)), "/runs/": strconv.FormatInt(run, 10), "/executors/": strconv.Itoa(int(group)),
		"/settings/users/": "999", "/settings/keys/": "999", "/settings/sessions/": "0123456789abcdef",
	}
}

// askAs asks a route about them.
func (w *world) askAs(v *visitor, method, route string, about foreign) *httptest.ResponseRecorder {
	w.t.Helper()
	path, job := about.path(w.t, route), about["/jobs/"]
	if strings.Contains(route, "/address") {
		path += "?at=http://10.0.0.1:9999/"
	}
	if method == http.MethodGet {
		return v.get(path)
	}
	form := url.Values{
		"job": {job}, "id": {job}, "kind": {"9"}, "sure": {"1"}, "minutes": {"5"}, "what": {"late"}, "limit": {"60"},
		"name": {"x"}, "do": {"stop"}, "title": {"gold"}, "app": {"golden"}, "source": {"echo"}, "remark": {"a remark"},
		"username": {"target"}, "role": {"viewer"}, "version": {"1"},
	}
	if strings.HasPrefix(route, "/settings/clean") {
		form.Set("group", about["/executors/"])
	}
	return v.post(path, form)
}

// TestNothingIsOffered: pages have no button for what a role may not do.
func TestNothingIsOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	group := w.group("golden", "gold", "http://10.0.0.1:9999/")
	j := w.job(group, "settle")
	job := "/jobs/" + strconv.Itoa(int(j.ID))
	run := "/runs/" + strconv.FormatInt(w.run(j, noon, 0, model.CodeFail, "broken"), 10)
	executor := executorPath(group)
	script := w.job(group, "script", func(j *model.Job) { j.GlueType, j.Handler = "GLUE_SHELL", model.T("") })
	key := model.AlarmKey{What: model.AlarmOnLate, Kind: model.ChangeJob, ObjectID: j.ID}
	boss := ops.UserPrincipal(w.admin)
	require.NoError(t, w.server.cfg.Ops.SetAlarmRule(t.Context(), boss, key, 60e9))
	require.NoError(t, w.server.cfg.Ops.Mute(t.Context(), boss, model.Mute{
		Kind: model.ChangeJob, ObjectID: j.ID, Until: noon.Add(3600e9),
	}))
	marks := []struct {
		page, mark string
		need       model.Role
	}{
		{job, `action="` + job + `/start"`, model.RoleOperator},
		{job, `action="` + job + `/run"`, model.RoleOperator},
		{job, `href="` + job + `/edit"`, model.RoleEditor},
		{job, `href="` + job + `/delete"`, model.RoleEditor},
		{job, `/jobs/new?from=`, model.RoleEditor},
		{job + "?tab=alarms", `action="/alarms/unmute"`, model.RoleOperator},
		{job + "?tab=alarms", `action="/alarms/mute"`, model.RoleOperator},
		{job + "?tab=alarms", `action="/alarms/rules"`, model.RoleEditor},
		{job + "?tab=alarms", `action="/alarms/rules/delete"`, model.RoleEditor},
		{"/jobs", `value="start"`, model.RoleOperator},
		{"/jobs", `value="delete"`, model.RoleEditor},
		{"/jobs", `href="/jobs/new"`, model.RoleEditor},
		{"/jobs", `href="/jobs/import"`, model.RoleEditor},
		{"/jobs", `role="switch"`, model.RoleOperator},
		{"/jobs", `value="export"`, model.RoleViewer},
		{"/runs", `value="kill"`, model.RoleOperator},
		{run, `action="` + run + `/retry"`, model.RoleOperator},
		{"/jobs/" + strconv.Itoa(int(script.ID)) + "/code", `id="code-form"`, model.RoleEditor},
		{"/alarms", `action="/alarms/mute"`, model.RoleOperator},
		{"/alarms", `action="/alarms/unmute"`, model.RoleOperator},
		{"/alarms", `action="/alarms/rules"`, model.RoleEditor},
		{"/alarms", `action="/alarms/rules/delete"`, model.RoleEditor},
		{"/settings/retention", `action="/settings/clean"`, model.RoleEditor},
		{executor, `action="/alarms/mute"`, model.RoleOperator},
		{executor, `action="` + executor + `/token"`, model.RoleAdmin},
		{executor, `href="` + executor + `/edit"`, model.RoleAdmin},
		{executor, `action="` + executor + `/members"`, model.RoleAdmin},
	}
	for _, role := range model.Roles() {
		u := w.member(role.String()+"1", role, group)
		u.Code = true
		require.NoError(t, w.db.UpdateUser(t.Context(), u))
		v := w.as(u)
		for _, m := range marks {
			page := v.text(m.page)
			assert.Equal(t, role >= m.need, strings.Contains(page, m.mark), "%s for a %v has %s", m.page, role, m.mark)
			assert.NotContains(t, page, executor+"/delete", m.page)
		}
		assert.Contains(t, v.text("/settings"), `gold <span class="tag">`)
	}
}

// TestMembers: the admin of a group says who may do what in it.
func TestMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	group := w.group("golden", "gold", "")
	owen := w.as(w.member("owen", model.RoleAdmin, group))
	vera := w.as(w.user("vera", false, ""))
	at := executorPath(group)
	set := func(name, role string) string {
		owen.post(at+"/members", url.Values{"username": {name}, "role": {role}})
		return owen.text(at)
	}
	assert.Equal(t, http.StatusForbidden, vera.get(at).Code)
	assert.Contains(t, set("vera", "viewer"), "vera is viewer now.")
	assert.Equal(t, http.StatusOK, vera.get(at).Code, "at the next request")
	assert.Contains(t, set("vera", "admin"), "vera is group admin now.")
	assert.Contains(t, vera.text(at), "Members")
	assert.Contains(t, set("owen", "viewer"), "not allowed", "not oneself")
	assert.Contains(t, set("nobody-at-all", "viewer"), "not exist")
	assert.Contains(t, set("vera", "boss"), "Go back", "no such role")
	vera.post(at+"/members", url.Values{"username": {"owen"}, "role": {"editor"}})
	assert.NotContains(t, owen.text(at), "Members")
	vera.post(at+"/members/remove", url.Values{"username": {"owen"}})
	assert.Equal(t, http.StatusForbidden, owen.get(at).Code)

	for i := range membersPerPage + 1 {
		w.member(fmt.Sprintf("many%02d", i), model.RoleViewer, group)
	}
	first := vera.text(at)
	assert.Contains(t, first, "many40")
	assert.NotContains(t, first, "many50")
	_, next, _ := strings.Cut(first, `rel="next" href="`)
	next, _, _ = strings.Cut(next, "#")
	assert.Contains(t, vera.text(strings.ReplaceAll(next, "&amp;", "&")), "many50")
}
