package store_test

import (
	"database/sql"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/admin/internal/store/storetest"
)

func TestCRUDSQLite(t *testing.T) {
	t.Parallel()
	storetest.CRUD(t, func(t *testing.T) (*store.Store, *sql.DB) { return openBoth(t, dbtest.SQLite(t), nil) })
}

func TestCRUDMySQL(t *testing.T) {
	t.Parallel()
	storetest.CRUD(t, func(t *testing.T) (*store.Store, *sql.DB) { return openBoth(t, dbtest.MySQL(t), nil) })
}

func TestCRUDPostgres(t *testing.T) {
	t.Parallel()
	storetest.CRUD(t, func(t *testing.T) (*store.Store, *sql.DB) { return openBoth(t, dbtest.Postgres(t), nil) })
}

func TestCRUDJavaSchema(t *testing.T) {
	t.Parallel()
	for _, gen := range dbtest.JavaGenerations() {
		t.Run(gen, func(t *testing.T) {
			t.Parallel()
			storetest.CRUD(t, func(t *testing.T) (*store.Store, *sql.DB) {
				return openBoth(t, dbtest.MySQL(t), dbtest.JavaSchema(gen))
			})
		})
	}
}

// openBoth opens a database plainly, runs the statements on it, and opens it as
// a store.
func openBoth(t *testing.T, dsn string, statements []string) (*store.Store, *sql.DB) {
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
func openPlain(t *testing.T, dsn string) *sql.DB {
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
