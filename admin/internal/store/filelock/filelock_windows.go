package filelock

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

const (
	lockfileFailImmediately = 1
	lockfileExclusive       = 2

	errorLockViolation syscall.Errno = 33

	// lockOffset is far behind the process id in the file, which others must
	// be able to read: a Windows lock also forbids reading.
	lockOffset = 1 << 30
)

var procLockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// tryLock takes the lock on f without waiting. It ends with the process,
// however that ends.
func tryLock(f *os.File) (bool, error) {
	overlapped := syscall.Overlapped{Offset: lockOffset}
	ok, _, err := procLockFileEx.Call(f.Fd(), lockfileExclusive|lockfileFailImmediately, 0, 1, 0,
		uintptr(unsafe.Pointer(&overlapped)))
	switch {
	case ok != 0:
		return true, nil
	case errors.Is(err, errorLockViolation), errors.Is(err, syscall.ERROR_IO_PENDING):
		return false, nil
	default:
		return false, os.NewSyscallError("LockFileEx", err)
	}
}
