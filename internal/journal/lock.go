package journal

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// lockPoll is the time between two attempts to get the lock.
const lockPoll = 50 * time.Millisecond

// ownerLock is the lock that one process has on a folder. It ends with the
// process, however that ends.
type ownerLock struct{ f *os.File }

// lockFolder makes dir and takes its lock, waiting for at most wait.
func lockFolder(ctx context.Context, dir string, wait time.Duration, log *slog.Logger) (*ownerLock, error) {
	deadline := time.Now().Add(wait)
	for attempt := 1; ; attempt++ {
		lock, err := tryLockFolder(dir)
		if err != nil {
			return nil, fmt.Errorf("journal: lock %s: %w; the folder must be writable by this user", dir, err)
		}
		if lock != nil {
			return lock, nil
		}
		if !time.Now().Before(deadline) {
			return nil, fmt.Errorf("journal: %s is in use by another process%s, which did not end within %v: "+
				"stop it, or give this executor another port, app name or log path", dir, ownerOf(dir), wait)
		}
		if attempt == 2 {
			log.InfoContext(ctx, "another process has the journal, waiting for its end",
				slog.String("dir", dir), slog.String("owner", ownerOf(dir)), slog.Duration("wait", wait))
		}
		select {
		case <-time.After(min(lockPoll, time.Until(deadline)+time.Millisecond)):
		case <-ctx.Done():
			return nil, fmt.Errorf("journal: wait for the lock on %s%s: %w", dir, ownerOf(dir), context.Cause(ctx))
		}
	}
}

// tryLockFolder returns nil without an error if somebody else has the lock.
func tryLockFolder(dir string) (*ownerLock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	ok, err := tryLock(f)
	if err == nil && ok && sameFile(f, path) {
		lock := &ownerLock{f: f}
		lock.writeOwner()
		return lock, nil
	}
	_ = f.Close() // Not ours, or the folder was adopted and removed meanwhile.
	return nil, err
}

// sameFile reports whether path still names the open file f.
func sameFile(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(held, named)
}

// writeOwner leaves the process id for the message that another one gives. A
// full disk does not matter here.
func (l *ownerLock) writeOwner() {
	text := fmt.Sprintf("%-10d\n", os.Getpid())
	_, _ = l.f.WriteAt([]byte(text), 0)
}

// ownerOf returns " (process 4711)", or nothing if that cannot be read.
func ownerOf(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "lock"))
	if err != nil {
		return ""
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}

// release gives the lock up.
func (l *ownerLock) release() error { return l.f.Close() }
