//go:build browser

package browsertest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestActions does what an operator does, with scripts and a wide window, and
// without scripts on a phone.
func TestActions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		scripts bool
		width   int64
	}{
		{name: "with scripts", scripts: true, width: 1440},
		{name: "without scripts", scripts: false, width: 390},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, plain)
			w.executor(t)
			b := w.open(t)
			b.size(tt.width)
			b.scripts(tt.scripts)
			b.signIn()
			b.switchLanguageAndTheme()
			job := b.create()
			b.startAndStop(job)
			b.runOnce()
			b.retry()
			b.kill()
			b.cloneAndDelete(job)
			b.signOut()
		})
	}
}

// signIn is refused with a wrong password, and taken with the right one.
func (b *tab) signIn() {
	b.t.Helper()
	b.expect(http.StatusUnauthorized)
	b.login(adminName, "not the password")
	assert.NotEmpty(b.t, b.text(`document.querySelector('[role=alert]').textContent.trim()`))
	b.clean("refused")
	b.expect()
	b.login(adminName, password)
	assert.Equal(b.t, "/", b.text(`location.pathname`))
	b.clean("signed in")
}

// switchLanguageAndTheme uses the menu of the frame.
func (b *tab) switchLanguageAndTheme() {
	b.t.Helper()
	const menu = `details:has(form[action="/prefs"]) > summary`
	for _, lang := range []string{"zh-TW", "zh-CN", "en"} {
		b.follow(click(menu, `button[name=lang][value="`+lang+`"]`)...)
		assert.Equal(b.t, lang, b.text(`document.documentElement.lang`))
	}
	for theme, want := range map[string]string{"dark": "dark", "light": "light", "system": ""} {
		b.follow(click(menu, `button[name=theme][value=`+theme+`]`)...)
		assert.Equal(b.t, want, b.text(`document.documentElement.dataset.theme ?? ''`))
		b.clean("theme " + theme)
	}
}

// create makes a job: refused at the field of the expression, then taken.
func (b *tab) create() string {
	b.t.Helper()
	b.visit("/jobs")
	b.follow(click(`main a[href="/jobs/new"]`)...)
	b.write(`#f-name`, "made in the browser")
	b.pick(`#f-group`, strconv.Itoa(int(b.w.seeds.groups[0])))
	b.write(`#f-handler`, "tick")
	b.write(`#f-author`, "me")
	b.write(`#f-cron`, "not a cron")
	b.expect(http.StatusUnprocessableEntity)
	b.save()
	assert.NotEmpty(b.t, b.text(`document.querySelector('#p-cron').textContent.trim()`))
	assert.Equal(b.t, "true", b.text(`document.querySelector('#f-cron').getAttribute('aria-invalid')`))
	assert.Equal(b.t, "made in the browser", b.text(`document.querySelector('#f-name').value`), "what was typed is kept")
	b.clean("refused at the field")
	b.picture("edit-problem-" + b.text(`String(innerWidth)`))
	b.do(click(`.toast a[href="#f-cron"]`)...)
	b.until(`document.activeElement.id === 'f-cron'`)
	b.expect()
	b.write(`#f-cron`, "0 0 3 1 1 ?")
	b.save()
	assert.Equal(b.t, "made in the browser", b.text(`document.querySelector('h1').textContent.trim()`))
	b.clean("created")
	path := b.text(`location.pathname`)
	assert.Regexp(b.t, `^/jobs/\d+$`, path)
	return path
}

func (b *tab) save() {
	b.t.Helper()
	b.follow(click(`button.primary[name=do][value=save]`)...)
}

func (b *tab) startAndStop(job string) {
	b.t.Helper()
	b.visit(job)
	for _, do := range []struct{ now, then string }{{"start", "stop"}, {"stop", "start"}} {
		b.follow(click(`main form[action$="/` + do.now + `"] button`)...)
		b.until(`document.querySelector('main form[action$="/` + do.then + `"]')`)
		b.clean(do.now)
	}
}

// runJob runs a job once through its page, and waits until the run is of a kind
// and its log has a line. It returns the run's id.
func (b *tab) runJob(job int32, kind string) int64 {
	b.t.Helper()
	run := b.trigger(job)
	next := "retry" // what may be done with a run that has ended
	if kind == "run" {
		next = "kill"
	}
	b.comes(`document.querySelector('#state .state-` + kind + `') && document.querySelector('#log-text')?.textContent.trim() &&
		document.querySelector('form[action$="/` + next + `"]')`)
	id, err := strconv.ParseInt(strings.TrimPrefix(run, "/runs/"), 10, 64)
	require.NoError(b.t, err)
	return id
}

// trigger runs a job once through its page, and returns the path of the run.
func (b *tab) trigger(job int32) string {
	b.t.Helper()
	path := fmt.Sprintf("/jobs/%d", job)
	b.reload(path, `document.querySelectorAll('#run-address option').length > 1`)
	const form = `form[action$="/run"]`
	b.follow(click(`details:has(`+form+`) > summary`, form+` button.primary`)...)
	run := b.text(`location.pathname`)
	require.Regexp(b.t, `^/runs/\d+$`, run)
	return run
}

// runOnce runs a job and finds the line that it wrote.
func (b *tab) runOnce() {
	b.t.Helper()
	b.runJob(b.w.seeds.jobs[0], "ok")
	assert.Contains(b.t, b.text(`document.querySelector('#log-text').textContent`), "the clock has struck")
	b.clean("a run")
}

// retry runs a run that has failed again, which is another run.
func (b *tab) retry() {
	b.t.Helper()
	failed := b.runJob(b.w.seeds.jobs[1], "bad")
	assert.Contains(b.t, b.text(`document.querySelector('main').textContent`), "the ledger does not balance: "+evil)
	b.clean("a failed run")
	b.follow(click(`form[action$="/retry"] button`)...)
	again := b.text(`location.pathname`)
	assert.Regexp(b.t, `^/runs/\d+$`, again)
	assert.NotEqual(b.t, fmt.Sprintf("/runs/%d", failed), again)
	b.comes(`document.querySelector('#state .state-bad') && document.querySelector('form[action$="/retry"]')`)
	b.clean("a retry")
}

// kill ends a run that is at work.
func (b *tab) kill() {
	b.t.Helper()
	run := fmt.Sprintf("/runs/%d", b.runJob(b.w.seeds.jobs[2], "run"))
	b.clean("a run at work")
	const form = `form[action$="/kill"]`
	b.follow(click(`details:has(`+form+`) > summary`, form+` button.primary`)...)
	assert.Contains(b.t, b.text(`document.querySelector('.toast').textContent`), "Asked to stop")
	b.comes(`document.querySelector('#state .state-kill')?.textContent.includes('■') && document.querySelector('form[action$="/retry"]')`)
	b.clean("a killed run")
	b.follow(click(`form[action$="/retry"] button`)...)
	assert.NotEqual(b.t, run, b.text(`location.pathname`))
	// The page is asked for anew when the run begins, and the toast is over then.
	b.until(`document.querySelector('.toast') || document.querySelector('#state')`)
	b.clean("a retry of a killed run")
}

// cloneAndDelete makes a copy of a job and deletes it.
func (b *tab) cloneAndDelete(job string) {
	b.t.Helper()
	b.visit(job)
	b.follow(click(`main a[href^="/jobs/new?from="]`)...)
	b.write(`#f-name`, "a clone")
	b.save()
	clone := b.text(`location.pathname`)
	assert.NotEqual(b.t, job, clone)
	assert.Equal(b.t, "a clone", b.text(`document.querySelector('h1').textContent.trim()`))
	b.follow(click(`main a.danger[href$="/delete"]`)...)
	b.clean("the question before a deletion")
	b.follow(click(`form[action$="/delete"] button.danger`)...)
	assert.Equal(b.t, "/jobs", b.text(`location.pathname`))
	assert.NotContains(b.t, b.text(`document.querySelector('main').textContent`), "a clone")
	b.clean("deleted")
	b.visit(clone)
	b.clean("a job that is gone")
	b.follow(click(`form[action$="/restore"] button.primary`)...)
	assert.Equal(b.t, clone, b.text(`location.pathname`))
	assert.Equal(b.t, "a clone", b.text(`document.querySelector('h1').textContent.trim()`))
	b.clean("a job that came back")
	b.follow(click(`main a.danger[href$="/delete"]`)...)
	b.follow(click(`form[action$="/delete"] button.danger`)...)
}

// signOut ends the session: who has kept the cookie does not come in with it.
func (b *tab) signOut() {
	b.t.Helper()
	jar, err := chromedp.Call(b.ctx, network.GetCookies, network.GetCookiesParams{})
	require.NoError(b.t, err)
	get := func() (int, string) {
		r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.w.url+"/jobs", nil)
		require.NoError(b.t, err)
		for _, c := range jar.Cookies {
			r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
		}
		resp, err := http.DefaultTransport.RoundTrip(r)
		require.NoError(b.t, err)
		defer resp.Body.Close()
		return resp.StatusCode, resp.Header.Get("Location")
	}
	status, _ := get()
	assert.Equal(b.t, http.StatusOK, status)
	const form = `form[action="/signout"]`
	b.visit("/")
	b.follow(click(`details:has(`+form+`) > summary`, form+` button`)...)
	assert.Equal(b.t, "/signin", b.text(`location.pathname`))
	status, to := get()
	assert.Equal(b.t, http.StatusSeeOther, status)
	assert.Contains(b.t, to, "/signin")
	b.visit("/jobs")
	assert.Equal(b.t, "/signin", b.text(`location.pathname`))
	b.clean("signed out")
}

// TestThrottle types wrong passwords until the page says how long to wait.
func TestThrottle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, empty)
	b := w.open(t)
	b.size(390)
	b.visit("/signin")
	b.prefer("en", "light")
	b.expect(http.StatusUnauthorized, http.StatusTooManyRequests)
	for said, attempt := "", 0; !strings.ContainsAny(said, "0123456789"); attempt++ {
		require.Less(t, attempt, 20, "never throttled: %s", said)
		b.login("nobody", "not the password")
		said = b.text(`document.querySelector('[role=alert]').textContent`)
	}
	b.clean("throttled")
	b.picture("signin-throttled-390")
}

// TestLogins ends the logins of another browser, and then all of a user's.
func TestLogins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	here, there := w.open(t), w.open(t)
	for _, b := range []*tab{here, there} {
		b.size(1440)
		b.login(adminName, password)
	}
	here.visit("/settings/sessions")
	here.follow(click(`form[action$="/sessions/others"] button`)...)
	assert.Equal(t, "1", here.text(`String(document.querySelectorAll('tr[data-row]').length)`))
	here.clean("others ended")
	there.visit("/jobs")
	assert.Equal(t, "/signin", there.text(`location.pathname`))

	const other = "somebody else"
	here.visit("/settings/users/new")
	here.write(`main input[name=name]`, other)
	here.write(`main input[name=password]`, password)
	here.follow(click(`main form button.primary`)...)
	there.login(other, password)
	here.visit("/settings/sessions?who=all")
	here.visit(here.text(`(([...document.querySelectorAll('a.name')].find((a) => a.textContent === '` + other +
		`')) ?? location).getAttribute?.('href') ?? ''`))
	here.follow(click(`details.confirm > summary`, `details.confirm button.primary`)...)
	here.clean("all ended")
	there.visit("/jobs")
	assert.Equal(t, "/signin", there.text(`location.pathname`))
}
