package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// asked is a world whose executors can be asked: that of port 9999 answers.
func asked(t *testing.T) *world {
	t.Helper()
	return newWorld(t, func(c *Config) {
		c.Executors = Executors{
			Addresses: func(_ context.Context, app string, addresses []string) (map[string]model.AddressState, error) {
				states := map[string]model.AddressState{}
				for _, a := range addresses {
					if strings.Contains(a, ":9999") {
						states[a] = model.AddressState{LastBeat: noon.Add(-7 * time.Second), Native: app == "orders", InFlight: 3, Queued: 41}
					} else {
						states[a] = model.AddressState{Dialect: "run", DeadSince: noon.Add(-time.Minute)}
					}
				}
				return states, nil
			},
			Probe: func(_ context.Context, address string, g *model.Group) *model.Probe {
				step := model.ProbeStep{Name: model.ProbeBeat, OK: true, Code: 200}
				if g.AccessToken == "" || !strings.Contains(address, ":9999") {
					step = model.ProbeStep{Name: model.ProbeBeat, Text: "connection <refused>"}
				}
				return &model.Probe{Address: address, Steps: []model.ProbeStep{step}}
			},
		}
	})
}

func TestExecutorsList(t *testing.T) {
	t.Parallel()
	w := asked(t)
	v := w.as(w.admin)
	assert.Contains(t, v.text("/executors"), "There is no executor yet")
	full := w.group("orders", "Orders", "http://10.0.0.1:9999/,http://10.0.0.2:9999/,http://10.0.0.3:1/,http://10.0.0.4:1/")
	empty := w.group("reports", "Reports", "")
	page := v.text("/executors")
	for _, want := range []string{"Orders", "reports", "http://10.0.0.3:1/", "no address", "of its own"} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "http://10.0.0.4:1/", "a long list is cut")
	assert.NotContains(t, page, "Executors without an address", "it has no job that could fail")
	assert.NotContains(t, page, "Registered, but no executor")
	assert.Greater(t, strings.Index(page, executorPath(empty)+`"`), strings.Index(page, executorPath(full)+`"`), "nobody misses it")
	w.job(empty, "report", func(j *model.Job) { j.Running = true })
	page = v.text("/executors")
	assert.Contains(t, page, "Executors without an address: 1")
	assert.NotContains(t, page, "s3cret", "a token is not shown")
	assert.Less(t, strings.Index(page, executorPath(empty)+`"`), strings.Index(page, executorPath(full)+`"`), "what needs a look comes first")

	user := w.as(w.user("lin", false, strconv.Itoa(int(full))))
	page = user.text("/executors")
	assert.Contains(t, page, "Orders")
	assert.NotContains(t, page, "Reports")
	assert.NotContains(t, page, "New executor")
	assert.Equal(t, http.StatusForbidden, user.get(executorPath(empty)).Code)
	assert.Equal(t, http.StatusForbidden, user.post(executorPath(empty)+"/probe", nil).Code)
	for _, path := range []string{"/executors/new", executorPath(full) + "/edit"} {
		assert.Equal(t, http.StatusForbidden, user.get(path).Code)
		assert.Equal(t, http.StatusForbidden, user.post(path, nil).Code)
	}
	for _, what := range []string{"/delete", "/token", "/token/clear", "/token/end"} {
		assert.Equal(t, http.StatusForbidden, user.post(executorPath(full)+what, nil).Code)
	}
}

// TestUnknownExecutors: executors that no group has are shown to who may make the
// group, on the overview and in the list, whatever they call themselves.
func TestUnknownExecutors(t *testing.T) {
	t.Parallel()
	w := asked(t)
	g := w.group("orders", "Orders", "")
	v := w.as(w.admin)
	assert.NotContains(t, v.text("/"), "no executor is called so")
	name := `a&b="<i>`
	w.unknown = []model.UnknownApp{{
		AppName: name, Addresses: []string{"http://10.0.0.7:1/"}, Count: 9, Since: noon.Add(-time.Hour), LastBeat: noon,
	}}
	assert.Contains(t, v.text("/"), "Registered as “"+name+"”, but no executor is called so")
	page := v.text("/executors")
	for _, want := range []string{name, "http://10.0.0.7:1/", "… 1 of 9", "1 h ago", "/executors/new?app=" + url.QueryEscape(name)} {
		assert.Contains(t, page, want)
	}
	assert.Contains(t, v.text("/executors/new?app="+url.QueryEscape(name)), `value="`+name+`"`)
	assert.Contains(t, v.text("/executors/new?app="+strings.Repeat("x", 65)), `value=""`)
	w.unknown = append(w.unknown, model.UnknownApp{AppName: "second", Count: 1, Before: true, LastBeat: noon})
	assert.Contains(t, v.text("/"), "Registered under 2 app names")
	user := w.as(w.user("lin", false, strconv.Itoa(int(g))))
	for _, path := range []string{"/", "/executors"} {
		assert.NotContains(t, user.text(path), "second", path)
		assert.NotContains(t, user.text(path), "is called so", path)
	}
}

func TestExecutorPage(t *testing.T) {
	t.Parallel()
	w := asked(t)
	g := w.group("orders", "Orders", "http://10.0.0.1:9999/,http://10.0.0.3:1/")
	w.job(g, "settle")
	v := w.as(w.admin)
	page := v.text(executorPath(g))
	for _, want := range []string{"our Go executor", "7 s ago", ">41<", ">3<", "no answer to calls since", "Java 2.2.0–3.4.2", "Jobs: 1"} {
		assert.Contains(t, page, want)
	}
	rec := v.post(executorPath(g)+"/probe", nil)
	require.Equal(t, http.StatusOK, rec.Code)
	assert.Contains(t, rec.Body.String(), "answers (")
	assert.Contains(t, rec.Body.String(), "connection &lt;refused&gt;")
	rec = v.post(executorPath(g)+"/probe", url.Values{"address": {"http://10.0.0.1:9999/"}})
	assert.NotContains(t, rec.Body.String(), "refused", "only the one that was named")
	rec = v.post(executorPath(g)+"/probe", url.Values{"address": {"http://169.254.169.254/"}})
	assert.NotContains(t, rec.Body.String(), "answers (", "only addresses of the group are asked")
	assert.Equal(t, http.StatusNotFound, v.get("/executors/999").Code)

	lonely := w.group("reports", "Reports", "")
	assert.Contains(t, v.text(executorPath(lonely)), "No program has registered as reports")
}

func TestExecutorToken(t *testing.T) {
	t.Parallel()
	w := asked(t)
	g := w.group("orders", "Orders", "")
	v := w.as(w.admin)
	rec := v.post(executorPath(g)+"/token", nil)
	require.Equal(t, http.StatusOK, rec.Code)
	row, err := w.db.Group(t.Context(), g)
	require.NoError(t, err)
	assert.NotEqual(t, "s3cret-of-the-group", row.AccessToken)
	assert.Contains(t, rec.Body.String(), row.AccessToken)
	assert.NotContains(t, v.text(executorPath(g)), row.AccessToken, "shown once")
	for _, value := range v.cookies {
		assert.NotContains(t, value, row.AccessToken)
	}
	v.post(executorPath(g)+"/token", url.Values{"overlap": {"86400"}})
	page := v.text(executorPath(g))
	assert.Contains(t, page, "The old token still counts:")
	assert.Contains(t, page, "2026-11-22 12:00:00 UTC")
	v.post(executorPath(g)+"/token/end", nil)
	assert.NotContains(t, v.text(executorPath(g)), "The old token still counts")
	v.post(executorPath(g)+"/token", url.Values{"overlap": {"endless"}})
	assert.Contains(t, v.text(executorPath(g)), "until somebody ends it")
	v.post(executorPath(g)+"/token/clear", nil)
	assert.Contains(t, v.text(executorPath(g)), "uses the common token now")
	row, err = w.db.Group(t.Context(), g)
	require.NoError(t, err)
	assert.Empty(t, row.AccessToken)
}

func TestExecutorIsEdited(t *testing.T) {
	t.Parallel()
	const marker = `"><script>x</script>`
	w := asked(t)
	v := w.as(w.admin)
	rec := v.post("/executors/new", url.Values{"app": {"x"}, "title": {"Or" + marker}, "manual": {"1"}, "addresses": {marker}})
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	assert.NotContains(t, rec.Body.String(), "<script>x")
	assert.Contains(t, rec.Body.String(), "&lt;script&gt;x", "what was typed is kept")

	rec = v.post("/executors/new", url.Values{
		"app": {"orders"}, "title": {"Orders"}, "manual": {"1"}, "addresses": {"http://10.0.0.1:9999/\r\nhttp://10.0.0.2:9999/\r\n"},
	})
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body.String())
	path := rec.Header().Get("Location")
	assert.Contains(t, v.text(path), "Executor orders is there.")
	assert.Contains(t, v.text(path+"/edit"), "http://10.0.0.1:9999/\nhttp://10.0.0.2:9999/")
	rec = v.post(path+"/edit", url.Values{"app": {"orders"}, "title": {"Orders 2"}, "manual": {"0"}})
	require.Equal(t, http.StatusSeeOther, rec.Code)
	page := v.text(path)
	assert.Contains(t, page, "Saved.")
	assert.Contains(t, page, "Orders 2")
	assert.Contains(t, page, "No program has registered")

	assert.Equal(t, path, v.post(path+"/delete", nil).Header().Get("Location"), "the last one stays")
	w.group("other", "Other", "")
	assert.Equal(t, "/executors", v.post(path+"/delete", nil).Header().Get("Location"))
	assert.Contains(t, v.text("/executors"), "The executor is deleted.")
}
