//go:build browser

package browsertest

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// keys are those that are no character, with the texts and codes that they send.
var keys = map[string]input.DispatchKeyEventParams{
	"Enter":      {Text: "\r", WindowsVirtualKeyCode: 13},
	"Escape":     {WindowsVirtualKeyCode: 27},
	"ArrowDown":  {WindowsVirtualKeyCode: 40},
	"ArrowLeft":  {WindowsVirtualKeyCode: 37},
	"ArrowRight": {WindowsVirtualKeyCode: 39},
	"Home":       {WindowsVirtualKeyCode: 36},
	"End":        {WindowsVirtualKeyCode: 35},
	"Tab":        {WindowsVirtualKeyCode: 9},
}

// key is an action that presses a key as a hand does: what the page prevents
// when it goes down does not become a character.
func key(name string, modifiers ...chromedp.Modifier) chromedp.Action[chromedp.Void] {
	p, ok := keys[name]
	if !ok {
		p = input.DispatchKeyEventParams{Text: name}
	}
	p.Key, p.Type = name, input.DispatchKeyEventTypeKeyDown
	for _, m := range modifiers {
		p.Modifiers |= int64(m)
		p.Text = ""
	}
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if _, err := chromedp.Call(ctx, input.DispatchKeyEvent, p); err != nil {
			return err
		}
		p.Type, p.Text = input.DispatchKeyEventTypeKeyUp, ""
		_, err := chromedp.Call(ctx, input.DispatchKeyEvent, p)
		return err
	})
}

// TestCommandBox finds a job by a part of its name while it is typed, and goes
// there with the keyboard.
func TestCommandBox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	b := w.operator(t)
	b.visit("/")
	b.do(key("/"))
	b.until(`document.activeElement.id === 'command'`)
	b.do(chromedp.SendKeys(chromedp.CSS(`#command`), "endl"))
	b.until(`!document.querySelector('#found').hidden && document.querySelector('#found a')?.textContent.includes('endless')`)
	b.clean("suggestions")
	b.do(key("ArrowDown"))
	b.follow(key("Enter"))
	assert.Equal(t, fmt.Sprintf("/jobs/%d", w.seeds.jobs[2]), b.text(`location.pathname`))
	b.do(key("k", chromedp.ModifierCtrl))
	b.until(`document.activeElement.id === 'command'`)
	b.do(chromedp.SendKeys(chromedp.CSS(`#command`), "nothing is called this"))
	b.follow(key("Enter"))
	assert.Equal(t, "/search", b.text(`location.pathname`))
	b.clean("nothing found")
}

// TestCommandBoxActs: what is asked for as a verb and a name is done with the
// keyboard alone, in the language of the page and in English; ids lead to jobs and
// runs, and parts of titles to pages.
func TestCommandBoxActs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	w.executor(t)
	b := w.operator(t)
	job := fmt.Sprintf("/jobs/%d", w.seeds.jobs[0])
	run := b.runJob(w.seeds.jobs[0], "ok")
	say := func(typed, suggested string) {
		t.Helper()
		b.visit("/help")
		b.do(key("/"))
		b.until(`document.activeElement.id === 'command'`)
		b.do(chromedp.SendKeys(chromedp.CSS(`#command`), typed))
		b.until(fmt.Sprintf(`document.querySelector('#found:not([hidden]) a')?.textContent.includes(%q)`, suggested))
		b.do(key("ArrowDown"))
		assert.True(t, b.is(`document.getElementById(document.querySelector('#command').getAttribute('aria-activedescendant')).matches('a.here')`))
		b.clean(typed)
	}
	for _, tt := range []struct{ lang, typed, suggested, stop, stopped string }{
		{"en", "run tick", "Run “tick” now", "start tick", "Start “tick”"},
		{"zh-CN", "执行tick", "立即执行“tick”", "停止 tick", "停止“tick”"},
	} {
		b.prefer(tt.lang, "light")
		say(tt.typed, tt.suggested)
		b.picture("command-run-" + tt.lang)
		b.follow(key("Enter"))
		b.until(`document.activeElement.matches('form[action$="/run"] button')`)
		assert.Equal(t, job+"?do=run", b.text(`location.pathname + location.search`))
		b.clean("asked to run")
		b.picture("command-asked-" + tt.lang)
		b.follow(key("Enter"))
		assert.Regexp(t, `^/runs/\d+$`, b.text(`location.pathname`))
		say(tt.stop, tt.stopped)
		b.follow(key("Enter"))
		b.until(`document.activeElement.matches('form[action$="/stop"] button, form[action$="/start"] button')`)
		b.follow(key("Enter"))
		b.until(`document.querySelector('.toast')`)
		assert.Equal(t, job, b.text(`location.pathname + location.search`))
	}
	say(fmt.Sprint(run), fmt.Sprintf("#%d", run))
	b.follow(key("Enter"))
	assert.Equal(t, fmt.Sprintf("/runs/%d", run), b.text(`location.pathname`))
	for typed, path := range map[string]string{"操作记录": "/settings/audit", "audit": "/settings/audit", "执行器": "/executors"} {
		b.visit("/help")
		b.write(`#command`, typed)
		b.until(`document.querySelector('#found:not([hidden]) a[href="` + path + `"]')`)
	}
	b.clean("pages")
}

// TestKeys works on the list of jobs without a mouse.
func TestKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	b := w.operator(t)
	b.visit("/")
	for _, to := range []struct{ letter, path string }{{"r", "/runs"}, {"e", "/executors"}, {"a", "/alarms"}, {"s", "/settings"}, {"h", "/help"}, {"o", "/"}, {"j", "/jobs"}} {
		b.do(key("g"))
		b.follow(key(to.letter))
		assert.Equal(t, to.path, b.text(`location.pathname`))
	}
	const here = `document.querySelector('tr.here')`
	b.do(key("j"), key("j"))
	b.until(here + ` === document.querySelectorAll('tbody tr')[1]`)
	b.do(key("k"), key("x"))
	b.until(here + ` === document.querySelectorAll('tbody tr')[0] && ` + here + `.querySelector('input[type=checkbox]').checked`)
	b.do(key("?"))
	b.until(`document.querySelector('#keys').open`)
	b.clean("the list of keys")
	b.do(key("Escape"))
	b.until(`!document.querySelector('#keys').open && document.activeElement === document.body`)
	b.follow(key("Enter"))
	assert.Regexp(t, `^/jobs/\d+$`, b.text(`location.pathname`))
	b.do(key("r"))
	b.until(`document.querySelector('details.confirm[open] form[action$="/run"]')`)
	b.clean("run once, by the keyboard")
	b.do(key("Escape"))
	b.until(`!document.querySelector('details.confirm[open]')`)
	b.skipLink()
}

// TestKeysOfRuns: the keys work on runs too, say where one stands, and do nothing
// while somebody types.
func TestKeysOfRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	w.executor(t)
	b := w.operator(t)
	first := b.runJob(w.seeds.jobs[0], "ok")
	second := b.runJob(w.seeds.jobs[1], "bad")
	b.visit("/runs")
	const here = `document.querySelector('tr.here')`
	b.do(key("k"))
	b.until(fmt.Sprintf(here+`?.dataset.row === '%d'`, second))
	b.until(`getComputedStyle(` + here + `.cells[0]).boxShadow !== 'none'`)
	b.do(key("j"), key("j"), key("j"))
	b.until(fmt.Sprintf(here+`?.dataset.row === '%d'`, first))
	b.do(key("x"))
	b.until(here + `.querySelector('input').checked && document.querySelector('[data-n]').textContent === '1'`)
	b.do(chromedp.Focus(chromedp.CSS(`input[name=text]`)), key("k"), key("x"), key("?"))
	b.until(`document.querySelector('input[name=text]').value === 'kx?'`)
	assert.True(t, b.is(fmt.Sprintf(here+`.dataset.row === '%d' && `+here+`.querySelector('input').checked`, first)))
	assert.True(t, b.is(`!document.querySelector('#keys').open`))
	b.do(chromedp.Evaluate[chromedp.Void](`void document.activeElement.blur()`))
	b.do(key("k"))
	b.follow(key("Enter"))
	assert.Equal(t, fmt.Sprintf("/runs/%d", second), b.text(`location.pathname`))
	b.follow(key("r")) // runs it again
	assert.Regexp(t, `^/runs/\d+$`, b.text(`location.pathname`))
	assert.NotEqual(t, fmt.Sprintf("/runs/%d", second), b.text(`location.pathname`))
	b.do(key("g"))
	b.follow(key("r"))
	assert.Equal(t, "/runs", b.text(`location.pathname`))
	b.clean("runs by the keyboard")
}

// TestKeysOfStrips: the strip of a job is one stop of the tabulator, in lists and on
// the page of the job; arrows lead along it, and Enter to a run.
func TestKeysOfStrips(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	w.executor(t)
	b := w.operator(t)
	job := w.seeds.jobs[0]
	first, last := b.runJob(job, "ok"), int64(0)
	for range 2 {
		last = b.runJob(job, "ok")
	}
	at := func(run int64) string {
		return fmt.Sprintf(`document.activeElement.matches('.chart-strip a[href="/runs/%d"]')`, run)
	}
	for _, path := range []string{"/jobs", fmt.Sprintf("/jobs/%d", job)} {
		b.visit(path)
		b.until(`document.querySelector('#live:not([hidden])')`)
		b.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('main h1').setAttribute('tabindex', '-1')`),
			chromedp.Focus(chromedp.CSS(`main h1`)))
		for range 40 {
			b.do(key("Tab"))
			if b.is(`document.activeElement.closest('.chart-strip')`) {
				break
			}
		}
		assert.True(t, b.is(at(last)), "the newest is the stop of the tabulator")
		b.do(key("ArrowRight"))
		assert.True(t, b.is(at(last)), "there is none after it")
		b.do(key("ArrowLeft"), key("ArrowLeft"))
		assert.True(t, b.is(at(first)))
		b.do(key("End"))
		assert.True(t, b.is(at(last)))
		b.do(key("Home"))
		assert.True(t, b.is(at(first)))
		b.clean("on a strip")
		b.picture("strip-focus-1440")
		b.do(key("Tab"))
		assert.False(t, b.is(`document.activeElement.closest('.chart-strip')`), "the next stop is behind the strip")
		b.do(key("Tab", chromedp.ModifierShift))
		assert.True(t, b.is(at(first)), "one comes back to where one was")
		b.follow(key("Enter"))
		assert.Equal(t, fmt.Sprintf("/runs/%d", first), b.text(`location.pathname`))
	}
}

// skipLink is the first stop of the tabulator, and leads past the frame.
func (b *tab) skipLink() {
	b.t.Helper()
	b.visit("/jobs")
	b.do(key("Tab"))
	b.until(`document.activeElement.matches('a.skip') && document.activeElement.getBoundingClientRect().left >= 0`)
	b.do(key("Enter"))
	b.until(`document.activeElement.id === 'main'`)
	b.do(key("Tab"))
	b.until(`document.activeElement.closest('main')`)
}
