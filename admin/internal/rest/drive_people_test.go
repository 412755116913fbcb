package rest_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (w *world) drivePeople(t *testing.T, o objects) {
	t.Helper()
	in := map[string]any{"username": "betty", "password": "open-sesame", "role": "user", "group_ids": []int64{o.group}}
	rec := w.admin(t, "POST", "/v1/users", in)
	require.Equal(t, http.StatusCreated, rec.Code, rec.Body.String())
	assert.NotContains(t, rec.Body.String(), "open-sesame")
	betty := rec.Header().Get("Location")
	w.must(t, http.StatusConflict, "POST", "/v1/users", in)
	p := w.must(t, http.StatusUnprocessableEntity, "POST", "/v1/users", map[string]any{"username": "carla", "password": "open-sesame"})
	assert.Equal(t, []string{"/role"}, pointers(t, p))
	assert.Len(t, w.must(t, http.StatusOK, "GET", "/v1/users?username=bet&limit=1", nil)["items"], 1)
	w.must(t, http.StatusOK, "GET", betty, nil)
	v := w.must(t, http.StatusOK, "PUT", betty, map[string]any{"role": "admin"})
	assert.Equal(t, "admin", v["role"])
	w.must(t, http.StatusUnprocessableEntity, "PUT", betty, map[string]any{"role": "boss"})
	self, _ := w.must(t, http.StatusOK, "GET", "/v1/users?username=admin", nil)["items"].([]any)
	me, _ := self[0].(map[string]any)
	mine := fmt.Sprintf("/v1/users/%d", id(t, me))
	w.must(t, http.StatusConflict, "PUT", mine, map[string]any{"role": "user"})
	w.must(t, http.StatusConflict, "DELETE", mine, nil)
	w.must(t, http.StatusNoContent, "DELETE", betty, nil)

	w.driveRoles(t, o)
	w.driveKeys(t, o)
	w.must(t, http.StatusOK, "GET", "/v1/audit?limit=2", nil)
	filtered := w.must(t, http.StatusOK, "GET", "/v1/audit?user=adm&action=user&object=user&text=betty"+
		"&from=2026-01-01T00:00:00Z&to=2126-01-01T00:00:00Z&limit=1", nil)
	require.Len(t, filtered["items"], 1)
	assert.NotNil(t, filtered["next_cursor"])
	none := w.must(t, http.StatusOK, "GET", "/v1/audit?action=user.creat", nil)
	assert.Empty(t, none["items"])
	w.must(t, http.StatusBadRequest, "GET", "/v1/audit?from=yesterday", nil)
	w.must(t, http.StatusBadRequest, "GET", "/v1/audit/export?text="+strings.Repeat("x", 101), nil)
	one := w.admin(t, "GET", "/v1/audit/export?action=user.delete", nil)
	assert.Equal(t, 1, strings.Count(one.Body.String(), "\n"))
	lines := w.admin(t, "GET", "/v1/audit/export", nil)
	assert.Equal(t, "application/x-ndjson", lines.Header().Get("Content-Type"))
	table, err := csv.NewReader(w.admin(t, "GET", "/v1/audit/export?format=csv", nil).Body).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"id", "at", "user", "action", "object", "detail"}, table[0])
	assert.Len(t, table, 1+strings.Count(lines.Body.String(), "\n"))
}

// driveRoles sets roles in groups: as an administrator, and as a group's admin.
func (w *world) driveRoles(t *testing.T, o objects) {
	t.Helper()
	second := w.group(t, "roles-app")
	role := func(group int64, name string) map[string]any { return map[string]any{"group_id": group, "role": name} }
	in := map[string]any{
		"username": "owen1", "password": password, "role": "user",
		"roles": []any{role(o.group, "admin"), role(second, "viewer")},
	}
	v := w.must(t, http.StatusCreated, "POST", "/v1/users", in)
	assert.Equal(t, []any{float64(o.group)}, v["group_ids"])
	owen := fmt.Sprintf("/v1/users/%d", id(t, v))
	p := w.must(t, http.StatusUnprocessableEntity, "PUT", owen, map[string]any{
		"role": "user", "group_ids": []int64{o.group}, "roles": []any{role(o.group, "boss"), role(o.group, "viewer")},
	})
	assert.Equal(t, []string{"/roles", "/roles/0/role", "/roles/1/group_id"}, pointers(t, p))
	for _, unknown := range []map[string]any{{"group_ids": []int64{987_654}}, {"roles": []any{role(987_654, "viewer")}}} {
		p = w.must(t, http.StatusUnprocessableEntity, "PUT", owen, with(unknown, "role", "user"))
		assert.Contains(t, p["detail"], "987654")
	}
	v = w.must(t, http.StatusOK, "PUT", owen, map[string]any{"role": "user", "group_ids": []int64{o.group}})
	assert.Equal(t, []any{
		map[string]any{"group_id": float64(o.group), "role": "admin"}, map[string]any{"group_id": float64(second), "role": "viewer"},
	}, v["roles"], "as a Java console does it: an admin stays one, and what it does not show stays")

	// Users by pages, each once.
	seen := map[string]bool{}
	next := "/v1/users?limit=1"
	for next != "" {
		page := w.must(t, http.StatusOK, "GET", next, nil)
		items, _ := page["items"].([]any)
		for _, name := range field(items, "username") {
			assert.False(t, seen[fmt.Sprint(name)], name)
			seen[fmt.Sprint(name)] = true
		}
		cursor, _ := page["next_cursor"].(string)
		if next = ""; cursor != "" {
			next = "/v1/users?limit=1&cursor=" + cursor
		}
	}
	assert.True(t, seen["owen1"] && seen["admin"])

	members := fmt.Sprintf("/v1/groups/%d/members", o.group)
	w.must(t, http.StatusCreated, "POST", "/v1/users", map[string]any{"username": "vera1", "password": password, "role": "user"})
	cookie, csrf := w.login(t, "owen1", password)
	as := func(status int, method, path string, body any) map[string]any {
		t.Helper()
		rec := w.send(t, request{method: method, path: path, body: body, cookie: cookie, csrf: csrf})
		require.Equal(t, status, rec.Code, "%s %s: %s", method, path, rec.Body)
		if rec.Body.Len() == 0 {
			return nil
		}
		return object(t, rec)
	}
	grant := func(name, role string) map[string]any { return map[string]any{"username": name, "role": role} }
	m := as(http.StatusOK, "PUT", members, grant("vera1", "operator"))
	assert.Equal(t, "operator", m["role"])
	list, _ := as(http.StatusOK, "GET", members+"?limit=1", nil)["items"].([]any)
	assert.Equal(t, []any{"owen1"}, field(list, "username"))
	as(http.StatusConflict, "PUT", members, grant("owen1", "viewer"))
	as(http.StatusConflict, "DELETE", members+"?username=owen1", nil)
	as(http.StatusNotFound, "PUT", members, grant("nobody-at-all", "viewer"))
	as(http.StatusUnprocessableEntity, "PUT", members, grant("", "chief"))
	as(http.StatusForbidden, "PUT", fmt.Sprintf("/v1/groups/%d/members", second), grant("vera1", "viewer"))

	// A role counts from the next request on; nobody is logged out for it.
	mine, csrfOfVera := w.login(t, "vera1", password)
	job := fmt.Sprintf("/v1/jobs/%d", o.job)
	ask := func(method, path string) int {
		return w.send(t, request{method: method, path: path, cookie: mine, csrf: csrfOfVera}).Code
	}
	assert.Equal(t, http.StatusOK, ask("POST", job+"/stop"))
	as(http.StatusOK, "PUT", members, grant("vera1", "viewer"))
	assert.Equal(t, http.StatusForbidden, ask("POST", job+"/stop"))
	assert.Equal(t, http.StatusOK, ask("GET", job))
	session := object(t, w.send(t, request{method: "GET", path: "/v1/session", cookie: mine}))
	assert.Equal(t, []any{"read"}, session["verbs"])
	assert.Equal(t, []any{map[string]any{"group_id": float64(o.group), "role": "viewer"}}, session["roles"])
	as(http.StatusNoContent, "DELETE", members+"?username=vera1", nil)
	as(http.StatusNotFound, "DELETE", members+"?username=vera1", nil)
	as(http.StatusUnprocessableEntity, "DELETE", members, nil)
	as(http.StatusBadRequest, "DELETE", members+"?username="+strings.Repeat("x", 65), nil)
	assert.Equal(t, http.StatusForbidden, ask("GET", job))
	audit := w.must(t, http.StatusOK, "GET", "/v1/audit?action=member.set&text=vera1", nil)
	lines, _ := audit["items"].([]any)
	assert.Equal(t, []any{"viewer → none", "operator → viewer", "none → operator"}, cutBefore(field(lines, "detail"), ": "))

	// The group's own settings are its admin's, but for the app name.
	group := fmt.Sprintf("/v1/groups/%d", o.group)
	rec := w.send(t, request{method: "GET", path: group, cookie: cookie})
	now := object(t, rec)
	edit := map[string]any{
		"app_name": now["app_name"], "title": "Owen's", "address_mode": now["address_mode"], "addresses": now["addresses"],
	}
	put := func(body map[string]any) int {
		return w.send(t, request{
			method: "PUT", path: group, body: body, cookie: cookie, csrf: csrf, header: map[string]string{"If-Match": "*"},
		}).Code
	}
	assert.Equal(t, http.StatusOK, put(edit))
	assert.Equal(t, http.StatusForbidden, put(with(edit, "app_name", "another-app")))
	w.must(t, http.StatusOK, "PUT", group, with(edit, "title", now["title"]), "If-Match", "*")
}

// cutBefore cuts texts behind the last mark.
func cutBefore(texts []any, mark string) []any {
	for i, text := range texts {
		s := fmt.Sprint(text)
		texts[i] = s[strings.LastIndex(s, mark)+len(mark):]
	}
	return texts
}

func (w *world) driveKeys(t *testing.T, o objects) {
	t.Helper()
	in := map[string]any{"name": "ci", "verbs": []string{"read", "run"}, "group_ids": []int64{o.group}}
	once := []string{"Idempotency-Key", "key-once"}
	rec := w.admin(t, "POST", "/v1/keys", in, once...)
	require.Equal(t, http.StatusCreated, rec.Code, rec.Body.String())
	at := rec.Header().Get("Location")
	secret, _ := object(t, rec)["secret"].(string)
	w.must(t, http.StatusConflict, "POST", "/v1/keys", in, once...)
	p := w.must(t, http.StatusUnprocessableEntity, "POST", "/v1/keys", with(in, "verbs", []string{"admin"}))
	assert.Equal(t, []string{"/verbs"}, pointers(t, p))
	w.must(t, http.StatusUnprocessableEntity, "POST", "/v1/keys", with(in, "expires_at", "2020-01-01T00:00:00Z"))

	got := w.admin(t, "GET", at, nil)
	require.Equal(t, http.StatusOK, got.Code)
	assert.NotContains(t, got.Body.String(), secret)
	assert.NotContains(t, got.Body.String(), "secret")
	assert.Len(t, w.must(t, http.StatusOK, "GET", "/v1/keys?limit=1", nil)["items"], 1)

	session := w.send(t, request{method: "GET", path: "/v1/session", key: secret})
	assert.Equal(t, http.StatusOK, session.Code)
	assert.Equal(t, "key", object(t, session)["source"])
	assert.NotContains(t, session.Body.String(), "csrf")
	run := w.send(t, request{method: "POST", path: fmt.Sprintf("/v1/jobs/%d/run", o.job), key: secret})
	assert.Equal(t, http.StatusAccepted, run.Code, run.Body.String())

	w.must(t, http.StatusNoContent, "DELETE", at, nil)
	session = w.send(t, request{method: "GET", path: "/v1/session", key: secret})
	assert.Equal(t, http.StatusUnauthorized, session.Code)
}

func (w *world) driveSystem(t *testing.T) {
	t.Helper()
	v := w.must(t, http.StatusOK, "GET", "/v1/overview?from=2026-01-01&to=2026-01-31", nil)
	assert.NotEmpty(t, v["days"])
	w.must(t, http.StatusOK, "GET", "/v1/overview", nil)
	one := w.key(t, "one group", []string{"read"}, w.group(t, "overviewed"))
	v = object(t, w.send(t, request{method: "GET", path: "/v1/overview", key: one}))
	assert.Equal(t, map[string]any{
		"jobs": 0.0, "executors": 1.0, "running": 0.0, "triggers": nil, "success": nil, "failed": nil, "days": nil,
	}, v)
	w.must(t, http.StatusBadRequest, "GET", "/v1/overview?from=2026-02-01&to=2026-01-31", nil)
	cluster := w.must(t, http.StatusOK, "GET", "/v1/cluster", nil)
	assert.Len(t, cluster["nodes"], 1)
	assert.NotEmpty(t, cluster["shards"])
	w.must(t, http.StatusOK, "GET", "/v1/health", nil)
	w.must(t, http.StatusOK, "GET", "/v1/openapi.json", nil)
	assert.Contains(t, w.admin(t, "GET", "/v1/openapi.yaml", nil).Body.String(), "openapi: 3.1.0")
}
