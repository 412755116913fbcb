package store

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
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
	require.ErrorIs(t, err, sqldb.ErrLocked)
	require.NoError(t, next.Close())
	require.NoError(t, next.Close())
}
