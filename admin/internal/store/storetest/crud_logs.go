package storetest

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

func crudLogs(t *testing.T, f *fixture) {
	t.Run("a row of a Java admin", f.logRow)
	t.Run("list", f.logList)
	t.Run("clear by age", f.clearByAge)
	t.Run("clear by number", f.clearByNumber)
	t.Run("clear all", f.clearAll)
	t.Run("clear many", f.clearMany)
	t.Run("alarms", f.alarms)
	t.Run("day counters", f.reports)
	t.Run("recount", f.recount)
	t.Run("recount while runs end", f.recountAtOnce)
}

func (f *fixture) logRow(t *testing.T) {
	ctx := t.Context()
	full := &model.Log{
		GroupID: 201, JobID: 7, Address: model.T("http://a/"), Handler: model.T("h?"), Param: model.T("p'\n"),
		ShardingParam: model.T("1/3"), RetriesLeft: 2, TriggerTime: noon, TriggerCode: 200,
		TriggerMsg: model.T("<br>触发 🚀"), HandleTime: noon.Add(time.Second), HandleCode: 500,
		HandleMsg: model.T(strings.Repeat("long ", 3000)), AlarmStatus: model.AlarmSent,
	}
	empty := &model.Log{GroupID: 201, JobID: 7}
	f.addLogs(t, full, empty)
	for _, want := range []*model.Log{full, empty} {
		got, err := f.Log(ctx, want.ID)
		require.NoError(t, err)
		sameTime(t, want.TriggerTime, got.TriggerTime, "TriggerTime")
		sameTime(t, want.HandleTime, got.HandleTime, "HandleTime")
		w, g := *want, *got
		w.TriggerTime, w.HandleTime, g.TriggerTime, g.HandleTime = time.Time{}, time.Time{}, time.Time{}, time.Time{}
		assert.Equal(t, w, g)
	}
	_, err := f.Log(ctx, 1<<40)
	require.ErrorIs(t, err, store.ErrNotFound)
}

func (f *fixture) logList(t *testing.T) {
	// Named by their messages; a second apart each.
	rows := []*model.Log{
		{JobID: 11, GroupID: 210, TriggerCode: 200, HandleCode: 200, HandleMsg: model.T("ok")},
		{JobID: 11, GroupID: 210, TriggerCode: 200, HandleCode: 500, HandleMsg: model.T("failed")},
		{JobID: 12, GroupID: 210, TriggerCode: 500, HandleCode: 0, HandleMsg: model.T("refused")},
		{JobID: 12, GroupID: 210, TriggerCode: 200, HandleCode: 0, HandleMsg: model.T("running")},
		{JobID: 12, GroupID: 211, TriggerCode: 0, HandleCode: 0, HandleMsg: model.T("planned")},
		{JobID: 13, GroupID: 211, TriggerCode: 0, HandleCode: 200, HandleMsg: model.T("early")},
		{JobID: 13, GroupID: 211, TriggerCode: 200, HandleCode: 502, HandleMsg: model.T("timeout")},
	}
	for i, l := range rows {
		l.TriggerTime = noon.Add(time.Duration(i) * time.Second)
	}
	f.addLogs(t, rows...)
	f.openRun(t, rows[3])
	f.openRun(t, rows[4])
	both := []int32{210, 211}
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	tests := []struct {
		name  string
		give  model.LogFilter
		want  string // newest first
		total int    // 0 is as many as there are in want
	}{
		{
			name: "groups", give: model.LogFilter{GroupIDs: both},
			want: "timeout,early,planned,running,refused,failed,ok",
		},
		{name: "group", give: model.LogFilter{GroupID: 211}, want: "timeout,early,planned"},
		{name: "group not allowed", give: model.LogFilter{GroupID: 211, GroupIDs: []int32{210}}},
		{name: "no group allowed", give: model.LogFilter{GroupIDs: []int32{}}},
		{name: "job", give: model.LogFilter{JobID: 12, GroupIDs: both}, want: "planned,running,refused"},
		{name: "job and group", give: model.LogFilter{JobID: 12, GroupID: 210}, want: "running,refused"},
		{name: "any", give: model.LogFilter{GroupID: 211, Status: model.LogAny}, want: "timeout,early,planned"},
		{name: "success", give: model.LogFilter{GroupIDs: both, Status: model.LogSuccess}, want: "early,ok"},
		{
			name: "failed", give: model.LogFilter{GroupIDs: both, Status: model.LogFailed},
			want: "timeout,refused,failed",
		},
		{
			name: "failed of a job", give: model.LogFilter{JobID: 12, GroupID: 210, Status: model.LogFailed},
			want: "refused",
		},
		{name: "running", give: model.LogFilter{GroupIDs: both, Status: model.LogRunning}, want: "running"},
		{name: "from", give: model.LogFilter{GroupIDs: both, From: at(5)}, want: "timeout,early"},
		{name: "to", give: model.LogFilter{GroupIDs: both, To: at(1)}, want: "failed,ok"},
		{name: "from and to", give: model.LogFilter{GroupIDs: both, From: at(1), To: at(2)}, want: "refused,failed"},
		{name: "page", give: model.LogFilter{GroupIDs: both, Offset: 2, Limit: 2}, want: "planned,running", total: 7},
		{name: "behind the end", give: model.LogFilter{GroupIDs: both, Offset: 7}, total: 7},
		{name: "negative offset", give: model.LogFilter{GroupID: 211, Offset: -5, Limit: 1}, want: "timeout", total: 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, total, err := f.Logs(t.Context(), tt.give)
			require.NoError(t, err)
			names := make([]string, len(list))
			for i, l := range list {
				names[i] = l.HandleMsg.S
			}
			assert.Equal(t, tt.want, strings.Join(names, ","))
			if tt.total == 0 {
				tt.total = len(list)
			}
			assert.Equal(t, tt.total, total)
		})
	}
	list, total, err := f.Logs(t.Context(), model.LogFilter{Limit: 5000})
	require.NoError(t, err)
	assert.Equal(t, f.number(t, "SELECT COUNT(*) FROM xxl_job_log"), int64(total))
	assert.Len(t, list, total)
}

// series adds n rows of a job, a day apart, oldest first, and opens the runs of
// those at the given places.
func (f *fixture) series(t *testing.T, group, job int32, n int, open ...int) []*model.Log {
	t.Helper()
	rows := make([]*model.Log, n)
	for i := range rows {
		rows[i] = &model.Log{GroupID: group, JobID: job, TriggerTime: noon.AddDate(0, 0, i-n), TriggerCode: 200}
	}
	f.addLogs(t, rows...)
	for _, i := range open {
		f.openRun(t, rows[i])
	}
	return rows
}

// left lists which places of a series still have their row.
func (f *fixture) left(t *testing.T, rows []*model.Log) []int {
	t.Helper()
	list := []int{}
	for i, l := range rows {
		if f.number(t, "SELECT COUNT(*) FROM xxl_job_log WHERE id = ?", l.ID) == 1 {
			list = append(list, i)
		}
	}
	return list
}

func (f *fixture) clear(t *testing.T, c model.LogClear, limit, want int) {
	t.Helper()
	n, err := f.DeleteLogs(t.Context(), c, limit)
	require.NoError(t, err)
	assert.Equal(t, want, n)
}

func (f *fixture) clearByAge(t *testing.T) {
	rows := f.series(t, 220, 21, 6, 0, 3)
	other := f.series(t, 220, 22, 3)
	foreign := f.series(t, 221, 21, 6)
	c := model.LogClear{GroupID: 220, JobID: 21, Before: rows[3].TriggerTime}
	open, err := f.OpenLogsToClear(t.Context(), c, 10)
	require.NoError(t, err)
	assert.Equal(t, []int64{rows[0].ID, rows[3].ID}, open)
	open, err = f.OpenLogsToClear(t.Context(), c, 1)
	require.NoError(t, err)
	assert.Equal(t, []int64{rows[0].ID}, open)

	f.clear(t, c, 0, 0)
	f.clear(t, c, 1, 1)
	assert.Equal(t, []int{0, 2, 3, 4, 5}, f.left(t, rows), "the oldest whose run is not open")
	f.clear(t, c, 100, 1)
	f.clear(t, c, 100, 0)
	assert.Equal(t, []int{0, 3, 4, 5}, f.left(t, rows))
	assert.Len(t, f.left(t, other), 3)
	assert.Len(t, f.left(t, foreign), 6)
	f.exec(t, "DELETE FROM xxljob_run WHERE log_id = ?", rows[3].ID)
	f.clear(t, model.LogClear{Before: noon.AddDate(0, 0, -2)}, 1000, 9)
	assert.Equal(t, []int{0, 5}, f.left(t, rows), "of all groups")
	assert.Equal(t, []int{2}, f.left(t, other))
	assert.Equal(t, []int{5}, f.left(t, foreign))
}

func (f *fixture) clearByNumber(t *testing.T) {
	rows := f.series(t, 230, 31, 8, 2)
	other := f.series(t, 230, 32, 3)
	c := model.LogClear{GroupID: 230, JobID: 31, Keep: 3}
	open, err := f.OpenLogsToClear(t.Context(), c, 10)
	require.NoError(t, err)
	assert.Equal(t, []int64{rows[2].ID}, open)
	f.clear(t, c, 2, 2)
	assert.Equal(t, []int{2, 3, 4, 5, 6, 7}, f.left(t, rows))
	f.clear(t, c, 100, 2)
	assert.Equal(t, []int{2, 5, 6, 7}, f.left(t, rows))
	f.clear(t, c, 100, 0)
	f.clear(t, model.LogClear{GroupID: 230, JobID: 31, Keep: 8}, 100, 0)
	f.clear(t, model.LogClear{GroupID: 230, Keep: 4}, 100, 2) // of the group's 7: 1 is open, 4 are kept
	assert.Equal(t, []int{2, 7}, f.left(t, rows))
	assert.Len(t, f.left(t, other), 3)
}

func (f *fixture) clearAll(t *testing.T) {
	rows := f.series(t, 240, 41, 5, 4)
	f.exec(t, "UPDATE xxl_job_log SET trigger_time = NULL WHERE id = ?", rows[1].ID)
	c := model.LogClear{GroupID: 240}
	open, err := f.OpenLogsToClear(t.Context(), c, 10)
	require.NoError(t, err)
	assert.Equal(t, []int64{rows[4].ID}, open)
	f.clear(t, c, 100, 4)
	assert.Equal(t, []int{4}, f.left(t, rows))
	f.exec(t, "DELETE FROM xxljob_run WHERE log_id = ?", rows[4].ID)
	f.clear(t, c, 100, 1)
}

func (f *fixture) clearMany(t *testing.T) {
	const n = 1300 // more than two batches
	first := 1 + f.number(t, "SELECT COALESCE(MAX(id), 0) FROM xxl_job_log")
	var values []string
	for i := range n {
		values = append(values, "("+strconv.FormatInt(first+int64(i), 10)+",250,51,'2026-01-01 00:00:00',200,200)")
	}
	f.exec(t, "INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code) VALUES "+
		strings.Join(values, ","))
	f.openRun(t, &model.Log{ID: first + 700, JobID: 51, TriggerTime: noon})
	f.clear(t, model.LogClear{GroupID: 250, JobID: 51}, 600, 600)
	f.clear(t, model.LogClear{GroupID: 250, JobID: 51}, 10_000, n-600-1)
	f.exec(t, "DELETE FROM xxljob_run WHERE log_id = ?", first+700)
	require.NoError(t, f.DeleteJob(t.Context(), 51), "the logs of a job that is gone")
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxl_job_log WHERE job_id = 51"))
}

func (f *fixture) alarms(t *testing.T) {
	ctx := t.Context()
	rows := f.series(t, 260, 61, 6)
	status := func(i int) int64 {
		return f.number(t, "SELECT alarm_status FROM xxl_job_log WHERE id = ?", rows[i].ID)
	}
	var ids []int64
	for i, s := range []model.AlarmStatus{-1, -1, 0, 2, -1, -1} {
		f.exec(t, "UPDATE xxl_job_log SET alarm_status = ? WHERE id = ?", int(s), rows[i].ID)
		ids = append([]int64{rows[i].ID}, ids...)
	}
	require.NoError(t, f.MarkAlarms(ctx, nil, model.AlarmSent))
	require.NoError(t, f.MarkAlarms(ctx, []int64{rows[1].ID, rows[2].ID, rows[3].ID, 1 << 40}, model.AlarmFailed))
	assert.Equal(t, []int64{-1, 3, 0, 2}, []int64{status(0), status(1), status(2), status(3)}, "locked ones only")
	n, err := f.SweepAlarms(ctx, rows[1].TriggerTime, rows[5].TriggerTime, model.AlarmFailed, 10)
	require.NoError(t, err)
	assert.Equal(t, 1, n, "within the time only")
	assert.Equal(t, []int64{-1, 3, -1}, []int64{status(0), status(4), status(5)})
	n, err = f.SweepAlarms(ctx, rows[0].TriggerTime, noon.AddDate(1, 0, 0), model.AlarmFailed, 1)
	require.NoError(t, err)
	assert.Equal(t, 1, n, "the limit")
	require.NoError(t, f.MarkAlarms(ctx, ids, model.AlarmSent))
	assert.Equal(t, []int64{3, 2}, []int64{status(0), status(5)})
}

// addReport inserts the counters of a day.
func (f *fixture) addReport(t *testing.T, day time.Time, running, success, failed int) {
	t.Helper()
	f.exec(t, "INSERT INTO xxl_job_log_report (trigger_day, running_count, suc_count, fail_count) VALUES (?,?,?,?)",
		wall(day), running, success, failed)
}

func (f *fixture) reports(t *testing.T) {
	ctx := t.Context()
	total, err := f.TotalTriggers(ctx)
	require.NoError(t, err)
	assert.Zero(t, total)
	day := func(d int) time.Time { return time.Date(2025, 3, d, 0, 0, 0, 0, Zone) }
	f.addReport(t, day(30), 4, 5, 6) // the clocks go forward
	f.addReport(t, day(28), 0, 1, 0)
	f.addReport(t, day(29), 1, 2, 3)
	list, err := f.Reports(ctx, day(29).Add(13*time.Hour), day(30).Add(time.Minute))
	require.NoError(t, err)
	assert.Equal(t, []model.DayReport{
		{Day: day(29), Running: 1, Success: 2, Failed: 3}, {Day: day(30), Running: 4, Success: 5, Failed: 6},
	}, list)
	list, err = f.Reports(ctx, day(1), day(2))
	require.NoError(t, err)
	assert.Empty(t, list)
	total, err = f.TotalTriggers(ctx)
	require.NoError(t, err)
	assert.Equal(t, int64(22), total)
}

func (f *fixture) recount(t *testing.T) {
	ctx := t.Context()
	day := time.Date(2024, 10, 27, 0, 0, 0, 0, Zone) // of 25 hours
	read := func() []model.DayReport {
		t.Helper()
		list, err := f.Reports(ctx, day, day.Add(time.Hour))
		require.NoError(t, err)
		return list
	}
	require.NoError(t, f.RecountDay(ctx, day))
	assert.Empty(t, read(), "a day without rows gets no counters")
	for i, c := range [][2]int32{
		{200, 200}, {0, 200}, {200, 0}, {0, 0}, {0, 0}, {500, 0}, {200, 500}, {200, 502}, {500, 200},
	} {
		f.addLogs(t, &model.Log{
			GroupID: 270, JobID: 71, TriggerTime: day.Add(time.Duration(i) * 3 * time.Hour),
			TriggerCode: c[0], HandleCode: c[1],
		})
	}
	for _, outside := range []time.Time{day.Add(-time.Second), day.Add(25 * time.Hour)} {
		f.addLogs(t, &model.Log{GroupID: 270, JobID: 71, TriggerTime: outside, TriggerCode: 200, HandleCode: 200})
	}
	want := []model.DayReport{{Day: day, Running: 3, Success: 3, Failed: 3}}
	for range 2 {
		require.NoError(t, f.RecountDay(ctx, day.Add(20*time.Hour)))
		assert.Equal(t, want, read())
	}
	f.exec(t, "UPDATE xxl_job_log_report SET running_count = 100, suc_count = 0, fail_count = 7 "+
		"WHERE trigger_day = ?", wall(day))
	require.NoError(t, f.RecountDay(ctx, day))
	assert.Equal(t, want, read(), "wrong counters are corrected")
}

// recountAtOnce recounts a day while rows are added to it and counted by whoever
// adds them.
func (f *fixture) recountAtOnce(t *testing.T) {
	if !f.info.MadeByUs {
		return // there the counters are Java's, and nobody moves them
	}
	const rows = 60
	ctx := t.Context()
	day := time.Date(2023, 5, 5, 0, 0, 0, 0, Zone)
	f.addReport(t, day, 0, 7, 0) // seven too many
	first := 1 + f.number(t, "SELECT COALESCE(MAX(id), 0) FROM xxl_job_log")
	add := func(i int64) error {
		tx, err := f.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		// The counter first: SQLite then has the writer's lock from the start.
		if _, err = tx.ExecContext(ctx, f.bind("UPDATE xxl_job_log_report SET suc_count = suc_count + 1 "+
			"WHERE trigger_day = ?"), wall(day)); err != nil {
			return err
		}
		if _, err = tx.ExecContext(ctx, f.bind("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, "+
			"trigger_code, handle_code) VALUES (?,280,81,?,200,200)"), first+i, wall(day.Add(time.Hour))); err != nil {
			return err
		}
		return tx.Commit()
	}
	errs := make(chan error, 1)
	go func() {
		var err error
		for i := int64(0); i < rows && err == nil; i++ {
			err = add(i)
		}
		errs <- err
	}()
	for done := false; !done; {
		require.NoError(t, f.RecountDay(ctx, day))
		select {
		case err := <-errs:
			require.NoError(t, err)
			done = true
		default:
		}
	}
	require.NoError(t, f.RecountDay(ctx, day))
	list, err := f.Reports(ctx, day, day)
	require.NoError(t, err)
	assert.Equal(t, []model.DayReport{{Day: day, Success: rows}}, list)
}
