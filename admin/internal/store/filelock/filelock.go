// Package filelock keeps a second process away from a file. The lock ends with
// the process that holds it, however that ends.
package filelock

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ErrLocked says that another process has the lock.
var ErrLocked = errors.New("in use by another process")

// Take takes the exclusive lock that keeps a second process out, and returns
// what gives it up. The file at path is made when it is missing, and holds the
// number of the process. The error is ErrLocked when another one has it.
func Take(path string) (release func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	ok, err := tryLock(f)
	if err == nil && !ok {
		err = fmt.Errorf("%w%s: end that one first; one process serves a SQLite file, "+
			"more nodes need MySQL or PostgreSQL", ErrLocked, owner(path))
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	// The process id is for the message that another one gives.
	_, _ = f.WriteAt(fmt.Appendf(nil, "%-10d\n", os.Getpid()), 0)
	return f.Close, nil
}

// owner returns " (process 4711)", or nothing if that cannot be read.
func owner(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}
