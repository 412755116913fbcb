package dial

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// silentServer takes connections, sends back what it gets on those that say
// "echo", and nothing on the others.
func silentServer(t *testing.T) string {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan struct{})
	var conns []net.Conn
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, c)
			word := make([]byte, 4)
			if _, err := io.ReadFull(c, word); err == nil && string(word) == "echo" {
				_, _ = c.Write(word)
			}
		}
	}()
	t.Cleanup(func() {
		assert.NoError(t, l.Close())
		<-ended
		for _, c := range conns {
			_ = c.Close()
		}
	})
	return l.Addr().String()
}

func dialPeer(t *testing.T, p *Peers, addr, word string) *peer {
	t.Helper()
	conn, err := p.Dial(t.Context(), "tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = conn.Write([]byte(word))
	require.NoError(t, err)
	if word == "echo" {
		_, err = io.ReadFull(conn, make([]byte, len(word)))
		require.NoError(t, err)
	}
	return conn.(*peer)
}

func (c *peer) isClosed() bool { return c.SetDeadline(time.Time{}) != nil }

// TestSilentPeers: once an answer did not come, connections that were idle
// meanwhile are closed; those that wait for an answer of their own, or that have
// had one since, are not.
func TestSilentPeers(t *testing.T) {
	t.Parallel()
	addr := silentServer(t)
	p := NewPeers()
	p.patience = time.Millisecond
	idle := dialPeer(t, p, addr, "echo")
	waits := dialPeer(t, p, addr, "hush")
	asks := dialPeer(t, p, addr, "hush")
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = waits.Read(make([]byte, 1))
	}()
	require.Eventually(t, waits.waiting.Load, time.Minute, time.Millisecond)
	require.NoError(t, asks.SetReadDeadline(time.Now().Add(20*time.Millisecond)))
	_, err := asks.Read(make([]byte, 1))
	require.Error(t, err)
	assert.True(t, idle.isClosed())
	assert.True(t, asks.isClosed(), "itself too")
	assert.False(t, waits.isClosed())

	late := dialPeer(t, p, addr, "echo")
	p.silent(time.Now().Add(-time.Hour))
	assert.False(t, late.isClosed(), "it had an answer since")
	require.NoError(t, waits.Close())
	<-done
	assert.False(t, late.isClosed(), "it had an answer while the other one waited")
}

// TestPatience: giving up soon says nothing of the others.
func TestPatience(t *testing.T) {
	t.Parallel()
	addr := silentServer(t)
	p := NewPeers()
	p.patience = time.Hour
	idle := dialPeer(t, p, addr, "echo")
	asks := dialPeer(t, p, addr, "hush")
	require.NoError(t, asks.SetReadDeadline(time.Now().Add(time.Millisecond)))
	_, err := asks.Read(make([]byte, 1))
	require.Error(t, err)
	assert.False(t, idle.isClosed())
	require.NoError(t, asks.Close())
	require.NoError(t, idle.Close())
	assert.Empty(t, p.conns)
}
