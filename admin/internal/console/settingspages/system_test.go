package settingspages_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/settingspages"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

var secretShown = regexp.MustCompile(`xja_[0-9a-f]{64}`)

func TestKeysPage(t *testing.T) {
	t.Parallel()
	for _, v := range model.Verbs() {
		assert.True(t, i18n.HasConsole("keys.verb."+string(v)), "a verb without words: %s", v)
	}
	w := consoletest.New(t)
	v := w.As(w.Admin)
	group := strconv.Itoa(int(w.Group("golden", "gold", "")))
	assert.Contains(t, v.Text("/settings/keys"), "There are no API keys yet")
	for _, form := range []url.Values{
		{"verb": {"read"}},
		{"name": {"x"}},
		{"name": {"x"}, "verb": {"read"}, "scope": {"groups"}},
		{"name": {"x"}, "verb": {"admin"}, "scope": {"groups"}, "group": {group}},
		{"name": {consoletest.Evil}, "verb": {"read"}},
	} {
		rec := v.Post("/settings/keys", form)
		assert.Equal(t, http.StatusUnprocessableEntity, rec.Code, form)
		assert.NotContains(t, rec.Body.String(), "<script>alert")
	}
	rec := v.Post("/settings/keys", url.Values{
		"name": {"deploy"}, "verb": {"read", "run"}, "scope": {"groups"}, "group": {group}, "days": {"90"},
	})
	require.Equal(t, http.StatusOK, rec.Code)
	secret := secretShown.FindString(rec.Body.String())
	require.NotEmpty(t, secret)
	assert.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	k, err := w.Ops.FindKey(t.Context(), secret)
	require.NoError(t, err)
	assert.Equal(t, []int32{k.GroupIDs[0]}, k.GroupIDs)
	assert.Equal(t, consoletest.Noon.Add(90*24*time.Hour), k.Expires.UTC())

	page := v.Text("/settings/keys")
	assert.NotContains(t, page, secret, "it is shown once")
	for _, want := range []string{"deploy", k.Prefix, "gold", "valid"} {
		assert.Contains(t, page, want)
	}
	v.Post("/settings/keys/"+strconv.FormatInt(k.ID, 10)+"/revoke", nil)
	page = v.Text("/settings/keys")
	assert.Contains(t, page, "The key is revoked.")
	assert.NotContains(t, page, "/revoke\"")
	_, err = w.Ops.FindKey(t.Context(), secret)
	require.ErrorIs(t, err, ops.ErrNoKey)
	v.Post("/settings/keys/999/revoke", nil)
	assert.Contains(t, v.Text("/settings/keys"), "There is no API key 999.")
}

// TestSessionsPage: everybody sees and ends their own logins, administrators all
// of them; what has ended counts no more.
func TestSessionsPage(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	bert := w.User("bert", false, "")
	b := w.As(bert)
	v.Header["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:99.0) Firefox/99.0 " + consoletest.Evil
	v.Post("/signin", url.Values{"name": {"admin"}, "password": {"sesame-open"}})
	second := w.As(w.Admin)
	page := v.Get("/settings/sessions").Body.String()
	assert.Contains(t, page, "Firefox, Linux")
	assert.NotContains(t, page, "<script>alert")
	assert.Contains(t, page, "192.0.2.1", "where it came from")
	assert.Contains(t, page, "this one")
	assert.NotContains(t, page, v.Cookies[web.SessionCookie])
	assert.NotContains(t, page, "bert")
	all := v.Text("/settings/sessions?who=all")
	assert.Contains(t, all, "bert")
	assert.Contains(t, v.Text("/settings/sessions?user="+strconv.Itoa(int(bert.ID))), "Logins of bert")

	assert.NotContains(t, b.Text("/settings/sessions?who=all"), "Firefox", "others see their own alone")
	id := auth.SessionID(v.Cookies[web.SessionCookie])
	b.Post("/settings/sessions/"+id+"/end", nil)
	assert.Contains(t, b.Text("/settings/sessions"), "toast-bad")
	assert.Equal(t, http.StatusOK, v.Get("/settings").Code, "nobody ends those of others")
	assert.Equal(t, http.StatusForbidden, b.Post("/settings/users/1/sessions", nil).Code)

	v.Post("/settings/sessions/others", nil)
	assert.Contains(t, v.Text("/settings/sessions"), "1 login has ended")
	assert.Equal(t, http.StatusSeeOther, second.Get("/settings").Code)
	assert.Equal(t, http.StatusOK, b.Get("/settings").Code)
	v.Post("/settings/sessions/"+auth.SessionID(b.Cookies[web.SessionCookie])+"/end", nil)
	assert.Equal(t, http.StatusSeeOther, b.Get("/settings").Code)
	b = w.As(bert)
	v.Post("/settings/users/"+strconv.Itoa(int(bert.ID))+"/sessions", nil)
	assert.Equal(t, http.StatusSeeOther, b.Get("/settings").Code)
	v.Post("/settings/sessions/none/end", nil)
	assert.Contains(t, v.Text("/settings/sessions"), "There is no such login, or it has ended.")
	rec := v.Post("/settings/sessions/"+id+"/end", nil)
	assert.Equal(t, "/signin", rec.Header().Get("Location"))
	assert.Empty(t, v.Cookies[web.SessionCookie])
}

// TestSessionsEnd: where rights or passwords change, logins end.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	for name, form := range map[string]url.Values{
		"role":     {"role": {"admin"}},
		"password": {"role": {"user"}, "password": {"sesame-new"}},
		"deletion": nil,
	} {
		u := w.User("user-"+name, false, "")
		other := w.As(u)
		require.Equal(t, http.StatusOK, other.Get("/settings").Code)
		at := "/settings/users/" + strconv.Itoa(int(u.ID))
		if form == nil {
			at += "/delete"
		}
		require.Equal(t, http.StatusSeeOther, v.Post(at, form).Code)
		assert.Equal(t, http.StatusSeeOther, other.Get("/settings").Code, name)
	}
	u := w.User("user-groups", false, "")
	other := w.As(u)
	group := w.Group("golden", "gold", "")
	at := "/executors/" + strconv.Itoa(int(group))
	assert.Equal(t, http.StatusForbidden, other.Get(at).Code)
	v.Post("/settings/users/"+strconv.Itoa(int(u.ID)), url.Values{"role": {"user"}, "role-" + strconv.Itoa(int(group)): {"viewer"}})
	assert.Equal(t, http.StatusOK, other.Get(at).Code, "permissions count at once, without a new login")
}

func TestBrowserOf(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"": "", "curl/8.1": "curl", "xxl-job-cli something": "xxl-job-cli",
		"Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0": "Edge, Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18 like Mac OS X) AppleWebKit Version/18 Safari/604.1":                  "Safari, iPhone",
	} {
		assert.Equal(t, want, settingspages.BrowserOf(agent))
	}
}

func TestRetentionPage(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	page := v.Text("/settings/retention")
	for _, want := range []string{"the 30 days before", "any number of runs", "kept for 365 days", "ended are kept for 30 days", "As the nodes were started", "Nothing has been old enough"} {
		assert.Contains(t, page, want)
	}
	j := w.Job(w.Group("golden", "gold", ""), "settle")
	for days := range 10 {
		w.Run(j, consoletest.Noon.AddDate(0, 0, -days*5), time.Second, model.CodeSuccess, "")
	}
	key := model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: j.ID}
	require.NoError(t, w.DB.RaiseAlarms(t.Context(), []model.AlarmRecord{{AlarmKey: key, Last: consoletest.Noon, Count: 1}}))
	_, err := w.DB.EndAlarm(t.Context(), 1, consoletest.Noon.AddDate(0, 0, -8))
	require.NoError(t, err)
	form := url.Values{"days": {"20"}, "keep": {"500"}, "audit": {"0"}, "alarms": {"7"}}
	asked := v.Post("/settings/retention", form).Body.String()
	assert.Contains(t, asked, "Runs from before 2026-11-01 00:00:00 UTC go: 5 now")
	assert.Contains(t, asked, "beyond its newest 500")
	assert.Contains(t, asked, "kept for ever")
	assert.Contains(t, asked, "ended are kept for 7 days")
	assert.Contains(t, asked, "Alarms that ended before 2026-11-14 12:00:00 UTC go: 1 now")
	assert.Contains(t, v.Text("/settings/retention"), "the 30 days before", "nothing is saved yet")
	form.Set("sure", "1")
	require.Equal(t, http.StatusSeeOther, v.Post("/settings/retention", form).Code)
	page = v.Text("/settings/retention")
	for _, want := range []string{"The retention is set", "the 20 days before", "newest 500 runs", "for all nodes", "Undo"} {
		assert.Contains(t, page, want)
	}
	v.Post("/settings/retention?sure=1&reset=1", nil)
	assert.Contains(t, v.Text("/settings/retention"), "the 30 days before", "undone")
	for _, bad := range []url.Values{{"days": {"2"}}, {"days": {"x"}}, {"keep": {"-1"}}, {"audit": {"6"}}, {"alarms": {"-1"}}} {
		assert.Equal(t, http.StatusUnprocessableEntity, v.Post("/settings/retention", bad).Code, bad)
	}
	v.Post("/settings/retention", url.Values{"days": {"30"}, "keep": {"0"}, "audit": {"0"}, "alarms": {"9"}, "sure": {"1"}})
	v.Post("/settings/retention", url.Values{"days": {"31"}, "keep": {"0"}, "audit": {"0"}, "sure": {"1"}})
	assert.Contains(t, v.Text("/settings/retention"), "ended are kept for 9 days", "a form of before there was this")
	require.NoError(t, w.Ops.NoteCleaned(t.Context(), ops.Cleaned{At: consoletest.Noon, Node: "node-b", Runs: 1234}))
	assert.Contains(t, v.Text("/settings/retention"), "1,234 runs, 0 audit records, 0 alarms, 0 expired logins, by node node-b")

	b := w.As(w.User("bert", false, strconv.Itoa(int(j.GroupID))))
	page = b.Text("/settings/retention")
	assert.NotContains(t, page, `name="audit"`, "to be changed by administrators alone")
	assert.Equal(t, http.StatusForbidden, b.Post("/settings/retention", form).Code)
	b.CleanNow(t, j)
}

func TestClusterPage(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	w.System.View = ops.ClusterView{
		Nodes: []ops.NodeView{
			{Name: "node-a", This: true, State: ops.NodeAlive, Seen: consoletest.Noon, Host: consoletest.Evil, Version: "v1.2.3", Started: consoletest.Noon, Shards: 1},
			{Name: "node-b", State: ops.NodeSilent, Seen: consoletest.Noon.Add(-time.Minute), Faults: []string{"leases are not renewed" + consoletest.Evil}},
			{Name: "node-c", State: ops.NodeGone, Seen: consoletest.Noon.Add(-time.Hour)},
		},
		Shards: []ops.ShardView{{Index: 0, Owner: "node-a", Expires: consoletest.Noon.Add(2500 * time.Millisecond)}},
	}
	v := w.As(w.Admin)
	page := v.Get("/settings/cluster").Body.String()
	assert.Contains(t, page, `<div data-renew="/settings/cluster?part=1"`)
	assert.Contains(t, page, "/renew.")
	now := v.Get("/settings/cluster?part=1").Body.String()
	assert.True(t, strings.HasPrefix(now, `<section class="block">`), "the part alone")
	assert.Contains(t, page, strings.TrimSpace(now))
	assert.NotContains(t, page, "<script>alert")
	for _, want := range []string{"works", "silent", "has stopped", "this one", "2.50 s", "leases are not renewed", "Every shard has a node (1)", "not shared with Java"} {
		assert.Contains(t, page, want)
	}
	w.System.View.Shards = append(w.System.View.Shards, ops.ShardView{Index: 1, Due: 3, Since: consoletest.Noon.Add(-time.Minute)})
	w.System.View.Java = ops.JavaView{Shared: true, Looked: 300, Runs: 7, Address: "10.0.0.7", Last: consoletest.Noon, LogID: 99}
	page = v.Text("/settings/cluster")
	for _, want := range []string{"1 shard without a node: its jobs do not fire", "nobody's", "1 min", "7 are of Java admins; the last one of 10.0.0.7", "/runs/99"} {
		assert.Contains(t, page, want)
	}
	w.System.View.Shards[1].Owner = "node-a"
	assert.Contains(t, v.Text("/settings/cluster"), "3 jobs are due and not planned, 1 min behind")
	w.System.View.Shards, w.System.View.Nodes[0].Faults = w.System.View.Shards[:1], []string{"loop registry is late"}
	assert.Contains(t, v.Text("/settings/cluster"), "Every shard has a node, but 1 node is not well")
	about := v.Text("/settings/about")
	for _, want := range []string{"0123456789ab", "26 h", "sqlite 3.99", "migration 5", "registry", "late"} {
		assert.Contains(t, about, want)
	}
	assert.NotContains(t, w.As(w.User("bert", false, "")).Text("/settings/about"), "sqlite 3.99", "for administrators")
}

// TestSettingsInEveryLanguage: no text is missing, whoever asks.
func TestSettingsInEveryLanguage(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	for _, lang := range web.LangNames {
		v.Cookies[web.LangCookie] = lang.Code
		for _, page := range []string{"keys", "sessions", "retention", "cluster", "about", "audit"} {
			body := v.Text("/settings/" + page)
			assert.NotRegexp(t, `[> ](keys|sessions|retention|clean|cluster|about|audit|settings)\.[a-z.0-9]+<`, body, page)
		}
		assert.Equal(t, http.StatusOK, v.Post("/settings/clean", url.Values{"kind": {"9"}}).Code)
		assert.Equal(t, http.StatusOK, v.Post("/settings/retention", url.Values{"days": {"3"}}).Code)
	}
	assert.NotEmpty(t, strings.TrimSpace(v.Text("/settings")))
}
