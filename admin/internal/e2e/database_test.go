//go:build linux

package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
)

// The databases.
const (
	sqlite   = "sqlite"
	mysql    = "mysql"
	postgres = "postgres"
)

// database is an empty database, on a server of its own if it has one.
type database struct {
	kind   string
	dsn    string         // as the admin is told
	server *dbtest.Server // nil for SQLite
	raw    *sql.DB        // for the test alone, past every fault
}

func newDatabase(t *testing.T, kind string) *database {
	t.Helper()
	d := &database{kind: kind}
	switch kind {
	case sqlite:
		d.dsn = dbtest.SQLite(t)
	case mysql:
		d.server = dbtest.StartMySQL(t)
	case postgres:
		d.server = dbtest.StartPostgres(t)
	}
	if d.server != nil {
		dsn, err := d.server.NewDatabase(t.Context())
		require.NoError(t, err)
		d.dsn = dsn
	}
	d.open(t)
	return d
}

// open opens the test's own pool on d.dsn.
func (d *database) open(t *testing.T) {
	t.Helper()
	driver, name := d.kind, d.dsn
	switch d.kind {
	case sqlite:
		file := strings.TrimPrefix(d.dsn, "sqlite:")
		name = "file:" + file + "?_pragma=busy_timeout(10000)&_pragma=wal_autocheckpoint(0)"
	case mysql:
		u, err := url.Parse(d.dsn)
		require.NoError(t, err)
		name = fmt.Sprintf("%s@tcp(%s)%s?timeout=5s", u.User.Username(), u.Host, u.Path)
	case postgres:
		driver = "pgx"
		name += "?sslmode=disable&connect_timeout=5"
	}
	db, err := sql.Open(driver, name)
	require.NoError(t, err)
	db.SetMaxIdleConns(1)
	d.raw = db
	t.Cleanup(func() { db.Close() })
}

// through returns the DSN by way of a proxy at addr.
func (d *database) through(t *testing.T, addr string) string {
	t.Helper()
	u, err := url.Parse(d.dsn)
	require.NoError(t, err)
	u.Host = addr
	return u.String()
}

// exec runs a statement past every fault.
func (d *database) exec(t *testing.T, statement string) {
	t.Helper()
	_, err := d.raw.ExecContext(t.Context(), statement)
	require.NoError(t, err, statement)
}

// count returns the one number that a query gives. It retries while the
// database is coming back.
func (d *database) count(t *testing.T, query string) int64 {
	t.Helper()
	var n int64
	var err error
	ok := holds(30*time.Second, func() bool {
		err = d.raw.QueryRowContext(t.Context(), query).Scan(&n)
		return err == nil
	})
	require.True(t, ok, "%s: %v", query, err)
	return n
}

// text returns the one text that a query gives, "" for NULL.
func (d *database) text(t *testing.T, query string) string {
	t.Helper()
	var s sql.NullString
	require.NoError(t, d.raw.QueryRowContext(t.Context(), query).Scan(&s), query)
	return s.String
}

// restart ends the server, in order or as a crash does, and starts it again
// after a pause.
func (d *database) restart(t *testing.T, crash bool, down time.Duration) span {
	t.Helper()
	from := time.Now().UnixMilli()
	ctx := context.WithoutCancel(t.Context()) // half a restart would spoil the cleanup
	if crash {
		d.server.Kill(ctx)
	} else {
		d.server.Stop(ctx)
	}
	pass(t, down)
	require.NoError(t, d.server.Restart(ctx))
	return span{from, time.Now().UnixMilli()}
}

// rows reads the whole log.
func (d *database) rows(t *testing.T) []row {
	t.Helper()
	result, err := d.raw.QueryContext(t.Context(), "SELECT id, job_id, trigger_time, trigger_code, handle_code, "+
		"CASE WHEN trigger_code IN (0, 200) THEN substr(trigger_msg, 1, 120) ELSE trigger_msg END, executor_sharding_param FROM xxl_job_log ORDER BY id")
	require.NoError(t, err)
	defer result.Close()
	var rows []row
	for result.Next() {
		var r row
		var at any
		var msg, shard sql.NullString
		require.NoError(t, result.Scan(&r.id, &r.job, &at, &r.triggerCode, &r.handleCode, &msg, &shard))
		r.trigger, r.msg, r.shard = wallClock(t, at), msg.String, shard.String
		rows = append(rows, r)
	}
	require.NoError(t, result.Err())
	return rows
}

// wallClock reads a DATETIME column, which holds the time in UTC here.
func wallClock(t *testing.T, v any) int64 {
	t.Helper()
	var text string
	switch v := v.(type) {
	case time.Time:
		return v.UnixMilli()
	case []byte:
		text = string(v)
	case string:
		text = v
	}
	at, err := time.Parse(time.DateTime, text)
	require.NoError(t, err, "trigger_time %v", v)
	return at.UnixMilli()
}

// openRuns returns the log ids of the runs that are open.
func (d *database) openRuns(t *testing.T) []int64 {
	t.Helper()
	result, err := d.raw.QueryContext(t.Context(), "SELECT log_id FROM xxljob_run ORDER BY log_id")
	require.NoError(t, err)
	defer result.Close()
	var ids []int64
	for result.Next() {
		var id int64
		require.NoError(t, result.Scan(&id))
		ids = append(ids, id)
	}
	require.NoError(t, result.Err())
	return ids
}
