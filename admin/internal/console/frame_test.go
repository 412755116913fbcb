package console_test

import (
	"context"
	"io/fs"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/frame"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	w.As(w.Admin) // gives it a password
	v := w.As(nil)

	rec := v.Get("/search?q=x")
	assert.Equal(t, http.StatusSeeOther, rec.Code)
	assert.Equal(t, "/signin?next=%2Fsearch%3Fq%3Dx", rec.Header().Get("Location"))
	assert.Contains(t, v.Text("/signin?next=%2Fsearch%3Fq%3Dx"), `name="next" value="/search?q=x"`)

	rec = v.Post("/signin", url.Values{"name": {"admin"}, "password": {"wrong"}, "next": {"/search?q=x"}})
	assert.Equal(t, http.StatusUnauthorized, rec.Code)
	assert.Contains(t, rec.Body.String(), "is not right")
	assert.Contains(t, rec.Body.String(), `value="/search?q=x"`, "where one wanted to go is kept")
	assert.NotContains(t, rec.Body.String(), "wrong\"", "a password is not sent back")
	assert.Equal(t, http.StatusUnprocessableEntity, v.Post("/signin", url.Values{"name": {"admin"}}).Code)

	rec = v.Post("/signin", url.Values{"name": {"admin"}, "password": {"sesame-open"}, "next": {"/search?q=x"}})
	assert.Equal(t, http.StatusSeeOther, rec.Code)
	assert.Equal(t, "/search?q=x", rec.Header().Get("Location"))
	cookie, err := http.ParseSetCookie(rec.Header().Get("Set-Cookie"))
	require.NoError(t, err)
	assert.True(t, cookie.HttpOnly)
	assert.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
	assert.Zero(t, cookie.MaxAge)
	assert.Contains(t, v.Text("/search?q=nothing"), "Nothing is called “nothing”")
	assert.Equal(t, "/", v.Get("/signin").Header().Get("Location"))

	assert.Equal(t, "/signin", v.Post("/signout", nil).Header().Get("Location"))
	assert.Empty(t, v.Cookies[web.SessionCookie])
	rec = v.Post("/signin", url.Values{"name": {"admin"}, "password": {"sesame-open"}, "remember": {"1"}})
	cookie, err = http.ParseSetCookie(rec.Header().Get("Set-Cookie"))
	require.NoError(t, err)
	assert.Equal(t, int((30 * 24 * time.Hour).Seconds()), cookie.MaxAge)
}

// TestSignInSaysWhy: who is led to the login page is told that the login has ended,
// and that what was sent was not done.
func TestSignInSaysWhy(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	w.As(w.Admin)
	v := w.As(nil)
	assert.NotContains(t, v.Text("/signin"), "login has ended")
	v.Cookies[web.SessionCookie] = "of a session that was ended"
	to := v.Get("/jobs?state=started").Header().Get("Location")
	assert.Equal(t, "/signin?next=%2Fjobs%3Fstate%3Dstarted&why=ended", to)
	assert.Contains(t, v.Text(to), "Your login has ended. Sign in again")

	for from, c := range map[string]struct{ path, form, want string }{
		"http://example.com/jobs/2?tab=x":       {"/jobs/2/run", "param=p", "/signin?next=%2Fjobs%2F2%3Ftab%3Dx&why=undone"},
		"http://example.com/jobs/2/delete":      {"/jobs/2/delete", "sure=1", "/signin?next=%2Fjobs%2F2%2Fdelete&why=undone"},
		"http://example.com/executors/2/delete": {"/executors/2/delete", "", "/signin?next=%2Fexecutors%2F2&why=undone"},
		"http://example.com/jobs/2/edit":        {"/jobs/2/edit", "name=x", "/signin?next=%2Fjobs%2F2%2Fedit&why=undone"},
		"http://example.com/jobs/bulk":          {"/jobs/bulk", "back=%2Fjobs%3Ftag%3Da", "/signin?next=%2Fjobs%3Ftag%3Da&why=undone"},
		"":                                      {"/jobs/2/run", "", "/signin?why=undone"},
		"http://example.com/settings/access":    {"/signout", "", "/signin"},
	} {
		v.Header = map[string]string{"Referer": from}
		rec := v.Send(http.MethodPost, c.path, c.form)
		assert.Equal(t, c.want, rec.Header().Get("Location"), from)
	}
	page := v.Text("/signin?next=%2Fjobs%2F2&why=undone")
	assert.Contains(t, page, "what you sent was NOT done")
	rec := v.Post("/signin", url.Values{"name": {"admin"}, "password": {"wrong"}, "why": {"undone"}})
	assert.Contains(t, rec.Body.String(), "what you sent was NOT done", "still told after a wrong password")
	assert.NotContains(t, v.Text("/signin?why=%22evil"), "evil&#34;")
}

func TestSignInIsThrottled(t *testing.T) {
	t.Parallel()
	v := consoletest.New(t).As(nil)
	for range 10 {
		assert.Equal(t, http.StatusUnauthorized, v.Post("/signin", url.Values{"name": {"admin"}, "password": {"x"}}).Code)
	}
	rec := v.Post("/signin", url.Values{"name": {"admin"}, "password": {"x"}})
	assert.Equal(t, http.StatusTooManyRequests, rec.Code)
	assert.NotEmpty(t, rec.Header().Get("Retry-After"))
	assert.Contains(t, rec.Body.String(), "Too many attempts")
}

// TestNextStaysHere: nobody is led away by a link to the login page.
func TestNextStaysHere(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	for next, want := range map[string]string{
		"//evil.example":          "/",
		"https://evil.example/":   "/",
		"/\\evil.example":         "/",
		"javascript:alert(1)":     "/",
		"/a\r\nX: y":              "/",
		"search":                  "/",
		"":                        "/",
		"/search?q=//evil":        "/search?q=//evil",
		"/\t/evil.example":        "/",
		"http:/evil.example":      "/",
		"/search?next=%2F%2Fevil": "/search?next=%2F%2Fevil",
	} {
		rec := v.Get("/signin?next=" + url.QueryEscape(next))
		assert.Equal(t, want, rec.Header().Get("Location"), next)
	}
	rec := v.Get("/xxl-job-admin/signin?next=" + url.QueryEscape("/search"))
	assert.Equal(t, "/xxl-job-admin/search", rec.Header().Get("Location"))
}

func TestFormsWantTheToken(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	for _, route := range w.Server.Table().Routes {
		if !route.Changes || route.Permission.String() == "anonymous" {
			continue
		}
		path := strings.NewReplacer("{id}", "1", "{name}", "x").Replace(route.Path)
		rec := v.Send(http.MethodPost, path, "")
		assert.Equal(t, http.StatusForbidden, rec.Code, path)
		assert.Contains(t, rec.Body.String(), "out of date", path)
		rec = v.Send(http.MethodPost, path, "csrf=AAAA")
		assert.Equal(t, http.StatusForbidden, rec.Code, path)
		rec = v.Send(http.MethodGet, path+"?csrf="+web.CSRFOf(v.Cookies[web.SessionCookie]), "")
		assert.Contains(t, []int{http.StatusMethodNotAllowed, http.StatusOK, http.StatusNotFound}, rec.Code, path)
	}
	assert.NotEmpty(t, v.Cookies[web.SessionCookie], "still logged in")
	assert.Equal(t, http.StatusSeeOther, w.As(nil).Post("/signout", nil).Code)
}

func TestLanguageAndTheme(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(nil)
	assert.Contains(t, v.Text("/signin"), `<html lang="en">`)
	v.Header["Accept-Language"] = "fr, zh-TW;q=0.8, en"
	assert.Contains(t, v.Text("/signin"), `<html lang="zh-TW">`)
	rec := v.Send(http.MethodPost, "/prefs", "lang=zh-CN&back=%2Fsignin")
	assert.Equal(t, "/signin", rec.Header().Get("Location"))
	v.Send(http.MethodPost, "/prefs", "theme=dark")
	page := v.Text("/signin")
	assert.Contains(t, page, `<html lang="zh-CN" data-theme="dark">`)
	assert.Contains(t, page, "登录")
	v.Send(http.MethodPost, "/prefs", "theme=system&lang=xx")
	assert.Contains(t, v.Text("/signin"), `<html lang="zh-CN">`)
}

func TestErrorPages(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	w.Faults = []string{"the database <b>does not</b> answer"}
	v := w.As(w.Admin)
	rec := v.Get("/no/such/page")
	assert.Equal(t, http.StatusNotFound, rec.Code)
	assert.Contains(t, rec.Body.String(), "There is nothing here")
	assert.Contains(t, rec.Body.String(), "does not&lt;/b&gt; answer", "the foot line says how the node is")
	v.Header["Accept"] = "*/*"
	rec = v.Get("/no/such/page")
	assert.Equal(t, "404 page not found\n", rec.Body.String(), "a program is answered as before")
	rec = v.Send(http.MethodPost, "/no/such/page", "")
	assert.Equal(t, http.StatusNotFound, rec.Code)
	assert.Equal(t, http.StatusMethodNotAllowed, v.Send(http.MethodPost, "/search", "").Code)
	require.NoError(t, w.DB.Close())
	rec = v.Get("/search")
	assert.Equal(t, http.StatusInternalServerError, rec.Code)
	assert.Contains(t, rec.Body.String(), "Try again")
	assert.NotContains(t, rec.Body.String(), "sql", "what it was stays in the log")
}

func TestStaticFiles(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(nil)
	page := v.Text("/xxl-job-admin/signin")
	files := regexp.MustCompile(`/xxl-job-admin/static/[a-z]+\.[0-9a-f]{12}\.(css|js|svg)`).FindAllString(page, -1)
	require.GreaterOrEqual(t, len(files), 3)
	for _, file := range files {
		rec := v.Get(file)
		assert.Equal(t, http.StatusOK, rec.Code, file)
		assert.Contains(t, rec.Header().Get("Cache-Control"), "immutable")
		assert.NotEmpty(t, rec.Body.String())
	}
	v.Header["Accept-Encoding"] = "gzip"
	assert.Equal(t, "gzip", v.Get(files[0]).Header().Get("Content-Encoding"))
	assert.Equal(t, http.StatusNotFound, v.Get("/static/app.css").Code)
}

func TestStatus(t *testing.T) {
	t.Parallel()
	cluster := console.Cluster{Node: "node-a", Held: 8, Total: 16}
	w := consoletest.New(t, func(cfg *console.Config) {
		cfg.Cluster = func(context.Context) console.Cluster { return cluster }
	})
	v := w.As(w.Admin)
	says := func(faults, node, free string) {
		t.Helper()
		assert.JSONEq(t, `{"ms_of_day":43200000,"now_ms":1795262400000,"faults":[`+faults+`],"node":"`+node+`","free":"`+free+`"}`,
			v.Get("/status").Body.String())
		page := v.Get("/help").Body.String()
		assert.Contains(t, page, `<span id="node">`+node+`</span>`)
		if free == "" {
			assert.Contains(t, page, `<span id="free" class="bad" hidden></span>`)
		} else {
			assert.Contains(t, page, `<span id="free" class="bad">✕ `+free+`</span>`)
		}
	}
	says("", "node node-a · 8 of 16 shards", "")
	cluster.Nodes = []console.ClusterNode{{Name: "node-a", Shards: 8, Me: true}, {Name: "node-b", Shards: 8}}
	says("", "node node-a · 8 of 16 shards, all held", "")
	cluster.Orphans = 2
	says("", "node node-a · 8 of 16 shards", "2 shards without a node")
	v.Cookies[web.LangCookie] = "zh-CN"
	says("", "节点 node-a · 16 个分片中的 8 个", "2 个分片没有节点")
	v.Cookies[web.LangCookie] = "en"
	cluster.Orphans, cluster.Faults = 0, []string{"leases are not renewed"}
	says(`"leases are not renewed"`, "node node-a · 8 of 16 shards", "") // what it knows of others is old
}

// TestTextsExist: a template names no text that there is not.
func TestTextsExist(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(console.Files, "templates/*.html")
	require.NoError(t, err)
	used := regexp.MustCompile(`\bT "([^"]+)"`)
	for _, name := range names {
		body, err := fs.ReadFile(console.Files, name)
		require.NoError(t, err)
		for _, m := range used.FindAllStringSubmatch(string(body), -1) {
			assert.True(t, i18n.HasConsole(m[1]), "%s: %s", name, m[1])
		}
		assert.NotRegexp(t, `(?i)<script(?:[^>]*[^s])?>[^<]|\sstyle=|\son[a-z]+=`, string(body), "%s: the policy forbids it", name)
	}
}

func TestEveryPageIsParsed(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	for _, lang := range i18n.Langs() {
		for _, prefix := range httpx.Prefixes() {
			for _, name := range w.Server.Templates.Names() {
				page, err := w.Server.Templates.Page(frame.Key{Lang: lang, Prefix: prefix}, name)
				require.NoError(t, err)
				assert.NotNil(t, page.Lookup("layout"), name)
				assert.NotNil(t, page.Lookup("content"), name)
			}
		}
	}
	_, err := w.Server.Templates.Page(frame.Key{Lang: i18n.En}, "none")
	require.EqualError(t, err, `there is no template "none"`)
}
