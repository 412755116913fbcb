package legacy

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// loginWorld has an administrator "chief" with the password "sesame-open".
func loginWorld(t *testing.T, def Dialect) *world {
	t.Helper()
	w := newWorld(t, def)
	w.addGroup(t, "some-app", "")
	u := w.addUser(t, "chief", true, "")
	require.NoError(t, w.auth.SetPassword(t.Context(), u.ID, "sesame-open"))
	return w
}

func cookieOf(t *testing.T, header http.Header, name string) *http.Cookie {
	t.Helper()
	for _, line := range header.Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		require.NoError(t, err)
		if c.Name == name {
			return c
		}
	}
	return nil
}

const goodLogin = "userName=chief&password=sesame-open"

func TestLoginCookies(t *testing.T) {
	t.Parallel()
	w := loginWorld(t, A)
	for path, name := range map[string]string{"/login": cookieA, "/auth/doLogin": cookieC} {
		rec := w.do(t, http.MethodPost, path, goodLogin)
		c := cookieOf(t, rec.Header(), name)
		require.NotNil(t, c)
		assert.True(t, auth.WellFormed(c.Value))
		assert.True(t, c.HttpOnly)
		assert.Equal(t, http.SameSiteLaxMode, c.SameSite)
		assert.Zero(t, c.MaxAge, "a session cookie")
		assert.False(t, c.Secure, "over plain HTTP it would never come back")

		kept := cookieOf(t, w.do(t, http.MethodPost, path, goodLogin+"&ifRemember=on").Header(), name)
		require.NotNil(t, kept)
		assert.Positive(t, kept.MaxAge)
		assert.NotEqual(t, c.Value, kept.Value)

		// Either name is taken, under either prefix; the answer speaks its dialect.
		for _, prefix := range httpx.Prefixes() {
			rec = w.do(t, http.MethodPost, prefix+"/jobgroup/loadById", "id=1", "Cookie", name+"="+c.Value)
			assert.Equal(t, http.StatusOK, rec.Code)
			assert.Equal(t, name == cookieA, strings.HasPrefix(rec.Body.String(), `{"code":200,"msg":null,"content":{"id":1,`), rec.Body)
		}
		// Another login of the same browser ends the session that it had.
		w.do(t, http.MethodPost, path, goodLogin, "Cookie", name+"="+c.Value)
		rec = w.do(t, http.MethodPost, "/jobgroup/loadById", "id=1", "Cookie", name+"="+c.Value)
		assert.NotContains(t, rec.Body.String(), `"code":200`)
	}
}

func TestLoginSecureCookieBehindTLS(t *testing.T) {
	t.Parallel()
	w := loginWorld(t, A)
	proxies, err := httpx.ParseProxies([]string{"192.0.2.1"}) // the peer of httptest
	require.NoError(t, err)
	w.server.cfg.Proxies = proxies
	rec := w.do(t, http.MethodPost, "/login", goodLogin, "X-Forwarded-Proto", "https")
	c := cookieOf(t, rec.Header(), cookieA)
	require.NotNil(t, c)
	assert.True(t, c.Secure)
}

// The cookie that scripts for releases up to 3.1.1 have in them, and that of a
// Java node, are nobody.
func TestJavaCookiesAreRefused(t *testing.T) {
	t.Parallel()
	w := loginWorld(t, A)
	u, err := w.store.UserByName(t.Context(), "chief")
	require.NoError(t, err)
	hash := fmt.Sprintf("%x", `{"id":1,"username":"chief","password":"`+u.JavaHash+`","role":1,"permission":null}`)
	require.NoError(t, w.store.SetJavaToken(t.Context(), u.ID, "410e85abc17a4f6fa7549d426aa5d690"))
	const token = "eyJ1c2VySWQiOiIxIiwiZXhwaXJlVGltZSI6MCwic2lnbmF0dXJlIjoiNDEwZTg1YWJjMTdhNGY2ZmE3NTQ5ZDQyNmFhNWQ2OTAifQ"
	for _, cookie := range []string{cookieA + "=" + hash, cookieC + "=" + token, cookieC + "=" + hash} {
		rec := w.do(t, http.MethodPost, "/jobgroup/loadById", "id=1", "Cookie", cookie)
		assert.NotContains(t, rec.Body.String(), `"code":200`, cookie)
		name, _, _ := strings.Cut(cookie, "=")
		c := cookieOf(t, rec.Header(), name)
		require.NotNil(t, c, "it is deleted")
		assert.Negative(t, c.MaxAge)
	}
}

func TestLoginThrottled(t *testing.T) {
	t.Parallel()
	w := loginWorld(t, C)
	for range 10 {
		rec := w.do(t, http.MethodPost, "/auth/doLogin", "userName=chief&password=wrong")
		require.Equal(t, failC("Username or password error"), rec.Body.String())
	}
	rec := w.do(t, http.MethodPost, "/auth/doLogin", goodLogin)
	assert.Equal(t, http.StatusOK, rec.Code)
	assert.Equal(t, "30", rec.Header().Get("Retry-After"))
	assert.Equal(t, failC("Username or password error (429, Retry-After: 30 s)"), rec.Body.String())
	assert.Nil(t, cookieOf(t, rec.Header(), cookieC))
}

func TestPasswordChangeEndsSessions(t *testing.T) {
	t.Parallel()
	w := loginWorld(t, C)
	login := func(password string) string {
		c := cookieOf(t, w.do(t, http.MethodPost, "/auth/doLogin", "userName=chief&password="+password).Header(), cookieC)
		if c == nil {
			return ""
		}
		return cookieC + "=" + c.Value
	}
	first, second := login("sesame-open"), login("sesame-open")
	rec := w.do(t, http.MethodPost, "/auth/updatePwd", "oldPassword=sesame-open&password=another-one", "Cookie", first)
	assert.Contains(t, rec.Body.String(), `"success":true`)
	for _, cookie := range []string{first, second} {
		rec = w.do(t, http.MethodPost, "/jobgroup/loadById", "id=1", "Cookie", cookie)
		assert.Contains(t, rec.Body.String(), "not login for path:/jobgroup/loadById")
	}
	assert.Empty(t, login("sesame-open"))
	assert.NotEmpty(t, login("another-one"))

	cookie := login("another-one")
	for range 10 {
		rec = w.do(t, http.MethodPost, "/auth/updatePwd", "oldPassword=wrong-one&password=new-pass", "Cookie", cookie)
		assert.Contains(t, rec.Body.String(), "old passwordillegal")
	}
	rec = w.do(t, http.MethodPost, "/auth/updatePwd", "oldPassword=another-one&password=new-pass", "Cookie", cookie)
	assert.Contains(t, rec.Body.String(), "429", "guessing the old password is throttled")
}

func TestRemovedUserIsLoggedOut(t *testing.T) {
	t.Parallel()
	w := loginWorld(t, C)
	admin := cookieC + "=" + w.session(t, w.addUser(t, "deputy", true, ""))
	victim := w.addUser(t, "victim", true, "")
	cookie := cookieC + "=" + w.session(t, victim)
	list := func() string {
		return w.do(t, http.MethodPost, "/user/pageList", "username=&role=-1&offset=0&pagesize=10", "Cookie", cookie).Body.String()
	}
	assert.Contains(t, list(), `"total":3`)
	id := fmt.Sprint(victim.ID)
	rec := w.do(t, http.MethodPost, "/user/update", "id="+id+"&username=victim&password=&role=0&permission=", "Cookie", admin)
	require.Contains(t, rec.Body.String(), `"success":true`)
	assert.Contains(t, list(), "not login", "a change of role ends sessions")
	rec = w.do(t, http.MethodPost, "/user/delete", "ids[]="+id, "Cookie", admin)
	require.Contains(t, rec.Body.String(), `"success":true`)
	assert.Contains(t, list(), "not login")
}

func TestPagesHook(t *testing.T) {
	t.Parallel()
	w := loginWorld(t, A)
	rec := w.do(t, http.MethodGet, "/xxl-job-admin/toLogin", "")
	assert.Equal(t, "page /toLogin", rec.Body.String())
	for path, want := range map[string]string{
		"/jobinfo?jobGroup=1": "/toLogin", "/xxl-job-admin/": "/xxl-job-admin/toLogin", "/": "/toLogin", "/dashboard": "/auth/login",
	} {
		rec = w.do(t, http.MethodGet, path, "")
		assert.Equal(t, http.StatusFound, rec.Code, path)
		assert.Equal(t, want, rec.Header().Get("Location"), path)
	}
	chief, err := w.store.UserByName(t.Context(), "chief")
	require.NoError(t, err)
	admin := cookieA + "=" + w.session(t, chief)
	user := cookieA + "=" + w.session(t, w.addUser(t, "other", false, "1"))
	assert.Equal(t, "page /user", w.do(t, http.MethodGet, "/user", "", "Cookie", admin).Body.String())
	assert.Equal(t, http.StatusForbidden, w.do(t, http.MethodGet, "/user", "", "Cookie", user).Code)
	assert.Equal(t, "/", w.do(t, http.MethodGet, "/toLogin", "", "Cookie", user).Header().Get("Location"))
}

func TestHealth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, A)
	rec := w.do(t, http.MethodGet, "/xxl-job-admin/actuator/health", "")
	assert.Equal(t, http.StatusOK, rec.Code)
	assert.Equal(t, `{"status":"UP"}`, rec.Body.String())
	w.server.cfg.Health = func(context.Context) error { return errRefused }
	rec = w.do(t, http.MethodGet, "/actuator/health", "")
	assert.Equal(t, http.StatusServiceUnavailable, rec.Code)
	assert.Equal(t, `{"status":"DOWN"}`, rec.Body.String())
}

func TestDialectB(t *testing.T) {
	t.Parallel()
	w := loginWorld(t, C)
	chief, err := w.store.UserByName(t.Context(), "chief")
	require.NoError(t, err)
	cookie := cookieC + "=" + w.session(t, chief)
	rec := w.do(t, http.MethodPost, "/jobinfo/add", jobForm+"&jobGroup=1", "Cookie", cookie)
	assert.Equal(t, `{"code":200,"msg":"Success","content":"1","success":true}`, rec.Body.String())
	rec = w.do(t, http.MethodPost, "/jobinfo/add", "jobGroup=1", "Cookie", cookie)
	assert.Equal(t, `{"code":500,"msg":"please input Job description","content":null,"success":false}`, rec.Body.String())
	rec = w.do(t, http.MethodPost, "/user/pageList", "username=chief&role=-1&start=0&length=10", "Cookie", cookie)
	assert.Equal(t, `{"recordsFiltered":1,"data":[{"id":1,"username":"chief","password":null,"token":null,"role":1,"permission":""}],"recordsTotal":1}`,
		rec.Body.String())
	rec = w.do(t, http.MethodPost, "/jobinfo/add", "jobGroup=1&id=x", "Cookie", cookie)
	assert.Equal(t, http.StatusBadRequest, rec.Code)
	assert.Equal(t, httpx.TypeHTML, rec.Header().Get("Content-Type"))
}

func TestParameters(t *testing.T) {
	w := loginWorld(t, A)
	chief, err := w.store.UserByName(t.Context(), "chief")
	require.NoError(t, err)
	id := w.session(t, chief)
	tests := []struct {
		name, cookie, path, form string
		status                   int
		body                     string // a pattern
	}{
		{name: "A missing number", cookie: cookieA, path: "/jobinfo/start", status: 200, body: `"code":500,"msg":"java.lang.IllegalStateException: parameter id is missing"`},
		{name: "A empty number", cookie: cookieA, path: "/jobinfo/start", form: "id=", status: 200, body: `IllegalStateException`},
		{name: "A word", cookie: cookieA, path: "/jobinfo/start", form: "id=x", status: 400, body: `"status":400,"error":"Bad Request"`},
		{name: "A too large", cookie: cookieA, path: "/jobinfo/start", form: "id=4294967297", status: 400, body: `out of range`},
		{name: "C missing", cookie: cookieC, path: "/jobinfo/start", status: 400, body: `parameter ids\[\] is missing`},
		{name: "C word", cookie: cookieC, path: "/jobinfo/start", form: "ids[]=1,x", status: 400, body: `400 Bad Request`},
		{name: "C comma list", cookie: cookieC, path: "/jobinfo/start", form: "ids[]=1,2", status: 200, body: `please choose OneData`},
		{name: "C empty list", cookie: cookieC, path: "/jobinfo/start", form: "ids[]=", status: 200, body: `please choose OneData`},
		{name: "C plain id", cookie: cookieC, path: "/jobinfo/start", form: "id=77", status: 200, body: `Job ID is illegal`},
		{name: "blanks round a number", cookie: cookieC, path: "/jobinfo/start", form: "ids[]=+77+", status: 200, body: `Job ID is illegal`},
		{name: "A trigger without texts", cookie: cookieA, path: "/jobinfo/trigger", form: "id=77", status: 200, body: `Job ID is illegal`},
		{name: "C trigger without texts", cookie: cookieC, path: "/jobinfo/trigger", form: "id=77", status: 400, body: `executorParam is missing`},
		{name: "date in a bound object", cookie: cookieA, path: "/jobinfo/add", form: "addTime=2026-01-01", status: 400, body: `addTime cannot be set`},
		{name: "empty number in a bound object", cookie: cookieA, path: "/jobinfo/add", form: "executorTimeout=", status: 400, body: `executorTimeout`},
		{name: "negative page", cookie: cookieA, path: "/jobgroup/pageList", form: "start=-5&length=-1", status: 200, body: `"recordsFiltered":1,"data":\[\]`},
		{name: "default page", cookie: cookieC, path: "/jobgroup/pageList", status: 200, body: `"total":1`},
		{name: "markup in a message", cookie: cookieC, path: "/jobinfo/start", form: "ids[]=<script>", status: 400, body: `not a number</p>`},
		{name: "release 2.2.0", cookie: cookieA, path: "/jobinfo/nextTriggerTime", form: "cron=0+0+0+1+1+%3F+2090", status: 200, body: `\["2090-01-01 00:00:00"\]`},
		{name: "blank schedule", cookie: cookieC, path: "/jobinfo/nextTriggerTime", form: "scheduleType=CRON&scheduleConf=", status: 200, body: `"data":\[\]`},
		{name: "permission on nothing", cookie: cookieC, path: "/user/insert", form: "username=anybody&password=pass1234&role=0&permission=1&permission=2", status: 200, body: `Permissionillegal`},
		{name: "created running", cookie: cookieC, path: "/jobinfo/insert", form: jobForm + "&jobGroup=1&triggerStatus=1", status: 200, body: `"data":"1"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := w.do(t, http.MethodPost, tt.path, tt.form, "Cookie", tt.cookie+"="+id)
			assert.Equal(t, tt.status, rec.Code)
			assert.Regexp(t, regexp.MustCompile(tt.body), rec.Body.String())
		})
	}
	w.addGroup(t, "second-app", "")
	added := w.do(t, http.MethodPost, "/user/insert",
		"username=somebody&password=pass1234&role=0&permission=1&permission=2", "Cookie", cookieC+"="+id)
	assert.Contains(t, added.Body.String(), `"success":true`)
	u, err := w.store.UserByName(t.Context(), "somebody")
	require.NoError(t, err)
	assert.Equal(t, "1,2", u.Permission.S)
	j, err := w.store.Job(t.Context(), 1)
	require.NoError(t, err)
	assert.True(t, j.Running)
	assert.Positive(t, j.NextMs)

	rec := w.do(t, http.MethodPost, "/jobinfo/add", "glueSource="+strings.Repeat("x", maxForm), "Cookie", cookieA+"="+id)
	assert.Equal(t, http.StatusRequestEntityTooLarge, rec.Code)
}

// A database that is gone is an error without its text, never "not logged in".
func TestBrokenStore(t *testing.T) {
	t.Parallel()
	w := loginWorld(t, C)
	chief, err := w.store.UserByName(t.Context(), "chief")
	require.NoError(t, err)
	cookie := cookieC + "=" + w.session(t, chief)
	require.NoError(t, w.store.Close())
	w.closed = true
	rec := w.do(t, http.MethodPost, "/jobgroup/loadById", "id=1", "Cookie", cookie)
	assert.Equal(t, http.StatusInternalServerError, rec.Code)
	assert.NotContains(t, rec.Body.String(), "sql")
	assert.Empty(t, rec.Header().Values("Set-Cookie"), "the cookie is kept")
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	_, err := New(Config{})
	require.Error(t, err)
}

// TestPrintedPasswordIsNoLogin: the password that a new database prints is good
// for the setup alone, and so is a session that began with it.
func TestPrintedPasswordIsNoLogin(t *testing.T) {
	t.Parallel()
	for _, def := range []Dialect{A, C} {
		w := newWorld(t, def)
		printed, created, err := w.auth.EnsureAdmin(t.Context(), "admin", "")
		require.NoError(t, err)
		require.True(t, created)
		rec := w.do(t, http.MethodPost, "/login", url.Values{"userName": {"admin"}, "password": {printed}}.Encode())
		assert.Contains(t, rec.Body.String(), "/setup")
		assert.Empty(t, rec.Result().Cookies())

		login, err := w.auth.Login(t.Context(), auth.LoginRequest{Name: "admin", Password: printed, Setup: true})
		require.NoError(t, err)
		cookie := cookieC + "=" + login.ID
		rec = w.do(t, http.MethodGet, "/user", "", "Cookie", cookie)
		assert.NotContains(t, rec.Body.String(), "page /user")
		assert.Empty(t, rec.Result().Cookies(), "the setup still needs the session")
		rec = w.do(t, http.MethodPost, "/user/pageList", "start=0&length=10", "Cookie", cookie)
		assert.NotContains(t, rec.Body.String(), `"username"`)
	}
}
