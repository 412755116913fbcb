package ops

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestNewNeedsItsParts(t *testing.T) {
	t.Parallel()
	_, err := New(Config{})
	require.EqualError(t, err, "ops: Store is required")
}

func TestGlue(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	id := w.create(bean(w.gold, shell))
	assert.Equal(t, "echo 1\n", w.load(id).GlueSource.S)

	require.NoError(t, w.SaveGlue(ctx, w.admin, id, "echo 2\r\n", "version 2"))
	j := w.load(id)
	assert.Equal(t, "echo 2\n", j.GlueSource.S, "a shell does not bear carriage returns")
	assert.Equal(t, "version 2", j.GlueRemark.S)
	assert.True(t, noon.Add(time.Second).Equal(j.GlueUpdated), "also in the second of the version before")
	assert.Contains(t, w.lastAudit(), "glue_source: 7 → 7 bytes")
	list, err := w.GlueVersions(ctx, w.mine, id)
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, "echo 2\n", list[0].Source.S)
	assert.Equal(t, "GLUE_SHELL", list[0].GlueType)
	assert.Equal(t, "admin", list[0].User)
	assert.Equal(t, "echo 1\n", list[1].Source.S, "what the job began with is not lost")

	tests := []struct {
		name, source, remark string
		want                 string
	}{
		{"no source", " ", "version 2", "please input GLUE Source"},
		{"no remark", "x", "", "please input Resource Remark"},
		{"short remark", "x", "abc", "Resource Remark length is limited to 4~100"},
		{"long remark", "x", strings.Repeat("r", 101), "Resource Remark length is limited to 4~100"},
		{"markup", "x", "<script>", "Resource Remarkillegal"},
		{"not UTF-8", "\xff", "version 2", "GLUE Sourceillegal"},
		{"long source", strings.Repeat("x", maxSource+1), "version 2", "GLUE Source Length limit[0-4194304]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			refusal(t, w.SaveGlue(t.Context(), w.admin, id, tt.source, tt.remark), Invalid, tt.want)
			refusal(t, w.SaveGlue(t.Context(), w.admin, 99999, tt.source, tt.remark), Invalid, tt.want)
		})
	}
	refusal(t, w.SaveGlue(ctx, w.admin, 99999, "echo 2", "version 2"), NotFound, "Job ID is illegal")
	refusal(t, w.SaveGlue(ctx, w.admin, w.create(bean(w.gold)), "x", "version 2"), Conflict, "This job has no code to edit")
}

// TestRestoreGlue: a version comes back as a new one, and an undo is that too.
func TestRestoreGlue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	id := w.create(bean(w.gold, shell))
	recording, made := Recording(ctx)
	require.NoError(t, w.SaveGlue(recording, w.admin, id, "echo 2", "version 2"))
	first := made.Undoable()
	require.Len(t, first, 1)
	require.NoError(t, w.SaveGlue(ctx, w.admin, id, "echo 3", "version 3"))
	_, err := w.Undo(ctx, w.admin, first[0], false)
	refusal(t, err, Conflict, "It has been changed since")
	_, err = w.Undo(ctx, w.mine, first[0], true)
	refusal(t, err, Forbidden, "Editing code is not allowed")
	got, err := w.Undo(ctx, w.admin, first[0], true)
	require.NoError(t, err)
	assert.Equal(t, "code", got.Action)
	j := w.load(id)
	assert.Equal(t, "echo 1\n", j.GlueSource.S)
	assert.Regexp(t, `^Version #\d+ again: `, j.GlueRemark.S)

	list, err := w.GlueVersions(ctx, w.mine, id)
	require.NoError(t, err)
	require.Len(t, list, 4)
	require.NoError(t, w.RestoreGlue(ctx, w.admin, id, list[1].ID, "<b>\n"+strings.Repeat("r", 200)))
	j = w.load(id)
	assert.Equal(t, "echo 3", j.GlueSource.S)
	assert.Len(t, []rune(j.GlueRemark.S), maxRemark)
	assert.NotContains(t, j.GlueRemark.S, "<", "old remarks may hold what new ones may not")
	_, err = w.GlueVersion(ctx, w.mine, id, 1<<30)
	assert.Equal(t, NotFound, asError(t, err).Kind)
	other := Principal{Name: "silver1", Roles: SameRole(model.RoleEditor, w.silver), Code: true, Source: "login"}
	err = w.RestoreGlue(ctx, other, id, list[1].ID, "")
	assert.Equal(t, Forbidden, asError(t, err).Kind)
}

// Code that executors run is written by those who may, whoever asks.
func TestCodeEditing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		on, given   bool
		admin, mine bool
	}{
		{on: false, given: true},
		{on: true, given: false, admin: true},
		{on: true, given: true, admin: true, mine: true},
	}
	for _, tt := range tests {
		w := newWorld(t, func(c *Config) { c.CodeEditing = tt.on })
		w.mine.Code = tt.given
		ctx := t.Context()
		j := bean(w.gold, shell)
		now := noon
		j.AddTime, j.UpdateTime, j.GlueUpdated = now, now, now
		require.NoError(t, w.db.CreateJob(ctx, j))
		for _, who := range []struct {
			p  Principal
			ok bool
		}{{w.admin, tt.admin}, {w.mine, tt.mine}} {
			before := w.load(j.ID).GlueSource.S
			_, createErr := w.CreateJob(ctx, who.p, bean(w.gold, shell))
			saveErr := w.SaveGlue(ctx, who.p, j.ID, "echo 2", "version 2")
			if who.ok {
				require.NoError(t, createErr)
				require.NoError(t, saveErr)
				continue
			}
			refusal(t, createErr, Forbidden, "Editing code is not allowed")
			refusal(t, saveErr, Forbidden, "Editing code is not allowed")
			assert.Equal(t, before, w.load(j.ID).GlueSource.S)
		}
		require.NoError(t, w.UpdateJob(ctx, w.mine, bean(w.gold, shell, withID(j.ID))), "other fields may be edited")
	}
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	c, err := w.Dashboard(ctx, w.mine, noon.AddDate(-20, 0, 0), noon.AddDate(-19, 0, 0))
	require.NoError(t, err)
	require.Len(t, c.Days, 7)
	assert.Equal(t, "2026-11-15", c.Days[0].Day.Format(time.DateOnly))
	assert.Equal(t, "2026-11-21", c.Days[6].Day.Format(time.DateOnly))
	assert.Zero(t, c.Running+c.Success+c.Failed)

	job := w.create(bean(w.gold))
	w.run(job, noon, accepted(), handled(200, ""))
	w.run(job, noon, accepted(), handled(500, ""))
	w.run(job, noon)
	require.NoError(t, w.db.RecountDay(ctx, noon))
	c, err = w.Dashboard(ctx, w.mine, noon, noon)
	require.NoError(t, err)
	require.Len(t, c.Days, 1)
	assert.Equal(t, []int{1, 1, 1}, []int{c.Running, c.Success, c.Failed})

	totals, err := w.Totals(ctx, w.mine)
	require.NoError(t, err)
	assert.Equal(t, &Totals{Jobs: 1, Triggers: 3, Executors: 3}, totals)

	require.NoError(t, w.StartJob(ctx, w.mine, w.create(bean(w.gold, everySecond))))
	for name, p := range map[string]Principal{"of the group": w.mine, "of none": {UserID: 8, Name: "x", Source: "login"}} {
		started, err := w.StartedByGroup(ctx, p)
		require.NoError(t, err)
		want := map[int32]int{w.gold: 1}
		if !p.Can(w.gold, model.RoleViewer) {
			want = map[int32]int{}
		}
		assert.Equal(t, want, started, name)
	}
}

// Who sees only some groups is told nothing of the others.
func TestOverviewKeepsToTheGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	mine, foreign := w.create(bean(w.gold)), w.create(bean(w.silver))
	w.create(bean(w.silver))
	w.run(mine, noon)
	w.run(mine, noon, accepted())
	w.run(foreign, noon)
	w.run(foreign, noon, accepted(), handled(500, ""))
	require.NoError(t, w.db.RecountDay(ctx, noon))
	groups, err := w.PermittedGroups(ctx, w.mine)
	require.NoError(t, err)
	require.Len(t, groups, 1)
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, w.cfg.Location)
	o, err := w.Overview(ctx, w.mine, day, day)
	require.NoError(t, err)
	assert.Equal(t, &Overview{Jobs: 1, Executors: len(groups[0].Addresses()), Running: 2}, o)
	o, err = w.Overview(ctx, Principal{UserID: 8, Name: "x", Source: "login"}, day, day)
	require.NoError(t, err)
	assert.Equal(t, new(Overview), o)

	for _, p := range []Principal{w.admin, {Name: "key:ci", Everywhere: model.RoleViewer, Source: "key"}} {
		o, err = w.Overview(ctx, p, day, day)
		require.NoError(t, err)
		assert.Equal(t, 3, o.Jobs)
		assert.EqualValues(t, 3, o.Running)
		require.NotNil(t, o.All)
		assert.EqualValues(t, 4, o.All.Triggers)
		assert.Equal(t, 1, o.All.Chart.Failed)
	}
}

// deaf refuses audit records.
type deaf struct{ Store }

func (deaf) AddAudit(context.Context, model.Audit) error { return errors.New("disk full") }

// What has been done stands, also when the record of it cannot be written, and
// is in the log.
func TestAuditFault(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := newWorld(t, func(c *Config) {
		c.Store = deaf{c.Store}
		c.Logger = slog.New(slog.NewTextHandler(&out, nil))
	})
	id := w.create(bean(w.gold))
	assert.NotZero(t, id)
	assert.Contains(t, out.String(), `msg="action done" part=ops user=admin source=login action=job.create`)
	assert.Contains(t, out.String(), `msg="audit record not written"`)

	_, err := w.Job(t.Context(), Principal{Name: "x", Source: "login"}, id)
	refusal(t, err, Forbidden, "Permission limit[username=x]")
	assert.Contains(t, out.String(), `msg="action refused" part=ops user=x source=login action=job.get`)
}

// A scheduler that cannot be woken does not undo a start.
func TestSchedulerFault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(bean(w.gold, everySecond))
	w.sched.err = errors.New("stopping")
	require.NoError(t, w.StartJob(t.Context(), w.admin, id))
	assert.True(t, w.load(id).Running)
	require.ErrorContains(t, w.StopJob(t.Context(), w.admin, id), "stopping")
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	e := child("3", i18n.SystemNotFound, "there is no job 3")
	assert.Equal(t, "Child Job ID(3)not exist", e.Text(i18n.En))
	assert.Equal(t, "子任务ID(3)不存在", e.Text(i18n.ZhCN))
	assert.Equal(t, "Child Job ID(3)not exist: there is no job 3", e.Error())
	assert.Equal(t, "Child Job ID(3)not exist", child("3", i18n.SystemNotFound, "").Error())
	cause := errors.New("x")
	assert.ErrorIs(t, &Error{Err: cause}, cause)
	assert.Equal(t, "unknown", Kind(0).String())
}

func TestZeroPrincipal(t *testing.T) {
	t.Parallel()
	for _, r := range append(model.Roles(), model.RoleNone) {
		assert.False(t, Principal{}.Can(1, r))
		assert.False(t, Principal{}.CanAnywhere(r))
		assert.False(t, Principal{Admin: true, Roles: SameRole(model.RoleAdmin, 1)}.Can(1, r), "nobody said who it is")
		assert.False(t, Principal{Roles: SameRole(model.RoleAdmin, 0), Source: "api"}.Can(0, r))
		assert.False(t, Principal{Roles: SameRole(model.RoleNone, 1), Source: "api"}.Can(1, r))
		assert.Equal(t, r != model.RoleNone, Principal{Admin: true, Source: "api"}.Can(0, r))
	}
}

// TestRoles: each role holds what those below it hold, in its group alone.
func TestRoles(t *testing.T) {
	t.Parallel()
	for i, has := range model.Roles() {
		p := Principal{Roles: SameRole(has, 1), Source: "login"}
		everywhere := Principal{Everywhere: has, Source: "key"}
		for j, needs := range model.Roles() {
			assert.Equal(t, i >= j, p.Can(1, needs), "%v may what takes %v", has, needs)
			assert.Equal(t, i >= j, everywhere.Can(7, needs))
			assert.Equal(t, i >= j, p.CanAnywhere(needs))
			assert.False(t, p.Can(2, needs))
			assert.False(t, everywhere.Can(0, needs))
		}
	}
}

// What only the database refuses is an Error too.
func TestRefusedByTheStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.TitleMax = 1000 })
	_, err := w.CreateGroup(t.Context(), w.admin, &model.Group{AppName: "some-app", Title: strings.Repeat("t", 65)})
	refusal(t, err, Invalid, "Length limit")
	e := asError(t, err)
	assert.Contains(t, e.Detail, "64")
	assert.NotEmpty(t, e.Text(i18n.ZhCN))
}
