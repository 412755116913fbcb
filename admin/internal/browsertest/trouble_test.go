//go:build browser

package browsertest

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

const (
	said   = `(document.querySelector('#trouble:not([hidden]) span')?.textContent ?? '')`
	placed = `JSON.stringify([...document.querySelectorAll('main h1, main form.filters, main .list, main tbody tr')]
		.map((el) => { const b = el.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }))`
)

// meets puts the server in trouble, which the browser may complain of.
func (b *tab) meets(trouble int32) {
	b.t.Helper()
	b.mu.Lock()
	b.cutOff = true
	b.mu.Unlock()
	b.expect(http.StatusServiceUnavailable)
	b.w.trouble.Store(trouble)
}

// TestListInTrouble looks at a list that renews itself while the server fails,
// hangs and is gone: what is shown stays where it is, a message says so and tries
// again, and a filter leads nowhere before the server is back.
func TestListInTrouble(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	w.executor(t)
	b := w.operator(t)
	b.runJob(w.seeds.jobs[0], "ok")
	b.visit("/runs")
	was := b.text(placed)
	unmoved := func(while string) {
		t.Helper()
		assert.Equal(t, was, b.text(placed), "the list moved %s", while)
		assert.Equal(t, "/runs", b.text(`location.pathname + location.search`))
	}

	// It renews itself.
	b.meets(http.StatusServiceUnavailable)
	b.until(said + `.includes('The server failed (503) · what is shown is as of ')`)
	unmoved("when a renewal failed")
	b.clean("a list that could not be renewed")
	b.picture("list-in-trouble-1440")
	b.meets(broken)
	b.until(said + `.startsWith('✕ The server does not answer')`)
	unmoved("when the server was gone")
	b.meets(hanging)
	b.until(`document.querySelector('#runs').ariaBusy === 'true'`)
	unmoved("while it waited")
	b.meets(0)
	b.until(`document.querySelector('#trouble').hidden && document.querySelector('#runs').ariaBusy !== 'true'`)

	// A filter is chosen.
	choose := chromedp.Evaluate[chromedp.Void](`void (document.querySelector('select[name=result]').value = 'ok',
		document.querySelector('select[name=result]').dispatchEvent(new Event('change')))`)
	b.do(chromedp.Evaluate[chromedp.Void](`void (document.querySelector('#live').click())`)) // paused
	was = b.text(placed)
	b.meets(broken)
	b.do(choose)
	b.until(said + `.startsWith('✕ The server does not answer')`)
	unmoved("when a filter could not be applied")
	b.meets(http.StatusServiceUnavailable)
	b.do(click(`#trouble button`)...)
	b.until(said + `.startsWith('✕ The server failed (503)')`)
	b.meets(hanging)
	b.do(chromedp.Evaluate[chromedp.Void](`void (((later) => { window.setTimeout = (f, ms) => later(f, ms / 100); })(setTimeout))`))
	b.do(click(`#trouble button`)...)
	b.until(said + `.startsWith('◷ No answer for 8 s')`)
	assert.Equal(t, "true", b.text(`document.querySelector('#runs').ariaBusy`))
	unmoved("while a filter waited")
	b.clean("a filter that waits")
	b.meets(0)
	b.until(`document.readyState === 'complete' && location.search.includes('result=ok')`)
	assert.True(t, b.is(`document.querySelector('#trouble').hidden && document.querySelector('tr[data-row]')`))

	// What changes by itself elsewhere says so too.
	b.visit("/executors")
	b.meets(http.StatusServiceUnavailable)
	b.until(said + `.startsWith('✕ The server failed (503)')`)
	b.meets(0)
	b.until(`document.querySelector('#trouble').hidden && document.querySelector('tr[data-row]')`)
	b.clean("executors that could not be renewed")
	b.visit("/runs")

	// The login has ended meanwhile.
	ask(b, chromedp.Evaluate[bool](`fetch('/signout', {method: 'POST', body: new URLSearchParams({
		csrf: document.querySelector('form[action="/signout"] [name=csrf]').value})}).then((r) => r.ok)`, chromedp.EvalAwaitPromise))
	b.until(said + `.startsWith('✕ You are no longer signed in')`)
	b.follow(click(`#trouble button`)...)
	assert.Equal(t, "/signin", b.text(`location.pathname`))
}

// TestFootInTrouble: a server that hangs is as bad as one that is gone, and the
// foot says of both that the admin does not answer.
func TestFootInTrouble(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	b := w.operator(t)
	b.visit("/jobs")
	const foot = `document.querySelector('#pulse').textContent`
	b.until(foot + `.includes('live')`)
	b.do(chromedp.Evaluate[chromedp.Void](`void (((later) => { window.setTimeout = (f, ms) => later(f, ms / 20); })(setTimeout))`))
	for _, trouble := range []int32{hanging, broken} {
		b.meets(trouble)
		b.do(chromedp.Evaluate[chromedp.Void](`void document.dispatchEvent(new Event('visibilitychange'))`))
		b.until(foot + `.includes('✕ the admin does not answer, trying again')`)
		b.meets(0)
		b.until(foot + `.includes('live')`)
	}
	b.clean("the server is back")
}
