package rest_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// driveAlarms: rules and mutes are set and deleted, and a channel is tested.
func (w *world) driveAlarms(t *testing.T, o objects) {
	t.Helper()
	rule := map[string]any{"kind": "job", "object_id": o.job, "what": "late", "limit_ms": 60_000}
	w.must(t, http.StatusOK, "PUT", "/v1/alarms/rules", rule)
	for _, bad := range []map[string]any{
		with(rule, "limit_ms", 1500), with(rule, "limit_ms", -1), with(rule, "what", "failed"), with(rule, "what", "nobody"),
		with(rule, "kind", "user"),
	} {
		w.must(t, http.StatusUnprocessableEntity, "PUT", "/v1/alarms/rules", bad)
	}
	rules, _ := w.must(t, http.StatusOK, "GET", "/v1/alarms/rules", nil)["items"].([]any)
	require.Len(t, rules, 1)
	assert.Equal(t, []any{"settle <b>雪</b>"}, field(rules, "name"))
	at := fmt.Sprintf("/v1/alarms/rules?kind=job&object_id=%d", o.job)
	w.must(t, http.StatusBadRequest, "DELETE", at, nil)
	w.must(t, http.StatusNoContent, "DELETE", at+"&what=late", nil)
	w.must(t, http.StatusNoContent, "DELETE", at+"&what=late", nil)

	mute := map[string]any{
		"kind": "group", "object_id": o.group, "reason": "deploy <b>",
		"until": time.Now().Add(15 * time.Minute).UTC().Format(time.RFC3339),
	}
	w.must(t, http.StatusOK, "PUT", "/v1/alarms/mutes", mute)
	w.must(t, http.StatusUnprocessableEntity, "PUT", "/v1/alarms/mutes", with(mute, "until", "2020-01-01T00:00:00Z"))
	w.must(t, http.StatusUnprocessableEntity, "PUT", "/v1/alarms/mutes", with(mute, "until", "soon"))
	mutes, _ := w.must(t, http.StatusOK, "GET", "/v1/alarms/mutes", nil)["items"].([]any)
	assert.Equal(t, []any{"deploy <b>"}, field(mutes, "reason"))
	w.must(t, http.StatusNoContent, "DELETE", fmt.Sprintf("/v1/alarms/mutes?kind=group&object_id=%d", o.group), nil)
	assert.Empty(t, w.must(t, http.StatusOK, "GET", "/v1/alarms/mutes", nil)["items"])

	w.must(t, http.StatusOK, "POST", "/v1/alarms/test", map[string]any{"channel": "hook <b>"})
	w.must(t, http.StatusConflict, "POST", "/v1/alarms/test", map[string]any{"channel": "hook <b>"})
	w.must(t, http.StatusServiceUnavailable, "POST", "/v1/alarms/test", map[string]any{"channel": "dead"})
	w.must(t, http.StatusBadRequest, "POST", "/v1/alarms/test", nil)
	require.Eventually(t, func() bool {
		list, _ := w.must(t, http.StatusOK, "GET", "/v1/alarms/channels", nil)["items"].([]any)
		last := field(list, "last_delivery")
		return len(last) == 2 && last[0] != nil && last[1] != nil
	}, time.Minute, 50*time.Millisecond, "deliveries come on record")

	// The failed runs of driveRuns raised alarms.
	var open []any
	require.Eventually(t, func() bool {
		open, _ = w.must(t, http.StatusOK, "GET", "/v1/alarms", nil)["items"].([]any)
		return len(open) > 0
	}, time.Minute, 50*time.Millisecond)
	w.must(t, http.StatusOK, "GET", "/v1/alarms?state=ended&limit=1", nil)
	first, _ := open[0].(map[string]any)
	assert.Equal(t, fmt.Sprintf("https://jobs.example.com/xxl-job-admin/runs/%v?at=fail", first["run_id"]), first["url"])
	own := fmt.Sprintf("/v1/alarms?kind=job&object_id=%v", first["object_id"])
	assert.Len(t, w.must(t, http.StatusOK, "GET", own, nil)["items"], 1)
	w.must(t, http.StatusBadRequest, "GET", "/v1/alarms?kind=job", nil)
	w.must(t, http.StatusBadRequest, "GET", "/v1/alarms?object_id=1", nil)
}

// driveSettings: logins are listed and ended, the retention is changed.
func (w *world) driveSettings(t *testing.T) {
	t.Helper()
	user := w.must(t, http.StatusCreated, "POST", "/v1/users", map[string]any{
		"username": "dorothy", "password": password, "role": "user",
	})
	cookie, csrf := w.login(t, "dorothy", password)
	own, _ := object(t, w.send(t, request{method: "GET", path: "/v1/sessions", cookie: cookie}))["items"].([]any)
	require.Len(t, own, 1)
	assert.Equal(t, []any{true}, field(own, "this"))
	all, _ := w.must(t, http.StatusOK, "GET", "/v1/sessions?limit=200", nil)["items"].([]any)
	assert.Contains(t, field(all, "username"), "admin")
	at := fmt.Sprintf("/v1/sessions?user_id=%d", id(t, user))
	hers, _ := w.must(t, http.StatusOK, "GET", at, nil)["items"].([]any)
	require.Len(t, hers, 1)
	one, _ := hers[0].(map[string]any)
	for _, v := range all {
		if s, _ := v.(map[string]any); s["username"] == "admin" {
			rec := w.send(t, request{
				method: "DELETE", path: fmt.Sprintf("/v1/sessions/%v", s["id"]), cookie: cookie, csrf: csrf,
			})
			assert.Equal(t, http.StatusNotFound, rec.Code, "a session of somebody else")
		}
	}
	w.must(t, http.StatusNoContent, "DELETE", fmt.Sprintf("/v1/sessions/%v", one["id"]), nil)
	assert.Equal(t, http.StatusUnauthorized, w.send(t, request{method: "GET", path: "/v1/session", cookie: cookie}).Code)
	cookie, _ = w.login(t, "dorothy", password)
	ended := w.must(t, http.StatusOK, "DELETE", fmt.Sprintf("/v1/users/%d/sessions", id(t, user)), nil)
	assert.InDelta(t, 1, ended["ended"], 0)
	assert.Equal(t, http.StatusUnauthorized, w.send(t, request{method: "GET", path: "/v1/session", cookie: cookie}).Code)

	v := w.must(t, http.StatusOK, "GET", "/v1/retention", nil)
	assert.Equal(t, "node", v["source"])
	assert.InDelta(t, 30, v["run_days"], 0)
	assert.InDelta(t, 30, v["alarm_days"], 0)
	in := map[string]any{"run_days": 90, "keep_per_job": 1000, "audit_days": 0}
	v = w.must(t, http.StatusOK, "PUT", "/v1/retention", in)
	assert.Equal(t, "setting", v["source"])
	assert.InDelta(t, 90, v["run_days"], 0)
	assert.InDelta(t, 30, v["alarm_days"], 0, "left out, it stays")
	v = w.must(t, http.StatusOK, "PUT", "/v1/retention", with(in, "alarm_days", 7))
	assert.InDelta(t, 7, v["alarm_days"], 0)
	v = w.must(t, http.StatusOK, "PUT", "/v1/retention", in)
	assert.InDelta(t, 7, v["alarm_days"], 0)
	for _, bad := range []map[string]any{with(in, "run_days", 2), with(in, "keep_per_job", -1), with(in, "audit_days", 1), with(in, "alarm_days", -1)} {
		w.must(t, http.StatusUnprocessableEntity, "PUT", "/v1/retention", bad)
	}
	assert.Equal(t, "node", w.must(t, http.StatusOK, "DELETE", "/v1/retention", nil)["source"])

	about := w.must(t, http.StatusOK, "GET", "/v1/about", nil)
	assert.NotEmpty(t, about["loops"])
	assert.NotNil(t, about["database"])
	key := w.key(t, "looks", []string{"read"})
	assert.Nil(t, object(t, w.send(t, request{method: "GET", path: "/v1/about", key: key}))["database"])
}
