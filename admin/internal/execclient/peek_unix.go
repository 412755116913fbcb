//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package execclient

import (
	"errors"
	"syscall"
)

func peekSocket(fd uintptr, buf []byte) sockState {
	n, _, err := syscall.Recvfrom(int(fd), buf, syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	switch {
	case n > 0:
		return sockData
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EINTR):
		return sockQuiet
	default:
		return sockClosed
	}
}

// canWrite says that writeSocket writes.
const canWrite = true

// writeSocket returns how many bytes the socket took, without waiting. What the
// fault was, if it did not take all, the next write will tell.
func writeSocket(fd uintptr, b []byte) int {
	for {
		n, err := syscall.Write(int(fd), b)
		if !errors.Is(err, syscall.EINTR) {
			return max(n, 0)
		}
	}
}
