//go:build browser

package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// operator opens a tab of somebody who has logged in, in English.
func (w *world) operator(t *testing.T) *tab {
	t.Helper()
	b := w.enter(t, 1440, true)
	return b
}

// TestLiveLog sees what a run writes appear while it runs, and the result with
// its end, without a reload by hand; it searches in it, wraps it and keeps it.
func TestLiveLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	w.executor(t)
	b := w.operator(t)
	run := b.runJob(w.seeds.jobs[2], "run")
	b.until(`document.querySelector('#log-text').innerText.includes('waits for the gate')`)
	assert.Contains(t, b.text(`document.querySelector('#log-text .af31').innerText`), "for the gate")
	b.until(`document.querySelector('#state').innerText.includes('●')`)
	close(w.gate)
	b.until(`document.querySelector('#state')?.innerText.includes('✓')`)
	b.until(`document.querySelector('#log-text')?.innerText.includes('goes on')`)
	b.until(`document.querySelector('form[action$="/retry"]')`)
	b.clean("the log of a run that has ended")

	b.write(`#log-search`, "GOES")
	b.until(`document.querySelectorAll('#log-text .hit').length === 1`)
	b.do(key("Enter"))
	b.until(`document.querySelector('#log-text .now')?.innerText.includes('goes on')`)
	assert.True(t, b.is(`document.querySelector('#log-text').scrollWidth <= document.querySelector('#log-text').clientWidth`))
	b.do(click(`#log-wrap`)...)
	b.until(`getComputedStyle(document.querySelector('#log-text .ll, #log-text')).whiteSpace.includes('pre')`)
	b.until(`document.querySelector('#log-text').classList.contains('nowrap')`)
	kept := ask(b, chromedp.Evaluate[string](`fetch(document.querySelector('#log a[download]').href)
		.then(async (r) => r.headers.get('Content-Disposition') + '\n' + await r.text())`, chromedp.EvalAwaitPromise))
	assert.True(t, strings.HasPrefix(kept, "attachment"), kept)
	assert.Contains(t, kept, fmt.Sprint(run))
	assert.Contains(t, kept, "goes on")
	b.clean("a log that is searched")
}

// TestLiveList sees a run come into the list by itself, and not while the list
// is paused.
func TestLiveList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	w.executor(t)
	watcher, other := w.operator(t), w.operator(t)
	first := other.runJob(w.seeds.jobs[0], "ok")
	row := func(id int64) string { return fmt.Sprintf(`document.querySelector('tr[data-row="%d"]')`, id) }
	watcher.visit("/runs")
	watcher.until(row(first))
	watcher.do(chromedp.Evaluate[chromedp.Void](`void (window.kept = true, document.querySelector('tr[data-row] input[name=id]').click(),
		document.querySelector('tr[data-row] a').focus())`))
	second := other.runJob(w.seeds.jobs[0], "ok")
	watcher.until(row(second))
	assert.True(t, watcher.is(`window.kept`), "the page was loaded again")
	assert.True(t, watcher.is(row(first)+`.querySelector('input').checked`), "the choice is lost")
	assert.True(t, watcher.is(row(first)+`.querySelector('a') === document.activeElement`), "the focus is lost")
	watcher.do(click(`#live`)...)
	watcher.until(`document.querySelector('#live').getAttribute('aria-pressed') === 'false'`)
	third := other.runJob(w.seeds.jobs[0], "ok")
	assert.False(t, watcher.is(row(third)), "the list was paused")
	watcher.do(click(`#live`)...)
	watcher.until(row(third))
	watcher.clean("the list of runs")
}

// TestEditor types into the editor of jobs and sees what it says meanwhile.
func TestEditor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	b := w.operator(t)
	b.visit("/jobs/new")
	b.write(`#f-cron`, "0 0 3 * * ?")
	b.until(`document.querySelector('#preview').innerText.includes('every day 03:00')`)
	require.Equal(t, "10", b.text(`String(document.querySelectorAll('#preview ol li').length)`))
	b.until(`document.querySelector('#preview svg')`)
	b.clean("preview")
	b.write(`#f-zone`, "America/New_York")
	b.write(`#f-cron`, "0 30 2 * * ?")
	b.until(`document.querySelector('#preview .warn')`)
	b.clean("daylight saving")
	b.write(`#f-cron`, "0 99 * * * ?")
	b.until(`document.querySelector('#p-cron .problem') && document.querySelector('#f-cron').ariaInvalid === 'true'`)
	assert.Equal(t, "1", b.text(`String([...document.querySelectorAll('.problem')].filter((p) => p.checkVisibility()).length)`), "said once")
	b.clean("a wrong expression")
	b.write(`#f-cron`, "0 0 0 31 2 ?")
	b.until(`document.querySelector('#p-cron').textContent.includes('never fires')`)
	b.write(`#f-zone`, "Nowhere/City")
	b.until(`document.querySelector('#p-zone .problem') && document.querySelector('#f-zone').ariaInvalid === 'true'`)
	b.until(`!document.querySelector('#p-cron .problem') && document.querySelector('#f-cron').ariaInvalid !== 'true'`)
	b.write(`#f-timeout`, "-5")
	b.until(`document.querySelector('#p-timeout .problem') && document.querySelector('#f-timeout').ariaInvalid === 'true'`)
	b.picture("edit-problems")
	b.clean("problems at their fields")
	b.write(`#f-zone`, "")
	b.write(`#f-timeout`, "5")
	b.until(`!document.querySelector('#p-zone .problem, #p-timeout .problem')`)
	b.do(click(`button[name=preset]`)...)
	b.until(`!document.querySelector('#p-cron .problem, #preview .problem') && document.querySelector('#preview ol li')`)
	b.write(`#builder label:nth-child(2) input`, "7")
	b.until(`document.querySelector('#f-cron').value.split(' ')[1] === '7'`)
	b.write(`#f-param`, `{"day": }`)
	b.until(`document.querySelector('#json').textContent.startsWith('▲')`)
	b.write(`#f-param`, `{"day": 1}`)
	b.until(`document.querySelector('#json').textContent.startsWith('✓')`)
	b.write(`#f-param`, `{"day": 12345678901234567890.10, "list": [1, {}]}`)
	b.do(click(`#format`)...)
	assert.Equal(t, "{\n  \"day\": 12345678901234567890.10,\n  \"list\": [\n    1,\n    {}\n  ]\n}", b.text(`document.querySelector('#f-param').value`))
	b.write(`#f-param`, "[1,\n x]")
	b.until(`document.querySelector('#p-param').textContent.includes('line 2, column 2')`)
	b.clean("no JSON")
	b.do(click(`[name=paramkind][value=text]`)...)
	b.until(`!document.querySelector('#p-param .problem')`)
	b.children(t)
	b.pick(`#f-schedule`, "FIX_RATE")
	b.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('#f-schedule').dispatchEvent(new Event('change', {bubbles: true}))`))
	b.until(`!document.querySelector('#f-cron').checkVisibility() && document.querySelector('#f-seconds').checkVisibility()`)
	b.clean("a rate")
	b.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('form.editor').dispatchEvent(new Event('submit'))`))
}

// children chooses child jobs by name and drops them.
func (b *tab) children(t *testing.T) {
	t.Helper()
	b.write(`#f-find`, "fai")
	b.until(`document.querySelector('[data-part="found"] button')?.textContent.includes('fail')`)
	b.do(click(`[data-part="found"] button`)...)
	b.until(`document.querySelector('.chip a')?.textContent === 'fail'`)
	b.write(`#f-children`, "2,999")
	b.until(`document.querySelector('#p-children .problem')?.textContent.includes('999')`)
	b.clean("a child that is not there")
	b.do(click(`.chip-bad button`)...)
	b.until(`!document.querySelector('#p-children .problem') && document.querySelector('#f-children').value === '2'`)
	b.do(click(`.chip button`)...)
	b.until(`!document.querySelector('.chip') && document.querySelector('#f-children').value === ''`)
}

// TestLivePages sees the overview, the page of a job and the alarms renew
// themselves, and the job's not while they are paused.
func TestLivePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	w.executor(t)
	home, job, alarms, other := w.operator(t), w.operator(t), w.operator(t), w.operator(t)
	home.visit("/")
	job.visit(fmt.Sprintf("/jobs/%d", w.seeds.jobs[0]))
	alarms.visit("/alarms")
	for _, b := range []*tab{home, job, alarms} {
		b.do(chromedp.Evaluate[chromedp.Void](`void (window.kept = true)`))
	}
	first := other.runJob(w.seeds.jobs[0], "ok")
	line := func(id int64) string { return fmt.Sprintf(`document.querySelector('main a[href="/runs/%d"]')`, id) }
	job.until(line(first))
	job.do(click(`#live`)...)
	second := other.runJob(w.seeds.jobs[0], "ok")
	assert.False(t, job.is(line(second)), "the page was paused")
	job.do(click(`#live`)...)
	job.until(line(second))
	ask(other, chromedp.Evaluate[bool](fmt.Sprintf(`fetch('/alarms/mute', {method: 'POST', body: new URLSearchParams({group: '%d',
		minutes: '30', reason: 'while we look', csrf: document.querySelector('[name=csrf]').value})}).then((r) => r.ok)`,
		w.seeds.groups[0]), chromedp.EvalAwaitPromise))
	alarms.until(`document.querySelector('main').innerText.includes('while we look')`)
	home.until(`document.querySelector('main').innerText.includes('are muted until')`)
	for name, b := range map[string]*tab{"overview": home, "job": job, "alarms": alarms} {
		assert.True(t, b.is(`window.kept`), "the page was loaded again")
		b.clean(name + " that has renewed itself")
		b.picture("live-" + name + "-1440")
		b.size(390)
		b.picture("live-" + name + "-390")
	}
}
