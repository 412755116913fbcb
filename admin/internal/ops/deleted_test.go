package ops

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// silverOnly has nothing to do with the group of the tests.
func (w *world) silverOnly() Principal {
	return Principal{Name: "silver1", Roles: SameRole(model.RoleEditor, w.silver), Source: "login"}
}

// TestUndelete: a job comes back once, as it was, with its id.
func TestUndelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := t.Context()
	id, err := w.CreateTagged(plain, w.mine, bean(w.gold, everySecond), []string{"a"})
	require.NoError(t, err)
	require.NoError(t, w.StartJob(plain, w.mine, id))
	was := w.load(id)
	ctx, made := Recording(plain)
	require.NoError(t, w.DeleteJob(ctx, w.mine, id))
	ids := made.Undoable()
	require.Len(t, ids, 1)

	_, err = w.Undo(plain, w.silverOnly(), ids[0], true)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	_, err = w.RestoreJob(plain, w.silverOnly(), id)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	d, err := w.DeletedJob(plain, w.mine, id)
	require.NoError(t, err)
	assert.Equal(t, "golden1", d.User)
	back, err := w.Undo(plain, w.mine, ids[0], false)
	require.NoError(t, err)
	assert.Equal(t, id, back.ObjectID)
	assert.Equal(t, "restore", back.Action)
	assert.Contains(t, w.lastAudit(), "golden1 | job.restore | job "+strconv.Itoa(int(id)))
	j := w.load(id)
	was.UpdateTime, was.GlueUpdated, was.NextMs = j.UpdateTime, j.GlueUpdated, j.NextMs
	assert.Equal(t, was, j)
	assert.True(t, j.Running, "it was started")
	assert.Positive(t, j.NextMs)
	assert.Equal(t, []string{"a"}, w.tagsOf(plain, id))
	_, err = w.Undo(plain, w.mine, ids[0], true)
	refusal(t, err, Conflict, "It has been changed since")
	_, err = w.RestoreJob(plain, w.mine, id)
	refusal(t, err, NotFound, "There is nothing to bring back")
	list, _ := w.actions(id)
	assert.Equal(t, []string{"create", "start", "delete", "restore"}, list)

	_, err = w.Undo(plain, w.mine, back.ID, false)
	require.NoError(t, err, "an undo can be undone")
	_, err = w.DeletedJob(plain, w.mine, id)
	require.NoError(t, err)
}

// TestUndeleteCode: a script comes back with its versions, for who may not write
// code, too.
func TestUndeleteCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	id := w.create(bean(w.gold, shell))
	require.NoError(t, w.SaveGlue(ctx, w.admin, id, "echo 2\n", "second one"))
	require.NoError(t, w.SaveGlue(ctx, w.admin, id, "echo 3\n", "third one"))
	was := w.load(id)
	require.NoError(t, w.DeleteJob(ctx, w.mine, id))
	d, err := w.DeletedJob(ctx, w.mine, id)
	require.NoError(t, err)
	assert.Equal(t, 3, d.Versions)
	back, err := w.RestoreJob(ctx, w.mine, id)
	require.NoError(t, err)
	assert.Equal(t, id, back)
	j := w.load(id)
	assert.Equal(t, []any{was.GlueSource, was.GlueRemark, was.GlueUpdated.Unix()},
		[]any{j.GlueSource, j.GlueRemark, j.GlueUpdated.Unix()})
	versions, err := w.GlueVersions(ctx, w.mine, id)
	require.NoError(t, err)
	require.Len(t, versions, 3)
	assert.Equal(t, []string{"third one", "second one"}, []string{versions[0].Remark, versions[1].Remark})
	assert.Equal(t, "admin", versions[0].User)
}

// TestUncreate: a creation is undone while nothing else has happened.
func TestUncreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := t.Context()
	ctx, made := Recording(plain)
	id, err := w.CreateTagged(ctx, w.mine, bean(w.gold, everySecond), []string{"a"})
	require.NoError(t, err)
	create := made.Undoable()[0]
	require.NoError(t, w.StartJob(ctx, w.mine, id))
	_, err = w.Undo(plain, w.mine, create, false)
	refusal(t, err, Conflict, "It has been changed since")
	start := made.Undoable()[1]
	_, err = w.Undo(plain, w.mine, start, false)
	require.NoError(t, err)
	_, err = w.Undo(plain, w.silverOnly(), create, true)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	run := w.log(id, w.gold)
	_, err = w.Undo(plain, w.mine, create, false)
	refusal(t, err, Conflict, "It has run since: delete it if its runs are to go, too")
	_, err = w.db.DeleteLogs(plain, model.LogClear{JobID: id, Before: noon.Add(time.Hour)}, 10)
	require.NoError(t, err)
	require.Positive(t, run)
	got, err := w.Undo(plain, w.mine, create, false)
	require.NoError(t, err)
	assert.Equal(t, "delete", got.Action)
	_, err = w.Job(plain, w.mine, id)
	assert.Equal(t, NotFound, asError(t, err).Kind)
	_, err = w.Undo(plain, w.mine, got.ID, false)
	require.NoError(t, err, "and that can be undone, too")
	assert.Equal(t, id, w.load(id).ID)
}

// log puts a run that has ended on record.
func (w *world) log(job, group int32) int64 {
	w.t.Helper()
	l := &model.Log{ID: 900 + int64(job), GroupID: group, JobID: job, TriggerTime: noon, TriggerCode: 200, HandleCode: 200}
	_, err := w.db.ImportLogs(w.t.Context(), []*model.Log{l}, "test.logs", "1")
	require.NoError(w.t, err)
	return l.ID
}

// TestRestoreAndGroups: a job wants its group, and a group its name; its token is
// not kept.
func TestRestoreAndGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := t.Context()
	ctx, made := Recording(plain)
	group := w.group("bronze-app", "http://10.0.0.7:9999/")
	_, err := w.RotateToken(plain, w.admin, group, 0)
	require.NoError(t, err)
	id := w.create(bean(group))
	require.NoError(t, w.DeleteJob(plain, w.admin, id))
	require.NoError(t, w.DeleteGroup(ctx, w.admin, group))
	_, err = w.RestoreJob(plain, w.admin, id)
	refusal(t, err, Conflict, "Its executor (group) is gone: bring that back first ("+strconv.Itoa(int(group))+")")

	mine := Principal{UserID: 8, Name: "bronze1", Roles: SameRole(model.RoleEditor, group), Source: "login"}
	list, err := w.GroupChanges(plain, mine, group, 10, 0)
	require.NoError(t, err)
	assert.Equal(t, "delete", list[0].Action)
	assert.NotContains(t, list[0].Before.S, "access")
	_, _, err = w.RestoreGroup(plain, mine, group)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	_, err = w.Undo(plain, mine, made.Undoable()[0], false)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	_, err = w.DeletedGroups(plain, mine, model.DeletedFilter{})
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	gone, err := w.DeletedGroups(plain, w.admin, model.DeletedFilter{})
	require.NoError(t, err)
	require.Len(t, gone, 1)
	assert.Equal(t, group, gone[0].ObjectID)

	squatter := w.group("bronze-app", "http://10.0.0.8:9999/")
	_, _, err = w.RestoreGroup(plain, w.admin, group)
	assert.Equal(t, Conflict, asError(t, err).Kind, "another one has its name")
	require.NoError(t, w.DeleteGroup(plain, w.admin, squatter))
	back, hadToken, err := w.RestoreGroup(plain, w.admin, group)
	require.NoError(t, err)
	assert.Equal(t, group, back)
	assert.True(t, hadToken)
	g, err := w.Group(plain, mine, group)
	require.NoError(t, err)
	assert.False(t, g.TokenSet, "a secret is not kept")
	assert.Equal(t, []string{"http://10.0.0.7:9999/"}, g.Addresses())
	_, err = w.RestoreJob(plain, w.admin, id)
	require.NoError(t, err)
	_, _, err = w.RestoreGroup(plain, w.admin, group)
	refusal(t, err, NotFound, "There is nothing to bring back")
}

// TestUncreateGroup: the creation of a group is undone while it has no job.
func TestUncreateGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := t.Context()
	ctx, made := Recording(plain)
	id, err := w.CreateGroup(ctx, w.admin, &model.Group{AppName: "bronze-app", Title: "bronze"})
	require.NoError(t, err)
	job := w.create(bean(id))
	create := made.Undoable()[0]
	_, err = w.Undo(plain, w.admin, create, true)
	assert.Equal(t, Conflict, asError(t, err).Kind, "it has a job")
	require.NoError(t, w.DeleteJob(plain, w.admin, job))
	require.NoError(t, w.UpdateGroup(plain, w.admin, &model.Group{ID: id, AppName: "bronze-app", Title: "other"}))
	_, err = w.Undo(plain, w.admin, create, false)
	refusal(t, err, Conflict, "It has been changed since")
	_, err = w.Undo(plain, w.admin, create, true)
	require.NoError(t, err)
	_, _, err = w.RestoreGroup(plain, w.admin, id)
	require.NoError(t, err)
	g, err := w.Group(plain, w.admin, id)
	require.NoError(t, err)
	assert.Equal(t, "other", g.Title)
}

// TestDeletion counts what goes with jobs.
func TestDeletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	a, b := w.create(bean(w.gold, shell)), w.create(bean(w.gold, everySecond))
	require.NoError(t, w.SaveGlue(ctx, w.admin, a, "echo 2\n", "second one"))
	require.NoError(t, w.StartJob(ctx, w.admin, b))
	foreign := w.create(bean(w.silver, func(j *model.Job) { j.Children = model.T(id32(a)) }))
	parent := w.create(bean(w.gold, func(j *model.Job) { j.Name, j.Children = "parent", model.T(id32(a)+","+id32(b)) }))
	d, err := w.Deletion(ctx, w.mine, []int32{a, b, foreign, 1 << 30})
	require.NoError(t, err)
	assert.Equal(t, &Deletion{
		Jobs: 2, Started: 1, Impact: model.Impact{Versions: 2}, Parents: []Parent{{ID: foreign}, {parent, "parent"}}, Ways: 2,
	}, d)
	d, err = w.Deletion(ctx, w.mine, []int32{a, b, parent})
	require.NoError(t, err)
	assert.Equal(t, 1, d.Ways, "what goes too is no parent")
	d, err = w.Deletion(ctx, w.silverOnly(), []int32{a})
	require.NoError(t, err)
	assert.Zero(t, *d)
}

func TestDeletedJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	for _, g := range []int32{w.gold, w.silver} {
		require.NoError(t, w.DeleteJob(ctx, w.admin, w.create(bean(g))))
	}
	list, err := w.DeletedJobs(ctx, w.mine, model.DeletedFilter{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, w.gold, list[0].GroupID)
	list, err = w.DeletedJobs(ctx, w.admin, model.DeletedFilter{})
	require.NoError(t, err)
	assert.Len(t, list, 2)
	_, err = w.DeletedJobs(ctx, w.mine, model.DeletedFilter{GroupID: w.silver})
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	_, err = w.DeletedJobs(ctx, Principal{}, model.DeletedFilter{})
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	list, err = w.DeletedJobs(ctx, Principal{Name: "nobody", Source: "login"}, model.DeletedFilter{})
	require.NoError(t, err)
	assert.Empty(t, list)
	days, err := w.RestoreDays(ctx)
	require.NoError(t, err)
	assert.Zero(t, days, "for ever, as nobody has said otherwise")
}

// TestUndoAlarms: rules and mute windows are set back, unless they have changed.
func TestUndoAlarms(t *testing.T) {
	t.Parallel()
	now := noon
	w := newWorld(t, func(c *Config) { c.Now = func() time.Time { return now } })
	plain := t.Context()
	id := w.create(bean(w.gold))
	k := model.AlarmKey{What: model.AlarmOnLate, Kind: model.ChangeJob, ObjectID: id}
	ctx, made := Recording(plain)
	require.NoError(t, w.SetAlarmRule(ctx, w.mine, k, time.Minute))
	require.NoError(t, w.SetAlarmRule(ctx, w.mine, k, time.Hour))
	require.NoError(t, w.SetAlarmRule(ctx, w.mine, k, time.Hour), "nothing changes")
	require.NoError(t, w.DeleteAlarmRule(ctx, w.mine, k))
	require.NoError(t, w.DeleteAlarmRule(ctx, w.mine, k), "there is none")
	ids := made.Undoable()
	require.Len(t, ids, 3)
	limit := func() time.Duration {
		rules, err := w.AlarmRules(plain, w.mine)
		require.NoError(t, err)
		if len(rules) == 0 {
			return 0
		}
		return rules[0].Limit
	}
	_, err := w.Undo(plain, w.silverOnly(), ids[2], false)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	_, err = w.Undo(plain, w.mine, ids[0], false)
	refusal(t, err, Conflict, "It has been changed since")
	for i, want := range []time.Duration{time.Hour, time.Minute, 0} {
		got, err := w.Undo(plain, w.mine, ids[2-i], false)
		require.NoError(t, err)
		assert.Equal(t, model.ChangeRule, got.Kind)
		assert.Equal(t, want, limit())
	}

	ctx, made = Recording(plain)
	until := noon.Add(time.Hour)
	m := model.Mute{Kind: model.ChangeGroup, ObjectID: w.gold, Until: until, Reason: "deploy"}
	require.NoError(t, w.Mute(ctx, w.mine, m))
	require.NoError(t, w.Unmute(ctx, w.mine, m.Kind, m.ObjectID))
	ids = made.Undoable()
	require.Len(t, ids, 2)
	_, err = w.Undo(plain, w.silverOnly(), ids[1], false)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	_, err = w.Undo(plain, w.mine, ids[1], false)
	require.NoError(t, err)
	mutes, err := w.Mutes(plain, w.mine)
	require.NoError(t, err)
	require.Len(t, mutes, 1)
	assert.True(t, mutes[0].Until.Equal(until))
	assert.Equal(t, "deploy", mutes[0].Reason)
	_, err = w.Undo(plain, w.mine, ids[0], false)
	require.NoError(t, err, "it is as it was after that")
	now = until
	_, err = w.Undo(plain, w.mine, ids[1], false)
	refusal(t, err, Conflict, "The mute window would have ended by now")
}
