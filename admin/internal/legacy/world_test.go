package legacy

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
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

// recordedAt is when the exchanges of testdata were recorded.
var recordedAt = time.Date(2026, 11, 21, 11, 43, 57, 0, time.UTC)

// world is an admin without scheduling: the real store, auth and ops, and an
// executor that answers as the one of the recording did.
type world struct {
	store   *store.Store
	auth    *auth.Service
	ops     *ops.Service
	server  *Server
	handler http.Handler
	parts   *parts
	closed  bool // by the test
}

// template makes a migrated database file once for all tests.
var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "legacy")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "admin.db")
	ctx := context.Background() //nolint:forbidigo // it outlives the first test
	s, err := store.Open(ctx, store.Options{DSN: "sqlite:" + file, Location: time.UTC})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.Migrate(ctx), s.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(file) //nolint:gosec // our own file
})

func newWorld(t testing.TB, def Dialect) *world {
	t.Helper()
	data, err := template()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "admin.db")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	st, err := store.Open(t.Context(), store.Options{DSN: "sqlite:" + file, Location: time.UTC})
	require.NoError(t, err)

	now := func() time.Time { return recordedAt }
	w := &world{store: st, parts: &parts{store: st}}
	t.Cleanup(func() {
		if !w.closed {
			assert.NoError(t, st.Close())
		}
	})
	w.auth = auth.New(auth.Config{
		Users: st, Sessions: st, Settings: st, Now: now,
		NotFound: func(err error) bool { return errors.Is(err, store.ErrNotFound) },
	})
	w.ops, err = ops.New(ops.Config{
		Store: st, Scheduler: w.parts, Dispatcher: w.parts, Executors: w.parts, Registry: w.parts,
		Completion: w.parts, Passwords: w.auth, CodeEditing: true, Location: time.UTC, Lang: i18n.En, Now: now,
	})
	require.NoError(t, err)
	w.server, err = New(Config{
		Ops: w.ops, Auth: w.auth, Default: def, Location: time.UTC, Lang: i18n.En,
		Pages: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			httpx.WriteBody(w, http.StatusOK, httpx.TypeHTML, []byte("page "+httpx.Path(r)))
		}),
	})
	require.NoError(t, err)
	mux := http.NewServeMux()
	require.NoError(t, httpx.Mount(mux, httpx.Prefixes(), w.server.Table()))
	w.handler, err = httpx.Harden(mux, httpx.Hardening{})
	require.NoError(t, err)
	return w
}

// do sends a request.
func (w *world) do(t *testing.T, method, target, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if method == http.MethodPost && !strings.HasPrefix(body, "{") {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return rec
}

// addUser stores a user whose password is "sesame-open", in Java's hash.
func (w *world) addUser(t testing.TB, name string, admin bool, groups string) *model.User {
	t.Helper()
	u := &model.User{Username: name, JavaHash: "!", Admin: admin, Permission: model.T(groups)}
	require.NoError(t, w.store.CreateUser(t.Context(), u))
	return u
}

// addGroup stores a manual group.
func (w *world) addGroup(t testing.TB, app string, addresses string) int32 {
	t.Helper()
	g := &model.Group{
		AppName: app, Title: app, Manual: addresses != "", AddressList: model.T(addresses), AccessToken: "s3cret-of-the-group",
		UpdateTime: recordedAt,
	}
	require.NoError(t, w.store.CreateGroup(t.Context(), g))
	return g.ID
}

// addJob stores a BEAN job.
func (w *world) addJob(t testing.TB, group int32, name string) *model.Job {
	t.Helper()
	j := &model.Job{
		GroupID: group, Name: name, Author: model.T("XXL"), AlarmEmail: model.T(""), ScheduleType: model.ScheduleCron,
		ScheduleConf: model.T("0 0 0 * * ? *"), Misfire: model.MisfireDoNothing, Route: model.RouteFirst,
		Handler: model.T("demoJobHandler"), Param: model.T(""), Block: model.BlockSerial, GlueType: model.GlueBean,
		GlueSource: model.T(""), GlueRemark: model.T("GLUE代码初始化"), Children: model.T(""),
		AddTime: time.Date(2018, 11, 3, 22, 21, 31, 0, time.UTC), UpdateTime: time.Date(2018, 11, 3, 22, 21, 31, 0, time.UTC),
		GlueUpdated: time.Date(2018, 11, 3, 22, 21, 31, 0, time.UTC),
	}
	require.NoError(t, w.store.CreateJob(t.Context(), j))
	return j
}

// parts stands for what the admin's façade hands to ops.
type parts struct {
	store *store.Store
	kills int
	calls []string // what was asked of executors, with the address
}

func (p *parts) Started(context.Context, int32) error { return nil }

func (p *parts) Owns(int32) bool { return true }

func (p *parts) Change(ctx context.Context, _ int32, write func(ctx context.Context) error) error {
	return write(ctx)
}

func (p *parts) Group(id int32) (*model.Group, bool) { return nil, id < 0 }

func (p *parts) GroupsChanged() {}

// Trigger records a run and sends it at once.
func (p *parts) Trigger(ctx context.Context, j *model.Job, in ops.TriggerInput) ([]int64, error) {
	g, err := p.store.Group(ctx, j.GroupID)
	if err != nil {
		return nil, err
	}
	addrs := g.Addresses()
	if len(in.Addresses) > 0 {
		addrs = in.Addresses
	}
	return p.run(ctx, j, *in.Param, addrs[0])
}

func (p *parts) run(ctx context.Context, j *model.Job, param, address string) ([]int64, error) {
	run := &model.Run{
		JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerManual, TriggerMs: recordedAt.UnixMilli(), ShardTotal: 1,
		Handler: j.Handler, Param: model.T(param), Address: address,
	}
	if err := p.store.CreateRuns(ctx, []*model.Run{run}); err != nil {
		return nil, err
	}
	p.calls = append(p.calls, "run "+address)
	result := &model.TriggerResult{Code: model.CodeSuccess, Msg: "success", Address: address, AtMs: recordedAt.UnixMilli()}
	if param == "x" {
		result.Code, result.Msg = model.CodeFail, "refused"
	}
	return []int64{run.LogID}, p.Results(ctx, []*model.Outcome{{LogID: run.LogID, Trigger: result}})
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

// Kill refuses the first time, as the executor of the recording did.
func (p *parts) Kill(_ context.Context, address string, _ *model.Group, _ int32) (wire.Response, error) {
	p.calls = append(p.calls, "kill "+address)
	if p.kills++; p.kills == 1 {
		return wire.Response{Code: 500, Msg: wire.Str("no")}, nil
	}
	return wire.Response{Code: 200, Msg: wire.Str("Success")}, nil
}

var errRefused = errors.New("connection refused")

// Log answers for the executor of the recording, which is not at the dead
// address.
func (p *parts) Log(
	_ context.Context, address string, _ *model.Group, r wire.LogRequest,
) (wire.Response, wire.LogResult, error) {
	p.calls = append(p.calls, "log "+address)
	if strings.Contains(address, deadPortA) || strings.Contains(address, deadPortC) {
		return wire.Response{}, wire.LogResult{}, errRefused
	}
	text := wire.LogResult{FromLineNum: r.FromLineNum, ToLineNum: 2}
	if r.FromLineNum == 1 {
		text.LogContent = "one <b>bold</b><br>\ntwo <script>\n"
	}
	return wire.Response{Code: 200, Msg: wire.Str("Success")}, text, nil
}

// Ports at which nobody listened when the exchanges were recorded.
const (
	deadPortA = ":44651"
	deadPortC = ":50199"
)
