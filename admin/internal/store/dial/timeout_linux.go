package dial

import (
	"errors"
	"syscall"
)

// tcpUserTimeout is TCP_USER_TIMEOUT of Linux, which the syscall package lacks.
const tcpUserTimeout = 0x12

// userTimeout ends a connection whose peer has not acknowledged what was sent
// for 10 s; keep-alive probes do not cover that.
func userTimeout(network, _ string, raw syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return nil
	}
	var err error
	ctl := raw.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, 10_000)
	})
	return errors.Join(ctl, err)
}
