package executorpages_test

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

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// asked is a world whose executors can be asked: that of port 9999 answers.
func asked(t *testing.T) *consoletest.World {
	t.Helper()
	return consoletest.New(t, func(c *console.Config) {
		c.Executors = console.Executors{
			Addresses: func(_ context.Context, app string, addresses []string) (map[string]model.AddressState, error) {
				states := map[string]model.AddressState{}
				for _, a := range addresses {
					if strings.Contains(a, ":9999") {
						states[a] = model.AddressState{LastBeat: consoletest.Noon.Add(-7 * time.Second), Native: app == "orders", InFlight: 3, Queued: 41}
					} else {
						states[a] = model.AddressState{Dialect: "run", DeadSince: consoletest.Noon.Add(-time.Minute)}
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
	v := w.As(w.Admin)
	assert.Contains(t, v.Text("/executors"), "There is no executor yet")
	full := w.Group("orders", "Orders", "http://10.0.0.1:9999/,http://10.0.0.2:9999/,http://10.0.0.3:1/,http://10.0.0.4:1/")
	empty := w.Group("reports", "Reports", "")
	page := v.Text("/executors")
	for _, want := range []string{"Orders", "reports", "http://10.0.0.3:1/", "no address", "of its own"} {
		assert.Contains(t, page, want)
	}
	folded := strings.Index(page, "<summary>1 more addresses")
	assert.Positive(t, folded, "a long list is folded")
	assert.Greater(t, strings.Index(page, "http://10.0.0.2:9999/"), folded, "what answers is in the fold")
	assert.Less(t, strings.Index(page, "http://10.0.0.4:1/"), folded, "what does not is not")
	assert.NotContains(t, page, "Executors without an address", "it has no job that could fail")
	assert.NotContains(t, page, "Registered, but no executor")
	assert.Greater(t, strings.Index(page, parts.ExecutorPath(empty)+`"`), strings.Index(page, parts.ExecutorPath(full)+`"`), "nobody misses it")
	w.Job(empty, "report", func(j *model.Job) { j.Running = true })
	page = v.Text("/executors")
	assert.Contains(t, page, "Executors without an address: 1")
	assert.NotContains(t, page, "s3cret", "a token is not shown")
	assert.Less(t, strings.Index(page, parts.ExecutorPath(empty)+`"`), strings.Index(page, parts.ExecutorPath(full)+`"`), "what needs a look comes first")

	user := w.As(w.User("lin", false, strconv.Itoa(int(full))))
	page = user.Text("/executors")
	assert.Contains(t, page, "Orders")
	assert.NotContains(t, page, "Reports")
	assert.NotContains(t, page, "New executor")
	assert.Equal(t, http.StatusForbidden, user.Get(parts.ExecutorPath(empty)).Code)
	assert.Equal(t, http.StatusForbidden, user.Post(parts.ExecutorPath(empty)+"/probe", nil).Code)
	for _, path := range []string{"/executors/new", parts.ExecutorPath(full) + "/edit"} {
		assert.Equal(t, http.StatusForbidden, user.Get(path).Code)
		assert.Equal(t, http.StatusForbidden, user.Post(path, nil).Code)
	}
	for _, what := range []string{"/delete", "/token", "/token/clear", "/token/end"} {
		assert.Equal(t, http.StatusForbidden, user.Post(parts.ExecutorPath(full)+what, nil).Code)
	}
}

// TestExecutorsListSaysHowAddressesStand: each address has its beat, its release and
// its open runs; one that is gone is named while runs are there.
func TestExecutorsListSaysHowAddressesStand(t *testing.T) {
	t.Parallel()
	w := asked(t)
	g := w.Group("orders", "Orders", "http://10.0.0.1:9999/,http://10.0.0.3:1/")
	j := w.Job(g, "settle")
	for i, at := range []string{"http://10.0.0.1:9999", "http://10.0.0.1:9999/", "http://10.0.0.8:9999/"} {
		w.RunAt(j, at, consoletest.Noon.Add(-time.Duration(i)*time.Minute), time.Second, 0, "")
	}
	w.RunAt(j, "http://10.0.0.3:1/", consoletest.Noon.Add(-time.Hour), time.Second, 200, "")
	page := w.As(w.Admin).Text("/executors?sort=-open")
	for _, want := range []string{
		"our Go executor", "7 s ago", "Java 2.2.0–3.4.2", "no answer to calls since",
		`">open runs: 2</a>`, "not an address of this executor any more", `">open runs: 1</a>`,
		`href="/runs?result=running&amp;group=` + strconv.Itoa(int(g)) + `">3</a>`, "Calls in flight: 3", "Triggers queued: 41",
	} {
		assert.Contains(t, page, strings.ReplaceAll(want, "&amp;", "&"), want)
	}
	assert.Contains(t, page, `aria-sort="descending"`)
}

// TestRefusedExecutors: who comes with a wrong token is shown on the overview and in
// the list to who sees every group, whatever it calls itself.
func TestRefusedExecutors(t *testing.T) {
	t.Parallel()
	w := asked(t)
	g := w.Group("orders", "Orders", "")
	v := w.As(w.Admin)
	assert.NotContains(t, v.Text("/executors"), "wrong access token")
	name := `a&b="<i>`
	w.Refused = []model.Refused{
		{
			Client: "192.0.2.7", AppName: name, Address: "http://10.0.0.7:1/", Call: "registry", Count: 12,
			First: consoletest.Noon.Add(-time.Hour), Last: consoletest.Noon.Add(-3 * time.Second),
		},
		{Client: "192.0.2.8", Call: "callback", Count: 1, First: consoletest.Noon, Last: consoletest.Noon},
	}
	page := v.Text("/executors")
	for _, want := range []string{
		"Came with a wrong access token", "192.0.2.7", name, "http://10.0.0.7:1/", ">12<", "1 h ago", "3 s ago", "named none",
	} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, v.Get("/executors").Body.String(), "<i>")
	assert.Contains(t, v.Text("/"), "An executor comes with a wrong access token: "+name+" 192.0.2.7")
	user := w.As(w.User("lin", false, strconv.Itoa(int(g))))
	for _, path := range []string{"/", "/executors"} {
		assert.NotContains(t, user.Text(path), "wrong access token", path)
	}
}

// TestUnknownExecutors: executors that no group has are shown to who may make the
// group, on the overview and in the list, whatever they call themselves.
func TestUnknownExecutors(t *testing.T) {
	t.Parallel()
	w := asked(t)
	g := w.Group("orders", "Orders", "")
	v := w.As(w.Admin)
	assert.NotContains(t, v.Text("/"), "no executor is called so")
	name := `a&b="<i>`
	w.Unknown = []model.UnknownApp{{
		AppName: name, Addresses: []string{"http://10.0.0.7:1/"}, Count: 9, Since: consoletest.Noon.Add(-time.Hour), LastBeat: consoletest.Noon,
	}}
	assert.Contains(t, v.Text("/"), "Registered as “"+name+"”, but no executor is called so")
	page := v.Text("/executors")
	for _, want := range []string{name, "http://10.0.0.7:1/", "… 1 of 9", "1 h ago", "/executors/new?app=" + url.QueryEscape(name)} {
		assert.Contains(t, page, want)
	}
	assert.Contains(t, v.Text("/executors/new?app="+url.QueryEscape(name)), `value="`+name+`"`)
	assert.Contains(t, v.Text("/executors/new?app="+strings.Repeat("x", 65)), `value=""`)
	w.Unknown = append(w.Unknown, model.UnknownApp{AppName: "second", Count: 1, Before: true, LastBeat: consoletest.Noon})
	assert.Contains(t, v.Text("/"), "Registered under 2 app names")
	user := w.As(w.User("lin", false, strconv.Itoa(int(g))))
	for _, path := range []string{"/", "/executors"} {
		assert.NotContains(t, user.Text(path), "second", path)
		assert.NotContains(t, user.Text(path), "is called so", path)
	}
}

func TestExecutorPage(t *testing.T) {
	t.Parallel()
	w := asked(t)
	g := w.Group("orders", "Orders", "http://10.0.0.1:9999/,http://10.0.0.3:1/")
	w.Job(g, "settle")
	v := w.As(w.Admin)
	page := v.Text(parts.ExecutorPath(g))
	for _, want := range []string{"our Go executor", "7 s ago", ">41<", ">3<", "no answer to calls since", "Java 2.2.0–3.4.2", "Jobs: 1"} {
		assert.Contains(t, page, want)
	}
	rec := v.Post(parts.ExecutorPath(g)+"/probe", nil)
	require.Equal(t, http.StatusOK, rec.Code)
	assert.Contains(t, rec.Body.String(), "answers (")
	assert.Contains(t, rec.Body.String(), "connection &lt;refused&gt;")
	rec = v.Post(parts.ExecutorPath(g)+"/probe", url.Values{"address": {"http://10.0.0.1:9999/"}})
	assert.NotContains(t, rec.Body.String(), "refused", "only the one that was named")
	rec = v.Post(parts.ExecutorPath(g)+"/probe", url.Values{"address": {"http://169.254.169.254/"}})
	assert.NotContains(t, rec.Body.String(), "answers (", "only addresses of the group are asked")
	assert.Equal(t, http.StatusNotFound, v.Get("/executors/999").Code)

	lonely := w.Group("reports", "Reports", "")
	assert.Contains(t, v.Text(parts.ExecutorPath(lonely)), "No program has registered as reports")
}

func TestExecutorToken(t *testing.T) {
	t.Parallel()
	w := asked(t)
	g := w.Group("orders", "Orders", "")
	v := w.As(w.Admin)
	rec := v.Post(parts.ExecutorPath(g)+"/token", nil)
	require.Equal(t, http.StatusOK, rec.Code)
	row, err := w.DB.Group(t.Context(), g)
	require.NoError(t, err)
	assert.NotEqual(t, "s3cret-of-the-group", row.AccessToken)
	assert.Contains(t, rec.Body.String(), row.AccessToken)
	assert.NotContains(t, v.Text(parts.ExecutorPath(g)), row.AccessToken, "shown once")
	for _, value := range v.Cookies {
		assert.NotContains(t, value, row.AccessToken)
	}
	v.Post(parts.ExecutorPath(g)+"/token", url.Values{"overlap": {"86400"}})
	page := v.Text(parts.ExecutorPath(g))
	assert.Contains(t, page, "The old token still counts:")
	assert.Contains(t, page, "2026-11-22 12:00:00 UTC")
	v.Post(parts.ExecutorPath(g)+"/token/end", nil)
	assert.NotContains(t, v.Text(parts.ExecutorPath(g)), "The old token still counts")
	v.Post(parts.ExecutorPath(g)+"/token", url.Values{"overlap": {"endless"}})
	assert.Contains(t, v.Text(parts.ExecutorPath(g)), "until somebody ends it")
	v.Post(parts.ExecutorPath(g)+"/token/clear", nil)
	assert.Contains(t, v.Text(parts.ExecutorPath(g)), "uses the common token now")
	row, err = w.DB.Group(t.Context(), g)
	require.NoError(t, err)
	assert.Empty(t, row.AccessToken)
}

func TestExecutorIsEdited(t *testing.T) {
	t.Parallel()
	const marker = `"><script>x</script>`
	w := asked(t)
	v := w.As(w.Admin)
	rec := v.Post("/executors/new", url.Values{"app": {"x"}, "title": {"Or" + marker}, "manual": {"1"}, "addresses": {marker}})
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	assert.NotContains(t, rec.Body.String(), "<script>x")
	assert.Contains(t, rec.Body.String(), "&lt;script&gt;x", "what was typed is kept")

	rec = v.Post("/executors/new", url.Values{
		"app": {"orders"}, "title": {"Orders"}, "manual": {"1"}, "addresses": {"http://10.0.0.1:9999/\r\nhttp://10.0.0.2:9999/\r\n"},
	})
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body.String())
	path := rec.Header().Get("Location")
	assert.Contains(t, v.Text(path), "Executor orders is there.")
	assert.Contains(t, v.Text(path+"/edit"), "http://10.0.0.1:9999/\nhttp://10.0.0.2:9999/")
	rec = v.Post(path+"/edit", url.Values{"app": {"orders"}, "title": {"Orders 2"}, "manual": {"0"}})
	require.Equal(t, http.StatusSeeOther, rec.Code)
	page := v.Text(path)
	assert.Contains(t, page, "Saved.")
	assert.Contains(t, page, "Orders 2")
	assert.Contains(t, page, "No program has registered")

	assert.Equal(t, path, v.Post(path+"/delete", nil).Header().Get("Location"), "the last one stays")
	w.Group("other", "Other", "")
	assert.Equal(t, "/executors", v.Post(path+"/delete", nil).Header().Get("Location"))
	assert.Contains(t, v.Text("/executors"), "The executor is deleted.")
}
