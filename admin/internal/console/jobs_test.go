package console

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// evil is what must never become markup, in a page or in an attribute.
const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>'{{.}}`

func pathOf(j *model.Job) string { return "/jobs/" + strconv.Itoa(int(j.ID)) }

// TestPagesRender: every page of jobs is there in every language and under both
// context paths, with nothing, with something, and with what is meant to break
// it; and what people and executors wrote stays text.
func TestPagesRender(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	for _, target := range []string{"/", "/jobs", "/jobs/new"} {
		v.text(target)
	}
	group := w.group("golden", "gold<script>alert(3)</script>", "http://10.0.0.1:9999/")
	child := w.job(group, "child"+evil)
	long := strings.Repeat("名", 85)
	j := w.job(group, evil+long, func(j *model.Job) {
		j.Author, j.Param, j.Handler = model.T(evil), model.T(evil), model.T(evil)
		j.ScheduleConf, j.AlarmEmail = model.T("0 0/5 * * * ?"), model.T(evil)
		j.Children = model.T(strconv.Itoa(int(child.ID)) + ",999")
		j.Running, j.NextMs = true, noon.Add(time.Minute).UnixMilli()
	})
	for i := range 60 {
		code := model.CodeSuccess
		if i%7 == 0 {
			code = model.CodeFail
		}
		w.run(j, noon.Add(time.Duration(i-70)*time.Minute), time.Duration(i)*time.Second, code, evil)
	}
	w.run(j, noon.Add(-time.Minute), 0, 0, "")
	w.job(9999, "of a group that is gone")
	broken := w.job(group, "broken", func(j *model.Job) { j.ScheduleConf = model.T("no cron " + evil) })

	targets := []string{
		"/help", "/settings", "/settings/users", "/settings/users/new", "/settings/audit", "/settings/about", "/", "/jobs",
		"/jobs?name=" + url.QueryEscape(evil), "/jobs/new", "/search?q=" + url.QueryEscape(evil),
	}
	for _, one := range []*model.Job{j, child, broken} {
		for _, tail := range []string{"", "?tab=times", "?tab=children", "?tab=settings", "?tab=history", "?tab=alarms", "/edit"} {
			targets = append(targets, pathOf(one)+tail)
		}
	}
	targets = append(targets, "/jobs/new?from="+strconv.Itoa(int(j.ID)))
	for _, lang := range langNames {
		v.cookies[langCookie] = lang.code
		for _, target := range targets {
			rec := v.get(target)
			require.Equal(t, http.StatusOK, rec.Code, "%s in %s", target, lang.code)
			body := rec.Body.String()
			assert.NotContains(t, body, "<script>", target)
			assert.NotContains(t, body, "<img src=x", target)
			assert.NotContains(t, body, "ZgotmplZ", target)
			assert.NotRegexp(t, `\b(job|jobs|edit|run|home|nav|error)\.[a-z]+\.?[a-z]*<`, body, "a key that has no text: %s", target)
			assert.Contains(t, body, `<html lang="`+lang.code+`"`)
		}
	}
	assert.Contains(t, v.get("/xxl-job-admin"+pathOf(j)).Body.String(), `action="/xxl-job-admin`+pathOf(j)+`/run"`)
}

func TestJobsAreFilteredAndPaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	gold, silver := w.group("golden", "gold", ""), w.group("silver", "silver", "")
	for i := range 60 {
		w.job(gold, "g"+strconv.Itoa(i))
	}
	w.job(silver, "only-silver", func(j *model.Job) { j.Running = true })
	first := v.text("/jobs")
	assert.Contains(t, first, "1–50 of 61")
	next := links(t, first, "next")
	second := v.text(next)
	assert.Contains(t, second, "51–61 of 61")
	assert.NotContains(t, second, `rel="next"`)
	assert.Contains(t, v.text(links(t, second, "prev")), "1–50 of 61")
	page := v.text("/jobs?group=" + strconv.Itoa(int(silver)))
	assert.Contains(t, page, "1–1 of 1")
	assert.Contains(t, page, "only-silver")
	assert.Contains(t, v.text("/jobs?state=started"), "1–1 of 1")
	assert.Contains(t, v.text("/jobs?state=stopped"), "1–50 of 60")
	assert.Contains(t, v.text("/jobs?name=g59"), "1–1 of 1")
	assert.Contains(t, v.text("/jobs?name=nothing"), "No job matches the filter")

	// Who has permission on one group sees that one alone.
	other := w.as(w.user("silver1", false, strconv.Itoa(int(silver))))
	page = other.text("/jobs")
	assert.Contains(t, page, "1–1 of 1")
	assert.NotContains(t, page, "gold")
	assert.Contains(t, w.as(w.user("nobody1", false, "")).text("/jobs"), "no permission on any executor")
	assert.Contains(t, newWorld(t).emptyList(), "There is no executor yet: connect one first", "an administrator may all")
}

// TestForeignJobs: nobody reads or changes what belongs to somebody else.
func TestForeignJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gold, silver := w.group("golden", "gold", ""), w.group("silver", "silver", "")
	j := w.job(gold, "not yours")
	v := w.as(w.user("silver1", false, strconv.Itoa(int(silver))))
	for _, tail := range []string{"", "?tab=settings", "?tab=history", "?tab=alarms", "/edit"} {
		rec := v.get(pathOf(j) + tail)
		assert.Equal(t, http.StatusForbidden, rec.Code, tail)
		assert.NotContains(t, rec.Body.String(), "not yours", tail)
	}
	assert.Equal(t, http.StatusForbidden, v.get("/jobs/new?from="+strconv.Itoa(int(j.ID))).Code)
	for _, tail := range []string{"/start", "/run", "/delete", "/stop"} {
		assert.Equal(t, http.StatusSeeOther, v.post(pathOf(j)+tail, nil).Code, tail)
		assert.Contains(t, v.text("/jobs"), "does not allow this", tail)
	}
	assert.Equal(t, http.StatusForbidden, v.post(pathOf(j)+"/edit", url.Values{}).Code)
	v.post("/jobs/bulk", url.Values{"do": {"start"}, "id": {strconv.Itoa(int(j.ID))}})
	now, err := w.db.Job(t.Context(), j.ID)
	require.NoError(t, err)
	assert.False(t, now.Running)
	assert.Empty(t, w.parts.calls)
	assert.Equal(t, http.StatusNotFound, w.as(w.admin).get("/jobs/4711").Code)
	assert.Equal(t, http.StatusNotFound, w.as(w.admin).get("/jobs/x").Code)
}

func TestActionsOfAJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	group := w.group("golden", "gold", "http://10.0.0.1:9999/")
	j := w.job(group, "settle")
	rec := v.post(pathOf(j)+"/start", nil)
	assert.Equal(t, pathOf(j), rec.Header().Get("Location"))
	page := v.text(pathOf(j))
	assert.Contains(t, page, "The job is started.")
	assert.NotContains(t, v.text(pathOf(j)), "The job is started.", "said once")
	v.post(pathOf(j)+"/stop", url.Values{"back": {"//evil.example"}})
	assert.Contains(t, v.text(pathOf(j)), "The job is stopped")

	v.post(pathOf(j)+"/run", url.Values{"param": {"a\r\nb"}, "address": {"http://10.0.0.1:9999"}})
	assert.Contains(t, v.text(pathOf(j)), "Runs on their way: 1")
	assert.Equal(t, "a\nb", *w.parts.in.Param)
	assert.Equal(t, []string{"http://10.0.0.1:9999/"}, w.parts.in.Addresses)
	v.post(pathOf(j)+"/run", url.Values{"address": {"http://evil.example/"}})
	assert.Contains(t, v.text(pathOf(j)), "not exist")
	assert.Equal(t, "/jobs", v.post(pathOf(j)+"/delete", nil).Header().Get("Location"))
	assert.Contains(t, v.text("/jobs"), "Deleted jobs: 1")
	assert.Contains(t, v.text(pathOf(j)), "Deleted by admin,")
}

func TestBulk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	group := w.group("golden", "gold", "")
	a, b := w.job(group, "a-job"), w.job(group, "b-job", func(j *model.Job) { j.ScheduleType = model.ScheduleNone })
	ids := []string{strconv.Itoa(int(a.ID)), strconv.Itoa(int(b.ID))}
	v.post("/jobs/bulk", url.Values{"do": {"start"}, "id": ids, "back": {"/jobs?name=job"}})
	assert.Contains(t, v.text("/jobs"), "Started jobs: 1. Refused: 1. #"+ids[1])
	rec := v.post("/jobs/bulk", url.Values{"do": {"run"}, "id": ids})
	assert.Contains(t, rec.Body.String(), "Run 2 jobs now?", "it asks first")
	v.post("/jobs/bulk", url.Values{"do": {"run"}, "id": ids, "sure": {"1"}})
	assert.Contains(t, v.text("/jobs"), "Jobs that run now: 2")
	rec = v.post("/jobs/bulk", url.Values{"do": {"delete"}, "id": ids})
	assert.Equal(t, http.StatusOK, rec.Code, "it asks first")
	assert.Contains(t, rec.Body.String(), "a-job")
	assert.Contains(t, rec.Body.String(), "Still started: 1.")
	v.post("/jobs/bulk", url.Values{"do": {"delete"}, "id": ids, "sure": {"1"}})
	assert.Contains(t, v.text("/jobs"), "There is no job yet")
	v.post("/jobs/bulk", url.Values{"do": {"start"}})
	assert.Contains(t, v.text("/jobs"), "No job is selected")
	v.post("/jobs/bulk", url.Values{"do": {"explode"}, "id": ids})
	assert.Contains(t, v.text("/jobs"), "try again")
}

func TestEditor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	group := strconv.Itoa(int(w.group("golden", "gold", "")))
	form := func(change ...string) url.Values {
		f := url.Values{
			"name": {"settle"}, "group": {group}, "author": {"lin"}, "type": {"BEAN"}, "handler": {"settle"}, "param": {"{}"},
			"schedule": {"CRON"}, "cron": {"0 0 3 * * ?"}, "zone": {"Asia/Shanghai"}, "misfire": {"DO_NOTHING"},
			"route": {"FIRST"}, "block": {"SERIAL_EXECUTION"}, "timeout": {"30"}, "retries": {"2"}, "children": {""}, "mail": {""},
		}
		for i := 0; i+1 < len(change); i += 2 {
			f.Set(change[i], change[i+1])
		}
		return f
	}
	for _, bad := range [][3]string{
		{"name", "", "must not be empty"},
		{"group", "", "Choose one"},
		{"handler", "", "has registered"},
		{"cron", "0 0 99 * * ?", "Hour (character 5)"},
		{"zone", "Mars/Phobos", "is no time zone"},
		{"timeout", "-1", "whole number, 0 or more"},
		{"children", "x", "No id of a job: x"},
		{"children", "4711", "There is no job 4711"},
		{"name", strings.Repeat("x", 300), "Length limit"},
	} {
		rec := v.post("/jobs/new", form(bad[0], bad[1]))
		assert.Equal(t, http.StatusUnprocessableEntity, rec.Code, bad)
		assert.Contains(t, rec.Body.String(), bad[2])
		assert.Contains(t, rec.Body.String(), `value="settle"`, "what was typed is kept")
	}
	rec := v.post("/jobs/new", form("cron", "x"))
	assert.Contains(t, rec.Body.String(), `1 field to mend; nothing was saved: <a href="#f-cron">`)
	rec = v.post("/jobs/new", form("do", "preview"))
	assert.Equal(t, http.StatusOK, rec.Code)
	assert.Contains(t, rec.Body.String(), "2026-11-22 Sun 03:00:00 UTC&#43;08:00")
	rec = v.post("/jobs/new", form("preset", "0 */5 * * * ?"))
	assert.Contains(t, rec.Body.String(), `value="0 */5 * * * ?"`)

	rec = v.post("/jobs/new", form("start", "1"))
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	at := rec.Header().Get("Location")
	assert.Contains(t, v.text(at), "The job is created.")
	id, err := strconv.ParseInt(strings.TrimPrefix(at, "/jobs/"), 10, 32)
	require.NoError(t, err)
	j, err := w.db.Job(t.Context(), int32(id))
	require.NoError(t, err)
	assert.True(t, j.Running)
	assert.Equal(t, "Asia/Shanghai", j.TimeZone)
	assert.Equal(t, int32(30), j.TimeoutSec)
	assert.NotZero(t, j.NextMs)

	was := version(formOf(j, nil))
	rec = v.post(at+"/edit", form("version", was, "schedule", "FIX_RATE", "seconds", "90", "zone", ""))
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	assert.Contains(t, v.text(at), "every 90 seconds")
	rec = v.post(at+"/edit", form("version", was))
	assert.Equal(t, http.StatusConflict, rec.Code, "somebody else was at it")
	assert.Contains(t, rec.Body.String(), "Somebody has changed")
	j, err = w.db.Job(t.Context(), int32(id))
	require.NoError(t, err)
	assert.Empty(t, j.TimeZone)
	assert.Equal(t, "90", j.ScheduleConf.S)
}

func TestPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	ask := func(kind, conf, zone string) string {
		return v.text("/jobs/preview?" + url.Values{"schedule": {kind}, "conf": {conf}, "zone": {zone}}.Encode())
	}
	page := ask("CRON", "0 30 2 * * ?", "Europe/Berlin")
	assert.Contains(t, page, "2026-11-22 Sun 02:30:00 UTC+01:00")
	assert.Contains(t, page, "2027-03-28")
	assert.Contains(t, page, "go forward")
	assert.Contains(t, page, "go back")
	assert.Contains(t, page, "chart-calendar")
	assert.Contains(t, page, "<span>The coming twelve months</span> <span class=\"chart-unit\">fires a day, at most 1</span>")
	assert.Contains(t, page, "2027-11-20 · 1")
	assert.NotContains(t, page, "2026-11-20 ·", "it is over")
	assert.Contains(t, ask("CRON", "* * * * * ?", ""), "at most 288 or more")
	assert.Contains(t, ask("FIX_RATE", "172800", ""), "2026-11-23 · 1", "a rate of two days fires every other one")
	assert.NotContains(t, ask("CRON", "0 0 12 * * ?", "Europe/Berlin"), "go forward")
	assert.NotContains(t, ask("CRON", "* * * * * ?", "Europe/Berlin"), "go forward", "fires all the time")
	assert.Contains(t, ask("CRON", "bad", ""), "Second (character 1)")
	assert.Contains(t, ask("FIX_RATE", "0", ""), "whole number, 1 or more")
	assert.Contains(t, ask("NONE", "", ""), "<b>")
	raw := v.get("/jobs/preview?" + url.Values{"schedule": {"CRON"}, "conf": {evil}, "zone": {evil}}.Encode()).Body.String()
	assert.NotContains(t, raw, "<script>")
	assert.NotContains(t, ask("CRON", "0 0 3 * * ? 2020", ""), "<ol", "it never fires again")
}

func TestOldAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(w.admin)
	for old, want := range map[string]string{
		"/jobinfo":                        "/jobs",
		"/jobinfo?jobGroup=3&jobDesc=a":   "/jobs?group=3&name=a",
		"/jobinfo?jobGroup=-1":            "/jobs",
		"/xxl-job-admin/jobinfo":          "/xxl-job-admin/jobs",
		"/dashboard":                      "/",
		"/toLogin":                        "/",
		"/xxl-job-admin/auth/login?next=": "/xxl-job-admin/",
	} {
		assert.Equal(t, want, v.get(old).Header().Get("Location"), old)
	}
	assert.Equal(t, http.StatusNotFound, v.get("/errorpage").Code)
	nobody := w.as(nil)
	assert.Contains(t, nobody.text("/toLogin"), `name="password"`)
	assert.Equal(t, "/signin?next=%2Fjobinfo%3FjobGroup%3D3", nobody.get("/jobinfo?jobGroup=3").Header().Get("Location"))
}

// emptyList is the list of jobs as an administrator sees it who has nothing yet.
func (w *world) emptyList() string {
	w.t.Helper()
	return w.as(w.admin).text("/jobs")
}
