package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	ownPassword = "a-password-of-mine"
	groupToken  = "token'of\"<executors>\\"
)

// newAdmin is a console whose administrator has a printed password.
func newAdmin(t *testing.T) (w *world, printed string, apps *[]App) {
	t.Helper()
	apps = new([]App)
	w = newWorld(t, func(c *Config) {
		c.Setup = Setup{Token: groupToken, Apps: func(context.Context) ([]App, error) { return *apps, nil }}
	})
	require.NoError(t, w.db.DeleteUser(t.Context(), w.admin.ID))
	printed, created, err := w.auth.EnsureAdmin(t.Context(), "admin", "")
	require.NoError(t, err)
	require.True(t, created)
	w.admin, err = w.db.UserByName(t.Context(), "admin")
	require.NoError(t, err)
	return w, printed, apps
}

func (w *world) phase() auth.Phase {
	w.t.Helper()
	state, err := w.auth.Setup(w.t.Context())
	require.NoError(w.t, err)
	return state.Phase
}

func chosen(printed, password string) url.Values {
	return url.Values{
		"printed": {printed}, "password": {password}, "again": {password}, "lang": {"en"}, "zone": {"Asia/Shanghai"},
	}
}

// TestSetupFromTheFirstVisitToTheFirstRun is the way of a newcomer.
func TestSetupFromTheFirstVisitToTheFirstRun(t *testing.T) {
	t.Parallel()
	w, printed, apps := newAdmin(t)
	v := w.as(nil)
	for _, target := range []string{"/signin", "/toLogin"} {
		assert.Equal(t, "/setup", v.get(target).Header().Get("Location"), target)
	}
	page := v.text("/setup")
	assert.Contains(t, page, "good for this page alone")
	assert.Contains(t, page, `name="printed"`)
	assert.NotContains(t, page, groupToken, "nobody has shown anything yet")
	assert.NotContains(t, page, printed)

	rec := v.post("/setup", chosen(printed, ownPassword))
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	assert.Equal(t, "/setup", rec.Header().Get("Location"))
	assert.Equal(t, "en", v.cookies[langCookie])
	page = v.text("/setup")
	assert.Contains(t, page, "You are signed in as admin")
	assert.Contains(t, page, groupToken)
	assert.Contains(t, page, `AccessToken: "token'of\"<executors>\\"`)
	assert.Contains(t, page, `setAccessToken("token'of\"<executors>\\")`)
	assert.Contains(t, page, `-admin 'http://example.com/xxl-job-admin' -token 'token'\''of"<executors>\'`)
	assert.Contains(t, page, `<noscript><meta http-equiv="refresh" content="5"></noscript>`)
	assert.Contains(t, page, "Waiting for an executor")
	assert.NotContains(t, v.text("/setup?part=wait"), "data-found")
	assert.Contains(t, v.text("/"), "All is well", "the other pages are there meanwhile")

	*apps = []App{{"basic", "http://10.0.0.2:9999/"}, {"basic", "http://10.0.0.1:9999/"}, {"billing", "http://10.0.0.9:9999/"}}
	part := v.text("/setup?part=wait")
	assert.NotContains(t, part, "<html")
	assert.Contains(t, part, "data-found")
	assert.Contains(t, part, "http://10.0.0.1:9999/")
	assert.Contains(t, part, `<option value="billing">`)
	assert.NotContains(t, v.text("/setup"), "http-equiv", "nothing loads itself again under a form")

	group := w.group("basic", "basic", "http://10.0.0.1:9999/")
	rec = v.post("/setup/job", url.Values{
		"app": {"basic"}, "name": {"hello"}, "handler": {"greet"}, "param": {"Ada"}, "every": {"0 * * * * ?"},
	})
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	require.Regexp(t, `^/runs/\d+$`, rec.Header().Get("Location"))
	page = v.text(rec.Header().Get("Location"))
	assert.Contains(t, page, "All set up. The job hello is there")
	jobs, total, err := w.db.Jobs(t.Context(), model.JobFilter{Limit: 10})
	require.NoError(t, err)
	require.Equal(t, 1, total)
	j := jobs[0]
	assert.Equal(t, group, j.GroupID)
	assert.True(t, j.Running)
	assert.Equal(t, "Asia/Shanghai", j.TimeZone)
	assert.Equal(t, "admin", j.Author.S)
	assert.Equal(t, "Ada", j.Param.S)
	assert.Contains(t, v.text("/jobs/new"), `value="Asia/Shanghai"`, "new jobs are suggested the zone")

	assert.Equal(t, auth.SetupClosed, w.phase())
	w.setupIsClosed(v)
	w.setupIsClosed(w.as(nil))
	audits, err := w.db.Audits(t.Context(), model.AuditFilter{Limit: 10})
	require.NoError(t, err)
	var actions []string
	for _, a := range audits {
		actions = append(actions, a.Action)
		assert.NotContains(t, a.Detail, printed)
		assert.NotContains(t, a.Detail, ownPassword)
	}
	assert.Equal(t, []string{"setup.finish", "job.trigger", "job.create", "setting.zone", "user.password"}, actions)
}

// setupIsClosed asserts that the route says so, and does nothing.
func (w *world) setupIsClosed(v *visitor) {
	w.t.Helper()
	rec := v.get("/setup")
	assert.Equal(w.t, http.StatusGone, rec.Code)
	assert.Contains(w.t, rec.Body.String(), "closed for good")
	assert.NotContains(w.t, rec.Body.String(), "token&#39;of")
	assert.Equal(w.t, http.StatusGone, v.get("/setup?part=wait").Code)
	before, err := w.db.UserByName(w.t.Context(), "admin")
	require.NoError(w.t, err)
	for _, form := range []url.Values{chosen("", "another-password"), chosen(ownPassword, "another-password")} {
		rec = v.post("/setup", form)
		assert.Equal(w.t, http.StatusGone, rec.Code)
	}
	after, err := w.db.UserByName(w.t.Context(), "admin")
	require.NoError(w.t, err)
	assert.Equal(w.t, before.Hash, after.Hash)
	if v.cookies[sessionCookie] != "" {
		for _, target := range []string{"/setup/job", "/setup/finish"} {
			assert.Equal(w.t, http.StatusGone, v.post(target, url.Values{"app": {"basic"}}).Code, target)
		}
	}
}

// TestSetupIsRefused: without the printed password nobody gets anywhere, and
// what was typed wrongly is said at its field.
func TestSetupIsRefused(t *testing.T) {
	t.Parallel()
	w, printed, _ := newAdmin(t)
	v := w.as(nil)
	before, err := w.db.UserByName(t.Context(), "admin")
	require.NoError(t, err)
	for i, wrong := range []string{"", "guess", printed + "x", "123456", groupToken} {
		rec := v.post("/setup", chosen(wrong, ownPassword))
		assert.Equal(t, http.StatusUnauthorized, rec.Code, i)
		assert.Contains(t, rec.Body.String(), "not the password that was printed")
		assert.Empty(t, v.cookies[sessionCookie])
	}
	for form, want := range map[string]string{
		"short": "8 to 64 characters;", strings.Repeat("x", 65): "8 to 64 characters;", printed: "the printed one",
	} {
		v := w.as(nil)
		rec := v.post("/setup", chosen(printed, form))
		assert.Equal(t, http.StatusUnprocessableEntity, rec.Code, form)
		assert.Contains(t, rec.Body.String(), want)
		assert.NotContains(t, rec.Body.String(), `name="printed"`, "it was shown once, that is enough")
		assert.NotContains(t, rec.Body.String(), printed)
		assert.Contains(t, rec.Body.String(), `value="Asia/Shanghai"`, "what was typed is kept")
	}
	v = w.as(nil)
	differ := chosen(printed, ownPassword)
	differ.Set("again", "something else")
	differ.Set("zone", "Mars")
	rec := v.post("/setup", differ)
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	assert.Contains(t, rec.Body.String(), "are not the same")
	assert.Contains(t, rec.Body.String(), "is no time zone")
	after, err := w.db.UserByName(t.Context(), "admin")
	require.NoError(t, err)
	assert.Equal(t, before.Hash, after.Hash)
	assert.Equal(t, auth.SetupPassword, w.phase())
}

// TestSetupIsThrottled: guessing the printed password is throttled as a login is.
func TestSetupIsThrottled(t *testing.T) {
	t.Parallel()
	w, _, _ := newAdmin(t)
	for range 10 {
		assert.Equal(t, http.StatusUnauthorized, w.as(nil).post("/setup", chosen("guess", ownPassword)).Code)
	}
	rec := w.as(nil).post("/setup", chosen("guess", ownPassword))
	assert.Equal(t, http.StatusTooManyRequests, rec.Code)
	assert.Contains(t, rec.Body.String(), "Too many attempts")
}

// TestPrintedPasswordOpensTheSetupAlone: who signs in with it is led to the
// setup from wherever he goes, and may do nothing else.
func TestPrintedPasswordOpensTheSetupAlone(t *testing.T) {
	t.Parallel()
	w, printed, _ := newAdmin(t)
	w.user("second", false, "")
	v := w.as(nil)
	assert.Contains(t, v.text("/signin"), `href="/setup"`, "there are others who sign in")
	rec := v.post("/signin", url.Values{"name": {"admin"}, "password": {printed}, "next": {"/settings/users"}})
	assert.Equal(t, "/setup", rec.Header().Get("Location"))
	require.NotEmpty(t, v.cookies[sessionCookie])
	session := v.cookies[sessionCookie]
	for _, route := range w.server.routes {
		if route.Permission.String() == "anonymous" {
			continue
		}
		path := strings.NewReplacer("{id}", "1", "{name}", "x").Replace(route.Path)
		method := route.Methods[0]
		body := "csrf=" + url.QueryEscape((&call{session: session}).csrf())
		rec := v.send(method, path, body)
		assert.Equal(t, http.StatusSeeOther, rec.Code, "%s %s", method, path)
		assert.Equal(t, "/setup", rec.Header().Get("Location"), "%s %s", method, path)
	}
	for _, old := range []string{"/", "/jobinfo", "/help", "/signin"} {
		assert.Equal(t, "/setup", v.get(old).Header().Get("Location"), old)
	}
	assert.NotContains(t, v.text("/setup"), `name="printed"`)

	// The session alone is not enough: the form carries its token.
	rec = v.send(http.MethodPost, "/setup", chosen("", ownPassword).Encode())
	assert.Equal(t, http.StatusForbidden, rec.Code)
	assert.Equal(t, auth.SetupPassword, w.phase())
	v.header["Sec-Fetch-Site"] = "cross-site"
	assert.Equal(t, http.StatusForbidden, v.post("/setup", chosen("", ownPassword)).Code)
	delete(v.header, "Sec-Fetch-Site")
	rec = v.post("/setup", chosen("", ownPassword))
	assert.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	assert.NotEqual(t, session, v.cookies[sessionCookie])
	assert.Equal(t, auth.SetupExecutor, w.phase())
	v.cookies[sessionCookie] = session
	assert.Contains(t, v.get("/jobs").Header().Get("Location"), "/signin", "the session of the setup has ended")
}

// TestSetupAfterThePassword: the token and the first job are for administrators,
// and the second step can be left out.
func TestSetupAfterThePassword(t *testing.T) {
	t.Parallel()
	w, printed, apps := newAdmin(t)
	v := w.as(nil)
	v.post("/setup", chosen(printed, ownPassword))
	assert.Equal(t, "/signin?next=%2Fsetup", w.as(nil).get("/setup").Header().Get("Location"))
	other := w.as(w.user("second", false, ""))
	for _, rec := range []int{
		other.get("/setup").Code, other.get("/setup?part=wait").Code,
		other.post("/setup/job", nil).Code, other.post("/setup/finish", nil).Code,
	} {
		assert.Equal(t, http.StatusForbidden, rec)
	}
	assert.Equal(t, "/setup", w.as(nil).post("/setup", chosen(printed, "another-password")).Header().Get("Location"),
		"the first step is over")

	rec := v.post("/setup/job", url.Values{"app": {"basic"}, "name": {"x"}, "handler": {"greet"}})
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	assert.Contains(t, rec.Body.String(), "The executor basic is not there")
	*apps = []App{{"x" + evil, "http://10.0.0.1:9999/" + evil}}
	page := v.get("/setup").Body.String()
	assert.NotContains(t, page, "<script>alert")
	rec = v.post("/setup/job", url.Values{"app": {(*apps)[0].Name}, "name": {"x"}, "handler": {"greet"}})
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code, "no group can have this name")
	*apps = []App{{"basic", "http://10.0.0.1:9999/"}}
	w.group("basic", "basic", "http://10.0.0.1:9999/")
	rec = v.post("/setup/job", url.Values{"app": {"basic"}, "name": {""}, "handler": {"greet"}})
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	assert.Equal(t, auth.SetupExecutor, w.phase())
	_, total, err := w.db.Jobs(t.Context(), model.JobFilter{Limit: 1})
	require.NoError(t, err)
	assert.Zero(t, total)

	assert.Contains(t, v.text("/"), `<a href="/setup">Go on with the setup</a>`)
	assert.NotContains(t, other.text("/"), "/setup")
	rec = v.post("/setup/finish", nil)
	assert.Equal(t, "/", rec.Header().Get("Location"))
	page = v.text("/")
	assert.Contains(t, page, "All set up")
	assert.NotContains(t, page, "/setup")
	w.setupIsClosed(v)
}

// TestFirstJobIsFilledIn: what is known of the executor is filled in, and nothing
// that it may not have.
func TestFirstJobIsFilledIn(t *testing.T) {
	t.Parallel()
	w, printed, apps := newAdmin(t)
	v := w.as(nil)
	v.post("/setup", chosen(printed, ownPassword))
	*apps = []App{{"billing", "http://10.0.0.1:9999/"}}
	page := v.text("/setup")
	assert.Contains(t, page, `name="handler" type="text" value=""`)
	assert.NotContains(t, page, `value="greet"`)
	w.job(w.group("billing", "Billing", "http://10.0.0.1:9999/"), "invoices", func(j *model.Job) { j.Handler = model.T("sendInvoices") })
	assert.Contains(t, v.text("/setup"), `value="sendInvoices"`, "a job of it is there, such as one from code")
	*apps = append(*apps, App{"basic", "http://10.0.0.2:9999/"})
	assert.Contains(t, v.text("/setup"), `value="greet"`, "the program of the help")
}

// TestFirstJobMakesItsGroup: an executor that nobody knows yet gets a group.
func TestFirstJobMakesItsGroup(t *testing.T) {
	t.Parallel()
	w, printed, apps := newAdmin(t)
	v := w.as(nil)
	v.post("/setup", chosen(printed, ownPassword))
	*apps = []App{{"basic", "http://10.0.0.1:9999/"}}
	w.parts.changed = func() {
		groups, err := w.db.AllGroups(t.Context())
		require.NoError(t, err)
		require.NoError(t, w.db.SetAddresses(t.Context(), groups[0].ID, model.T("http://10.0.0.1:9999/"), noon))
	}
	rec := v.post("/setup/job", url.Values{"app": {"basic"}, "name": {"by hand"}, "handler": {"greet"}, "param": {""}, "every": {""}})
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	jobs, _, err := w.db.Jobs(t.Context(), model.JobFilter{Limit: 1})
	require.NoError(t, err)
	assert.Equal(t, model.ScheduleNone, jobs[0].ScheduleType)
	assert.False(t, jobs[0].Running)
	g, err := w.db.Group(t.Context(), jobs[0].GroupID)
	require.NoError(t, err)
	assert.Equal(t, "basic", g.AppName)
	assert.False(t, g.Manual)
}

// TestNoSetupWithoutAPrintedPassword: who gave a password has nothing to set up.
func TestNoSetupWithoutAPrintedPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	w.setupIsClosed(v)
	assert.Equal(t, http.StatusOK, w.as(nil).get("/signin").Code)
	assert.NotContains(t, w.as(nil).text("/signin"), "/setup")
	id := strconv.Itoa(int(w.group("basic", "basic", "")))
	assert.Contains(t, v.text("/jobs/new?group="+id), `name="zone" type="text" value=""`)
}

// TestNewJobZone: not where a Java admin would not know of it.
func TestNewJobZone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	who := ops.UserPrincipal(w.admin)
	require.NoError(t, w.ops.SetNewJobZone(t.Context(), who, "Europe/Berlin"))
	zone, err := w.ops.NewJobZone(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "Europe/Berlin", zone)
	require.Error(t, w.ops.SetNewJobZone(t.Context(), who, "Mars"))
	require.Error(t, w.ops.SetNewJobZone(t.Context(), ops.UserPrincipal(w.user("second", false, "")), "UTC"))
}
