package rest_test

import (
	"fmt"
	"net/http"
	"slices"
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
	w.driveAcks(t, o, first)
}

// driveAcks: an alarm is acknowledged and taken back, and lists are narrowed by
// that, and by what else alarms have.
func (w *world) driveAcks(t *testing.T, o objects, alarm map[string]any) {
	t.Helper()
	own := fmt.Sprintf("/v1/alarms?kind=job&object_id=%v", alarm["object_id"])
	number := func(query string) int {
		t.Helper()
		items, _ := w.must(t, http.StatusOK, "GET", own+query, nil)["items"].([]any)
		return len(items)
	}
	assert.Nil(t, alarm["acknowledged_at"])
	ack := fmt.Sprintf("/v1/alarms/%.0f/ack", alarm["id"])
	acked := w.must(t, http.StatusOK, "PUT", ack, nil)
	assert.NotNil(t, acked["acknowledged_at"])
	assert.NotEmpty(t, acked["acknowledged_by"])
	assert.Equal(t, []int{1, 0}, []int{number("&acknowledged=true"), number("&acknowledged=false")})
	assert.Nil(t, w.must(t, http.StatusOK, "DELETE", ack, nil)["acknowledged_at"])
	w.must(t, http.StatusOK, "DELETE", ack, nil)
	assert.Equal(t, []int{0, 1}, []int{number("&acknowledged=true"), number("&acknowledged=false")})
	for _, method := range []string{"PUT", "DELETE"} {
		w.must(t, http.StatusNotFound, method, "/v1/alarms/999999/ack", nil)
		w.must(t, http.StatusBadRequest, method, "/v1/alarms/0/ack", nil)
	}

	assert.Equal(t, []int{1, 0}, []int{number("&what=failed"), number("&what=late")})
	assert.Equal(t, 1, number(fmt.Sprintf("&group_id=%v", alarm["group_id"])))
	assert.Zero(t, number("&group_id=2000000"))
	assert.Equal(t, []int{1, 0}, []int{number("&to=2100-01-01T00:00:00Z"), number("&to=2000-01-01T00:00:00Z")})
	assert.Equal(t, 1, number("&from=2000-01-01T00:00:00Z"))
	for _, bad := range []string{
		"&what=x", "&group_id=0", "&acknowledged=1", "&from=x", "&to=x", "&sort=x", "&sort=recovered_at",
		"&state=ended&sort=count",
	} {
		w.must(t, http.StatusBadRequest, "GET", own+bad, nil)
	}
	for _, query := range []string{"?sort=-last_at", "?sort=count", "?state=ended&sort=-recovered_at"} {
		w.must(t, http.StatusOK, "GET", "/v1/alarms"+query, nil)
	}
	w.endedAlarm(t)
	w.driveSorts(t, o)
}

// endedAlarm: an alarm that has ended cannot be acknowledged.
func (w *world) endedAlarm(t *testing.T) {
	t.Helper()
	group := id(t, w.must(t, http.StatusCreated, "POST", "/v1/groups", map[string]any{
		"app_name": "nobody", "title": "nobody", "address_mode": "automatic",
	}))
	w.must(t, http.StatusOK, "PUT", "/v1/alarms/rules", map[string]any{
		"kind": "group", "object_id": group, "what": "nobody", "limit_ms": 1000,
	})
	var found []any
	comes := func(state string) {
		t.Helper()
		require.Eventually(t, func() bool {
			at := fmt.Sprintf("/v1/alarms?kind=group&object_id=%d&state=%s", group, state)
			found, _ = w.must(t, http.StatusOK, "GET", at, nil)["items"].([]any)
			return len(found) > 0
		}, time.Minute, 50*time.Millisecond, state)
	}
	comes("open")
	w.must(t, http.StatusNoContent, "DELETE", fmt.Sprintf("/v1/alarms/rules?kind=group&object_id=%d&what=nobody", group), nil)
	comes("ended")
	w.must(t, http.StatusConflict, "PUT", fmt.Sprintf("/v1/alarms/%.0f/ack", field(found, "id")[0]), nil)
}

// driveSorts: a list that is read an item a page in an order is the whole list in
// that order, and backwards with a minus.
func (w *world) driveSorts(t *testing.T, o objects) {
	t.Helper()
	for _, tt := range []struct {
		list   string
		fields []string
	}{
		{"/v1/users", []string{"id", "username", "role"}},
		{"/v1/keys", []string{"id", "name", "last_used_at", "expires_at"}},
		{"/v1/deleted/jobs", []string{"at", "name"}},
		{"/v1/deleted/groups", []string{"at", "name"}},
		{"/v1/sessions", []string{"seen_at", "created_at", "expires_at", "username"}},
	} {
		for _, field := range tt.fields {
			up := w.walk(t, tt.list, field)
			down := w.walk(t, tt.list, "-"+field)
			if tt.list == "/v1/sessions" { // of one instant by their ids both ways
				assert.ElementsMatch(t, up, down, "%s by %s", tt.list, field)
				continue
			}
			slices.Reverse(down)
			assert.Equal(t, up, down, "%s by %s", tt.list, field)
		}
	}
	newest, _ := w.must(t, http.StatusOK, "GET", "/v1/audit?limit=2", nil)["items"].([]any)
	oldest, _ := w.must(t, http.StatusOK, "GET", "/v1/audit?limit=2&sort=at", nil)["items"].([]any)
	first, last := field(oldest, "id"), field(newest, "id")
	assert.Less(t, first[0], first[1])
	assert.Less(t, first[1], last[1])
	for _, bad := range []string{"/v1/audit?sort=id", "/v1/users?sort=name", "/v1/keys?sort=x", "/v1/sessions?sort=x"} {
		w.must(t, http.StatusBadRequest, "GET", bad, nil)
	}
	for _, sort := range []string{"saved_at", "-saved_at"} {
		w.must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/jobs/%d/code?sort=%s", o.job, sort), nil)
	}
}

// walk reads a list an item a page, and returns what its items are known by.
func (w *world) walk(t *testing.T, list, sort string) (ids []any) {
	t.Helper()
	at := list + "?limit=1&sort=" + sort
	for range 200 {
		page := w.must(t, http.StatusOK, "GET", at, nil)
		items, _ := page["items"].([]any)
		ids = append(ids, field(items, "id")...)
		next, more := page["next_cursor"].(string)
		if !more {
			return ids
		}
		at = list + "?limit=1&sort=" + sort + "&cursor=" + next
	}
	t.Errorf("%s has no end", list)
	return ids
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
	goes := w.must(t, http.StatusOK, "GET", "/v1/retention/preview?audit_days=0&run_days=3", nil)
	assert.InDelta(t, 3, goes["run_days"], 0)
	assert.InDelta(t, 1000, goes["keep_per_job"], 0, "left out, it is as it is")
	runs, _ := goes["runs"].(map[string]any)
	assert.NotNil(t, runs["before"])
	assert.Equal(t, map[string]any{"before": nil, "rows": 0.0, "more": false}, goes["audit_records"])
	goes = w.must(t, http.StatusOK, "GET", "/v1/retention/preview?default=true&audit_days=9", nil)
	assert.InDelta(t, 30, goes["run_days"], 0)
	assert.InDelta(t, 9, goes["audit_days"], 0)
	w.must(t, http.StatusUnprocessableEntity, "GET", "/v1/retention/preview?run_days=2", nil)
	w.must(t, http.StatusBadRequest, "GET", "/v1/retention/preview?run_days=x", nil)
	w.must(t, http.StatusBadRequest, "GET", "/v1/retention/preview?default=1", nil)
	assert.Equal(t, "setting", w.must(t, http.StatusOK, "GET", "/v1/retention", nil)["source"], "nothing has changed")
	assert.Equal(t, "node", w.must(t, http.StatusOK, "DELETE", "/v1/retention", nil)["source"])

	about := w.must(t, http.StatusOK, "GET", "/v1/about", nil)
	assert.NotEmpty(t, about["loops"])
	assert.NotNil(t, about["database"])
	key := w.key(t, "looks", []string{"read"})
	assert.Nil(t, object(t, w.send(t, request{method: "GET", path: "/v1/about", key: key}))["database"])
}
