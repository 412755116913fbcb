package pagebench

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// target is an address that is asked for.
type target struct {
	name, path string
	export     bool // a file of many lines, not a page
	found      bool // in the tables of routes
}

// answered reports whether a status is one that the target may have. What was
// found may be a page that is over, such as the setup, or of something that the
// seeds do not hold.
func (t target) answered(status int) bool {
	return status < http.StatusBadRequest ||
		t.found && (status == http.StatusNotFound || status == http.StatusGone)
}

// notLists answer from an executor or from memory, or never end.
var notLists = []string{
	"/static/{file}", "/{anything...}", "/jobs/{id}/code/file", "/runs/{id}/log", "/runs/{id}/log/stream",
	"/v1/runs/{run_id}/log", "/v1/runs/{run_id}/log/stream", "/v1/openapi.json", "/v1/openapi.yaml",
}

// exports are files.
var exports = []string{"/settings/audit.csv", "/v1/audit/export", "/jobs/export"}

// targets are all GET routes of the console and of /v1, and what people ask the
// lists for.
func (w *world) targets(tb testing.TB) []target {
	tb.Helper()
	list := w.filtered()
	for _, pattern := range append(consolePatterns(tb), restPatterns(tb)...) {
		if slices.Contains(notLists, pattern) {
			continue
		}
		list = append(list, target{
			name: pattern, path: w.fillIn(pattern), found: true, export: slices.ContainsFunc(exports, func(e string) bool { return e == pattern }),
		})
	}
	return list
}

// consolePatterns are the pages of the console.
func consolePatterns(tb testing.TB) []string {
	tb.Helper()
	server, err := console.New(console.Config{
		Ops: new(ops.Service), Auth: auth.New(auth.Config{}), History: new(store.Store), CodeEditing: true,
	})
	require.NoError(tb, err)
	list := []string{"/", "/help"} // these stand at addresses of the Java console
	for _, route := range server.Table().Routes {
		if slices.Contains(route.Methods, http.MethodGet) && !slices.Contains(list, route.Path) {
			list = append(list, route.Path)
		}
	}
	return list
}

// restPatterns are the reading operations of openapi.yaml.
func restPatterns(tb testing.TB) []string {
	tb.Helper()
	f, err := os.Open("../rest/openapi.yaml")
	require.NoError(tb, err)
	defer f.Close()
	var list []string
	path := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "  /v1/"):
			path = strings.TrimSuffix(strings.TrimSpace(line), ":")
		case line == "    get:" && path != "":
			list = append(list, path)
		case line != "" && line[0] != ' ':
			path = ""
		}
	}
	require.Greater(tb, len(list), 10)
	return list
}

// fillIn gives a pattern the id of something that is there.
func (w *world) fillIn(pattern string) string {
	run := w.size.runs / 2
	ids := map[string]int{
		"{job_id}": 7, "{group_id}": 2, "{run_id}": run, "{user_id}": 2, "{key_id}": 1, "{change_id}": 1, "{id}": 7,
	}
	switch {
	case strings.HasPrefix(pattern, "/runs/"):
		ids["{id}"] = run
	case pattern == "/jobs/{id}/code":
		ids["{id}"] = 10 // which has code
	case strings.HasPrefix(pattern, "/executors/"), strings.HasPrefix(pattern, "/settings/"):
		ids["{id}"] = 2
	}
	switch pattern { // these want to know which
	case "/executors/{id}/address":
		pattern = with(pattern, "at", "http://10.0.2.1:9999/")
	case "/v1/groups/{group_id}/address":
		pattern = with(pattern, "address", "http://10.0.2.1:9999/")
	case "/v1/runs/clear":
		pattern = with(pattern, "what", "older_than_1_month")
	}
	for name, id := range ids {
		pattern = strings.ReplaceAll(pattern, name, fmt.Sprint(id))
	}
	return pattern
}

// with is a path with a query of names and values.
func with(path string, pairs ...any) string {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(fmt.Sprint(pairs[i]), fmt.Sprint(pairs[i+1]))
	}
	return path + "?" + v.Encode()
}

// filtered are lists narrowed, ordered and paged as people do it.
func (w *world) filtered() []target {
	return slices.Concat(w.consoleRuns(), w.consoleJobs(), w.restLists())
}

// few is a part of the names of thirteen jobs.
func (w *world) few() string {
	if w.size.jobs < 10_000 {
		return "orders 7"
	}
	return "orders 77"
}

func (w *world) consoleRuns() []target {
	const path = "/runs"
	now := time.Now().UTC()
	at := func(days int) string { return now.AddDate(0, 0, -days).Format("2006-01-02T15:04") }
	deep := w.size.runs / 10
	return []target{
		{name: "runs, far behind", path: with(path, "before", deep)},
		{name: "runs of a group", path: with(path, "group", 1)},
		{name: "runs of a small group", path: with(path, "group", 7)},
		{name: "runs of a small group, far behind", path: with(path, "group", 7, "before", deep)},
		{name: "runs of a busy job", path: with(path, "job", 7)},
		{name: "runs of a busy job, far behind", path: with(path, "job", 7, "before", deep)},
		{name: "runs of a quiet job", path: with(path, "job", 777)},
		{name: "runs of a job by name", path: with(path, "job", "settle orders 777")},
		{name: "runs of a few jobs", path: with(path, "job", w.few())},
		{name: "runs of a few jobs, far behind", path: with(path, "job", w.few(), "before", deep)},
		{name: "runs of a few jobs, text", path: with(path, "job", w.few(), "text", "no such text")},
		{name: "runs of many jobs", path: with(path, "job", "orders 1")},
		{name: "runs of too many jobs", path: with(path, "job", "or")},
		{name: "oldest runs", path: with(path, "sort", "started")},
		{name: "oldest runs, far behind", path: with(path, "sort", "started", "before", deep)},
		{name: "oldest runs of a small group", path: with(path, "sort", "started", "group", 7)},
		{name: "oldest runs of a busy job", path: with(path, "sort", "started", "job", 7)},
		{name: "oldest failed runs", path: with(path, "sort", "started", "result", "failed")},
		{name: "oldest runs of a day", path: with(path, "sort", "started", "from", at(20), "to", at(19))},
		{name: "oldest runs, rare text", path: with(path, "sort", "started", "text", "no such text")},
		{name: "names of jobs", path: with("/jobs", "part", "names", "name", "77")},
		{name: "runs of no job", path: with(path, "job", 99_999_999)},
		{name: "failed runs", path: with(path, "result", "failed")},
		{name: "failed runs, far behind", path: with(path, "result", "failed", "before", deep)},
		{name: "failed runs of a group", path: with(path, "result", "failed", "group", 7)},
		{name: "failed runs of a busy job", path: with(path, "result", "failed", "job", 7)},
		{name: "failed runs of a day", path: with(path, "result", "failed", "from", at(20), "to", at(19))},
		{name: "killed runs", path: with(path, "result", "killed")},
		{name: "killed runs, far behind", path: with(path, "result", "killed", "before", deep)},
		{name: "killed runs of a group", path: with(path, "result", "killed", "group", 7)},
		{name: "killed runs of a busy job", path: with(path, "result", "killed", "job", 7)},
		{name: "runs out of time, of a day", path: with(path, "result", "timeout", "from", at(20), "to", at(19))},
		{name: "lost runs", path: with(path, "result", "lost")},
		{name: "runs that were not sent", path: with(path, "result", "unsent")},
		{name: "skipped runs of a quiet job", path: with(path, "result", "skipped", "job", 777)},
		{name: "good runs", path: with(path, "result", "ok")},
		{name: "good runs of a group", path: with(path, "result", "ok", "group", 7)},
		{name: "running", path: with(path, "result", "running")},
		{name: "waiting", path: with(path, "result", "waiting")},
		{name: "runs of a day", path: with(path, "from", at(20), "to", at(19))},
		{name: "runs of two weeks of a group", path: with(path, "from", at(20), "to", at(6), "group", 7)},
		{name: "runs up to a day", path: with(path, "to", at(25))},
		{
			name: "runs of three weeks, far behind",
			path: with(path, "from", at(28), "to", at(5), "before", fmt.Sprintf("%d.%d", deep, now.AddDate(0, 0, -27).Unix())),
		},
		{name: "text that is common", path: with(path, "text", "settled")},
		{name: "text that is rare", path: with(path, "text", "run 123 ")},
		{name: "text that is nowhere", path: with(path, "text", "no such text anywhere")},
		{name: "text that is nowhere, in a group", path: with(path, "text", "no such text anywhere", "group", 7)},
		{name: "text that is nowhere, in a day", path: with(path, "text", "no such text", "from", at(20), "to", at(19))},
		{name: "text that is nowhere, in failed runs", path: with(path, "text", "no such text", "result", "failed")},
		{name: "text that is nowhere, in a busy job", path: with(path, "text", "no such text", "job", 7)},
		{name: "longer than an hour", path: with(path, "min", 3600)},
		{name: "longer than an hour, of a group", path: with(path, "min", 3600, "group", 7)},
		{name: "shorter than a second", path: with(path, "max", 1)},
		{name: "of an address", path: with(path, "address", "10.0.7.2")},
		{name: "of no address", path: with(path, "address", "192.168.1.1")},
		{name: "the lines alone, as the page renews them", path: with(path, "part", 1)},
		{name: "an address", path: with("/executors/7/address", "at", "http://10.0.7.2:9999/")},
		{name: "an address, as it renews itself", path: with("/executors/7/address", "at", "http://10.0.7.2:9999/", "part", 1)},
		{name: "an old run", path: fmt.Sprintf("/runs/%d", w.size.runs/20)},
		{name: "a run of three in the morning", path: fmt.Sprintf("/runs/%d", w.shardRun)},
	}
}

func (w *world) consoleJobs() []target {
	const path = "/jobs"
	list := []target{
		{name: "jobs, the last page", path: with(path, "page", w.size.jobs/50)},
		{name: "jobs of a group", path: with(path, "group", 7)},
		{name: "started jobs", path: with(path, "state", "started")},
		{name: "stopped jobs of a group", path: with(path, "state", "stopped", "group", 7)},
		{name: "jobs by name", path: with(path, "name", "index 1")},
		{name: "jobs by a name that is nowhere", path: with(path, "name", "no such name")},
		{name: "jobs by handler", path: with(path, "handler", "handler17")},
		{name: "jobs by author", path: with(path, "author", "maria")},
		{name: "jobs by tag", path: with(path, "tag", "tag-7")},
		{name: "search by name", path: with("/search", "q", "orders")},
		{name: "search by number", path: with("/search", "q", "777", "part", 1)},
		{name: "search for nothing", path: with("/search", "q", "no such name", "part", 1)},
		{name: "a busy job", path: "/jobs/7"},
		{name: "a quiet job", path: "/jobs/777"},
		{name: "audit, far behind", path: with("/settings/audit", "before", w.size.audits/10)},
		{name: "users by name", path: with("/settings/users", "name", "user29")},
	}
	for _, order := range []string{"id", "name", "next", "next_fire", "group", "author", "handler", "state", "schedule", "updated"} {
		list = append(list, target{name: "jobs by " + order, path: with(path, "sort", order)},
			target{name: "jobs by " + order + ", downwards", path: with(path, "sort", "-"+order)})
	}
	for _, tab := range []string{"times", "children", "settings", "history", "alarms"} {
		list = append(list, target{name: "a job's tab " + tab, path: with("/jobs/12", "tab", tab)})
	}
	return list
}

func (w *world) restLists() []target {
	now := time.Now().UTC()
	at := func(days int) string { return now.AddDate(0, 0, -days).Format(time.RFC3339) }
	runs, jobs := "/v1/runs", "/v1/jobs"
	list := []target{
		{name: "v1 runs, 200", path: with(runs, "limit", 200)},
		{name: "v1 runs of a group", path: with(runs, "group_id", 7)},
		{name: "v1 address", path: with("/v1/groups/7/address", "address", "http://10.0.7.2:9999/")},
		{name: "v1 runs of a busy job", path: with(runs, "job_id", 7)},
		{name: "v1 failed runs", path: with(runs, "status", "failed", "limit", 200)},
		{name: "v1 killed runs", path: with(runs, "status", "killed", "limit", 200)},
		{name: "v1 running", path: with(runs, "status", "running")},
		{name: "v1 good runs of a group", path: with(runs, "status", "success", "group_id", 7)},
		{name: "v1 runs of a day", path: with(runs, "from", at(20), "to", at(19))},
		{name: "v1 text that is nowhere", path: with(runs, "text", "no such text anywhere")},
		{name: "v1 longer than an hour", path: with(runs, "min_took_ms", 3_600_000)},
		{name: "v1 of no address", path: with(runs, "address", "192.168.1.1")},
		{name: "v1 alarms", path: with("/v1/alarms", "limit", 200)},
		{name: "v1 ended alarms", path: with("/v1/alarms", "state", "ended", "limit", 200)},
		{name: "v1 ended alarms of a job", path: with("/v1/alarms", "state", "ended", "kind", "job", "object_id", 12)},
		{name: "v1 alarms of a group", path: with("/v1/alarms", "kind", "group", "object_id", 7)},
		{name: "v1 jobs, 200", path: with(jobs, "limit", 200)},
		{name: "v1 jobs of a group", path: with(jobs, "group_id", 7)},
		{name: "v1 started jobs", path: with(jobs, "state", "started")},
		{name: "v1 jobs by name", path: with(jobs, "name", "index 1")},
		{name: "v1 jobs by tag", path: with(jobs, "tag", "tag-7")},
		{name: "v1 audit, 200", path: with("/v1/audit", "limit", 200)},
	}
	for _, order := range []string{"at", "-at"} {
		list = append(list, target{name: "v1 audit by " + order, path: with("/v1/audit", "sort", order, "limit", 200)})
	}
	for _, order := range []string{"first_at", "-first_at", "-last_at", "-count"} {
		list = append(list, target{name: "v1 open alarms by " + order, path: with("/v1/alarms", "sort", order)})
	}
	for _, order := range []string{"first_at", "recovered_at", "-recovered_at"} {
		list = append(list, target{
			name: "v1 ended alarms by " + order,
			path: with("/v1/alarms", "state", "ended", "sort", order, "limit", 200),
		})
	}
	for _, order := range []string{"need", "-beat", "-open", "-queued"} {
		list = append(list, target{name: "v1 executors by " + order, path: with("/v1/groups", "sort", order)})
	}
	for _, order := range []string{"id", "name", "next_fire"} {
		list = append(list, target{name: "v1 jobs by " + order, path: with(jobs, "sort", order)},
			target{name: "v1 jobs by " + order + ", downwards", path: with(jobs, "sort", "-"+order)})
	}
	return list
}
