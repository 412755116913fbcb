package settingspages_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestUsers(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	group := strconv.Itoa(int(w.Group("golden", "gold", "")))
	rec := v.Post("/settings/users/new", url.Values{"name": {"ab"}, "password": {"sesame-open"}, "role-" + group: {"operator"}})
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	assert.Contains(t, rec.Body.String(), "A user name has 4 to 20 characters; this one has 2.")
	assert.NotContains(t, rec.Body.String(), "sesame-open", "a password is not sent back")
	assert.Contains(t, rec.Body.String(), `<option value="operator" selected>`)

	v.Post("/settings/users/new", url.Values{
		"name": {"golden1"}, "password": {"sesame-open"}, "role": {"user"}, "role-" + group: {"viewer"},
	})
	page := v.Text("/settings/users")
	assert.Contains(t, page, "The user golden1 is created.")
	assert.Contains(t, page, `gold</span> <span class="tag">viewer</span>`)
	list, _, err := w.DB.Users(t.Context(), model.UserFilter{Username: "golden1"})
	require.NoError(t, err)
	require.Len(t, list, 1)
	at := "/settings/users/" + strconv.Itoa(int(list[0].ID))
	assert.Contains(t, v.Text(at), `<option value="viewer" selected>`)
	other := w.As(list[0])
	assert.Equal(t, http.StatusOK, other.Get("/settings").Code)
	v.Post(at, url.Values{"role": {"user"}, "role-" + group: {"editor"}})
	u, err := w.DB.User(t.Context(), list[0].ID)
	require.NoError(t, err)
	assert.Equal(t, group, u.Permission.S)
	v.Post(at, url.Values{"role": {"user"}})
	u, err = w.DB.User(t.Context(), list[0].ID)
	require.NoError(t, err)
	assert.Equal(t, group, u.Permission.S, "a form that does not name a group leaves the role in it")
	assert.Contains(t, other.Text("/settings"), `gold <span class="tag">editor</span>`)
	v.Post(at, url.Values{"role": {"user"}, "role-" + group: {""}})
	assert.NotContains(t, other.Text("/settings"), "gold <span")
	v.Post(at, url.Values{"role": {"admin"}})
	assert.Equal(t, http.StatusSeeOther, other.Get("/settings").Code, "a change of the role ends the sessions")
	u, err = w.DB.User(t.Context(), list[0].ID)
	require.NoError(t, err)
	assert.True(t, u.Admin)

	self := "/settings/users/" + strconv.Itoa(int(w.Admin.ID))
	assert.Contains(t, v.Text(self), "Another administrator")
	assert.Equal(t, http.StatusUnprocessableEntity, v.Post(self, url.Values{"role": {"user"}}).Code)
	v.Post(self+"/delete", nil)
	v.Post(at+"/delete", nil)
	assert.Contains(t, v.Text("/settings/users"), "The user is deleted.")
	assert.Equal(t, http.StatusNotFound, v.Get(at).Code)
	assert.NotEmpty(t, v.Text(self), "oneself stays")
}

// TestSettingsAreForAdministrators: others see their own account and how the
// node is, and nothing else.
func TestSettingsAreForAdministrators(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.User("silver1", false, ""))
	page := v.Text("/settings")
	assert.NotContains(t, page, "/settings/users")
	assert.Contains(t, v.Text("/settings/about"), "v1.2.3")
	for _, path := range []string{
		"/settings/users", "/settings/users/new", "/settings/users/1", "/settings/audit", "/settings/audit.csv",
	} {
		rec := v.Get(path)
		assert.Equal(t, http.StatusForbidden, rec.Code, path)
		assert.Contains(t, rec.Body.String(), "for administrators", path)
	}
	for _, path := range []string{"/settings/users/new", "/settings/users/1", "/settings/users/1/delete"} {
		assert.Equal(t, http.StatusForbidden, v.Post(path, url.Values{"name": {"evil-admin"}, "role": {"admin"}}).Code, path)
	}
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v, second := w.As(w.Admin), w.As(w.Admin)
	send := func(old, next, again string) (int, string) {
		rec := v.Post("/settings/password", url.Values{"old": {old}, "password": {next}, "again": {again}})
		return rec.Code, rec.Body.String()
	}
	code, page := send("sesame-open", "sesame-closed", "sesame-clozed")
	assert.Equal(t, http.StatusUnprocessableEntity, code)
	assert.Contains(t, page, "not the same")
	code, page = send("wrong", "sesame-closed", "sesame-closed")
	assert.Equal(t, http.StatusUnprocessableEntity, code)
	assert.Contains(t, page, "old password")
	v = second
	code, _ = send("sesame-open", "sesame-closed", "sesame-closed")
	assert.Equal(t, http.StatusSeeOther, code)
	assert.Contains(t, v.Text("/signin"), "sign in with it")
	assert.Equal(t, http.StatusSeeOther, v.Post("/signin", url.Values{
		"name": {"admin"}, "password": {"sesame-closed"},
	}).Code)
}

func TestAudit(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	assert.Contains(t, v.Text("/settings/audit"), "Nothing has been changed yet")
	j := w.Job(w.Group("golden", "gold", ""), "settle")
	for range 101 {
		require.NoError(t, w.DB.AddAudit(t.Context(), model.Audit{
			At: consoletest.Noon, User: "=cmd()", Action: "job.update", Object: consoletest.PathOf(j), Detail: consoletest.Evil,
		}))
	}
	page := v.Get("/settings/audit").Body.String()
	assert.NotContains(t, page, "<script>alert")
	assert.Contains(t, page, "/settings/audit?before=2")
	assert.Contains(t, v.Text("/settings/audit?before=2"), "First page")
	rec := v.Get("/settings/audit.csv")
	assert.Equal(t, "text/csv;charset=UTF-8", rec.Header().Get("Content-Type"))
	assert.Equal(t, 102, strings.Count(rec.Body.String(), "\n"))
	assert.Contains(t, rec.Body.String(), "'=cmd()", "no formula in a spreadsheet")
}

// TestAuditFilter: what the filter selects is shown, and exported; its state is
// the address.
func TestAuditFilter(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	for i, a := range []model.Audit{
		{User: "anna", Action: "job.update", Object: "job 7", Detail: "name: a → b"},
		{User: "key:deploy", Action: "job.start", Object: "job 77", Detail: strings.Repeat("long ", 100) + "tail"},
		{User: "anna", Action: "user.create", Object: "user 3", Detail: "username: bert"},
		{Action: "mute.end", Object: "group 2"},
	} {
		a.At = consoletest.Noon.Add(time.Duration(i-4) * time.Hour)
		require.NoError(t, w.DB.AddAudit(t.Context(), a))
	}
	all := v.Text("/settings/audit")
	for _, want := range []string{`href="/jobs/7"`, `href="/settings/users/3"`, `href="/executors/2"`, "the admin itself", "tail</pre>", "ended a mute", ">job 7</a>"} {
		assert.Contains(t, all, want)
	}
	for query, want := range map[string][]string{
		"user=ANN":          {"user.create", "job.update"},
		"action=job":        {"job.start", "job.update"},
		"action=job.start":  {"job.start"},
		"object=job+7":      {"job.update"},
		"object=executor+2": {"mute.end"},
		"text=bert":         {"user.create"},
		"from=2026-11-21T09:00&to=2026-11-21T10:30": {"user.create", "job.start"},
		"user=nobody": nil,
	} {
		page := v.Text("/settings/audit?" + query)
		var got []string
		for _, m := range regexp.MustCompile(`<code class="muted">([a-z.]+)</code>`).FindAllStringSubmatch(page, -1) {
			got = append(got, m[1])
		}
		assert.Equal(t, want, got, query)
		file := v.Get("/settings/audit.csv?" + query).Body.String()
		assert.Equal(t, 1+len(want), strings.Count(file, "\n"), query)
		if want == nil {
			assert.Contains(t, page, "No record matches")
		}
	}
	page := v.Text("/settings/audit?action=job&from=tomorrow")
	assert.Contains(t, page, "“tomorrow” is no time")
	assert.Contains(t, page, "/settings/audit.csv?action=job", "the export knows the filter")
}
