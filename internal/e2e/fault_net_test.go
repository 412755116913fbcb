//go:build linux

package e2e

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// dial opens a plain connection to the executor until the end of the test.
func dial(t *testing.T, p *process) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.Port)) //nolint:noctx // answers at once
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// TestHalfOpenClients has fifty clients that connect, send half a request and
// hang, while others go on.
func TestHalfOpenClients(t *testing.T) {
	t.Parallel()
	a, l := newAdmin(t), newLedger(t)
	p := start(t, setup{Admin: a.url()})
	request := "POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n" + wire.HeaderToken + ": " + token + "\r\n\r\n{\"jobId\":1"
	var conns []net.Conn
	for i := range 50 {
		conn := dial(t, p)
		_, err := io.WriteString(conn, request[:len(request)*i/50])
		require.NoError(t, err)
		conns = append(conns, conn)
	}
	begin := time.Now()
	l.sendMany(t, p.client, 500, 20, "echo", "undisturbed")
	took := time.Since(begin)
	l.waitDelivered(t, 30*time.Second, a)
	l.check(t, a)
	for i, conn := range conns { // they are let go when the read timeout is over
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(40*time.Second)))
		answer, err := io.ReadAll(conn)
		assert.NoError(t, err, "connection %d was not closed", i)
		if i == 0 {
			assert.Empty(t, string(answer), "answer to a client that asked nothing")
		}
	}
	t.Logf("500 triggers beside 50 half-open clients took %v", took.Round(time.Millisecond))
}

// TestLargeHeaders sends headers of 12 KiB, as proxies with cookies and traces
// in them do, and some that are too large for anybody.
func TestLargeHeaders(t *testing.T) {
	t.Parallel()
	a, l := newAdmin(t), newLedger(t)
	p := start(t, setup{Admin: a.url()})
	send := func(size int) string {
		conn := dial(t, p)
		tr := trigger(1, "echo", "large headers")
		l.sent[tr.LogID] = expectation(tr)
		l.sent[tr.LogID].accepted = size < 16<<10
		l.order = append(l.order, tr)
		body := tr.Append(nil)
		_, err := fmt.Fprintf(conn, "POST /run HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s: %s\r\nX-Padding: %s\r\n"+
			"Content-Length: %d\r\n\r\n%s", wire.HeaderToken, token, strings.Repeat("p", size), len(body), body)
		require.NoError(t, err)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(30*time.Second)))
		answer, _ := io.ReadAll(conn) // what is refused may be cut off by a reset
		return string(answer)
	}
	assert.Contains(t, send(12<<10), `"code":200`)
	assert.NotContains(t, send(64<<10), `"code":200`)
	l.mustSend(t, p.client, trigger(1, "echo", "still there"))
	l.waitDelivered(t, 30*time.Second, a)
	l.check(t, a)
}
