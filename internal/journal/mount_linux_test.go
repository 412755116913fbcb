package journal

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// onTmpfs returns a folder on a file system of 1 MiB, which takes root.
func onTmpfs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"),
		"this test mounts a tmpfs: run it as root in a container that may mount")
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
	return dir
}
