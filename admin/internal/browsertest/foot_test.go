//go:build browser

package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

const footSays = `document.querySelector('#foot').innerText`

// TestFoot: the foot says "live" only on pages that renew themselves and while they
// are not paused, and else of when the page is, with a link that loads it again.
func TestFoot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	w.executor(t)
	b := w.operator(t)
	run := b.runJob(w.seeds.jobs[0], "ok")
	job := fmt.Sprintf("/jobs/%d", w.seeds.jobs[0])
	for _, path := range []string{"/settings", "/help", "/settings/about", job + "/edit", fmt.Sprintf("/runs/%d", run), "/jobs/deleted", "/runs?before=1"} {
		b.visit(path)
		b.until(`performance.getEntriesByType('resource').some((r) => new URL(r.name).pathname === '/status' && r.responseEnd > 0)`)
		assert.Regexp(t, `^○ as of\s+\d\d:\d\d:\d\d Asia/Shanghai · reload`, b.text(footSays), path)
		assert.Equal(t, path, b.text(`document.querySelector('#again').getAttribute('href')`))
	}
	for _, path := range []string{"/", "/jobs", "/runs", "/runs?result=failed", "/executors", "/alarms", "/settings/cluster", job, job + "?tab=history", job + "?tab=settings"} {
		b.visit(path)
		b.until(footSays + `.startsWith('● live')`)
		assert.NotContains(t, b.text(footSays), "reload", path)
		b.do(click(`#live`)...)
		b.until(footSays + `.startsWith('○ paused, as of')`)
		at := b.text(`document.querySelector('#clock').textContent`)
		b.until(fmt.Sprintf(`Date.now() %% 86400000 > (Date.parse('1970-01-01T%sZ') - 8 * 3600000 + 86400000) %% 86400000 + 2500`, at))
		assert.Equal(t, at, b.text(`document.querySelector('#clock').textContent`), "the time that it is as of stays")
		b.do(click(`#live`)...)
		b.until(footSays + `.startsWith('● live')`)
	}
	b.clean("the foot")
}

// TestFootNode: what the foot says of the node is renewed, on every page.
func TestFootNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	b := w.operator(t)
	b.visit("/settings")
	b.until(footSays + `.match(/node \S+ · (\d+) of \1 shards, all held/)`)
	assert.True(t, b.is(`document.querySelector('#free').hidden`))
	ask := chromedp.Evaluate[chromedp.Void](`void ((old) => {
		window.fetch = async (...what) => {
			const s = await (await old(...what)).json();
			return new Response(JSON.stringify({ ...s, ...window.now }));
		};
		window.now = { node: 'node b · 8 of 16 shards', free: '2 shards without a node' };
		document.dispatchEvent(new Event('visibilitychange'));
	})(fetch)`)
	b.do(ask)
	b.until(footSays + `.match(/node b · 8 of 16 shards\s+✕ 2 shards without a node/)`)
	b.do(chromedp.Evaluate[chromedp.Void](`void (window.now = { node: '', free: '' }, document.dispatchEvent(new Event('visibilitychange')))`))
	b.until(`document.querySelector('#node').hidden && document.querySelector('#free').hidden`)
	b.clean("the node in the foot")
}

// TestFootSignedOut: when the login has ended elsewhere, foot, message and button of
// a page that renews itself say the same, and all go on when it holds again.
func TestFootSignedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	b := w.operator(t)
	b.visit("/jobs")
	b.until(footSays + `.startsWith('● live')`)
	b.do(chromedp.Evaluate[chromedp.Void](`void ((old) => {
		window.fetch = (url, ...more) => window.ended ? Promise.resolve({ok: true, redirected: true}) : old(url, ...more);
	})(fetch)`))
	look := chromedp.Evaluate[chromedp.Void](`void document.dispatchEvent(new Event('visibilitychange'))`)
	b.do(chromedp.Evaluate[chromedp.Void](`void (window.ended = true)`), look)
	b.until(footSays + `.startsWith('✕ signed out, as of')`)
	assert.True(t, b.is(said+`.startsWith('✕ You are no longer signed in')`))
	assert.Equal(t, "false", b.text(`document.querySelector('#live').ariaPressed`))
	at := b.text(`document.querySelector('#clock').textContent`)
	assert.True(t, b.is(said+`.endsWith('`+at+`')`), "all are as of the same time")
	b.do(chromedp.Evaluate[chromedp.Void](`void (window.ended = false)`), look)
	b.until(footSays + `.startsWith('● live') && document.querySelector('#trouble').hidden && document.querySelector('#live').ariaPressed === 'true'`)

	b.visit("/settings") // does not renew itself
	b.do(chromedp.Evaluate[chromedp.Void](`void (window.fetch = () => Promise.resolve({ok: true, redirected: true}))`), look)
	b.until(footSays + `.startsWith('✕ signed out, as of')`)
	assert.True(t, b.is(`document.querySelector('#trouble').hidden`))
	b.clean("a login that has ended")
}

// TestFirstRunComes: an empty list of runs shows the first one by itself.
func TestFirstRunComes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	w.executor(t)
	b, other := w.operator(t), w.operator(t)
	b.visit("/runs?job=" + fmt.Sprint(w.seeds.jobs[0]))
	assert.False(t, b.is(`document.querySelector('tr[data-row]')`))
	run := other.runJob(w.seeds.jobs[0], "ok")
	b.until(fmt.Sprintf(`document.querySelector('tr[data-row="%d"]')`, run))
	b.clean("the first run")
}
