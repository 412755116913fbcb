package jobedit_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/jobedit"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestTagsOfJobs(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	gold := w.Group("golden", "gold", "")
	a, b := w.Job(gold, "a-job"), w.Job(gold, "b-job")
	form := func(j *model.Job, version, tags string) *url.Values {
		return &url.Values{
			"name": {j.Name}, "group": {strconv.Itoa(int(gold))}, "author": {"lin"}, "handler": {"settle"}, "param": {""},
			"schedule": {"CRON"}, "cron": {"0 0 3 * * ?"}, "misfire": {"DO_NOTHING"}, "route": {"FIRST"},
			"block": {"SERIAL_EXECUTION"}, "timeout": {"0"}, "retries": {"0"}, "version": {version}, "tags": {tags},
		}
	}
	rec := v.Post(consoletest.PathOf(a)+"/edit", *form(a, jobedit.FormOf(a, nil).Version, "nightly, 财务，nightly ,"))
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
	tags, err := w.DB.Tags(t.Context(), []int32{a.ID})
	require.NoError(t, err)
	assert.Equal(t, []string{"nightly", "财务"}, tags[a.ID])
	assert.Contains(t, v.Text(consoletest.PathOf(a)+"/edit"), `value="nightly, 财务"`)
	rec = v.Post(consoletest.PathOf(a)+"/edit", *form(a, jobedit.FormOf(a, nil).Version, ""))
	assert.Equal(t, http.StatusConflict, rec.Code, "its tags were changed meanwhile")
	rec = v.Post(consoletest.PathOf(b)+"/edit", *form(b, jobedit.FormOf(b, nil).Version, "<b>"))
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)

	page := v.Text("/jobs")
	assert.Contains(t, page, `<a class="tag" href="/jobs?tag=nightly"`)
	assert.Contains(t, page, `<option value="nightly">nightly (1)`)
	assert.Equal(t, []string{"a-job"}, consoletest.Names(v.Text("/jobs?tag="+url.QueryEscape("财务"))))
	assert.Contains(t, v.Text("/jobs?tag=gone"), `<option value="gone" selected>`)
	assert.Contains(t, v.Text("/jobs/new?from="+strconv.Itoa(int(a.ID))), `value="nightly, 财务"`)
}
