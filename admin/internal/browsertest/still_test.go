//go:build browser

package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// idle lists what is shown on a page and can do nothing where scripts do not run:
// controls of no form, buttons that send nothing, choices of a form that nothing
// sends, keys, live marks, and texts that only a script shows whole.
const idle = `(() => {
	const shown = (el) => el.checkVisibility({visibilityProperty: true}) && el.getBoundingClientRect().width > 1;
	const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
	const found = [
		...all('button, input, select, textarea').filter((el) => !el.form),
		...all('button[type=button], [data-all], [data-n], #live, kbd:not(dialog *), [role=button]:not(button, a), .scripted'),
		...all('main form').filter((f) => ![...document.querySelectorAll('button, input[type=submit]')].some((b) => b.form === f)),
		...all('.name:not(a)').filter((el) => el.scrollWidth > el.clientWidth + 1 || el.scrollHeight > el.clientHeight + 1),
	];
	return found.map((el) => el.outerHTML.slice(0, 150));
})()`

// TestWithoutScripts looks at every page with scripts turned off, wide and narrow:
// it is in order, and nothing is shown that needs a script. TestEveryAction presses
// all the buttons.
func TestWithoutScripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, crowded)
	w.executor(t)
	b := w.enter(t, 1440, false)
	failed, open := b.runJob(w.seeds.jobs[1], "bad"), b.runJob(w.seeds.jobs[2], "run")
	for _, p := range w.everyPage(t, failed, open) {
		if p.path == "/signin" {
			continue
		}
		b.expect(p.status)
		b.visit(p.path)
		for _, width := range []int64{1440, 390} {
			b.size(width)
			name := fmt.Sprintf("still-%s-%d", p.name, width)
			assert.Empty(t, ask(b, chromedp.Evaluate[[]string](idle)), name)
			b.clean(name)
			b.picture(name)
		}
		b.expect()
	}
}

// TestListsWithoutScripts filters, selects, and acts on several at once, by clicks
// alone.
func TestListsWithoutScripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	w.executor(t)
	b := w.enter(t, 390, false)
	rows := func() string { return b.text(`String(document.querySelectorAll('tr[data-row]').length)`) }
	said := func() string { return b.text(`document.querySelector('.toast')?.textContent ?? ''`) }

	b.visit("/jobs")
	assert.Equal(t, "3", rows())
	b.write(`.filters input[name=handler]`, "tick")
	b.follow(click(`.filters button`)...)
	assert.Equal(t, "1", rows())
	b.follow(click(`.filters a`)...)
	assert.Equal(t, "3", rows())
	b.do(click(`tbody tr:nth-child(1) input[name=id]`, `tbody tr:nth-child(3) input[name=id]`)...)
	b.follow(click(`.bulk button[value=run]`)...)
	b.clean("the question before two jobs are run")
	b.follow(click(`main form button.primary`)...)
	assert.Contains(t, said(), "2", "two were run")
	b.reload("/runs", `document.querySelectorAll('tr[data-row]').length === 2`)
	b.pick(`.filters select[name=result]`, "ok")
	b.follow(click(`.filters button`)...)
	b.reload("/runs?result=ok", `document.querySelectorAll('tr[data-row]').length === 1`)
	b.do(click(`tbody input[name=id]`)...)
	b.follow(click(`.bulk button[value=retry]`)...)
	b.reload("/runs", `document.querySelectorAll('tr[data-row]').length === 3`)
	b.visit("/runs?result=running")
	b.do(click(`tbody input[name=id]`)...)
	b.follow(click(`.bulk details > summary`, `.bulk button[value=kill]`)...)
	assert.NotEmpty(t, said())
	b.reload("/runs?result=running", `!document.querySelector('tr[data-row]')`)

	// The command box is a form, and the foot leads to the page again.
	b.visit("/help")
	b.write(`#command`, "endless")
	b.follow(key("Enter"))
	assert.Equal(t, fmt.Sprintf("/jobs/%d", w.seeds.jobs[2]), b.text(`location.pathname`))
	b.follow(chromedp.Focus(chromedp.CSS(`#again`)), key("Enter")) // without a mouse, too
	assert.Equal(t, fmt.Sprintf("/jobs/%d", w.seeds.jobs[2]), b.text(`location.pathname`))
	b.clean("lists without scripts")
}
