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
