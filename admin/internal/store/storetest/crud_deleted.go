package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// deletion is what RemoveJob and RemoveGroup are told.
func deletion(kind string, id, group int32, name string, at time.Time) (*model.Change, *model.Deleted) {
	c := &model.Change{
		At: at, User: "anna", Kind: kind, ObjectID: id, Action: "delete", Before: model.T(`{"name":"x"}`),
	}
	return c, &model.Deleted{
		Kind: kind, ObjectID: id, GroupID: group, Name: name, At: at, Made: noon, User: "anna",
	}
}

// comeback is the entry for what comes back.
func comeback(kind string) *model.Change {
	return &model.Change{At: noon, User: "bert", Kind: kind, Action: "restore", After: model.T(`{"name":"x"}`)}
}

func (f *fixture) jobRestore(t *testing.T) {
	ctx := t.Context()
	j := fullJob(140)
	require.NoError(t, f.CreateJob(ctx, j))
	require.NoError(t, f.SetTags(ctx, j.ID, []string{"a", "b"}))
	for i := range 3 {
		v := &model.GlueVersion{
			JobID: j.ID, GlueType: "GLUE_SHELL", Source: model.T(fmt.Sprint("echo ", i)), Remark: fmt.Sprint("v", i),
			AddTime: noon, Updated: noon.Add(3*time.Hour + time.Duration(i)*time.Second), User: "anna",
		}
		require.NoError(t, f.SaveGlue(ctx, v))
	}
	was, err := f.Job(ctx, j.ID)
	require.NoError(t, err)
	versions, err := f.GlueVersions(ctx, j.ID)
	require.NoError(t, err)
	require.Len(t, versions, 4, "that which it had before the first save, too")

	c, d := deletion(model.ChangeJob, j.ID, 140, "Näme", noon)
	require.NoError(t, f.RemoveJob(ctx, c, d))
	assert.Positive(t, c.ID)
	assert.Equal(t, 4, d.Versions)
	_, err = f.Job(ctx, j.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	again, none := deletion(model.ChangeJob, j.ID, 140, "", noon)
	require.NoError(t, f.RemoveJob(ctx, again, none))
	assert.Zero(t, again.ID, "nothing was there")
	got, err := f.Deleted(ctx, model.ChangeJob, j.ID)
	require.NoError(t, err)
	sameTime(t, d.At, got.At, "At")
	sameTime(t, d.Made, got.Made, "Made")
	d.At, d.Made, got.At, got.Made = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	assert.Equal(t, d, got)

	// It comes back as it was, with its id, and once.
	back := *was
	back.ID, back.GlueSource, back.GlueRemark = 0, model.T(""), model.T("")
	entry := comeback(model.ChangeJob)
	require.NoError(t, f.RestoreJob(ctx, d, &back, []string{"a", "b"}, entry))
	assert.Equal(t, j.ID, back.ID)
	now, err := f.Job(ctx, j.ID)
	require.NoError(t, err)
	sameJob(t, was, now)
	sameJob(t, was, &back)
	list, err := f.GlueVersions(ctx, j.ID)
	require.NoError(t, err)
	require.Len(t, list, 4)
	for i := range list {
		sameTime(t, versions[i].Updated, list[i].Updated, "Updated")
		assert.Equal(t, []any{versions[i].Source, versions[i].Remark, versions[i].User},
			[]any{list[i].Source, list[i].Remark, list[i].User})
	}
	tags, err := f.Tags(ctx, []int32{j.ID})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, tags[j.ID])
	changes, err := f.Changes(ctx, model.ChangeJob, j.ID, 10, 0)
	require.NoError(t, err)
	require.Len(t, changes, 2)
	assert.Equal(t, entry.ID, changes[0].ID)
	require.ErrorIs(t, f.RestoreJob(ctx, d, &back, nil, comeback(model.ChangeJob)), store.ErrNotFound)
	_, err = f.Deleted(ctx, model.ChangeJob, j.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxljob_deleted_code"))

	// Where another job has its id it gets one of its own, and new ones lie behind.
	c, d = deletion(model.ChangeJob, j.ID, 140, "Näme", noon)
	require.NoError(t, f.RemoveJob(ctx, c, d))
	squatter := *d
	taken := plainJob(141, "took the id")
	require.NoError(t, f.CreateJob(ctx, taken))
	squatter.ObjectID = taken.ID
	other := *was
	require.NoError(t, f.RestoreJob(ctx, &squatter, &other, nil, comeback(model.ChangeJob)))
	assert.NotEqual(t, taken.ID, other.ID)
	next := plainJob(141, "next")
	require.NoError(t, f.CreateJob(ctx, next))
	assert.Greater(t, next.ID, other.ID)
	for _, id := range []int32{taken.ID, other.ID, next.ID} {
		require.NoError(t, f.DeleteJob(ctx, id))
	}
}

// deletedList pages through deletions of groups, and forgets the old ones.
func (f *fixture) deletedList(t *testing.T) {
	ctx := t.Context()
	var ids []int32
	for i, name := range []string{"alpha", "beta", "alphabet"} {
		j := plainJob(int32(150+i%2), name)
		require.NoError(t, f.CreateJob(ctx, j))
		c, d := deletion(model.ChangeJob, j.ID, j.GroupID, name, noon.Add(time.Duration(i)*time.Hour))
		require.NoError(t, f.RemoveJob(ctx, c, d))
		ids = append(ids, j.ID)
	}
	names := func(filter model.DeletedFilter) (list []string, last int64) {
		filter.Kind = model.ChangeJob
		found, err := f.DeletedList(ctx, filter)
		require.NoError(t, err)
		for _, d := range found {
			list, last = append(list, d.Name), d.ChangeID
		}
		return list, last
	}
	list, _ := names(model.DeletedFilter{GroupIDs: []int32{150, 151}, Limit: 10})
	assert.Equal(t, []string{"alphabet", "beta", "alpha"}, list)
	list, last := names(model.DeletedFilter{GroupIDs: []int32{150, 151}, Limit: 1})
	assert.Equal(t, []string{"alphabet"}, list)
	list, _ = names(model.DeletedFilter{BeforeID: last, Limit: 1})
	assert.Equal(t, []string{"beta"}, list)
	list, _ = names(model.DeletedFilter{GroupID: 150, Name: "ALPHA", Limit: 10})
	assert.Equal(t, []string{"alphabet", "alpha"}, list)
	list, _ = names(model.DeletedFilter{GroupIDs: []int32{}, Limit: 10})
	assert.Empty(t, list)

	n, err := f.ExpireDeleted(ctx, noon.Add(90*time.Minute), 10)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, n, 2)
	list, _ = names(model.DeletedFilter{GroupIDs: []int32{150, 151}, Limit: 10})
	assert.Equal(t, []string{"alphabet"}, list)
	changes, err := f.Changes(ctx, model.ChangeJob, ids[0], 10, 0)
	require.NoError(t, err)
	assert.Empty(t, changes, "its history goes with it")
	changes, err = f.Changes(ctx, model.ChangeJob, ids[2], 10, 0)
	require.NoError(t, err)
	assert.Len(t, changes, 1)
	_, err = f.ExpireDeleted(ctx, noon.Add(100*time.Hour), 1000)
	require.NoError(t, err)
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxljob_deleted"))
}

func (f *fixture) groupRestore(t *testing.T) {
	ctx := t.Context()
	g := &model.Group{
		AppName: "comes-back", Title: "Cömes", Manual: true, AddressList: model.T("http://a:1/"), AccessToken: "secret",
		UpdateTime: noon,
	}
	require.NoError(t, f.CreateGroup(ctx, g))
	c, d := deletion(model.ChangeGroup, g.ID, g.ID, g.Title, noon)
	require.NoError(t, f.RemoveGroup(ctx, c, d))
	_, err := f.Group(ctx, g.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	back := *g
	back.ID, back.AccessToken = 0, ""
	require.NoError(t, f.RestoreGroup(ctx, d, &back, comeback(model.ChangeGroup)))
	assert.Equal(t, g.ID, back.ID)
	got, err := f.Group(ctx, g.ID)
	require.NoError(t, err)
	assert.Equal(t, []any{"comes-back", "Cömes", true, "http://a:1/", ""},
		[]any{got.AppName, got.Title, got.Manual, got.AddressList.S, got.AccessToken})
	require.ErrorIs(t, f.RestoreGroup(ctx, d, &back, comeback(model.ChangeGroup)), store.ErrNotFound)
	next := &model.Group{AppName: "comes-next", Title: "next", UpdateTime: noon}
	require.NoError(t, f.CreateGroup(ctx, next), "ids go on behind")
	assert.Greater(t, next.ID, g.ID)

	c, d = deletion(model.ChangeGroup, g.ID, g.ID, g.Title, noon)
	require.NoError(t, f.RemoveGroup(ctx, c, d))
	taken := *d
	taken.ObjectID = next.ID
	other := *g
	require.NoError(t, f.RestoreGroup(ctx, &taken, &other, comeback(model.ChangeGroup)))
	assert.NotEqual(t, next.ID, other.ID)
	require.NoError(t, f.DeleteGroup(ctx, next.ID))
	require.NoError(t, f.DeleteGroup(ctx, other.ID))
}

func (f *fixture) jobImpact(t *testing.T) {
	ctx := t.Context()
	a, b, parent := fullJob(145), plainJob(145, "b"), plainJob(145, "parent")
	a.Children = model.T("")
	require.NoError(t, f.CreateJob(ctx, a))
	require.NoError(t, f.CreateJob(ctx, b))
	parent.Children = model.T(fmt.Sprint(a.ID))
	require.NoError(t, f.CreateJob(ctx, parent))
	logs := []*model.Log{
		{GroupID: 145, JobID: a.ID, TriggerTime: noon, TriggerCode: 200},
		{GroupID: 145, JobID: a.ID, TriggerTime: noon},
		{GroupID: 145, JobID: a.ID, TriggerTime: noon, TriggerCode: 200, HandleCode: 200},
		{GroupID: 145, JobID: b.ID, TriggerTime: noon, TriggerCode: 200},
	}
	f.addLogs(t, logs...)
	for _, l := range []*model.Log{logs[0], logs[1], logs[3]} {
		f.openRun(t, l)
	}
	v := &model.GlueVersion{JobID: a.ID, GlueType: "GLUE_SHELL", Remark: "v", Updated: noon}
	require.NoError(t, f.SaveGlue(ctx, v))
	got, err := f.Impact(ctx, []int32{a.ID})
	require.NoError(t, err)
	assert.Equal(t, model.Impact{Running: 1, Planned: 1, Versions: 2}, got)
	got, err = f.Impact(ctx, []int32{a.ID, b.ID, 1 << 30})
	require.NoError(t, err)
	assert.Equal(t, model.Impact{Running: 2, Planned: 1, Versions: 2}, got)
	got, err = f.Impact(ctx, nil)
	require.NoError(t, err)
	assert.Zero(t, got)
	var names []string
	parents, err := f.Parents(ctx, 1000)
	require.NoError(t, err)
	for _, j := range parents {
		if j.GroupID == 145 {
			names = append(names, j.Name+" "+j.Children.S)
		}
	}
	assert.Equal(t, []string{fmt.Sprint("parent ", a.ID)}, names)
	for _, id := range []int32{a.ID, b.ID, parent.ID} {
		require.NoError(t, f.DeleteJob(ctx, id))
	}
}
