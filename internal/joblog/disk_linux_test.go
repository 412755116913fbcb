package joblog

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A FIFO would block whoever opens it until the other side comes.
func TestFIFOIsRefused(t *testing.T) {
	t.Parallel()
	for _, portable := range []bool{false, true} {
		s := newStore(t, nil)
		s.disk.portable = portable
		require.NoError(t, os.Mkdir(filepath.Dir(pathOf(s, 7)), 0o755))
		require.NoError(t, syscall.Mkfifo(pathOf(s, 7), 0o600))
		_, err := s.Read(7, noon, 1)
		require.ErrorIs(t, err, errNotRegular)
	}
}
