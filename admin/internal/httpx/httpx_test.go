package httpx

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func ok(w http.ResponseWriter, r *http.Request) error {
	WriteBody(w, http.StatusOK, TypeJSON, []byte(`"`+Prefix(r)+"|"+Path(r)+`"`))
	return nil
}

func pass(route Route) Handler { return route.Handler }

func do(t *testing.T, h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader("a=b"))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestMountRefuses(t *testing.T) {
	t.Parallel()
	get := []string{http.MethodGet}
	tests := []struct {
		name  string
		table Table
		want  string
	}{
		{name: "no permission", table: Table{Name: "x", Guard: pass, Routes: []Route{{Path: "/a", Methods: get, Handler: ok}}}, want: "no permission"},
		{name: "unknown permission", table: Table{Name: "x", Guard: pass, Routes: []Route{{Path: "/a", Methods: get, Handler: ok, Permission: 99}}}, want: "no permission"},
		{name: "no guard", table: Table{Name: "x", Routes: []Route{{Path: "/a", Methods: get, Handler: ok, Permission: Admin}}}, want: "no guard"},
		{name: "no handler", table: Table{Name: "x", Routes: []Route{{Path: "/a", Methods: get, Permission: Anonymous}}}, want: "no handler"},
		{name: "no method", table: Table{Name: "x", Routes: []Route{{Path: "/a", Handler: ok, Permission: Anonymous}}}, want: "no method"},
		{name: "no slash", table: Table{Name: "x", Routes: []Route{{Path: "a", Methods: get, Handler: ok, Permission: Anonymous}}}, want: "slash"},
		{name: "change by GET", table: Table{Name: "x", Guard: pass, Routes: []Route{{Path: "/a", Methods: get, Handler: ok, Permission: Admin, Changes: true}}}, want: "changes state"},
		{
			name:  "twice",
			table: Table{Name: "x", Routes: []Route{{Path: "/a", Methods: get, Handler: ok, Permission: Anonymous}, {Path: "/a", Methods: get, Handler: ok, Permission: Anonymous}}},
			want:  "x has it too",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			require.ErrorContains(t, Mount(mux, Prefixes(), tt.table), tt.want)
			assert.Equal(t, http.StatusNotFound, do(t, mux, http.MethodGet, "/a").Code, "nothing is registered")
		})
	}
}

func TestMountServesBothPrefixes(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	require.NoError(t, Mount(mux, Prefixes(), Table{Name: "x", Guard: pass, Routes: []Route{
		{Path: "/", Methods: []string{http.MethodGet}, Permission: Anonymous, Handler: ok},
		{Path: "/a", Methods: []string{http.MethodGet}, Permission: LoggedIn, Handler: ok},
		{Path: "/a", Methods: []string{http.MethodPost}, Permission: Admin, Changes: true, Handler: ok},
		{Path: "/bad", Methods: []string{http.MethodPost}, Permission: Anonymous, Handler: func(http.ResponseWriter, *http.Request) error {
			return errors.New("secret text")
		}},
	}}))
	assert.Equal(t, `"|/a"`, do(t, mux, http.MethodGet, "/a").Body.String())
	assert.Equal(t, `"/xxl-job-admin|/a"`, do(t, mux, http.MethodPost, "/xxl-job-admin/a").Body.String())
	assert.Equal(t, `"/xxl-job-admin|/"`, do(t, mux, http.MethodGet, "/xxl-job-admin").Body.String())
	assert.Equal(t, `"/xxl-job-admin|/"`, do(t, mux, http.MethodGet, "/xxl-job-admin/").Body.String())
	assert.Equal(t, `"|/"`, do(t, mux, http.MethodGet, "/").Body.String())
	assert.Equal(t, http.StatusNotFound, do(t, mux, http.MethodGet, "/b").Code)

	w := do(t, mux, http.MethodDelete, "/a")
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
	assert.Equal(t, "GET, HEAD, POST", w.Header().Get("Allow"))

	w = do(t, mux, http.MethodPost, "/bad")
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.Equal(t, `{"code":500,"msg":"Internal Server Error"}`, w.Body.String())
}

func TestProtect(t *testing.T) {
	t.Parallel()
	h, err := Protect(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
		"https://jobs.example.com")
	require.NoError(t, err)
	tests := []struct {
		name   string
		method string
		header []string
		want   int
	}{
		{name: "a program", method: http.MethodPost, want: http.StatusNoContent},
		{name: "own page", method: http.MethodPost, header: []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://example.com"}, want: http.StatusNoContent},
		{name: "own page, old browser", method: http.MethodPost, header: []string{"Referer", "http://example.com/jobinfo"}, want: http.StatusNoContent},
		{name: "own origin", method: http.MethodPost, header: []string{"Origin", "http://example.com"}, want: http.StatusNoContent},
		{name: "trusted origin", method: http.MethodPost, header: []string{"Origin", "https://jobs.example.com"}, want: http.StatusNoContent},
		{name: "trusted referer", method: http.MethodPost, header: []string{"Referer", "https://jobs.example.com/x"}, want: http.StatusNoContent},
		{name: "foreign page", method: http.MethodPost, header: []string{"Sec-Fetch-Site", "cross-site"}, want: http.StatusForbidden},
		{name: "sister page", method: http.MethodPost, header: []string{"Sec-Fetch-Site", "same-site"}, want: http.StatusForbidden},
		{name: "foreign origin", method: http.MethodPost, header: []string{"Origin", "http://evil.example"}, want: http.StatusForbidden},
		{name: "no origin to tell", method: http.MethodPost, header: []string{"Origin", "null"}, want: http.StatusForbidden},
		{name: "foreign referer", method: http.MethodPost, header: []string{"Referer", "http://evil.example/example.com"}, want: http.StatusForbidden},
		{name: "strange referer", method: http.MethodPost, header: []string{"Referer", "http://%zz"}, want: http.StatusForbidden},
		{name: "foreign referer, other method", method: http.MethodDelete, header: []string{"Referer", "http://evil.example/"}, want: http.StatusForbidden},
		{name: "link from elsewhere", method: http.MethodGet, header: []string{"Sec-Fetch-Site", "cross-site", "Referer", "http://evil.example/"}, want: http.StatusNoContent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, do(t, h, tt.method, "http://example.com/jobinfo/add", tt.header...).Code)
		})
	}
	_, err = Protect(h, "jobs.example.com")
	require.Error(t, err)
}

func TestClientIP(t *testing.T) {
	t.Parallel()
	proxies, err := ParseProxies([]string{"10.0.0.0/8", " 127.0.0.1 ", ""})
	require.NoError(t, err)
	tests := []struct {
		name, remote, forwarded, want string
	}{
		{name: "direct", remote: "192.0.2.1:99", want: "192.0.2.1"},
		{name: "direct, with a lie", remote: "192.0.2.1:99", forwarded: "1.2.3.4", want: "192.0.2.1"},
		{name: "mapped", remote: "[::ffff:192.0.2.1]:99", want: "192.0.2.1"},
		{name: "through a proxy", remote: "10.1.2.3:99", forwarded: "192.0.2.7", want: "192.0.2.7"},
		{name: "through two, with a lie", remote: "127.0.0.1:99", forwarded: "1.2.3.4, 192.0.2.7, 10.9.9.9", want: "192.0.2.7"},
		{name: "garbage", remote: "10.1.2.3:99", forwarded: "unknown", want: "10.1.2.3"},
		{name: "no header", remote: "10.1.2.3:99", want: "10.1.2.3"},
		{name: "unix socket", remote: "@", forwarded: "192.0.2.7", want: "invalid IP"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			r.RemoteAddr = tt.remote
			if tt.forwarded != "" {
				r.Header.Set("X-Forwarded-For", tt.forwarded)
			}
			r.Header.Set("X-Forwarded-Proto", "https")
			assert.Equal(t, tt.want, proxies.ClientIP(r).String())
			assert.Equal(t, strings.HasPrefix(tt.remote, "10.") || strings.HasPrefix(tt.remote, "127."), proxies.Secure(r))
			assert.False(t, Proxies{}.Secure(r))
		})
	}
	_, err = ParseProxies([]string{"proxy.example"})
	require.ErrorContains(t, err, "proxy.example")
}

func TestBodies(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	read := Adapt(func(w http.ResponseWriter, r *http.Request) error {
		body, err := ReadBody(w, r, 10)
		if err == nil {
			WriteJSON(w, http.StatusOK, string(body))
		}
		return err
	}, RenderJSON, slog.New(slog.DiscardHandler))
	form := Adapt(func(w http.ResponseWriter, r *http.Request) error {
		if err := ParseForm(w, r, 60); err != nil {
			return err
		}
		WriteJSON(w, http.StatusOK, r.Form)
		return nil
	}, RenderJSON, slog.New(slog.DiscardHandler))
	post := func(h http.Handler, contentType, body string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/?q=1", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	code, body := post(read, TypeJSON, "<a>&")
	assert.Equal(t, http.StatusOK, code)
	assert.Equal(t, `"<a>&"`, body)
	code, _ = post(read, TypeJSON, long)
	assert.Equal(t, http.StatusRequestEntityTooLarge, code)

	const urlencoded = "application/x-www-form-urlencoded"
	code, body = post(form, urlencoded, "a=1&a=2")
	assert.Equal(t, http.StatusOK, code)
	assert.JSONEq(t, `{"a":["1","2"],"q":["1"]}`, body)
	code, _ = post(form, urlencoded, "a="+long)
	assert.Equal(t, http.StatusRequestEntityTooLarge, code)
	code, _ = post(form, urlencoded, "a=%zz")
	assert.Equal(t, http.StatusBadRequest, code)
	code, body = post(form, TypeJSON, "{}")
	assert.Equal(t, http.StatusOK, code)
	assert.JSONEq(t, `{"q":["1"]}`, body)
	code, body = post(form, "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"m\"\r\n\r\n")
	assert.Equal(t, http.StatusBadRequest, code, body)

	limited := LimitBody(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		RenderJSON(w, r, err)
	}), 10)
	code, _ = post(limited, TypeJSON, long)
	assert.Equal(t, http.StatusRequestEntityTooLarge, code)
}

func TestMultipartForm(t *testing.T) {
	t.Parallel()
	h := Adapt(func(w http.ResponseWriter, r *http.Request) error {
		if err := ParseForm(w, r, 1000); err != nil {
			return err
		}
		WriteJSON(w, http.StatusOK, r.Form.Get("m"))
		return nil
	}, RenderJSON, slog.New(slog.DiscardHandler))
	for _, tt := range []struct {
		disposition string
		want        int
	}{{`name="m"`, http.StatusOK}, {`name="m"; filename="f"`, http.StatusBadRequest}} {
		body := "--b\r\nContent-Disposition: form-data; " + tt.disposition + "\r\n\r\nv\r\n--b--\r\n"
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		assert.Equal(t, tt.want, w.Code)
	}
}

func TestObserve(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&buf, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h := Observe(Secure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/panic":
			panic("boom")
		case "/late":
			_, _ = w.Write([]byte("half"))
			panic("boom")
		}
		assert.NoError(t, http.NewResponseController(w).Flush())
		_, _ = w.Write([]byte("ok"))
	})), log, Proxies{})

	w := do(t, h, http.MethodPost, "/login?password=hunter2", "Cookie", "s=topsecret", "XXL-JOB-ACCESS-TOKEN", "topsecret")
	assert.Equal(t, "ok", w.Body.String())
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY",
		"Cache-Control": "no-store", "Content-Security-Policy": ContentSecurityPolicy,
	} {
		assert.Equal(t, want, w.Header().Get(name), name)
	}
	assert.Contains(t, buf.String(), `"path":"/login"`)
	assert.Contains(t, buf.String(), `"status":200`)
	assert.NotContains(t, buf.String(), "hunter2")
	assert.NotContains(t, buf.String(), "topsecret")

	w = do(t, h, http.MethodGet, "/panic")
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.NotContains(t, w.Body.String(), "boom")
	assert.Contains(t, buf.String(), "boom")
	assert.Equal(t, "half", do(t, h, http.MethodGet, "/late").Body.String())
}

func TestAsError(t *testing.T) {
	t.Parallel()
	e := AsError(errors.New("sql: secret"))
	assert.Equal(t, http.StatusInternalServerError, e.Code())
	assert.Equal(t, "Internal Server Error", e.Text())
	assert.Equal(t, 499, AsError(context.Canceled).Code())
	cause := errors.New("cause")
	err := &Error{Status: http.StatusNotFound, Msg: "no such job", Err: cause}
	require.ErrorIs(t, err, cause)
	assert.Equal(t, "no such job: cause", err.Error())
	assert.Equal(t, http.StatusNotFound, NotFound("x").Code())
	assert.Equal(t, "Not Found", (&Error{Status: 404}).Error())
}

func TestPermissionNames(t *testing.T) {
	t.Parallel()
	var names []string
	for p := Anonymous; p <= GroupAdmin; p++ {
		names = append(names, p.String())
	}
	assert.Equal(t, []string{
		"anonymous", "logged-in", "admin", "executor-token", "viewer", "operator", "editor", "group-admin",
	}, names)
	assert.Equal(t, model.RoleNone, Admin.Role())
	assert.Equal(t, model.RoleOperator, Operator.Role())
	assert.Equal(t, "none", Permission(0).String())
}
