package store_test

import (
	"database/sql"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/admin/internal/store/storetest"
)

// logRows is how many log rows the lists are measured on:
//
//	go test -run '^$' -bench Logs ./internal/store -args -log-rows 1000000
var logRows = flag.Int("log-rows", 100_000, "log rows of BenchmarkLogs")

// benchEnd is the time of the newest row; the rows cover 30 days before it.
var benchEnd = time.Date(2026, 6, 30, 23, 0, 0, 0, storetest.Zone)

// logSource makes rows that look like those of a busy admin: one row in a
// hundred has failed, group 1 has most rows, group 3 a few old ones.
const logSource = "WITH RECURSIVE d(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM d WHERE i < 999) " +
	"SELECT CASE WHEN n.i < 100 THEN 3 WHEN n.i % 10 = 0 THEN 2 ELSE 1 END, " +
	"CASE WHEN n.i < 100 THEN 999 WHEN n.i % 10 = 0 THEN n.i % 500 ELSE 500 + n.i % 497 END, " +
	"'http://10.0.0.5:9999/', 'demoJobHandler', '', 0, %[1]s, 200, '%[3]s', %[1]s, " +
	"CASE WHEN n.i % 100 = 7 THEN 500 ELSE 200 END, '', 0 " +
	"FROM (SELECT a.i * 1000 + b.i AS i FROM d a CROSS JOIN d b WHERE a.i < %[2]d) n ORDER BY n.i"

// fillLogs inserts n rows, a multiple of 1,000.
func fillLogs(b testing.TB, db *sql.DB, dialect string, n int) {
	b.Helper()
	start := benchEnd.AddDate(0, 0, -30)
	at := map[string]string{
		"sqlite":   fmt.Sprintf("strftime('%%Y-%%m-%%d %%H:%%M:%%S', '%s', '+' || (n.i * 2592000 / %d) || ' seconds')", start.Format(time.DateTime), n),
		"mysql":    fmt.Sprintf("'%s' + INTERVAL (n.i * 2592000 DIV %d) SECOND", start.Format(time.DateTime), n),
		"postgres": fmt.Sprintf("TIMESTAMP '%s' + (n.i::bigint * 2592000 / %d) * INTERVAL '1 second'", start.Format(time.DateTime), n),
	}[dialect]
	source := strings.NewReplacer("%[1]s", at, "%[2]d", fmt.Sprint(n/1000), "%[3]s", strings.Repeat("触发 trigger ", 30)).Replace(logSource)
	_, err := db.ExecContext(b.Context(), "INSERT INTO xxl_job_log (job_group, job_id, executor_address, executor_handler, "+
		"executor_param, executor_fail_retry_count, trigger_time, trigger_code, trigger_msg, handle_time, handle_code, "+
		"handle_msg, alarm_status) "+source)
	require.NoError(b, err)
	if dialect == "postgres" {
		_, err = db.ExecContext(b.Context(), "VACUUM ANALYZE") //nolint:misspell // it is SQL
		require.NoError(b, err)
	}
}

// benchDatabases are those that benchmarks measure; servers_test.go adds to them.
var benchDatabases = map[string]func(testing.TB) string{"sqlite": dbtest.SQLite}

// BenchmarkLogs measures the lists that the console asks for.
func BenchmarkLogs(b *testing.B) {
	for name, dsn := range benchDatabases {
		b.Run(name, func(b *testing.B) {
			s, db := openBoth(b, dsn(b), nil)
			fillLogs(b, db, name, *logRows)
			day := func(d int) time.Time { return benchEnd.AddDate(0, 0, -d) }
			for _, bb := range []struct {
				name string
				give model.LogFilter
			}{
				{"all", model.LogFilter{}},
				{"group", model.LogFilter{GroupID: 1}},
				{"group_old", model.LogFilter{GroupID: 3}},
				{"group_none", model.LogFilter{GroupID: 4}},
				{"group_last_week", model.LogFilter{GroupID: 2, From: day(7), To: day(0)}},
				{"group_old_day", model.LogFilter{GroupID: 2, From: day(29), To: day(28)}},
				{"job", model.LogFilter{GroupID: 1, JobID: 700}},
				{"job_last_week", model.LogFilter{GroupID: 1, JobID: 700, From: day(7), To: day(0)}},
				{"failed", model.LogFilter{Status: model.LogFailed}},
				{"failed_last_week", model.LogFilter{GroupID: 1, Status: model.LogFailed, From: day(7), To: day(0)}},
				{"failed_job", model.LogFilter{GroupID: 1, JobID: 700, Status: model.LogFailed}},
				{"failed_none", model.LogFilter{GroupID: 3, Status: model.LogFailed}},
				{"success_all", model.LogFilter{Status: model.LogSuccess}},
				{"success", model.LogFilter{GroupID: 1, Status: model.LogSuccess}},
				{"running", model.LogFilter{Status: model.LogRunning}},
				{"last_page", model.LogFilter{GroupID: 1, Offset: *logRows * 8 / 10}},
			} {
				b.Run(bb.name, func(b *testing.B) {
					for b.Loop() {
						_, _, err := s.Logs(b.Context(), bb.give)
						require.NoError(b, err)
					}
				})
			}
			benchClears(b, s)
		})
	}
}

// benchClears measures what retention asks each minute when nothing is due.
func benchClears(b *testing.B, s *store.Store) {
	for name, c := range map[string]model.LogClear{
		"clear_none": {Before: benchEnd.AddDate(0, 0, -31)}, "clear_keep": {GroupID: 1, JobID: 700, Keep: 100_000},
		"clear_job_none": {GroupID: 1, JobID: 700, Before: benchEnd.AddDate(0, 0, -31)},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				n, err := s.DeleteLogs(b.Context(), c, 512)
				require.NoError(b, err)
				require.Zero(b, n)
			}
		})
	}
}
