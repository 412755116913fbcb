//go:build databases

package importer

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
)

func init() {
	targets["mysql"] = func(tb testing.TB) string { return dbtest.MySQL(tb) }
	targets["postgres"] = func(tb testing.TB) string { return dbtest.Postgres(tb) }
}

// TestImportJava: databases of every generation of the Java admin are read as
// they are, and nothing in them changes.
func TestImportJava(t *testing.T) {
	t.Parallel()
	for _, gen := range dbtest.JavaGenerations() {
		t.Run(gen, func(t *testing.T) {
			t.Parallel()
			dsn := dbtest.MySQL(t)
			tables := java(t, dsn, gen)
			source, target := open(t, dsn, false), open(t, dbtest.SQLite(t), true)
			logs := func(c *Config) { c.LogsAt = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC) }
			report := doImport(t, source, target, logs)
			assert.Equal(t, strings.TrimSuffix(gen, "'"), report.Generation)
			want := map[string][2]int{"S1": {1, 1}, "S2": {1, 1}, "S2'": {2, 3}, "S3": {2, 3}, "S4": {2, 4}, "S5": {2, 4}}[gen]
			assert.Equal(t, want, [2]int{report.Groups.Copied, report.Jobs.Copied})
			assert.Equal(t, [3]int{1, 1, 1}, [3]int{report.Users.Copied, report.Versions.Copied, report.Logs.Copied})
			snap := snapshot(t, target)
			assert.Equal(t, "样例执行器", snap.Groups[0].Title)
			assert.Empty(t, snap.Groups[0].AccessToken, "the public one is none")
			assert.Equal(t, "样例任务", snap.Jobs[0].Name)
			assert.Equal(t, "0 0 0 * * ? *", snap.Jobs[0].ScheduleConf.S)
			assert.False(t, doImport(t, source, target, logs).Changes())
			assert.Equal(t, tables, tablesOf(t, dsn), "the source is left alone")
		})
	}
}

// java makes a database of the Java admin with one version and one log.
func java(t *testing.T, dsn, gen string) (tables []string) {
	t.Helper()
	db := plain(t, dsn)
	for _, text := range append(dbtest.JavaSchema(gen),
		"INSERT INTO xxl_job_logglue (job_id, glue_type, glue_source, glue_remark) VALUES (1, 'GLUE_SHELL', 'echo', 'first')",
		"INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code) VALUES "+
			"(1, 1, '2026-03-01 00:00:00', 200, 200), (1, 1, '2026-01-01 00:00:00', 200, 200), "+
			"(1, 9, '2026-03-01 00:00:00', 200, 200)") {
		_, err := db.ExecContext(t.Context(), text)
		require.NoError(t, err)
	}
	return tablesOf(t, dsn)
}

func plain(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	rest := strings.TrimPrefix(dsn, "mysql://root@")
	addr, name, _ := strings.Cut(rest, "/")
	db, err := sql.Open("mysql", "root@tcp("+addr+")/"+name)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func tablesOf(t *testing.T, dsn string) (names []string) {
	t.Helper()
	rows, err := plain(t, dsn).QueryContext(t.Context(), "SELECT CONCAT(table_name, ' ', COUNT(*)) FROM "+
		"information_schema.columns WHERE table_schema = DATABASE() GROUP BY table_name ORDER BY 1")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		names = append(names, name)
	}
	require.NoError(t, rows.Err())
	return names
}
