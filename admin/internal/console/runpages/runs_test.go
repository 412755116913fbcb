package runpages_test

import (
	"errors"
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
	"github.com/xxljob-go/xxljob/admin/internal/console/runpages"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

func TestRunsList(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	assert.Contains(t, v.Text("/runs"), "There is no run yet")
	g := w.Group("orders", "Orders", "http://10.0.0.1:9999/")
	j := w.Job(g, "settle-orders")
	other := w.Job(g, "report")
	ok := w.Run(j, consoletest.Noon.Add(-time.Minute), 2*time.Second, 200, "")
	bad := w.Run(other, consoletest.Noon.Add(-time.Second*50), time.Second, 500, "boom\nat step 3")
	open := w.Run(j, consoletest.Noon.Add(-time.Second*5), 0, 0, "")

	page := v.Text("/runs")
	for _, want := range []string{
		consoletest.RunPath(ok), consoletest.RunPath(bad), consoletest.RunPath(open), "settle-orders", "boom at step 3", "2 s", "5 s …", "● live", "3 in all",
	} {
		assert.Contains(t, page, want)
	}
	for filter, want := range map[string]int64{
		"result=failed": bad, "result=running": open, "result=ok": ok, "text=BOOM": bad, "min=2": ok,
		"job=" + strconv.Itoa(int(other.ID)): bad, "job=%23" + strconv.Itoa(int(other.ID)): bad,
		"job=report": bad, "job=EPOR": bad, "job=nobody": 0, "job=report&sort=started": bad, "max=1&result=failed": bad, "from=2026-11-21T12:00": 0,
		"from=2026-11-21T11:59&to=2026-11-21T11:59&result=ok": ok, "address=10.0.0.9": 0,
	} {
		page := v.Text("/runs?" + filter)
		for _, id := range []int64{ok, bad, open} {
			assert.Equal(t, id == want, strings.Contains(page, `href="`+consoletest.RunPath(id)+`"`), "%s: %d", filter, id)
		}
		if want == 0 {
			assert.Contains(t, page, "No run matches")
		}
	}
	for filter, field := range map[string]string{"min=x": "Shortest", "from=yesterday": "From", "result=odd": "Result", "max=-1": "Longest"} {
		assert.Contains(t, v.Text("/runs?"+filter), field)
		assert.Contains(t, v.Text("/runs?"+filter), "is not a value that it can have")
	}
	part := v.Text("/runs?part=1")
	assert.True(t, strings.HasPrefix(part, "<tr"), part)
	assert.NotContains(t, part, "<html")
	assert.Contains(t, v.Text("/xxl-job-admin/runs"), `href="/xxl-job-admin`+consoletest.RunPath(ok)+`"`)
}

// TestRunsOldestFirst: the head of the column of times turns the order round and
// keeps the filter, and the pages go on in it.
func TestRunsOldestFirst(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("orders", "Orders", ""), "settle")
	var ids []int64
	for i := range runpages.RunsPerPage + 5 {
		ids = append(ids, w.Run(j, consoletest.Noon.Add(time.Duration(i-200)*time.Second), time.Second, 200, ""))
	}
	v := w.As(w.Admin)
	page := v.Text("/runs?job=settle")
	assert.Contains(t, page, `aria-sort="descending"><a href="/runs?job=settle&sort=started"`)
	for _, from := range []string{"", "&from=2026-01-01T00:00"} {
		page = v.Text("/runs?job=settle&sort=started" + from)
		assert.Contains(t, page, `aria-sort="ascending"><a href="/runs?`)
		assert.NotContains(t, page, `id="runs" data-live`, "what comes anew stands on the last page")
		assert.Less(t, strings.Index(page, consoletest.RunPath(ids[0])), strings.Index(page, consoletest.RunPath(ids[1])))
		assert.NotContains(t, page, consoletest.RunPath(ids[runpages.RunsPerPage])+`"`)
		next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(page)
		require.NotNil(t, next)
		second := v.Text(next[1])
		assert.Contains(t, second, consoletest.RunPath(ids[runpages.RunsPerPage])+`"`)
		assert.Contains(t, second, "Oldest</a>")
	}
}

// TestRunsByName: a name that too many jobs have in theirs is refused with words,
// and the field suggests the names that the user may see.
func TestRunsByName(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	g := w.Group("orders", "Orders", "")
	for range model.RunJobsMax + 1 {
		w.Job(g, "many")
	}
	marker := w.Job(g, `<b id="x">m`)
	hidden := w.Job(w.Group("gold", "Gold", ""), "hidden")
	v := w.As(w.Admin)
	assert.Contains(t, v.Text("/runs?job=man"), "More than 512 jobs have “man” in their names")
	names := v.Text("/jobs?part=names&name=b+id")
	assert.Contains(t, names, `<option value="<b id="x">m">Orders · #`+strconv.Itoa(int(marker.ID))+`</option>`)
	assert.Equal(t, 20, strings.Count(v.Text("/jobs?part=names&name=man"), "<option"))
	assert.Contains(t, v.Text("/jobs?part=names&name=hidd"), strconv.Itoa(int(hidden.ID)))
	member := w.As(w.User("member", false, strconv.Itoa(int(g))))
	assert.Empty(t, strings.TrimSpace(member.Text("/jobs?part=names&name=hidd")))
	assert.NotContains(t, member.Text("/runs?job=hidden"), "data-row")
}

func TestRunsPaging(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("orders", "Orders", ""), "settle")
	var ids []int64
	for i := range runpages.RunsPerPage + 5 {
		ids = append(ids, w.Run(j, consoletest.Noon.Add(time.Duration(i-200)*time.Second), time.Second, 200, ""))
	}
	v := w.As(w.Admin)
	for _, filter := range []string{"", "from=2026-11-21T11:00"} {
		page := v.Text("/runs?" + filter)
		assert.Contains(t, page, "55 in all")
		assert.NotContains(t, page, `href="`+consoletest.RunPath(ids[4])+`"`)
		_, next, ok := strings.Cut(page, `rel="next" href="`)
		require.True(t, ok)
		next, _, _ = strings.Cut(next, `"`)
		page = v.Text(next)
		assert.Contains(t, page, `href="`+consoletest.RunPath(ids[4])+`"`)
		assert.Contains(t, page, `href="`+consoletest.RunPath(ids[0])+`"`)
		assert.NotContains(t, page, `href="`+consoletest.RunPath(ids[5])+`"`)
		assert.Contains(t, page, "Newest")
		assert.NotContains(t, page, `id="live"`)
	}
}

func TestRunPage(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	w.Parts.Text = func(req wire.LogRequest) (wire.LogResult, error) {
		if req.FromLineNum > 2 {
			return wire.LogResult{FromLineNum: req.FromLineNum, ToLineNum: req.FromLineNum - 1}, nil
		}
		return wire.LogResult{FromLineNum: req.FromLineNum, ToLineNum: 2, LogContent: "one\n\x1b[31mtwo\n"}, nil
	}
	j := w.Job(w.Group("orders", "Orders", "http://10.0.0.1:9999/"), "settle-orders")
	v := w.As(w.Admin)
	ok := w.Run(j, consoletest.Noon.Add(-time.Minute), 2*time.Second, 200, "all 12 settled")
	page := v.Text(consoletest.RunPath(ok))
	for _, want := range []string{
		"settle-orders", "The executor has reported success.", "all 12 settled", `class="tag">2 s in all<`, "2026-11-21 11:59:00 UTC", "Run again",
		`<span class="af31">two</span>`, `data-next="3"`, "no time reported",
	} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "Kill run")

	open := w.Run(j, consoletest.Noon.Add(-time.Second), 0, 0, "")
	page = v.Text(consoletest.RunPath(open))
	assert.Contains(t, page, "has not reported yet")
	assert.Contains(t, page, "?line=3#log", "without JavaScript one reads on by hand")
	assert.Contains(t, page, "http://10.0.0.1:9999/ is asked to stop")
	assert.NotContains(t, page, "Run again</button>")
	rec := v.Post(consoletest.RunPath(open)+"/kill", nil)
	assert.Equal(t, consoletest.RunPath(open), rec.Header().Get("Location"))
	assert.Contains(t, w.Parts.Calls, "kill http://10.0.0.1:9999/")
	page = v.Text(consoletest.RunPath(open))
	assert.Contains(t, page, "Asked to stop")
	assert.Contains(t, page, "Run again")
	rec = v.Post(consoletest.RunPath(open)+"/retry", nil)
	require.Equal(t, http.StatusSeeOther, rec.Code)
	assert.NotEqual(t, consoletest.RunPath(open), rec.Header().Get("Location"))
	assert.Contains(t, v.Text(rec.Header().Get("Location")), "this is the new run of "+strconv.FormatInt(open, 10))

	w.Parts.Text = func(wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{}, errors.New("connection refused")
	}
	assert.Contains(t, v.Text(consoletest.RunPath(ok)), "connection refused")
	assert.Equal(t, http.StatusNotFound, v.Get("/runs/999999").Code)
	assert.Equal(t, http.StatusNotFound, v.Get("/runs/x").Code)
}

func TestRunThatWasNotSent(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("orders", "Orders", ""), "settle")
	r := &model.Run{JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, TriggerMs: consoletest.Noon.UnixMilli(), ShardTotal: 1}
	require.NoError(t, w.DB.CreateRuns(t.Context(), []*model.Run{r}))
	require.NoError(t, w.Parts.Results(t.Context(), []*model.Outcome{{LogID: r.LogID, Trigger: &model.TriggerResult{
		Code: model.CodeFail, Msg: "机器：a<br>响应：error, nobody &lt;is&gt; there", AtMs: consoletest.Noon.UnixMilli(),
	}}}))
	v := w.As(w.Admin)
	page := v.Text(consoletest.RunPath(r.LogID))
	assert.Contains(t, page, "nobody <is> there")
	assert.Contains(t, page, "No executor has run it")
	assert.NotContains(t, page, "data-stream")
	assert.Contains(t, v.Text("/runs"), "nobody <is> there")
}

func TestRunsAreTheGroups(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	mine, theirs := w.Group("mine", "Mine", ""), w.Group("theirs", "Theirs", "")
	a, b := w.Run(w.Job(mine, "a"), consoletest.Noon, 0, 200, ""), w.Run(w.Job(theirs, "b"), consoletest.Noon, 0, 0, "")
	v := w.As(w.User("lin", false, strconv.Itoa(int(mine))))
	page := v.Text("/runs")
	assert.Contains(t, page, `href="`+consoletest.RunPath(a)+`"`)
	assert.NotContains(t, page, `href="`+consoletest.RunPath(b)+`"`)
	for _, path := range []string{"", "/log", "/log/stream"} {
		assert.Equal(t, http.StatusForbidden, v.Get(consoletest.RunPath(b)+path).Code, path)
	}
	assert.Equal(t, http.StatusForbidden, v.Get("/runs?group="+strconv.Itoa(int(theirs))).Code)
	rec := v.Post("/runs/bulk", url.Values{"do": {"kill"}, "id": {strconv.FormatInt(b, 10)}})
	assert.Equal(t, http.StatusSeeOther, rec.Code)
	assert.Contains(t, v.Text("/runs"), "Refused: 1.")
	assert.Empty(t, w.Parts.Calls)
	rec = v.Post("/runs/bulk", url.Values{"do": {"retry"}, "id": {strconv.FormatInt(a, 10), "x"}, "back": {"//evil"}})
	assert.Equal(t, "/runs", rec.Header().Get("Location"))
	assert.Contains(t, v.Text("/runs"), "Runs started again: 1.")
	v.Post("/runs/bulk", url.Values{"do": {"retry"}})
	assert.Contains(t, v.Text("/runs"), "No run is selected.")
	assert.Equal(t, http.StatusForbidden, v.Send(http.MethodPost, "/runs/bulk", "do=retry").Code, "without the token")
}

func TestLogStream(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	var asked []int32
	w.Parts.Text = func(req wire.LogRequest) (wire.LogResult, error) {
		asked = append(asked, req.FromLineNum)
		return wire.LogResult{FromLineNum: req.FromLineNum, ToLineNum: req.FromLineNum + 1, LogContent: "<b>\nb\n", IsEnd: true}, nil
	}
	j := w.Job(w.Group("orders", "Orders", "http://10.0.0.1:9999/"), "settle")
	id := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 500, "boom")
	v := w.As(w.Admin)
	rec := v.Get(consoletest.RunPath(id) + "/log/stream?from=3")
	assert.Equal(t, "text/event-stream;charset=UTF-8", rec.Header().Get("Content-Type"))
	assert.Equal(t, "no", rec.Header().Get("X-Accel-Buffering"))
	assert.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	body := rec.Body.String()
	assert.True(t, rec.Flushed)
	assert.Contains(t, body, "retry: 3000\n\nid: 5\nevent: lines\ndata: {")
	assert.NotContains(t, body, "<b>")
	assert.Contains(t, body, "event: end\ndata: {\"kind\":\"bad\",\"text\":\"failed\"}\n\n")
	v.Header["Last-Event-ID"] = "9"
	v.Get(consoletest.RunPath(id) + "/log/stream?from=3")
	assert.Equal(t, []int32{3, 9}, asked, "a broken connection goes on where it was")

	w.Parts.Text = func(wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{}, errors.New("no route\nto <host>")
	}
	body = v.Get(consoletest.RunPath(id) + "/log/stream").Body.String()
	assert.Contains(t, body, `event: problem`+"\n"+`data: {"kind":"lost","text":"The executor does not answer, trying again: `)
	assert.Contains(t, body, `event: end`, "who waits for the end of the run hears of it")
	assert.Zero(t, w.Server.Streams.Callers(), "places are given back")
	for range web.StreamsPerUser {
		_, ok := w.Server.Streams.Enter(w.Admin.ID)
		require.True(t, ok)
	}
	assert.Equal(t, http.StatusTooManyRequests, v.Get(consoletest.RunPath(id)+"/log/stream").Code)
	assert.Equal(t, http.StatusSeeOther, w.As(nil).Get(consoletest.RunPath(id)+"/log/stream").Code)
}

func TestLogDownload(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	w.Parts.Text = func(req wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{
			FromLineNum: req.FromLineNum, ToLineNum: req.FromLineNum, IsEnd: req.FromLineNum == 3,
			LogContent: "\x1b[1m<line> " + strconv.Itoa(int(req.FromLineNum)) + "\n",
		}, nil
	}
	id := w.Run(w.Job(w.Group("orders", "Orders", ""), "settle"), consoletest.Noon, time.Second, 200, "")
	rec := w.As(w.Admin).Get(consoletest.RunPath(id) + "/log")
	assert.Equal(t, "\x1b[1m<line> 1\n\x1b[1m<line> 2\n\x1b[1m<line> 3\n", rec.Body.String(), "as the executor has it")
	assert.Equal(t, "text/plain;charset=UTF-8", rec.Header().Get("Content-Type"))
	assert.Equal(t, `attachment; filename="run-`+strconv.FormatInt(id, 10)+`.log"`, rec.Header().Get("Content-Disposition"))
}

// TestRunPagesShowMarkersAsText puts markup wherever somebody can write.
func TestRunPagesShowMarkersAsText(t *testing.T) {
	t.Parallel()
	const marker = `"><script>marker()</script><img src=x onerror=marker()>`
	w := consoletest.New(t)
	w.Parts.Text = func(req wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{FromLineNum: req.FromLineNum, ToLineNum: 1, LogContent: marker, IsEnd: true}, nil
	}
	j := w.Job(w.Group("orders", marker, "http://10.0.0.1:9999/"), marker, func(j *model.Job) {
		j.Handler, j.Param = model.T(marker), model.T(marker)
	})
	id := w.Run(j, consoletest.Noon, time.Second, 500, marker)
	_, err := w.DB.Log(t.Context(), id)
	require.NoError(t, err)
	v := w.As(w.Admin)
	for _, path := range []string{
		"/runs", "/runs?text=" + url.QueryEscape(marker), "/runs?part=1", "/runs?address=" + url.QueryEscape(marker),
		"/runs?result=" + url.QueryEscape(marker), consoletest.RunPath(id), consoletest.RunPath(id) + "/log/stream",
	} {
		body := v.Get(path).Body.String()
		assert.NotContains(t, body, "<script>marker", path)
		assert.NotContains(t, body, "<img src=x", path)
	}
	assert.Contains(t, v.Get(consoletest.RunPath(id)).Body.String(), "&lt;script&gt;marker()")
}
