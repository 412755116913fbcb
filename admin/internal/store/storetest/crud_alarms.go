package storetest

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

func crudAlarms(t *testing.T, f *fixture) {
	t.Run("rules", f.alarmRules)
	t.Run("alarms", f.alarmRecords)
	t.Run("alarms of one object", f.alarmsOfOne)
	t.Run("acknowledged alarms", f.alarmAcks)
	t.Run("orders of alarms", f.alarmOrders)
	t.Run("alarms at once", f.alarmsAtOnce)
	t.Run("deliveries", f.alarmDeliveries)
	t.Run("late and long", f.lateAndLong)
}

func (f *fixture) alarmRules(t *testing.T) {
	ctx := t.Context()
	key := model.AlarmKey{What: model.AlarmOnLate, Kind: model.ChangeJob, ObjectID: 7}
	r := model.AlarmRule{AlarmKey: key, Limit: 30 * time.Second, User: "anna", Created: apiNow}
	require.NoError(t, f.SetAlarmRule(ctx, &r))
	r.Limit, r.User = time.Minute, "béla"
	require.NoError(t, f.SetAlarmRule(ctx, &r))
	group := r
	group.Kind, group.What = model.ChangeGroup, model.AlarmOnNobody
	require.NoError(t, f.SetAlarmRule(ctx, &group))
	list, err := f.AlarmRules(ctx)
	require.NoError(t, err)
	assert.Equal(t, []model.AlarmRule{group, r}, list)
	require.NoError(t, f.DeleteAlarmRule(ctx, group.AlarmKey))
	require.NoError(t, f.DeleteAlarmRule(ctx, group.AlarmKey), "once more is no error")
	require.NoError(t, f.DeleteAlarmRule(ctx, key))
	list, err = f.AlarmRules(ctx)
	require.NoError(t, err)
	assert.Empty(t, list)
	r.What = model.AlarmWhat(strings.Repeat("x", 17))
	refused(t, f.SetAlarmRule(ctx, &r), store.ErrTooLong, "what")
}

func alarmOf(job, group int32) model.AlarmRecord {
	return model.AlarmRecord{
		AlarmKey: model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: job},
		GroupID:  group, Last: apiNow, Count: 1, LogID: 70, Message: "<b>雪</b>",
	}
}

func (f *fixture) alarmRecords(t *testing.T) {
	ctx := t.Context()
	a, b := alarmOf(1, 11), alarmOf(2, 12)
	require.NoError(t, f.RaiseAlarms(ctx, []model.AlarmRecord{b, a}))
	again := a
	again.Last, again.Count, again.Muted, again.LogID = apiNow.Add(time.Minute), 3, 2, 71
	again.Message = "\x00\xff" + strings.Repeat("雪", 5000)
	require.NoError(t, f.RaiseAlarms(ctx, []model.AlarmRecord{again}))
	list, err := f.Alarms(ctx, model.AlarmFilter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 2)
	mine, err := f.Alarms(ctx, model.AlarmFilter{GroupIDs: []int32{11}})
	require.NoError(t, err)
	require.Len(t, mine, 1)
	got := mine[0]
	assert.Equal(t, []int64{4, 2, 71}, []int64{got.Count, got.Muted, got.LogID})
	sameTime(t, apiNow, got.First, "first")
	sameTime(t, again.Last, got.Last, "last")
	assert.True(t, got.Recovered.IsZero())
	assert.Len(t, []rune(got.Message), 2000)
	none, err := f.Alarms(ctx, model.AlarmFilter{GroupIDs: []int32{}})
	require.NoError(t, err)
	assert.Empty(t, none)

	for i, want := range []bool{true, false} {
		ended, err := f.EndAlarm(ctx, got.ID, apiNow.Add(time.Hour))
		require.NoError(t, err)
		assert.Equal(t, want, ended, i)
	}
	require.NoError(t, f.RaiseAlarms(ctx, []model.AlarmRecord{a}), "another one opens")
	mine, err = f.Alarms(ctx, model.AlarmFilter{Kind: model.ChangeJob, ObjectID: 1})
	require.NoError(t, err)
	require.Len(t, mine, 1)
	ended, err := f.EndAlarm(ctx, mine[0].ID, apiNow.Add(time.Hour))
	require.NoError(t, err)
	assert.True(t, ended, "in the same millisecond as the one before")
	recent, err := f.Alarms(ctx, model.AlarmFilter{Ended: true})
	require.NoError(t, err)
	require.Len(t, recent, 2)
	assert.Equal(t, mine[0].ID, recent[0].ID)
	older, err := f.Alarms(ctx, model.AlarmFilter{Ended: true, BeforeID: recent[0].ID})
	require.NoError(t, err)
	assert.Equal(t, recent[1:], older)

	for _, tt := range []struct {
		name   string
		filter model.AlarmFilter
		want   int
	}{
		{"of their kind", model.AlarmFilter{What: recent[0].What}, 2},
		{"of another kind", model.AlarmFilter{What: model.AlarmOnNobody}, 0},
		{"not ended before", model.AlarmFilter{From: recent[0].Recovered}, 1},
		{"all ended before", model.AlarmFilter{From: recent[0].Recovered.Add(time.Millisecond)}, 0},
		{"begun before", model.AlarmFilter{To: recent[0].First.Add(time.Millisecond)}, 2},
		{"begun later", model.AlarmFilter{To: recent[1].First}, 0},
	} {
		tt.filter.Ended = true
		list, err := f.Alarms(ctx, tt.filter)
		require.NoError(t, err)
		assert.Len(t, list, tt.want, tt.name)
	}

	count, err := f.CountEndedAlarms(ctx, apiNow.Add(2*time.Hour), 10)
	require.NoError(t, err)
	assert.Equal(t, 2, count)
	count, err = f.CountEndedAlarms(ctx, apiNow.Add(time.Hour), 10)
	require.NoError(t, err)
	assert.Zero(t, count)
	count, err = f.CountEndedAlarms(ctx, apiNow.Add(2*time.Hour), 1)
	require.NoError(t, err)
	assert.Equal(t, 1, count, "and stops at the limit")
	n, err := f.ExpireAlarms(ctx, apiNow.Add(time.Hour), 10)
	require.NoError(t, err)
	assert.Zero(t, n)
	n, err = f.ExpireAlarms(ctx, apiNow.Add(2*time.Hour), 1)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	n, err = f.ExpireAlarms(ctx, apiNow.Add(2*time.Hour), 10)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	list, err = f.Alarms(ctx, model.AlarmFilter{})
	require.NoError(t, err)
	assert.Len(t, list, 1, "open ones stay")
}

// alarmsOfOne: what an object was about, newest first, page by page, and of the
// groups that are asked for.
func (f *fixture) alarmsOfOne(t *testing.T) {
	ctx := t.Context()
	whats := []model.AlarmWhat{model.AlarmOnLong, model.AlarmOnFailure, model.AlarmOnLate}
	var want []int64
	for i := range 7 {
		for _, job := range []int32{301, 302} {
			a := alarmOf(job, 70+int32(i%2))
			a.What, a.Last = whats[i%3], apiNow.Add(time.Duration(i)*time.Minute)
			require.NoError(t, f.RaiseAlarms(ctx, []model.AlarmRecord{a}))
			open, err := f.Alarms(ctx, model.AlarmFilter{Kind: model.ChangeJob, ObjectID: job})
			require.NoError(t, err)
			require.Len(t, open, 1)
			if job == 301 {
				want = append([]int64{open[0].ID}, want...)
			}
			ended, err := f.EndAlarm(ctx, open[0].ID, a.Last.Add(time.Second))
			require.NoError(t, err)
			require.True(t, ended)
		}
	}
	filter := model.AlarmFilter{Kind: model.ChangeJob, ObjectID: 301, Ended: true, Limit: 3}
	var got []int64
	for range 4 {
		list, err := f.Alarms(ctx, filter)
		require.NoError(t, err)
		for _, a := range list {
			got = append(got, a.ID)
			filter.BeforeID = a.ID
		}
	}
	assert.Equal(t, want, got)
	filter.BeforeID, filter.Limit, filter.GroupIDs = 0, 10, []int32{71}
	list, err := f.Alarms(ctx, filter)
	require.NoError(t, err)
	require.Len(t, list, 3)
	assert.Equal(t, want[1], list[0].ID)
	none, err := f.Alarms(ctx, model.AlarmFilter{Kind: model.ChangeGroup, ObjectID: 301, Ended: true})
	require.NoError(t, err)
	assert.Empty(t, none)
	n, err := f.ExpireAlarms(ctx, apiNow.Add(time.Hour), 1000)
	require.NoError(t, err)
	assert.Equal(t, 14, n)
}

// alarmsAtOnce: nodes that raise the same alarms open each once.
func (f *fixture) alarmsAtOnce(t *testing.T) {
	ctx := t.Context()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			list := []model.AlarmRecord{alarmOf(101, 9), alarmOf(102, 9)}
			if i%2 == 1 {
				list[0], list[1] = list[1], list[0]
			}
			assert.NoError(t, f.RaiseAlarms(ctx, list))
		})
	}
	wg.Wait()
	list, err := f.Alarms(ctx, model.AlarmFilter{GroupIDs: []int32{9}})
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, []int64{8, 8}, []int64{list[0].Count, list[1].Count})
}

func (f *fixture) alarmDeliveries(t *testing.T) {
	ctx := t.Context()
	a := alarmOf(201, 8)
	require.NoError(t, f.RaiseAlarms(ctx, []model.AlarmRecord{a}))
	list, err := f.Alarms(ctx, model.AlarmFilter{GroupIDs: []int32{8}})
	require.NoError(t, err)
	id := list[0].ID
	d := model.AlarmDelivery{Channel: "ding ✓", At: apiNow, Error: "no\x00 answer"}
	require.NoError(t, f.SaveDelivery(ctx, a.AlarmKey, d))
	d.Error = ""
	require.NoError(t, f.SaveDelivery(ctx, a.AlarmKey, d))
	test := model.AlarmDelivery{Channel: "ding ✓", At: apiNow.Add(time.Second), Error: strings.Repeat("x", 900)}
	require.NoError(t, f.SaveDelivery(ctx, model.AlarmKey{}, test))
	gone := a.AlarmKey
	gone.ObjectID = 999
	require.NoError(t, f.SaveDelivery(ctx, gone, d), "of an alarm that is gone")

	found, err := f.Deliveries(ctx, []int64{id, 1 << 40})
	require.NoError(t, err)
	d.AlarmID = id
	assert.Equal(t, map[int64][]model.AlarmDelivery{id: {d}}, found)
	last, err := f.LastDelivery(ctx, "ding ✓")
	require.NoError(t, err)
	assert.Zero(t, last.AlarmID)
	assert.Len(t, []rune(last.Error), 500)
	last, err = f.LastDelivery(ctx, "other")
	require.NoError(t, err)
	assert.Nil(t, last)
}

// lateAndLong asks for what the rules are about, of a job and of its group.
func (f *fixture) lateAndLong(t *testing.T) {
	ctx := t.Context()
	const group = 77
	job := &model.Job{
		GroupID: group, Name: "late", AddTime: apiNow, UpdateTime: apiNow, ScheduleType: model.ScheduleNone,
		Misfire: model.MisfireDoNothing, Route: model.RouteFirst, Block: model.BlockSerial, GlueType: model.GlueBean,
		Running: true, NextMs: apiNow.Add(-time.Minute).UnixMilli(),
	}
	require.NoError(t, f.CreateJob(ctx, job))
	run := &model.Run{
		JobID: job.ID, GroupID: group, Type: model.TriggerCron, PlannedMs: apiNow.Add(-2 * time.Minute).UnixMilli(),
		TriggerMs: apiNow.Add(-2 * time.Minute).UnixMilli(), ShardTotal: 1,
	}
	require.NoError(t, f.CreateRuns(ctx, []*model.Run{run}))
	for _, by := range []struct {
		kind string
		id   int32
	}{{model.ChangeJob, job.ID}, {model.ChangeGroup, group}} {
		late, err := f.LateFires(ctx, by.kind, by.id, apiNow, 10)
		require.NoError(t, err)
		assert.Equal(t, []model.Overdue{
			{JobID: job.ID, GroupID: group, LogID: run.LogID, SinceMs: run.PlannedMs},
			{JobID: job.ID, GroupID: group, SinceMs: job.NextMs},
		}, late)
		late, err = f.LateFires(ctx, by.kind, by.id, apiNow.Add(-90*time.Second), 10)
		require.NoError(t, err)
		assert.Len(t, late, 1)
		long, err := f.LongRuns(ctx, by.kind, by.id, apiNow, 10)
		require.NoError(t, err)
		assert.Empty(t, long, "it has not been sent")
	}
	_, err := f.Finish(ctx, []*model.Outcome{{LogID: run.LogID, Trigger: &model.TriggerResult{
		Code: model.CodeSuccess, AtMs: apiNow.Add(-30 * time.Second).UnixMilli(),
	}}}, func([]*store.Ending, store.Loader) error { return nil })
	require.NoError(t, err)
	for _, by := range []struct {
		kind string
		id   int32
	}{{model.ChangeJob, job.ID}, {model.ChangeGroup, group}} {
		late, err := f.LateFires(ctx, by.kind, by.id, apiNow, 1)
		require.NoError(t, err)
		assert.Equal(t, []model.Overdue{{JobID: job.ID, GroupID: group, SinceMs: job.NextMs}}, late)
		long, err := f.LongRuns(ctx, by.kind, by.id, apiNow, 10)
		require.NoError(t, err)
		require.Len(t, long, 1)
		assert.Equal(t, apiNow.Add(-30*time.Second).UnixMilli(), long[0].SinceMs)
		long, err = f.LongRuns(ctx, by.kind, by.id, apiNow.Add(-31*time.Second), 10)
		require.NoError(t, err)
		assert.Empty(t, long)
	}
	require.NoError(t, f.DeleteJob(ctx, job.ID))
}
