package store_test

import (
	"database/sql"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/admin/internal/store/storetest"
)

func TestCRUDSQLite(t *testing.T) {
	t.Parallel()
	storetest.CRUD(t, func(t *testing.T) (*store.Store, *sql.DB) { return openBoth(t, dbtest.SQLite(t), nil) })
}

// TestLogsTotal counts a list that is longer than what is looked at for it.
func TestLogsTotal(t *testing.T) {
	t.Parallel()
	s, db := openBoth(t, dbtest.SQLite(t), nil)
	fillLogs(t, db, "sqlite", 102_000) // 91,710 of group 1, 10,190 of group 2, the 100 oldest of group 3
	tests := []struct {
		name  string
		give  model.LogFilter
		total int
		page  int
	}{
		{name: "nothing to look at", give: model.LogFilter{}, total: 102_000, page: 10},
		{name: "job", give: model.LogFilter{JobID: 999}, total: 100, page: 10},
		{name: "job and group", give: model.LogFilter{JobID: 999, GroupID: 3}, total: 100, page: 10},
		{name: "group", give: model.LogFilter{GroupID: 2}, total: 10_190, page: 10},
		{name: "newest only", give: model.LogFilter{GroupID: 2, Status: model.LogSuccess}, total: 10_000, page: 10},
		{
			name: "older ones: one page more", give: model.LogFilter{GroupID: 3, Status: model.LogSuccess, Limit: 20},
			total: 21, page: 20,
		},
		{
			name: "last page", give: model.LogFilter{GroupID: 3, Status: model.LogSuccess, Offset: 90, Limit: 20},
			total: 99, page: 9,
		},
		{name: "behind the end", give: model.LogFilter{GroupID: 3, Status: model.LogSuccess, Offset: 500}},
		{name: "a day", give: model.LogFilter{
			GroupID: 1, From: benchEnd.AddDate(0, 0, -2), To: benchEnd.AddDate(0, 0, -1).Add(-time.Second),
		}, total: 3060, page: 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			list, total, err := s.Logs(t.Context(), tt.give)
			require.NoError(t, err)
			assert.Equal(t, tt.total, total)
			assert.Len(t, list, tt.page)
		})
	}
}

// TestMakerIsOnRecord tells apart what is made with a lease and without.
func TestMakerIsOnRecord(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), store.Options{DSN: dbtest.SQLite(t), Node: "node-1"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.Migrate(t.Context()))
	runs := []*model.Run{
		{JobID: 1, Type: model.TriggerManual, TriggerMs: 1000}, {JobID: 2, Type: model.TriggerCron, TriggerMs: 1000, Token: 7},
	}
	require.NoError(t, s.CreateRuns(t.Context(), runs))
	for _, made := range []bool{false, true} {
		open, err := s.OpenRuns(t.Context(), store.OpenRunFilter{Made: made})
		require.NoError(t, err)
		tokens := []int64{model.MakerToken("node-1"), 7}
		require.Len(t, open, map[bool]int{false: 2, true: 1}[made])
		for i, run := range open {
			assert.Equal(t, tokens[i], run.Token)
		}
	}
	assert.Negative(t, model.MakerToken("node-1"))
	assert.NotEqual(t, model.MakerToken("node-1"), model.MakerToken("node-2"))
	assert.Zero(t, runs[0].Token, "in the process that made it it is its own")
}

// TestDayWithoutMidnight counts a day whose clocks leave its first hour out.
func TestDayWithoutMidnight(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	require.NoError(t, err)
	dsn := dbtest.SQLite(t)
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Location: zone})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.Migrate(t.Context()))
	db := openPlain(t, dsn)
	_, err = db.ExecContext(t.Context(), "INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, "+
		"handle_code) VALUES (1, 1, '2018-11-03 23:59:59', 200, 200), (1, 1, '2018-11-04 01:00:00', 200, 200), "+
		"(1, 1, '2018-11-04 23:59:59', 200, 500), (1, 1, '2018-11-05 00:00:00', 200, 200)")
	require.NoError(t, err)
	day := time.Date(2018, 11, 4, 12, 0, 0, 0, zone)
	require.NoError(t, s.RecountDay(t.Context(), day))
	list, err := s.Reports(t.Context(), day, day)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, []int{0, 1, 1}, []int{list[0].Running, list[0].Success, list[0].Failed})
	var text string
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT trigger_day FROM xxl_job_log_report").Scan(&text))
	assert.Equal(t, "2018-11-04 00:00:00", text, "as the Java admin and Finish name the day")
}

// openBoth opens a database plainly, runs the statements on it, and opens it as
// a store.
func openBoth(t testing.TB, dsn string, statements []string) (*store.Store, *sql.DB) {
	t.Helper()
	db := openPlain(t, dsn)
	for _, text := range statements {
		_, err := db.ExecContext(t.Context(), text)
		require.NoError(t, err, text)
	}
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Location: storetest.Zone})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.Migrate(t.Context()))
	return s, db
}

// openPlain opens the database of a store's DSN with the bare driver.
func openPlain(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	driver, name := "pgx", dsn
	switch {
	case strings.HasPrefix(dsn, "sqlite:"):
		driver, name = "sqlite", "file:"+strings.TrimPrefix(dsn, "sqlite:")+"?_pragma=busy_timeout(5000)"
	case strings.HasPrefix(dsn, "mysql:"):
		u, err := url.Parse(dsn)
		require.NoError(t, err)
		driver, name = "mysql", u.User.Username()+"@tcp("+u.Host+")"+u.Path
	}
	db, err := sql.Open(driver, name)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}
