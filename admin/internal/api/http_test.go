package api

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// conn is a connection to a real server, as raw as a client can have it.
type conn struct {
	net.Conn
	r *bufio.Reader
}

func dial(t *testing.T, h http.Handler) *conn {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(20*time.Second)))
	return &conn{Conn: c, r: bufio.NewReader(c)}
}

func (c *conn) send(t *testing.T, text string) {
	t.Helper()
	_, err := io.WriteString(c, strings.ReplaceAll(text, "\n", "\r\n"))
	require.NoError(t, err)
}

func (c *conn) answer(t *testing.T) (status int, answer wire.Response) {
	t.Helper()
	res, err := http.ReadResponse(c.r, &http.Request{Method: http.MethodPost})
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	decoded, err := wire.DecodeResponse(body)
	require.NoError(t, err, string(body))
	return res.StatusCode, decoded
}

const head = "POST /api/callback HTTP/1.1\nHost: admin\nXXL-JOB-ACCESS-TOKEN: " + common + "\n"

// TestKeepAlive: several calls on one connection, with a length, chunked, with
// Expect: 100-continue, and refused ones between them.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := dial(t, w.serve(t))
	item := `[{"logId":1,"handleCode":200}]`
	for range 3 {
		c.send(t, head+fmt.Sprintf("Content-Length: %d\n\n%s", len(item), item))
		_, res := c.answer(t)
		assert.Equal(t, success, res)

		c.send(t, head+"Transfer-Encoding: chunked\n\n5\n"+item[:5]+"\n"+fmt.Sprintf("%x\n", len(item)-5)+item[5:]+"\n0\n\n")
		_, res = c.answer(t)
		assert.Equal(t, success, res)

		c.send(t, head+fmt.Sprintf("Expect: 100-continue\nContent-Length: %d\n\n", len(item)))
		line, err := c.r.ReadString('\n')
		require.NoError(t, err)
		assert.Equal(t, "HTTP/1.1 100 Continue\r\n", line)
		_, err = c.r.ReadString('\n')
		require.NoError(t, err)
		c.send(t, item)
		_, res = c.answer(t)
		assert.Equal(t, success, res)

		c.send(t, strings.Replace(head, common, "wrong", 1)+fmt.Sprintf("Content-Length: %d\n\n%s", len(item), item))
		_, res = c.answer(t)
		assert.Equal(t, refusal(wire.TextTokenWrong), res)
	}
	assert.Len(t, w.results(), 9)
	assert.Equal(t, 9, w.calls, "one call a post")
}

// TestTooLarge: what is announced too large is refused before a byte of it is
// read; what grows too large, when it does.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		path  string
		token string
		limit int
	}{
		{"stranger", "/api/callback", "x", maxStranger},
		{"registry", "/api/registry", common, wire.MaxBody},
		{"callback", "/api/callback", common, wire.MaxCallbackBody},
	}
	for _, tt := range tests {
		start := "POST " + tt.path + " HTTP/1.1\nHost: admin\nXXL-JOB-ACCESS-TOKEN: " + tt.token + "\n"
		want := refusal(tooLargeText(int64(tt.limit), tt.token != common))
		t.Run(tt.name+", announced", func(t *testing.T) {
			t.Parallel()
			c := dial(t, newWorld().serve(t))
			c.send(t, start+fmt.Sprintf("Content-Length: %d\nExpect: 100-continue\n\n", tt.limit+1))
			status, answer := c.answer(t)
			assert.Equal(t, http.StatusRequestEntityTooLarge, status)
			assert.Equal(t, want, answer)
		})
		t.Run(tt.name+", grown", func(t *testing.T) {
			t.Parallel()
			c := dial(t, newWorld().serve(t))
			c.send(t, start+"Transfer-Encoding: chunked\n\n")
			var writer sync.WaitGroup
			defer writer.Wait()
			writer.Go(func() {
				chunk := append([]byte("10000\r\n"), bytes.Repeat([]byte(" "), 1<<16)...)
				chunk = append(chunk, '\r', '\n')
				for range tt.limit/(1<<16) + 1 {
					if _, err := c.Write(chunk); err != nil {
						return // the server has heard enough
					}
				}
				_, _ = io.WriteString(c, "0\r\n\r\n")
			})
			status, answer := c.answer(t)
			assert.Equal(t, http.StatusRequestEntityTooLarge, status)
			assert.Equal(t, want, answer)
		})
	}
}

// TestLargeCallback: what an old executor posts after a day without an admin is
// taken as a whole, in parts that the completion takes.
func TestLargeCallback(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.logs = nil
	const n = 100_000
	body := append(make([]byte, 0, 6<<20), '[')
	for i := range n {
		body = fmt.Appendf(body, `{"logId":%d,"logDateTim":1586629003729,"handleCode":200},`, i+1)
	}
	body[len(body)-1] = ']'
	require.Greater(t, len(body), wire.MaxBody)
	res := send(t, w.serve(t), http.MethodPost, "/api/callback", bytes.NewReader(body))
	assert.Equal(t, success, res)
	assert.Equal(t, n, len(w.outs))
	assert.Equal(t, n/resultsAtOnce, w.calls)
	assert.Equal(t, []Observation{{Call: "callback", Items: n, Code: 200, Took: w.seen[0].Took}}, w.seen)
}

// TestNotStored: results that are not durable are not acknowledged.
func TestNotStored(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.err = fmt.Errorf("dsn user:password@host: %w", io.ErrUnexpectedEOF)
	res := post(t, w.serve(t), "/api/callback", `[{"logId":1,"handleCode":200}]`)
	assert.Equal(t, refusal("openapi invoke error: the results could not be stored, send them again"), res)
}

// TestCutOff: a client that dies within its body stores nothing.
func TestCutOff(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := dial(t, w.serve(t))
	c.send(t, head+"Content-Length: 100\n\n"+`[{"logId":1,"handleCode":200}`)
	require.NoError(t, c.Conn.(*net.TCPConn).CloseWrite())
	_, res := c.answer(t)
	assert.Equal(t, refusal("openapi invoke error: the request body was cut off"), res)
	assert.Zero(t, w.calls)
}
