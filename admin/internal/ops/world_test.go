package ops

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// world is a Service on a real SQLite store and real passwords. What sends and
// schedules is played.
type world struct {
	*Service
	t     *testing.T
	db    *store.Store
	auth  *auth.Service
	sched *playedScheduler
	disp  *playedDispatcher
	exec  *playedExecutors
	reg   *playedRegistry
	done  *results

	admin  Principal
	gold   int32 // group with two addresses, of mine
	silver int32 // group of nobody
	mine   Principal
}

var zone = time.FixedZone("UTC+8", 8*3600)

// noon is the present of all tests.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, zone)

func newWorld(t *testing.T, change ...func(*Config)) *world {
	t.Helper()
	ctx := t.Context()
	db, err := store.Open(ctx, store.Options{DSN: "sqlite:" + filepath.Join(t.TempDir(), "admin.db"), Location: zone})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(ctx))

	w := &world{
		t: t, db: db,
		auth: auth.New(auth.Config{
			Users: db, Sessions: db, NotFound: func(err error) bool { return errors.Is(err, store.ErrNotFound) },
		}),
		sched: &playedScheduler{},
		disp:  &playedDispatcher{},
		exec:  &playedExecutors{},
		reg:   &playedRegistry{},
		done:  &results{db: db},
		admin: Principal{UserID: 1000, Name: "admin", Admin: true, Source: "login"},
	}
	cfg := Config{
		Store: db, Scheduler: w.sched, Dispatcher: w.disp, Executors: w.exec, Registry: w.reg, Completion: w.done,
		Passwords: w.auth, CodeEditing: true, Location: zone, Lang: i18n.En,
		Now: func() time.Time { return noon },
	}
	for _, f := range change {
		f(&cfg)
	}
	w.Service, err = New(cfg)
	require.NoError(t, err)
	w.gold = w.group("golden-app", "http://10.0.0.1:9999/,http://10.0.0.2:9999")
	w.silver = w.group("silver-app", "http://10.0.9.1:9999/")
	w.mine = Principal{UserID: 7, Name: "golden1", Roles: SameRole(model.RoleEditor, w.gold), Source: "login"}
	return w
}

func (w *world) group(app, addresses string) int32 {
	w.t.Helper()
	id, err := w.CreateGroup(w.t.Context(), w.admin, &model.Group{
		AppName: app, Title: "title", Manual: true, AddressList: model.T(addresses),
	})
	require.NoError(w.t, err)
	return id
}

// bean is a job as an editor sends it.
func bean(group int32, change ...func(*model.Job)) *model.Job {
	j := &model.Job{
		GroupID: group, Name: "bb job", Author: model.T("bb"), AlarmEmail: model.T(""),
		ScheduleType: model.ScheduleNone, ScheduleConf: model.T(""), Misfire: model.MisfireDoNothing,
		Route: model.RouteFirst, Handler: model.T("bbHandler"), Param: model.T("p=1"), Block: model.BlockSerial,
		GlueType: model.GlueBean, GlueSource: model.T(""), GlueRemark: model.T("init"), Children: model.T(""),
	}
	for _, f := range change {
		f(j)
	}
	return j
}

// everySecond gives a job a schedule.
func everySecond(j *model.Job) {
	j.ScheduleType, j.ScheduleConf = model.ScheduleCron, model.T("* * * * * ?")
}

func shell(j *model.Job) {
	j.GlueType, j.Handler, j.GlueSource = "GLUE_SHELL", model.T(""), model.T("echo 1\r\n")
}

func (w *world) create(j *model.Job) int32 {
	w.t.Helper()
	id, err := w.CreateJob(w.t.Context(), w.admin, j)
	require.NoError(w.t, err)
	return id
}

// load reads a job from the database.
func (w *world) load(id int32) *model.Job {
	w.t.Helper()
	j, err := w.db.Job(w.t.Context(), id)
	require.NoError(w.t, err)
	return j
}

// refusal asserts that err is an Error of this kind with this English text.
func refusal(t *testing.T, err error, kind Kind, text string) {
	t.Helper()
	e := asError(t, err)
	assert.Equal(t, kind.String(), e.Kind.String(), err)
	assert.Equal(t, text, e.Text(i18n.En))
	assert.NotEmpty(t, e.Error(), "text or detail")
}

// asError asserts that err is an Error.
func asError(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	return e
}

// lastAudit is the newest audit record as user, action, object, detail.
func (w *world) lastAudit() string {
	w.t.Helper()
	list, err := w.Audits(w.t.Context(), w.admin, model.AuditFilter{Limit: 1})
	require.NoError(w.t, err)
	if len(list) == 0 {
		return ""
	}
	a := list[0]
	return fmt.Sprintf("%s | %s | %s | %s", a.User, a.Action, a.Object, a.Detail)
}

// playedScheduler notes what it was told.
type playedScheduler struct {
	mu     sync.Mutex
	events []string
	err    error
}

func (s *playedScheduler) Started(_ context.Context, id int32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, fmt.Sprintf("started %d", id))
	return s.err
}

func (s *playedScheduler) Owns(int32) bool { return true }

func (s *playedScheduler) Change(ctx context.Context, id int32, write func(context.Context) error) error {
	if err := write(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, fmt.Sprintf("changed %d", id))
	return s.err
}

// told returns what happened since the last call.
func (s *playedScheduler) told() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	events := s.events
	s.events = nil
	return events
}

// playedDispatcher takes triggers.
type playedDispatcher struct {
	job *model.Job
	in  TriggerInput
	err error
}

func (d *playedDispatcher) Trigger(_ context.Context, j *model.Job, in TriggerInput) ([]int64, error) {
	if d.err != nil {
		return nil, d.err
	}
	d.job, d.in = j, in
	return []int64{41, 42}, nil
}

// playedExecutors answers as it was told to.
type playedExecutors struct {
	resp  wire.Response
	text  wire.LogResult
	err   error
	calls []string
	log   wire.LogRequest
}

func (e *playedExecutors) Kill(_ context.Context, addr string, g *model.Group, job int32) (wire.Response, error) {
	e.calls = append(e.calls, fmt.Sprintf("kill %d at %s of %s", job, addr, g.AppName))
	return e.resp, e.err
}

func (e *playedExecutors) Log(
	_ context.Context, addr string, g *model.Group, r wire.LogRequest,
) (wire.Response, wire.LogResult, error) {
	e.calls = append(e.calls, fmt.Sprintf("log %d at %s of %s", r.LogID, addr, g.AppName))
	e.log = r
	return e.resp, e.text, e.err
}

// playedRegistry knows live addresses that no group row has yet.
type playedRegistry struct {
	live    map[int32]string
	changed int
}

func (r *playedRegistry) Group(id int32) (*model.Group, bool) {
	list, ok := r.live[id]
	return &model.Group{ID: id, AddressList: model.T(list)}, ok
}

func (r *playedRegistry) GroupsChanged() { r.changed++ }

// results stores results in the real store, as the completion writer does.
type results struct {
	db   *store.Store
	outs []*model.Outcome
}

func (r *results) Results(ctx context.Context, outs []*model.Outcome) error {
	r.outs = append(r.outs, outs...)
	_, err := r.db.Finish(ctx, outs, func(ends []*store.Ending, _ store.Loader) error {
		for _, e := range ends {
			if e.Ends && e.Outcome.Handle != nil {
				e.HandleMsg = e.Outcome.Handle.Msg
			}
		}
		return nil
	})
	return err
}
