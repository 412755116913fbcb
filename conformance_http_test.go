package xxljob

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// The conformance cases of wire.md section 9, by their numbers. A case that is
// deliberately different says so, with the reason.

// Headers of a request: with the right token, without, as master sends it.
var (
	legacyHeader = map[string]string{wire.HeaderToken: testToken}
	masterHeader = map[string]string{wire.HeaderToken: testToken, wire.HeaderAppName: testApp}
)

// TestConformanceHTTP holds cases 1 to 17 and 19.
func TestConformanceHTTP(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string // begins with the case's number
		method string // default POST
		path   string
		body   string
		header map[string]string // default legacyHeader
		code   int
		msg    string
		prefix bool // msg is only the beginning
	}{
		{name: "2 beat with the body of two quotes", path: "/beat", body: `""`, code: 200, msg: "Success"},
		{name: "3 wrong method", method: "GET", path: "/beat", code: 500, msg: wire.TextMethod},
		{name: "5 wrong method goes before wrong token", method: "GET", path: "/beat", header: map[string]string{}, code: 500, msg: wire.TextMethod},
		{name: "6 unknown path", path: "/nope", code: 500, msg: "invalid request, uri-mapping(/nope) not found."},
		{name: "7 query string", path: "/beat?x=1", code: 500, msg: "invalid request, uri-mapping(/beat?x=1) not found."},
		{name: "7 trailing slash", path: "/beat/", code: 500, msg: "invalid request, uri-mapping(/beat/) not found."},
		{name: "8 no token, legacy", path: "/beat", header: map[string]string{}, code: 500, msg: wire.TextTokenWrong},
		{name: "8 no token, master", path: "/beat", header: map[string]string{wire.HeaderAppName: testApp}, code: 500, msg: wire.TextTokenEmpty},
		{name: "8 no appname, master", path: "/trigger", body: "{}", code: 500, msg: wire.TextTokenEmpty},
		{name: "9 wrong token, legacy", path: "/beat", header: map[string]string{wire.HeaderToken: strings.ToUpper(testToken)}, code: 500, msg: wire.TextTokenWrong},
		{
			name: "9 wrong token, master", path: "/beat", code: 500, msg: wire.TextTokenInvalid,
			header: map[string]string{wire.HeaderToken: "x", wire.HeaderAppName: testApp},
		},
		{name: "11 wrong token and unknown path", path: "/nope", header: map[string]string{wire.HeaderToken: "x"}, code: 500, msg: wire.TextTokenWrong},
		{name: "12 header name in lower case", path: "/beat", header: map[string]string{"xxl-job-access-token": testToken}, code: 200, msg: "Success"},
		{
			name: "13 wrong appname, master", path: "/beat", code: 500, msg: wire.TextTokenInvalid,
			header: map[string]string{wire.HeaderToken: testToken, wire.HeaderAppName: "other"},
		},
		{name: "13 right appname, master", path: "/beat", header: masterHeader, code: 200, msg: "Success"},
		{name: "14 idleBeat without body", path: "/idleBeat", code: 500, msg: "request error:java.lang.NullPointerException", prefix: true},
		{name: "15 idleBeat with no JSON", path: "/idleBeat", body: "not json", code: 500, msg: "request error:com.google.gson.JsonSyntaxException", prefix: true},
		{name: "16 idleBeat with the id as string", path: "/idleBeat", body: `{"jobId":"7"}`, code: 200, msg: "Success"},
		{name: "17 idleBeat of job 0", path: "/idleBeat", body: `{}`, code: 200, msg: "Success"},
		// Case 50 is different on purpose: one instance serves all generations
		// at once, so /run is known to a client with master's headers too.
		{name: "50 run with master's headers", path: "/run", body: `{"glueType":"FOO"}`, header: masterHeader, code: 500, msg: "glueType[FOO] is not valid."},
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, nil)
		for _, tt := range tests {
			header, method := tt.header, tt.method
			if header == nil {
				header = legacyHeader
			}
			if method == "" {
				method = http.MethodPost
			}
			r := b.send(method, tt.path, tt.body, header)
			assert.Equal(t, 200, r.Status, tt.name)
			assert.Equal(t, tt.code, r.Code, tt.name)
			if tt.prefix {
				assert.True(t, strings.HasPrefix(r.Msg, tt.msg), "%s: %s", tt.name, r.Msg)
			} else {
				assert.Equal(t, tt.msg, r.Msg, tt.name)
			}
		}
	})
}

// Case 10: without a token of its own the executor asks for none.
func TestConformanceCase10NoToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, func(cfg *Config) { cfg.AccessToken, cfg.AllowInsecureToken = "", true }, nil)
		assert.Equal(t, 200, b.send(http.MethodPost, "/beat", "", map[string]string{}).Code)
		assert.Equal(t, 200, b.send(http.MethodPost, "/beat", "", map[string]string{wire.HeaderToken: "any"}).Code)
	})
}

// TestConformanceRawHTTP holds the cases that an HTTP client cannot send: 1,
// 4, 20 to 22, and the other rows of wire.md 1.1.
func TestConformanceRawHTTP(t *testing.T) {
	t.Parallel()
	head := " HTTP/1.1\r\nHost: e\r\n" + wire.HeaderToken + ": " + testToken + "\r\n"
	success := string(successBody)
	wrongMethod := `{"code":500,"msg":"` + wire.TextMethod + `"}`
	tests := []struct {
		name    string
		request string
		status  int
		body    string
	}{
		{name: "1 beat without body and length", request: "POST /beat" + head + "\r\n", status: 200, body: success},
		{name: "4 method in lower case", request: "post /beat" + head + "\r\n", status: 200, body: wrongMethod},
		{name: "20 body too large", request: "POST /run" + head + "Content-Length: 5242881\r\n\r\n", status: 413},
		{
			name:   "chunked body",
			status: 200, body: success,
			request: "POST /idleBeat" + head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"job\r\n7\r\nId\":77}\r\n0\r\n\r\n",
		},
		{
			name: "wrong token, small body", status: 200, body: `{"code":500,"msg":"The access token is wrong."}`,
			request: "POST /run HTTP/1.1\r\nHost: e\r\nContent-Length: 20000\r\n\r\n" + strings.Repeat(" ", 20000),
		},
		// Different on purpose: Java reads 5 MiB from anybody.
		{name: "wrong token, large body", status: 413, request: "POST /run HTTP/1.1\r\nHost: e\r\nContent-Length: 40000\r\n\r\n"},
		{name: "HTTP/1.0", request: strings.Replace("POST /beat"+head+"\r\n", "1.1", "1.0", 1), status: 200, body: success},
		{name: "Connection: close", request: "POST /beat" + head + "Connection: close\r\n\r\n", status: 200, body: success},
		{name: "header of 12 KiB", request: "POST /beat" + head + "X-Big: " + strings.Repeat("x", 12<<10) + "\r\n\r\n", status: 200, body: success},
		{name: "garbage", request: "\x16\x03\x01 nothing\r\n\r\n", status: 200, body: wrongMethod},
		{
			name: "absolute form of the target", request: "POST http://h/beat" + head + "\r\n", status: 200,
			body: `{"code":500,"msg":"invalid request, uri-mapping(http://h/beat) not found."}`,
		},
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, nil)
		for _, tt := range tests {
			r := b.raw(tt.request)
			assert.Equal(t, tt.status, r.Status, tt.name)
			assert.Equal(t, tt.body, r.Body, tt.name)
		}
	})
}

// Expect: 100-continue is answered before the body is sent.
func TestExpectContinue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, nil)
		conn, err := b.ln.Dial()
		require.NoError(t, err)
		defer conn.Close()
		_, err = conn.Write([]byte("POST /idleBeat HTTP/1.1\r\nHost: e\r\n" + wire.HeaderToken + ": " + testToken +
			"\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n"))
		require.NoError(t, err)
		buf := make([]byte, 256)
		n, err := conn.Read(buf)
		require.NoError(t, err)
		require.Contains(t, string(buf[:n]), "100 Continue")
		_, err = conn.Write([]byte(`{"jobId":1}`))
		require.NoError(t, err)
		n, err = conn.Read(buf)
		require.NoError(t, err)
		assert.Contains(t, string(buf[:n]), `{"code":200,"msg":"Success"}`)
	})
}

// Cases 21 and 22: two requests on one connection, with Java's headers, and
// its end after 90 s without traffic.
func TestConformanceCase21And22KeepAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, nil)
		conn, err := b.ln.Dial()
		require.NoError(t, err)
		defer conn.Close()
		buf := make([]byte, 1024)
		for range 2 {
			_, err = conn.Write([]byte("POST /beat HTTP/1.1\r\nHost: e\r\n" + wire.HeaderToken + ": " + testToken + "\r\n\r\n"))
			require.NoError(t, err)
			n, err := conn.Read(buf)
			require.NoError(t, err)
			answer := string(buf[:n])
			assert.Contains(t, answer, "200 OK")
			assert.Contains(t, answer, "Connection: keep-alive\r\n")
			assert.Contains(t, answer, "Content-Type: text/html;charset=UTF-8\r\n")
			assert.Contains(t, answer, "Content-Length: 28\r\n")
			assert.NotContains(t, answer, "Date:")
			assert.NotContains(t, answer, "Server:")
		}
		start := time.Now()
		_, err = conn.Read(buf)
		require.Error(t, err, "the server closes the idle connection")
		assert.InDelta(t, 90, time.Since(start).Seconds(), 1)
	})
}

// Cases 18 and 19: idleBeat of a job that runs, and of one whose thread is idle.
func TestConformanceCase18And19IdleBeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.mustRun(trig{id: 7, handler: "sleep", param: "1000"})
		synctest.Wait()
		r := b.post("/idleBeat", `{"jobId":7}`)
		assert.Equal(t, 500, r.Code)
		assert.Equal(t, wire.TextBusy, r.Msg)
		b.admin.node(1).next(t)
		synctest.Wait()
		assert.Equal(t, 200, b.post("/idleBeat", `{"jobId":7}`).Code)
	})
}
