package storetest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

func crudAPI(t *testing.T, f *fixture) {
	t.Run("keys", f.keys)
	t.Run("requests", f.requests)
	t.Run("changes", f.changes)
	t.Run("tags", f.tags)
	t.Run("mutes", f.mutes)
	t.Run("views", f.views)
	t.Run("jobs behind a mark", f.jobsBehind)
}

// apiNow is the present of these cases, to the millisecond.
var apiNow = time.UnixMilli(1_790_000_000_123).In(Zone)

func (f *fixture) keys(t *testing.T) {
	ctx := t.Context()
	k := &model.Key{
		Name: "ci ✓", Prefix: "xja_abcd", Hash: strings.Repeat("a", 64), Verbs: []model.Verb{"read", "run"},
		GroupIDs: []int32{3, 1}, CreatedBy: "anna", Created: apiNow, Expires: apiNow.Add(time.Hour),
	}
	require.NoError(t, f.CreateKey(ctx, k))
	got, err := f.Key(ctx, k.ID)
	require.NoError(t, err)
	assert.Equal(t, k, got)
	got, err = f.KeyByHash(ctx, k.Hash)
	require.NoError(t, err)
	assert.Equal(t, k, got)

	all := &model.Key{
		Name: "all", Hash: strings.Repeat("b", 64), Verbs: []model.Verb{"admin"}, AllGroups: true, Created: apiNow,
	}
	require.NoError(t, f.CreateKey(ctx, all))
	list, err := f.Keys(ctx, model.KeyFilter{})
	require.NoError(t, err)
	assert.Equal(t, []*model.Key{all, k}, list)
	list, err = f.Keys(ctx, model.KeyFilter{Order: model.Order{After: &model.Mark{ID: all.ID}}})
	require.NoError(t, err)
	assert.Equal(t, []*model.Key{k}, list)

	require.NoError(t, f.TouchKey(ctx, k.ID, apiNow))
	require.NoError(t, f.TouchKey(ctx, k.ID, apiNow.Add(-time.Hour)), "it does not go back")
	require.NoError(t, f.RevokeKey(ctx, k.ID, apiNow))
	require.NoError(t, f.RevokeKey(ctx, k.ID, apiNow.Add(time.Hour)), "once is enough")
	got, err = f.Key(ctx, k.ID)
	require.NoError(t, err)
	sameTime(t, apiNow, got.Used, "used")
	sameTime(t, apiNow, got.Revoked, "revoked")

	again := *k
	require.ErrorIs(t, f.CreateKey(ctx, &again), store.ErrDuplicate)
	again.Name = strings.Repeat("x", 65)
	refused(t, f.CreateKey(ctx, &again), store.ErrTooLong, "name")
	_, err = f.Key(ctx, 1<<40)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.ErrorIs(t, f.RevokeKey(ctx, 1<<40, apiNow), store.ErrNotFound)
	_, err = f.KeyByHash(ctx, "")
	require.ErrorIs(t, err, store.ErrNotFound)
	require.NoError(t, f.TouchKey(ctx, 1<<40, apiNow))
}

func (f *fixture) requests(t *testing.T) {
	ctx := t.Context()
	r := &model.Request{Owner: "key 1", Key: "k", Fingerprint: strings.Repeat("f", 64), Created: apiNow}
	var first atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			old, err := f.BeginRequest(ctx, r)
			if assert.NoError(t, err) && old == nil {
				first.Add(1)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, int32(1), first.Load(), "of several one begins")

	old, err := f.BeginRequest(ctx, r)
	require.NoError(t, err)
	assert.Equal(t, r, old)
	done := *r
	done.Status, done.Headers, done.Body = 201, `{"Location":"/v1/jobs/7"}`, `{"name":"<b>雪</b>"}`
	require.NoError(t, f.EndRequest(ctx, &done))
	old, err = f.BeginRequest(ctx, r)
	require.NoError(t, err)
	assert.Equal(t, &done, old)

	other := *r
	other.Owner = "key 2"
	old, err = f.BeginRequest(ctx, &other)
	require.NoError(t, err)
	assert.Nil(t, old, "keys of others do not count")
	require.NoError(t, f.DropRequest(ctx, "key 2", "k"))
	old, err = f.BeginRequest(ctx, &other)
	require.NoError(t, err)
	assert.Nil(t, old)

	n, err := f.ExpireRequests(ctx, apiNow)
	require.NoError(t, err)
	assert.Zero(t, n)
	n, err = f.ExpireRequests(ctx, apiNow.Add(time.Millisecond))
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	other.Key = strings.Repeat("k", 129)
	_, err = f.BeginRequest(ctx, &other)
	require.ErrorIs(t, err, store.ErrTooLong)
}

func (f *fixture) changes(t *testing.T) {
	ctx := t.Context()
	c := &model.Change{
		At: apiNow, User: "anna", Kind: model.ChangeJob, ObjectID: 7, Action: "update",
		Before: model.T(`{"name":"a"}`), After: model.T(strings.Repeat("雪", 50_000)),
	}
	require.NoError(t, f.AddChange(ctx, c))
	got, err := f.Change(ctx, c.ID)
	require.NoError(t, err)
	assert.Equal(t, c, got)
	for i := range 104 {
		after := &model.Change{At: apiNow, Kind: model.ChangeJob, ObjectID: 7, Action: "stop", User: fmt.Sprint(i)}
		require.NoError(t, f.AddChange(ctx, after))
	}
	other := &model.Change{At: apiNow, Kind: model.ChangeGroup, ObjectID: 7, Action: "create"}
	require.NoError(t, f.AddChange(ctx, other))
	list, err := f.Changes(ctx, model.ChangeJob, 7, 1000, 0)
	require.NoError(t, err)
	require.Len(t, list, 100, "the newest are kept")
	assert.Equal(t, "103", list[0].User)
	list, err = f.Changes(ctx, model.ChangeJob, 7, 2, list[97].ID)
	require.NoError(t, err)
	assert.Equal(t, []string{"5", "4"}, []string{list[0].User, list[1].User})
	_, err = f.Change(ctx, c.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	refused(t, f.AddChange(ctx, &model.Change{Kind: "job", Before: model.T("\x00")}), store.ErrBadText, "before")
}

func (f *fixture) tags(t *testing.T) {
	ctx := t.Context()
	a, b := f.addJob(t, "tagged a", 1), f.addJob(t, "tagged b", 2)
	require.NoError(t, f.SetTags(ctx, a, []string{"nightly", "雪", "nightly"}))
	require.NoError(t, f.SetTags(ctx, b, []string{"nightly"}))
	tags, err := f.Tags(ctx, []int32{a, b, 1 << 30})
	require.NoError(t, err)
	assert.Equal(t, map[int32][]string{a: {"nightly", "雪"}, b: {"nightly"}}, tags)
	list, total, err := f.Jobs(ctx, model.JobFilter{Tag: "nightly"})
	require.NoError(t, err)
	assert.Equal(t, 2, total)
	assert.Equal(t, b, list[0].ID)
	_, total, err = f.Jobs(ctx, model.JobFilter{Tag: "night"})
	require.NoError(t, err)
	assert.Zero(t, total)
	counts, err := f.TagCounts(ctx, nil, 10)
	require.NoError(t, err)
	assert.Equal(t, []model.TagCount{{Tag: "nightly", Jobs: 2}, {Tag: "雪", Jobs: 1}}, counts)
	counts, err = f.TagCounts(ctx, []int32{1}, 1)
	require.NoError(t, err)
	assert.Len(t, counts, 1)
	counts, err = f.TagCounts(ctx, []int32{1 << 30}, 10)
	require.NoError(t, err)
	assert.Empty(t, counts)
	require.NoError(t, f.SetTags(ctx, a, nil))
	require.NoError(t, f.DeleteJob(ctx, b))
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxljob_tag"))
	require.ErrorIs(t, f.SetTags(ctx, a, []string{strings.Repeat("x", 65)}), store.ErrTooLong)
	require.NoError(t, f.DeleteJob(ctx, a))
}

func (f *fixture) addJob(t *testing.T, name string, nextMs int64) int32 {
	t.Helper()
	j := &model.Job{
		GroupID: 1, Name: name, AddTime: apiNow, UpdateTime: apiNow, Author: model.T("anna"),
		ScheduleType: model.ScheduleNone, Misfire: model.MisfireDoNothing, Route: model.RouteFirst,
		Block: model.BlockSerial, GlueType: model.GlueBean, NextMs: nextMs,
	}
	require.NoError(t, f.CreateJob(t.Context(), j))
	return j.ID
}

func (f *fixture) mutes(t *testing.T) {
	ctx := t.Context()
	m := model.Mute{Kind: model.ChangeGroup, ObjectID: 3, Until: apiNow, User: "anna", Reason: "deploy"}
	require.NoError(t, f.SetMute(ctx, m))
	m.Until, m.Reason = apiNow.Add(time.Hour), "longer"
	require.NoError(t, f.SetMute(ctx, m))
	list, err := f.Mutes(ctx, apiNow)
	require.NoError(t, err)
	assert.Equal(t, []model.Mute{m}, list)
	list, err = f.Mutes(ctx, m.Until)
	require.NoError(t, err)
	assert.Empty(t, list)
	require.NoError(t, f.DeleteMute(ctx, m.Kind, m.ObjectID))
	list, err = f.Mutes(ctx, apiNow)
	require.NoError(t, err)
	assert.Empty(t, list)
	refused(t, f.SetMute(ctx, model.Mute{Reason: strings.Repeat("x", 256)}), store.ErrTooLong, "reason")
}

func (f *fixture) views(t *testing.T) {
	ctx := t.Context()
	u := f.addUser(t, "viewer", false)
	v := model.View{UserID: u.ID, Page: "jobs", Name: "failing", Query: "state=started"}
	require.NoError(t, f.SaveView(ctx, v))
	v.Query = "state=stopped&name=%3Cb%3E"
	require.NoError(t, f.SaveView(ctx, v))
	list, err := f.Views(ctx, u.ID, "jobs")
	require.NoError(t, err)
	assert.Equal(t, []model.View{v}, list)
	require.NoError(t, f.DeleteView(ctx, v))
	list, err = f.Views(ctx, u.ID, "jobs")
	require.NoError(t, err)
	assert.Empty(t, list)
	require.NoError(t, f.SaveView(ctx, v))
	require.NoError(t, f.DeleteUser(ctx, u.ID))
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxljob_view"))
	refused(t, f.SaveView(ctx, model.View{Name: strings.Repeat("x", 65)}), store.ErrTooLong, "name")
}

// jobsBehind pages through the jobs by marks, in every order.
func (f *fixture) jobsBehind(t *testing.T) {
	ctx := t.Context()
	before, total, err := f.Jobs(ctx, model.JobFilter{Limit: 1000})
	require.NoError(t, err)
	require.Len(t, before, total)
	titles := map[int32]string{}
	groups, _, err := f.Groups(ctx, model.GroupFilter{})
	require.NoError(t, err)
	for _, g := range groups { // of jobs that were there before
		titles[g.ID] = g.Title
	}
	for i, name := range []string{"beta", "alpha", "beta", "gamma", "alpha"} {
		id := f.addJob(t, name, int64(i%2)*1000)
		if i%2 == 1 {
			require.NoError(t, f.SetRunning(ctx, id, true, int64(i)*1000))
		}
		g := &model.Group{AppName: name + strconv.Itoa(i), Title: name + name, UpdateTime: apiNow}
		require.NoError(t, f.CreateGroup(ctx, g))
		titles[g.ID] = g.Title
		require.NoError(t, f.RegroupJobs(ctx, []int32{id}, g.ID, apiNow))
	}
	for order := model.SortID; order <= model.SortState; order++ {
		for _, ascending := range []bool{false, true} {
			filter := model.JobFilter{Sort: order, Ascending: ascending, Limit: 1000}
			want, total, err := f.Jobs(ctx, filter)
			require.NoError(t, err)
			require.Len(t, want, total)
			filter.Limit = 2
			var got []*model.Job
			for {
				list, n, err := f.Jobs(ctx, filter)
				require.NoError(t, err)
				require.Equal(t, total, n, "the mark is no filter")
				if got = append(got, list...); len(list) < 2 {
					break
				}
				require.LessOrEqual(t, len(got), total, "pages without end: sort %v ascending %v, mark %+v",
					order, ascending, filter.After)
				mark := order.Mark(list[1], titles[list[1].GroupID])
				filter.After = &mark
			}
			assert.Equal(t, want, got, "sort %v ascending %v", order, ascending)

			mark := order.Mark(want[4], titles[want[4].GroupID])
			filter.After, filter.Before, filter.Limit = nil, &mark, 3
			back, _, err := f.Jobs(ctx, filter)
			require.NoError(t, err)
			assert.Equal(t, want[1:4], back, "back from the fifth, sort %v ascending %v", order, ascending)
		}
	}
	list, _, err := f.Jobs(ctx, model.JobFilter{Sort: model.SortName, Ascending: true, Name: "a", Limit: 2})
	require.NoError(t, err)
	assert.Equal(t, "alpha", list[0].Name)
	list, _, err = f.Jobs(ctx, model.JobFilter{Sort: model.SortNext, Ascending: true, Limit: 2})
	require.NoError(t, err)
	assert.Equal(t, []int64{1000, 3000}, []int64{list[0].NextMs, list[1].NextMs}, "what fires next comes first")

	ids, err := f.JobIDs(ctx, model.JobFilter{Name: "beta"}, 10)
	require.NoError(t, err)
	assert.Len(t, ids, 2)
	ids, err = f.JobIDs(ctx, model.JobFilter{Name: "beta"}, 1)
	require.NoError(t, err)
	assert.Len(t, ids, 1)
	ids, err = f.JobIDs(ctx, model.JobFilter{GroupIDs: []int32{}}, 10)
	require.NoError(t, err)
	assert.Empty(t, ids)
}
