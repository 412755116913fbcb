package execclient

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/xxljob-go/xxljob/internal/wire"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// Of the client that the benchmarks compare with; it sleeps and cannot be stopped.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*HostClient).connsCleaner"))
}

// newClient returns a client that is closed at the end of the test.
func newClient(tb testing.TB, cfg Config) *Client {
	tb.Helper()
	c, err := New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Close)
	return c
}

// peer is one connection of a scripted executor.
type peer struct {
	net.Conn

	br *bufio.Reader
	n  int // number of the connection, from 0
}

// seen is a request that reached a scripted executor.
type seen struct {
	method, target, body string
	header               http.Header
	length               int64
}

// next reads a request. ok is false when the client has closed the connection.
func (p *peer) next() (s seen, ok bool) {
	req, err := http.ReadRequest(p.br)
	if err != nil {
		return seen{}, false
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return seen{}, false
	}
	return seen{req.Method, req.RequestURI, string(body), req.Header, req.ContentLength}, true
}

func (p *peer) say(text string) { _, _ = io.WriteString(p.Conn, text) }

// ok answers with a body, the way Java does.
func (p *peer) ok(body string, headers ...string) {
	p.say("HTTP/1.1 200 OK\r\ncontent-type: text/html;charset=UTF-8\r\nconnection: keep-alive\r\n" +
		strings.Join(append(headers, ""), "\r\n") + fmt.Sprintf("content-length: %d\r\n\r\n%s", len(body), body))
}

// reset ends the connection with a RST.
func (p *peer) reset() {
	if tcp, ok := p.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = p.Close()
}

// barrier is where a test and its executor meet.
type barrier chan struct{}

// meet waits for the other side, or for the end of the test.
func (b barrier) meet(ctx context.Context) {
	select {
	case b <- struct{}{}:
	case <-b:
	case <-ctx.Done():
	}
}

// script serves connections on ln, each by a goroutine of its own, until the
// end of the test.
func script(tb testing.TB, ln net.Listener, serve func(*peer)) {
	tb.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	wg.Go(func() {
		for n := 0; ; n++ {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			wg.Go(func() {
				defer conn.Close()
				serve(&peer{conn, bufio.NewReader(conn), n})
			})
		}
	})
	tb.Cleanup(func() {
		_ = ln.Close()
		mu.Lock()
		for _, conn := range conns {
			_ = conn.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
}

// executor starts a scripted executor on loopback and returns its address.
func executor(tb testing.TB, serve func(*peer)) string {
	tb.Helper()
	ln := listenLoopback(tb)
	script(tb, ln, serve)
	return "http://" + ln.Addr().String() + "/"
}

func listenLoopback(tb testing.TB) net.Listener {
	tb.Helper()
	ln, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	return ln
}

// answering returns a script that answers every request with f.
func answering(f func(p *peer, s seen)) func(*peer) {
	return func(p *peer) {
		for {
			s, ok := p.next()
			if !ok {
				return
			}
			f(p, s)
		}
	}
}

// recorder keeps what an executor saw.
type recorder struct {
	mu   sync.Mutex
	list []seen
}

func (r *recorder) add(s seen) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, s)
}

func (r *recorder) all() []seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]seen(nil), r.list...)
}

// targets returns the paths in order.
func (r *recorder) targets() []string {
	var list []string
	for _, s := range r.all() {
		list = append(list, s.target)
	}
	return list
}

// trigger sends one trigger and waits for its end.
func trigger(c *Client, t Target, id int64) Result {
	return sendAndWait(c, c.Prepare(t, testTrigger(id)))
}

func sendAndWait(c *Client, call *Call) Result {
	ended := make(chan Result, 1) // closed after the first: a second done would panic
	c.Send(call, func(r Result) { ended <- r; close(ended) })
	return <-ended
}

func testTrigger(id int64) *wire.TriggerRequest {
	return &wire.TriggerRequest{
		JobID: 2, ExecutorHandler: wire.Str("bbHandler"), ExecutorParams: wire.Str("given"),
		ExecutorBlockStrategy: wire.Str(wire.BlockSerial), LogID: id, LogDateTime: 1795261437810,
		GlueType: wire.Str(wire.GlueTypeBean), GlueSource: wire.Str(""), GlueUpdateTime: 1795261437000, BroadcastTotal: 1,
	}
}

// closedAddress is one at which nobody listens.
func closedAddress(tb testing.TB) string {
	tb.Helper()
	ln := listenLoopback(tb)
	require.NoError(tb, ln.Close())
	return "http://" + ln.Addr().String()
}
