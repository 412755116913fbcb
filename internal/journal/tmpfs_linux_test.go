package journal

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onTmpfs returns a folder on a file system of 1 MiB. Only root may mount one,
// so that for any other user the test runs in a namespace in which that user is
// root, and onTmpfs returns "" here.
func onTmpfs(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		runAsRootOfNamespace(t)
		return ""
	}
	dir := t.TempDir()
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"),
		"this test mounts a tmpfs: run it as root in a container that may mount")
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
	return dir
}

// runAsRootOfNamespace runs this test once more, in a process that is root of a
// user and mount namespace of its own.
func runAsRootOfNamespace(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}},
	}
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "this test mounts a tmpfs: run it as root, or allow user namespaces\n%s", output)
	require.Contains(t, string(output), "--- PASS: "+t.Name())
}

// TestTmpfs is TestFullDisk on a real disk of 1 MiB.
func TestTmpfs(t *testing.T) {
	dir := onTmpfs(t)
	if dir == "" {
		return // it ran in a namespace of its own
	}
	cfg := Config{Dir: filepath.Join(dir, "app-1")}
	j, _ := reopen(t, nil, cfg)
	total := 0
	for round := range 3 {
		open := fill(t, j, 10_000*round)
		total += len(open)
		require.Greater(t, len(open), 50)
		for seq, id := range open {
			require.True(t, j.Finish(seq, id, Result{Code: 200, Msg: strings.Repeat("m", 2000)}))
		}
		_ = j.Flush(t.Context())
		require.Zero(t, j.Stats().InMemory)
		got := drain(t, j)
		require.Len(t, got, len(open))
		require.NoError(t, j.Ack(got))
		require.Eventually(t, func() bool {
			return j.Flush(t.Context()) == nil && j.Full() == nil && j.Stats().Segments == 1
		}, 10*time.Second, 10*time.Millisecond)
	}
	// Others fill what is left: running triggers still end.
	open := map[Seq]ID{}
	for n := range 20 {
		id := trigger(90_000 + n)
		open[accept(t, j, id, "")] = id
	}
	rest := filepath.Join(dir, "other")
	_ = os.WriteFile(rest, make([]byte, 2<<20), 0o600)
	for seq, id := range open {
		require.True(t, j.Finish(seq, id, Result{Code: 200}))
	}
	_ = j.Flush(t.Context())
	require.Zero(t, j.Stats().InMemory)
	require.Len(t, drain(t, j), len(open))
	j, rec := reopen(t, j, cfg)
	assert.Equal(t, len(open), rec.Unsent)
	assert.Equal(t, total+len(open), rec.Remembered)
	assert.Len(t, drain(t, j), len(open))
	require.NoError(t, os.Remove(rest))
}
