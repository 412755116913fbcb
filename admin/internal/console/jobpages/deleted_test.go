package jobpages_test

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

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/jobpages"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// TestDeleteAsks: the question counts what it touches, and says what comes back.
func TestDeleteAsks(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	g := w.Group("golden", "gold", "")
	j := w.Job(g, "settle")
	w.Job(g, "parent"+consoletest.Evil, func(p *model.Job) { p.Children = model.T(strconv.Itoa(int(j.ID))) })
	assert.Contains(t, v.Text(consoletest.PathOf(j)), `href="`+consoletest.PathOf(j)+`/delete"`)
	page := v.Text(consoletest.PathOf(j) + "/delete")
	assert.Contains(t, page, "Delete 1 job?")
	assert.Contains(t, page, "1 other job has such a job as a child, and will start nothing in its place:")
	assert.Contains(t, page, `<a href="/jobs/2"><code>2</code> <bdi>parent`)
	assert.Contains(t, page, "Their runs go with them, for good.")
	assert.Contains(t, page, "Settings and tags can be brought back. What is deleted is kept for 365 days, as long as the audit log.")
	assert.Contains(t, page, `action="`+consoletest.PathOf(j)+`/delete"`)
	assert.NotContains(t, v.Get(consoletest.PathOf(j)+"/delete").Body.String(), "<script>alert")

	require.NoError(t, w.Ops.StartJob(t.Context(), ops.UserPrincipal(w.Admin), j.ID))
	for range 2 {
		_, err := w.Ops.TriggerJob(t.Context(), ops.UserPrincipal(w.Admin), j.ID, ops.TriggerInput{})
		require.NoError(t, err)
	}
	runs, _, err := w.DB.Logs(t.Context(), model.LogFilter{JobID: j.ID})
	require.NoError(t, err)
	require.NoError(t, w.Parts.Results(t.Context(), []*model.Outcome{{
		LogID: runs[0].ID, Trigger: &model.TriggerResult{Code: model.CodeSuccess},
	}}))
	form := url.Values{"do": {"delete"}, "id": {"1", "2"}}
	page = v.Post("/jobs/bulk", form).Body.String()
	for _, want := range []string{
		"Delete 2 jobs?", "Still started: 1.", "1 run is on executors now: it goes on there to the end, and its result is not kept.",
		"1 planned run is not sent any more.",
	} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "as a child", "the parent goes, too")
	assert.Equal(t, http.StatusForbidden, w.As(w.User("silver1", false, "999")).Get(consoletest.PathOf(j)+"/delete").Code)
}

// TestDeletedJobs: what was deleted has a page, stands in a list, and comes back.
func TestDeletedJobs(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	g := w.Group("golden", "gold", "")
	assert.Contains(t, v.Text("/jobs/deleted"), "There is nothing to bring back.")
	var jobs []*model.Job
	for i := range jobpages.DeletedPerPage + 2 {
		jobs = append(jobs, w.Job(g, "gone"+strconv.Itoa(i)+consoletest.Evil))
	}
	for _, j := range jobs {
		require.NoError(t, w.Ops.DeleteJob(t.Context(), ops.UserPrincipal(w.Admin), j.ID))
	}
	last := jobs[len(jobs)-1]
	page := v.Text("/jobs/deleted")
	assert.Contains(t, page, ">gone51")
	assert.NotContains(t, page, ">gone1\"")
	assert.NotContains(t, v.Get("/jobs/deleted").Body.String(), "<script>alert")
	next := regexp.MustCompile(`rel="next" href="([^"]*)"`).FindStringSubmatch(page)
	require.NotNil(t, next)
	assert.Contains(t, v.Text(next[1]), ">gone1")
	assert.Contains(t, v.Text(next[1]), "First page")
	assert.Contains(t, v.Text("/jobs/deleted?name=gone7&group="+strconv.Itoa(int(g))), ">gone7")
	assert.Contains(t, v.Text("/jobs/deleted?name=none"), "Nothing that was deleted matches")
	other := w.As(w.User("silver1", false, "999"))
	assert.NotContains(t, other.Text("/jobs/deleted"), ">gone5")
	assert.Equal(t, http.StatusForbidden, other.Get("/jobs/deleted?group="+strconv.Itoa(int(g))).Code)

	page = v.Text(consoletest.PathOf(last))
	for _, want := range []string{"Deleted by admin,", "Its runs went with it", "<b>deleted</b>", "Bring it back"} {
		assert.Contains(t, page, want)
	}
	assert.Equal(t, http.StatusForbidden, other.Get(consoletest.PathOf(last)).Code)
	assert.Equal(t, consoletest.PathOf(last), v.Post(consoletest.PathOf(last)+"/restore", nil).Header().Get("Location"))
	assert.Contains(t, v.Text(consoletest.PathOf(last)), "The job is back, as number")
	assert.Equal(t, last.Name, w.Load(last.ID).Name)
	assert.Equal(t, "/jobs/deleted", v.Post(consoletest.PathOf(last)+"/restore", nil).Header().Get("Location"))
	assert.Contains(t, v.Text("/jobs/deleted"), "There is nothing to bring back")

	// Many that were deleted at once come back at once.
	form := url.Values{"do": {"delete"}, "sure": {"1"}}
	var again []*model.Job
	for i := range 40 {
		j := w.Job(g, "forty"+strconv.Itoa(i))
		again = append(again, j)
		form.Add("id", strconv.Itoa(int(j.ID)))
	}
	v.Post("/jobs/bulk", form)
	v.UndoForm(v.Text("/jobs"))
	assert.Contains(t, v.Text("/jobs"), "Undone: 40.")
	for _, j := range again {
		assert.Equal(t, j.Name, w.Load(j.ID).Name)
	}
}

// TestUndoOfCreations: a new job, a copy, and all that a file has made.
func TestUndoOfCreations(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	w.Group("golden", "gold", "")
	form := url.Values{
		"name": {"settle"}, "group": {"1"}, "author": {"lin"}, "type": {model.GlueBean}, "handler": {"h"},
		"schedule": {"CRON"}, "cron": {"0 0 3 * * ?"}, "misfire": {"DO_NOTHING"}, "route": {"FIRST"}, "block": {"SERIAL_EXECUTION"},
	}
	at := v.Post("/jobs/new", form).Header().Get("Location")
	v.UndoForm(v.Text(at))
	page := v.Text(at)
	assert.Contains(t, page, "It is undone.")
	v.UndoForm(page)
	assert.Contains(t, v.Text(at), "The job is back, as number", "and that can be undone, too")

	file := "{group: golden, name: a, handler: h, schedule: {cron: '0 0 3 1 1 ?'}, state: started, children: [b]}\n---\n" +
		"{group: golden, name: b, handler: h}\n---\n{group: golden, name: settle, handler: other, author: lin}\n"
	imp := url.Values{"text": {file}, "do": {"plan"}}
	page = v.Post("/jobs/import", imp).Body.String()
	imp.Set("version", regexp.MustCompile(`name="version" value="(\w+)"`).FindStringSubmatch(page)[1])
	imp.Set("do", "apply")
	v.Post("/jobs/import", imp)
	page = v.Text("/jobs")
	require.Contains(t, page, "Created 2, changed 1")
	v.UndoForm(page)
	assert.Contains(t, v.Text("/jobs"), "Undone: 5.")
	list, total, err := w.DB.Jobs(t.Context(), model.JobFilter{})
	require.NoError(t, err)
	require.Equal(t, 1, total)
	assert.Equal(t, []string{"settle", "h"}, []string{list[0].Name, list[0].Handler.S})
}

// TestExecutorHistory: who has changed what of an executor, with undo, also when
// it is gone.
func TestExecutorHistory(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	w.Group("silver", "silver", "")
	form := url.Values{"app": {"golden"}, "title": {"gold" + consoletest.Evil}, "manual": {"1"}, "addresses": {"http://10.0.0.1:1/"}}
	form.Set("title", "gold")
	at := v.Post("/executors/new", form).Header().Get("Location")
	require.Regexp(t, `^/executors/\d+$`, at)
	form.Set("title", "goldener")
	v.Post(at+"/edit", form)
	v.UndoForm(v.Text(at))
	assert.Contains(t, v.Text(at), "<h1>gold</h1>")
	assert.Contains(t, v.Text(at), `href="`+at+`/history"`)
	page := v.Text(at + "/history")
	for _, want := range []string{"created", "edited", "undid a change", "<ins>goldener</ins>", "http://10.0.0.1:1/", "Set back to before this"} {
		assert.Contains(t, page, want)
	}
	id, err := strconv.Atoi(strings.TrimPrefix(at, "/executors/"))
	require.NoError(t, err)
	user := w.As(w.User("gold1", false, strconv.Itoa(id)))
	assert.NotContains(t, user.Text(at+"/history"), `action="/changes/undo"`, "executors are for administrators")

	v.Post(at+"/token", nil)
	v.Post(at+"/delete", nil)
	assert.Contains(t, v.Text("/executors/deleted"), ">gold</a>")
	page = v.Text(at + "/history")
	assert.Contains(t, page, "Deleted by admin,")
	assert.Contains(t, page, "is a secret and was not kept")
	assert.Contains(t, user.Text(at+"/history"), "This is for administrators.")
	assert.Equal(t, http.StatusForbidden, user.Post(at+"/restore", nil).Code)
	assert.Equal(t, at, v.Post(at+"/restore", nil).Header().Get("Location"))
	assert.Contains(t, v.Text(at), "A token of its own was not kept")
	assert.Equal(t, "/executors/deleted", v.Post(at+"/restore", nil).Header().Get("Location"))
	v.Post(at+"/delete", nil)
	assert.Equal(t, at, v.UndoForm(v.Text("/executors")))
	assert.Equal(t, http.StatusNotFound, v.Get("/executors/999/history").Code)

	made := v.Post("/executors/new", url.Values{"app": {"bronze"}, "title": {"bronze"}}).Header().Get("Location")
	assert.Equal(t, "/executors", v.UndoForm(v.Text(made)))
	assert.Equal(t, http.StatusNotFound, v.Get(made).Code)
}

// TestUndoOfAlarms: a rule that was deleted and a window that was ended are put
// back.
func TestUndoOfAlarms(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	j := w.Job(w.Group("golden", "gold", ""), "settle")
	rule := url.Values{"job": {strconv.Itoa(int(j.ID))}, "what": {"late"}, "limit": {"60"}}
	v.Post("/alarms/rules", rule)
	v.Post("/alarms/rules/delete", rule)
	v.UndoForm(v.Text("/alarms"))
	rules, err := w.DB.AlarmRules(t.Context())
	require.NoError(t, err)
	require.Len(t, rules, 1)
	assert.Equal(t, time.Minute, rules[0].Limit)

	mute := url.Values{"job": {strconv.Itoa(int(j.ID))}, "minutes": {"15"}, "reason": {"deploy"}}
	v.Post("/alarms/mute", mute)
	v.Post("/alarms/unmute", mute)
	page := v.Text("/alarms")
	v.UndoForm(page)
	mutes, err := w.DB.Mutes(context.WithoutCancel(t.Context()), consoletest.Noon)
	require.NoError(t, err)
	require.Len(t, mutes, 1)
	assert.Equal(t, "deploy", mutes[0].Reason)
	v.UndoForm(page)
	assert.Contains(t, v.Text("/alarms"), "It has been changed since")
}
