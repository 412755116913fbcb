package console_test

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
	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	ownPassword = "a-password-of-mine"
	groupToken  = "token'of\"<executors>\\"
)

// newAdmin is a console whose administrator has a printed password.
func newAdmin(t *testing.T) (w *consoletest.World, printed string, apps *[]console.App) {
	t.Helper()
	apps = new([]console.App)
	w = consoletest.New(t, func(c *console.Config) {
		c.Setup = console.Setup{Token: groupToken, Apps: func(context.Context) ([]console.App, error) { return *apps, nil }}
	})
	require.NoError(t, w.DB.DeleteUser(t.Context(), w.Admin.ID))
	printed, created, err := w.Auth.EnsureAdmin(t.Context(), "admin", "")
	require.NoError(t, err)
	require.True(t, created)
	w.Admin, err = w.DB.UserByName(t.Context(), "admin")
	require.NoError(t, err)
	return w, printed, apps
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
	v := w.As(nil)
	for _, target := range []string{"/signin", "/toLogin"} {
		assert.Equal(t, "/setup", v.Get(target).Header().Get("Location"), target)
	}
	page := v.Text("/setup")
	assert.Contains(t, page, "good for this page alone")
	assert.Contains(t, page, `name="printed"`)
	assert.NotContains(t, page, groupToken, "nobody has shown anything yet")
	assert.NotContains(t, page, printed)

	rec := v.Post("/setup", chosen(printed, ownPassword))
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	assert.Equal(t, "/setup", rec.Header().Get("Location"))
	assert.Equal(t, "en", v.Cookies[web.LangCookie])
	page = v.Text("/setup")
	assert.Contains(t, page, "You are signed in as admin")
	assert.Contains(t, page, groupToken)
	assert.Contains(t, page, `AccessToken: "token'of\"<executors>\\"`)
	assert.Contains(t, page, `setAccessToken("token'of\"<executors>\\")`)
	assert.Contains(t, page, `-admin 'http://example.com/xxl-job-admin' -token 'token'\''of"<executors>\'`)
	assert.Contains(t, page, `<noscript><meta http-equiv="refresh" content="5"></noscript>`)
	assert.Contains(t, page, "Waiting for an executor")
	assert.NotContains(t, v.Text("/setup?part=wait"), "data-found")
	w.Refused = []model.Refused{
		{Client: "192.0.2.7", AppName: "<b>asic", Count: 3, Last: consoletest.Noon},
		{Client: "192.0.2.8", Count: 1, Last: consoletest.Noon},
	}
	for _, want := range []string{
		"The executor “<b>asic” at 192.0.2.7 came with a wrong access token (3 times, last at 12:00:00).",
		"A program at 192.0.2.8 came with a wrong access token (1 times, last at 12:00:00).",
	} {
		assert.Contains(t, v.Text("/setup?part=wait"), want)
	}
	w.Refused = nil
	assert.Contains(t, v.Text("/"), "All is well", "the other pages are there meanwhile")

	*apps = []console.App{{Name: "basic", Address: "http://10.0.0.2:9999/"}, {Name: "basic", Address: "http://10.0.0.1:9999/"}, {Name: "billing", Address: "http://10.0.0.9:9999/"}}
	part := v.Text("/setup?part=wait")
	assert.NotContains(t, part, "<html")
	assert.Contains(t, part, "data-found")
	assert.Contains(t, part, "http://10.0.0.1:9999/")
	assert.Contains(t, part, `<option value="billing">`)
	assert.NotContains(t, v.Text("/setup"), "http-equiv", "nothing loads itself again under a form")

	group := w.Group("basic", "basic", "http://10.0.0.1:9999/")
	rec = v.Post("/setup/job", url.Values{
		"app": {"basic"}, "name": {"hello"}, "handler": {"greet"}, "param": {"Ada"}, "every": {"0 * * * * ?"},
	})
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	require.Regexp(t, `^/runs/\d+$`, rec.Header().Get("Location"))
	page = v.Text(rec.Header().Get("Location"))
	assert.Contains(t, page, "All set up. The job hello is there")
	jobs, total, err := w.DB.Jobs(t.Context(), model.JobFilter{Limit: 10})
	require.NoError(t, err)
	require.Equal(t, 1, total)
	j := jobs[0]
	assert.Equal(t, group, j.GroupID)
	assert.True(t, j.Running)
	assert.Equal(t, "Asia/Shanghai", j.TimeZone)
	assert.Equal(t, "admin", j.Author.S)
	assert.Equal(t, "Ada", j.Param.S)
	assert.Contains(t, v.Text("/jobs/new"), `value="Asia/Shanghai"`, "new jobs are suggested the zone")

	assert.Equal(t, auth.SetupClosed, w.Phase())
	setupIsClosed(w, v)
	setupIsClosed(w, w.As(nil))
	audits, err := w.DB.Audits(t.Context(), model.AuditFilter{Limit: 10})
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
func setupIsClosed(w *consoletest.World, v *consoletest.Visitor) {
	w.T.Helper()
	rec := v.Get("/setup")
	assert.Equal(w.T, http.StatusGone, rec.Code)
	assert.Contains(w.T, rec.Body.String(), "closed for good")
	assert.NotContains(w.T, rec.Body.String(), "token&#39;of")
	assert.Equal(w.T, http.StatusGone, v.Get("/setup?part=wait").Code)
	before, err := w.DB.UserByName(w.T.Context(), "admin")
	require.NoError(w.T, err)
	for _, form := range []url.Values{chosen("", "another-password"), chosen(ownPassword, "another-password")} {
		rec = v.Post("/setup", form)
		assert.Equal(w.T, http.StatusGone, rec.Code)
	}
	after, err := w.DB.UserByName(w.T.Context(), "admin")
	require.NoError(w.T, err)
	assert.Equal(w.T, before.Hash, after.Hash)
	if v.Cookies[web.SessionCookie] != "" {
		for _, target := range []string{"/setup/job", "/setup/finish"} {
			assert.Equal(w.T, http.StatusGone, v.Post(target, url.Values{"app": {"basic"}}).Code, target)
		}
	}
}

// TestSetupIsRefused: without the printed password nobody gets anywhere, and
// what was typed wrongly is said at its field.
func TestSetupIsRefused(t *testing.T) {
	t.Parallel()
	w, printed, _ := newAdmin(t)
	v := w.As(nil)
	before, err := w.DB.UserByName(t.Context(), "admin")
	require.NoError(t, err)
	for i, wrong := range []string{"", "guess", printed + "x", "123456", groupToken} {
		rec := v.Post("/setup", chosen(wrong, ownPassword))
		assert.Equal(t, http.StatusUnauthorized, rec.Code, i)
		assert.Contains(t, rec.Body.String(), "not the password that was printed")
		assert.Empty(t, v.Cookies[web.SessionCookie])
	}
	for form, want := range map[string]string{
		"short": "8 to 64 characters;", strings.Repeat("x", 65): "8 to 64 characters;", printed: "the printed one",
	} {
		v := w.As(nil)
		rec := v.Post("/setup", chosen(printed, form))
		assert.Equal(t, http.StatusUnprocessableEntity, rec.Code, form)
		assert.Contains(t, rec.Body.String(), want)
		assert.NotContains(t, rec.Body.String(), `name="printed"`, "it was shown once, that is enough")
		assert.NotContains(t, rec.Body.String(), printed)
		assert.Contains(t, rec.Body.String(), `value="Asia/Shanghai"`, "what was typed is kept")
	}
	v = w.As(nil)
	differ := chosen(printed, ownPassword)
	differ.Set("again", "something else")
	differ.Set("zone", "Mars")
	rec := v.Post("/setup", differ)
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	assert.Contains(t, rec.Body.String(), "are not the same")
	assert.Contains(t, rec.Body.String(), "is no time zone")
	after, err := w.DB.UserByName(t.Context(), "admin")
	require.NoError(t, err)
	assert.Equal(t, before.Hash, after.Hash)
	assert.Equal(t, auth.SetupPassword, w.Phase())
}

// TestSetupIsThrottled: guessing the printed password is throttled as a login is.
func TestSetupIsThrottled(t *testing.T) {
	t.Parallel()
	w, _, _ := newAdmin(t)
	for range 10 {
		assert.Equal(t, http.StatusUnauthorized, w.As(nil).Post("/setup", chosen("guess", ownPassword)).Code)
	}
	rec := w.As(nil).Post("/setup", chosen("guess", ownPassword))
	assert.Equal(t, http.StatusTooManyRequests, rec.Code)
	assert.Contains(t, rec.Body.String(), "Too many attempts")
}

// TestPrintedPasswordOpensTheSetupAlone: who signs in with it is led to the
// setup from wherever he goes, and may do nothing else.
func TestPrintedPasswordOpensTheSetupAlone(t *testing.T) {
	t.Parallel()
	w, printed, _ := newAdmin(t)
	w.User("second", false, "")
	v := w.As(nil)
	assert.Contains(t, v.Text("/signin"), `href="/setup"`, "there are others who sign in")
	rec := v.Post("/signin", url.Values{"name": {"admin"}, "password": {printed}, "next": {"/settings/users"}})
	assert.Equal(t, "/setup", rec.Header().Get("Location"))
	require.NotEmpty(t, v.Cookies[web.SessionCookie])
	session := v.Cookies[web.SessionCookie]
	for _, route := range w.Server.Table().Routes {
		if route.Permission.String() == "anonymous" {
			continue
		}
		path := strings.NewReplacer("{id}", "1", "{name}", "x").Replace(route.Path)
		method := route.Methods[0]
		body := "csrf=" + url.QueryEscape(web.CSRFOf(session))
		rec := v.Send(method, path, body)
		assert.Equal(t, http.StatusSeeOther, rec.Code, "%s %s", method, path)
		assert.Equal(t, "/setup", rec.Header().Get("Location"), "%s %s", method, path)
	}
	for _, old := range []string{"/", "/jobinfo", "/help", "/signin"} {
		assert.Equal(t, "/setup", v.Get(old).Header().Get("Location"), old)
	}
	assert.NotContains(t, v.Text("/setup"), `name="printed"`)

	// The session alone is not enough: the form carries its token.
	rec = v.Send(http.MethodPost, "/setup", chosen("", ownPassword).Encode())
	assert.Equal(t, http.StatusForbidden, rec.Code)
	assert.Equal(t, auth.SetupPassword, w.Phase())
	v.Header["Sec-Fetch-Site"] = "cross-site"
	assert.Equal(t, http.StatusForbidden, v.Post("/setup", chosen("", ownPassword)).Code)
	delete(v.Header, "Sec-Fetch-Site")
	rec = v.Post("/setup", chosen("", ownPassword))
	assert.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	assert.NotEqual(t, session, v.Cookies[web.SessionCookie])
	assert.Equal(t, auth.SetupExecutor, w.Phase())
	v.Cookies[web.SessionCookie] = session
	assert.Contains(t, v.Get("/jobs").Header().Get("Location"), "/signin", "the session of the setup has ended")
}

// TestSetupAfterThePassword: the token and the first job are for administrators,
// and the second step can be left out.
func TestSetupAfterThePassword(t *testing.T) {
	t.Parallel()
	w, printed, apps := newAdmin(t)
	v := w.As(nil)
	v.Post("/setup", chosen(printed, ownPassword))
	assert.Equal(t, "/signin?next=%2Fsetup", w.As(nil).Get("/setup").Header().Get("Location"))
	other := w.As(w.User("second", false, ""))
	for _, rec := range []int{
		other.Get("/setup").Code, other.Get("/setup?part=wait").Code,
		other.Post("/setup/job", nil).Code, other.Post("/setup/finish", nil).Code,
	} {
		assert.Equal(t, http.StatusForbidden, rec)
	}
	assert.Equal(t, "/setup", w.As(nil).Post("/setup", chosen(printed, "another-password")).Header().Get("Location"),
		"the first step is over")

	rec := v.Post("/setup/job", url.Values{"app": {"basic"}, "name": {"x"}, "handler": {"greet"}})
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	assert.Contains(t, rec.Body.String(), "The executor basic is not there")
	*apps = []console.App{{Name: "x" + consoletest.Evil, Address: "http://10.0.0.1:9999/" + consoletest.Evil}}
	page := v.Get("/setup").Body.String()
	assert.NotContains(t, page, "<script>alert")
	rec = v.Post("/setup/job", url.Values{"app": {(*apps)[0].Name}, "name": {"x"}, "handler": {"greet"}})
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code, "no group can have this name")
	*apps = []console.App{{Name: "basic", Address: "http://10.0.0.1:9999/"}}
	w.Group("basic", "basic", "http://10.0.0.1:9999/")
	rec = v.Post("/setup/job", url.Values{"app": {"basic"}, "name": {""}, "handler": {"greet"}})
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	assert.Equal(t, auth.SetupExecutor, w.Phase())
	_, total, err := w.DB.Jobs(t.Context(), model.JobFilter{Limit: 1})
	require.NoError(t, err)
	assert.Zero(t, total)

	assert.Contains(t, v.Text("/"), `<a href="/setup">Go on with the setup</a>`)
	assert.NotContains(t, other.Text("/"), "/setup")
	rec = v.Post("/setup/finish", nil)
	assert.Equal(t, "/", rec.Header().Get("Location"))
	page = v.Text("/")
	assert.Contains(t, page, "All set up")
	assert.NotContains(t, page, "/setup")
	setupIsClosed(w, v)
}

// TestFirstJobIsFilledIn: what is known of the executor is filled in, and nothing
// that it may not have.
func TestFirstJobIsFilledIn(t *testing.T) {
	t.Parallel()
	w, printed, apps := newAdmin(t)
	v := w.As(nil)
	v.Post("/setup", chosen(printed, ownPassword))
	*apps = []console.App{{Name: "billing", Address: "http://10.0.0.1:9999/"}}
	page := v.Text("/setup")
	assert.Contains(t, page, `name="handler" type="text" value=""`)
	assert.NotContains(t, page, `value="greet"`)
	w.Job(w.Group("billing", "Billing", "http://10.0.0.1:9999/"), "invoices", func(j *model.Job) { j.Handler = model.T("sendInvoices") })
	assert.Contains(t, v.Text("/setup"), `value="sendInvoices"`, "a job of it is there, such as one from code")
	*apps = append(*apps, console.App{Name: "basic", Address: "http://10.0.0.2:9999/"})
	assert.Contains(t, v.Text("/setup"), `value="greet"`, "the program of the help")
}

// TestFirstJobMakesItsGroup: an executor that nobody knows yet gets a group.
func TestFirstJobMakesItsGroup(t *testing.T) {
	t.Parallel()
	w, printed, apps := newAdmin(t)
	v := w.As(nil)
	v.Post("/setup", chosen(printed, ownPassword))
	*apps = []console.App{{Name: "basic", Address: "http://10.0.0.1:9999/"}}
	w.Parts.OnChange = func() {
		groups, err := w.DB.AllGroups(t.Context())
		require.NoError(t, err)
		require.NoError(t, w.DB.SetAddresses(t.Context(), groups[0].ID, model.T("http://10.0.0.1:9999/"), consoletest.Noon))
	}
	rec := v.Post("/setup/job", url.Values{"app": {"basic"}, "name": {"by hand"}, "handler": {"greet"}, "param": {""}, "every": {""}})
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	jobs, _, err := w.DB.Jobs(t.Context(), model.JobFilter{Limit: 1})
	require.NoError(t, err)
	assert.Equal(t, model.ScheduleNone, jobs[0].ScheduleType)
	assert.False(t, jobs[0].Running)
	g, err := w.DB.Group(t.Context(), jobs[0].GroupID)
	require.NoError(t, err)
	assert.Equal(t, "basic", g.AppName)
	assert.False(t, g.Manual)
}

// TestNoSetupWithoutAPrintedPassword: who gave a password has nothing to set up.
func TestNoSetupWithoutAPrintedPassword(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	setupIsClosed(w, v)
	assert.Equal(t, http.StatusOK, w.As(nil).Get("/signin").Code)
	assert.NotContains(t, w.As(nil).Text("/signin"), "/setup")
	id := strconv.Itoa(int(w.Group("basic", "basic", "")))
	assert.Contains(t, v.Text("/jobs/new?group="+id), `name="zone" type="text" value=""`)
}

// TestNewJobZone: not where a Java admin would not know of it.
func TestNewJobZone(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	who := ops.UserPrincipal(w.Admin)
	require.NoError(t, w.Ops.SetNewJobZone(t.Context(), who, "Europe/Berlin"))
	zone, err := w.Ops.NewJobZone(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "Europe/Berlin", zone)
	require.Error(t, w.Ops.SetNewJobZone(t.Context(), who, "Mars"))
	require.Error(t, w.Ops.SetNewJobZone(t.Context(), ops.UserPrincipal(w.User("second", false, "")), "UTC"))
}
