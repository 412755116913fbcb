package console

import (
	"context"
	"errors"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// noon is the present of all tests.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// world is the console on a real SQLite store and real logins. What sends and
// schedules is played.
type world struct {
	t       *testing.T
	db      *store.Store
	auth    *auth.Service
	ops     *ops.Service
	parts   *parts
	system  *playedSystem
	unknown []model.UnknownApp
	server  *Server
	handler http.Handler
	faults  []string
	admin   *model.User
}

// migrated is an empty database file, made once.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "console")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "admin.db")
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(emptyContext{}))
	defer cancel(nil)
	st, err := store.Open(ctx, store.Options{DSN: "sqlite:" + file, Location: time.UTC})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(st.Migrate(ctx), st.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// emptyContext never ends: what all tests share does not end with one of them.
type emptyContext struct{}

func (emptyContext) Deadline() (time.Time, bool) { return time.Time{}, false }
func (emptyContext) Done() <-chan struct{}       { return nil }
func (emptyContext) Err() error                  { return nil }
func (emptyContext) Value(any) any               { return nil }

func newWorld(t *testing.T, change ...func(*Config)) *world {
	t.Helper()
	data, err := migrated()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "admin.db")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	db, err := store.Open(t.Context(), store.Options{DSN: "sqlite:" + file, Location: time.UTC})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })

	now := func() time.Time { return noon }
	w := &world{t: t, db: db, parts: &parts{store: db}, system: &playedSystem{}}
	w.auth = auth.New(auth.Config{
		Users: db, Sessions: db, Settings: db, Now: now, NotFound: func(err error) bool { return errors.Is(err, store.ErrNotFound) },
	})
	w.ops, err = ops.New(ops.Config{
		Store: db, Scheduler: w.parts, Dispatcher: w.parts, Executors: w.parts, Registry: w.parts,
		Completion: w.parts, Passwords: w.auth, FirstStart: w.auth, CodeEditing: true, Location: time.UTC, Lang: i18n.En, Now: now,
		Unknown: func(most int) ([]model.UnknownApp, int) { return w.unknown[:min(most, len(w.unknown))], len(w.unknown) },
		Logins:  w.auth, System: w.system, Retention: ops.Retention{RunDays: 30, AuditDays: 365, AlarmDays: 30},
	})
	require.NoError(t, err)
	cfg := Config{
		Ops: w.ops, Auth: w.auth, History: db, Location: time.UTC, Lang: i18n.En, Now: now, CodeEditing: true, Version: "v1.2.3",
		Cluster: func(context.Context) Cluster { return Cluster{Node: "node-a", Held: 16, Total: 16, Faults: w.faults} },
	}
	for _, f := range change {
		f(&cfg)
	}
	w.server, err = New(cfg)
	require.NoError(t, err)
	mux := http.NewServeMux()
	require.NoError(t, httpx.Mount(mux, httpx.Prefixes(), w.server.Table()))
	mux.Handle("/{$}", w.server.Pages())
	for _, old := range []string{
		"/jobinfo", "/joblog", "/joblog/logDetailPage", "/jobcode", "/jobgroup", "/user", "/toLogin", "/auth/login",
		"/dashboard", "/errorpage", "/help",
	} {
		mux.Handle(old, httpx.WithPrefix("", w.server.Pages()))
		mux.Handle("/xxl-job-admin"+old, httpx.WithPrefix("/xxl-job-admin", w.server.Pages()))
	}
	w.handler, err = httpx.Harden(mux, httpx.Hardening{})
	require.NoError(t, err)
	w.admin = w.user("admin", true, "")
	return w
}

// user stores a user without a password.
func (w *world) user(name string, admin bool, groups string) *model.User {
	w.t.Helper()
	u := &model.User{Username: name, JavaHash: "!", Admin: admin, Permission: model.T(groups)}
	require.NoError(w.t, w.db.CreateUser(w.t.Context(), u))
	return u
}

// group stores a group with addresses.
func (w *world) group(app, title, addresses string) int32 {
	w.t.Helper()
	g := &model.Group{
		AppName: app, Title: title, Manual: addresses != "", AddressList: model.T(addresses), UpdateTime: noon,
		AccessToken: "s3cret-of-the-group",
	}
	require.NoError(w.t, w.db.CreateGroup(w.t.Context(), g))
	return g.ID
}

// job stores a job that is stopped.
func (w *world) job(group int32, name string, change ...func(*model.Job)) *model.Job {
	w.t.Helper()
	j := &model.Job{
		GroupID: group, Name: name, Author: model.T("lin"), AlarmEmail: model.T(""), ScheduleType: model.ScheduleCron,
		ScheduleConf: model.T("0 0 3 * * ?"), Misfire: model.MisfireDoNothing, Route: model.RouteFirst,
		Handler: model.T("settle"), Param: model.T(""), Block: model.BlockSerial, GlueType: model.GlueBean,
		GlueSource: model.T(""), GlueRemark: model.T("init"), Children: model.T(""),
		AddTime: noon, UpdateTime: noon, GlueUpdated: noon,
	}
	for _, f := range change {
		f(j)
	}
	require.NoError(w.t, w.db.CreateJob(w.t.Context(), j))
	return j
}

// run stores a run that has ended with a code.
func (w *world) run(j *model.Job, at time.Time, took time.Duration, code int32, msg string) int64 {
	w.t.Helper()
	return w.runAt(j, "http://10.0.0.1:9999/", at, took, code, msg)
}

// runAt stores a run that was sent to an address; one with code 0 is open.
func (w *world) runAt(j *model.Job, address string, at time.Time, took time.Duration, code int32, msg string) int64 {
	w.t.Helper()
	r := &model.Run{
		JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: at.UnixMilli(), TriggerMs: at.UnixMilli(),
		ShardTotal: 1, Handler: j.Handler, Param: j.Param, Address: address,
	}
	require.NoError(w.t, w.db.CreateRuns(w.t.Context(), []*model.Run{r}))
	out := &model.Outcome{LogID: r.LogID, Trigger: &model.TriggerResult{
		Code: model.CodeSuccess, Msg: "sent", Address: r.Address, AtMs: at.UnixMilli(),
	}}
	if code != 0 {
		out.Handle = &model.HandleResult{Code: code, Msg: model.T(msg), AtMs: at.Add(took).UnixMilli(), NoRetry: true}
	}
	require.NoError(w.t, w.parts.Results(w.t.Context(), []*model.Outcome{out}))
	return r.LogID
}

// visitor is a browser: it keeps cookies.
type visitor struct {
	w       *world
	cookies map[string]string
	header  map[string]string
}

// as logs a user in.
func (w *world) as(u *model.User) *visitor {
	w.t.Helper()
	v := &visitor{w: w, cookies: map[string]string{}, header: map[string]string{"Accept": "text/html"}}
	if u == nil {
		return v
	}
	javaHash, hash, err := w.auth.HashPassword(w.t.Context(), "sesame-open")
	require.NoError(w.t, err)
	require.NoError(w.t, w.db.SetPassword(w.t.Context(), u.ID, javaHash, hash))
	login, err := w.auth.Login(w.t.Context(), auth.LoginRequest{Name: u.Username, Password: "sesame-open"})
	require.NoError(w.t, err)
	v.cookies[sessionCookie] = login.ID
	return v
}

func (v *visitor) send(method, target, body string) *httptest.ResponseRecorder {
	v.w.t.Helper()
	r := httptest.NewRequestWithContext(v.w.t.Context(), method, target, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range v.header {
		r.Header.Set(name, value)
	}
	for name, value := range v.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	rec := httptest.NewRecorder()
	v.w.handler.ServeHTTP(rec, r)
	for _, cookie := range rec.Result().Cookies() {
		if cookie.MaxAge < 0 {
			delete(v.cookies, cookie.Name)
			continue
		}
		v.cookies[cookie.Name] = cookie.Value
	}
	return rec
}

// get reads a page.
func (v *visitor) get(target string) *httptest.ResponseRecorder {
	v.w.t.Helper()
	return v.send(http.MethodGet, target, "")
}

// text reads a page that must be there, and returns what it says.
func (v *visitor) text(target string) string {
	v.w.t.Helper()
	rec := v.get(target)
	require.Equal(v.w.t, http.StatusOK, rec.Code, "%s: %s", target, rec.Body)
	return html.UnescapeString(rec.Body.String())
}

// post sends a form with the token of the session.
func (v *visitor) post(target string, form url.Values) *httptest.ResponseRecorder {
	v.w.t.Helper()
	if form == nil {
		form = url.Values{}
	}
	form.Set("csrf", (&call{session: v.cookies[sessionCookie]}).csrf())
	return v.send(http.MethodPost, target, form.Encode())
}

// parts stands for what the admin's façade hands to ops.
type parts struct {
	store *store.Store
	calls []string
	in    ops.TriggerInput
	// changed is called when groups have changed; nil does nothing.
	changed func()
	started func()                                        // called when a job was started; nil does nothing
	text    func(wire.LogRequest) (wire.LogResult, error) // what logs of runs say; nil is nothing
	hangs   bool                                          // executors do not answer when they are asked for a log
}

func (p *parts) Started(context.Context, int32) error {
	if p.started != nil {
		p.started()
	}
	return nil
}
func (p *parts) Owns(int32) bool { return true }

func (p *parts) Change(ctx context.Context, _ int32, write func(ctx context.Context) error) error {
	return write(ctx)
}

func (p *parts) Group(int32) (*model.Group, bool) { return nil, false }
func (p *parts) GroupsChanged() {
	if p.changed != nil {
		p.changed()
	}
}

func (p *parts) Trigger(ctx context.Context, j *model.Job, in ops.TriggerInput) ([]int64, error) {
	p.in = in
	param := j.Param
	if in.Param != nil {
		param = model.T(*in.Param)
	}
	r := &model.Run{
		JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerManual, TriggerMs: noon.UnixMilli(), ShardTotal: 1,
		Handler: j.Handler, Param: param,
	}
	if err := p.store.CreateRuns(ctx, []*model.Run{r}); err != nil {
		return nil, err
	}
	return []int64{r.LogID}, nil
}

// Results stores what became of runs.
func (p *parts) Results(ctx context.Context, outs []*model.Outcome) error {
	_, err := p.store.Finish(ctx, outs, func(ends []*store.Ending, _ store.Loader) error {
		for _, e := range ends {
			if e.Ends && e.Outcome.Handle != nil {
				e.HandleMsg = e.Outcome.Handle.Msg
			}
		}
		return nil
	})
	return err
}

func (p *parts) Kill(_ context.Context, address string, _ *model.Group, _ int32) (wire.Response, error) {
	p.calls = append(p.calls, "kill "+address)
	return wire.Response{Code: wire.CodeSuccess}, nil
}

func (p *parts) Log(
	ctx context.Context, address string, _ *model.Group, req wire.LogRequest,
) (wire.Response, wire.LogResult, error) {
	p.calls = append(p.calls, "log "+address)
	if p.hangs {
		<-ctx.Done()
		return wire.Response{}, wire.LogResult{}, ctx.Err()
	}
	if p.text != nil {
		text, err := p.text(req)
		return wire.Response{Code: wire.CodeSuccess}, text, err
	}
	return wire.Response{Code: wire.CodeSuccess}, wire.LogResult{IsEnd: true}, nil
}
