package jobpages_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestPagesRender: every page of jobs is there in every language and under both
// context paths, with nothing, with something, and with what is meant to break
// it; and what people and executors wrote stays text.
func TestPagesRender(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	for _, target := range []string{"/", "/jobs", "/jobs/new"} {
		v.Text(target)
	}
	group := w.Group("golden", "gold<script>alert(3)</script>", "http://10.0.0.1:9999/")
	child := w.Job(group, "child"+consoletest.Evil)
	long := strings.Repeat("名", 85)
	j := w.Job(group, consoletest.Evil+long, func(j *model.Job) {
		j.Author, j.Param, j.Handler = model.T(consoletest.Evil), model.T(consoletest.Evil), model.T(consoletest.Evil)
		j.ScheduleConf, j.AlarmEmail = model.T("0 0/5 * * * ?"), model.T(consoletest.Evil)
		j.Children = model.T(strconv.Itoa(int(child.ID)) + ",999")
		j.Running, j.NextMs = true, consoletest.Noon.Add(time.Minute).UnixMilli()
	})
	for i := range 60 {
		code := model.CodeSuccess
		if i%7 == 0 {
			code = model.CodeFail
		}
		w.Run(j, consoletest.Noon.Add(time.Duration(i-70)*time.Minute), time.Duration(i)*time.Second, code, consoletest.Evil)
	}
	w.Run(j, consoletest.Noon.Add(-time.Minute), 0, 0, "")
	w.Job(9999, "of a group that is gone")
	broken := w.Job(group, "broken", func(j *model.Job) { j.ScheduleConf = model.T("no cron " + consoletest.Evil) })

	targets := []string{
		"/help", "/settings", "/settings/users", "/settings/users/new", "/settings/audit", "/settings/about", "/", "/jobs",
		"/jobs?name=" + url.QueryEscape(consoletest.Evil), "/jobs/new", "/search?q=" + url.QueryEscape(consoletest.Evil),
	}
	for _, one := range []*model.Job{j, child, broken} {
		for _, tail := range []string{"", "?tab=times", "?tab=children", "?tab=settings", "?tab=history", "?tab=alarms", "/edit"} {
			targets = append(targets, consoletest.PathOf(one)+tail)
		}
	}
	targets = append(targets, "/jobs/new?from="+strconv.Itoa(int(j.ID)))
	for _, lang := range web.LangNames {
		v.Cookies[web.LangCookie] = lang.Code
		for _, target := range targets {
			rec := v.Get(target)
			require.Equal(t, http.StatusOK, rec.Code, "%s in %s", target, lang.Code)
			body := rec.Body.String()
			assert.NotContains(t, body, "<script>", target)
			assert.NotContains(t, body, "<img src=x", target)
			assert.NotContains(t, body, "ZgotmplZ", target)
			assert.NotRegexp(t, `\b(job|jobs|edit|run|home|nav|error)\.[a-z]+\.?[a-z]*<`, body, "a key that has no text: %s", target)
			assert.Contains(t, body, `<html lang="`+lang.Code+`"`)
		}
	}
	assert.Contains(t, v.Get("/xxl-job-admin"+consoletest.PathOf(j)).Body.String(), `action="/xxl-job-admin`+consoletest.PathOf(j)+`/run"`)
}

func TestJobsAreFilteredAndPaged(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	gold, silver := w.Group("golden", "gold", ""), w.Group("silver", "silver", "")
	for i := range 60 {
		w.Job(gold, "g"+strconv.Itoa(i))
	}
	w.Job(silver, "only-silver", func(j *model.Job) { j.Running = true })
	first := v.Text("/jobs")
	assert.Contains(t, first, "1–50 of 61")
	next := consoletest.Links(t, first, "next")
	second := v.Text(next)
	assert.Contains(t, second, "51–61 of 61")
	assert.NotContains(t, second, `rel="next"`)
	assert.Contains(t, v.Text(consoletest.Links(t, second, "prev")), "1–50 of 61")
	page := v.Text("/jobs?group=" + strconv.Itoa(int(silver)))
	assert.Contains(t, page, "1–1 of 1")
	assert.Contains(t, page, "only-silver")
	assert.Contains(t, v.Text("/jobs?state=started"), "1–1 of 1")
	assert.Contains(t, v.Text("/jobs?state=stopped"), "1–50 of 60")
	assert.Contains(t, v.Text("/jobs?name=g59"), "1–1 of 1")
	assert.Contains(t, v.Text("/jobs?name=nothing"), "No job matches the filter")

	// Who has permission on one group sees that one alone.
	other := w.As(w.User("silver1", false, strconv.Itoa(int(silver))))
	page = other.Text("/jobs")
	assert.Contains(t, page, "1–1 of 1")
	assert.NotContains(t, page, "gold")
	assert.Contains(t, w.As(w.User("nobody1", false, "")).Text("/jobs"), "no permission on any executor")
	assert.Contains(t, consoletest.New(t).EmptyList(), "There is no executor yet: connect one first", "an administrator may all")
}

// TestForeignJobs: nobody reads or changes what belongs to somebody else.
func TestForeignJobs(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	gold, silver := w.Group("golden", "gold", ""), w.Group("silver", "silver", "")
	j := w.Job(gold, "not yours")
	v := w.As(w.User("silver1", false, strconv.Itoa(int(silver))))
	for _, tail := range []string{"", "?tab=settings", "?tab=history", "?tab=alarms", "/edit"} {
		rec := v.Get(consoletest.PathOf(j) + tail)
		assert.Equal(t, http.StatusForbidden, rec.Code, tail)
		assert.NotContains(t, rec.Body.String(), "not yours", tail)
	}
	assert.Equal(t, http.StatusForbidden, v.Get("/jobs/new?from="+strconv.Itoa(int(j.ID))).Code)
	for _, tail := range []string{"/start", "/run", "/delete", "/stop"} {
		assert.Equal(t, http.StatusSeeOther, v.Post(consoletest.PathOf(j)+tail, nil).Code, tail)
		assert.Contains(t, v.Text("/jobs"), "does not allow this", tail)
	}
	assert.Equal(t, http.StatusForbidden, v.Post(consoletest.PathOf(j)+"/edit", url.Values{}).Code)
	v.Post("/jobs/bulk", url.Values{"do": {"start"}, "id": {strconv.Itoa(int(j.ID))}})
	now, err := w.DB.Job(t.Context(), j.ID)
	require.NoError(t, err)
	assert.False(t, now.Running)
	assert.Empty(t, w.Parts.Calls)
	assert.Equal(t, http.StatusNotFound, w.As(w.Admin).Get("/jobs/4711").Code)
	assert.Equal(t, http.StatusNotFound, w.As(w.Admin).Get("/jobs/x").Code)
}

func TestActionsOfAJob(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	group := w.Group("golden", "gold", "http://10.0.0.1:9999/")
	j := w.Job(group, "settle")
	rec := v.Post(consoletest.PathOf(j)+"/start", nil)
	assert.Equal(t, consoletest.PathOf(j), rec.Header().Get("Location"))
	page := v.Text(consoletest.PathOf(j))
	assert.Contains(t, page, "The job is started.")
	assert.NotContains(t, v.Text(consoletest.PathOf(j)), "The job is started.", "said once")
	v.Post(consoletest.PathOf(j)+"/stop", url.Values{"back": {"//evil.example"}})
	assert.Contains(t, v.Text(consoletest.PathOf(j)), "The job is stopped")

	v.Post(consoletest.PathOf(j)+"/run", url.Values{"param": {"a\r\nb"}, "address": {"http://10.0.0.1:9999"}})
	assert.Contains(t, v.Text(consoletest.PathOf(j)), "Runs on their way: 1")
	assert.Equal(t, "a\nb", *w.Parts.In.Param)
	assert.Equal(t, []string{"http://10.0.0.1:9999/"}, w.Parts.In.Addresses)
	v.Post(consoletest.PathOf(j)+"/run", url.Values{"address": {"http://evil.example/"}})
	assert.Contains(t, v.Text(consoletest.PathOf(j)), "is no address of the job")
	assert.Equal(t, "/jobs", v.Post(consoletest.PathOf(j)+"/delete", nil).Header().Get("Location"))
	assert.Contains(t, v.Text("/jobs"), "Deleted jobs: 1")
	assert.Contains(t, v.Text(consoletest.PathOf(j)), "Deleted by admin,")
}

func TestBulk(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	group := w.Group("golden", "gold", "")
	a, b := w.Job(group, "a-job"), w.Job(group, "b-job", func(j *model.Job) { j.ScheduleType = model.ScheduleNone })
	ids := []string{strconv.Itoa(int(a.ID)), strconv.Itoa(int(b.ID))}
	v.Post("/jobs/bulk", url.Values{"do": {"start"}, "id": ids, "back": {"/jobs?name=job"}})
	assert.Contains(t, v.Text("/jobs"), "Started jobs: 1. Refused: 1. #"+ids[1])
	rec := v.Post("/jobs/bulk", url.Values{"do": {"run"}, "id": ids})
	assert.Contains(t, rec.Body.String(), "Run 2 jobs now?", "it asks first")
	v.Post("/jobs/bulk", url.Values{"do": {"run"}, "id": ids, "sure": {"1"}})
	assert.Contains(t, v.Text("/jobs"), "Jobs that run now: 2")
	rec = v.Post("/jobs/bulk", url.Values{"do": {"delete"}, "id": ids})
	assert.Equal(t, http.StatusOK, rec.Code, "it asks first")
	assert.Contains(t, rec.Body.String(), "a-job")
	assert.Contains(t, rec.Body.String(), "Still started: 1.")
	v.Post("/jobs/bulk", url.Values{"do": {"delete"}, "id": ids, "sure": {"1"}})
	assert.Contains(t, v.Text("/jobs"), "There is no job yet")
	v.Post("/jobs/bulk", url.Values{"do": {"start"}})
	assert.Contains(t, v.Text("/jobs"), "No job is selected")
	v.Post("/jobs/bulk", url.Values{"do": {"explode"}, "id": ids})
	assert.Contains(t, v.Text("/jobs"), "try again")
}
