package console_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

var update = flag.Bool("update", false, "write the golden files")

// TestRoleMatrix asks every route as who has each role in the group of its object,
// and compares who is let through with testdata/roles.txt. What a route names as
// its role is what it takes.
func TestRoleMatrix(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	group := w.Group("golden", "gold", "http://10.0.0.1:9999/")
	silver := w.Group("silver", "silver", "")
	w.User("target", false, "")
	callers := []struct {
		name string
		role model.Role
		v    *consoletest.Visitor
	}{
		{"nobody", model.RoleNone, w.As(nil)},
		{"no group", model.RoleNone, w.As(w.User("lonely", false, ""))},
		{"foreign", model.RoleNone, w.As(w.Member("bert", model.RoleAdmin, silver))},
		{"viewer", model.RoleViewer, w.As(w.Member("vera", model.RoleViewer, group))},
		{"operator", model.RoleOperator, w.As(w.Member("otto", model.RoleOperator, group))},
		{"editor", model.RoleEditor, w.As(w.Member("edda", model.RoleEditor, group))},
		{"owner", model.RoleAdmin, w.As(w.Member("owen", model.RoleAdmin, group))},
		{"admin", model.RoleAdmin, w.As(w.Admin)},
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
	for _, route := range w.Server.Table().Routes {
		if route.Permission == httpx.Anonymous || route.Path == "/signout" || strings.HasSuffix(route.Path, "/stream") ||
			strings.Contains(route.Path, "/setup") {
			continue
		}
		for _, method := range route.Methods {
			fmt.Fprintf(&b, "%-12s %-4s %s", route.Permission, method, route.Path)
			var about consoletest.Foreign
			for _, c := range callers {
				if about == nil {
					about = w.About(route.Path, group)
				}
				delete(c.v.Cookies, web.FlashCookie) // what the request before was told
				rec := w.AskAs(c.v, method, route.Path, about)
				text := consoletest.Told(rec)
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

// TestNothingIsOffered: pages have no button for what a role may not do.
func TestNothingIsOffered(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	group := w.Group("golden", "gold", "http://10.0.0.1:9999/")
	j := w.Job(group, "settle")
	job := "/jobs/" + strconv.Itoa(int(j.ID))
	run := "/runs/" + strconv.FormatInt(w.Run(j, consoletest.Noon, 0, model.CodeFail, "broken"), 10)
	executor := parts.ExecutorPath(group)
	script := w.Job(group, "script", func(j *model.Job) { j.GlueType, j.Handler = "GLUE_SHELL", model.T("") })
	key := model.AlarmKey{What: model.AlarmOnLate, Kind: model.ChangeJob, ObjectID: j.ID}
	boss := ops.UserPrincipal(w.Admin)
	require.NoError(t, w.Ops.SetAlarmRule(t.Context(), boss, key, 60e9))
	require.NoError(t, w.Ops.Mute(t.Context(), boss, model.Mute{
		Kind: model.ChangeJob, ObjectID: j.ID, Until: consoletest.Noon.Add(3600e9),
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
		u := w.Member(role.String()+"1", role, group)
		u.Code = true
		require.NoError(t, w.DB.UpdateUser(t.Context(), u))
		v := w.As(u)
		for _, m := range marks {
			page := v.Text(m.page)
			assert.Equal(t, role >= m.need, strings.Contains(page, m.mark), "%s for a %v has %s", m.page, role, m.mark)
			assert.NotContains(t, page, executor+"/delete", m.page)
		}
		assert.Contains(t, v.Text("/settings"), `gold <span class="tag">`)
	}
}
