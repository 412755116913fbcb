//go:build browser

package browsertest

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// audit looks at the page that is shown, and returns what is wrong with it.
//
//go:embed testdata/audit.js
var audit string

// tab is a tab of a Chromium, with cookies of its own, at an admin.
type tab struct {
	t   *testing.T
	w   *world
	ctx context.Context

	mu      sync.Mutex
	faults  []string
	refused []int // HTTP statuses that the page under test may have
	cutOff  bool  // the server may break connections
	still   bool  // scripts are off, so no page changes by itself
}

// chromium is the one browser of all tests, which the first tab starts.
var chromium struct {
	once sync.Once
	ctx  context.Context
	err  error
	stop func()
}

// startChromium starts the browser. It ends with stopChromium.
func startChromium(ctx context.Context) {
	program, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		program, err = exec.LookPath("chromium")
	}
	if err != nil {
		chromium.err = fmt.Errorf("chromium is needed, see admin/internal/dbtest/install.sh: %w", err)
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.Flag("lang", "en"), chromedp.Flag("force-prefers-reduced-motion", true))
	alloc, stop := chromedp.NewExecAllocator(ctx, options...)
	browser, end := chromedp.NewContext(alloc)
	chromium.stop = func() {
		end()
		stop()
	}
	chromium.ctx, chromium.err = browser, chromedp.Do(browser)
}

func stopChromium() {
	if chromium.stop != nil {
		chromium.stop()
	}
}

// open opens a tab with cookies of its own.
func (w *world) open(t *testing.T) *tab {
	t.Helper()
	chromium.once.Do(func() { startChromium(context.WithoutCancel(t.Context())) })
	require.NoError(t, chromium.err)
	b := &tab{t: t, w: w}
	ctx, end := chromedp.NewContext(chromium.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(b.note))
	t.Cleanup(end)
	require.NoError(t, chromedp.Do(ctx))
	b.ctx = ctx
	_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	require.NoError(t, err)
	return b
}

// enter opens a tab so wide, with scripts or without, in which an administrator is
// logged in to light pages in English.
func (w *world) enter(t *testing.T, width int64, scripts bool) *tab {
	t.Helper()
	b := w.open(t)
	b.size(width)
	b.scripts(scripts)
	b.login(adminName, password)
	b.prefer("en", "light")
	return b
}

// note keeps what the browser complains of.
func (b *tab) note(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.fault("exception: " + e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if kind := e.Type.String(); kind == "error" || kind == "warning" {
			b.fault("console." + kind)
		}
	case *log.EventEntryAdded:
		// That a request has failed is said by the two below too, with its status.
		if level := e.Entry.Level.String(); level == "error" && e.Entry.Source.String() != "network" {
			b.fault(e.Entry.Text + " " + e.Entry.URL)
		}
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 {
			b.mu.Lock()
			expected := slices.Contains(b.refused, int(e.Response.Status))
			b.mu.Unlock()
			if !expected {
				b.fault(fmt.Sprintf("%d for %s", int(e.Response.Status), e.Response.URL))
			}
		}
	case *network.EventLoadingFailed:
		b.mu.Lock()
		expected := b.cutOff
		b.mu.Unlock()
		if !e.Canceled && e.ErrorText != "net::ERR_ABORTED" && !expected {
			b.fault(e.ErrorText + " " + e.BlockedReason.String())
		}
	case *page.EventJavascriptDialogOpening:
		b.fault("dialog: " + e.Message)
	}
}

func (b *tab) fault(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, text)
}

// expect says which refusals are no fault, until the next call.
func (b *tab) expect(statuses ...int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refused = statuses
}

// clean asserts that the browser had nothing to complain of since it was asked
// last, and that the page that is shown is in order.
func (b *tab) clean(where string) {
	b.t.Helper()
	for _, problem := range b.audited() {
		assert.Fail(b.t, where+": "+problem)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.Empty(b.t, b.faults, where)
	b.faults = nil
}

// audited is what is wrong with the page that is shown; of one that renews itself
// just then, with the next one.
func (b *tab) audited() []string {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	for {
		b.until(`document.readyState === 'complete'`)
		problems, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](audit))
		if err == nil {
			return problems
		}
		require.NoError(b.t, ctx.Err(), "%v", err)
	}
}

// do runs actions.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	require.NoError(b.t, chromedp.Do(ctx, steps...))
}

// ask runs an action and returns what it gives.
func ask[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	v, err := chromedp.Run(ctx, action)
	require.NoError(b.t, err)
	return v
}

// text is what a script returns, which changes nothing; on a page that renews
// itself just then it is run on the next one.
func (b *tab) text(script string) string {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	for {
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](script))
		if err == nil || !strings.Contains(err.Error(), "navigated or closed") {
			require.NoError(b.t, err)
			return text
		}
		require.NoError(b.t, ctx.Err(), "%v", err)
	}
}

// until waits until a script says true. Pages may change meanwhile.
func (b *tab) until(script string) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if b.is(script) {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.keep("failed-" + b.t.Name())
			shown := b.text(`location.href + "\n" + document.body.innerText.slice(0, 2000)`)
			require.Fail(b.t, "never true: "+script, "the page: %s", shown)
		}
	}
}

// is reports whether a script says true on the page that is there now; on one
// that is about to be replaced nothing is.
func (b *tab) is(script string) bool {
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+script+")"))
	return err == nil && ok
}

// visit opens a page and waits until it is loaded.
func (b *tab) visit(path string) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	if err := chromedp.Do(ctx, chromedp.Navigate(b.w.url+path)); err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		require.NoError(b.t, err, "%s, and the browser said: %q", path, b.faults)
	}
}

// reload opens a page again and again until a script says true there.
func (b *tab) reload(path, script string) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	tick := time.NewTicker(10 * interval)
	defer tick.Stop()
	for {
		b.visit(path)
		if b.is(script) {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.Fail(b.t, "never true at "+path+": "+script, b.text(`document.body.innerText.slice(0, 2000)`))
		}
	}
}

// comes waits until a script says true on the page that is shown, which renews
// itself, or without scripts is loaded again.
func (b *tab) comes(script string) {
	b.t.Helper()
	if b.still {
		b.reload(b.text(`location.pathname`), script)
		return
	}
	b.until(script)
}

// follow does what leads to another page, and waits for that.
func (b *tab) follow(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`void (document.documentElement.leaving = true)`))
	b.do(steps...)
	b.until(`document.readyState === 'complete' && !document.documentElement.leaving`)
}

// click clicks what the selectors find, one after another.
func click(selectors ...string) []chromedp.Action[chromedp.Void] {
	steps := make([]chromedp.Action[chromedp.Void], 0, len(selectors))
	for _, s := range selectors {
		steps = append(steps, chromedp.Click(chromedp.CSS(s)))
	}
	return steps
}

// write puts a text into a field as if it was typed.
func (b *tab) write(field, text string) {
	b.t.Helper()
	b.do(chromedp.Focus(chromedp.CSS(field)), chromedp.Evaluate[chromedp.Void](`void document.activeElement.select?.()`))
	if text == "" {
		b.do(chromedp.KeyEvent("\b"))
		return
	}
	b.do(chromedp.SendKeys(chromedp.CSS(field), text))
}

// pick chooses an entry of a choice.
func (b *tab) pick(field, value string) {
	b.t.Helper()
	b.do(chromedp.SetValue(chromedp.CSS(field), value))
}

// login logs in through the page.
func (b *tab) login(name, password string) {
	b.t.Helper()
	b.visit("/signin")
	b.write(`input[name=name]`, name)
	b.write(`input[name=password]`, password)
	b.follow(click(`form.signin button.primary`)...)
}

// prefer sets language and theme as the form in the frame does.
func (b *tab) prefer(lang, theme string) {
	b.t.Helper()
	ask(b, chromedp.Evaluate[bool](fmt.Sprintf(`(async () => {
		for (const [name, value] of [['lang', %q], ['theme', %q]]) {
			await fetch('/prefs', {method: 'POST', body: new URLSearchParams({[name]: value, back: '/signin'})});
		}
		return true;
	})()`, lang, theme), chromedp.EvalAwaitPromise))
}

// size sets that of the window.
func (b *tab) size(width int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, 900))
}

// scripts switches JavaScript of the pages on or off.
func (b *tab) scripts(on bool) {
	b.t.Helper()
	b.still = !on
	_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: !on})
	require.NoError(b.t, err)
}

// picture leaves one in build/screens, where everything is looked at.
func (b *tab) picture(name string) {
	b.t.Helper()
	if *everything {
		b.keep(name)
	}
}

// keep leaves a picture in build/screens.
func (b *tab) keep(name string) {
	b.t.Helper()
	dir := filepath.Join("..", "..", "..", "build", "screens")
	require.NoError(b.t, os.MkdirAll(dir, 0o755))
	file := filepath.Join(dir, strings.NewReplacer("/", "_", " ", "_").Replace(name)+".png")
	require.NoError(b.t, os.WriteFile(file, ask(b, chromedp.FullScreenshot(100)), 0o644))
}
