package jobpages_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/jobpages"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestCode: the code is read, saved, compared and restored.
func TestCode(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	g := w.Group("golden", "gold", "")
	j := w.Script(g, "echo 1\necho "+consoletest.Evil+"\n")
	at := consoletest.PathOf(j) + "/code"
	page := v.Text(at)
	assert.Contains(t, page, "\necho 1\necho "+consoletest.Evil+"\n</textarea>", "a first line break is no part of it")
	assert.NotContains(t, v.Get(at).Body.String(), "<script>alert")
	assert.Contains(t, page, "current")
	assert.Contains(t, v.Text(consoletest.PathOf(j)), `href="`+at+`"`)
	assert.Equal(t, at, v.Get("/jobcode?jobId="+strconv.Itoa(int(j.ID))).Header().Get("Location"))

	assert.Equal(t, http.StatusSeeOther, v.Save(at, "echo 2\r\necho b\r\n", "the second"))
	assert.Equal(t, "echo 2\necho b\n", w.Load(j.ID).GlueSource.S)
	page = v.Text(at)
	assert.Contains(t, page, "it counts from the next run on")
	assert.Contains(t, page, "the second")
	assert.Contains(t, page, "· admin", "who has saved it")
	for remark, want := range map[string]string{"": "The remark is missing", "abc": "4 to 100", "<b>xx": "control characters out"} {
		rec := v.Post(at, url.Values{"base": {jobpages.CodeBase(w.Load(j.ID))}, "source": {"echo typed"}, "remark": {remark}})
		assert.Equal(t, http.StatusUnprocessableEntity, rec.Code, remark)
		assert.Contains(t, rec.Body.String(), want)
		assert.Contains(t, rec.Body.String(), "echo typed", "what was typed is kept")
	}

	versions, err := w.DB.GlueVersions(t.Context(), j.ID)
	require.NoError(t, err)
	require.Len(t, versions, 2)
	first, second := strconv.Itoa(int(versions[1].ID)), strconv.Itoa(int(versions[0].ID))
	page = v.Text(at + "?from=" + first + "&to=" + second)
	assert.Contains(t, page, "From #"+first+" to #"+second)
	assert.Contains(t, page, `<td class="line">echo 1</td>`)
	assert.Contains(t, page, `<td class="line">echo 2</td>`)
	assert.Contains(t, v.Text(at+"?from=0&to=0"), "There is no difference")
	page = v.Text(at + "?version=" + first)
	assert.Contains(t, page, "this is not what runs")
	assert.Contains(t, page, "\necho 1\n")
	assert.Equal(t, at, v.Post(at+"/restore", url.Values{"version": {first}}).Header().Get("Location"))
	assert.Equal(t, "echo 1\necho "+consoletest.Evil+"\n", w.Load(j.ID).GlueSource.S)
	v.UndoForm(v.Text(at))
	assert.Equal(t, "echo 2\necho b\n", w.Load(j.ID).GlueSource.S)
	v.Post(at+"/restore", url.Values{"version": {"999999"}})
	assert.Contains(t, v.Text(at), "has no version 999999", "there is no such version")

	rec := v.Get(at + "/file?version=" + first)
	assert.Equal(t, "echo 1\necho "+consoletest.Evil+"\n", rec.Body.String())
	assert.Equal(t, `attachment; filename="job-`+strconv.Itoa(int(j.ID))+"-"+first+`.sh"`, rec.Header().Get("Content-Disposition"))
	assert.Equal(t, "text/plain;charset=UTF-8", rec.Header().Get("Content-Type"))
	assert.Equal(t, http.StatusNotFound, v.Get(at+"/file?version=999999").Code)
	page = v.Text(consoletest.PathOf(j) + "?tab=history")
	assert.Contains(t, page, "saved code")
	assert.Contains(t, page, "Versions of the code")
}

// TestCodeOfTwo: who saves later sees what came between, and loses nothing.
func TestCodeOfTwo(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	j := w.Script(w.Group("golden", "gold", ""), "echo 1\n")
	at := consoletest.PathOf(j) + "/code"
	base := jobpages.CodeBase(w.Load(j.ID))
	require.Equal(t, http.StatusSeeOther, v.Save(at, "echo theirs\n", "theirs"))
	rec := v.Post(at, url.Values{"base": {base}, "source": {"echo mine\n"}, "remark": {"mine"}})
	assert.Equal(t, http.StatusConflict, rec.Code)
	for _, want := range []string{"Somebody else", `<td class="line">echo theirs</td>`, "\necho mine\n</textarea>", `value="mine"`} {
		assert.Contains(t, rec.Body.String(), want)
	}
	assert.Equal(t, "echo theirs\n", w.Load(j.ID).GlueSource.S)
	_, base, _ = strings.Cut(rec.Body.String(), `name="base" value="`)
	base, _, _ = strings.Cut(base, `"`)
	rec = v.Post(at, url.Values{"base": {base}, "source": {"echo mine\n"}, "remark": {"mine"}})
	assert.Equal(t, http.StatusSeeOther, rec.Code)
	assert.Equal(t, "echo mine\n", w.Load(j.ID).GlueSource.S)
}

// TestCodeIsAPermission: who may see a job reads its code; writing it has a
// switch and a permission of its own.
func TestCodeIsAPermission(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	g := w.Group("golden", "gold", "")
	j := w.Script(g, "echo 1\n")
	at := consoletest.PathOf(j) + "/code"
	u := w.User("lin1", false, strconv.Itoa(int(g)))
	v := w.As(u)
	page := v.Text(at)
	assert.Contains(t, page, "you have no permission to write code")
	assert.Contains(t, page, "echo 1")
	assert.NotContains(t, page, "<textarea")
	assert.NotContains(t, v.Text("/jobs/new"), "GLUE_SHELL")
	rec := v.Post(at, url.Values{"source": {"echo 2"}, "remark": {"version 2"}})
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	assert.Contains(t, rec.Body.String(), "not allowed")

	a := w.As(w.Admin)
	edit := "/settings/users/" + strconv.Itoa(int(u.ID))
	a.Post(edit, url.Values{"role": {"user"}, "group": {strconv.Itoa(int(g))}, "code": {"1"}})
	assert.Contains(t, a.Text(edit), `name="code" value="1" checked`)
	assert.Contains(t, v.Text(at), "<textarea")
	assert.Equal(t, http.StatusSeeOther, v.Save(at, "echo 2\n", "version 2"))
	assert.Contains(t, v.Text("/jobs/new"), "GLUE_SHELL")
	a.Post(edit, url.Values{"role": {"user"}, "group": {strconv.Itoa(int(g))}})
	assert.NotContains(t, v.Text(at), "<textarea", "it ends at once")

	other := w.As(w.User("other1", false, "999"))
	for _, tail := range []string{"", "/file"} {
		assert.Equal(t, http.StatusForbidden, other.Get(at+tail).Code)
	}
	other.Post(at+"/restore", url.Values{"version": {"1"}})
	assert.Equal(t, "echo 2\n", w.Load(j.ID).GlueSource.S)

	bean := w.Job(g, "bean")
	assert.Equal(t, consoletest.PathOf(bean), v.Get(consoletest.PathOf(bean)+"/code").Header().Get("Location"))
	assert.Contains(t, v.Text(consoletest.PathOf(bean)), "it has no code")
}

// TestCodeBegins: a new script job leads to its code, which has a beginning.
func TestCodeBegins(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	g := w.Group("golden", "gold", "")
	for _, kind := range model.GlueTypes()[1:] {
		require.NotEmpty(t, jobpages.CodeTemplate(kind), kind)
		rec := v.Post("/jobs/new", url.Values{
			"name": {"script"}, "group": {strconv.Itoa(int(g))}, "author": {"lin"}, "type": {kind}, "schedule": {"NONE"},
			"misfire": {"DO_NOTHING"}, "route": {"FIRST"}, "block": {"SERIAL_EXECUTION"},
		})
		require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body)
		at := rec.Header().Get("Location")
		require.Regexp(t, `^/jobs/\d+/code$`, at)
		assert.Contains(t, v.Text(at), "\n"+jobpages.CodeTemplate(kind)+"</textarea>")
		assert.Equal(t, http.StatusSeeOther, v.Save(at, jobpages.CodeTemplate(kind), "as it came"))
	}
}
