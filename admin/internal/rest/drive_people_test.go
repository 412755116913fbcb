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
	w.must(t, http.StatusBadRequest, "GET", "/v1/overview?from=2026-02-01&to=2026-01-31", nil)
	cluster := w.must(t, http.StatusOK, "GET", "/v1/cluster", nil)
	assert.Len(t, cluster["nodes"], 1)
	assert.NotEmpty(t, cluster["shards"])
	w.must(t, http.StatusOK, "GET", "/v1/health", nil)
	w.must(t, http.StatusOK, "GET", "/v1/openapi.json", nil)
	assert.Contains(t, w.admin(t, "GET", "/v1/openapi.yaml", nil).Body.String(), "openapi: 3.1.0")
}
