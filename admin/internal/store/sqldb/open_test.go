package sqldb

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func openDSN(ctx context.Context, dsn string) (*DB, error) {
	return Open(ctx, Config{DSN: dsn, Location: time.UTC, Logger: slog.New(slog.DiscardHandler)})
}

// openTables opens a SQLite file with two tables: words, which holds one, and texts.
func openTables(t *testing.T) *DB {
	t.Helper()
	db, err := openDSN(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "admin.db"))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	require.NoError(t, db.InTx(t.Context(), func(q Querier) error {
		_, err := q.ExecContext(t.Context(), "CREATE TABLE words (word TEXT NOT NULL PRIMARY KEY); "+
			"INSERT INTO words VALUES ('first'); CREATE TABLE texts (body TEXT)")
		return err
	}))
	return db
}

// TestCheckDSN: what is no name of a database is known without a database, and
// Open says the same.
func TestCheckDSN(t *testing.T) {
	for dsn, want := range map[string]string{
		"":                                  "sqlite:FILE, mysql://user:password@host:port/name or postgres://",
		"oracle://u:s3cret@h/x":             "sqlite:FILE, mysql://user:password@host:port/name or postgres://",
		"xxl-job.db":                        "sqlite:FILE, mysql://user:password@host:port/name or postgres://",
		"sqlite:":                           "name a file",
		"sqlite::memory:":                   "memory and parameters are not supported",
		"mysql://u:s3cret@h:1":              "host and database are needed",
		"mysql:///x":                        "host and database are needed",
		"mysql://u:s3%cret@h/x":             "special characters of the password",
		"mysql://u:s3cret@h/x?useSSL=false": "parameter useSSL belongs to Java's driver",
		"postgres://u:s3cret@h:port/x":      "special characters of the password",
		"postgres://u:s3cret@h/x?sslmode=q": "the parameters are those of libpq",
	} {
		err := CheckDSN(dsn)
		require.ErrorContains(t, err, want, dsn)
		assert.NotContains(t, err.Error(), "s3", dsn)
		_, opened := openDSN(t.Context(), dsn)
		require.EqualError(t, opened, err.Error())
	}
	for _, dsn := range []string{
		"sqlite:a.db", "sqlite:///var/lib/a.db", "mysql://u:p@h/x", "mariadb://u:p@h:1/x", "mysql://u:p@/x?socket=/run/x",
		"postgres://u:p@h/x", "postgresql://u@h:1/x?sslmode=require",
	} {
		assert.NoError(t, CheckDSN(dsn), dsn)
	}
}
