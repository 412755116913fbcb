package declare

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// still is what ops needs beside the store, where nothing runs.
type still struct {
	ops.Dispatcher
	ops.Executors
	ops.Completion
	ops.Passwords
}

func (still) Owns(int32) bool                      { return true }
func (still) Started(context.Context, int32) error { return nil }
func (still) Group(int32) (*model.Group, bool)     { return nil, false }
func (still) GroupsChanged()                       {}
func (still) Change(ctx context.Context, _ int32, write func(context.Context) error) error {
	return write(ctx)
}

// world is a real store with the operations on it.
type world struct {
	*testing.T
	db    *store.Store
	jobs  *ops.Service
	boss  ops.Principal
	group int32
	now   func() time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{DSN: "sqlite:" + filepath.Join(t.TempDir(), "admin.db")})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(t.Context()))
	w := &world{T: t, db: db, boss: ops.Principal{Name: "admin", Admin: true, Source: "login"}}
	w.jobs, err = ops.New(ops.Config{
		Store: db, Scheduler: still{}, Dispatcher: still{}, Executors: still{}, Registry: still{},
		Completion: still{}, Passwords: still{},
	})
	require.NoError(t, err)
	g := &model.Group{AppName: "billing", Title: "Billing"}
	w.group, err = w.jobs.CreateGroup(t.Context(), w.boss, g)
	require.NoError(t, err)
	return w
}

func (w *world) service(policy string) *Service {
	w.Helper()
	s, err := New(Config{Policy: policy, Jobs: w.jobs, Store: w.db, Now: w.now})
	require.NoError(w, err)
	return s
}

// declare declares jobs under a policy, and returns their outcomes by name.
func (w *world) declare(policy string, list ...wire.DeclaredJob) (map[string]wire.Declared, wire.DeclareResult) {
	w.Helper()
	res, err := w.service(policy).Declare(w.Context(), w.group, "billing", list)
	require.NoError(w, err)
	require.Len(w, res.Jobs, len(list))
	byName := map[string]wire.Declared{}
	for _, d := range res.Jobs {
		byName[d.Name] = d
	}
	return byName, res
}

func (w *world) job(id int32) *model.Job {
	w.Helper()
	j, err := w.db.Job(w.Context(), id)
	require.NoError(w, err)
	return j
}

// person edits a job as somebody in the console does.
func (w *world) person(id int32, change func(j *model.Job)) {
	w.Helper()
	j := w.job(id)
	change(j)
	require.NoError(w, w.jobs.UpdateJob(w.Context(), w.boss, j))
}

func (w *world) count() int {
	w.Helper()
	_, n, err := w.db.Jobs(w.Context(), model.JobFilter{GroupID: w.group})
	require.NoError(w, err)
	return n
}

// job declares a job with a schedule.
func job(name, cron string, change ...func(*wire.DeclaredJob)) wire.DeclaredJob {
	d := wire.DeclaredJob{JobFields: wire.JobFields{
		Name: wire.Str(name), ScheduleType: wire.Str(wire.ScheduleCron), ScheduleConf: wire.Str(cron),
		ExecutorHandler: wire.Str("h-" + name),
	}}
	for _, f := range change {
		f(&d)
	}
	return d
}

func started(d *wire.DeclaredJob) { d.Start = true }

func children(names ...string) func(*wire.DeclaredJob) {
	return func(d *wire.DeclaredJob) { d.Children = names }
}

func param(p string) func(*wire.DeclaredJob) {
	return func(d *wire.DeclaredJob) { d.ExecutorParam = wire.Str(p) }
}

const nightly, hourly = "0 0 2 * * ?", "0 0 * * * ?"

// TestCreate: missing jobs are made, with children that come later in the list,
// and only what asks for it is started; a repeat changes nothing.
func TestCreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list := []wire.DeclaredJob{job("first", nightly, started, children("second")), job("second", hourly)}
	out, res := w.declare(wire.DeclareCreate, list...)
	assert.Equal(t, wire.DeclareCreate, res.Policy)
	assert.Equal(t, wire.OutcomeCreated, out["first"].Outcome)
	assert.Equal(t, wire.OutcomeCreated, out["second"].Outcome)
	first, second := w.job(out["first"].ID), w.job(out["second"].ID)
	assert.True(t, first.Running)
	assert.Positive(t, first.NextMs)
	assert.False(t, second.Running)
	assert.Equal(t, []int32{second.ID}, ids(first))
	assert.Equal(t, "billing", first.Author.S)
	assert.Equal(t, model.GlueBean, first.GlueType)

	audits, err := w.db.Audits(t.Context(), model.AuditFilter{Limit: 1000})
	require.NoError(t, err)
	again, _ := w.declare(wire.DeclareUpdate, list...)
	assert.Equal(t, wire.OutcomeUnchanged, again["first"].Outcome)
	assert.Equal(t, wire.OutcomeUnchanged, again["second"].Outcome)
	after, err := w.db.Audits(t.Context(), model.AuditFilter{Limit: 1000})
	require.NoError(t, err)
	assert.Len(t, after, len(audits), "nothing was done")
}

func ids(j *model.Job) []int32 {
	list, _ := j.ChildIDs()
	return list
}

// TestCreateLeavesAlone: under create a job that exists is never touched.
func TestCreateLeavesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, _ := w.declare(wire.DeclareCreate, job("a", nightly))
	id := out["a"].ID
	out, _ = w.declare(wire.DeclareCreate, job("a", hourly, started))
	assert.Equal(t, wire.OutcomeKept, out["a"].Outcome)
	assert.Contains(t, out["a"].Note, "schedule")
	assert.Equal(t, nightly, w.job(id).ScheduleConf.S)
	assert.False(t, w.job(id).Running)

	out, _ = w.declare(wire.DeclareUpdate, job("a", hourly, started))
	assert.Equal(t, wire.OutcomeUpdated, out["a"].Outcome, "what create left is still the code's")
	assert.Equal(t, hourly, w.job(id).ScheduleConf.S)
	assert.False(t, w.job(id).Running, "its state is the operator's")
}

// TestPersonWins: under update the code changes what it alone has changed; what
// a person has set stays, is reported, and stays at later declarations.
func TestPersonWins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, _ := w.declare(wire.DeclareUpdate, job("a", nightly, param("1"), started))
	id := out["a"].ID
	w.person(id, func(j *model.Job) { j.ScheduleConf, j.Name = model.T(hourly), "renamed" })
	require.NoError(t, w.jobs.StopJob(t.Context(), w.boss, id))

	out, _ = w.declare(wire.DeclareUpdate, job("a", "0 30 2 * * ?", param("2"), started))
	assert.Equal(t, wire.Declared{
		Name: "a", ID: id, Outcome: wire.OutcomeUpdated, Note: "kept as a person has set it: schedule",
	}, out["a"])
	j := w.job(id)
	assert.Equal(t, hourly, j.ScheduleConf.S)
	assert.Equal(t, "2", j.Param.S)
	assert.Equal(t, "renamed", j.Name, "known also under the name that a person gave it")
	assert.False(t, j.Running)

	out, _ = w.declare(wire.DeclareUpdate, job("a", "0 45 2 * * ?", param("2")))
	assert.Equal(t, wire.OutcomeKept, out["a"].Outcome)
	assert.Equal(t, hourly, w.job(id).ScheduleConf.S)

	out, _ = w.declare(wire.DeclareUpdate, job("a", hourly, param("2")))
	assert.Equal(t, wire.OutcomeUnchanged, out["a"].Outcome, "the code has caught up")
	out, _ = w.declare(wire.DeclareUpdate, job("a", nightly, param("2")))
	assert.Equal(t, wire.OutcomeUpdated, out["a"].Outcome, "and goes on from there")
	assert.Equal(t, 1, w.count())
}

// TestMadeByHand: a job that a person made is not taken over.
func TestMadeByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := job("a", nightly)
	j := wanted(&d, w.group, "someone")
	j.GlueRemark = model.T("")
	id, err := w.jobs.CreateJob(t.Context(), w.boss, j)
	require.NoError(t, err)
	out, _ := w.declare(wire.DeclareUpdate, job("a", hourly, started))
	assert.Equal(t, wire.OutcomeKept, out["a"].Outcome)
	assert.Equal(t, id, out["a"].ID)
	assert.Equal(t, nightly, w.job(id).ScheduleConf.S)
	assert.False(t, w.job(id).Running)
}

// TestCutOff: a creation that ended before its job was noted comes to its end at
// the next declaration.
func TestCutOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := job("a", nightly, started, children("b"))
	id, err := w.jobs.CreateJob(t.Context(), w.boss, wanted(&d, w.group, "billing"))
	require.NoError(t, err)
	fresh := w.service(wire.DeclareCreate)
	_, err = fresh.Declare(t.Context(), w.group, "billing", []wire.DeclaredJob{d, job("b", hourly)})
	require.ErrorIs(t, err, ErrAgain, "its creator may be at work")
	w.now = func() time.Time { return time.Now().Add(2 * time.Minute) }
	out, _ := w.declare(wire.DeclareCreate, d, job("b", hourly))
	assert.Equal(t, wire.Declared{Name: "a", ID: id, Outcome: wire.OutcomeCreated}, out["a"])
	assert.True(t, w.job(id).Running)
	assert.Equal(t, []int32{out["b"].ID}, ids(w.job(id)))
	assert.Equal(t, 2, w.count())
}

// TestRefused: what is faulty is refused by itself, and the rest is made.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, res := w.declare(wire.DeclareCreate,
		job("good", nightly), job("bad", "no cron"), job("lone", nightly, children("nobody")), job("good", hourly))
	assert.Equal(t, wire.OutcomeRefused, out["bad"].Outcome)
	assert.NotEmpty(t, out["bad"].Note)
	assert.Equal(t, wire.OutcomeRefused, out["lone"].Outcome)
	assert.Contains(t, out["lone"].Note, `"nobody"`)
	assert.Equal(t, wire.OutcomeCreated, res.Jobs[0].Outcome)
	assert.Equal(t, wire.OutcomeRefused, res.Jobs[3].Outcome, "a name that was declared twice")
	assert.Equal(t, 2, w.count())

	out, _ = w.declare(wire.DeclareCreate, job("lone", nightly, children("good")))
	assert.Equal(t, wire.OutcomeCreated, out["lone"].Outcome, "finished once its child is there")
	assert.Len(t, ids(w.job(out["lone"].ID)), 1)
}

// TestGone: a job that is not declared any more is named and left alone; one
// that a person deletes is made again.
func TestGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, _ := w.declare(wire.DeclareUpdate, job("a", nightly), job("b", nightly))
	_, res := w.declare(wire.DeclareUpdate, job("a", nightly))
	assert.Equal(t, []string{"b"}, res.Gone)
	assert.Equal(t, 2, w.count())
	require.NoError(t, w.jobs.DeleteJob(t.Context(), w.boss, out["b"].ID))
	_, res = w.declare(wire.DeclareUpdate, job("a", nightly))
	assert.Empty(t, res.Gone)
	again, _ := w.declare(wire.DeclareUpdate, job("a", nightly), job("b", nightly))
	assert.Equal(t, wire.OutcomeCreated, again["b"].Outcome)
}

// TestOff: refused with the name of the flag.
func TestOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.service(wire.DeclareOff).Declare(t.Context(), w.group, "billing", []wire.DeclaredJob{job("a", nightly)})
	var refused *ops.Error
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, refused.Error(), "--jobs-from-code=create")
	assert.Zero(t, w.count())
	_, err = New(Config{Policy: "maybe", Jobs: w.jobs, Store: w.db})
	require.ErrorContains(t, err, "maybe")
}

// TestManyAtOnce: executors that declare the same jobs to several nodes at one
// time make each job once.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list := []wire.DeclaredJob{job("a", nightly, started), job("b", nightly, children("a"))}
	var all sync.WaitGroup
	for range 4 {
		s := w.service(wire.DeclareCreate) // a node of its own: they share the database only
		all.Go(func() {
			for {
				_, err := s.Declare(t.Context(), w.group, "billing", list)
				if err == nil {
					return
				}
				if !assert.ErrorIs(t, err, ErrAgain) {
					return
				}
			}
		})
	}
	all.Wait()
	assert.Equal(t, 2, w.count())
	out, _ := w.declare(wire.DeclareCreate, list...)
	assert.Equal(t, wire.OutcomeUnchanged, out["a"].Outcome)
	assert.Equal(t, wire.OutcomeUnchanged, out["b"].Outcome)
	assert.True(t, w.job(out["a"].ID).Running)
}
