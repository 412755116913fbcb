package jobedit_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/jobedit"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// formValues are the fields of a job's editor as a browser posts them.
func formValues(w *consoletest.World, j *model.Job, pairs ...string) url.Values {
	w.T.Helper()
	form := jobedit.FormOf(j, nil)
	values := url.Values{
		"name": {form.Name}, "group": {form.Group}, "author": {form.Author}, "handler": {form.Handler}, "cron": {form.Cron},
		"schedule": {form.Schedule}, "misfire": {form.Misfire}, "route": {form.Route}, "block": {form.Block},
		"version": {form.Version}, "children": {form.Children}, "param": {form.Param}, "paramkind": {form.ParamKind},
	}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return values
}

// TestChildPicker: child jobs are found by name, chosen and dropped without scripts,
// and what is wrong with them is said.
func TestChildPicker(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	gold, silver := w.Group("golden", "gold", ""), w.Group("silver", "silver", "")
	j, report, foreign := w.Job(gold, "settle"), w.Job(gold, "the report"), w.Job(silver, "their report")
	v := w.As(w.User("golden1", false, strconv.Itoa(int(gold))))
	post := func(pairs ...string) string {
		rec := v.Post(consoletest.PathOf(j)+"/edit", formValues(w, j, pairs...))
		require.Equal(t, http.StatusOK, rec.Code)
		return rec.Body.String()
	}
	id := strconv.Itoa(int(report.ID))
	page := post("do", "find", "find", "REPORT")
	assert.Contains(t, page, `name="add" value="`+id+`"`)
	assert.NotContains(t, page, "their report", "of another executor")
	assert.NotContains(t, page, `name="add" value="`+strconv.Itoa(int(j.ID))+`"`, "not itself")
	page = post("add", id, "find", "report")
	assert.Contains(t, page, `name="children" value="`+id+`"`)
	assert.Contains(t, page, `name="drop" value="`+id+`"`)
	assert.Contains(t, page, "data-again", "it is not saved yet")
	assert.NotContains(t, post("children", id+",7", "drop", id), `name="drop" value="`+id+`"`)
	assert.Contains(t, post("do", "find", "find", "nobody"), "No other job of yours is called so.")

	part := func(children string) string {
		return v.Text("/jobs/children?" + url.Values{"id": {strconv.Itoa(int(j.ID))}, "children": {children}}.Encode())
	}
	report.Children = model.T(strconv.Itoa(int(j.ID)))
	require.NoError(t, w.DB.UpdateJob(t.Context(), report, nil))
	for children, want := range map[string]string{
		"999": "There is no job 999, or you have no role", strconv.Itoa(int(j.ID)): "its own child", strconv.Itoa(int(foreign.ID)): "or you have no role in its executor",
		id: "without end: ", "x": "“x” is no id",
	} {
		assert.Contains(t, part(children), want, children)
	}
	assert.NotContains(t, part(strconv.Itoa(int(foreign.ID))), "their report")
	page = post("do", "preview", "children", strings.Repeat("7,", 100_000))
	assert.Contains(t, page, "0-255")
	assert.Less(t, len(page), 1<<20, "what is too long is said once, and nothing of it is named")
	assert.NotContains(t, v.Get("/jobs/children?find="+url.QueryEscape(consoletest.Evil)).Body.String(), "<script>")
}

// TestParamAsJSON: as JSON a parameter is checked, with line and column, and put on
// lines of its own without touching numbers and keys.
func TestParamAsJSON(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	j := w.Job(w.Group("golden", "gold", ""), "settle")
	post := func(pairs ...string) (int, string) {
		rec := v.Post(consoletest.PathOf(j)+"/edit", formValues(w, j, pairs...))
		return rec.Code, rec.Body.String()
	}
	code, page := post("paramkind", "json", "param", "{\r\n \"ä\": x}")
	assert.Equal(t, http.StatusUnprocessableEntity, code)
	assert.Contains(t, page, "No JSON from line 2, column 7 on.")
	assert.Contains(t, page, `href="#f-param"`)
	_, page = post("paramkind", "json", "param", `{"a": `)
	assert.Contains(t, page, "line 1, column 7 on")
	_, page = post("paramkind", "json", "param", "  ")
	assert.Contains(t, page, "Nothing is no JSON")
	code, page = post("do", "format", "param", `{"b":12345678901234567890.10,"a":[1,{}]}`)
	assert.Equal(t, http.StatusOK, code)
	assert.Contains(t, page, "{\n  &#34;b&#34;: 12345678901234567890.10,\n  &#34;a&#34;: [\n    1,\n    {}\n  ]\n}")
	assert.Contains(t, page, `value="json" checked`)
	_, page = post("do", "format", "param", `{"b"`)
	assert.Contains(t, page, "line 1, column 5")
	for name, deep := range map[string]string{
		"brackets": strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"objects":  strings.Repeat(`{"\"]":`, 5000) + "1" + strings.Repeat("}", 5000),
		"lines":    "[" + strings.Repeat("1,", 200_000) + "1]",
	} {
		_, page = post("do", "format", "param", deep)
		assert.Less(t, len(page), 1<<20, "%s: what some kilobytes would become many megabytes of stays as it is", name)
	}
	_, page = post("do", "format", "param", `["[[[[]]]]{{{{", `+strings.Repeat("[", 60)+"1"+strings.Repeat("]", 60)+"]")
	assert.Contains(t, page, "[\n  &#34;[[[[]]]]{{{{&#34;,\n  [\n    [\n", "brackets in a text nest nothing")
	code, page = post("do", "format", "param", " ")
	assert.Equal(t, http.StatusOK, code, "an empty parameter is in order")
	assert.NotContains(t, page, `value="json" checked`)
	code, _ = post("paramkind", "text", "param", "{no json")
	assert.Equal(t, http.StatusSeeOther, code, "a text is a text")
	assert.NotContains(t, v.Text(consoletest.PathOf(j)+"/edit"), `value="json" checked`)
}

// TestRulesInTheEditor: the rules for alarms of a job are set, changed and taken away
// with the job, and one undo takes all of it back.
func TestRulesInTheEditor(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	g := w.Group("golden", "gold", "")
	j := w.Job(g, "settle")
	v.Post("/alarms/rules", url.Values{"group": {strconv.Itoa(int(g))}, "what": {"late"}, "limit": {"120"}})
	page := v.Text(consoletest.PathOf(j) + "/edit")
	assert.Contains(t, page, "Empty: as its executor's rule says, 2 min")
	assert.Contains(t, page, "Empty: no alarm")
	rec := v.Post(consoletest.PathOf(j)+"/edit", formValues(w, j, "late", "0", "long", "x"))
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	assert.Contains(t, rec.Body.String(), "2 fields to mend")
	assert.Equal(t, http.StatusSeeOther, v.Post(consoletest.PathOf(j)+"/edit", formValues(w, j, "late", "90", "param", "p")).Code)
	said := v.Text(consoletest.PathOf(j))
	rules := func() (list []string) {
		all, err := w.DB.AlarmRules(t.Context())
		require.NoError(t, err)
		for _, r := range all {
			list = append(list, r.Kind+" "+string(r.What)+" "+r.Limit.String())
		}
		return list
	}
	assert.Equal(t, []string{"group late 2m0s", "job late 1m30s"}, rules())
	v.UndoForm(said)
	assert.Equal(t, []string{"group late 2m0s"}, rules())
	assert.Empty(t, w.Load(j.ID).Param.S)
}

// TestStaleEditor: who saves what another one has changed meanwhile is told who, and
// what, and keeps what was typed.
func TestStaleEditor(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	g := w.Group("golden", "gold", "")
	j := w.Job(g, "settle")
	other, v := w.As(w.User("other1", false, strconv.Itoa(int(g)))), w.As(w.Admin)
	seen := v.Post(consoletest.PathOf(j)+"/edit", formValues(w, j, "retries", "1")) // an older change
	require.Equal(t, http.StatusSeeOther, seen.Code)
	j = w.Load(j.ID)
	changes, err := w.DB.Changes(t.Context(), model.ChangeJob, j.ID, 1, 0)
	require.NoError(t, err)
	mine := formValues(w, j, "param", "mine", "seen", strconv.FormatInt(changes[0].ID, 10))
	require.Equal(t, http.StatusSeeOther, other.Post(consoletest.PathOf(j)+"/edit", formValues(w, j, "retries", "7")).Code)
	rec := v.Post(consoletest.PathOf(j)+"/edit", mine)
	assert.Equal(t, http.StatusConflict, rec.Code)
	page := rec.Body.String()
	assert.Contains(t, page, "Somebody has changed")
	assert.Contains(t, page, "other1")
	assert.Contains(t, page, "<del>1</del>")
	assert.Contains(t, page, "<ins>7</ins>")
	assert.NotContains(t, page, "<del>0</del>", "that was seen")
	assert.Contains(t, page, ">mine</textarea>")
}

// TestProblemsAtTheirFields: what is wrong is said at its own field, when the job is
// saved and while it is typed, in words of our own.
func TestProblemsAtTheirFields(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	j := w.Job(w.Group("golden", "gold", ""), "settle")
	const never = "0 0 0 31 2 ?"
	at := func(page, field, want string) {
		t.Helper()
		_, rest, _ := strings.Cut(page, `<div id="p-`+field+`" class="problems"`)
		text, _, _ := strings.Cut(rest, "</div>")
		assert.Contains(t, text, want, field)
		assert.Contains(t, page, `href="#f-`+field+`"`)
		assert.NotContains(t, page, "illegal")
		assert.Equal(t, 1, strings.Count(page, want), want)
	}
	save := func(pairs ...string) string {
		t.Helper()
		rec := v.Post(consoletest.PathOf(j)+"/edit", formValues(w, w.Load(j.ID), pairs...))
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
		return rec.Body.String()
	}
	at(save("zone", "Nowhere/City"), "zone", "is no time zone")
	at(save("timeout", "-5"), "timeout", `</span> Give a whole number, 0 or more.`)
	at(save("tags", "<b>"), "tags", "Tags is not valid: leave empty tags")
	at(save("children", "999"), "children", "There is no job 999.")
	require.Equal(t, http.StatusSeeOther, v.Post(consoletest.PathOf(j)+"/start", nil).Code)
	at(save("cron", never), "cron", "This schedule never fires again")
	started := formValues(w, w.Load(j.ID), "cron", never, "start", "1", "type", "BEAN")
	at(v.Post("/jobs/new", started).Body.String(), "cron", "This schedule never fires again")
	require.Equal(t, http.StatusSeeOther, v.Post(consoletest.PathOf(j)+"/stop", nil).Code)
	require.Equal(t, http.StatusSeeOther, v.Post(consoletest.PathOf(j)+"/edit", formValues(w, w.Load(j.ID), "cron", never)).Code)
	assert.Contains(t, v.Text(consoletest.PathOf(j)), "The job is saved. This schedule never fires again", "it is stopped, and said")

	preview := func(conf, zone string) string {
		return v.Text("/jobs/preview?" + url.Values{"schedule": {"CRON"}, "conf": {conf}, "zone": {zone}}.Encode())
	}
	assert.Contains(t, preview(never, ""), `data-at="cron"><span aria-hidden="true">✕</span> This schedule never fires`)
	assert.Contains(t, preview("x", ""), `data-at="cron"`)
	assert.Contains(t, preview("0 0 3 * * ?", "Nowhere/City"), `data-at="zone"`)
}
