package jobpages_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// TestHistoryShowsAlarms: the rules for alarms and the mute windows of a job stand on
// its history in words, and the newest of each is undone with a click.
func TestHistoryShowsAlarms(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	j := w.Job(w.Group("golden", "gold", ""), "settle")
	id := strconv.Itoa(int(j.ID))
	v.Post("/alarms/rules", url.Values{"job": {id}, "what": {"long"}, "limit": {"90"}})
	v.Post("/alarms/rules", url.Values{"job": {id}, "what": {"long"}, "limit": {"120"}})
	v.Post("/alarms/mute", url.Values{"job": {id}, "minutes": {"15"}, "reason": {"deploy"}})
	page := v.Text(consoletest.PathOf(j) + "?tab=history")
	for _, part := range []string{
		"set a rule for alarms", "changed a rule for alarms", "muted its alarms", "runs longer than",
		"<del>1 min 30 s</del>", "<ins>2 min</ins>", "<ins>deploy</ins>",
	} {
		assert.Contains(t, page, part)
	}
	undo := regexp.MustCompile(`name="ids" value="(\d+)"`).FindAllStringSubmatch(page, -1)
	require.Len(t, undo, 2, "the older rule has been changed since")
	for _, m := range undo {
		v.Post("/changes/undo", url.Values{"ids": {m[1]}, "back": {consoletest.PathOf(j)}})
	}
	page = v.Text(consoletest.PathOf(j) + "?tab=alarms")
	assert.Contains(t, page, "1 min 30 s")
	assert.NotContains(t, page, "deploy")
}

// TestBulkUndo: many jobs are put back with one click, and no one else's.
func TestBulkUndo(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	mine, theirs := w.Group("mine", "Mine", ""), w.Group("theirs", "Theirs", "")
	form := url.Values{"do": {"start"}}
	var jobs []*model.Job
	for i := range 60 {
		jobs = append(jobs, w.Job(mine, "j"+strconv.Itoa(i)))
		form.Add("id", strconv.Itoa(int(jobs[i].ID)))
	}
	v := w.As(w.User("lin", false, strconv.Itoa(int(mine))))
	v.Post("/jobs/bulk", form)
	page := v.Text("/jobs")
	assert.Contains(t, page, "Started jobs: 60.")
	v.UndoForm(page)
	assert.Contains(t, v.Text("/jobs"), "Undone: 60.")
	for _, j := range jobs {
		assert.False(t, w.Load(j.ID).Running)
	}

	foreign := w.Job(theirs, "foreign")
	a := w.As(w.Admin)
	a.Post(consoletest.PathOf(foreign)+"/start", nil)
	changes, err := w.DB.Changes(t.Context(), model.ChangeJob, foreign.ID, 1, 0)
	require.NoError(t, err)
	v.Post("/changes/undo", url.Values{"ids": {strconv.FormatInt(changes[0].ID, 10)}, "back": {"//evil"}})
	assert.True(t, w.Load(foreign.ID).Running)
	assert.Contains(t, v.Text("/jobs"), "Refused: 1.")
	v.Post("/changes/undo", url.Values{"ids": {"x,-1,0,5-3,9-x"}})
	assert.Contains(t, v.Text("/jobs"), "There is nothing to undo.")
	v.Post("/changes/undo", url.Values{"ids": {"1-99999999999"}})
	assert.Contains(t, v.Text("/jobs"), "Undone: ")
}

// TestHistory: who has changed what, field by field, and as text.
func TestHistory(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	g := w.Group("golden", "gold", "")
	assert.Contains(t, v.Text(consoletest.PathOf(w.Job(g, "quiet"))+"?tab=history"), "No change is on record")
	rec := v.Post("/jobs/new", url.Values{
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
		j := w.Load(int32(id))
		change(j)
		require.NoError(t, w.Ops.UpdateJob(t.Context(), ops.UserPrincipal(w.Admin), j))
	}
	edited(func(j *model.Job) { j.Param = model.T("one\n2" + consoletest.Evil + "\nthree") })
	edited(func(j *model.Job) { j.TimeoutSec, j.Route = 90, model.RouteFailover })
	page := v.Text(at + "?tab=history")
	for _, want := range []string{
		"created", "edited", "admin", "<ins>90 s</ins>", "<del>none</del>", `<td class="line">two</td>`, "<del>First</del>",
	} {
		assert.Contains(t, page, want)
	}
	raw := v.Get(at + "?tab=history").Body.String()
	assert.NotContains(t, raw, "<script>alert")
	assert.Contains(t, raw, "2&#34;&gt;&lt;script&gt;")

	// The first edit can only be taken back together with the later one.
	changes, err := w.DB.Changes(t.Context(), model.ChangeJob, int32(id), 10, 0)
	require.NoError(t, err)
	require.Len(t, changes, 3)
	assert.Contains(t, page, "Later edits go too")
	first := url.Values{"ids": {strconv.FormatInt(changes[1].ID, 10)}, "back": {at + "?tab=history"}}
	v.Post("/changes/undo", first)
	assert.Contains(t, v.Text(at), "It has been changed since")
	first.Set("force", "1")
	assert.Equal(t, at+"?tab=history", v.Post("/changes/undo", first).Header().Get("Location"))
	assert.Equal(t, "one\ntwo\nthree", w.Load(int32(id)).Param.S)
	assert.Zero(t, w.Load(int32(id)).TimeoutSec)

	for range 20 { // as many as a page has
		edited(func(j *model.Job) { j.Retries++ })
	}
	page = v.Text(at + "?tab=history")
	_, next, ok := strings.Cut(page, `rel="next" href="`)
	require.True(t, ok)
	next, _, _ = strings.Cut(next, `"`)
	page = v.Text(next)
	assert.Contains(t, page, "created")
	assert.Contains(t, page, "Newest")
	other := w.As(w.User("silver1", false, "999"))
	assert.Equal(t, http.StatusForbidden, other.Get(at+"?tab=history").Code)
}
