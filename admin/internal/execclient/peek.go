package execclient

import "syscall"

// sockState is what a look at a socket found.
type sockState int8

const (
	sockQuiet  sockState = iota // nothing has arrived, or it cannot be told here
	sockClosed                  // closed or broken
	sockData                    // bytes wait to be read
)

// peeker looks at a socket, and writes to it, beneath its net.Conn. The zero
// value sees nothing.
type peeker struct {
	raw   syscall.RawConn
	see   func(fd uintptr) bool // made once: closures would be garbage of each exchange
	ask   func(fd uintptr) bool
	state sockState
	buf   [1]byte

	// Of one request.
	request []byte
	allow   func() bool
	phase   askPhase
	written int
}

// askPhase is how far ask has come with a request.
type askPhase int8

const (
	askLooks   askPhase = iota
	askRefused          // allow said no
	askWrote            // all of it, or as much as the socket took
)

func (p *peeker) init(raw syscall.RawConn) {
	p.raw = raw
	p.see = func(fd uintptr) bool {
		p.state = peekSocket(fd, p.buf[:])
		return true // one look, no waiting
	}
	p.ask = func(fd uintptr) bool {
		if p.phase != askLooks {
			return true // an answer, the end of the connection, or a false alarm: who reads will see
		}
		if p.state = peekSocket(fd, p.buf[:]); p.state != sockQuiet {
			return true
		}
		if p.allow != nil && !p.allow() {
			p.phase = askRefused
			return true
		}
		p.phase, p.written = askWrote, writeSocket(fd, p.request)
		return p.written < len(p.request)
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

// exchange looks, writes the request if the socket is quiet and allow permits
// it, and waits until there is something to read or the deadline of the
// connection is over. It saves the read that a request begins to wait with:
// the wait is prepared before the write, so an answer cannot slip in between.
// Of the request it may have written a part or nothing, without waiting then.
func (p *peeker) exchange(request []byte, allow func() bool) (state sockState, phase askPhase, written int) {
	p.request, p.allow, p.state, p.phase, p.written = request, allow, sockQuiet, askLooks, 0
	err := p.raw.Read(p.ask)
	p.request, p.allow = nil, nil
	if err != nil && p.phase == askLooks {
		return sockClosed, askLooks, 0
	}
	return p.state, p.phase, p.written
}
