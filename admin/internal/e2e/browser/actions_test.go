//go:build browser

package browser

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// text is what the page says.
func (w *world) text(t *testing.T) string {
	t.Helper()
	return ask(t, w, chromedp.Evaluate[string](`document.body.innerText`))
}

// scripts switches those of the pages on or off.
func (w *world) scripts(t *testing.T, on bool) {
	t.Helper()
	w.do(t, func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: !on})
		return chromedp.Void{}, err
	})
}

// TestWithoutScripts makes, runs and stops a job with the scripts of the pages
// switched off.
func TestWithoutScripts(t *testing.T) {
	w := newWorld(t, true)
	w.scripts(t, false)
	w.signIn(t)
	w.do(t, chromedp.Navigate(w.url+"/jobs/new"),
		chromedp.SendKeys(css(`#f-name`), "made without scripts"),
		chromedp.SetValue(css(`#f-group`), "1"),
		chromedp.SendKeys(css(`#f-handler`), "settle"),
		chromedp.Click(css(`button[name=do][value=preview]`)), chromedp.WaitVisible(css(`#preview ol`)))
	assert.Equal(t, "made without scripts", ask(t, w, chromedp.Value(css(`#f-name`))), "what was typed is kept")
	w.do(t, chromedp.Click(css(`input[name=start]`)), chromedp.Click(css(`button.primary[value=save]`)),
		chromedp.WaitVisible(css(`.toast`)),
		chromedp.Click(css(`[data-key=run]`)), chromedp.WaitVisible(css(`#run-param`)),
		chromedp.SendKeys(css(`#run-param`), "by hand"), chromedp.Click(css(`form[action$="/run"] button`)),
		chromedp.WaitVisible(css(`#log`)))
	w.do(t, chromedp.Navigate(w.url+"/jobs?name=made"), chromedp.Click(css(`input[name=id]`)),
		chromedp.Click(css(`button[value=stop]`)), chromedp.WaitVisible(css(`.toast`)),
		chromedp.Click(css(`input[name=id]`)), chromedp.Click(css(`button[value=delete]`)),
		chromedp.WaitVisible(css(`button.danger.primary`)), chromedp.Click(css(`button.danger.primary`)),
		chromedp.WaitVisible(css(`.toast`)))
	w.clean(t, "without scripts")
}
