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

	"github.com/xxljob-go/xxljob/internal/wire"
)

// smallDisk mounts a file system of so many bytes for the time of the test.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, options),
		"mount a small disk: these tests need root")
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// ballast is the name of the file that fills a disk.
const ballast = "ballast"

// fill lets the ballast grow until the disk is full, to the last byte.
func fill(t *testing.T, dir string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, ballast), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(t, err)
	defer f.Close()
	for size := 64 << 10; size > 0; {
		n, err := f.Write(make([]byte, size))
		switch {
		case errors.Is(err, syscall.ENOSPC):
			size = min(size/2, size-n)
		default:
			require.NoError(t, err)
		}
	}
}

// TestDiskFull fills the disk under a running executor: it refuses triggers and
// probes with a reason, loses no result, also over a kill, and recovers by
// itself when there is room again.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "size=2m")
	a, l := newAdmin(t), newLedger(t)
	p := start(t, setup{Dir: dir, Admin: a.url()})
	l.sendMany(t, p.client, 100, 10, "echo", "room")
	for job := range int32(10) { // these are open when the disk fills up
		l.mustSend(t, p.client, trigger(100+job, "sleep", "3000"))
		l.mustSend(t, p.client, trigger(100+job, "mark", l.marks)) // replaces the other handler: both are reported
		l.mustSend(t, p.client, trigger(200+job, "sleep", "2000"))
	}
	fill(t, dir)
	text := l.untilRefused(t, p)
	assert.Contains(t, text, "no space left on the disk")
	res, err := p.beat()
	require.NoError(t, err)
	assert.Equal(t, wire.CodeFail, res.Code, "/beat of an executor with a full disk")
	l.waitDelivered(t, time.Minute, a)
	l.check(t, a)

	a.set(t, down) // results gather now
	p.kill()
	p = p.again(t) // which may give some room back
	l.untilRefused(t, p)
	p.kill()
	fill(t, dir)
	p = p.again(t)
	a.set(t, up)
	l.waitDelivered(t, time.Minute, a)

	fill(t, dir)
	l.untilRefused(t, p)
	res, err = p.beat()
	require.NoError(t, err)
	assert.Equal(t, wire.CodeFail, res.Code, "/beat of an executor with a full disk")
	require.NoError(t, os.Remove(filepath.Join(dir, ballast)))
	waitFor(t, 30*time.Second, "executor takes triggers again", func() bool {
		res, err := p.beat()
		return err == nil && res.Code == wire.CodeSuccess
	})
	l.sendMany(t, p.client, 100, 10, "echo", "room again")
	l.waitDelivered(t, time.Minute, a)
	p.terminate(t, stopLimit)
	l.check(t, a)
	t.Logf("on a disk of 2 MiB: %s", l.figures(a))
}

// untilRefused sends triggers until one is refused, and returns the text.
func (l *ledger) untilRefused(t *testing.T, p *process) string {
	t.Helper()
	for i := range 100_000 {
		res, err := l.send(p.client, trigger(int32(i%10)+1, "echo", "on a full disk"))
		require.NoError(t, err)
		if res.Code != wire.CodeSuccess {
			return res.Msg.String
		}
	}
	require.FailNow(t, "no trigger was refused on a full disk")
	return ""
}

// TestDiskFullWhileAdminIsDown fills a small disk with results: triggers are
// refused, and nothing that was accepted is lost over a kill.
func TestDiskFullWhileAdminIsDown(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "size=1m")
	a, l := newAdmin(t), newLedger(t)
	a.set(t, down)
	p := start(t, setup{Dir: dir, Admin: a.url()})
	text := l.untilRefused(t, p)
	t.Logf("refused after %d triggers: %s", l.acceptedCount(), text)
	p.kill()
	p.again(t)
	a.set(t, up)
	l.waitDelivered(t, time.Minute, a)
	l.check(t, a)
	t.Logf("on a disk of 1 MiB: %s", l.figures(a))
}
