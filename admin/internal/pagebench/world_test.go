package pagebench

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver "mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/xxljob-go/xxljob/admin"
	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

const (
	adminName = "admin"
	password  = "sesame-open-1"
)

// databases are those that are looked at; servers_test.go adds to them.
var databases = map[string]func(testing.TB) string{"sqlite": dbtest.SQLite}

// world is a real admin on a database that was filled, and an administrator's
// session.
type world struct {
	handler http.Handler
	cookie  string
	size    size
	db      *sql.DB // beside the admin
	dialect string

	shardRun int64 // a shard of a broadcast, at a second that thousands of runs share
}

// newWorld fills a database and starts an admin on it, which ends with the test.
func newWorld(tb testing.TB, dsn string, n size) *world {
	tb.Helper()
	w := &world{size: n}
	st, err := store.Open(tb.Context(), store.Options{DSN: dsn, Location: time.UTC})
	require.NoError(tb, err)
	require.NoError(tb, st.Migrate(tb.Context()))
	w.dialect = st.Info().Dialect
	require.NoError(tb, st.Close())
	w.db = plainDB(tb, dsn)
	began := time.Now()
	(&seeder{tb: tb, db: w.db, d: dialects[w.dialect], n: n, now: began.UTC().Truncate(time.Second)}).fill()
	tb.Logf("%s: %d runs of %d jobs written in %v", w.dialect, n.runs, n.jobs, time.Since(began).Round(time.Millisecond))
	w.shardRun = w.number(tb, "SELECT COALESCE(MIN(id), 1) FROM xxl_job_log WHERE executor_sharding_param IS NOT NULL "+
		"AND trigger_time = '%s'", began.UTC().AddDate(0, 0, 10-days).Add(3*time.Hour).Format(time.DateTime))
	w.start(tb, dsn)
	w.login(tb)
	return w
}

// plainDB opens a database without our store.
func plainDB(tb testing.TB, dsn string) *sql.DB {
	tb.Helper()
	driver, name := "pgx", dsn
	switch {
	case strings.HasPrefix(dsn, "sqlite:"):
		driver = "sqlite"
		name = "file:" + strings.TrimPrefix(dsn, "sqlite:") + "?_pragma=busy_timeout(60000)&_pragma=synchronous(OFF)"
	case strings.HasPrefix(dsn, "mysql:"):
		u, err := url.Parse(dsn)
		require.NoError(tb, err)
		driver, name = "mysql", u.User.Username()+"@tcp("+u.Host+")"+u.Path+"?interpolateParams=true&maxAllowedPacket=0"
	}
	db, err := sql.Open(driver, name)
	require.NoError(tb, err)
	db.SetMaxOpenConns(1)
	tb.Cleanup(func() { require.NoError(tb, db.Close()) })
	return db
}

// start starts the admin.
func (w *world) start(tb testing.TB, dsn string) {
	tb.Helper()
	a, err := admin.New(admin.Config{
		DB: dsn, AccessToken: "the-token-of-all-executors", AdminUser: adminName, AdminPassword: password,
		Language: "en", TimeZone: time.UTC, CodeEditing: true, APIRate: -1, LogDays: 3650,
		SharedWithJava: admin.SharedNo, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(tb, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(tb.Context()))
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	tb.Cleanup(func() {
		stop()
		assert.NoError(tb, <-done)
	})
	select {
	case <-a.Ready():
	case err := <-done:
		done <- nil
		require.NoError(tb, err)
	}
	w.handler = a.Handler()
}

// login begins a session.
func (w *world) login(tb testing.TB) {
	tb.Helper()
	form := url.Values{"userName": {adminName}, "password": {password}}.Encode()
	r := httptest.NewRequestWithContext(tb.Context(), http.MethodPost, "/auth/doLogin", strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	for _, line := range rec.Header().Values("Set-Cookie") {
		if c, err := http.ParseSetCookie(line); err == nil && c.Value != "" {
			w.cookie = c.Name + "=" + c.Value
		}
	}
	require.NotEmpty(tb, w.cookie, rec.Body.String())
}

// get asks for a page or a list.
func (w *world) get(ctx context.Context, target string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	r.Header.Set("Cookie", w.cookie)
	r.Header.Set("Accept", "text/html, application/json")
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return rec
}

// number reads one number from the database.
func (w *world) number(tb testing.TB, text string, args ...any) int64 {
	tb.Helper()
	var n int64
	require.NoError(tb, w.db.QueryRowContext(tb.Context(), fmt.Sprintf(text, args...)).Scan(&n))
	return n
}
