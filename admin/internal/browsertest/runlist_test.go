//go:build browser

package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// TestRunList finds the runs of a job by a name that the server suggests, turns
// their order round, and makes a group of an executor that has none.
func TestRunList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, crowded)
	w.executor(t)
	b := w.operator(t)
	b.trigger(w.seeds.jobs[0])
	for _, size := range []struct {
		width int64
		theme string
	}{{1440, "light"}, {390, "dark"}} {
		b.size(size.width)
		b.visit("/runs")
		b.prefer("en", size.theme)
		b.visit("/runs")
		b.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('input[name=job]').focus()`))
		b.do(key("l"), key("a"), key("u"))
		b.until(`document.querySelectorAll('#jobnames option').length > 0`)
		name := b.text(`document.querySelector('#jobnames option').value`)
		b.do(chromedp.Evaluate[chromedp.Void](`void (document.querySelector('input[name=job]').value =
			document.querySelector('#jobnames option').value)`)) // as a choice among the suggestions does
		b.follow(key("Enter"))
		assert.Equal(t, name, b.text(`new URLSearchParams(location.search).get('job')`))
		assert.True(t, b.is(`document.querySelector('th[aria-sort=descending] a')`))
		b.clean("runs by name")
		b.picture("runs by name " + size.theme)
		if size.width > 600 { // below, lines are cards and have no heads
			b.follow(click(`th[aria-sort] a`)...)
		} else {
			b.visit(b.text(`document.querySelector('th[aria-sort] a').getAttribute('href')`))
		}
		assert.Equal(t, "started", b.text(`new URLSearchParams(location.search).get('sort')`))
		assert.Equal(t, name, b.text(`document.querySelector('input[name=job]').value`), "the filter stays")
		b.clean("oldest first")
		b.picture("runs oldest first " + size.theme)
	}

	w.register(t, "misspelt", "http://127.0.0.1:1/")
	b.size(390)
	b.visit("/")
	b.until(`document.querySelector('main a[href$="/executors#unknown"]')`)
	b.picture("overview unknown")
	b.visit("/executors?sort=name")
	b.clean("executors")
	b.picture("executors unknown dark 390")
	b.size(1440)
	b.prefer("zh-CN", "light")
	b.visit("/executors?sort=-addresses")
	b.clean("executors sorted")
	b.picture("executors unknown light 1440")
	b.follow(click(`#unknown a.button`)...)
	assert.Equal(t, "misspelt", b.text(`document.querySelector('#f-app').value`))
	b.follow(click(`main form button.primary`)...)
	b.clean("made")
	b.visit("/executors")
	assert.False(t, b.is(`document.querySelector('#unknown')`))
}
