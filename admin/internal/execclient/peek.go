package execclient

import "syscall"

// sockState is what a look at a socket found.
type sockState int8

const (
	sockQuiet  sockState = iota // nothing has arrived, or it cannot be told here
	sockClosed                  // closed or broken
	sockData                    // bytes wait to be read
)

// peeker looks at a socket without reading from it. The zero value sees nothing.
type peeker struct {
	raw   syscall.RawConn
	see   func(fd uintptr) bool // made once: a closure a look would be garbage
	state sockState
	buf   [1]byte
}

func (p *peeker) init(raw syscall.RawConn) {
	p.raw = raw
	p.see = func(fd uintptr) bool {
		p.state = peekSocket(fd, p.buf[:])
		return true // one look, no waiting
	}
}

// look costs one system call. A socket whose deadline is over looks closed.
func (p *peeker) look() sockState {
	if p.raw == nil {
		return sockQuiet
	}
	if err := p.raw.Read(p.see); err != nil {
		return sockClosed
	}
	return p.state
}
