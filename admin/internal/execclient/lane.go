package execclient

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	laneUnused = 10 * time.Minute // after which a lane without a connection goes away
	redialWait = time.Second      // between connections opened in advance to an address that refuses them
)

// past is a deadline that wakes a parked connection.
var past = time.Unix(1, 0)

// lane is the way to one address: the calls that wait for it and the
// connections that carry them.
type lane struct {
	client  *Client
	address string // as laneKey returns it
	ep      endpoint
	bad     error // why nothing can be sent there
	traits  atomic.Pointer[traits]
	dead    atomic.Int64 // Unix nanoseconds since when it has not answered, 0 if it does

	learning sync.Mutex // orders what is learnt, and Config.OnLearn
	faults   faults

	mu        sync.Mutex
	queue     line
	idle      []*conn // parked, the last one used last
	open      int     // connections, parked ones included
	dialling  int
	busy      int // connections with a request in flight
	closed    bool
	failedAt  time.Time // of the last attempt to connect, zero if it succeeded
	used      time.Time
	over      []ending // to be reported
	reporting bool
}

// ending is a call that ended without a connection.
type ending struct {
	call   *Call
	result Result
}

// send queues the call, or hands it to a parked connection. It reports false if
// the lane is closed; the call is then as before.
func (l *lane) send(call *Call, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.used = now
	switch {
	case call.err != nil:
		l.endLocked(call, call.fail(NotSent, call.err))
	case l.queue.len() >= l.client.cfg.QueueMax:
		l.endLocked(call, call.fail(NotSent, fmt.Errorf("%w: %d calls wait", ErrQueueFull, l.queue.len())))
	default:
		l.putLocked(call, false)
	}
	return true
}

// requeue takes back a call whose connection broke. It is called by the
// goroutine of that connection.
func (l *lane) requeue(call *Call) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		call.finish(call.fail(NotSent, ErrClosed))
		return
	}
	l.putLocked(call, true)
	l.mu.Unlock()
}

func (l *lane) putLocked(call *Call, front bool) {
	if n := len(l.idle); n > 0 {
		c := l.idle[n-1]
		l.idle[n-1] = nil
		l.idle = l.idle[:n-1]
		c.handed = call
		// Under the lock, so that it cannot hit the deadline of the request.
		_ = c.nc.SetReadDeadline(past) // a closed connection is awake anyway
		return
	}
	if front {
		l.queue.pushFront(call)
	} else {
		l.queue.push(call)
	}
	l.dialLocked()
}

// dialLocked opens one more connection if a waiting call has none to hope for.
func (l *lane) dialLocked() {
	if l.closed || l.queue.len() <= l.dialling || l.open+l.dialling >= l.client.cfg.ConnsMax {
		return
	}
	if !l.failedAt.IsZero() && l.dialling > 0 {
		return // one attempt tells whether it is back
	}
	l.startLocked()
}

func (l *lane) startLocked() {
	l.dialling++
	l.client.group.Go(l.connect)
}

// warm opens connections until there are n.
func (l *lane) warm(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.bad != nil {
		return
	}
	if !l.failedAt.IsZero() {
		if l.dialling > 0 || time.Since(l.failedAt) < redialWait {
			return
		}
		n = min(n, 1)
	}
	for l.open+l.dialling < min(n, l.client.cfg.ConnsMax) {
		l.startLocked()
	}
}

// connect opens a connection and serves it to its end. When the address cannot
// be reached, every call that waits for it fails.
func (l *lane) connect(ctx context.Context) {
	nc, raw, err := l.dial(ctx)
	l.mu.Lock()
	l.dialling--
	if l.closed && err == nil {
		err = errors.Join(ErrClosed, nc.Close())
	}
	if err != nil {
		l.failedAt = time.Now()
		var calls []*Call
		if l.open == 0 {
			calls = l.queue.drain()
		}
		l.mu.Unlock()
		if ctx.Err() != nil {
			err = ErrClosed
		} else {
			l.setDead(ctx, err)
		}
		for _, call := range calls {
			call.finish(call.fail(NotSent, err))
		}
		return
	}
	l.failedAt = time.Time{}
	l.open++
	l.mu.Unlock()
	newConn(l, nc, raw).run(ctx)
}

// dial returns the connection, and the socket under it.
func (l *lane) dial(ctx context.Context) (conn, socket net.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.client.cfg.Timeout)
	defer cancel()
	socket, err = l.client.dial(ctx, "tcp", l.ep.dial)
	if err != nil || !l.ep.tls {
		return socket, socket, err
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if l.client.cfg.TLS != nil {
		cfg = l.client.cfg.TLS.Clone()
	}
	if cfg.ServerName == "" {
		cfg.ServerName = l.ep.name
	}
	secure := tls.Client(socket, cfg)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("TLS handshake: %w", err), socket.Close())
	}
	return secure, socket, nil
}

// next blocks until there is a call for c. It returns nil when c is to be
// closed: it was idle for too long, broke, or the lane is closed.
func (l *lane) next(ctx context.Context, c *conn) *Call {
	l.mu.Lock()
	if c.active {
		c.active = false
		l.busy--
	}
	call := l.popLocked()
	if call == nil && !l.closed {
		_ = c.nc.SetReadDeadline(time.Now().Add(l.client.cfg.IdleTimeout)) // a closed one fails at once
		l.idle = append(l.idle, c)
		l.mu.Unlock()
		err := c.park()
		l.mu.Lock()
		call = c.handed
		c.handed = nil
		if call == nil {
			l.forgetLocked(c)
		} else if !isTimeout(err) {
			l.mu.Unlock()
			l.client.cfg.Logger.DebugContext(ctx, "idle connection broke", slog.String("addr", l.address))
			l.requeue(call)
			return nil
		}
	}
	if call != nil {
		c.active = true
		l.busy++
	}
	l.mu.Unlock()
	return call
}

// popLocked returns the next call that is not too late.
func (l *lane) popLocked() *Call {
	if l.queue.len() == 0 {
		return nil
	}
	l.expireLocked(time.Now())
	return l.queue.pop()
}

// expireLocked ends what has waited for too long.
func (l *lane) expireLocked(now time.Time) {
	for _, q := range []*queue{&l.queue.triggers, &l.queue.questions} {
		for q.len() > 0 && now.After((*q.at(0)).late) {
			call := q.pop()
			l.endLocked(call, call.fail(NotSent, ErrQueueLate))
		}
	}
}

// forgetLocked removes a connection that broke from the parked ones.
func (l *lane) forgetLocked(c *conn) {
	for i, other := range l.idle {
		if other == c {
			l.idle = append(l.idle[:i], l.idle[i+1:]...)
			return
		}
	}
}

// gone is called once a connection is closed.
func (l *lane) gone(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if c.active {
		c.active = false
		l.busy--
	}
	l.dialLocked()
}

// abandon ends a call that nobody waits for any more, if it still waits.
func (l *lane) abandon(call *Call, err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.queue.remove(call) {
		return false
	}
	l.endLocked(call, call.fail(NotSent, err))
	return true
}

// endLocked reports the end of a call from a goroutine of the lane.
func (l *lane) endLocked(call *Call, r Result) {
	l.over = append(l.over, ending{call, r})
	if !l.reporting {
		l.reporting = true
		l.client.group.Go(l.report)
	}
}

func (l *lane) report(context.Context) {
	for {
		l.mu.Lock()
		over := l.over
		l.over = nil
		if len(over) == 0 {
			l.reporting = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		for _, e := range over {
			e.call.finish(e.result)
		}
	}
}

// close ends what waits and lets go of the parked connections. Requests in
// flight run to their end.
func (l *lane) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, call := range l.queue.drain() {
		l.endLocked(call, call.fail(NotSent, ErrClosed))
	}
	l.closed = true
	for _, c := range l.idle {
		_ = c.nc.SetReadDeadline(past) // a closed connection is awake anyway
	}
}

// tick ends what has waited for too long, and closes the lane if nobody has
// used it for laneUnused. It reports whether it did.
func (l *lane) tick(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expireLocked(now)
	if l.open+l.dialling+l.queue.len() > 0 || l.reporting || now.Sub(l.used) < laneUnused {
		return false
	}
	l.closed = true
	return true
}

// setDead notes that the address did not answer.
func (l *lane) setDead(ctx context.Context, err error) {
	if l.dead.CompareAndSwap(0, time.Now().UnixNano()) {
		l.client.cfg.Logger.WarnContext(ctx, "executor does not answer",
			slog.String("addr", l.address), slog.Any("err", err))
	}
}

// setAlive notes that the address answered.
func (l *lane) setAlive(ctx context.Context) {
	if l.dead.Load() == 0 {
		return
	}
	if since := l.dead.Swap(0); since != 0 {
		l.client.cfg.Logger.InfoContext(ctx, "executor answers again",
			slog.String("addr", l.address), slog.Duration("duration", time.Since(time.Unix(0, since))))
	}
}

// stats returns how the lane stands.
func (l *lane) stats() LaneStats {
	l.mu.Lock()
	s := LaneStats{Depth: l.queue.len(), InFlight: l.busy, Conns: l.open}
	l.mu.Unlock()
	if at := l.dead.Load(); at != 0 {
		s.DeadSince = time.Unix(0, at)
	}
	t := l.traits.Load()
	s.Dialect, s.Native, s.OldToken = t.dialect, t.native, t.stale != ""
	s.Release = t.release(l.client != nil && l.client.cfg.Dialect == DialectAuto)
	return s
}
