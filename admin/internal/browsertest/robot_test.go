//go:build browser

package browsertest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// formsScript lists what can be submitted on a page, and helps to do it.
//
//go:embed testdata/forms.js
var formsScript string

const newPassword = "sesame-open-2"

// answers are what the robot writes into fields that want something special, by
// the pattern of the action and the name of the field. "*" is every action.
var answers = map[string]map[string]string{
	"*": {"cron": "0 0 3 1 1 ?", "zone": ""},
	"/jobs/new": {
		"name": "by the robot", "handler": "tick", "author": "robot", "timeout": "0", "retries": "0", "type": "BEAN", "children": "",
	},
	"/jobs/import":            {"text": "{group: demo, name: by a file, handler: tick, schedule: {cron: '0 0 3 1 1 ?'}}", "prune": ""},
	"/executors/new":          {"app": "robots", "title": "Robots", "manual": "1", "addresses": "http://127.0.0.1:1/"},
	"/executors/{id}/members": {"username": "jane"}, // of the seeds
	"/settings/users/new":     {"name": "robot", "password": "robot-pass-1", "role": "user"},
	"/settings/password":      {"old": password, "password": newPassword, "again": newPassword},
	"/signin":                 {"name": adminName},
}

// Actions that take something away come last, and those that end the session of
// the robot last of all.
var (
	destroys = regexp.MustCompile(`delete|remove|revoke|unmute|clear|clean|forget|end|stop|kill|token`)
	ends     = regexp.MustCompile(`^POST /(signout|settings/password|settings/sessions.*)$`)
)

// button is one that submits a form.
type button struct {
	Nth    int    `json:"nth"`
	Action string `json:"action"`
	Name   string `json:"name"`
	Value  string `json:"value"`
	Undo   bool   `json:"undo"` // in the message of what was done
	Sure   bool   `json:"sure"` // of a page that asks whether one is sure

	route string // method and pattern
}

// key tells buttons apart that do different things.
func (f button) key() string {
	if f.Name == "do" {
		return f.route + " do=" + f.Value
	}
	return f.route + " " + f.Name
}

// robot walks along all links, and does once what each button is for.
type robot struct {
	*tab
	password string
	done     map[string]bool
	tried    map[string]bool   // by key and page
	refused  map[string]string // by key, what was said
	pages    []string          // addresses to be visited
	seen     map[string]int
	most     int // pages of a kind
}

// TestEveryAction follows every link without scripts, and does what every
// button of every form on the way says: it must be done, without a word of
// refusal, and the page after it must be in order. TestMain compares what was
// done with the table of routes.
func TestEveryAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, few)
	w.executor(t)
	b := w.enter(t, 1440, false)
	for _, job := range w.seeds.jobs[2:4] { // to be killed
		b.runJob(job, "run")
	}
	r := &robot{tab: b, password: password, done: map[string]bool{}, tried: map[string]bool{}, refused: map[string]string{}, seen: map[string]int{}, most: 2}
	r.pages = []string{"/"}
	for _, allowed := range []func(route string) bool{
		func(key string) bool { return !destroys.MatchString(key) && !ends.MatchString(key) },
		func(key string) bool { return !destroys.MatchString(key) && !ends.MatchString(key) },
		func(key string) bool { return !ends.MatchString(key) },
		func(key string) bool { return !ends.MatchString(key) },
	} {
		r.round(allowed)
	}
	r.round(func(string) bool { return true })
	for key, said := range r.refused {
		assert.True(t, r.done[key], "%s is refused wherever it is offered: %s", key, said)
	}
	t.Logf("%d pages, %d actions", len(r.pages), len(r.done))
}

// round visits all pages once, also those that it finds meanwhile.
func (r *robot) round(allowed func(key string) bool) {
	r.t.Helper()
	for i := 0; i < len(r.pages); i++ {
		for visits := 0; r.visitAsUser(r.pages[i]); visits++ {
			if visits == 0 {
				r.links()
				r.files()
			}
			forms := r.forms()
			at := slices.IndexFunc(forms, func(f button) bool { return !r.done[f.key()] && !r.tried[f.key()+" "+r.pages[i]] && allowed(f.key()) })
			if at < 0 {
				break
			}
			r.press(r.pages[i], forms[at])
		}
	}
}

// visitAsUser opens a page, logged in, and reports whether it is there.
func (r *robot) visitAsUser(path string) bool {
	r.t.Helper()
	r.expect(http.StatusNotFound, http.StatusForbidden)
	r.visit(path)
	if r.text(`location.pathname`) == "/signin" && !strings.HasPrefix(path, "/signin") {
		r.login(adminName, r.password)
		r.visit(path)
	}
	r.expect()
	return r.text(`String(performance.getEntriesByType('navigation')[0].responseStatus)`) == "200"
}

// links finds the pages that are linked: of each kind one or two.
func (r *robot) links() {
	r.t.Helper()
	for _, href := range ask(r.tab, chromedp.Evaluate[[]string](`[...document.querySelectorAll('a[href]:not([download])')]
		.map((a) => new URL(a.getAttribute('href'), location.href)).filter((u) => u.origin === location.origin)
		.map((u) => u.pathname + u.search)`)) {
		u, err := url.Parse(href)
		require.NoError(r.t, err)
		route := journal.find(http.MethodGet, &url.URL{Path: u.Path})
		if strings.HasSuffix(route, "{anything...}") {
			if r.seen[href]++; r.seen[href] == 1 {
				assert.Fail(r.t, "a link leads nowhere", "%s on %s", href, r.text(`location.href`))
			}
			continue
		}
		query := u.Query()
		kind := route + "?tab=" + query.Get("tab") + "&" + strings.Join(slices.Sorted(maps.Keys(query)), "&")
		if r.seen[href] == 0 && r.seen[kind] < r.most {
			r.pages = append(r.pages, href)
			r.seen[kind]++
		}
		r.seen[href]++
	}
}

// files asks for what the links of a page offer to keep, until one of each kind
// is there: nobody answers for the logs of the runs that were there before.
func (r *robot) files() {
	r.t.Helper()
	r.expect(http.StatusBadGateway)
	defer r.expect()
	for _, href := range ask(r.tab, chromedp.Evaluate[[]string](
		`[...document.querySelectorAll('a[href][download]')].map((a) => a.getAttribute('href'))`)) {
		u, err := url.Parse(href)
		require.NoError(r.t, err)
		route := journal.find(http.MethodGet, &url.URL{Path: u.Path})
		if r.seen["kept "+route] > 0 {
			continue
		}
		kind := ask(r.tab, chromedp.Evaluate[string](fmt.Sprintf(
			`fetch(%q).then((r) => r.status + ' ' + r.headers.get('Content-Disposition'))`, href), chromedp.EvalAwaitPromise))
		if kind != "502 null" {
			assert.Regexp(r.t, `^200 attachment`, kind, href)
			r.seen["kept "+route]++
		}
	}
}

// forms returns what can be submitted on the page.
func (r *robot) forms() []button {
	r.t.Helper()
	list := ask(r.tab, chromedp.Evaluate[[]button](formsScript))
	for i := range list {
		list[i].route = journal.find(http.MethodPost, &url.URL{Path: list[i].Action})
	}
	return list
}

// press submits a form, and then what asks whether one is sure, and takes it
// back where that is offered.
func (r *robot) press(page string, f button) {
	r.t.Helper()
	r.tried[f.key()+" "+page] = true
	where := fmt.Sprintf("%s on %s", f.key(), page)
	if r.submit(where, f); !r.done[f.key()] {
		return
	}
	for _, next := range r.forms() {
		again := next.Undo && !r.done["undo "+next.key()]
		if next.Sure && next.route == f.route || again {
			r.done["undo "+next.key()] = again
			r.submit(where+", then "+next.key(), next)
			return
		}
	}
}

// submit presses a button and looks at the page that comes.
func (r *robot) submit(where string, f button) {
	r.t.Helper()
	values := map[string]string{}
	pattern := strings.TrimPrefix(f.route, http.MethodPost+" ")
	for _, set := range []map[string]string{answers["*"], answers[pattern]} {
		maps.Copy(values, set)
	}
	if pattern == "/signin" {
		values["password"] = r.password
	}
	body, err := json.Marshal(values)
	require.NoError(r.t, err)
	_, files := journal.count(f.route)
	r.expect(http.StatusUnprocessableEntity)
	r.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void press(%d, %s)`, f.Nth, body)))
	r.leave(f.route, files)
	r.expect()
	said := r.text(`[...document.querySelectorAll('.toast-bad, [role=alert], .problem')].map((el) => el.innerText.trim()).join('; ')`)
	if said != "" {
		r.refused[f.key()] = where + ": " + said
	} else {
		r.done[f.key()] = true
	}
	switch {
	case said == "" && pattern == "/settings/password":
		r.password = newPassword
	case pattern == "/prefs":
		r.prefer("en", "light")
	}
	r.clean(where)
}

// leave waits until another page is there, or a file has come.
func (r *robot) leave(route string, files int) {
	r.t.Helper()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for range int(patience / interval) {
		here := r.is(`document.readyState === 'complete' && !document.documentElement.leaving`)
		if _, now := journal.count(route); here || now > files {
			return
		}
		<-tick.C
	}
	require.Fail(r.t, "no answer to "+route)
}
