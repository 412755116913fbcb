package store_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/admin/internal/store/storetest"
)

const benchFires = 5000

// benchMsg is as long as what the Java admin writes into trigger_msg.
var benchMsg = strings.Repeat("任务触发类型：Cron触发<br>调度机器：127.0.0.1<br>", 12)

// hotBench is a store with jobs that are due, benchFires of them each second.
type hotBench struct {
	*store.Store

	fence store.Fence
	now   int64 // Unix ms of the next pass
	pid   int   // of the server; 0 for SQLite
}

func openHotBench(b *testing.B, kind string) *hotBench {
	b.Helper()
	h := &hotBench{now: time.Date(2026, 5, 20, 12, 0, 0, 0, storetest.Zone).UnixMilli()}
	dsn := ""
	switch kind {
	case "sqlite":
		dsn = dbtest.SQLite(b)
	default:
		start := dbtest.StartMySQL
		if kind == "postgres" {
			start = dbtest.StartPostgres
		}
		server := start(b)
		h.pid = server.Pid()
		var err error
		dsn, err = server.NewDatabase(b.Context())
		require.NoError(b, err)
	}
	s, err := store.Open(b.Context(), store.Options{DSN: dsn, Location: storetest.Zone})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	require.NoError(b, s.Migrate(b.Context()))
	h.Store = s
	_, err = s.InitShards(b.Context(), 16)
	require.NoError(b, err)
	all := make([]int32, 16)
	for i := range all {
		all[i] = int32(i)
	}
	won, err := s.Acquire(b.Context(), "bench", all, time.Hour)
	require.NoError(b, err)
	h.fence = store.Fence{Node: "bench", Total: 16}
	for _, sh := range won {
		h.fence.Shards = append(h.fence.Shards, store.ShardToken{Shard: sh.Index, Token: sh.Token})
	}
	h.addJobs(b, dsn)
	return h
}

// addJobs inserts jobs of which each fires every 10 s.
func (h *hotBench) addJobs(b *testing.B, dsn string) {
	b.Helper()
	db := openPlain(b, dsn)
	for second := range int64(10) {
		var text strings.Builder
		text.WriteString("INSERT INTO xxl_job_info (job_group, job_desc, schedule_type, schedule_conf, " +
			"executor_route_strategy, executor_handler, executor_param, executor_block_strategy, glue_type, " +
			"glue_updatetime, trigger_status, trigger_next_time) VALUES ")
		for i := range benchFires {
			if i > 0 {
				text.WriteByte(',')
			}
			fmt.Fprintf(&text, "(1,'job %d','CRON','%d/10 * * * * ?','FIRST','adminloadHandler','%d','SERIAL_EXECUTION','BEAN',"+
				"'2026-01-01 00:00:00',1,%d)", i, second, i, h.now+second*1000)
		}
		_, err := db.ExecContext(b.Context(), text.String())
		require.NoError(b, err)
	}
}

// plan plans one second, and returns its runs.
func (h *hotBench) plan(b *testing.B) []*model.Run {
	var runs []*model.Run
	_, err := h.Plan(b.Context(), h.fence, h.now, 2*benchFires, func(due []*model.Job) store.PlanResult {
		r := store.PlanResult{}
		for _, j := range due {
			r.Runs = append(r.Runs, &model.Run{
				JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: j.NextMs, TriggerMs: j.NextMs,
				ShardTotal: 1, Handler: j.Handler, Param: j.Param, Address: "http://127.0.0.1:9999/", Token: 1,
			})
			r.Advances = append(r.Advances, store.Advance{JobID: j.ID, LastMs: j.NextMs, NextMs: j.NextMs + 10_000})
		}
		runs = r.Runs
		return r
	})
	require.NoError(b, err)
	require.Len(b, runs, benchFires)
	h.now += 1000
	return runs
}

// finish stores answers and results of runs, both in one outcome.
func (h *hotBench) finish(b *testing.B, runs []*model.Run) {
	outs := make([]*model.Outcome, len(runs))
	for i, r := range runs {
		outs[i] = &model.Outcome{
			LogID: r.LogID,
			Trigger: &model.TriggerResult{
				Code: 200, Msg: benchMsg + "任务参数：" + r.Param.S + "<br>success", Address: r.Address, AtMs: r.TriggerMs + 5,
			},
			Handle: &model.HandleResult{Code: 200, Msg: model.T("done"), AtMs: r.TriggerMs + 50 + int64(i)%100},
		}
	}
	_, err := h.Finish(b.Context(), outs, func([]*store.Ending, store.Loader) error { return nil })
	require.NoError(b, err)
}

// cpu is the processor time of this process and of the server.
func (h *hotBench) cpu(b *testing.B) (own, server time.Duration) {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	own = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	for _, pid := range append(children(h.pid), h.pid) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if pid == 0 || err != nil {
			continue
		}
		f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		var user, system int64
		_, _ = fmt.Sscan(f[11], &user)
		_, _ = fmt.Sscan(f[12], &system)
		server += time.Duration(user+system) * 10 * time.Millisecond
	}
	return own, server
}

// children lists the processes of a server that has one for each connection.
func children(pid int) (list []int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for item := range strings.FieldsSeq(string(text)) {
		var child int
		_, _ = fmt.Sscan(item, &child)
		list = append(list, child)
	}
	return list
}

func eachDatabase(b *testing.B, run func(b *testing.B, h *hotBench)) {
	for kind := range benchDatabases {
		b.Run(kind, func(b *testing.B) { run(b, openHotBench(b, kind)) })
	}
}

// BenchmarkPlan5000 plans 5,000 runs in one transaction.
func BenchmarkPlan5000(b *testing.B) {
	eachDatabase(b, func(b *testing.B, h *hotBench) {
		own, server := h.cpu(b)
		for b.Loop() {
			h.plan(b)
		}
		h.report(b, own, server, benchFires)
	})
}

// BenchmarkFinish512 ends 512 runs, with the answer to the trigger and the
// result in one transaction.
func BenchmarkFinish512(b *testing.B) {
	eachDatabase(b, func(b *testing.B, h *hotBench) {
		const batch = 512
		var runs []*model.Run
		for range 1 + min(b.N, 2000)*batch/benchFires {
			runs = append(runs, h.plan(b)...)
		}
		own, server := h.cpu(b)
		for b.Loop() {
			if len(runs) < batch {
				b.StopTimer()
				runs = append(runs, h.plan(b)...)
				b.StartTimer()
			}
			h.finish(b, runs[:batch])
			runs = runs[batch:]
		}
		h.report(b, own, server, batch)
	})
}

// BenchmarkFires is the whole way of 5,000 fires through the store.
func BenchmarkFires(b *testing.B) {
	eachDatabase(b, func(b *testing.B, h *hotBench) {
		own, server := h.cpu(b)
		for b.Loop() {
			runs := h.plan(b)
			for len(runs) > 0 {
				n := min(512, len(runs))
				h.finish(b, runs[:n])
				runs = runs[n:]
			}
		}
		h.report(b, own, server, benchFires)
	})
}

func (h *hotBench) report(b *testing.B, own, server time.Duration, rows int) {
	ownNow, serverNow := h.cpu(b)
	n := float64(b.N * rows)
	b.ReportMetric(float64((ownNow-own).Microseconds())/n, "own-cpu-µs/row")
	if h.pid != 0 {
		b.ReportMetric(float64((serverNow-server).Microseconds())/n, "db-cpu-µs/row")
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/n, "µs/row")
}
