package execclient

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	readBuffer = 8 << 10  // also the largest header of an answer
	keepBuffer = 64 << 10 // larger answers give their memory back
	maxTries   = 3        // connections that may break under one call
	settleTLS  = 10 * time.Millisecond
)

// errUnasked is the error of a connection on which something was said before
// anything was asked.
var errUnasked = errors.New("execclient: data that was not asked for")

// conn is one connection. Its goroutine owns it, but for what stands under the
// lane's lock.
type conn struct {
	lane   *lane
	nc     net.Conn
	secure bool
	br     *bufio.Reader
	resp   *fasthttp.Response
	served int // answers read
	peek   peeker

	// Under lane.mu.
	handed *Call // by whoever woke it
	active bool  // counted in lane.busy
}

func newConn(l *lane, nc, socket net.Conn) *conn {
	c := &conn{
		lane: l, nc: nc, secure: l.ep.tls,
		br:   bufio.NewReaderSize(nc, readBuffer),
		resp: new(fasthttp.Response),
	}
	if sc, ok := socket.(syscall.Conn); ok {
		if raw, err := sc.SyscallConn(); err == nil {
			c.peek.init(raw)
		}
	}
	return c
}

// run carries the calls of the lane, one at a time, until the connection is of
// no more use.
func (c *conn) run(ctx context.Context) {
	for {
		call := c.lane.next(ctx, c)
		if call == nil || !c.carry(ctx, call) {
			break
		}
	}
	_ = c.nc.Close() // nothing that was written still matters
	c.lane.gone(c)
}

// carry brings the call to its end, or back into the queue. It reports whether
// the connection can carry another one.
func (c *conn) carry(ctx context.Context, call *Call) bool {
	for {
		reusable, again := c.exchange(ctx, call)
		if !again {
			return reusable
		}
		if !reusable {
			c.lane.requeue(call)
			return false
		}
	}
}

// exchange writes the request and reads the answer. again means that the call
// has not ended: it is surely not acted upon, and to be sent once more.
func (c *conn) exchange(ctx context.Context, call *Call) (reusable, again bool) {
	call.encode(c.lane.dress(call))
	now := time.Now()
	deadline := now.Add(c.lane.client.cfg.Timeout)
	if !call.until.IsZero() {
		if !now.Before(call.until) {
			call.finish(call.fail(NotSent, context.DeadlineExceeded))
			return true, false
		}
		if call.until.Before(deadline) {
			deadline = call.until
		}
	}
	if err := c.nc.SetDeadline(deadline); err != nil {
		return c.unwritten(ctx, call, err)
	}
	n, err := c.put(call, deadline)
	switch {
	case errors.Is(err, ErrFenced):
		kind := NotSent
		if !call.sentAt.IsZero() { // written before, and not answered
			kind = Unknown
		}
		call.finish(call.fail(kind, ErrFenced))
		return true, false
	case n == 0:
		return c.unwritten(ctx, call, err)
	}
	call.sentAt = now
	if err != nil && n < len(call.request) {
		return c.cutOff(ctx, call, err)
	}
	return c.read(ctx, call)
}

// put writes the request, if the connection is in order and the call is still
// allowed, and returns how much of it went out. The error is ErrFenced when it
// is not allowed.
func (c *conn) put(call *Call, deadline time.Time) (n int, err error) {
	if canWrite && !c.secure && c.peek.raw != nil {
		switch state, phase, n := c.peek.exchange(call.request, call.Guard); {
		case phase == askRefused:
			return 0, ErrFenced
		case state == sockClosed:
			return 0, io.EOF
		case state == sockData:
			return 0, errUnasked
		case n == len(call.request):
			return n, nil
		default: // it takes no more just now, or it broke
			rest, err := c.nc.Write(call.request[n:])
			return n + rest, err
		}
	}
	if err := c.quiet(deadline); err != nil {
		return 0, err
	}
	if call.Guard != nil && !call.Guard() {
		return 0, ErrFenced
	}
	return c.nc.Write(call.request)
}

// unwritten is what becomes of a call when the connection is found dead before
// a byte of it was written.
func (c *conn) unwritten(ctx context.Context, call *Call, err error) (reusable, again bool) {
	if c.served == 0 {
		call.tries++
	}
	if call.tries < maxTries {
		return false, true
	}
	c.lane.setDead(ctx, err)
	call.finish(call.fail(NotSent, err))
	return false, false
}

// cutOff is what becomes of a call of which only a part was written: an
// executor that refused it on sight has answered already.
func (c *conn) cutOff(ctx context.Context, call *Call, err error) (reusable, again bool) {
	if !isTimeout(err) && c.resp.ReadLimitBody(c.br, call.limit) == nil {
		c.served++
		call.finish(c.lane.judge(ctx, call, c.resp).Result)
		return false, false
	}
	c.lane.setDead(ctx, err)
	call.finish(call.fail(NotSent, err))
	return false, false
}

// read reads the answer to what was written whole.
func (c *conn) read(ctx context.Context, call *Call) (reusable, again bool) {
	_, err := c.br.Peek(1)
	if err != nil && !isTimeout(err) && c.served > 0 && call.tries < maxTries && c.lane.repeatable(call) {
		call.tries++
		return false, true
	}
	if err == nil {
		err = c.resp.ReadLimitBody(c.br, call.limit)
	}
	if err != nil {
		c.lane.setDead(ctx, err)
		call.finish(call.fail(Unknown, err))
		return false, false
	}
	c.served++
	reusable = !c.resp.ConnectionClose() && c.br.Buffered() == 0 &&
		c.resp.StatusCode() != fasthttp.StatusSwitchingProtocols
	verdict := c.lane.judge(ctx, call, c.resp)
	if len(c.resp.Body()) > keepBuffer {
		c.resp = new(fasthttp.Response)
	}
	if verdict.again {
		return reusable, true
	}
	verdict.AnsweredAt = time.Now()
	call.finish(verdict.Result)
	return reusable, false
}

// park blocks until something arrives, or the deadline is there. Nil means that
// data arrived which nobody asked for.
func (c *conn) park() error {
	_, err := c.br.Peek(1)
	return err
}

// quiet returns an error if the other side has closed the connection, or said
// something, since the last answer.
func (c *conn) quiet(deadline time.Time) error {
	switch c.peek.look() {
	case sockQuiet:
		return nil
	case sockClosed:
		return io.EOF
	default:
	}
	if !c.secure {
		return errUnasked
	}
	// TLS talks by itself: tickets, keys, its own farewell.
	_ = c.nc.SetReadDeadline(time.Now().Add(settleTLS)) // a closed one fails at once
	if err := c.park(); err == nil {
		return errUnasked
	} else if !isTimeout(err) {
		return err
	}
	return c.nc.SetDeadline(deadline)
}
