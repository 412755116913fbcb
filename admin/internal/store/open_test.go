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
