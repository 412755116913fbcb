//go:build browser

package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// TestJobList moves all that a filter finds to another executor and back, keeps
// the filter as a view, exports, imports, and works on a line with switch and
// keys.
func TestJobList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, crowded)
	w.executor(t)
	b := w.operator(t)
	b.size(1440)
	b.visit("/jobs?name=launch&sort=name")
	number := func() string { return b.text(`document.querySelector('.pager span').textContent.split(' ').pop()`) }
	total := number()

	// Everything that matches is moved, and back.
	b.visit("/jobs?sort=name")
	b.do(click(`input[name=matching]`)...)
	b.until(`document.querySelector('[data-n]').textContent === document.querySelector('input[name=matching]').dataset.count`)
	assert.True(t, b.is(`[...document.querySelectorAll('input[name=id]')].every((box) => box.checked)`))
	b.do(click(`tbody tr:nth-child(2) input[name=id]`)...)
	assert.False(t, b.is(`document.querySelector('input[name=matching]').checked`), "one less is not all")
	b.visit("/jobs?name=launch&sort=name")
	b.do(click(`input[data-all]`)...)
	b.follow(click(`button[value=move]`)...)
	b.clean("the question")
	b.pick(`#f-to`, fmt.Sprint(w.seeds.groups[2]))
	b.follow(click(`main form button.primary`)...)
	b.clean("moved")
	b.visit(fmt.Sprintf("/jobs?name=launch&group=%d", w.seeds.groups[2]))
	assert.Equal(t, total, number())
	b.visit("/jobs?name=launch")
	b.do(click(`input[data-all]`)...)
	b.follow(click(`button[value=stop]`)...)

	// A view, deleted and taken back.
	b.visit("/jobs?state=stopped&sort=-name")
	b.do(click(`.views summary`)...)
	b.write(`#view-name`, "stopped "+mark[:20])
	b.follow(click(`.views .drop button`)...)
	assert.True(t, b.is(`document.querySelector('.view[aria-current]').textContent.startsWith('stopped')`))
	b.clean("a view")
	b.follow(click(`.views form button.plain`)...)
	b.follow(click(`.toast form button`)...)
	assert.True(t, b.is(`document.querySelector('.view')`))

	// What is exported changes nothing; another handler does.
	exported := ask(b, chromedp.Evaluate[string](`fetch('/jobs/export?name=tick').then((answer) => answer.text())`,
		chromedp.EvalAwaitPromise))
	assert.Contains(t, exported, "name: tick")
	b.visit("/jobs/import")
	b.write(`#f-text`, "{group: demo, name: imported, handler: tick, tags: [fresh], schedule: {cron: '0 0 3 1 1 ?'}}")
	b.follow(click(`button[value=plan]`)...)
	b.clean("a plan")
	b.follow(click(`.plan button.primary`)...)
	assert.Equal(t, "/jobs", b.text(`location.pathname`))
	b.clean("imported")

	// One line: switch, keys.
	b.visit("/jobs?tag=fresh")
	b.follow(click(`tbody tr button.switch`)...)
	assert.Equal(t, "true", b.text(`document.querySelector('button.switch').ariaChecked`))
	b.until(`/^in /.test(document.querySelector('time.next').textContent)`)
	b.do(key("j"), key("x"))
	assert.True(t, b.is(`document.querySelector('tbody tr.here input').checked`))
	b.do(key("r"))
	b.until(`document.activeElement.formAction?.endsWith('/run')`)
	b.clean("the question of a line")
	b.follow(key("Enter"))
	b.until(`/^.runs.\d+$/.test(location.pathname)`)
	b.visit("/jobs?tag=fresh")
	b.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('input[name=id]').focus()`))
	b.follow(key("Enter"))
	assert.Equal(t, "/jobs?tag=fresh", b.text(`location.pathname + location.search`), "Enter on a row does nothing")
}
