//go:build databases

package store_test

import (
	"database/sql"
	"testing"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/admin/internal/store/storetest"
)

// servers are the databases that have connections which can be cut.
var servers = map[string]func(testing.TB, ...dbtest.Option) string{"mysql": dbtest.MySQL, "postgres": dbtest.Postgres}

// init adds what `make databases` tests beside SQLite.
func init() {
	for name, dsn := range servers {
		allDatabases[name] = func(tb testing.TB) string { return dsn(tb) }
		benchDatabases[name] = func(tb testing.TB) string { return dsn(tb, dbtest.Fast()) }
	}
}

func TestRunMySQL(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) (*store.Store, *sql.DB) { return openBoth(t, dbtest.MySQL(t), nil) })
}

func TestRunPostgres(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) (*store.Store, *sql.DB) { return openBoth(t, dbtest.Postgres(t), nil) })
}

func TestRunJavaSchema(t *testing.T) {
	t.Parallel()
	for _, gen := range dbtest.JavaGenerations() {
		t.Run(gen, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t *testing.T) (*store.Store, *sql.DB) {
				return openBoth(t, dbtest.MySQL(t), dbtest.JavaSchema(gen))
			})
		})
	}
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
