package journal

import (
	"os"
	"syscall"
)

// syncData makes the data of f durable, and of its metadata only what reading
// it back needs.
func syncData(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
