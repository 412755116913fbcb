package storetest

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func crudRunView(t *testing.T, f *fixture) {
	t.Run("list", f.runList)
	t.Run("cursor", f.runCursor)
	t.Run("rare", f.runRare)
	t.Run("near", f.runsNear)
	t.Run("shards", f.shardRuns)
	t.Run("behind", f.runsBehind)
	t.Run("open by address", f.openByAddress)
}

// names joins the messages of rows, by which the cases know them.
func names(list []*model.Log) string {
	parts := make([]string, len(list))
	for i, l := range list {
		parts[i] = l.HandleMsg.S
	}
	return strings.Join(parts, ",")
}

func (f *fixture) runList(t *testing.T) {
	rows := []*model.Log{
		{
			JobID: 11, GroupID: 610, TriggerCode: 200, HandleCode: 200, HandleMsg: model.T("ok"),
			Address: model.T("http://10.0.0.1:9999/"), Param: model.T("shard=5%"),
			HandleTime: noon.Add(90 * time.Second),
		},
		{
			JobID: 11, GroupID: 610, TriggerCode: 200, HandleCode: 500, HandleMsg: model.T("failed"),
			Address: model.T("http://10.0.0.2:9999/"), TriggerMsg: model.T("Boom in step 3"),
			HandleTime: noon.Add(3 * time.Second),
		},
		{JobID: 12, GroupID: 610, TriggerCode: 500, HandleMsg: model.T("refused")},
		{JobID: 12, GroupID: 610, TriggerCode: 200, HandleMsg: model.T("running"), Handler: model.T("settleOrders")},
		{JobID: 12, GroupID: 611, HandleMsg: model.T("planned")},
		{
			JobID: 13, GroupID: 611, TriggerCode: 200, HandleCode: 502, HandleMsg: model.T("timeout"),
			HandleTime: noon.Add(time.Hour),
		},
	}
	for i, l := range rows {
		l.TriggerTime = noon.Add(time.Duration(i) * time.Second)
	}
	f.addLogs(t, rows...)
	f.openRun(t, rows[3])
	f.openRun(t, rows[4])
	both := []int32{610, 611}
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	for _, tt := range []struct {
		name string
		give model.RunFilter
		want string // newest first
	}{
		{"groups", model.RunFilter{GroupIDs: both}, "timeout,planned,running,refused,failed,ok"},
		{"group", model.RunFilter{GroupID: 611}, "timeout,planned"},
		{"one group allowed", model.RunFilter{GroupIDs: []int32{611}}, "timeout,planned"},
		{"group not allowed", model.RunFilter{GroupID: 611, GroupIDs: []int32{610}}, ""},
		{"no group allowed", model.RunFilter{GroupIDs: []int32{}}, ""},
		{"job", model.RunFilter{JobID: 12, GroupIDs: both}, "planned,running,refused"},
		{"job and group", model.RunFilter{JobID: 12, GroupID: 610}, "running,refused"},
		{"jobs", model.RunFilter{JobIDs: []int32{13, 11, 13}, GroupIDs: both}, "timeout,failed,ok"},
		{"jobs and text", model.RunFilter{JobIDs: []int32{12, 11}, GroupIDs: both, Text: "boom"}, "failed"},
		{"jobs from", model.RunFilter{JobIDs: []int32{12, 11}, GroupIDs: both, From: at(3)}, "planned,running"},
		{"jobs run", model.RunFilter{GroupIDs: both, JobIDs: []int32{12, 11}, Result: model.RunRunning}, "running"},
		{"many jobs", model.RunFilter{JobIDs: manyJobs(11, 13), GroupIDs: both}, "timeout,failed,ok"},
		{"many jobs and one", model.RunFilter{JobIDs: manyJobs(11, 13), JobID: 12, GroupIDs: both}, ""},
		{"no jobs", model.RunFilter{JobIDs: []int32{}, GroupIDs: both}, ""},
		{"oldest", model.RunFilter{GroupIDs: both, OldestFirst: true}, "ok,failed,refused,running,planned,timeout"},
		{"oldest of a job", model.RunFilter{JobID: 12, GroupIDs: both, OldestFirst: true}, "refused,running,planned"},
		{
			"oldest of jobs",
			model.RunFilter{JobIDs: []int32{13, 12}, GroupIDs: both, OldestFirst: true},
			"refused,running,planned,timeout",
		},
		{
			"oldest from",
			model.RunFilter{GroupIDs: both, From: at(2), To: at(4), OldestFirst: true},
			"refused,running,planned",
		},
		{"ok", model.RunFilter{GroupIDs: both, Result: model.RunOK}, "ok"},
		{"failed", model.RunFilter{GroupIDs: both, Result: model.RunFailed}, "timeout,refused,failed"},
		{"failed of a job", model.RunFilter{GroupIDs: both, JobID: 12, Result: model.RunFailed}, "refused"},
		{"failed from", model.RunFilter{GroupIDs: both, From: at(2), Result: model.RunFailed}, "timeout,refused"},
		{"running", model.RunFilter{GroupIDs: both, Result: model.RunRunning}, "running"},
		{"running of another job", model.RunFilter{GroupIDs: both, JobID: 11, Result: model.RunRunning}, ""},
		{"waiting", model.RunFilter{GroupIDs: both, JobID: 12, Result: model.RunWaiting}, "planned"},
		{"waiting from", model.RunFilter{GroupIDs: both, From: at(5), Result: model.RunWaiting}, ""},
		{"from and to", model.RunFilter{GroupIDs: both, From: at(1), To: at(2)}, "refused,failed"},
		{"job from", model.RunFilter{GroupIDs: both, JobID: 11, From: at(1)}, "failed"},
		{"address", model.RunFilter{GroupIDs: both, Address: "10.0.0.2:"}, "failed"},
		{"at an address", model.RunFilter{GroupIDs: both, At: "http://10.0.0.2:9999/"}, "failed"},
		{"at an address without its slash", model.RunFilter{GroupIDs: both, At: "http://10.0.0.2:9999"}, "failed"},
		{"at a part of an address", model.RunFilter{GroupIDs: both, At: "http://10.0.0.2:999"}, ""},
		{"at a pattern", model.RunFilter{GroupIDs: both, At: "%"}, ""},
		{"at, failed", model.RunFilter{GroupIDs: both, At: "http://10.0.0.1:9999/", Result: model.RunFailed}, ""},
		{"text of the answer", model.RunFilter{GroupIDs: both, Text: "boom IN"}, "failed"},
		{"text of the message", model.RunFilter{GroupIDs: both, Text: "timeo"}, "timeout"},
		{"text of the parameter", model.RunFilter{GroupIDs: both, Text: "=5%"}, "ok"},
		{"text of the handler", model.RunFilter{GroupIDs: both, Text: "settle"}, "running"},
		{"text and time", model.RunFilter{GroupIDs: both, Text: "boom", From: at(2)}, ""},
		{"at least", model.RunFilter{GroupIDs: both, MinTook: time.Minute}, "timeout,ok"},
		{"between", model.RunFilter{GroupIDs: both, MinTook: 2 * time.Second, MaxTook: 90 * time.Second}, "failed,ok"},
		{"at most", model.RunFilter{GroupIDs: both, MaxTook: 2 * time.Second}, "failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page, err := f.Runs(t.Context(), tt.give)
			require.NoError(t, err)
			assert.Equal(t, tt.want, names(page.Runs))
			assert.Zero(t, page.Next)
			n, more, err := f.CountRuns(t.Context(), tt.give)
			require.NoError(t, err)
			assert.Equal(t, len(page.Runs), n)
			assert.False(t, more)
		})
	}
}

// manyJobs are so many that nobody asks the index for each of them.
func manyJobs(ids ...int32) []int32 {
	for i := range int32(20) {
		ids = append(ids, 999_000+i)
	}
	return ids
}

func (f *fixture) runCursor(t *testing.T) {
	var rows []*model.Log
	for i := range 9 {
		l := &model.Log{JobID: 21 + int32(i%2), GroupID: 620, TriggerCode: 200, HandleCode: 200}
		l.HandleMsg, l.Address = model.T(strconv.Itoa(i)), model.T("http://10.0.0.1:9999/")
		l.TriggerTime = noon.Add(time.Duration(i/4) * time.Second) // four at an instant
		rows = append(rows, l)
	}
	f.addLogs(t, rows...)
	for name, filter := range map[string]model.RunFilter{
		"by group": {GroupID: 620}, "by time": {GroupID: 620, From: noon},
		"by jobs":            {GroupID: 620, JobIDs: []int32{21, 22}},
		"by jobs and text":   {GroupID: 620, JobIDs: []int32{22, 21, 23}, Address: "10.0.0.1"},
		"by many jobs":       {GroupID: 620, JobIDs: manyJobs(22, 21)},
		"by result":          {GroupID: 620, Result: model.RunOK},
		"by time and result": {GroupID: 620, From: noon, Result: model.RunOK},
	} {
		t.Run(name, func(t *testing.T) {
			filter.Limit = 3
			assert.Equal(t, []string{"8,7,6", "5,4,3", "2,1,0"}, f.pagesOf(t, filter))
			filter.OldestFirst = true
			assert.Equal(t, []string{"0,1,2", "3,4,5", "6,7,8"}, f.pagesOf(t, filter), "oldest first")
			n, more, err := f.CountRuns(t.Context(), filter)
			require.NoError(t, err)
			assert.Equal(t, 9, n, "the place in the list does not matter")
			assert.False(t, more)
		})
	}
}

// pagesOf reads a list of nine page by page, empty ones left out.
func (f *fixture) pagesOf(t *testing.T, filter model.RunFilter) (got []string) {
	t.Helper()
	for range 12 {
		page, err := f.Runs(t.Context(), filter)
		require.NoError(t, err)
		if len(page.Runs) > 0 {
			got = append(got, names(page.Runs))
		}
		if filter.Before = page.Next; page.Next.ID == 0 {
			break
		}
	}
	return got
}

// runRare looks for one row among more than a statement looks at.
func (f *fixture) runRare(t *testing.T) {
	first := 1 + f.number(t, "SELECT COALESCE(MAX(id), 0) FROM xxl_job_log")
	tx, err := f.db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	for i := range int64(5100) {
		code := 200
		if i < 5 {
			code = 500
		}
		_, err := tx.ExecContext(t.Context(), f.bind("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, "+
			"trigger_code, handle_code, handle_msg) VALUES (?,630,31,?,200,?,?)"), first+i, wall(noon), code,
			"m"+strconv.FormatInt(i, 10))
		require.NoError(t, err)
	}
	require.NoError(t, tx.Commit())
	for name, filter := range map[string]model.RunFilter{
		"result": {JobID: 31, Result: model.RunFailed, Limit: 3},
		"text":   {GroupID: 630, Text: "m4", JobID: 31, Result: model.RunFailed},
	} {
		t.Run(name, func(t *testing.T) {
			want := map[string]string{"result": "m4,m3,m2,m1,m0", "text": "m4"}[name]
			var got []string
			for rounds := 0; ; rounds++ { // a slow machine needs more of them
				require.Less(t, rounds, 100)
				page, err := f.Runs(t.Context(), filter)
				require.NoError(t, err)
				if len(page.Runs) > 0 {
					got = append(got, names(page.Runs))
				}
				if filter.Before = page.Next; page.Next.ID == 0 {
					break
				}
			}
			assert.Equal(t, want, strings.Join(got, ","))
		})
	}
	n, more, err := f.CountRuns(t.Context(), model.RunFilter{GroupID: 630})
	require.NoError(t, err)
	if more { // some Java schemas have no index that knows the group: what was looked at is counted
		assert.Positive(t, n)
		assert.LessOrEqual(t, n, 5000)
		return
	}
	assert.Equal(t, 5100, n)
}

func (f *fixture) runsNear(t *testing.T) {
	var rows []*model.Log
	for i := range 7 {
		rows = append(rows, &model.Log{
			JobID: 41 + int32(i%2), GroupID: 640, TriggerTime: noon, HandleMsg: model.T(strconv.Itoa(i)),
		})
	}
	f.addLogs(t, rows...)
	near := func(i, n int) string {
		list, err := f.RunsNear(t.Context(), rows[i].JobID, rows[i].ID, n)
		require.NoError(t, err)
		return names(list)
	}
	assert.Equal(t, "0,2,4,6", near(2, 5))
	assert.Equal(t, "2,4,6", near(4, 1))
	assert.Equal(t, "3", near(3, 0))
	list, err := f.RunsNear(t.Context(), 49, 1, 5)
	require.NoError(t, err)
	assert.Empty(t, list)
}

func (f *fixture) shardRuns(t *testing.T) {
	shard := func(job int32, param string, at time.Time) *model.Log {
		l := &model.Log{JobID: job, GroupID: 650, TriggerTime: at, HandleMsg: model.T(param)}
		if param != "" {
			l.ShardingParam = model.T(param)
		}
		return l
	}
	at := noon.Add(3 * time.Hour)
	f.addLogs(t, shard(51, "0/3", at), shard(51, "1/3", at), shard(51, "0/3", at.Add(time.Second)),
		shard(52, "0/2", at), shard(51, "", at), shard(51, "2/3", at))
	list, err := f.ShardRuns(t.Context(), 51, at)
	require.NoError(t, err)
	assert.Equal(t, "0/3,1/3,2/3", names(list))
	_, err = f.ShardRuns(t.Context(), 51, time.Time{})
	require.Error(t, err)
}

// runsBehind: what waits at an executor, and for which run, of jobs whose runs
// wait for one another.
func (f *fixture) runsBehind(t *testing.T) {
	job := func(block model.Block) int32 {
		j := &model.Job{
			GroupID: 660, Name: string(block), ScheduleType: model.ScheduleNone, Block: block, AddTime: noon,
		}
		require.NoError(t, f.CreateJob(t.Context(), j))
		return j.ID
	}
	serial, cover := job(model.BlockSerial), job(model.BlockCoverEarly)
	row := func(job int32, address string, trigger, handle int32) *model.Log {
		l := &model.Log{
			JobID: job, GroupID: 660, TriggerTime: noon, TriggerCode: trigger, HandleCode: handle,
			Address: model.T(address),
		}
		f.addLogs(t, l)
		if handle == 0 {
			f.openRun(t, l)
		}
		return l
	}
	const one, two = "http://10.0.0.1:9999/", "http://10.0.0.2:9999/"
	rows := []*model.Log{
		row(serial, one, 200, 200), row(serial, one, 200, 0), row(serial, two, 200, 0),
		row(serial, one[:len(one)-1], 200, 0), row(serial, one, 0, 0), row(serial, one, 200, 0),
		row(cover, one, 200, 0), row(cover, one, 200, 0),
	}
	require.NoError(t, f.SetBehind(t.Context(), rows))
	var got []int64
	for _, l := range rows {
		got = append(got, l.Behind)
	}
	assert.Equal(t, []int64{0, 0, 0, rows[1].ID, 0, rows[1].ID, 0, 0}, got)
	require.NoError(t, f.SetBehind(t.Context(), nil))
}

// openByAddress counts what runs now, where it runs.
func (f *fixture) openByAddress(t *testing.T) {
	const one, two = "http://10.0.0.1:9999/", "http://10.0.0.2:9999/"
	rows := []*model.Log{
		{JobID: 71, GroupID: 671, TriggerCode: 200, Address: model.T(one)},
		{JobID: 72, GroupID: 671, TriggerCode: 200, Address: model.T(one)},
		{JobID: 71, GroupID: 671, TriggerCode: 200, Address: model.T(two)},
		{JobID: 71, GroupID: 671, TriggerCode: 0, Address: model.T(two)}, // sent nowhere yet
		{JobID: 71, GroupID: 671, TriggerCode: 200, HandleCode: 200, Address: model.T(two)},
		{JobID: 73, GroupID: 672, TriggerCode: 200, Address: model.T(one)},
		{JobID: 73, GroupID: 672, TriggerCode: 0},
	}
	for i, l := range rows {
		l.TriggerTime = noon.Add(time.Duration(i) * time.Second)
	}
	f.addLogs(t, rows...)
	for _, l := range rows {
		f.openRun(t, l)
	}
	list, err := f.OpenByAddress(t.Context())
	require.NoError(t, err)
	here := slices.DeleteFunc(list, func(o model.OpenRuns) bool { return o.GroupID != 671 && o.GroupID != 672 })
	assert.ElementsMatch(t, []model.OpenRuns{
		{GroupID: 671, Address: one, Count: 2},
		{GroupID: 671, Address: two, Count: 1},
		{GroupID: 672, Address: one, Count: 1},
	}, here)
}
