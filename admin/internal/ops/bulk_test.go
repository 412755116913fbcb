package ops

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestBulk: what is refused for one job does not keep the others from it, and
// what was done can be undone together.
func TestBulk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	a, b := w.create(bean(w.gold, everySecond)), w.create(bean(w.gold, everySecond))
	never, foreign := w.create(bean(w.gold)), w.create(bean(w.silver, everySecond))
	ids := []int32{a, b, never, foreign, 4711}

	recording, made := Recording(ctx)
	r, err := w.BulkJobs(recording, w.mine, Bulk{Do: BulkStart, IDs: ids})
	require.NoError(t, err)
	assert.Equal(t, 2, r.Done)
	require.Len(t, r.Refused, 3)
	assert.Equal(t, []int32{never, foreign, 4711}, []int32{r.Refused[0].ID, r.Refused[1].ID, r.Refused[2].ID})
	assert.Equal(t, Forbidden, r.Refused[1].Err.Kind)
	assert.Equal(t, Forbidden, r.Refused[2].Err.Kind)
	assert.True(t, w.load(a).Running)
	assert.Len(t, made.Undoable(), 2)

	r, err = w.BulkJobs(ctx, w.mine, Bulk{Do: BulkRun, IDs: ids})
	require.NoError(t, err)
	assert.Equal(t, 3, r.Done)
	r, err = w.BulkJobs(ctx, w.mine, Bulk{Do: BulkStop, IDs: ids})
	require.NoError(t, err)
	assert.Equal(t, 3, r.Done)
	r, err = w.BulkJobs(ctx, w.mine, Bulk{Do: BulkDelete, IDs: []int32{a, foreign}})
	require.NoError(t, err)
	assert.Equal(t, 1, r.Done)
	_, err = w.BulkJobs(ctx, w.mine, Bulk{Do: "explode"})
	require.Error(t, err)

	// A fault of the admin ends it.
	w.sched.err = assert.AnError
	r, err = w.BulkJobs(ctx, w.mine, Bulk{Do: BulkStop, IDs: []int32{b, never}})
	require.ErrorIs(t, err, assert.AnError)
	assert.Zero(t, r.Done)
}

// TestMove: jobs are moved whatever else is wrong with them, and back.
func TestMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	both := Principal{UserID: 7, Name: "both", Roles: SameRole(model.RoleEditor, w.gold, w.silver), Source: "login"}
	a := w.create(bean(w.gold, everySecond))
	broken := w.load(w.create(bean(w.gold)))
	broken.ScheduleType, broken.ScheduleConf = model.ScheduleCron, model.T("no cron")
	require.NoError(t, w.db.UpdateJob(ctx, broken, nil))
	there := w.create(bean(w.silver))
	require.NoError(t, w.StartJob(ctx, both, a))
	next := w.load(a).NextMs

	move := func(who Principal, to int32, ids ...int32) (*BulkResult, []int64) {
		recording, made := Recording(ctx)
		r, err := w.BulkJobs(recording, who, Bulk{Do: BulkMove, IDs: ids, GroupID: to})
		require.NoError(t, err)
		return r, made.Undoable()
	}
	undo := func(who Principal, changes []int64) (kinds []Kind, again []int64) {
		recording, made := Recording(ctx)
		for _, id := range changes {
			if _, err := w.Undo(recording, who, id, false); err != nil {
				kinds = append(kinds, asError(t, err).Kind)
			}
		}
		return kinds, made.Undoable()
	}
	r, changes := move(both, w.silver, a, broken.ID, there, 4711)
	assert.Equal(t, 3, r.Done)
	assert.Len(t, r.Refused, 1)
	require.Len(t, changes, 2)
	for _, id := range []int32{a, broken.ID} {
		assert.Equal(t, w.silver, w.load(id).GroupID)
	}
	assert.Equal(t, next, w.load(a).NextMs, "the schedule goes on")
	list, _ := w.actions(a)
	assert.Equal(t, []string{"create", "start", "move"}, list)
	assert.Contains(t, w.lastAudit(), "both | job.move | job "+id32(broken.ID))

	// It takes the permission on both groups, there and back.
	_, err := w.BulkJobs(ctx, w.mine, Bulk{Do: BulkMove, IDs: []int32{a}, GroupID: w.silver})
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	r, _ = move(w.mine, w.gold, a)
	assert.Equal(t, Forbidden, r.Refused[0].Err.Kind)
	silver := Principal{UserID: 9, Name: "silver1", Roles: SameRole(model.RoleEditor, w.silver), Source: "login"}
	kinds, _ := undo(silver, changes)
	assert.Equal(t, []Kind{Forbidden, Forbidden}, kinds)

	kinds, back := undo(both, changes)
	assert.Empty(t, kinds)
	assert.Equal(t, w.gold, w.load(broken.ID).GroupID)
	kinds, _ = undo(both, changes)
	assert.Equal(t, []Kind{Conflict, Conflict}, kinds, "they are not where they were moved to")
	kinds, _ = undo(both, back)
	assert.Empty(t, kinds)
	assert.Equal(t, w.silver, w.load(a).GroupID)

	_, err = w.BulkJobs(ctx, w.admin, Bulk{Do: BulkMove, IDs: []int32{a}, GroupID: 4711})
	assert.Equal(t, Invalid, asError(t, err).Kind)
	gone := w.group("gone-app", "http://10.0.8.1:9999/")
	move(w.admin, gone, a)
	_, on := move(w.admin, w.gold, a)
	require.NoError(t, w.DeleteGroup(ctx, w.admin, gone))
	kinds, _ = undo(w.admin, on)
	assert.Equal(t, []Kind{Invalid}, kinds, "the group is gone")
}

func TestJobIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	a := w.create(bean(w.gold))
	b := w.create(bean(w.silver))
	ids, more, err := w.JobIDs(ctx, w.admin, model.JobFilter{})
	require.NoError(t, err)
	assert.Equal(t, []int32{a, b}, ids)
	assert.False(t, more)
	ids, _, err = w.JobIDs(ctx, w.mine, model.JobFilter{})
	require.NoError(t, err)
	assert.Equal(t, []int32{a}, ids)
	_, _, err = w.JobIDs(ctx, w.mine, model.JobFilter{GroupID: w.silver})
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	ids, _, err = w.JobIDs(ctx, Principal{Name: "x", Source: "login"}, model.JobFilter{})
	require.NoError(t, err)
	assert.Empty(t, ids)
	jobs, err := w.JobsOf(ctx, w.mine, []int32{b, 4711, a})
	require.NoError(t, err)
	require.Len(t, jobs, 1)
	assert.Equal(t, a, jobs[0].ID)
}

func TestTagCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	for i, group := range []int32{w.gold, w.gold, w.silver} {
		_, err := w.CreateTagged(ctx, w.admin, bean(group), []string{"all", "tag" + strconv.Itoa(i)})
		require.NoError(t, err)
	}
	list, err := w.TagCounts(ctx, w.admin)
	require.NoError(t, err)
	require.Len(t, list, 4)
	assert.Equal(t, model.TagCount{Tag: "all", Jobs: 3}, list[0])
	list, err = w.TagCounts(ctx, w.mine)
	require.NoError(t, err)
	assert.Equal(t, []model.TagCount{{Tag: "all", Jobs: 2}, {Tag: "tag0", Jobs: 1}, {Tag: "tag1", Jobs: 1}}, list)
	list, err = w.TagCounts(ctx, Principal{Name: "x", Source: "login"})
	require.NoError(t, err)
	assert.Empty(t, list)
	_, err = w.TagCounts(ctx, Principal{})
	assert.Equal(t, Forbidden, asError(t, err).Kind)
}

func TestViews(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	view := model.View{Page: "jobs", Name: "<b>failing</b> 雪", Query: "state=started&sort=-name"}
	require.NoError(t, w.SaveView(ctx, w.mine, view))
	list, err := w.Views(ctx, w.mine, "jobs")
	require.NoError(t, err)
	view.UserID = w.mine.UserID
	assert.Equal(t, []model.View{view}, list)
	list, err = w.Views(ctx, w.admin, "jobs")
	require.NoError(t, err)
	assert.Empty(t, list, "views are one's own")

	for _, bad := range []model.View{
		{Page: "jobs", Name: " "},
		{Page: "jobs", Name: "a\nb"},
		{Page: "jobs", Name: strings.Repeat("x", 65)},
		{Page: "jobs", Name: "\xff"},
		{Page: "jobs", Name: "a", Query: strings.Repeat("x", 2001)},
		{Page: "jobs", Name: "a", Query: "\x00"},
		{Page: "users", Name: "a"},
	} {
		err := w.SaveView(ctx, w.mine, bad)
		assert.Equal(t, Invalid, asError(t, err).Kind, "%+v", bad)
		assert.NotEmpty(t, asError(t, err).Text(i18n.En))
	}
	robot := Principal{Name: "key:ci", Roles: SameRole(model.RoleEditor, w.gold), Source: "key"}
	assert.Equal(t, Forbidden, asError(t, w.SaveView(ctx, robot, view)).Kind)
	list, err = w.Views(ctx, robot, "jobs")
	require.NoError(t, err)
	assert.Empty(t, list)
	_, err = w.Views(ctx, Principal{}, "jobs")
	assert.Equal(t, Forbidden, asError(t, err).Kind)

	for i := range maxViews - 1 {
		require.NoError(t, w.SaveView(ctx, w.mine, model.View{Page: "jobs", Name: strconv.Itoa(i)}))
	}
	assert.Equal(t, Conflict, asError(t, w.SaveView(ctx, w.mine, model.View{Page: "jobs", Name: "more"})).Kind)
	require.NoError(t, w.SaveView(ctx, w.mine, view), "over what is there")
	require.NoError(t, w.DeleteView(ctx, w.mine, "jobs", view.Name))
	require.NoError(t, w.SaveView(ctx, w.mine, model.View{Page: "jobs", Name: "more"}))
}
