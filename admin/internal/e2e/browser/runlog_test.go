//go:build browser

package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runWaiting starts a run that waits, by hand, and comes to its page.
func (w *world) runWaiting(t *testing.T) {
	t.Helper()
	w.do(t, chromedp.Navigate(w.url+fmt.Sprintf("/jobs/%d", w.jobs[0])), chromedp.WaitReady(css(`#run-param`)))
	ask(t, w, chromedp.Evaluate[bool](`(() => {
		const form = document.querySelector('form[action$="/run"]');
		form.querySelector('#run-param').value = 'wait';
		form.submit();
		return true;
	})()`))
	w.do(t, chromedp.WaitVisible(css(`#log-text .ll`)))
}

// waitFor waits until an expression is true in the page, which may load itself
// again meanwhile.
func (w *world) waitFor(t *testing.T, expression string) {
	t.Helper()
	ctx, stop := context.WithTimeout(w.ctx, time.Minute)
	defer stop()
	for {
		_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression))
		if err == nil {
			return
		}
		require.NoError(t, ctx.Err(), "%s: %v", expression, err)
	}
}

// TestLiveLog: what a run writes appears while it runs, and with its end the
// page shows the result by itself.
func TestLiveLog(t *testing.T) {
	w := newWorld(t, true)
	w.signIn(t)
	w.runWaiting(t)
	w.waitFor(t, `document.querySelector('#log-text').innerText.includes('waits for the test')`)
	assert.Contains(t, ask(t, w, chromedp.Evaluate[string](`document.querySelector('#log-text .af31').innerText`)), "for the test")
	assert.Zero(t, ask(t, w, chromedp.Evaluate[int](`document.querySelectorAll('#log-text img, #log-text script').length`)))
	w.waitFor(t, `document.querySelector('#state').innerText.includes('●')`)
	close(w.release)
	w.waitFor(t, `document.querySelector('#state')?.innerText.includes('✓') === true`)
	w.waitFor(t, `document.querySelector('#log-text')?.innerText.includes('goes on') === true`)
	w.waitFor(t, `document.querySelector('form[action$="/retry"]') !== null`)
	w.do(t, chromedp.SendKeys(css(`#log-search`), "GOES"))
	w.waitFor(t, `document.querySelectorAll('#log-text .hit').length > 0`)
	assert.Zero(t, ask(t, w, chromedp.Evaluate[int](`window.marked ?? 0`)))
	w.clean(t, "live log")
}

// TestKill: the page says that the executor was asked, and then that the run has
// ended; it can be run again from there.
func TestKill(t *testing.T) {
	w := newWorld(t, true)
	w.signIn(t)
	w.runWaiting(t)
	before := ask(t, w, chromedp.Location())
	w.waitFor(t, `document.querySelector('#state').innerText.includes('●')`)
	w.waitFor(t, `document.querySelector('form[action$="/kill"]') !== null`)
	w.do(t, chromedp.Click(css(`details.confirm summary.danger`)), chromedp.Click(css(`form[action$="/kill"] button`)),
		chromedp.WaitVisible(css(`.toast`)))
	said := ask(t, w, chromedp.Evaluate[string](`document.querySelector('.toast').innerText`))
	assert.True(t, strings.Contains(said, "Asked to stop") || strings.Contains(said, "已要求停止"), said)
	w.waitFor(t, `document.querySelector('#state').innerText.includes('✕')`)
	close(w.release)
	w.do(t, chromedp.Click(css(`form[action$="/retry"] button`)))
	w.waitFor(t, fmt.Sprintf(`location.href !== %q && document.querySelector('.toast') !== null`, before))
	w.clean(t, "kill")
}

// TestRunPages looks at the pages of runs and executors.
func TestRunPages(t *testing.T) {
	w := newWorld(t, true)
	w.do(t, size(1440, 900))
	w.signIn(t)
	pages := []struct{ name, path string }{
		{"runs", "/runs"},
		{"runs-failed", "/runs?result=failed"},
		{"runs-none", "/runs?text=there+is+none"},
		{"run-failed", fmt.Sprintf("/runs/%d", w.runs[0])},
		{"run-ok", fmt.Sprintf("/runs/%d", w.runs[1])},
		{"executors", "/executors"},
		{"executor", "/executors/1"},
		{"executor-new", "/executors/new"},
	}
	for _, p := range pages {
		for _, lang := range []string{"en", "zh-CN"} {
			for _, theme := range []string{"light", "dark"} {
				w.choose(t, lang, theme)
				for _, width := range []int64{1440, 390} {
					w.do(t, size(width, 900))
					w.look(t, fmt.Sprintf("%s-%s-%s-%d", p.name, lang, theme, width), p.path)
				}
			}
		}
	}
}
