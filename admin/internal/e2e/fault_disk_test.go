//go:build linux

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smallDisk mounts a file system of so many bytes for the time of the test.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, options), "mount a small disk: this test needs root")
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// fill lets a file grow until the disk is full, to the last byte.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(t, err)
	defer f.Close()
	for size := 64 << 10; size > 0; {
		n, err := f.Write(make([]byte, size))
		if errors.Is(err, syscall.ENOSPC) {
			size = min(size/2, size-n)
			continue
		}
		require.NoError(t, err)
	}
}

// TestFullDisk fills the disk under the SQLite database: the admin survives,
// also a kill while the disk is full, acknowledges nothing that it cannot
// store, and goes on by itself when there is room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "size=24m")
	db := &database{kind: sqlite, dsn: "sqlite:" + filepath.Join(dir, "xxljob.db")}
	w := newWorld(t, db)
	n := w.newNode(t)
	n.start(t)
	db.open(t)
	w.newExecutor(t, 2, -1)
	w.setUp(t, 2)
	w.addJobs(t, 40, mixed, 2)
	pass(t, 3*time.Second)
	ballast := filepath.Join(dir, "ballast")
	from := time.Now()
	fill(t, ballast)
	pass(t, pick(6*time.Second, 20*time.Second))
	assert.False(t, n.ended(), "the admin did not survive a full disk")
	assert.Equal(t, 200, n.status("/healthz"), "/healthz on a full disk")
	n.kill()
	n.begin(t)
	pass(t, 3*time.Second)
	require.NoError(t, os.Remove(ballast))
	if n.ended() { // it could not open the database, and says so
		t.Logf("start on a full disk: %v\n%s", n.err, n.tail())
		n.begin(t)
	}
	n.waitReady(t)
	end := time.Now()
	w.outage(span{from.UnixMilli(), end.UnixMilli()})
	w.proveRecovery(t, end, 5*time.Second)
}
