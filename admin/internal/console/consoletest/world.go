// Package consoletest is a console for the tests of its pages: on a real SQLite
// store, with real logins, and with visitors who read pages and post forms.
package consoletest

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// Noon is the present of all tests.
var Noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// World is the console on a real SQLite store and real logins. What sends and
// schedules is played.
type World struct {
	T       *testing.T
	DB      *store.Store
	Auth    *auth.Service
	Ops     *ops.Service
	Parts   *Parts
	System  *System
	Unknown []model.UnknownApp
	Refused []model.Refused
	Server  *console.Server
	handler http.Handler
	Faults  []string
	Admin   *model.User
	Now     func() time.Time
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

func (emptyContext) Done() <-chan struct{} { return nil }

func (emptyContext) Err() error { return nil }

func (emptyContext) Value(any) any { return nil }

// New returns a World with an administrator.
func New(t *testing.T, change ...func(*console.Config)) *World {
	t.Helper()
	data, err := migrated()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "admin.db")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	db, err := store.Open(t.Context(), store.Options{DSN: "sqlite:" + file, Location: time.UTC})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })

	w := &World{T: t, DB: db, Parts: &Parts{store: db}, System: &System{}}
	w.Now = func() time.Time { return Noon }
	now := func() time.Time { return w.Now() }
	w.Auth = auth.New(auth.Config{
		Users: db, Sessions: db, Settings: db, Now: now,
		NotFound: func(err error) bool { return errors.Is(err, store.ErrNotFound) },
	})
	var cfg console.Config
	w.Ops, err = ops.New(ops.Config{
		Store: db, Scheduler: w.Parts, Dispatcher: w.Parts, Executors: w.Parts, Registry: w.Parts,
		Completion: w.Parts, Passwords: w.Auth, FirstStart: w.Auth, CodeEditing: true,
		Location: time.UTC, Lang: i18n.En, Now: now,
		Unknown: func(most int) ([]model.UnknownApp, int) {
			return w.Unknown[:min(most, len(w.Unknown))], len(w.Unknown)
		},
		Refused: func() []model.Refused { return w.Refused },
		States: func(ctx context.Context, list []*model.Group) (map[int32]map[string]model.AddressState, error) {
			return states(ctx, &cfg.Executors, list)
		},
		LastBeat: func(app string) (at time.Time) {
			if cfg.Executors.LastBeat != nil {
				at = cfg.Executors.LastBeat(app)
			}
			return at
		},
		Logins: w.Auth, System: w.System, Retention: ops.Retention{RunDays: 30, AuditDays: 365, AlarmDays: 30},
	})
	require.NoError(t, err)
	cfg = console.Config{
		Ops: w.Ops, Auth: w.Auth, History: db, Location: time.UTC, Lang: i18n.En, Now: now, CodeEditing: true,
		Version: "v1.2.3",
		Cluster: func(context.Context) console.Cluster {
			return console.Cluster{Node: "node-a", Held: 16, Total: 16, Faults: w.Faults}
		},
	}
	for _, f := range change {
		f(&cfg)
	}
	w.Server, err = console.New(cfg)
	require.NoError(t, err)
	mux := http.NewServeMux()
	require.NoError(t, httpx.Mount(mux, httpx.Prefixes(), w.Server.Table()))
	mux.Handle("/{$}", w.Server.Pages())
	for _, old := range []string{
		"/jobinfo", "/joblog", "/joblog/logDetailPage", "/jobcode", "/jobgroup", "/user", "/toLogin", "/auth/login",
		"/dashboard", "/errorpage", "/help",
	} {
		mux.Handle(old, httpx.WithPrefix("", w.Server.Pages()))
		mux.Handle("/xxl-job-admin"+old, httpx.WithPrefix("/xxl-job-admin", w.Server.Pages()))
	}
	w.handler, err = httpx.Harden(mux, httpx.Hardening{})
	require.NoError(t, err)
	w.Admin = w.User("admin", true, "")
	return w
}

// states are those of the addresses of groups, as the pages are told them.
func states(
	ctx context.Context, of *console.Executors, groups []*model.Group,
) (map[int32]map[string]model.AddressState, error) {
	all := make(map[int32]map[string]model.AddressState)
	for _, g := range groups {
		all[g.ID] = make(map[string]model.AddressState)
		if of.Addresses != nil {
			one, err := of.Addresses(ctx, g.AppName, g.Addresses())
			if err != nil {
				return nil, err
			}
			all[g.ID] = one
		}
		if of.Lanes == nil {
			continue
		}
		for _, a := range g.Addresses() {
			if lane, ok := of.Lanes()[parts.LaneKey(a)]; ok {
				all[g.ID][a] = lane
			}
		}
	}
	return all, nil
}

// User stores a user without a password.
func (w *World) User(name string, admin bool, groups string) *model.User {
	w.T.Helper()
	u := &model.User{Username: name, JavaHash: "!", Admin: admin, Permission: model.T(groups)}
	require.NoError(w.T, w.DB.CreateUser(w.T.Context(), u))
	return u
}

// Group stores a group with addresses.
func (w *World) Group(app, title, addresses string) int32 {
	w.T.Helper()
	g := &model.Group{
		AppName: app, Title: title, Manual: addresses != "", AddressList: model.T(addresses), UpdateTime: Noon,
		AccessToken: "s3cret-of-the-group",
	}
	require.NoError(w.T, w.DB.CreateGroup(w.T.Context(), g))
	return g.ID
}

// Job stores a job that is stopped.
func (w *World) Job(group int32, name string, change ...func(*model.Job)) *model.Job {
	w.T.Helper()
	j := &model.Job{
		GroupID: group, Name: name, Author: model.T("lin"), AlarmEmail: model.T(""), ScheduleType: model.ScheduleCron,
		ScheduleConf: model.T("0 0 3 * * ?"), Misfire: model.MisfireDoNothing, Route: model.RouteFirst,
		Handler: model.T("settle"), Param: model.T(""), Block: model.BlockSerial, GlueType: model.GlueBean,
		GlueSource: model.T(""), GlueRemark: model.T("init"), Children: model.T(""),
		AddTime: Noon, UpdateTime: Noon, GlueUpdated: Noon,
	}
	for _, f := range change {
		f(j)
	}
	require.NoError(w.T, w.DB.CreateJob(w.T.Context(), j))
	return j
}

// Run stores a run that has ended with a code.
func (w *World) Run(j *model.Job, at time.Time, took time.Duration, code int32, msg string) int64 {
	w.T.Helper()
	return w.RunAt(j, "http://10.0.0.1:9999/", at, took, code, msg)
}

// RunAt stores a run that was sent to an address; one with code 0 is open.
func (w *World) RunAt(j *model.Job, address string, at time.Time, took time.Duration, code int32, msg string) int64 {
	w.T.Helper()
	r := &model.Run{
		JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: at.UnixMilli(), TriggerMs: at.UnixMilli(),
		ShardTotal: 1, Handler: j.Handler, Param: j.Param, Address: address,
	}
	require.NoError(w.T, w.DB.CreateRuns(w.T.Context(), []*model.Run{r}))
	out := &model.Outcome{LogID: r.LogID, Trigger: &model.TriggerResult{
		Code: model.CodeSuccess, Msg: "sent", Address: r.Address, AtMs: at.UnixMilli(),
	}}
	if code != 0 {
		out.Handle = &model.HandleResult{Code: code, Msg: model.T(msg), AtMs: at.Add(took).UnixMilli(), NoRetry: true}
	}
	require.NoError(w.T, w.Parts.Results(w.T.Context(), []*model.Outcome{out}))
	return r.LogID
}

// Script stores a job that runs code.
func (w *World) Script(group int32, source string) *model.Job {
	w.T.Helper()
	return w.Job(group, "nightly", func(j *model.Job) {
		j.GlueType, j.Handler, j.GlueSource = "GLUE_SHELL", model.T(""), model.T(source)
	})
}

// Load reads a job.
func (w *World) Load(id int32) *model.Job {
	w.T.Helper()
	j, err := w.DB.Job(w.T.Context(), id)
	require.NoError(w.T, err)
	return j
}

// Member stores a user with a role in a group.
func (w *World) Member(name string, role model.Role, group int32) *model.User {
	w.T.Helper()
	u := &model.User{Username: name, JavaHash: "!"}
	u.Grant(group, role)
	require.NoError(w.T, w.DB.CreateUser(w.T.Context(), u))
	return u
}

// Phase is how far the setup is.
func (w *World) Phase() auth.Phase {
	w.T.Helper()
	state, err := w.Auth.Setup(w.T.Context())
	require.NoError(w.T, err)
	return state.Phase
}
