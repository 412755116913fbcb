//go:build browser

package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// look opens a page and checks what every page must keep to.
func (w *world) look(t *testing.T, name, path string) {
	t.Helper()
	w.do(t, chromedp.Navigate(w.url+path), chromedp.WaitReady(css(`main`)))
	overflow := ask(t, w, chromedp.Evaluate[int](
		`document.documentElement.scrollWidth - document.documentElement.clientWidth`))
	marked := ask(t, w, chromedp.Evaluate[int](`window.marked ?? 0`))
	picture := ask(t, w, chromedp.FullScreenshot(100))
	assert.LessOrEqual(t, overflow, 0, "%s scrolls sideways", name)
	assert.Zero(t, marked, "%s ran a script that somebody wrote into a field", name)
	w.clean(t, name)
	require.NoError(t, os.WriteFile(filepath.Join(screens(t), name+".png"), picture, 0o644))
}

// TestPages looks at every page.
func TestPages(t *testing.T) {
	w := newWorld(t, true)
	w.do(t, size(1440, 900))
	w.look(t, "signin-en", "/signin")
	w.signIn(t)
	first, run := fmt.Sprint(w.jobs[0]), fmt.Sprint(w.runs[0])
	pages := []struct{ name, path string }{
		{"overview", "/"},
		{"jobs", "/jobs"},
		{"job", "/jobs/" + first},
		{"job-children", "/jobs/" + first + "?tab=children"},
		{"job-times", "/jobs/" + first + "?tab=times"},
		{"job-settings", "/jobs/" + first + "?tab=settings"},
		{"edit", "/jobs/" + first + "/edit"},
		{"search", "/search?q=settle"},
		{"nothing", "/no/such/page"},
		{"runs", "/runs"},
		{"run", "/runs/" + run},
		{"help", "/help"},
		{"account", "/settings"},
		{"users", "/settings/users"},
		{"user", "/settings/users/new"},
		{"audit", "/settings/audit"},
		{"about", "/settings/about"},
	}
	for _, lang := range []string{"en", "zh-CN"} {
		for _, theme := range []string{"light", "dark"} {
			w.choose(t, lang, theme)
			for _, width := range []int64{1440, 390} {
				w.do(t, size(width, 900))
				for _, p := range pages {
					w.look(t, fmt.Sprintf("%s-%s-%s-%d", p.name, lang, theme, width), p.path)
				}
			}
		}
	}
}
