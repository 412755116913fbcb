package jobpages_test

import (
	"encoding/base64"
	"html"
	"net/http"
	"net/http/httptest"
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
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestJobsAreSorted: by every column, in both directions, forwards and backwards
// through pages whose jobs are the same.
func TestJobsAreSorted(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	gold, silver := w.Group("golden", "zz gold", ""), w.Group("silver", "aa silver", "")
	for i := range 120 {
		w.Job([]int32{gold, silver}[i%2], "job"+strconv.Itoa(i%40), func(j *model.Job) {
			j.Author, j.Handler = model.T("author"+strconv.Itoa(i%3)), model.T("handler"+strconv.Itoa(i%5))
			if i%4 == 0 {
				j.Running, j.NextMs = true, consoletest.Noon.Add(time.Duration(i%7)*time.Minute).UnixMilli()
			}
		})
	}
	for _, col := range jobpages.JobColumns {
		if col.Name == "" {
			continue
		}
		for _, sort := range []string{col.Name, "-" + col.Name} {
			var pages [][]string
			at := "/jobs?sort=" + sort
			for range 3 {
				page := v.Text(at)
				pages = append(pages, consoletest.Names(page))
				if strings.Contains(page, `rel="next"`) {
					at = consoletest.Links(t, page, "next")
				}
			}
			require.Len(t, pages[2], 20, sort)
			assert.Len(t, append(pages[0], pages[1]...), 100, sort)
			page := v.Text(at)
			assert.Contains(t, page, "101–120 of 120")
			page = v.Text(consoletest.Links(t, page, "prev"))
			assert.Equal(t, pages[1], consoletest.Names(page), sort)
			assert.Contains(t, page, "51–100 of 120")
			page = v.Text(consoletest.Links(t, page, "prev"))
			assert.Equal(t, pages[0], consoletest.Names(page), sort)
			assert.NotContains(t, page, `rel="prev"`)
			if sort != "-id" {
				assert.Regexp(t, `aria-sort="(ascending|descending)"`, page)
			}
		}
	}
	assert.Contains(t, v.Text("/jobs?sort=group"), "aa silver")
	assert.Equal(t, "job39", consoletest.Names(v.Text("/jobs"))[0], "the newest first")
	first := consoletest.Names(v.Text("/jobs?sort=next&state=started"))
	assert.Equal(t, "job0", first[0], "what fires next comes first")
	for _, odd := range []string{"nonsense", base64.RawURLEncoding.EncodeToString([]byte("{}")), strings.Repeat("A", 3000)} {
		assert.Contains(t, v.Text("/jobs?after="+odd), "1–50 of 120", "what is no place is the beginning")
	}
	gone := jobpages.PlaceOf(model.JobMark{ID: 1}, 300)
	page := v.Text("/jobs?after=" + gone)
	assert.Contains(t, page, "no jobs left here")
}

// TestLinesOfJobs: what a line says of its job.
func TestLinesOfJobs(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	gold := w.Group("golden", "gold", "")
	for name, change := range map[string]func(*model.Job){
		"broken cron":   func(j *model.Job) { j.ScheduleConf = model.T("no cron " + consoletest.Evil) },
		"broken rate":   func(j *model.Job) { j.ScheduleType, j.ScheduleConf = model.ScheduleFixRate, model.T("0") },
		"broken zone":   func(j *model.Job) { j.TimeZone = "Mars/Phobos" },
		"broken type":   func(j *model.Job) { j.ScheduleType = "WEEKLY" },
		"broken, ended": func(j *model.Job) { j.Running = true },
	} {
		w.Job(gold, name, change)
	}
	page := v.Text("/jobs")
	assert.Equal(t, 5, strings.Count(page, "cannot fire</span>"))
	for _, why := range []string{"Second (character 1)", "1 or more", "Mars/Phobos", "no kind of schedule WEEKLY", "no time is left"} {
		assert.Contains(t, page, why)
	}
	assert.NotContains(t, v.Get("/jobs").Body.String(), "<script>alert")

	late := w.Job(gold, "late", func(j *model.Job) { j.Running, j.NextMs = true, consoletest.Noon.Add(-2*time.Minute).UnixMilli() })
	soon := w.Job(gold, "soon", func(j *model.Job) { j.Running, j.NextMs = true, consoletest.Noon.Add(90*time.Second).UnixMilli() })
	w.Job(gold, "by hand", func(j *model.Job) { j.ScheduleType = model.ScheduleNone })
	page = v.Text("/jobs?name=late")
	assert.Contains(t, page, "late: 2 min ago")
	assert.Contains(t, page, `formaction="/jobs/`+strconv.Itoa(int(late.ID))+`/stop"`)
	page = v.Text("/jobs?name=soon")
	assert.Contains(t, page, "in 1 min")
	assert.NotContains(t, v.Text("/jobs?name=hand"), "cannot fire")
	for i := range 30 {
		w.Run(soon, consoletest.Noon.Add(time.Duration(i-40)*time.Minute), time.Duration(i+1)*time.Second, model.CodeSuccess, "")
	}
	w.Run(soon, consoletest.Noon.Add(-time.Minute), time.Hour, model.CodeSuccess, "")
	page = v.Text("/jobs?name=soon")
	assert.Contains(t, page, "≤ 1 h<")
	assert.Contains(t, page, "nine of ten took at most 28 s")
	assert.Contains(t, page, "chart-cut", "the one of an hour is cut")
	part := v.Text("/jobs?name=soon&part=1&here=" + url.QueryEscape("/jobs?name=soon"))
	assert.Contains(t, part, `<tr data-row=`)
	assert.NotContains(t, part, "<html")
}

// TestFortyJobsAreMoved: filter, select all, move, undo.
func TestFortyJobsAreMoved(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	gold, silver := w.Group("golden", "gold", ""), w.Group("silver", "silver", "")
	for i := range 70 {
		w.Job(gold, "move"+strconv.Itoa(i))
	}
	stays := w.Job(gold, "stays")
	page := v.Text("/jobs?name=move")
	assert.Contains(t, page, "all 70 that match")
	filter := regexp.MustCompile(`name="filter" value="([^"]*)"`).FindStringSubmatch(page)[1]
	form := url.Values{"do": {"move"}, "matching": {"1"}, "filter": {filter}, "back": {"/jobs?name=move"}}
	rec := v.Post("/jobs/bulk", form)
	require.Equal(t, http.StatusOK, rec.Code, rec.Body)
	assert.Contains(t, rec.Body.String(), "Move 70 jobs to another executor?")
	form.Set("sure", "1")
	form.Set("to", strconv.Itoa(int(silver)))
	form.Set("seen", "69")
	rec = v.Post("/jobs/bulk", form)
	assert.Contains(t, rec.Body.String(), "Other jobs match", "one more than the page had said")
	form.Set("seen", "70")
	form.Set("to", "")
	assert.Contains(t, v.Post("/jobs/bulk", form).Body.String(), "Choose one")
	form.Set("to", strconv.Itoa(int(silver)))
	rec = v.Post("/jobs/bulk", form)
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	assert.Equal(t, "/jobs?name=move", rec.Header().Get("Location"))
	page = v.Text("/jobs?name=move")
	assert.Contains(t, page, "Moved jobs: 70.")
	n, err := w.DB.CountJobs(t.Context(), silver)
	require.NoError(t, err)
	assert.Equal(t, 70, n)
	undo := regexp.MustCompile(`action="(/changes/undo[^"]*)"`).FindStringSubmatch(page)
	require.NotNil(t, undo)
	v.Post(undo[1], url.Values{"back": {"/jobs"}})
	n, err = w.DB.CountJobs(t.Context(), gold)
	require.NoError(t, err)
	assert.Equal(t, 71, n)

	// Nobody moves what is somebody else's.
	other := w.As(w.User("silver1", false, strconv.Itoa(int(silver))))
	other.Post("/jobs/bulk", url.Values{
		"do": {"move"}, "id": {strconv.Itoa(int(stays.ID))}, "sure": {"1"}, "to": {strconv.Itoa(int(silver))},
	})
	assert.Contains(t, other.Text("/jobs"), "Refused: 1.")
	rec = other.Post("/jobs/bulk", url.Values{"do": {"start"}, "matching": {"1"}, "filter": {""}})
	assert.Contains(t, other.Text("/jobs"), "No job is selected", rec.Body)
	rec = v.Post("/jobs/bulk", url.Values{"do": {""}, "id": {strconv.Itoa(int(stays.ID))}, "back": {"/jobs?name=x"}})
	assert.Equal(t, "/jobs?name=x", rec.Header().Get("Location"), "Enter on a row does nothing")
}

func TestViewsOfJobs(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	w.Group("golden", "gold", "")
	name := "mine " + consoletest.Evil[:40]
	rec := v.Post("/jobs/views", url.Values{"view": {name}, "query": {"sort=-name&state=started&nonsense=1&after=x"}})
	assert.Equal(t, "/jobs?sort=-name&state=started", rec.Header().Get("Location"))
	page := v.Text("/jobs?state=started&sort=-name")
	assert.Contains(t, page, "is saved")
	assert.Contains(t, page, `aria-current="page">`+name)
	assert.NotContains(t, v.Get("/jobs").Body.String(), "<script>alert")
	assert.NotContains(t, w.As(w.User("other1", false, "1")).Text("/jobs"), "mine", "views are one's own")
	v.Post("/jobs/views", url.Values{"do": {"delete"}, "view": {name}, "query": {"state=started"}})
	page = v.Text("/jobs")
	assert.Contains(t, page, "is deleted")
	undo := regexp.MustCompile(`action="(/jobs/views\?[^"]*)"`).FindStringSubmatch(page)
	require.NotNil(t, undo)
	v.Post(undo[1], url.Values{"back": {"/jobs"}})
	assert.Contains(t, v.Text("/jobs"), "mine")
	for _, bad := range []url.Values{
		{"view": {"x"}, "query": {""}}, {"view": {""}, "query": {"state=started"}}, {"view": {"x"}, "query": {"%zz"}},
	} {
		v.Post("/jobs/views", bad)
		assert.Contains(t, v.Text("/jobs"), "toast-bad", bad)
	}
}

// TestExportAndImport: what is exported, read again, changes nothing; a plan is
// shown first, and only that plan is carried out.
func TestExportAndImport(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	gold := w.Group("golden", "gold", "")
	w.Group("silver", "silver", "")
	child := w.Job(gold, "child "+consoletest.Evil)
	j := w.Job(gold, "settle", func(j *model.Job) {
		j.Param, j.Children, j.TimeZone = model.T("{\"a\": 1}\nb"), model.T(strconv.Itoa(int(child.ID))), "Asia/Shanghai"
		j.Misfire, j.Route, j.TimeoutSec, j.Retries = model.MisfireFireOnceNow, model.RouteLeastRecent, 90, 2
	})
	script := w.Job(gold, "script", func(j *model.Job) {
		j.GlueType, j.GlueSource, j.ScheduleType = "GLUE_SHELL", model.T("#!/bin/sh\necho 1\n"), model.ScheduleFixRate
		j.ScheduleConf = model.T("90")
	})
	require.NoError(t, w.DB.SetTags(t.Context(), j.ID, []string{"nightly", "money"}))
	rec := v.Get("/jobs/export")
	assert.Contains(t, rec.Header().Get("Content-Disposition"), "jobs-20261121-120000.yaml")
	all := rec.Body.String()
	assert.Contains(t, all, "echo 1")
	assert.NotContains(t, v.Get("/jobs/export?name=settle").Body.String(), "echo 1")
	one := v.Post("/jobs/bulk", url.Values{"do": {"export"}, "id": {strconv.Itoa(int(script.ID))}}).Body.String()
	assert.Contains(t, one, "echo 1")
	assert.NotContains(t, one, "name: settle")
	page := v.Post("/jobs/import", url.Values{"text": {all}, "do": {"plan"}}).Body.String()
	assert.Contains(t, page, "Everything is as the file says")

	text := strings.ReplaceAll(all, "retries: 2", "retries: 3") + `---
group: silver
name: new <b>
schedule: {every: 30s}
handler: fresh
children: [late]
state: started
---
{group: silver, name: late, handler: late}
`
	text = strings.Replace(text, "echo 1", "echo 2", 1)
	form := url.Values{"text": {text}, "do": {"plan"}}
	page = v.Post("/jobs/import", form).Body.String()
	assert.Contains(t, page, "Plan: create 2, change 2, delete 0, leave 1 as they are")
	assert.Contains(t, page, "new &lt;b&gt;")
	assert.Contains(t, html.UnescapeString(page), "<b>retries</b> <del>2</del> → <ins>3</ins>")
	n, err := w.DB.CountJobs(t.Context(), 0)
	require.NoError(t, err)
	assert.Equal(t, 3, n, "nothing was done yet")

	form.Set("do", "apply")
	form.Set("version", "of another plan")
	assert.Contains(t, v.Post("/jobs/import", form).Body.String(), "this is the new plan")
	form.Set("version", regexp.MustCompile(`name="version" value="([0-9a-f]+)"`).FindStringSubmatch(page)[1])
	rec = v.Post("/jobs/import", form)
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	assert.Contains(t, v.Text("/jobs"), "Created 2, changed 2, deleted 0.")
	now, err := w.DB.Job(t.Context(), j.ID)
	require.NoError(t, err)
	assert.Equal(t, int32(3), now.Retries)
	code, err := w.DB.Job(t.Context(), script.ID)
	require.NoError(t, err)
	assert.Contains(t, code.GlueSource.S, "echo 2")
	form.Set("do", "plan")
	assert.Contains(t, v.Post("/jobs/import", form).Body.String(), "Everything is as the file says")
	list, _, err := w.DB.Jobs(t.Context(), model.JobFilter{Name: "new"})
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.True(t, list[0].Running)
	assert.NotEmpty(t, list[0].Children.S)

	// Only what is asked for is deleted.
	form = url.Values{"text": {one}, "do": {"plan"}, "prune": {"group"}, "scope": {"golden"}}
	page = v.Post("/jobs/import", form).Body.String()
	assert.Contains(t, page, "delete 2")
	form.Set("scope", "")
	assert.Contains(t, v.Post("/jobs/import", form).Body.String(), "Say of which executor")
	form.Set("scope", "nobody")
	assert.Contains(t, v.Post("/jobs/import", form).Body.String(), "There is no executor", "that would be all of them")
	form = url.Values{"text": {one}, "do": {"plan"}, "prune": {"tag"}, "scope": {"money"}}
	assert.Contains(t, v.Post("/jobs/import", form).Body.String(), "delete 1")
	for bad, want := range map[string]string{
		"": "There is no job in it", "- x": "as a mapping", "{group: none, name: a}": "there is no group none",
		"{group: golden, name: a, nope: 1}": "unknown field", "\t": "line",
	} {
		rec := v.Post("/jobs/import", url.Values{"text": {bad}, "do": {"plan"}})
		assert.Contains(t, rec.Body.String(), want, bad)
	}
	bad := strings.Repeat("{group: golden, name: a, nope: 1}\n---\n", 1100)
	page = v.Post("/jobs/import", url.Values{"text": {bad}, "do": {"plan"}}).Body.String()
	assert.Equal(t, 100, strings.Count(page, "unknown field"), "not all of them")
	assert.Contains(t, page, "<li>and 1,000 more</li>")
}

// TestImportStops: what would be refused is named before anything is done; where
// somebody comes in between, what was done before is said. A child that becomes the
// parent of its parent is in nobody's way.
func TestImportStops(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	gold := w.Group("golden", "gold", "")
	v := w.As(w.User("golden1", false, strconv.Itoa(int(gold))))
	text := "{group: golden, name: good, handler: a}\n---\n{group: golden, name: bad, handler: a, schedule: {cron: x}}\n"
	rec := v.Post("/jobs/import", url.Values{"text": {text}, "do": {"plan"}})
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	page := html.UnescapeString(rec.Body.String())
	assert.Contains(t, page, "line:3: golden/bad: ")
	assert.Contains(t, page, "schedule: {cron: x}", "what was typed is kept")

	b := w.Job(gold, "b")
	a := w.Job(gold, "a")
	a.Children = model.T(strconv.Itoa(int(b.ID)))
	require.NoError(t, w.DB.UpdateJob(t.Context(), a, nil))
	apply := func(text string) *httptest.ResponseRecorder {
		page := v.Post("/jobs/import", url.Values{"text": {text}, "do": {"plan"}}).Body.String()
		version := regexp.MustCompile(`name="version" value="([0-9a-f]+)"`).FindStringSubmatch(page)[1]
		return v.Post("/jobs/import", url.Values{"text": {text}, "do": {"apply"}, "version": {version}})
	}
	w.Parts.OnStart = func() {
		b.Param = model.T("theirs")
		assert.NoError(t, w.DB.UpdateJob(t.Context(), b, nil))
	}
	text = "{group: golden, name: good, handler: a, schedule: {every: 90s}, state: started}\n---\n" +
		"{group: golden, name: b, handler: a, children: [a]}\n---\n{group: golden, name: a, handler: a}"
	rec = apply(strings.ReplaceAll(text, "[a]", "[]"))
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	page = html.UnescapeString(rec.Body.String())
	assert.Contains(t, page, "Stopped at golden/b: ")
	assert.Contains(t, page, "Created 1, changed 0, deleted 0.")
	a.Children = model.T(strconv.Itoa(int(b.ID)))
	require.NoError(t, w.DB.UpdateJob(t.Context(), a, nil))
	require.Equal(t, http.StatusSeeOther, apply(text).Code)
	assert.Equal(t, [2]string{"", strconv.Itoa(int(a.ID))}, [2]string{w.Load(a.ID).Children.S, w.Load(b.ID).Children.S})

	w.Group("silver", "silver", "")
	rec = v.Post("/jobs/import", url.Values{"text": {"{group: silver, name: a, handler: a}"}, "do": {"plan"}})
	assert.Contains(t, rec.Body.String(), "there is no group silver", "of others nothing is known")
}

// TestExecutorWithoutAddress: the page of a job and the question before a move say
// that there is nobody who could run it, and where that can be looked at.
func TestExecutorWithoutAddress(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	gold, empty := w.Group("gold", "Gold", "http://10.0.0.1:9999/"), w.Group("empty", "Empty", "")
	served, lonely := w.Job(gold, "served"), w.Job(empty, "lonely")
	const word = "its executor has no address"
	assert.NotContains(t, v.Text(consoletest.PathOf(served)), word)
	page := v.Text(consoletest.PathOf(lonely))
	assert.Contains(t, page, word)
	assert.Contains(t, page, `<a class="bad" href="`+parts.ExecutorPath(empty)+`"`)
	rec := v.Post("/jobs/bulk", url.Values{"do": {"move"}, "id": {strconv.Itoa(int(served.ID))}})
	require.Equal(t, http.StatusOK, rec.Code)
	assert.Contains(t, rec.Body.String(), "Empty (empty) (no address)")
	assert.NotContains(t, rec.Body.String(), "Gold (gold) (no address)")
	assert.Contains(t, rec.Body.String(), "jobs that are moved there fail when they fire")
}
