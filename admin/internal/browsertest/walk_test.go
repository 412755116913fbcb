//go:build browser

package browsertest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// notPages are patterns that answer GET with something else than a page, or with
// a part of one.
var notPages = []string{
	"/static/{file}", "/status", "/jobs/preview", "/jobs/children", "/runs/{id}/log", "/runs/{id}/log/stream", "/settings/audit.csv",
	"/jobs/export",
	"/jobs/{id}/code/file",
}

// walk is a page and how to come there.
type walk struct {
	name    string
	pattern string // of the route; "" for one more look at a page
	path    string
	status  int // when the page says no
}

// walks lists the pages whose address has parts to be filled in, and those that
// deserve more than one look. Every other page is walked as it stands in the
// table of routes.
func (w *world) walks(failed, open int64) []walk {
	job, odd := w.seeds.jobs[1], w.seeds.jobs[4]
	at := func(format string, id int32) string { return fmt.Sprintf(format, id) }
	return []walk{
		{name: "overview", pattern: "/", path: "/"},
		{name: "job", pattern: "/jobs/{id}", path: at("/jobs/%d", odd)},
		{name: "job-plain", path: at("/jobs/%d", job)},
		{name: "job-children", path: at("/jobs/%d?tab=children", odd)},
		{name: "job-times", path: at("/jobs/%d?tab=times", odd)},
		{name: "job-settings", path: at("/jobs/%d?tab=settings", odd)},
		{name: "job-history", path: at("/jobs/%d?tab=history", job)},
		{name: "job-alarms", path: at("/jobs/%d?tab=alarms", odd)},
		{name: "job-gone", path: at("/jobs/%d", w.seeds.gone)},
		{name: "delete", pattern: "/jobs/{id}/delete", path: at("/jobs/%d/delete", job)},
		{name: "executor-history", pattern: "/executors/{id}/history", path: at("/executors/%d/history", w.seeds.goneGroup)},
		{name: "edit", pattern: "/jobs/{id}/edit", path: at("/jobs/%d/edit", odd)},
		{name: "clone", path: at("/jobs/new?from=%d", job)},
		{name: "jobs-none", path: "/jobs?name=nothing-has-this-name"},
		{name: "runs-failed", path: "/runs?result=failed"},
		{name: "run", pattern: "/runs/{id}", path: fmt.Sprintf("/runs/%d", failed)},
		{name: "run-open", path: fmt.Sprintf("/runs/%d", open)},
		{name: "run-shards", path: fmt.Sprintf("/runs/%d", w.seeds.shard)},
		{name: "run-attempts", path: fmt.Sprintf("/runs/%d", w.seeds.attempt)},
		{name: "run-old", path: fmt.Sprintf("/runs/%d", w.seeds.runs[4])},
		{name: "sessions-all", path: "/settings/sessions?who=all"},
		{name: "audit-older", path: "/settings/audit?user=deploy"},
		{name: "code-diff", path: at("/jobs/%d/code?from=1&to=0", w.seeds.jobs[12])},
		{name: "alarms-crowded", path: at("/jobs/%d?tab=alarms", w.seeds.jobs[3])},
		{name: "setup", pattern: "/setup", path: "/setup", status: http.StatusGone},
		{name: "search", pattern: "/search", path: "/search?q=a"},
		{name: "nothing", pattern: "/{anything...}", path: "/no/such/page", status: http.StatusNotFound},
		{name: "code", pattern: "/jobs/{id}/code", path: at("/jobs/%d/code", w.seeds.jobs[12])},
		{name: "executor", pattern: "/executors/{id}", path: at("/executors/%d", w.seeds.groups[0])},
		{name: "executor-manual", path: at("/executors/%d", w.seeds.groups[1])},
		{name: "address", pattern: "/executors/{id}/address", path: w.addressPath(0, w.address)},
		{name: "address-dead", path: w.addressPath(1, "http://127.0.0.1:1/")},
		{name: "address-odd", path: w.addressPath(1, "http://127.0.0.1:1/"+evil)},
		{name: "address-none", path: w.addressPath(1, "http://169.254.169.254/"), status: http.StatusNotFound},
		{name: "executor-edit", pattern: "/executors/{id}/edit", path: at("/executors/%d/edit", w.seeds.groups[1])},
		{name: "user", pattern: "/settings/users/{id}", path: at("/settings/users/%d", w.seeds.users[0])},
	}
}

// patterns are those of the console's pages.
func patterns() []string {
	var list []string
	for _, route := range journal.routes {
		if slices.Contains(route.Methods, http.MethodGet) && !slices.Contains(notPages, route.Path) {
			list = append(list, route.Path)
		}
	}
	return list
}

// everyPage joins walks and the table of routes, so that no page is left out.
func (w *world) everyPage(t *testing.T, failed, open int64) []walk {
	t.Helper()
	mounted := patterns()
	var list []walk
	walked := map[string]bool{}
	for _, step := range w.walks(failed, open) {
		if step.pattern == "" || slices.Contains(mounted, step.pattern) {
			list = append(list, step)
			walked[step.pattern] = true
		}
	}
	for _, pattern := range mounted {
		if walked[pattern] {
			continue
		}
		if strings.Contains(pattern, "{") {
			assert.Fail(t, "nobody walks the page "+pattern+": fill in its address in walks")
			continue
		}
		list = append(list, walk{name: strings.ReplaceAll(strings.Trim(pattern, "/"), "/", "-"), path: pattern})
	}
	return list
}

var (
	languages = []string{"zh-CN", "zh-TW", "en"}
	themes    = []string{"light", "dark"}
)

// TestWalk looks at every page light and dark, wide and narrow; in every
// language where everything is looked at, and else in one of them in the light
// and in another one in the dark.
func TestWalk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, crowded)
	w.executor(t)
	t.Log("a marker as an address:", w.register(t, "odd-names", "http://127.0.0.1:1/"+evil))
	first := w.open(t)
	first.size(1440)
	first.visit("/signin")
	first.clean("signin")
	first.login(adminName, password)
	failed := first.runJob(w.seeds.jobs[1], "bad")
	open := first.runJob(w.seeds.jobs[2], "run")
	pages := w.everyPage(t, failed, open)
	first.visit("/")
	nav := ask(first, chromedp.Evaluate[[]string](
		`[...document.querySelectorAll('nav a, header a')].map((a) => a.getAttribute('href')).filter((h) => !h.startsWith('#'))`))
	for _, href := range nav {
		assert.True(t, slices.ContainsFunc(pages, func(p walk) bool { return p.path == href }), "nobody walks %s of the navigation", href)
	}
	for n, theme := range themes {
		t.Run(theme, func(t *testing.T) {
			t.Parallel()
			b := w.open(t)
			b.size(1440)
			b.visit("/signin")
			for _, lang := range languages {
				b.prefer(lang, theme)
				b.look(walk{name: "signin", path: "/signin"}, lang, theme)
			}
			b.login(adminName, password)
			for l, lang := range languages {
				b.prefer(lang, theme)
				for i, p := range pages {
					if p.path != "/signin" && (*everything || (i+n)%len(languages) == l) {
						b.look(p, lang, theme)
					}
				}
			}
		})
	}
}

// look opens a page and looks at it wide and narrow.
func (b *tab) look(p walk, lang, theme string) {
	b.t.Helper()
	b.expect(p.status)
	b.visit(p.path)
	got := b.text(`document.documentElement.lang + ' ' + (document.documentElement.dataset.theme ?? '')`)
	assert.Equal(b.t, lang+" "+theme, got, p.name)
	for _, width := range []int64{1440, 390} {
		b.size(width)
		name := fmt.Sprintf("%s-%s-%s-%d", p.name, lang, theme, width)
		b.clean(name)
		b.picture(name)
		if theme == "light" && (lang == "en" || !*everything) {
			b.tabThrough(name)
		}
	}
	b.expect()
}

// tabThrough presses the tabulator and sees that the focus goes through the page
// in the order of the document, and can be seen where it is.
func (b *tab) tabThrough(name string) {
	b.t.Helper()
	const stops = 40
	b.do(chromedp.Evaluate[chromedp.Void](`void (document.activeElement.blur(), window.scrollTo(0, 0), window.first = window.last = null)`))
	for range stops {
		if b.is(`document.activeElement.matches('textarea')`) { // one of code keeps the tabulator, but behind Escape
			b.do(key("Escape"))
		}
		b.do(chromedp.KeyEvent("\t"))
		problem := b.text(`(() => {
			const el = document.activeElement;
			if (!el || el === document.body) { return 'end'; }
			const last = window.last;
			window.last = el;
			window.first ??= el;
			if (last && el === window.first) { return 'end'; }
			if (last === el) { return ''; } // a field of several parts
			const what = el.outerHTML.slice(0, 120);
			if (last?.isConnected && !(last.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING)) { return 'goes back to ' + what; }
			const visible = [el, el.parentElement].some((e) => getComputedStyle(e).outlineStyle !== 'none');
			if (!visible) { return 'cannot be seen on ' + what; }
			return '';
		})()`)
		if problem == "end" {
			return
		}
		if problem != "" {
			assert.Fail(b.t, name+": the focus "+problem)
			return
		}
	}
}

// TestEmpty looks at the pages of an admin that has nothing yet.
func TestEmpty(t *testing.T) {
	t.Parallel()
	w := newWorld(t, empty)
	b := w.enter(t, 1440, true)
	for _, pattern := range patterns() {
		if strings.Contains(pattern, "{") || pattern == "/signin" || pattern == "/setup" {
			continue // the last one has a test of its own
		}
		b.look(walk{name: "empty-" + strings.ReplaceAll(strings.Trim(pattern, "/"), "/", "-"), path: pattern}, "en", "light")
	}
}
