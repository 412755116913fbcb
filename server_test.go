package xxljob

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// mountedExecutor runs an executor without a port, for requests made straight
// to its dispatch core. Its admin takes everything.
func mountedExecutor(tb testing.TB, hooks Hooks) *Executor {
	tb.Helper()
	admin := newFakeAdmin()
	e, err := NewExecutor(Config{
		AdminAddrs: []string{"http://admin-1"}, AppName: testApp, AccessToken: testToken, LogPath: tb.TempDir(),
		Address: testAddress, Logger: slog.New(slog.DiscardHandler), dialAdmin: admin.dial, ShutdownTimeout: 10 * time.Second,
		Hooks: hooks,
	})
	require.NoError(tb, err)
	registerTestHandlers(e)
	require.NoError(tb, e.Register("bench", func(context.Context, *Run) error { return nil }))
	e.HTTPHandler()
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	result := make(chan error, 1)
	go func() { result <- e.Run(ctx) }()
	for e.core.Load() == nil {
		runtime.Gosched()
	}
	tb.Cleanup(func() {
		cancel()
		require.NoError(tb, <-result)
		admin.close()
	})
	return e
}

func newRequest(target, token, appName string, body []byte) *request {
	return &request{
		method: []byte(http.MethodPost), target: []byte(target), token: []byte(token), appName: []byte(appName), body: body,
	}
}

// Whatever is sent, the answer is JSON with a code, and nothing breaks.
func FuzzServe(f *testing.F) {
	e := mountedExecutor(f, Hooks{})
	for _, target := range []string{wire.PathBeat, wire.PathIdleBeat, wire.PathRun, wire.PathTrigger, wire.PathKill, wire.PathLog, "/x?y"} {
		f.Add(target, testToken, "", []byte(`{"jobId":1,"logId":2,"glueType":"BEAN","executorHandler":"bench","fromLineNum":1}`))
		f.Add(target, testToken, testApp, []byte(`{"jobId":"1","executorTimeout":1e3,"glueType":"GLUE_SHELL"}`))
		f.Add(target, "", testApp, []byte(`not json`))
	}
	f.Fuzz(func(t *testing.T, target, token, appName string, body []byte) {
		answer := e.answer(newRequest(target, token, appName, body))
		var r struct {
			Code *int   `json:"code"`
			Msg  string `json:"msg"`
		}
		require.NoError(t, json.Unmarshal(answer, &r), "%q", answer)
		require.NotNil(t, r.Code)
		if token != testToken && *r.Code == 200 {
			t.Fatalf("%s without the token was answered %s", target, answer)
		}
	})
}

// BenchmarkTrigger measures a trigger from its body to its result in the
// journal and the end of its log, without HTTP; 1,000 are under way at a time.
func BenchmarkTrigger(b *testing.B) {
	underWay := make(chan struct{}, 1000)
	e := mountedExecutor(b, Hooks{RunFinished: func(*Run, RunResult) { <-underWay }})
	var last atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var body []byte
		for pb.Next() {
			id := last.Add(1)
			trigger := wire.TriggerRequest{
				JobID: int32(id % 100), ExecutorHandler: wire.Str("bench"), LogID: id, LogDateTime: 1586629003729,
				GlueType: wire.Str(wire.GlueTypeBean), BroadcastTotal: 1,
			}
			body = trigger.Append(body[:0])
			underWay <- struct{}{}
			answer := e.answer(newRequest(wire.PathRun, testToken, "", body))
			if !bytes.Equal(answer, successBody) {
				b.Fatalf("refused: %s", answer)
			}
		}
	})
}

// Calls to admins use no proxy unless one is configured, whatever the
// environment says.
func TestNoProxyByDefault(t *testing.T) {
	t.Parallel()
	cfg := Config{AdminAddrs: []string{"http://a"}}
	transport := newAdminClients(&cfg)[0].http.Transport.(*http.Transport)
	assert.Nil(t, transport.Proxy)
	cfg.AdminProxy = http.ProxyFromEnvironment
	transport = newAdminClients(&cfg)[0].http.Transport.(*http.Transport)
	assert.NotNil(t, transport.Proxy)
}

// Start warns of a log path that does not outlive the machine or container.
func TestTemporaryFileSystemIsNamed(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // no other system tells
	}
	dir, err := os.MkdirTemp("/dev/shm", "xxljob-test-") //nolint:usetesting // it must be a tmpfs
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	var log strings.Builder
	warnTemporary(dir, testLogger(&log))
	assert.Contains(t, log.String(), "filesystem=tmpfs")
	warnTemporary(dir+"/\x00", slog.New(slog.DiscardHandler)) // nothing to say
}

// A client that sends all of too large a body before it reads gets its 413,
// not a reset connection.
func TestTooLargeBodyIsAnswered(t *testing.T) {
	t.Parallel()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	e, err := NewExecutor(Config{
		AdminAddrs: []string{"http://127.0.0.1:1"}, AppName: testApp, AccessToken: testToken, LogPath: t.TempDir(),
		Listener: ln, Logger: slog.New(slog.DiscardHandler), ShutdownTimeout: time.Second,
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- e.Run(ctx) }()
	for _, head := range []string{"Content-Length: 8000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n7A1200\r\n"} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", ln.Addr().String())
		require.NoError(t, err)
		_, err = io.WriteString(conn, "POST /run HTTP/1.1\r\nHost: e\r\n"+head)
		require.NoError(t, err)
		_, err = conn.Write(make([]byte, 8_000_000))
		require.NoError(t, err, head)
		answer, err := io.ReadAll(conn)
		require.NoError(t, err, head)
		assert.True(t, bytes.HasPrefix(answer, []byte("HTTP/1.1 413 ")), "%q", answer)
		require.NoError(t, conn.Close())
	}
	cancel()
	require.NoError(t, <-result)
}

// A connection on which nothing was asked is closed without a byte: an answer
// would be taken for that of the next request.
func TestSilentConnectionGetsNoAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, nil)
		for _, begin := range []string{"", "POST /be"} {
			conn, err := b.ln.Dial()
			require.NoError(t, err)
			_, err = io.WriteString(conn, begin)
			require.NoError(t, err)
			got, err := io.ReadAll(conn)
			require.NoError(t, err)
			assert.Empty(t, string(got), "after %q", begin)
			require.NoError(t, conn.Close())
		}
	})
}

// Only our own admin learns whose executor it is: to any other it looks like a
// Java one, on the executor's own port and mounted.
func TestNativeMarkIsForOurAdmin(t *testing.T) {
	t.Parallel()
	serve := func(*request) []byte { return successBody }
	for _, tt := range []struct{ agent, want string }{
		{agent: wire.Native, want: wire.Native},
		{agent: wire.Native + "/1.2", want: wire.Native},
		{agent: "Java/17.0.15"},
		{agent: ""},
	} {
		t.Run(tt.agent, func(t *testing.T) {
			t.Parallel()
			rec := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, wire.PathBeat, strings.NewReader(`""`))
			r.Header.Set("User-Agent", tt.agent)
			httpHandler(&Config{}, serve).ServeHTTP(rec, r)
			assert.Equal(t, tt.want, rec.Header().Get(wire.HeaderExecutor))

			var ctx fasthttp.RequestCtx
			ctx.Request.Header.SetUserAgent(tt.agent)
			fastHandler(serve)(&ctx)
			assert.Equal(t, tt.want, string(ctx.Response.Header.Peek(wire.HeaderExecutor)))
		})
	}
}
