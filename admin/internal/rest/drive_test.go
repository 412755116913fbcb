package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// pointers are the fields at fault of a problem.
func pointers(t *testing.T, v map[string]any) []string {
	t.Helper()
	var list []string
	faults, _ := v["errors"].([]any)
	for _, f := range faults {
		fault, _ := f.(map[string]any)
		pointer, _ := fault["pointer"].(string)
		list = append(list, pointer)
	}
	return list
}

func (w *world) driveJobs(t *testing.T, o objects) {
	t.Helper()
	at := fmt.Sprintf("/v1/jobs/%d", o.job)
	in := job(o.group, "nightly")
	in["tags"] = []string{"b", "a"}
	in["schedule"] = map[string]any{"type": "cron", "cron": "0 0 3 * * ?", "time_zone": "America/New_York"}
	in["timeout_ms"], in["retries"], in["children"] = 90_000, 2, []int64{o.job}
	rec := w.admin(t, "POST", "/v1/jobs", with(in, "state", "started"))
	require.Equal(t, http.StatusCreated, rec.Code, rec.Body.String())
	v := object(t, rec)
	nightly := rec.Header().Get("Location")
	assert.Equal(t, []any{"a", "b"}, v["tags"])
	assert.Equal(t, "started", v["state"])
	assert.NotNil(t, v["next_fire"])
	assert.Equal(t, map[string]any{"type": "cron", "cron": "0 0 3 * * ?", "time_zone": "America/New_York"}, v["schedule"])

	// What is wrong is named by its field, all at once where it can be.
	p := w.must(t, http.StatusUnprocessableEntity, "POST", "/v1/jobs", map[string]any{
		"route": "FIRST", "timeout_ms": 1500, "schedule": map[string]any{"type": "fix_rate", "interval_ms": 10},
	})
	assert.Equal(t, []string{"/group_id", "/route", "/timeout_ms", "/schedule/interval_ms"}, pointers(t, p))
	p = w.must(t, http.StatusUnprocessableEntity, "POST", "/v1/jobs",
		with(in, "schedule", map[string]any{"type": "cron", "cron": "0 0 99 * * ?"}))
	assert.Equal(t, []string{"/schedule/cron"}, pointers(t, p))
	assert.Equal(t, "Cron is not valid", p["title"])
	p = w.must(t, http.StatusBadRequest, "POST", "/v1/jobs", with(in, "colour", "x"))
	assert.Equal(t, []string{"/colour"}, pointers(t, p))
	p = w.must(t, http.StatusUnprocessableEntity, "POST", "/v1/jobs", with(in, "name", ""), "Accept-Language", "zh-TW")
	assert.Contains(t, p["title"], "請")
	w.must(t, http.StatusConflict, "POST", "/v1/jobs", with(job(o.group, "never"), "state", "started"))

	// ETags.
	get := w.admin(t, "GET", at, nil)
	etag := get.Header().Get("ETag")
	w.must(t, http.StatusPreconditionRequired, "PUT", at, in)
	w.must(t, http.StatusPreconditionFailed, "PUT", at, in, "If-Match", `"other"`)
	changed := with(job(o.group, "settle"), "param", "x")
	put := w.admin(t, "PUT", at, changed, "If-Match", `"other", `+etag)
	require.Equal(t, http.StatusOK, put.Code, put.Body.String())
	assert.NotEqual(t, etag, put.Header().Get("ETag"))
	w.must(t, http.StatusPreconditionFailed, "PUT", at, changed, "If-Match", etag)
	w.must(t, http.StatusUnprocessableEntity, "PUT", at, with(changed, "author", ""), "If-Match", "*")

	w.must(t, http.StatusConflict, "POST", at+"/start", nil)
	w.must(t, http.StatusOK, "POST", at+"/stop", nil)
	assert.Equal(t, "stopped", w.must(t, http.StatusOK, "POST", nightly+"/stop", nil)["state"])
	assert.Equal(t, "started", w.must(t, http.StatusOK, "POST", nightly+"/start", nil)["state"])
	w.must(t, http.StatusUnprocessableEntity, "POST", at+"/run", map[string]any{"addresses": []string{"http://10.1.2.3:1/"}})
	assert.Len(t, w.must(t, http.StatusOK, "GET", nightly+"/next?count=3", nil)["times"], 3)
	w.must(t, http.StatusOK, "POST", "/v1/schedules/preview",
		map[string]any{"schedule": map[string]any{"type": "fix_rate", "interval_ms": 60_000}, "count": 2})
	w.must(t, http.StatusUnprocessableEntity, "POST", "/v1/schedules/preview",
		map[string]any{"schedule": map[string]any{"type": "cron", "cron": "x"}})

	twin := w.must(t, http.StatusCreated, "POST", nightly+"/clone", nil)
	assert.Equal(t, "nightly (copy)", twin["name"])
	assert.Equal(t, "stopped", twin["state"])
	w.must(t, http.StatusUnprocessableEntity, "POST", nightly+"/clone", map[string]any{"name": strings.Repeat("x", 256)})
	w.driveValidate(t, o)
	w.driveCode(t, o)
	w.driveChanges(t, at, changed)
	w.driveMove(t, o)
	w.driveViews(t)

	w.must(t, http.StatusPreconditionRequired, "DELETE", nightly, nil)
	w.must(t, http.StatusPreconditionFailed, "DELETE", nightly, nil, "If-Match", etag)
	w.driveDeleted(t, nightly)
	w.must(t, http.StatusNoContent, "DELETE", nightly, nil, "If-Match", "*")
	w.drivePages(t, o)
}

// driveDeleted deletes a job, looks at what is left of it, and brings it back.
func (w *world) driveDeleted(t *testing.T, at string) {
	t.Helper()
	was := w.must(t, http.StatusOK, "GET", at, nil)
	touched := w.must(t, http.StatusOK, "GET", at+"/deletion", nil)
	assert.Equal(t, true, touched["started"])
	parent := w.must(t, http.StatusCreated, "POST", "/v1/jobs",
		with(job(int64(was["group_id"].(float64)), "parent"), "children", []int64{id(t, was)})) //nolint:forcetypeassert // a number
	touched = w.must(t, http.StatusOK, "GET", at+"/deletion", nil)
	assert.Equal(t, []any{map[string]any{"id": parent["id"], "name": "parent"}}, touched["parents"])
	created, _ := w.must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/jobs/%d/changes", id(t, parent)), nil)["items"].([]any)
	gone := w.must(t, http.StatusOK, "POST", fmt.Sprintf("/v1/changes/%d/undo", id(t, created[0].(map[string]any))), nil) //nolint:forcetypeassert // an object
	assert.Equal(t, "delete", gone["action"], "a creation can be undone")

	w.must(t, http.StatusNotFound, "GET", strings.Replace(at, "/v1", "/v1/deleted", 1), nil)
	w.must(t, http.StatusNoContent, "DELETE", at, nil, "If-Match", "*")
	w.must(t, http.StatusNotFound, "GET", at, nil)
	deleted := strings.Replace(at, "/v1", "/v1/deleted", 1)
	d := w.must(t, http.StatusOK, "GET", deleted, nil)
	assert.Equal(t, []any{was["id"], was["name"], "admin"}, []any{d["id"], d["name"], d["user"]})
	assert.NotNil(t, d["until"])
	list := w.must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/deleted/jobs?name=NIGHT&group_id=%v", was["group_id"]), nil)
	assert.Contains(t, list["items"], d)
	first := w.must(t, http.StatusOK, "GET", "/v1/deleted/jobs?limit=1", nil)
	assert.Len(t, w.must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/deleted/jobs?cursor=%v", first["next_cursor"]), nil)["items"], 1)
	history, _ := w.must(t, http.StatusOK, "GET", at+"/changes?limit=1", nil)["items"].([]any)
	assert.Equal(t, []any{"delete"}, field(history, "action"))
	back := w.must(t, http.StatusCreated, "POST", deleted+"/restore", nil)
	assert.Equal(t, was["id"], back["id"])
	assert.Equal(t, []any{was["tags"], was["state"], was["schedule"]}, []any{back["tags"], back["state"], back["schedule"]})
	w.must(t, http.StatusNotFound, "POST", deleted+"/restore", nil)
}

// driveValidate has drafts of jobs looked at.
func (w *world) driveValidate(t *testing.T, o objects) {
	t.Helper()
	good := job(o.group, "settle")
	ask := func(jobs ...map[string]any) (found map[int][]string) {
		t.Helper()
		items, _ := w.must(t, http.StatusOK, "POST", "/v1/jobs/validate", map[string]any{"jobs": jobs})["items"].([]any)
		found = map[int][]string{}
		for _, item := range items {
			one, _ := item.(map[string]any)
			index, _ := one["index"].(float64)
			found[int(index)] = pointers(t, one)
		}
		return found
	}
	assert.Empty(t, ask(good, with(good, "id", o.job)))
	bad := with(with(with(good, "children", []int64{999_999}), "schedule", map[string]any{"type": "cron", "cron": "x"}), "author", " ")
	assert.Equal(t, map[int][]string{
		1: {"/author", "/schedule/cron", "/children"}, 2: {"/code_type"}, 3: {"/code_type"}, 4: {"/group_id"}, 5: {"/id"},
		6: {"/children"}, 7: {"/state"}, 8: {"/tags"}, 9: {"/schedule/time_zone"},
	}, ask(
		good, bad, with(good, "code_type", "glue_sh"), with(with(with(good, "id", o.job), "code", "x"), "code_remark", "some code"),
		with(good, "group_id", 999_999), with(good, "id", 999_999), with(with(good, "id", o.job), "children", []int64{o.job}),
		with(with(good, "state", "started"), "schedule", map[string]any{"type": "none"}), with(good, "tags", []string{"a,b"}),
		with(good, "schedule", map[string]any{"type": "none", "time_zone": "Mars"}),
	))
	w.must(t, http.StatusUnprocessableEntity, "POST", "/v1/jobs/validate", map[string]any{"jobs": []any{}})
}

// driveMove moves a job and undoes it.
func (w *world) driveMove(t *testing.T, o objects) {
	t.Helper()
	in := map[string]any{"ids": []int64{o.job, 999_999}, "group_id": o.other}
	v := w.must(t, http.StatusOK, "POST", "/v1/jobs/move", in)
	assert.InDelta(t, 1, v["moved"], 0)
	refused, _ := v["refused"].([]any)
	assert.Equal(t, []any{999_999.0}, field(refused, "id"))
	at := fmt.Sprintf("/v1/jobs/%d", o.job)
	assert.InDelta(t, o.other, w.must(t, http.StatusOK, "GET", at, nil)["group_id"], 0)
	changes, _ := v["change_ids"].([]any)
	require.Len(t, changes, 1)
	change, _ := changes[0].(float64)
	undone := w.must(t, http.StatusOK, "POST", fmt.Sprintf("/v1/changes/%d/undo", int64(change)), nil)
	assert.Equal(t, "undo", undone["action"])
	assert.InDelta(t, o.group, w.must(t, http.StatusOK, "GET", at, nil)["group_id"], 0)
	for pointer, bad := range map[string]map[string]any{
		"/ids": with(in, "ids", []int64{1, 1}), "/group_id": with(in, "group_id", 0), "": with(in, "group_id", 999_999),
	} {
		p := w.must(t, http.StatusUnprocessableEntity, "POST", "/v1/jobs/move", bad)
		if pointer != "" {
			assert.Equal(t, []string{pointer}, pointers(t, p))
		}
	}
	tags := w.must(t, http.StatusOK, "GET", "/v1/tags", nil)
	assert.Contains(t, tags["items"], map[string]any{"tag": "a", "jobs": 2.0})
}

// driveViews saves filters; a key has none.
func (w *world) driveViews(t *testing.T) {
	t.Helper()
	view := map[string]any{"page": "jobs", "name": "mine <b>", "query": "state=started"}
	assert.Equal(t, view, w.must(t, http.StatusOK, "PUT", "/v1/views", view))
	w.must(t, http.StatusOK, "PUT", "/v1/views", with(view, "page", "runs"))
	assert.Len(t, w.must(t, http.StatusOK, "GET", "/v1/views", nil)["items"], 2)
	assert.Equal(t, []any{view}, w.must(t, http.StatusOK, "GET", "/v1/views?page=jobs", nil)["items"])
	w.must(t, http.StatusUnprocessableEntity, "PUT", "/v1/views", with(view, "name", " "))
	for i := range 49 {
		w.must(t, http.StatusOK, "PUT", "/v1/views", with(view, "name", fmt.Sprint(i)))
	}
	w.must(t, http.StatusConflict, "PUT", "/v1/views", with(view, "name", "one more"))
	w.must(t, http.StatusNoContent, "DELETE", "/v1/views?page=runs&name=mine+%3Cb%3E", nil)
	w.must(t, http.StatusBadRequest, "DELETE", "/v1/views?page=jobs", nil)
	w.must(t, http.StatusBadRequest, "DELETE", "/v1/views?name=x", nil)
	key := w.key(t, "no views", []string{"read", "edit"})
	rec := w.send(t, request{method: "PUT", path: "/v1/views", key: key, body: view})
	assert.Equal(t, http.StatusForbidden, rec.Code, rec.Body.String())
	rec = w.send(t, request{method: "GET", path: "/v1/views", key: key})
	assert.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
}

func (w *world) driveCode(t *testing.T, o objects) {
	t.Helper()
	script := with(job(o.group, "script"), "code_type", "glue_shell")
	script["code"], script["code_remark"] = "echo 1", "first"
	v := w.must(t, http.StatusCreated, "POST", "/v1/jobs", script)
	at := fmt.Sprintf("/v1/jobs/%d/code", id(t, v))
	first := w.must(t, http.StatusOK, "GET", at, nil)
	assert.Equal(t, "echo 1", first["code"])
	assert.Equal(t, "admin", first["versions"].([]any)[0].(map[string]any)["saved_by"], "who made the job has saved it") //nolint:forcetypeassert // as documented
	saved := w.must(t, http.StatusOK, "POST", at, map[string]any{"code": "echo 2", "remark": "second"})
	assert.Equal(t, "echo 2", saved["code"])
	assert.NotEmpty(t, saved["versions"])
	p := w.must(t, http.StatusUnprocessableEntity, "POST", at, map[string]any{"code": "echo 2", "remark": "2"})
	assert.NotEmpty(t, p["title"])
	w.must(t, http.StatusConflict, "POST", fmt.Sprintf("/v1/jobs/%d/code", o.job),
		map[string]any{"code": "echo 2", "remark": "second"})
}

// driveChanges undoes the last edit of a job.
func (w *world) driveChanges(t *testing.T, at string, now map[string]any) {
	t.Helper()
	list := w.must(t, http.StatusOK, "GET", at+"/changes?limit=1", nil)
	require.Len(t, list["items"], 1)
	require.NotNil(t, list["next_cursor"])
	last, _ := list["items"].([]any)[0].(map[string]any)
	assert.Equal(t, "update", last["action"])
	assert.Equal(t, "admin", last["user"])
	change := fmt.Sprintf("/v1/changes/%d", id(t, last))
	w.must(t, http.StatusOK, "GET", change, nil)

	// Changed since: refused, unless forced.
	w.must(t, http.StatusOK, "PUT", at, with(now, "param", "later"), "If-Match", "*")
	p := w.must(t, http.StatusConflict, "POST", change+"/undo", nil)
	assert.Equal(t, "It has been changed since", p["title"])
	undone := w.must(t, http.StatusOK, "POST", change+"/undo", map[string]any{"force": true})
	assert.Equal(t, "undo", undone["action"])
	v := w.must(t, http.StatusOK, "GET", at, nil)
	assert.Equal(t, "settle <b>雪</b>", v["name"])
	assert.Empty(t, v["param"])

	// An undo can be undone, a creation not when there was something else.
	w.must(t, http.StatusOK, "POST", fmt.Sprintf("/v1/changes/%d/undo", id(t, undone)), nil)
	assert.Equal(t, "later", w.must(t, http.StatusOK, "GET", at, nil)["param"])
	all, _ := w.must(t, http.StatusOK, "GET", at+"/changes", nil)["items"].([]any)
	first, _ := all[len(all)-1].(map[string]any)
	assert.Equal(t, "create", first["action"])
	made, _ := first["differences"].([]any)
	assert.Contains(t, made, map[string]any{"field": "block", "before": nil, "after": "serial_execution"})
	w.must(t, http.StatusConflict, "POST", fmt.Sprintf("/v1/changes/%d/undo", id(t, first)), nil)

	// The same key with another body.
	key := []string{"Idempotency-Key", "undo-1"}
	w.must(t, http.StatusOK, "POST", change+"/undo", map[string]any{"force": true}, key...)
	w.must(t, http.StatusUnprocessableEntity, "POST", change+"/undo", nil, key...)
}

// drivePages reads the jobs in pages of one, in every order, forwards by cursor
// and by link.
func (w *world) drivePages(t *testing.T, o objects) {
	t.Helper()
	for _, sort := range []string{"id", "-id", "name", "-name", "next_fire", "-next_fire"} {
		first := fmt.Sprintf("/v1/jobs?group_id=%d&sort=%s", o.group, sort)
		var want, got []any
		whole := w.must(t, http.StatusOK, "GET", first, nil)
		want, _ = whole["items"].([]any)
		assert.InDelta(t, len(want), whole["total"], 0)
		for next := first + "&limit=1"; next != ""; {
			rec := w.admin(t, "GET", next, nil)
			require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
			page, _ := object(t, rec)["items"].([]any)
			got = append(got, page...)
			next, _, _ = strings.Cut(strings.TrimPrefix(rec.Header().Get("Link"), "<"), ">")
		}
		assert.Equal(t, want, got, sort)
	}
	v := w.must(t, http.StatusOK, "GET", "/v1/jobs?limit=1", nil)
	p := w.must(t, http.StatusBadRequest, "GET", fmt.Sprintf("/v1/jobs?sort=name&cursor=%v", v["next_cursor"]), nil)
	assert.Equal(t, []string{"cursor"}, pointers(t, p))
	w.must(t, http.StatusBadRequest, "GET", "/v1/jobs?limit=201", nil)
	w.must(t, http.StatusBadRequest, "GET", "/v1/jobs?state=started&state=stopped", nil)
}

// driveAddress reads an address with what runs there, one at which runs were, and
// some that have nothing to do with the group.
func (w *world) driveAddress(t *testing.T, at string) {
	t.Helper()
	path := func(address string) string { return at + "/address?" + url.Values{"address": {address}}.Encode() }
	d := w.must(t, http.StatusOK, "GET", path(w.exec.URL), nil)
	assert.Equal(t, true, d["present"])
	assert.Equal(t, w.exec.URL, d["address"])
	assert.NotEmpty(t, d["node"])
	for _, list := range []string{"faults", "running", "recent"} {
		assert.IsType(t, []any{}, d[list], list)
	}
	w.must(t, http.StatusBadRequest, "GET", at+"/address", nil)
	w.must(t, http.StatusBadRequest, "GET", path("http://x/"+strings.Repeat("x", 255)), nil)
	w.must(t, http.StatusNotFound, "GET", path("http://169.254.169.254/"), nil)
	w.must(t, http.StatusNotFound, "GET", "/v1/groups/99999/address?address=x", nil)
}

// driveSortedGroups goes through the pages of every order of groups: each group is
// there once.
func (w *world) driveSortedGroups(t *testing.T) {
	t.Helper()
	all, _ := w.must(t, http.StatusOK, "GET", "/v1/groups", nil)["items"].([]any)
	require.Greater(t, len(all), 1)
	for _, sort := range slices.Concat(ops.StandingSorts(), []string{"-need", "-name", "-beat", "-open"}) {
		var got []any
		for path := "/v1/groups?limit=1&sort=" + sort; path != ""; {
			p := w.must(t, http.StatusOK, "GET", path, nil)
			list, _ := p["items"].([]any)
			got, path = append(got, field(list, "id")...), ""
			if next, _ := p["next_cursor"].(string); next != "" {
				path = "/v1/groups?limit=1&sort=" + sort + "&cursor=" + next
			}
		}
		assert.ElementsMatch(t, field(all, "id"), got, sort)
	}
	w.must(t, http.StatusBadRequest, "GET", "/v1/groups?sort=colour", nil)
}

// driveRefused comes with a wrong token, and is told of until it registers with the
// right one.
func (w *world) driveRefused(t *testing.T) {
	t.Helper()
	assert.Empty(t, w.must(t, http.StatusOK, "GET", "/v1/groups/refused", nil)["items"])
	beat := `{"registryGroup":"EXECUTOR","registryKey":"<lost>","registryValue":"http://10.0.0.7:1/"}`
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/registry", strings.NewReader(beat))
	r.Header.Set("XXL-JOB-ACCESS-TOKEN", "of-elsewhere")
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	require.Contains(t, rec.Body.String(), `"code":500`)
	answer := w.must(t, http.StatusOK, "GET", "/v1/groups/refused", nil)
	assert.NotEmpty(t, answer["node"])
	list, _ := answer["items"].([]any)
	assert.Equal(t, []any{"<lost>"}, field(list, "app_name"))
	assert.Equal(t, []any{"http://10.0.0.7:1/"}, field(list, "address"))
	assert.Equal(t, []any{"registry"}, field(list, "call"))
	assert.NotContains(t, fmt.Sprint(answer), "of-elsewhere")
	w.tell(t, "/api/registry", beat)
	assert.Empty(t, w.must(t, http.StatusOK, "GET", "/v1/groups/refused", nil)["items"])
}

func (w *world) driveGroups(t *testing.T, o objects) {
	t.Helper()
	at := fmt.Sprintf("/v1/groups/%d", o.other)
	assert.Empty(t, w.must(t, http.StatusOK, "GET", "/v1/groups/unknown", nil)["items"])
	w.tell(t, "/api/registry", `{"registryGroup":"EXECUTOR","registryKey":"<lost>","registryValue":"http://10.0.0.7:1/"}`)
	unknown := w.must(t, http.StatusOK, "GET", "/v1/groups/unknown", nil)
	assert.InDelta(t, 1, unknown["app_names"], 0)
	lost, _ := unknown["items"].([]any)
	assert.Equal(t, []any{"<lost>"}, field(lost, "app_name"))
	assert.Equal(t, []any{[]any{"http://10.0.0.7:1/"}}, field(lost, "addresses"))
	w.driveRefused(t)
	w.driveSortedGroups(t)
	w.must(t, http.StatusOK, "GET", "/v1/groups?app_name=ORD&limit=1", nil)
	get := w.admin(t, "GET", at, nil)
	in := map[string]any{"app_name": "others", "title": "Others", "address_mode": "manual", "addresses": []string{w.exec.URL}}
	w.must(t, http.StatusConflict, "POST", "/v1/groups", with(in, "app_name", "orders"))
	p := w.must(t, http.StatusUnprocessableEntity, "POST", "/v1/groups", with(in, "addresses", []string{"http://169.254.169.254/"}))
	assert.Equal(t, []string{"/addresses"}, pointers(t, p))
	w.must(t, http.StatusPreconditionRequired, "PUT", at, in)
	w.must(t, http.StatusPreconditionFailed, "PUT", at, in, "If-Match", `"x"`)
	w.must(t, http.StatusUnprocessableEntity, "PUT", at, with(in, "title", ""), "If-Match", "*")
	w.must(t, http.StatusConflict, "PUT", at, with(in, "app_name", "orders"), "If-Match", "*")
	w.must(t, http.StatusOK, "PUT", at, in, "If-Match", get.Header().Get("ETag"))
	changes := w.must(t, http.StatusOK, "GET", at+"/changes", nil)
	assert.Len(t, changes["items"], 2)

	addresses := w.must(t, http.StatusOK, "GET", at+"/addresses", nil)
	require.Len(t, addresses["items"], 1)
	probed, _ := w.must(t, http.StatusOK, "POST", at+"/probe", nil)["items"].([]any)
	require.Len(t, probed, 1)
	first, _ := probed[0].(map[string]any)
	assert.Equal(t, true, first["ok"], "%v", first)
	steps, _ := first["steps"].([]any)
	assert.Equal(t, []any{"beat", "idle_beat", "log", "unnamed"}, field(steps, "name"))
	assert.Equal(t, false, first["native"])
	assert.NotEmpty(t, first["evidence"])
	w.must(t, http.StatusUnprocessableEntity, "POST", at+"/probe", map[string]any{"address": "http://10.1.2.3/"})
	w.driveAddress(t, at)
	secret := w.must(t, http.StatusOK, "POST", at+"/token", nil, "Idempotency-Key", "once")
	assert.NotEmpty(t, secret["token"])
	p = w.must(t, http.StatusConflict, "POST", at+"/token", nil, "Idempotency-Key", "once")
	assert.Equal(t, "urn:xxl-job:problem:secret-shown", p["type"])

	busy := fmt.Sprintf("/v1/groups/%d", o.group)
	w.must(t, http.StatusPreconditionRequired, "DELETE", busy, nil)
	w.must(t, http.StatusPreconditionFailed, "DELETE", busy, nil, "If-Match", `"x"`)
	w.must(t, http.StatusConflict, "DELETE", busy, nil, "If-Match", "*")
	w.must(t, http.StatusNoContent, "DELETE", at, nil, "If-Match", "*")

	// It comes back, without its token, unless its name is taken; a job of its own waits for that.
	deleted := strings.Replace(at, "/v1", "/v1/deleted", 1)
	list, _ := w.must(t, http.StatusOK, "GET", "/v1/deleted/groups?name=oth", nil)["items"].([]any)
	assert.Equal(t, []any{float64(o.other)}, field(list, "id"))
	taken := w.must(t, http.StatusCreated, "POST", "/v1/groups", in)
	w.must(t, http.StatusConflict, "POST", deleted+"/restore", nil)
	mine := id(t, w.must(t, http.StatusCreated, "POST", "/v1/jobs", job(id(t, taken), "waits")))
	w.must(t, http.StatusNoContent, "DELETE", fmt.Sprintf("/v1/jobs/%d", mine), nil, "If-Match", "*")
	w.must(t, http.StatusNoContent, "DELETE", fmt.Sprintf("/v1/groups/%d", id(t, taken)), nil, "If-Match", "*")
	w.must(t, http.StatusConflict, "POST", fmt.Sprintf("/v1/deleted/jobs/%d/restore", mine), nil)
	restored := w.must(t, http.StatusCreated, "POST", deleted+"/restore", nil)
	assert.Equal(t, true, restored["had_token"])
	group, _ := restored["group"].(map[string]any)
	assert.Equal(t, []any{float64(o.other), "others", false}, []any{group["id"], group["app_name"], group["token_set"]})
	w.must(t, http.StatusNoContent, "DELETE", at, nil, "If-Match", "*")
}

// between is the time between two instants in milliseconds.
func between(t *testing.T, from, to any) float64 {
	t.Helper()
	var times [2]time.Time
	for i, v := range []any{from, to} {
		text, _ := v.(string)
		var err error
		times[i], err = time.Parse(time.RFC3339Nano, text)
		require.NoError(t, err)
	}
	return float64(times[1].Sub(times[0]).Milliseconds())
}

func (w *world) driveRuns(t *testing.T, o objects) {
	t.Helper()
	first, second := w.run(t, o.job), w.run(t, o.job)
	at := fmt.Sprintf("/v1/runs/%d", first)
	w.await(t, second, "running")
	waits := w.must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/runs/%d", second), nil)
	assert.Equal(t, []any{"running", float64(first)}, []any{waits["status"], waits["waiting_behind"]})
	assert.Nil(t, w.must(t, http.StatusOK, "GET", at, nil)["waiting_behind"])
	log := w.must(t, http.StatusOK, "GET", at+"/log?from_line=2", nil)
	assert.Equal(t, "line 2 <b>\n", log["text"])
	w.must(t, http.StatusConflict, "POST", at+"/retry", nil)
	w.exec.deaf.Store(true)
	w.must(t, http.StatusServiceUnavailable, "GET", at+"/log", nil)
	w.must(t, http.StatusServiceUnavailable, "POST", at+"/kill", nil)
	w.exec.deaf.Store(false)

	w.end(t, first, http.StatusOK)
	w.await(t, first, "success")
	v := w.must(t, http.StatusOK, "GET", at, nil)
	assert.Equal(t, "done <b>", v["result_message"])
	took, _ := v["took_ms"].(float64)
	assert.Equal(t, took, between(t, v["accepted_at"], v["ended_at"]), "to the millisecond")
	assert.Nil(t, v["planned_at"], "nobody planned it")
	assert.NotContains(t, v["trigger_message"], "<br>")
	w.must(t, http.StatusConflict, "POST", at+"/kill", nil)
	again := w.must(t, http.StatusAccepted, "POST", at+"/retry", nil)
	assert.Len(t, again["run_ids"], 1)
	newID, _ := again["run_ids"].([]any)[0].(float64)
	link := w.must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/runs/%d", int64(newID)), nil)
	assert.Equal(t, []any{"again", float64(first), "admin"}, []any{link["cause"], link["parent"], link["started_by"]})
	v = w.must(t, http.StatusOK, "GET", at, nil)
	assert.Equal(t, []any{map[string]any{"id": newID, "cause": "again"}}, v["followed_by"])
	assert.Equal(t, []any{"manual", nil}, []any{v["cause"], v["parent"]})
	w.must(t, http.StatusOK, "POST", fmt.Sprintf("/v1/runs/%d/kill", second), nil)
	w.await(t, second, "killed")

	ids := map[string]any{"ids": []int64{first, second, 1 << 40}}
	results, _ := w.must(t, http.StatusOK, "POST", "/v1/runs/retry", ids)["items"].([]any)
	assert.Equal(t, []any{true, true, false}, field(results, "ok"))
	results, _ = w.must(t, http.StatusOK, "POST", "/v1/runs/kill", ids)["items"].([]any)
	assert.Equal(t, []any{false, false, false}, field(results, "ok"))
	for _, path := range []string{"/v1/runs/retry", "/v1/runs/kill"} {
		w.must(t, http.StatusUnprocessableEntity, "POST", path, map[string]any{"ids": []int64{1, 1}})
	}
	w.followEnded(t, at)

	lost := id(t, w.must(t, http.StatusCreated, "POST", "/v1/groups", map[string]any{"app_name": "lonely", "title": "Lonely"}))
	lonely := id(t, w.must(t, http.StatusCreated, "POST", "/v1/jobs", job(lost, "lonely")))
	started, _ := w.must(t, http.StatusAccepted, "POST", fmt.Sprintf("/v1/jobs/%d/run", lonely), nil)["run_ids"].([]any)
	failed, _ := started[0].(float64)
	w.await(t, int64(failed), "unsent")
	for status, want := range map[string]int64{"killed": second, "unsent": int64(failed)} {
		items, _ := w.must(t, http.StatusOK, "GET", "/v1/runs?limit=1&status="+status, nil)["items"].([]any)
		assert.Equal(t, []any{float64(want)}, field(items, "id"), status)
	}
	assert.Nil(t, w.must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/runs/%d", int64(failed)), nil)["took_ms"])
	w.must(t, http.StatusConflict, "GET", fmt.Sprintf("/v1/runs/%d/log", int64(failed)), nil)

	for _, filter := range []string{
		"", fmt.Sprintf("&group_id=%d", o.group), fmt.Sprintf("&job_id=%d&status=failed", o.job), "&status=success",
		"&from=2020-01-01T00:00:00Z&to=" + time.Now().Add(time.Hour).UTC().Format(time.RFC3339), "&status=running", "&status=waiting", "&text=done&address=127.0&min_took_ms=0&max_took_ms=3600000",
	} {
		for next := "/v1/runs?limit=2" + filter; next != ""; {
			rec := w.admin(t, "GET", next, nil)
			require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
			next, _, _ = strings.Cut(strings.TrimPrefix(rec.Header().Get("Link"), "<"), ">")
		}
	}
	items := func(query string) []any {
		list, _ := w.must(t, http.StatusOK, "GET", "/v1/runs?limit=200"+query, nil)["items"].([]any)
		return list
	}
	newest, oldest := field(items(""), "id"), field(items("&sort=triggered_at"), "id")
	slices.Reverse(oldest)
	assert.Equal(t, newest, oldest, "the other way round")
	for query, want := range map[string]int{"&job=lonely": 1, "&job=ONEL": 1, "&job=nobody": 0} {
		assert.Len(t, items(query), want, query)
	}
	w.must(t, http.StatusBadRequest, "GET", "/v1/runs?sort=took", nil)
	w.must(t, http.StatusUnprocessableEntity, "POST", "/v1/runs/clear", map[string]any{"what": "everything"})
	effect := w.must(t, http.StatusOK, "GET", "/v1/runs/clear?what=all", nil)
	would, _ := effect["runs"].(map[string]any)
	assert.Positive(t, would["rows"])
	effect = w.must(t, http.StatusOK, "GET", "/v1/runs/clear?what=all&job_id=999999", nil)
	assert.Equal(t, map[string]any{"rows": 0.0, "more": false}, effect["runs"])
	w.must(t, http.StatusBadRequest, "GET", "/v1/runs/clear", nil)
	w.must(t, http.StatusBadRequest, "GET", "/v1/runs/clear?what=everything", nil)
	w.must(t, http.StatusBadRequest, "GET", "/v1/runs/clear?what=all&job_id=0", nil)
	cleared := w.must(t, http.StatusOK, "POST", "/v1/runs/clear", map[string]any{"what": "all_but_1000"})
	assert.InDelta(t, 0, cleared["deleted"], 0)
}

// followEnded follows the log of a run that has ended.
func (w *world) followEnded(t *testing.T, at string) {
	t.Helper()
	w.exec.lines.Store(3)
	rec := httptest.NewRecorder()
	q := request{method: "GET", path: at + "/log/stream", cookie: w.cookie, header: map[string]string{"Last-Event-ID": "1"}}
	w.handler.ServeHTTP(rec, q.make(t))
	w.keep.check(t, w, q.make(t), rec)
	assert.Contains(t, rec.Body.String(), "event: log\nid: 3\ndata: {\"from_line\":2,\"to_line\":3,")
	assert.Contains(t, rec.Body.String(), "event: end\n")
}

func field(list []any, name string) []any {
	var values []any
	for _, item := range list {
		v, _ := item.(map[string]any)
		values = append(values, v[name])
	}
	return values
}
