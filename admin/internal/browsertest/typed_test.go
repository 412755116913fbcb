//go:build browser

package browsertest

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const keptNow = `(sessionStorage.getItem('typed') ?? '')`

// leaves ends the login of the browser while its page stays as it is.
func (b *tab) leaves() {
	b.t.Helper()
	ask(b, chromedp.Evaluate[bool](`fetch('/signout', {method: 'POST', body: new URLSearchParams({
		csrf: document.querySelector('form[action="/signout"] [name=csrf]').value})}).then((r) => r.ok)`, chromedp.EvalAwaitPromise))
}

// returns signs in on the page that is shown.
func (b *tab) returns(name, password string) {
	b.t.Helper()
	b.write(`input[name=name]`, name)
	b.write(`input[name=password]`, password)
	b.follow(click(`form.signin button.primary`)...)
}

// TestTypedIsKept: what was typed into the editor is put back after the login that has
// ended meanwhile, for the same user alone, and is forgotten once it was taken.
func TestTypedIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	b := w.operator(t)
	w.member(t, b, "somebody-else", "editor", w.seeds.groups[0])
	edit := fmt.Sprintf("/jobs/%d/edit", w.seeds.jobs[0])
	fill := func() {
		b.visit(edit)
		b.write(`input[name=name]`, "typed 雪 <b>")
		b.write(`textarea[name=param]`, "two\nlines")
		b.pick(`select[name=schedule]`, "FIX_RATE")
		b.write(`input[name=seconds]`, "77")
	}
	fill()
	b.leaves()
	const save = `form.editor .row button[value=save]`
	b.follow(click(save)...)
	assert.Contains(t, b.text(`document.querySelector('.toast').textContent`), "NOT done")
	b.clean("the login page after what was sent in vain")
	b.picture("signin-undone-1440")
	b.size(390)
	b.prefer("zh-CN", "dark")
	b.follow(chromedp.Evaluate[chromedp.Void](`void location.reload()`))
	b.clean("the same in the dark on a phone")
	b.picture("signin-undone-dark-390")

	b.expect(http.StatusUnauthorized)
	b.returns(adminName, "wrong")
	b.returns(adminName, password)
	require.Equal(t, edit, b.text(`location.pathname`))
	b.clean("an editor with something kept")
	b.picture("typed-kept-dark-390")
	b.size(1440)
	b.prefer("en", "light")
	b.visit(edit)
	assert.NotContains(t, b.text(`document.querySelector('input[name=name]').value`), "typed", "nothing comes unasked")
	assert.Contains(t, b.text(`document.querySelector('.toast').textContent`), "What you typed here before your login ended is kept.")
	b.picture("typed-kept-1440")
	b.do(click(`#typed`)...)
	b.until(`document.querySelector('input[name=name]').value === 'typed 雪 <b>'`)
	assert.Equal(t, "two\nlines", b.text(`document.querySelector('textarea[name=param]').value`))
	assert.Equal(t, "true", b.text(`String(document.querySelector('[data-kind=CRON]').hidden && !document.querySelector('[data-kind=FIX_RATE]').hidden)`))
	assert.Equal(t, "77", b.text(`document.querySelector('input[name=seconds]').value`))
	assert.Empty(t, b.text(keptNow), "it is back, and kept no more")
	b.clean("an editor with what was typed")
	b.picture("typed-back-1440")
	b.write(`input[name=name]`, "typed 雪")
	b.follow(click(save)...)
	assert.Contains(t, b.text(`document.querySelector('.toast').textContent`), "The job is saved.")
	assert.Empty(t, b.text(keptNow), "what was taken is not kept")

	// Somebody else signs in.
	fill()
	b.leaves()
	b.follow(click(save)...)
	assert.NotEmpty(t, b.text(keptNow))
	b.returns("somebody-else", password)
	assert.Empty(t, b.text(keptNow), "nobody gets what another has typed")
}

// TestNoSecretIsKept: passwords that were typed are sent, and nowhere else.
func TestNoSecretIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	b := w.operator(t)
	b.visit("/settings/users/new")
	b.write(`form.block input[name=name]`, "somebody")
	b.write(`form.block input[name=password]`, "a-secret-of-theirs")
	b.leaves()
	b.follow(click(`form.block button.primary`)...)
	kept := b.text(keptNow)
	assert.Contains(t, kept, "somebody")
	assert.NotContains(t, kept, "secret")
	assert.NotContains(t, kept, "csrf")
}
