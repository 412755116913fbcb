package console

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// undoForm posts what the toast of a page offers.
func (v *visitor) undoForm(page string) string {
	v.w.t.Helper()
	m := regexp.MustCompile(`action="(/changes/undo\?ids=[0-9,-]+)"`).FindStringSubmatch(page)
	require.NotNil(v.w.t, m, "no undo is offered")
	rec := v.post(m[1], url.Values{"back": {"/jobs?page=1"}})
	require.Equal(v.w.t, http.StatusSeeOther, rec.Code, rec.Body)
	return rec.Header().Get("Location")
}

func (w *world) load(id int32) *model.Job {
	w.t.Helper()
	j, err := w.db.Job(w.t.Context(), id)
	require.NoError(w.t, err)
	return j
}

// TestUndoIsOffered: behind everything that can be undone, and it works.
func TestUndoIsOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	g := w.group("golden", "gold", "")
	j := w.job(g, "settle")
	at := pathOf(j)

	v.post(at+"/start", nil)
	assert.True(t, w.load(j.ID).Running)
	assert.Equal(t, "/jobs?page=1", v.undoForm(v.text(at)))
	assert.False(t, w.load(j.ID).Running)
	page := v.text(at)
	assert.Contains(t, page, "It is undone.")
	v.undoForm(page)
	assert.True(t, w.load(j.ID).Running, "an undo can be undone")
	v.post(at+"/stop", nil)
	v.undoForm(v.text("/jobs"))
	assert.True(t, w.load(j.ID).Running)

	edit := func(name string) {
		t.Helper()
		form := formOf(w.load(j.ID), nil)
		rec := v.post(at+"/edit", url.Values{
			"name": {name}, "group": {form.Group}, "author": {form.Author}, "handler": {form.Handler}, "cron": {form.Cron},
			"schedule": {form.Schedule}, "misfire": {form.Misfire}, "route": {form.Route}, "block": {form.Block},
			"version": {form.Version},
		})
		require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	}
	edit("other")
	page = v.text(at)
	edit("third")
	v.undoForm(page)
	assert.Equal(t, "third", w.load(j.ID).Name)
	assert.Contains(t, v.text(at), "It has been changed since", "what came later is not lost")

	v.post(at+"/delete", nil)
	back := v.undoForm(v.text("/jobs"))
	require.Regexp(t, `^/jobs/\d+$`, back)
	assert.Equal(t, at, back)
	assert.Contains(t, v.text(back), "The job is back, as number")
}

// TestHistoryShowsAlarms: the rules for alarms and the mute windows of a job stand on
// its history in words, and the newest of each is undone with a click.
func TestHistoryShowsAlarms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	j := w.job(w.group("golden", "gold", ""), "settle")
	id := strconv.Itoa(int(j.ID))
	v.post("/alarms/rules", url.Values{"job": {id}, "what": {"long"}, "limit": {"90"}})
	v.post("/alarms/rules", url.Values{"job": {id}, "what": {"long"}, "limit": {"120"}})
	v.post("/alarms/mute", url.Values{"job": {id}, "minutes": {"15"}, "reason": {"deploy"}})
	page := v.text(pathOf(j) + "?tab=history")
	for _, part := range []string{
		"set a rule for alarms", "changed a rule for alarms", "muted its alarms", "runs longer than",
		"<del>1 min 30 s</del>", "<ins>2 min</ins>", "<ins>deploy</ins>",
	} {
		assert.Contains(t, page, part)
	}
	undo := regexp.MustCompile(`name="ids" value="(\d+)"`).FindAllStringSubmatch(page, -1)
	require.Len(t, undo, 2, "the older rule has been changed since")
	for _, m := range undo {
		v.post("/changes/undo", url.Values{"ids": {m[1]}, "back": {pathOf(j)}})
	}
	page = v.text(pathOf(j) + "?tab=alarms")
	assert.Contains(t, page, "1 min 30 s")
	assert.NotContains(t, page, "deploy")
}

// TestBulkUndo: many jobs are put back with one click, and no one else's.
func TestBulkUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine, theirs := w.group("mine", "Mine", ""), w.group("theirs", "Theirs", "")
	form := url.Values{"do": {"start"}}
	var jobs []*model.Job
	for i := range 60 {
		jobs = append(jobs, w.job(mine, "j"+strconv.Itoa(i)))
		form.Add("id", strconv.Itoa(int(jobs[i].ID)))
	}
	v := w.as(w.user("lin", false, strconv.Itoa(int(mine))))
	v.post("/jobs/bulk", form)
	page := v.text("/jobs")
	assert.Contains(t, page, "Started jobs: 60.")
	v.undoForm(page)
	assert.Contains(t, v.text("/jobs"), "Undone: 60.")
	for _, j := range jobs {
		assert.False(t, w.load(j.ID).Running)
	}

	foreign := w.job(theirs, "foreign")
	a := w.as(w.admin)
	a.post(pathOf(foreign)+"/start", nil)
	changes, err := w.db.Changes(t.Context(), model.ChangeJob, foreign.ID, 1, 0)
	require.NoError(t, err)
	v.post("/changes/undo", url.Values{"ids": {strconv.FormatInt(changes[0].ID, 10)}, "back": {"//evil"}})
	assert.True(t, w.load(foreign.ID).Running)
	assert.Contains(t, v.text("/jobs"), "Refused: 1.")
	v.post("/changes/undo", url.Values{"ids": {"x,-1,0,5-3,9-x"}})
	assert.Contains(t, v.text("/jobs"), "There is nothing to undo.")
	v.post("/changes/undo", url.Values{"ids": {"1-99999999999"}})
	assert.Contains(t, v.text("/jobs"), "Undone: ")
}

func TestRanges(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "1-3,5,7-8", joinRanges([]int64{1, 2, 3, 5, 7, 8}))
	assert.Equal(t, []int64{1, 2, 3, 5, 7, 8}, splitRanges("1-3,5,7-8", 100))
	assert.Len(t, splitRanges("1-9000000000000000000,5", 7), 7)
	var far []int64
	for i := range int64(1000) {
		far = append(far, i*100)
	}
	assert.Empty(t, undoPath(far), "too scattered for a cookie")
}

// TestHistory: who has changed what, field by field, and as text.
func TestHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	g := w.group("golden", "gold", "")
	assert.Contains(t, v.text(pathOf(w.job(g, "quiet"))+"?tab=history"), "No change is on record")
	rec := v.post("/jobs/new", url.Values{
		"name": {"settle"}, "group": {strconv.Itoa(int(g))}, "author": {"lin"}, "type": {model.GlueBean}, "handler": {"h"},
		"schedule": {"CRON"}, "cron": {"0 0 3 * * ?"}, "misfire": {"DO_NOTHING"}, "route": {"FIRST"}, "block": {"SERIAL_EXECUTION"},
		"param": {"one\r\ntwo\r\nthree"},
	})
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	at := rec.Header().Get("Location")
	id, err := strconv.Atoi(strings.TrimPrefix(at, "/jobs/"))
	require.NoError(t, err)
	edited := func(change func(*model.Job)) {
		t.Helper()
		j := w.load(int32(id))
		change(j)
		require.NoError(t, w.ops.UpdateJob(t.Context(), ops.UserPrincipal(w.admin), j))
	}
	edited(func(j *model.Job) { j.Param = model.T("one\n2" + evil + "\nthree") })
	edited(func(j *model.Job) { j.TimeoutSec, j.Route = 90, model.RouteFailover })
	page := v.text(at + "?tab=history")
	for _, want := range []string{
		"created", "edited", "admin", "<ins>90 s</ins>", "<del>none</del>", `<td class="line">two</td>`, "<del>First</del>",
	} {
		assert.Contains(t, page, want)
	}
	raw := v.get(at + "?tab=history").Body.String()
	assert.NotContains(t, raw, "<script>alert")
	assert.Contains(t, raw, "2&#34;&gt;&lt;script&gt;")

	// The first edit can only be taken back together with the later one.
	changes, err := w.db.Changes(t.Context(), model.ChangeJob, int32(id), 10, 0)
	require.NoError(t, err)
	require.Len(t, changes, 3)
	assert.Contains(t, page, "Later edits go too")
	first := url.Values{"ids": {strconv.FormatInt(changes[1].ID, 10)}, "back": {at + "?tab=history"}}
	v.post("/changes/undo", first)
	assert.Contains(t, v.text(at), "It has been changed since")
	first.Set("force", "1")
	assert.Equal(t, at+"?tab=history", v.post("/changes/undo", first).Header().Get("Location"))
	assert.Equal(t, "one\ntwo\nthree", w.load(int32(id)).Param.S)
	assert.Zero(t, w.load(int32(id)).TimeoutSec)

	for range historyPage {
		edited(func(j *model.Job) { j.Retries++ })
	}
	page = v.text(at + "?tab=history")
	_, next, ok := strings.Cut(page, `rel="next" href="`)
	require.True(t, ok)
	next, _, _ = strings.Cut(next, `"`)
	page = v.text(next)
	assert.Contains(t, page, "created")
	assert.Contains(t, page, "Newest")
	other := w.as(w.user("silver1", false, "999"))
	assert.Equal(t, http.StatusForbidden, other.get(at+"?tab=history").Code)
}
