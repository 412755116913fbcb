package jobedit_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/jobedit"
)

// TestUndoIsOffered: behind everything that can be undone, and it works.
func TestUndoIsOffered(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	g := w.Group("golden", "gold", "")
	j := w.Job(g, "settle")
	at := consoletest.PathOf(j)

	v.Post(at+"/start", nil)
	assert.True(t, w.Load(j.ID).Running)
	assert.Equal(t, "/jobs?page=1", v.UndoForm(v.Text(at)))
	assert.False(t, w.Load(j.ID).Running)
	page := v.Text(at)
	assert.Contains(t, page, "It is undone.")
	v.UndoForm(page)
	assert.True(t, w.Load(j.ID).Running, "an undo can be undone")
	v.Post(at+"/stop", nil)
	v.UndoForm(v.Text("/jobs"))
	assert.True(t, w.Load(j.ID).Running)

	edit := func(name string) {
		t.Helper()
		form := jobedit.FormOf(w.Load(j.ID), nil)
		rec := v.Post(at+"/edit", url.Values{
			"name": {name}, "group": {form.Group}, "author": {form.Author}, "handler": {form.Handler}, "cron": {form.Cron},
			"schedule": {form.Schedule}, "misfire": {form.Misfire}, "route": {form.Route}, "block": {form.Block},
			"version": {form.Version},
		})
		require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	}
	edit("other")
	page = v.Text(at)
	edit("third")
	v.UndoForm(page)
	assert.Equal(t, "third", w.Load(j.ID).Name)
	assert.Contains(t, v.Text(at), "It has been changed since", "what came later is not lost")

	v.Post(at+"/delete", nil)
	back := v.UndoForm(v.Text("/jobs"))
	require.Regexp(t, `^/jobs/\d+$`, back)
	assert.Equal(t, at, back)
	assert.Contains(t, v.Text(back), "The job is back, as number")
}
