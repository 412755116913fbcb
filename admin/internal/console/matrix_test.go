package console_test

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
	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestMatrix asks every route as everybody: who is not logged in gets to the
// login page and nowhere else, what is for administrators is refused to others,
// and nothing of a foreign group is read or changed.
func TestMatrix(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	group := w.Group("golden", "gold-of-others", "http://10.0.0.1:9999/")
	j := w.Job(group, "settle-of-others")
	run := w.Run(j, consoletest.Noon, 0, model.CodeSuccess, "message-of-others")
	bert := w.User("bert", false, strconv.Itoa(int(w.Group("silver", "silver", ""))))
	user, admin, nobody := w.As(bert), w.As(w.Admin), w.As(nil)
	ids := consoletest.Foreign{
		"/jobs/": strconv.Itoa(int(j.ID)), "/runs/": strconv.FormatInt(run, 10), "/executors/": strconv.Itoa(int(group)),
		"/settings/users/": "999", "/settings/keys/": "999",
		"/settings/sessions/": auth.SessionID(admin.Cookies[web.SessionCookie]),
	}
	forms := url.Values{
		"group": {strconv.Itoa(int(group))}, "job": {strconv.Itoa(int(j.ID))}, "id": {strconv.Itoa(int(j.ID))},
		"kind": {"9"}, "sure": {"1"}, "minutes": {"5"}, "what": {"late"}, "limit": {"60"}, "name": {"x"}, "do": {"stop"},
		"to": {strconv.Itoa(int(group))},
	}
	own := map[string]bool{"/jobs/new": true, "/jobs/import": true, "/jobs/children": true} // about what bert has himself
	before := w.State(t, group, j.ID)
	for _, route := range w.Server.Table().Routes {
		path := ids.Path(t, route.Path)
		for _, method := range route.Methods {
			name := method + " " + route.Path
			ask := func(v *consoletest.Visitor) (int, string) {
				rec := v.Get(path)
				if method == http.MethodPost {
					form := url.Values{}
					maps.Copy(form, forms)
					rec = v.Post(path, form)
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
			require.Equal(t, before, w.State(t, group, j.ID), "%s as a user", name)
			if method == http.MethodGet && !strings.HasSuffix(route.Path, "/stream") {
				code, _ = ask(admin)
				assert.NotContains(t, []int{http.StatusForbidden, http.StatusInternalServerError}, code, "%s as an administrator", name)
			}
		}
	}
	assert.Equal(t, http.StatusOK, admin.Get("/settings").Code, "the session of the administrator was not ended")
	list, err := w.DB.Audits(t.Context(), model.AuditFilter{User: "bert", Limit: 1000})
	require.NoError(t, err)
	for _, a := range list {
		assert.True(t, strings.HasPrefix(a.Action, "session.") || strings.HasPrefix(a.Action, "user.password"),
			"bert did %s to %s", a.Action, a.Object)
	}
}
