// Package dial connects to database servers, and notices when one is gone
// without a word.
package dial

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Timeout is how long a connection may take, unless somebody asks for another
// limit.
const Timeout = 5 * time.Second

// peerPatience is how long an answer must have been waited for in vain before
// the connections beside it are given up too.
const peerPatience = 1500 * time.Millisecond

// Peers are the connections to a database server. When one of them gives no
// answer, because a router or a firewall on the way has forgotten it, those that
// have been silent for as long are most likely dead as well. Each would cost its
// next user the whole time of a statement: they are closed instead, and the pool
// opens new ones.
type Peers struct {
	dialer   net.Dialer
	patience time.Duration

	mu    sync.Mutex
	conns map[*peer]struct{}
}

// NewPeers returns the connections to a server, of which there are none yet.
func NewPeers() *Peers {
	return &Peers{dialer: *dialer(), patience: peerPatience, conns: make(map[*peer]struct{})}
}

// Dial is for drivers to connect with.
func (p *Peers) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := p.dialer.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok { // a socket on this machine does not go dead
		return conn, nil
	}
	c := &peer{TCPConn: tcp, of: p, born: time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c] = struct{}{}
	return c, nil
}

// silent closes the connections on which nobody waits for an answer just now and
// nothing has come since an instant.
func (p *Peers) silent(since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		if !c.waiting.Load() && c.heard().Before(since) {
			delete(p.conns, c)
			_ = c.TCPConn.Close() // whoever picks it next finds it closed
		}
	}
}

// dialer connects to database servers. A peer that is gone without a word is
// noticed within about 10 s, also while a statement is waiting for its answer.
func dialer() *net.Dialer {
	return &net.Dialer{
		Timeout:         Timeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 4 * time.Second, Interval: 2 * time.Second, Count: 3},
		Control:         userTimeout,
	}
}

// peer is one connection. The embedded type gives drivers the file descriptor
// that they look at before they use it again.
type peer struct {
	*net.TCPConn

	of      *Peers
	born    time.Time
	waiting atomic.Bool
	last    atomic.Int64 // when something came, since born
}

func (c *peer) heard() time.Time { return c.born.Add(time.Duration(c.last.Load())) }

// Read implements net.Conn.
func (c *peer) Read(b []byte) (int, error) {
	begin := time.Now()
	c.waiting.Store(true)
	n, err := c.TCPConn.Read(b)
	end := time.Now()
	if n > 0 {
		c.last.Store(int64(end.Sub(c.born)))
	}
	c.waiting.Store(false)
	if n == 0 && givenUp(err) && end.Sub(begin) >= c.of.patience {
		c.of.silent(begin)
	}
	return n, err
}

// givenUp reports whether nobody waits for an answer any more that has not come.
func givenUp(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ETIMEDOUT)
}

// Close implements net.Conn.
func (c *peer) Close() error {
	c.of.mu.Lock()
	delete(c.of.conns, c)
	c.of.mu.Unlock()
	return c.TCPConn.Close()
}
