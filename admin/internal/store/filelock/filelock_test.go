package filelock

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTake: a second one is refused, and told who has the lock, until the first
// gives it up.
func TestTake(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "admin.db.lock")
	release, err := Take(path)
	require.NoError(t, err)
	_, err = Take(path)
	require.ErrorIs(t, err, ErrLocked)
	require.ErrorContains(t, err, fmt.Sprintf("(process %d)", os.Getpid()))
	require.NoError(t, release())
	release, err = Take(path)
	require.NoError(t, err)
	require.NoError(t, release())
	_, err = Take(filepath.Join(path, "no", "folder"))
	assert.Error(t, err)
}
