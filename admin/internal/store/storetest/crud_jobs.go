package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// noon is the instant at which the cases take place; clocks go back that night.
var noon = time.Date(2026, 10, 24, 12, 0, 0, 0, Zone)

// fullJob has every field set, with letters that bite.
func fullJob(group int32) *model.Job {
	return &model.Job{
		GroupID: group, Name: "Näme <b>'\"\\ 任务 🚀", AddTime: noon, UpdateTime: noon.Add(time.Hour),
		Author: model.T("Änne"), AlarmEmail: model.T("a@example.org,b@example.org"),
		ScheduleType: model.ScheduleCron, ScheduleConf: model.T("0 0/5 * * * ? *"), Misfire: model.MisfireFireOnceNow,
		TimeZone: "Asia/Shanghai", Running: true, LastMs: 1_700_000_000_123, NextMs: 1_700_000_005_123,
		Route: model.RouteShardingBroadcast, Handler: model.T("demo?Handler$1"), Param: model.T("{\"a\": '?'}\n\\n%_"),
		Block: model.BlockCoverEarly, TimeoutSec: 30, Retries: 3, GlueType: "GLUE_SHELL",
		GlueSource: model.T("#!/bin/sh\necho \"$1\" ? '\n"), GlueRemark: model.T("first"),
		GlueUpdated: noon.Add(2 * time.Hour), Children: model.T("1,2"),
	}
}

// plainJob has only what must be there.
func plainJob(group int32, name string) *model.Job {
	return &model.Job{
		GroupID: group, Name: name, AddTime: noon, UpdateTime: noon, ScheduleType: model.ScheduleNone,
		Misfire: model.MisfireDoNothing, GlueType: model.GlueBean,
	}
}

func crudJobs(t *testing.T, f *fixture) {
	t.Run("a job comes back as it went in", f.jobRoundTrip)
	t.Run("texts that do not fit", f.jobLimits)
	t.Run("list", f.jobList)
	t.Run("by id", f.jobsByID)
	t.Run("update", f.jobUpdate)
	t.Run("start and stop", f.jobStatus)
	t.Run("behind what is planned", f.jobBehind)
	t.Run("delete", f.jobDelete)
	t.Run("bring back", f.jobRestore)
	t.Run("what a deletion touches", f.jobImpact)
	t.Run("deletions", f.deletedList)
	t.Run("started", f.jobsStarted)
	t.Run("code", f.glue)
}

// sameJob compares two jobs; times count as instants.
func sameJob(t *testing.T, want, got *model.Job) {
	t.Helper()
	sameTime(t, want.AddTime, got.AddTime, "AddTime")
	sameTime(t, want.UpdateTime, got.UpdateTime, "UpdateTime")
	sameTime(t, want.GlueUpdated, got.GlueUpdated, "GlueUpdated")
	w, g := *want, *got
	w.AddTime, w.UpdateTime, w.GlueUpdated = time.Time{}, time.Time{}, time.Time{}
	g.AddTime, g.UpdateTime, g.GlueUpdated = time.Time{}, time.Time{}, time.Time{}
	assert.Equal(t, w, g)
}

func (f *fixture) jobRoundTrip(t *testing.T) {
	ctx := t.Context()
	full, plain := fullJob(101), plainJob(101, "plain")
	for _, j := range []*model.Job{full, plain} {
		require.NoError(t, f.CreateJob(ctx, j))
		require.Positive(t, j.ID)
		got, err := f.Job(ctx, j.ID)
		require.NoError(t, err)
		sameJob(t, j, got)
	}
	assert.NotEqual(t, full.ID, plain.ID)
	sameTime(t, noon, plain.GlueUpdated, "GlueUpdated of a job without code")
	_, err := f.Job(ctx, 1<<30)
	require.ErrorIs(t, err, store.ErrNotFound)

	n, err := f.CountJobs(ctx, 101)
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	all, err := f.CountJobs(ctx, 0)
	require.NoError(t, err)
	assert.Equal(t, f.number(t, "SELECT COUNT(*) FROM xxl_job_info"), int64(all))
	started, err := f.StartedByGroup(ctx)
	require.NoError(t, err)
	assert.Equal(t, f.number(t, "SELECT COUNT(*) FROM xxl_job_info WHERE trigger_status = 1 AND job_group = 101"),
		int64(started[101]))
	assert.NotZero(t, started[101])

	empty := plainJob(102, "a Java row with what may be NULL")
	require.NoError(t, f.CreateJob(ctx, empty))
	f.exec(t, "UPDATE xxl_job_info SET add_time = NULL, update_time = NULL, glue_updatetime = NULL, "+
		"executor_route_strategy = NULL, executor_block_strategy = NULL WHERE id = ?", empty.ID)
	got, err := f.Job(ctx, empty.ID)
	require.NoError(t, err)
	assert.True(t, got.AddTime.IsZero() && got.UpdateTime.IsZero() && got.GlueUpdated.IsZero())
	assert.Empty(t, got.Route)
}

func (f *fixture) jobLimits(t *testing.T) {
	ctx := t.Context()
	wide := func(n int) string { return strings.Repeat("宽", n) }
	tests := []struct {
		field string
		limit int
		set   func(j *model.Job, text string)
	}{
		{"job name", 255, func(j *model.Job, s string) { j.Name = s }},
		{"author", 64, func(j *model.Job, s string) { j.Author = model.T(s) }},
		{"alarm e-mail", 255, func(j *model.Job, s string) { j.AlarmEmail = model.T(s) }},
		{"schedule", 128, func(j *model.Job, s string) { j.ScheduleConf = model.T(s) }},
		{"time zone", 64, func(j *model.Job, s string) { j.TimeZone = s }},
		{"handler", 255, func(j *model.Job, s string) { j.Handler = model.T(s) }},
		{"glue remark", 128, func(j *model.Job, s string) { j.GlueRemark = model.T(s) }},
		{"glue type", 50, func(j *model.Job, s string) { j.GlueType = s }},
		{"child jobs", 255, func(j *model.Job, s string) { j.Children = model.T(s) }},
	}
	fits := plainJob(103, "fits")
	for _, tt := range tests {
		j := plainJob(103, "too long")
		tt.set(j, wide(tt.limit+1))
		refused(t, f.CreateJob(ctx, j), store.ErrTooLong, tt.field)
		assert.Zero(t, j.ID)
		tt.set(j, "a\xffb")
		refused(t, f.CreateJob(ctx, j), store.ErrBadText, tt.field)
		tt.set(j, "a\x00b")
		refused(t, f.CreateJob(ctx, j), store.ErrBadText, tt.field)
		tt.set(fits, wide(tt.limit))
	}
	// The parameter: 512 characters, or as many bytes as a text column holds.
	param := wide(f.info.ParamMax)
	if f.info.ParamMax > 1000 {
		require.Equal(t, 65535, f.info.ParamMax)
		param = wide(65535 / 3)
	}
	fits.Param = model.T(param)
	require.NoError(t, f.CreateJob(ctx, fits), "every text as long as may be")
	got, err := f.Job(ctx, fits.ID)
	require.NoError(t, err)
	fits.GlueUpdated = got.GlueUpdated
	sameJob(t, fits, got)

	fits.Param = model.T(param + "x")
	refused(t, f.UpdateJob(ctx, fits, nil), store.ErrTooLong, "executor parameter")
	n, err := f.CountJobs(ctx, 103)
	require.NoError(t, err)
	assert.Equal(t, 1, n, "nothing that was refused is there")
}

func (f *fixture) jobList(t *testing.T) {
	ctx := t.Context()
	for i, name := range []string{"Alpha", "50% off", "50x off", "under_score", "underXscore", "wow!"} {
		j := plainJob(int32(110+i%2), name)
		j.Handler, j.Author, j.Running = model.T("handler-"+name), model.T(fmt.Sprintf("Author%d", i)), i < 2
		require.NoError(t, f.CreateJob(ctx, j))
	}
	tests := []struct {
		name string
		give model.JobFilter
		want string // names, newest first
	}{
		{name: "group", give: model.JobFilter{GroupID: 110}, want: "underXscore,50x off,Alpha"},
		{name: "groups", give: model.JobFilter{GroupIDs: []int32{111}}, want: "wow!,under_score,50% off"},
		{
			name: "both groups", give: model.JobFilter{GroupIDs: []int32{111, 110, 9999}, Limit: 2},
			want: "wow!,underXscore",
		},
		{
			name: "group that may be seen", give: model.JobFilter{GroupID: 110, GroupIDs: []int32{110}, Name: "x"},
			want: "underXscore,50x off",
		},
		{name: "group that may not", give: model.JobFilter{GroupID: 110, GroupIDs: []int32{111}}},
		{name: "no groups at all", give: model.JobFilter{GroupIDs: []int32{}}},
		{name: "percent", give: model.JobFilter{GroupIDs: []int32{110, 111}, Name: "0% o"}, want: "50% off"},
		{name: "underscore", give: model.JobFilter{GroupIDs: []int32{110, 111}, Name: "r_s"}, want: "under_score"},
		{name: "exclamation mark", give: model.JobFilter{GroupIDs: []int32{110, 111}, Name: "w!"}, want: "wow!"},
		{name: "letters' case", give: model.JobFilter{GroupID: 110, Name: "aLPHA"}, want: "Alpha"},
		{name: "backslash and quote", give: model.JobFilter{GroupID: 110, Name: `\'`}},
		{name: "no text", give: model.JobFilter{GroupID: 110, Name: "a\x00"}},
		{name: "half a letter", give: model.JobFilter{GroupID: 110, Name: "\xc3"}},
		{name: "longer than any", give: model.JobFilter{GroupID: 110, Name: strings.Repeat("a", 60_000)}},
		{name: "handler", give: model.JobFilter{GroupID: 111, Handler: "HANDLER-w"}, want: "wow!"},
		{name: "author", give: model.JobFilter{GroupID: 111, Author: "author3"}, want: "under_score"},
		{
			name: "running", give: model.JobFilter{GroupIDs: []int32{110, 111}, Running: new(true)},
			want: "50% off,Alpha",
		},
		{name: "stopped", give: model.JobFilter{GroupID: 110, Running: new(false)}, want: "underXscore,50x off"},
		{name: "second page", give: model.JobFilter{GroupID: 110, Offset: 1, Limit: 1}, want: "50x off"},
		{name: "behind the end", give: model.JobFilter{GroupID: 110, Offset: 50}},
	}
	totals := map[string]int{"both groups": 6, "second page": 3, "behind the end": 3}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, total, err := f.Jobs(t.Context(), tt.give)
			require.NoError(t, err)
			names := make([]string, len(list))
			for i, j := range list {
				names[i] = j.Name
			}
			assert.Equal(t, tt.want, strings.Join(names, ","))
			want, ok := totals[tt.name]
			if !ok {
				want = len(list)
			}
			assert.Equal(t, want, total)
		})
	}
}

func (f *fixture) jobsByID(t *testing.T) {
	ctx := t.Context()
	ids := make([]int32, 0, 700)
	for i := range 3 {
		j := plainJob(115, fmt.Sprint("n", i))
		require.NoError(t, f.CreateJob(ctx, j))
		ids = append(ids, j.ID)
	}
	for i := range int32(600) { // more than one statement takes
		ids = append(ids, 1<<29+i)
	}
	ids = append(ids, ids[0])
	jobs, err := f.JobsByID(ctx, ids)
	require.NoError(t, err)
	require.Len(t, jobs, 3)
	assert.Equal(t, "n1", jobs[ids[1]].Name)
	jobs, err = f.JobsByID(ctx, nil)
	require.NoError(t, err)
	assert.Empty(t, jobs)
}

func (f *fixture) jobUpdate(t *testing.T) {
	ctx := t.Context()
	j := fullJob(120)
	require.NoError(t, f.CreateJob(ctx, j))
	edit := plainJob(121, "edited")
	edit.ID, edit.Running, edit.NextMs, edit.LastMs, edit.GlueType = j.ID, false, 5, 6, "GLUE_PHP"
	edit.Param, edit.Retries, edit.UpdateTime = model.T("p"), 9, noon.Add(24*time.Hour)
	require.NoError(t, f.UpdateJob(ctx, edit, nil))
	got, err := f.Job(ctx, j.ID)
	require.NoError(t, err)
	want := *edit
	want.AddTime, want.Running, want.LastMs, want.NextMs = j.AddTime, j.Running, j.LastMs, j.NextMs
	want.GlueType, want.GlueSource = j.GlueType, j.GlueSource
	want.GlueRemark, want.GlueUpdated = j.GlueRemark, j.GlueUpdated
	sameJob(t, &want, got)

	require.NoError(t, f.UpdateJob(ctx, edit, new(int64(77))), "it runs: the next time is set")
	got, err = f.Job(ctx, j.ID)
	require.NoError(t, err)
	assert.Equal(t, []int64{j.LastMs, 77}, []int64{got.LastMs, got.NextMs})

	require.NoError(t, f.SetRunning(ctx, j.ID, false, 0))
	require.NoError(t, f.UpdateJob(ctx, edit, new(int64(88))), "it was stopped meanwhile: it stays so")
	got, err = f.Job(ctx, j.ID)
	require.NoError(t, err)
	assert.Zero(t, got.NextMs)
	assert.False(t, got.Running)

	edit.ID = 1 << 30
	require.ErrorIs(t, f.UpdateJob(ctx, edit, new(int64(1))), store.ErrNotFound)
}

func (f *fixture) jobStatus(t *testing.T) {
	ctx := t.Context()
	j := fullJob(125)
	require.NoError(t, f.CreateJob(ctx, j))
	for _, tt := range []struct {
		running bool
		next    int64
	}{{false, 0}, {true, 1_800_000_000_000}, {true, 1_800_000_000_000}} {
		require.NoError(t, f.SetRunning(ctx, j.ID, tt.running, tt.next))
		got, err := f.Job(ctx, j.ID)
		require.NoError(t, err)
		assert.Equal(t, tt.running, got.Running)
		assert.Equal(t, []int64{0, tt.next}, []int64{got.LastMs, got.NextMs})
	}
	require.ErrorIs(t, f.SetRunning(ctx, 1<<30, true, 1), store.ErrNotFound)
}

// jobBehind: what another node has planned is not planned again by a start or
// an edit here.
func (f *fixture) jobBehind(t *testing.T) {
	ctx := t.Context()
	j := fullJob(126)
	require.NoError(t, f.CreateJob(ctx, j))
	const at = 1_800_000_000_000
	run := &model.Run{
		JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: at, TriggerMs: at, ShardTotal: 1, Token: 1,
	}
	require.NoError(t, f.CreateRuns(ctx, []*model.Run{run}))
	var planned *store.PlannedError
	require.ErrorAs(t, f.SetRunning(ctx, j.ID, true, at), &planned)
	assert.EqualValues(t, at, planned.UntilMs)
	require.NoError(t, f.SetRunning(ctx, j.ID, true, at+1000), "behind it")
	require.ErrorAs(t, f.MoveJob(ctx, j, at-1000), &planned)
	got, err := f.Job(ctx, j.ID)
	require.NoError(t, err)
	assert.EqualValues(t, at+1000, got.NextMs, "nothing was written")
	require.NoError(t, f.MoveJob(ctx, j, at+2000))
	require.NoError(t, f.UpdateJob(ctx, j, new(int64(at))), "its own node takes back what is planned")
	require.NoError(t, f.SetRunning(ctx, j.ID, false, 0), "a stop is always possible")
}

func (f *fixture) jobDelete(t *testing.T) {
	ctx := t.Context()
	j, other := plainJob(130, "goes"), plainJob(130, "stays")
	require.NoError(t, f.CreateJob(ctx, j))
	require.NoError(t, f.CreateJob(ctx, other))
	var logs []*model.Log
	for i := range 40 {
		job := j.ID
		if i%4 == 0 {
			job = other.ID
		}
		logs = append(logs, &model.Log{GroupID: 130, JobID: job, TriggerTime: noon, TriggerCode: 200})
	}
	f.addLogs(t, logs...)
	f.openRun(t, logs[1])
	f.openRun(t, logs[4])
	f.openRun(t, &model.Log{ID: 1 << 40, JobID: j.ID, TriggerTime: noon}) // a Java admin has cleared its log
	f.addReport(t, time.Date(2026, 10, 24, 0, 0, 0, 0, Zone), 2, 30, 0)
	for _, id := range []int32{j.ID, other.ID} {
		v := &model.GlueVersion{JobID: id, GlueType: "GLUE_SHELL", Remark: "v", Updated: noon}
		require.NoError(t, f.SaveGlue(ctx, v))
	}
	for range 2 { // the second time there is nothing left, which is no error
		require.NoError(t, f.DeleteJob(ctx, j.ID))
		_, err := f.Job(ctx, j.ID)
		require.ErrorIs(t, err, store.ErrNotFound)
		for _, table := range []string{"xxl_job_log", "xxljob_run", "xxl_job_logglue"} {
			assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM "+table+" WHERE job_id = ?", j.ID), table)
		}
	}
	_, err := f.Job(ctx, other.ID)
	require.NoError(t, err)
	if f.info.MadeByUs { // elsewhere the Java admin counts
		running := f.number(t, "SELECT running_count FROM xxl_job_log_report")
		assert.Equal(t, int64(1), running, "its open run counts no more")
	}
	assert.Equal(t, int64(10), f.number(t, "SELECT COUNT(*) FROM xxl_job_log WHERE job_id = ?", other.ID))
	assert.Equal(t, int64(1), f.number(t, "SELECT COUNT(*) FROM xxljob_run WHERE job_id = ?", other.ID))
	assert.Equal(t, int64(1), f.number(t, "SELECT COUNT(*) FROM xxl_job_logglue WHERE job_id = ?", other.ID))
}

func (f *fixture) glue(t *testing.T) {
	ctx := t.Context()
	j, other := fullJob(135), fullJob(135)
	require.NoError(t, f.CreateJob(ctx, j))
	require.NoError(t, f.CreateJob(ctx, other))
	foreign := &model.GlueVersion{JobID: other.ID, GlueType: "GLUE_SHELL", Remark: "of another"}
	require.NoError(t, f.SaveGlue(ctx, foreign))
	before := int32(0)
	for i := range 33 { // two in each second: of these the later one is newer
		at := noon.Add(time.Duration(i/2) * time.Second)
		v := &model.GlueVersion{
			JobID: j.ID, GlueType: "GLUE_SHELL", Source: model.T(fmt.Sprint("echo ", i)), Remark: fmt.Sprint("v", i),
			AddTime: at, Updated: at, User: fmt.Sprint("user", i),
		}
		last := before
		require.NoError(t, f.SaveGlue(ctx, v))
		require.Positive(t, v.ID)
		require.Positive(t, v.Before)
		if i > 0 {
			require.Equal(t, last, v.Before)
		} else {
			first, err := f.GlueVersions(ctx, j.ID)
			require.NoError(t, err)
			require.Len(t, first, 2, "what the job had is kept")
			require.Equal(t, v.Before, first[1].ID)
			require.Equal(t, j.GlueSource.S, first[1].Source.S)
			require.Equal(t, "first", first[1].Remark)
			require.Empty(t, first[1].User, "nobody knows who")
		}
		before = v.ID
	}
	got, err := f.Job(ctx, j.ID)
	require.NoError(t, err)
	assert.Equal(t, []string{"echo 32", "v32"}, []string{got.GlueSource.S, got.GlueRemark.S})
	sameTime(t, noon.Add(16*time.Second), got.GlueUpdated, "GlueUpdated")
	list, err := f.GlueVersions(ctx, j.ID)
	require.NoError(t, err)
	require.Len(t, list, 30)
	assert.Equal(t, []string{"v32", "v31", "v3"}, []string{list[0].Remark, list[1].Remark, list[29].Remark})
	assert.Equal(t, "echo 31", list[1].Source.S)
	assert.Equal(t, "user31", list[1].User)
	assert.Equal(t, int64(30), f.number(t, "SELECT COUNT(*) FROM xxljob_code_version WHERE job_id = ?", j.ID))
	assert.Equal(t, []any{j.ID, "GLUE_SHELL"}, []any{list[1].JobID, list[1].GlueType})
	sameTime(t, noon.Add(15*time.Second), list[1].Updated, "Updated")
	list, err = f.GlueVersions(ctx, other.ID)
	require.NoError(t, err)
	assert.Len(t, list, 2, "another job's versions stay")

	began := fullJob(135)
	require.NoError(t, f.CreateJob(ctx, began))
	first := &model.GlueVersion{
		JobID: began.ID, GlueType: "GLUE_SHELL", Source: began.GlueSource, Remark: began.GlueRemark.S,
		AddTime: began.GlueUpdated, Updated: began.GlueUpdated, User: "who made it",
	}
	require.NoError(t, f.SaveGlue(ctx, first))
	list, err = f.GlueVersions(ctx, began.ID)
	require.NoError(t, err)
	require.Len(t, list, 1, "what a job began with is one version")
	assert.Equal(t, "who made it", list[0].User)

	v := &model.GlueVersion{JobID: 1 << 30, Remark: "r"}
	require.ErrorIs(t, f.SaveGlue(ctx, v), store.ErrNotFound)
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxl_job_logglue WHERE job_id = ?", v.JobID))
	v.JobID, v.Remark = j.ID, strings.Repeat("r", 129)
	refused(t, f.SaveGlue(ctx, v), store.ErrTooLong, "glue remark")
	v.Remark, v.Source = "r", model.T(strings.Repeat("s", 16777216))
	refused(t, f.SaveGlue(ctx, v), store.ErrTooLong, "glue source")
	v.Source = model.T(strings.Repeat("s", 1<<20))
	require.NoError(t, f.SaveGlue(ctx, v), "a long source")
	require.NoError(t, f.DeleteJob(ctx, j.ID))
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxljob_code_version WHERE job_id = ?", j.ID))
}
