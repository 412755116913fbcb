//go:build browser

package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// text is what the page says.
func (w *world) text(t *testing.T) string {
	t.Helper()
	return ask(t, w, chromedp.Evaluate[string](`document.body.innerText`))
}
