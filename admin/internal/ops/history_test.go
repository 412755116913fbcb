package ops

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// actions are the changes of a job, oldest first.
func (w *world) actions(id int32) (list []string, changes []*model.Change) {
	w.t.Helper()
	changes, err := w.JobChanges(w.t.Context(), w.admin, id, 100, 0)
	require.NoError(w.t, err)
	for i := len(changes) - 1; i >= 0; i-- {
		list = append(list, changes[i].Action)
	}
	return list, changes
}

func TestHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	id, err := w.CreateTagged(ctx, w.mine, bean(w.gold, everySecond), []string{"b", "a"})
	require.NoError(t, err)
	edit := bean(w.gold, everySecond)
	edit.ID, edit.Param = id, model.T("p=2")
	require.NoError(t, w.UpdateJob(ctx, w.mine, edit))
	require.NoError(t, w.UpdateJob(ctx, w.mine, edit), "nothing changes, and nothing is written")
	require.NoError(t, w.StartJob(ctx, w.mine, id))
	require.NoError(t, w.StopJob(ctx, w.mine, id))
	tags := []string{"c"}
	require.NoError(t, w.EditJob(ctx, w.mine, JobEdit{Job: edit, Tags: &tags}))
	list, changes := w.actions(id)
	assert.Equal(t, []string{"create", "update", "start", "stop", "update"}, list)
	assert.Equal(t, "golden1", changes[0].User)
	assert.Contains(t, changes[0].Before.S, `"tags":["a","b"]`)
	assert.Contains(t, changes[0].After.S, `"tags":["c"]`)
	assert.False(t, changes[4].Before.Valid, "there was nothing before")
	assert.Contains(t, changes[4].After.S, `"param":"p=1"`)

	// Permission is that on the object, or on the last group of a job that is gone.
	other := Principal{Name: "silver1", Roles: SameRole(model.RoleEditor, w.silver), Source: "login"}
	_, err = w.Change(ctx, other, changes[0].ID)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	_, err = w.JobChanges(ctx, other, id, 10, 0)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	_, err = w.Undo(ctx, other, changes[0].ID, true)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	require.NoError(t, w.DeleteJob(ctx, w.mine, id))
	for _, p := range []Principal{w.mine, w.admin} {
		_, err = w.Change(ctx, p, changes[0].ID)
		require.NoError(t, err, "its last group counts")
	}
	_, err = w.Change(ctx, other, changes[0].ID)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	_, err = w.Undo(ctx, w.admin, changes[0].ID, true)
	assert.Equal(t, NotFound, asError(t, err).Kind, "what is deleted cannot be set back")
	gone, err := w.JobChanges(ctx, w.mine, id, 10, 0)
	require.NoError(t, err, "the history of what is deleted can be read")
	assert.Equal(t, "delete", gone[0].Action)
	_, err = w.JobChanges(ctx, other, id, 10, 0)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	_, err = w.JobChanges(ctx, w.admin, 1<<30, 10, 0)
	assert.Equal(t, NotFound, asError(t, err).Kind)
}

func TestUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	id := w.create(bean(w.gold, everySecond))
	edit := bean(w.gold, everySecond)
	edit.ID, edit.Param, edit.TimeZone = id, model.T("p=2"), "America/New_York"
	require.NoError(t, w.UpdateJob(ctx, w.mine, edit))
	_, changes := w.actions(id)
	update := changes[0].ID
	require.NoError(t, w.StartJob(ctx, w.mine, id), "a start does not stand in the way")

	got, err := w.Undo(ctx, w.mine, update, false)
	require.NoError(t, err)
	assert.Equal(t, "undo", got.Action)
	j := w.load(id)
	assert.Equal(t, "p=1", j.Param.S)
	assert.Empty(t, j.TimeZone)
	assert.True(t, j.Running)
	_, err = w.Undo(ctx, w.mine, update, false)
	refusal(t, err, Conflict, "It has been changed since")
	_, err = w.Undo(ctx, w.mine, got.ID, false)
	require.NoError(t, err)
	assert.Equal(t, "America/New_York", w.load(id).TimeZone)

	list, changes := w.actions(id)
	assert.Equal(t, []string{"create", "update", "start", "undo", "undo"}, list)
	_, err = w.Undo(ctx, w.mine, changes[2].ID, false) // the start
	require.NoError(t, err)
	assert.False(t, w.load(id).Running)
	_, err = w.Undo(ctx, w.mine, changes[2].ID, false)
	refusal(t, err, Conflict, "It has been changed since")
	_, err = w.Undo(ctx, w.mine, 1<<40, true)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
}

// TestRecording: what calls have written is known to who has asked for it.
func TestRecording(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(bean(w.gold, everySecond))
	ctx, made := Recording(t.Context())
	require.NoError(t, w.StartJob(ctx, w.mine, id))
	require.NoError(t, w.StartJob(ctx, w.mine, id), "it is: nothing is written")
	require.NoError(t, w.StopJob(ctx, w.mine, id))
	require.NoError(t, w.StopJob(t.Context(), w.mine, id))
	_, changes := w.actions(id)
	assert.Equal(t, []int64{changes[1].ID, changes[0].ID}, made.Undoable())
}

// TestUndoMove: setting a job back into a group takes the permission on it.
func TestUndoMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	id := w.create(bean(w.silver))
	edit := bean(w.gold)
	edit.ID = id
	require.NoError(t, w.UpdateJob(ctx, w.admin, edit))
	_, changes := w.actions(id)
	_, err := w.Undo(ctx, w.mine, changes[0].ID, false)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	_, err = w.Undo(ctx, w.admin, changes[0].ID, false)
	require.NoError(t, err)
	assert.Equal(t, w.silver, w.load(id).GroupID)
}

func TestGroupHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	g := &model.Group{ID: w.gold, AppName: "golden-app", Title: "other", Manual: true, AddressList: model.T("http://a:1/")}
	require.NoError(t, w.UpdateGroup(ctx, w.admin, g))
	_, err := w.RotateToken(ctx, w.admin, w.gold, 0)
	require.NoError(t, err)
	list, err := w.GroupChanges(ctx, w.mine, w.gold, 10, 0)
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.NotContains(t, list[0].Before.S+list[0].After.S, "token")
	_, err = w.Undo(ctx, w.mine, list[0].ID, false)
	assert.Equal(t, Forbidden, asError(t, err).Kind, "groups are for administrators")
	_, err = w.Undo(ctx, w.admin, list[0].ID, false)
	require.NoError(t, err)
	back, err := w.Group(ctx, w.mine, w.gold)
	require.NoError(t, err)
	assert.Equal(t, "title", back.Title)
	assert.Len(t, back.Addresses(), 2)
	assert.True(t, back.TokenSet, "the token is no part of it")
	require.ErrorIs(t, w.EditGroup(ctx, w.admin, g, func(*Group) bool { return false }), ErrStale)
}

// TestHistoryHoldsAlarms: rules and mute windows of an object stand among its
// changes, and those of the other kind with the same id do not.
func TestHistoryHoldsAlarms(t *testing.T) {
	t.Parallel()
	w, _, mine, _ := alarming(t)
	ctx := t.Context()
	rule := func(kind string, id int32) model.AlarmKey {
		return model.AlarmKey{What: model.AlarmOnLate, Kind: kind, ObjectID: id}
	}
	require.Equal(t, w.gold, mine, "the job and its group have the same id")
	require.NoError(t, w.SetAlarmRule(ctx, w.mine, rule(model.ChangeJob, mine), time.Minute))
	require.NoError(t, w.Mute(ctx, w.mine, model.Mute{Kind: model.ChangeJob, ObjectID: mine, Until: noon.Add(time.Hour)}))
	require.NoError(t, w.SetAlarmRule(ctx, w.admin, rule(model.ChangeGroup, w.gold), time.Hour))
	edit := bean(w.gold)
	edit.ID, edit.Name = mine, "other"
	require.NoError(t, w.UpdateJob(ctx, w.mine, edit))
	require.NoError(t, w.DeleteAlarmRule(ctx, w.mine, rule(model.ChangeJob, mine)))
	_, changes := w.actions(mine)
	var list []string
	for _, c := range changes {
		list = append(list, c.Kind+" "+c.Action)
	}
	assert.Equal(t, []string{"rule delete", "job update", "mute create", "rule create", "job create"}, list)
	first, err := w.JobChanges(ctx, w.mine, mine, 2, 0)
	require.NoError(t, err)
	require.Len(t, first, 2)
	rest, err := w.JobChanges(ctx, w.mine, mine, 10, first[1].ID)
	require.NoError(t, err)
	assert.Len(t, rest, 3, "the next page goes on")
	of, err := w.GroupChanges(ctx, w.mine, w.gold, 10, 0)
	require.NoError(t, err)
	require.Len(t, of, 2)
	assert.Equal(t, model.ChangeRule, of[0].Kind)
	_, err = w.Undo(ctx, w.mine, first[0].ID, false)
	require.NoError(t, err)
	rules, err := w.AlarmRules(ctx, w.mine)
	require.NoError(t, err)
	assert.Len(t, rules, 2)
}

func TestTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, bad := range [][]string{{""}, {"a,b"}, {"a，b"}, {"<b>"}, {"a\nb"}, {"\xff"}, make([]string, maxTags+1)} {
		_, err := w.CreateTagged(t.Context(), w.mine, bean(w.gold), bad)
		refusal(t, err, Invalid, "Tagsillegal")
	}
	job := bean(w.gold)
	job.ID = w.create(job)
	stale := JobEdit{Job: job, Match: func(*model.Job, []string) bool { return false }}
	require.ErrorIs(t, w.EditJob(t.Context(), w.mine, stale), ErrStale)
}
