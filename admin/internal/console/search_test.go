package console_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestSearch finds jobs, runs, executors, pages, and what can be done with jobs.
func TestSearch(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	orders := w.Group("orders", "Orders", "")
	settle := w.Job(orders, "settle-orders")
	w.Job(orders, "run away")
	run := w.Run(settle, consoletest.Noon.Add(-time.Minute), time.Second, 200, "")
	v := w.As(w.Admin)
	job, id := consoletest.PathOf(settle), strconv.Itoa(int(settle.ID))
	for q, want := range map[string][]string{
		"run settle":               {job + "?do=run"},
		"RUN  Settle-Orders":       {job + "?do=run"},
		"run #" + id:               {job + "?do=run"},
		"start settle":             {job + "?do=start"},
		"stop settle":              nil, // it is stopped
		"edit settle":              {job + "/edit"},
		"remove settle":            {job + "/delete"},
		"run":                      {parts.PathOfJob(settle.ID + 1), "/runs"}, // a name, and a title
		"runsettle":                nil,
		"#" + id:                   {"/runs/" + id, job},
		strconv.Itoa(int(1 << 40)): nil,
		"orders":                   {job, parts.ExecutorPath(orders)},
		"audit":                    {"/settings/audit"},
		"import":                   {"/jobs/import"},
		"<b>":                      nil,
	} {
		part := v.Text("/search?part=1&q=" + url.QueryEscape(q))
		for _, path := range want {
			assert.Contains(t, part, `href="`+path+`"`, q)
		}
		if want == nil {
			assert.NotContains(t, part, "href=", q)
		}
	}
	assert.Equal(t, "1", strconv.FormatInt(run, 10), "the run has the id of the job")
	assert.Equal(t, job+"?do=run", v.Get("/search?q=run+settle").Header().Get("Location"))
	assert.Contains(t, v.Text(job+"?do=run"), `<details class="confirm" open>`)
	assert.Regexp(t, `/start"><input[^>]*><button autofocus>`, v.Text(job+"?do=start"))
	assert.NotContains(t, v.Text(job+"?do=start&part=now"), "autofocus", "the focus stays where it is")
	assert.NotContains(t, v.Text(job+"?do=start"), "do=start&part")

	// In Chinese a name may follow at once, and English verbs are understood.
	v.Send(http.MethodPost, "/prefs", "lang=zh-CN&back=%2F")
	for _, q := range []string{"执行settle", "运行 settle", "run settle"} {
		assert.Contains(t, v.Text("/search?part=1&q="+url.QueryEscape(q)), "立即执行“settle-orders”", q)
	}
	assert.Contains(t, v.Text("/search?part=1&q="+url.QueryEscape("操作")), `href="/settings/audit"`)

	// Nobody is offered what is refused then.
	viewer := w.As(w.Member("vera", model.RoleViewer, orders))
	for _, q := range []string{"run settle", "edit settle", "audit", "import"} {
		assert.NotContains(t, viewer.Text("/search?part=1&q="+url.QueryEscape(q)), "href=", q)
	}
	stranger := w.As(w.User("stranger", false, ""))
	for _, q := range []string{"settle", "1", "orders"} {
		assert.NotContains(t, stranger.Text("/search?part=1&q="+url.QueryEscape(q)), "href=", q)
	}
}
