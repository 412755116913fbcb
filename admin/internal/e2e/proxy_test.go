//go:build linux

package e2e

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// proxy stands in front of a server and does to its connections what networks
// do.
type proxy struct {
	addr   string
	target string
	ctx    context.Context // of the proxy's life
	group  sync.WaitGroup

	mu    sync.Mutex
	delay time.Duration // of what a client says
	hole  bool          // nothing comes through
	conns map[*proxied]bool
}

// proxied is one connection. A dead one stays open and lets nothing through,
// whatever becomes of the proxy.
type proxied struct {
	client, server net.Conn
	dead           bool // guarded by the proxy's lock
}

// newProxy returns a proxy to target, for the time of the test.
func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:"+freePort(t)) //nolint:noctx // answers at once
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	p := &proxy{addr: ln.Addr().String(), target: target, ctx: ctx, conns: make(map[*proxied]bool)}
	p.group.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			p.group.Go(func() { p.serve(conn) })
		}
	})
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, ln.Close())
		p.cut()
		p.group.Wait()
	})
	return p
}

// slow delays everything that clients say from now on.
func (p *proxy) slow(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// swallow makes connections half-open: those of now for good, and new ones
// until heal.
func (p *proxy) swallow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hole = true
	for c := range p.conns {
		c.dead = true
	}
}

// heal lets new connections through again.
func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hole = false
}

// cut closes every connection.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.client.Close() // it may be gone
		if c.server != nil {
			_ = c.server.Close()
		}
	}
}

// serve is the life of one connection.
func (p *proxy) serve(client net.Conn) {
	c := &proxied{client: client}
	p.mu.Lock()
	c.dead = p.hole
	p.conns[c] = true
	p.mu.Unlock()
	defer func() {
		_ = client.Close()
		p.mu.Lock()
		delete(p.conns, c)
		p.mu.Unlock()
	}()
	if p.isDead(c) {
		p.drain(client)
		return
	}
	server, err := new(net.Dialer).DialContext(p.ctx, "tcp", p.target)
	if err != nil {
		return // as if nobody listened
	}
	p.mu.Lock()
	c.server = server
	p.mu.Unlock()
	defer server.Close()
	var both sync.WaitGroup
	both.Go(func() { p.copy(c, server, client, true) })
	both.Go(func() { p.copy(c, client, server, false) })
	both.Wait()
}

func (p *proxy) isDead(c *proxied) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return c.dead
}

// drain reads and forgets until the other side gives up.
func (p *proxy) drain(conn net.Conn) {
	buf := make([]byte, 4096)
	for {
		if _, err := conn.Read(buf); err != nil {
			return
		}
	}
}

// chunk is what was read, and when it is to be passed on.
type chunk struct {
	data []byte
	due  time.Time
}

// copy passes on what from says. What a client says may be delayed, without
// holding up what it says next.
func (p *proxy) copy(c *proxied, to, from net.Conn, fromClient bool) {
	line := make(chan chunk, 1024)
	var writer sync.WaitGroup
	writer.Go(func() {
		for ch := range line {
			wait(p.ctx, time.Until(ch.due))
			if p.isDead(c) {
				continue
			}
			if _, err := to.Write(ch.data); err != nil {
				_ = from.Close() // so that reading ends too
			}
		}
	})
	defer func() {
		close(line)
		writer.Wait()
		if !p.isDead(c) {
			_ = to.Close()
		}
	}()
	for {
		buf := make([]byte, 32<<10)
		n, err := from.Read(buf)
		if n > 0 {
			due := time.Now()
			if fromClient {
				p.mu.Lock()
				due = due.Add(p.delay)
				p.mu.Unlock()
			}
			line <- chunk{buf[:n], due}
		}
		if err != nil {
			return
		}
	}
}

// wait pauses for d, or until ctx is done.
func wait(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
