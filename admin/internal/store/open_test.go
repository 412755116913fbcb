package store

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openFile opens a migrated SQLite store.
func openFile(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{DSN: "sqlite:" + filepath.Join(t.TempDir(), "admin.db")})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	require.NoError(t, s.Migrate(t.Context()))
	return s
}

func TestSQLiteMigrates(t *testing.T) {
	s := openFile(t)
	info := s.Info()
	assert.True(t, info.MadeByUs)
	assert.Equal(t, "S4", info.Generation)
	assert.True(t, info.UniqueRegistry)
	require.NoError(t, s.Migrate(t.Context()), "again")
	assert.Equal(t, info, s.Info())
	assert.Empty(t, s.schema.missing)
	assert.True(t, s.schema.timeZone)
	assert.True(t, s.schema.nextIndex)
}

// TestCloseAgain: a second Close does nothing, and gives nobody's lock up.
func TestCloseAgain(t *testing.T) {
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "admin.db")
	s, err := Open(t.Context(), Options{DSN: dsn})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	next, err := Open(t.Context(), Options{DSN: dsn})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	_, err = Open(t.Context(), Options{DSN: dsn})
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, next.Close())
	require.NoError(t, next.Close())
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
		_, opened := Open(t.Context(), Options{DSN: dsn})
		require.EqualError(t, opened, err.Error())
	}
	for _, dsn := range []string{
		"sqlite:a.db", "sqlite:///var/lib/a.db", "mysql://u:p@h/x", "mariadb://u:p@h:1/x", "mysql://u:p@/x?socket=/run/x",
		"postgres://u:p@h/x", "postgresql://u@h:1/x?sslmode=require",
	} {
		assert.NoError(t, CheckDSN(dsn), dsn)
	}
}
