//go:build browser

package browsertest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// member makes a user with a role in one group, and logs in as them.
func (w *world) member(t *testing.T, chief *tab, name, role string, group int32) *tab {
	t.Helper()
	form := url.Values{"name": {name}, "password": {password}, "role": {"user"}, fmt.Sprintf("role-%d", group): {role}}
	chief.visit("/settings/users/new")
	require.True(t, ask(chief, chromedp.Evaluate[bool](fmt.Sprintf(`fetch('/settings/users/new', {method: 'POST',
		body: new URLSearchParams(%q + '&csrf=' + document.querySelector('[name=csrf]').value)}).then((r) => r.ok)`, form.Encode()),
		chromedp.EvalAwaitPromise)))
	b := w.open(t)
	b.size(1440)
	b.login(name, password)
	return b
}

// TestRoles looks at the pages as people see them who have a role in one of the
// groups: they are in order, tell of that group alone, and offer what the role may.
func TestRoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, crowded)
	w.executor(t)
	chief := w.operator(t)
	failed := chief.runJob(w.seeds.jobs[1], "bad")
	job, group := fmt.Sprintf("/jobs/%d", w.seeds.jobs[1]), fmt.Sprintf("/executors/%d", w.seeds.groups[0])
	offers := map[string]string{ // by role, what its page of a job offers first of all that lower ones may not
		"viewer": "", "operator": `form[action$="/run"]`, "editor": `a[href$="/edit"]`,
	}
	for _, tt := range []struct{ role, lang, theme string }{
		{"viewer", "zh-TW", "dark"}, {"operator", "en", "light"}, {"editor", "zh-CN", "light"},
	} {
		b := w.member(t, chief, "only-"+tt.role, tt.role, w.seeds.groups[0])
		b.prefer(tt.lang, tt.theme)
		for _, path := range []string{
			"/", "/jobs", job, job + "?tab=alarms", job + "?tab=history", job + "?tab=settings", "/runs", fmt.Sprintf("/runs/%d", failed),
			"/executors", group, "/alarms", "/settings", "/settings/about", "/settings/retention", "/jobs/deleted", "/search?q=a", "/help",
		} {
			b.visit(path)
			name := fmt.Sprintf("role-%s-%s", tt.role, strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(path))
			for _, width := range []int64{1440, 390} {
				b.size(width)
				b.clean(fmt.Sprintf("%s-%d", name, width))
				b.picture(fmt.Sprintf("%s-%d", name, width))
			}
			assert.NotContains(t, b.text(`document.querySelector('main').innerText`), "launch", "%s tells of another group", name)
		}
		b.visit(job)
		for role, offer := range offers {
			if offer != "" {
				may := tt.role == role || tt.role == "editor"
				assert.Equal(t, may, b.is(`document.querySelector('main `+offer+`')`), "%s: %s", tt.role, offer)
			}
		}
	}
}
