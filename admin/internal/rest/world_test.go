package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin"
	"github.com/xxljob-go/xxljob/admin/internal/alarm"
)

const (
	token    = "the-token-of-all-executors"
	password = "sesame-open"
)

// world is the real admin on SQLite with an administrator's session, and an
// executor that takes what it is sent.
type world struct {
	handler http.Handler
	cookie  string
	csrf    string
	exec    *executor

	seen map[string]map[int]bool // operation to status, where a contract is kept
	keep *contract
}

// executor stands for one: it accepts runs and never reports by itself.
type executor struct {
	*httptest.Server

	mu    sync.Mutex
	runs  []int64
	deaf  atomic.Bool // hangs up on log and kill
	lines atomic.Int32
}

func newExecutor(t *testing.T) *executor {
	t.Helper()
	e := &executor{}
	e.lines.Store(2)
	e.Server = httptest.NewServer(http.HandlerFunc(e.serve))
	t.Cleanup(e.Close)
	return e
}

func (e *executor) serve(w http.ResponseWriter, r *http.Request) {
	var body struct {
		LogID       int64 `json:"logId"`
		FromLineNum int   `json:"fromLineNum"`
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	answer := `{"code":200,"msg":null}`
	switch r.URL.Path {
	case "/run":
		e.mu.Lock()
		e.runs = append(e.runs, body.LogID)
		e.mu.Unlock()
	case "/kill", "/log":
		if e.deaf.Load() {
			panic(http.ErrAbortHandler)
		}
		if n := int(e.lines.Load()); r.URL.Path == "/log" {
			var text strings.Builder
			for i := body.FromLineNum; i <= n; i++ {
				fmt.Fprintf(&text, "line %d <b>\n", i)
			}
			content, _ := json.Marshal(map[string]any{
				"fromLineNum": body.FromLineNum, "toLineNum": max(n, body.FromLineNum-1),
				"logContent": text.String(), "isEnd": false,
			})
			answer = `{"code":200,"msg":null,"content":` + string(content) + `,"data":` + string(content) + `}`
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, answer)
}

// databases make an empty database and return its DSN. Servers join them with
// the build tag databases.
var databases = map[string]func(t testing.TB) string{"sqlite": sqlite}

func sqlite(t testing.TB) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "admin.db")
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOn(t, sqlite(t))
}

func newWorldOn(t *testing.T, dsn string) *world {
	t.Helper()
	exec := newExecutor(t)
	a, err := admin.New(admin.Config{
		Alarms: []admin.AlarmChannel{
			{Name: "hook <b>", Type: "webhook", URL: alarm.Secret(exec.URL + "/hook")},
			{Name: "dead", Type: "webhook", URL: "http://127.0.0.1:1/", Groups: []int32{999_999}},
		},
		AlarmsToLoopback: true, PublicURL: "https://jobs.example.com/xxl-job-admin",
		DB: dsn, AccessToken: token, AdminPassword: password,
		Language: "en", TimeZone: time.UTC, CodeEditing: true, APIRate: -1, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-done)
	})
	select {
	case <-a.Ready():
	case err := <-done:
		done <- nil
		require.NoError(t, err)
	}
	w := &world{handler: a.Handler(), exec: exec, seen: map[string]map[int]bool{}}
	w.cookie, w.csrf = w.login(t, "admin", password)
	return w
}

// login begins a session and returns its cookie and its CSRF token.
func (w *world) login(t *testing.T, name, password string) (cookie, csrf string) {
	t.Helper()
	form := url.Values{"userName": {name}, "password": {password}}.Encode()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/auth/doLogin", strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	for _, line := range rec.Header().Values("Set-Cookie") {
		if c, err := http.ParseSetCookie(line); err == nil && c.Value != "" {
			cookie = c.Name + "=" + c.Value
		}
	}
	require.NotEmpty(t, cookie, rec.Body.String())
	session := w.send(t, request{method: "GET", path: "/v1/session", cookie: cookie})
	require.Equal(t, http.StatusOK, session.Code, session.Body.String())
	csrf, _ = object(t, session)["csrf_token"].(string)
	return cookie, csrf
}

// request is a request to /v1.
type request struct {
	method, path string
	body         any    // a string is sent as it is
	key          string // an API key
	cookie, csrf string // a session
	header       map[string]string
}

// send sends a request, and where a contract is kept, validates it and its
// answer.
func (w *world) send(t *testing.T, q request) *httptest.ResponseRecorder {
	t.Helper()
	r := q.make(t)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	if w.keep != nil {
		w.keep.check(t, w, q.make(t), rec)
	}
	return rec
}

func (q request) make(t *testing.T) *http.Request {
	t.Helper()
	var body []byte
	switch b := q.body.(type) {
	case nil:
	case string:
		body = []byte(b)
	default:
		var err error
		body, err = json.Marshal(b)
		require.NoError(t, err)
	}
	r := httptest.NewRequestWithContext(t.Context(), q.method, q.path, bytes.NewReader(body))
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.key != "" {
		r.Header.Set("Authorization", "Bearer "+q.key)
	}
	if q.cookie != "" {
		r.Header.Set("Cookie", q.cookie)
		r.Header.Set("X-CSRF-Token", q.csrf)
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	return r
}

// admin sends a request of the administrator, whose header may follow.
func (w *world) admin(t *testing.T, method, path string, body any, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	q := request{method: method, path: path, body: body, cookie: w.cookie, csrf: w.csrf, header: map[string]string{}}
	for i := 0; i+1 < len(header); i += 2 {
		q.header[header[i]] = header[i+1]
	}
	return w.send(t, q)
}

// must is admin for a request that has to end with this status; it returns the
// body.
func (w *world) must(t *testing.T, status int, method, path string, body any, header ...string) map[string]any {
	t.Helper()
	rec := w.admin(t, method, path, body, header...)
	require.Equal(t, status, rec.Code, "%s %s: %s", method, path, rec.Body.String())
	if rec.Body.Len() == 0 {
		return nil
	}
	return object(t, rec)
}

func object(t *testing.T, rec *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var v map[string]any
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &v), rec.Body.String())
	return v
}

// id reads the id of an object.
func id(t *testing.T, v map[string]any) int64 {
	t.Helper()
	n, ok := v["id"].(float64)
	require.True(t, ok, "%v", v)
	return int64(n)
}

// group makes a group at the executor.
func (w *world) group(t *testing.T, app string) int64 {
	t.Helper()
	return id(t, w.must(t, http.StatusCreated, "POST", "/v1/groups", map[string]any{
		"app_name": app, "title": app, "address_mode": "manual", "addresses": []string{w.exec.URL + "/"},
	}))
}

// job is the input for a job.
func job(group int64, name string) map[string]any {
	return map[string]any{
		"group_id": group, "name": name, "author": "anna", "handler": "demo", "schedule": map[string]any{"type": "none"},
	}
}

// with returns v with a field changed.
func with(v map[string]any, name string, value any) map[string]any {
	c := map[string]any{name: value}
	for k, old := range v {
		if k != name {
			c[k] = old
		}
	}
	return c
}

// key makes an API key and returns its secret.
func (w *world) key(t *testing.T, name string, verbs []string, groups ...int64) string {
	t.Helper()
	in := map[string]any{"name": name, "verbs": verbs}
	if len(groups) > 0 {
		in["group_ids"] = groups
	}
	secret, _ := w.must(t, http.StatusCreated, "POST", "/v1/keys", in)["secret"].(string)
	require.NotEmpty(t, secret)
	return secret
}

// run runs a job once and waits until the executor has taken it.
func (w *world) run(t *testing.T, job int64) int64 {
	t.Helper()
	v := w.must(t, http.StatusAccepted, "POST", fmt.Sprintf("/v1/jobs/%d/run", job), map[string]any{"param": "p"})
	ids, _ := v["run_ids"].([]any)
	require.Len(t, ids, 1)
	run, _ := ids[0].(float64)
	w.await(t, int64(run), "running")
	return int64(run)
}

// await waits until a run has a status.
func (w *world) await(t *testing.T, run int64, status string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return w.must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/runs/%d", run), nil)["status"] == status
	}, time.Minute, 5*time.Millisecond)
}

// end reports the result of a run as its executor.
func (w *world) end(t *testing.T, run int64, code int) {
	t.Helper()
	w.tell(t, "/api/callback", fmt.Sprintf(`[{"logId":%d,"logDateTim":%d,"handleCode":%d,"handleMsg":"done <b>"}]`,
		run, time.Now().UnixMilli(), code))
}

// tell sends what an executor sends.
func (w *world) tell(t *testing.T, path, body string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("XXL-JOB-ACCESS-TOKEN", token)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	require.Contains(t, rec.Body.String(), `"code":200`)
}
