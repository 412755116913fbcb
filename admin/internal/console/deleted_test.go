package console

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// TestDeleteAsks: the question counts what it touches, and says what comes back.
func TestDeleteAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	g := w.group("golden", "gold", "")
	j := w.job(g, "settle")
	w.job(g, "parent"+evil, func(p *model.Job) { p.Children = model.T(strconv.Itoa(int(j.ID))) })
	assert.Contains(t, v.text(pathOf(j)), `href="`+pathOf(j)+`/delete"`)
	page := v.text(pathOf(j) + "/delete")
	assert.Contains(t, page, "Delete 1 job?")
	assert.Contains(t, page, "1 other job has such a job as a child, and will start nothing in its place:")
	assert.Contains(t, page, `<a href="/jobs/2"><code>2</code> <bdi>parent`)
	assert.Contains(t, page, "Their runs go with them, for good.")
	assert.Contains(t, page, "Settings and tags can be brought back. What is deleted is kept for 365 days, as long as the audit log.")
	assert.Contains(t, page, `action="`+pathOf(j)+`/delete"`)
	assert.NotContains(t, v.get(pathOf(j)+"/delete").Body.String(), "<script>alert")

	require.NoError(t, w.ops.StartJob(t.Context(), ops.UserPrincipal(w.admin), j.ID))
	for range 2 {
		_, err := w.ops.TriggerJob(t.Context(), ops.UserPrincipal(w.admin), j.ID, ops.TriggerInput{})
		require.NoError(t, err)
	}
	runs, _, err := w.db.Logs(t.Context(), model.LogFilter{JobID: j.ID})
	require.NoError(t, err)
	require.NoError(t, w.parts.Results(t.Context(), []*model.Outcome{{
		LogID: runs[0].ID, Trigger: &model.TriggerResult{Code: model.CodeSuccess},
	}}))
	form := url.Values{"do": {"delete"}, "id": {"1", "2"}}
	page = v.post("/jobs/bulk", form).Body.String()
	for _, want := range []string{
		"Delete 2 jobs?", "Still started: 1.", "1 run is on executors now: it goes on there to the end, and its result is not kept.",
		"1 planned run is not sent any more.",
	} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "as a child", "the parent goes, too")
	assert.Equal(t, http.StatusForbidden, w.as(w.user("silver1", false, "999")).get(pathOf(j)+"/delete").Code)
}

// TestDeletedJobs: what was deleted has a page, stands in a list, and comes back.
func TestDeletedJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	g := w.group("golden", "gold", "")
	assert.Contains(t, v.text("/jobs/deleted"), "There is nothing to bring back.")
	var jobs []*model.Job
	for i := range deletedPerPage + 2 {
		jobs = append(jobs, w.job(g, "gone"+strconv.Itoa(i)+evil))
	}
	for _, j := range jobs {
		require.NoError(t, w.ops.DeleteJob(t.Context(), ops.UserPrincipal(w.admin), j.ID))
	}
	last := jobs[len(jobs)-1]
	page := v.text("/jobs/deleted")
	assert.Contains(t, page, ">gone51")
	assert.NotContains(t, page, ">gone1\"")
	assert.NotContains(t, v.get("/jobs/deleted").Body.String(), "<script>alert")
	next := regexp.MustCompile(`rel="next" href="([^"]*)"`).FindStringSubmatch(page)
	require.NotNil(t, next)
	assert.Contains(t, v.text(next[1]), ">gone1")
	assert.Contains(t, v.text(next[1]), "Newest")
	assert.Contains(t, v.text("/jobs/deleted?name=gone7&group="+strconv.Itoa(int(g))), ">gone7")
	assert.Contains(t, v.text("/jobs/deleted?name=none"), "Nothing that was deleted matches")
	other := w.as(w.user("silver1", false, "999"))
	assert.NotContains(t, other.text("/jobs/deleted"), ">gone5")
	assert.Equal(t, http.StatusForbidden, other.get("/jobs/deleted?group="+strconv.Itoa(int(g))).Code)

	page = v.text(pathOf(last))
	for _, want := range []string{"Deleted by admin,", "Its runs went with it", "<b>deleted</b>", "Bring it back"} {
		assert.Contains(t, page, want)
	}
	assert.Equal(t, http.StatusNotFound, other.get(pathOf(last)).Code)
	assert.Equal(t, pathOf(last), v.post(pathOf(last)+"/restore", nil).Header().Get("Location"))
	assert.Contains(t, v.text(pathOf(last)), "The job is back, as number")
	assert.Equal(t, last.Name, w.load(last.ID).Name)
	assert.Equal(t, "/jobs/deleted", v.post(pathOf(last)+"/restore", nil).Header().Get("Location"))
	assert.Contains(t, v.text("/jobs/deleted"), "There is nothing to bring back")

	// Many that were deleted at once come back at once.
	form := url.Values{"do": {"delete"}, "sure": {"1"}}
	var again []*model.Job
	for i := range 40 {
		j := w.job(g, "forty"+strconv.Itoa(i))
		again = append(again, j)
		form.Add("id", strconv.Itoa(int(j.ID)))
	}
	v.post("/jobs/bulk", form)
	v.undoForm(v.text("/jobs"))
	assert.Contains(t, v.text("/jobs"), "Undone: 40.")
	for _, j := range again {
		assert.Equal(t, j.Name, w.load(j.ID).Name)
	}
}

// TestUndoOfCreations: a new job, a copy, and all that a file has made.
func TestUndoOfCreations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	w.group("golden", "gold", "")
	form := url.Values{
		"name": {"settle"}, "group": {"1"}, "author": {"lin"}, "type": {model.GlueBean}, "handler": {"h"},
		"schedule": {"CRON"}, "cron": {"0 0 3 * * ?"}, "misfire": {"DO_NOTHING"}, "route": {"FIRST"}, "block": {"SERIAL_EXECUTION"},
	}
	at := v.post("/jobs/new", form).Header().Get("Location")
	v.undoForm(v.text(at))
	page := v.text(at)
	assert.Contains(t, page, "It is undone.")
	v.undoForm(page)
	assert.Contains(t, v.text(at), "The job is back, as number", "and that can be undone, too")

	file := "{group: golden, name: a, handler: h, schedule: {cron: '0 0 3 1 1 ?'}, state: started, children: [b]}\n---\n" +
		"{group: golden, name: b, handler: h}\n---\n{group: golden, name: settle, handler: other, author: lin}\n"
	imp := url.Values{"text": {file}, "do": {"plan"}}
	page = v.post("/jobs/import", imp).Body.String()
	imp.Set("version", regexp.MustCompile(`name="version" value="(\w+)"`).FindStringSubmatch(page)[1])
	imp.Set("do", "apply")
	v.post("/jobs/import", imp)
	page = v.text("/jobs")
	require.Contains(t, page, "Created 2, changed 1")
	v.undoForm(page)
	assert.Contains(t, v.text("/jobs"), "Undone: 5.")
	list, total, err := w.db.Jobs(t.Context(), model.JobFilter{})
	require.NoError(t, err)
	require.Equal(t, 1, total)
	assert.Equal(t, []string{"settle", "h"}, []string{list[0].Name, list[0].Handler.S})
}

// TestExecutorHistory: who has changed what of an executor, with undo, also when
// it is gone.
func TestExecutorHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	w.group("silver", "silver", "")
	form := url.Values{"app": {"golden"}, "title": {"gold" + evil}, "manual": {"1"}, "addresses": {"http://10.0.0.1:1/"}}
	form.Set("title", "gold")
	at := v.post("/executors/new", form).Header().Get("Location")
	require.Regexp(t, `^/executors/\d+$`, at)
	form.Set("title", "goldener")
	v.post(at+"/edit", form)
	v.undoForm(v.text(at))
	assert.Contains(t, v.text(at), "<h1>gold</h1>")
	assert.Contains(t, v.text(at), `href="`+at+`/history"`)
	page := v.text(at + "/history")
	for _, want := range []string{"created", "edited", "undid a change", "<ins>goldener</ins>", "http://10.0.0.1:1/", "Set back to before this"} {
		assert.Contains(t, page, want)
	}
	id, err := strconv.Atoi(strings.TrimPrefix(at, "/executors/"))
	require.NoError(t, err)
	user := w.as(w.user("gold1", false, strconv.Itoa(id)))
	assert.NotContains(t, user.text(at+"/history"), `action="/changes/undo"`, "executors are for administrators")

	v.post(at+"/token", nil)
	v.post(at+"/delete", nil)
	assert.Contains(t, v.text("/executors/deleted"), ">gold</a>")
	page = v.text(at + "/history")
	assert.Contains(t, page, "Deleted by admin,")
	assert.Contains(t, page, "is a secret and was not kept")
	assert.Contains(t, user.text(at+"/history"), "This is for administrators.")
	assert.Equal(t, http.StatusForbidden, user.post(at+"/restore", nil).Code)
	assert.Equal(t, at, v.post(at+"/restore", nil).Header().Get("Location"))
	assert.Contains(t, v.text(at), "A token of its own was not kept")
	assert.Equal(t, "/executors/deleted", v.post(at+"/restore", nil).Header().Get("Location"))
	v.post(at+"/delete", nil)
	assert.Equal(t, at, v.undoForm(v.text("/executors")))
	assert.Equal(t, http.StatusNotFound, v.get("/executors/999/history").Code)

	made := v.post("/executors/new", url.Values{"app": {"bronze"}, "title": {"bronze"}}).Header().Get("Location")
	assert.Equal(t, "/executors", v.undoForm(v.text(made)))
	assert.Equal(t, http.StatusNotFound, v.get(made).Code)
}

// TestUndoOfAlarms: a rule that was deleted and a window that was ended are put
// back.
func TestUndoOfAlarms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	j := w.job(w.group("golden", "gold", ""), "settle")
	rule := url.Values{"job": {strconv.Itoa(int(j.ID))}, "what": {"late"}, "limit": {"60"}}
	v.post("/alarms/rules", rule)
	v.post("/alarms/rules/delete", rule)
	v.undoForm(v.text("/alarms"))
	rules, err := w.db.AlarmRules(t.Context())
	require.NoError(t, err)
	require.Len(t, rules, 1)
	assert.Equal(t, time.Minute, rules[0].Limit)

	mute := url.Values{"job": {strconv.Itoa(int(j.ID))}, "minutes": {"15"}, "reason": {"deploy"}}
	v.post("/alarms/mute", mute)
	v.post("/alarms/unmute", mute)
	page := v.text("/alarms")
	v.undoForm(page)
	mutes, err := w.db.Mutes(context.WithoutCancel(t.Context()), noon)
	require.NoError(t, err)
	require.Len(t, mutes, 1)
	assert.Equal(t, "deploy", mutes[0].Reason)
	v.undoForm(page)
	assert.Contains(t, v.text("/alarms"), "It has been changed since")
}
