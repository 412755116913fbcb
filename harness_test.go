package xxljob

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp/fasthttputil"
	"go.uber.org/goleak"

	"github.com/xxljob-go/xxljob/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testToken   = "t0ken-of-the-tests"
	testApp     = "conformance"
	testAddress = "http://10.1.2.3:9999/"
)

// bed is an executor under test with a stand-in admin, both on listeners in
// memory, so that everything runs on the fake time of a synctest bubble.
type bed struct {
	t     *testing.T
	e     *Executor
	ln    *fasthttputil.InmemoryListener
	admin *fakeAdmin
	http  *http.Client
	dir   string

	stop   context.CancelFunc
	result chan error
	nextID int64
}

// newBed makes an executor with handlers and starts it in the current bubble.
func newBed(t *testing.T, change func(*Config), register func(*Executor)) *bed {
	t.Helper()
	b := prepareBed(t, t.TempDir(), change)
	if register != nil {
		register(b.e)
	}
	b.start()
	return b
}

// prepareBed makes an executor that does not run yet.
func prepareBed(t *testing.T, dir string, change func(*Config)) *bed {
	t.Helper()
	b := &bed{t: t, ln: fasthttputil.NewInmemoryListener(), admin: newFakeAdmin(), dir: dir, result: make(chan error, 1), nextID: 1000}
	cfg := Config{
		AdminAddrs:  []string{"http://admin-1/xxl-job-admin"},
		AppName:     testApp,
		AccessToken: testToken,
		Address:     testAddress,
		Listener:    b.ln,
		LogPath:     dir,
		Logger:      slog.New(slog.DiscardHandler),
		dialAdmin:   b.admin.dial,
	}
	if change != nil {
		change(&cfg)
	}
	var err error
	b.e, err = NewExecutor(cfg)
	require.NoError(t, err)
	b.http = &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return b.ln.Dial() },
	}}
	return b
}

// start runs the executor; the test's end stops it.
func (b *bed) start() {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	b.stop = cancel
	go func() { b.result <- b.e.Run(ctx) }()
	synctest.Wait()
	for b.e.core.Load() == nil {
		select {
		case err := <-b.result:
			b.t.Fatalf("Run returned early: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	b.t.Cleanup(b.close)
}

// close stops the executor as the end of its context does, and the admin.
func (b *bed) close() {
	b.http.CloseIdleConnections()
	if b.stop != nil {
		b.stop()
		b.stop = nil
		if err := <-b.result; err != nil {
			b.t.Errorf("Run returned %v", err)
		}
	}
	b.admin.close()
	after(2 * idleWorker)
}

// reply is an answer of the executor.
type reply struct {
	Status  int
	Header  http.Header
	Body    string
	Code    int             `json:"code"`
	Msg     string          `json:"msg"`
	Content json.RawMessage `json:"content"`
	Data    json.RawMessage `json:"data"`
}

// post sends body with the right token and the legacy headers.
func (b *bed) post(path, body string) reply {
	b.t.Helper()
	return b.send(http.MethodPost, path, body, map[string]string{wire.HeaderToken: testToken})
}

// send sends a request.
func (b *bed) send(method, path, body string, header map[string]string) reply {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, "http://executor"+path, strings.NewReader(body))
	require.NoError(b.t, err)
	for name, value := range header {
		req.Header[name] = []string{value}
	}
	res, err := b.http.Do(req)
	require.NoError(b.t, err)
	defer res.Body.Close()
	return b.read(res)
}

func (b *bed) read(res *http.Response) reply {
	b.t.Helper()
	body, err := io.ReadAll(res.Body)
	require.NoError(b.t, err)
	r := reply{Status: res.StatusCode, Header: res.Header, Body: string(body)}
	if len(body) > 0 {
		require.NoError(b.t, json.Unmarshal(body, &r), "body %q", body)
	}
	return r
}

// raw writes a request as it stands and reads one answer.
func (b *bed) raw(request string) reply {
	b.t.Helper()
	conn, err := b.ln.Dial()
	require.NoError(b.t, err)
	defer conn.Close()
	go func() { _, _ = io.WriteString(conn, request) }()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(b.t, err)
	defer res.Body.Close()
	return b.read(res)
}

// trig is a trigger as tests write it down; zero values are filled in.
type trig struct {
	id      int
	logID   int64
	at      int64
	handler string
	param   string
	block   string
	timeout int
	glue    string
	source  string
	updated int64
	shard   [2]int
}

// body returns the trigger's JSON.
func (b *bed) body(j trig) string {
	if j.logID == 0 {
		b.nextID++
		j.logID = b.nextID
	}
	if j.at == 0 {
		j.at = time.Now().UnixMilli()
	}
	if j.glue == "" {
		j.glue = wire.GlueTypeBean
	}
	if j.shard[1] == 0 {
		j.shard = [2]int{0, 1}
	}
	req := wire.TriggerRequest{
		JobID: int32(j.id), ExecutorHandler: wire.Str(j.handler), ExecutorParams: wire.Str(j.param),
		ExecutorBlockStrategy: wire.Str(j.block), ExecutorTimeout: int32(j.timeout), LogID: j.logID, LogDateTime: j.at,
		GlueType: wire.Str(j.glue), GlueSource: wire.Str(j.source), GlueUpdateTime: j.updated,
		BroadcastIndex: int32(j.shard[0]), BroadcastTotal: int32(j.shard[1]),
	}
	return string(req.Append(nil))
}

// run triggers a job on /run.
func (b *bed) run(j trig) reply {
	b.t.Helper()
	return b.post(wire.PathRun, b.body(j))
}

// mustRun triggers a job and expects it to be taken.
func (b *bed) mustRun(j trig) {
	b.t.Helper()
	r := b.run(j)
	require.Equal(b.t, 200, r.Code, r.Body)
}

// readLog asks for a run's log from line from, at the present day.
func (b *bed) readLog(logID int64, from int) wire.LogResult {
	b.t.Helper()
	return b.readLogAt(logID, time.Now().UnixMilli(), from)
}

func (b *bed) readLogAt(logID, at int64, from int) wire.LogResult {
	b.t.Helper()
	r := b.post(wire.PathLog, fmt.Sprintf(`{"logId":%d,"logDateTim":%d,"fromLineNum":%d}`, logID, at, from))
	require.Equal(b.t, 200, r.Code, r.Body)
	require.Equal(b.t, string(r.Content), string(r.Data), "both payload keys hold the same")
	var l struct {
		FromLineNum, ToLineNum int32
		LogContent             string
		IsEnd                  bool `json:"isEnd"`
	}
	require.NoError(b.t, json.Unmarshal(r.Data, &l))
	return wire.LogResult(l)
}

// file returns the content of a run's log file of today, after the time in
// which it is written at the latest.
func (b *bed) file(logID int64) string {
	b.t.Helper()
	after(200 * time.Millisecond)
	content, err := os.ReadFile(filepath.Join(b.dir, time.Now().Format("2006-01-02"), fmt.Sprint(logID)+".log"))
	require.NoError(b.t, err)
	return string(content)
}

// after blocks for d of fake time, then until everything is at rest.
func after(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// fakeAdmin stands in for a cluster of admins, each known by its host name.
type fakeAdmin struct {
	nodes  map[string]*adminNode
	closed []func()
}

// adminNode is one admin: how it answers and what it was sent.
type adminNode struct {
	ln     *pipeListener
	mu     sync.Mutex
	down   bool
	answer func(call) (status int, body string) // nil: success
	policy string                               // for declared jobs; "": that of a Java admin
	calls  []call
	got    chan wire.CallbackItem
}

// call is a request that an admin got.
type call struct {
	at     time.Time
	path   string
	header http.Header
	body   string
}

// items returns the results that a callback carries.
func (c call) items() []wire.CallbackItem {
	items, err := wire.DecodeCallbacks([]byte(c.body))
	if err != nil {
		panic(err)
	}
	return items
}

func newFakeAdmin() *fakeAdmin {
	a := &fakeAdmin{nodes: map[string]*adminNode{}}
	for _, host := range []string{"admin-1", "admin-2"} {
		n := &adminNode{ln: &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}, got: make(chan wire.CallbackItem, 100_000)}
		srv := &http.Server{Handler: n}
		done := make(chan struct{})
		go func() { defer close(done); _ = srv.Serve(n.ln) }()
		a.nodes[host] = n
		a.closed = append(a.closed, func() { _ = srv.Close(); <-done })
	}
	return a
}

func (a *fakeAdmin) close() {
	for _, f := range a.closed {
		f()
	}
}

// node returns admin number i, from 1.
func (a *fakeAdmin) node(i int) *adminNode { return a.nodes[fmt.Sprintf("admin-%d", i)] }

func (a *fakeAdmin) dial(_ context.Context, _, addr string) (net.Conn, error) {
	host, _, _ := strings.Cut(addr, ":")
	n := a.nodes[host]
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down {
		return nil, fmt.Errorf("dial %s: connection refused", addr)
	}
	return n.ln.Dial()
}

// set changes how the node answers.
func (n *adminNode) set(down bool, answer func(call) (int, string)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down, n.answer = down, answer
}

// of returns the calls of one path.
func (n *adminNode) of(path string) []call {
	n.mu.Lock()
	defer n.mu.Unlock()
	var calls []call
	for _, c := range n.calls {
		if strings.HasSuffix(c.path, path) {
			calls = append(calls, c)
		}
	}
	return calls
}

// next waits for the next result that the node accepted.
func (n *adminNode) next(t *testing.T) wire.CallbackItem {
	t.Helper()
	select {
	case item := <-n.got:
		return item
	case <-time.After(10 * time.Minute):
		t.Fatal("no result arrived")
		return wire.CallbackItem{}
	}
}

const adminSuccess = `{"code":200,"msg":null,"content":null}`

func (n *adminNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	_, _ = body.ReadFrom(r.Body)
	c := call{at: time.Now(), path: r.URL.Path, header: r.Header, body: body.String()}
	n.mu.Lock()
	if !n.down {
		n.calls = append(n.calls, c)
	}
	answer, down, policy := n.answer, n.down, n.policy
	n.mu.Unlock()
	if down { // a pooled connection: it breaks
		panic(http.ErrAbortHandler)
	}
	status, text := 200, adminSuccess
	if answer != nil {
		status, text = answer(c)
	}
	if status == 0 { // hang until the caller gives up
		<-r.Context().Done()
		return
	}
	if success, err := wire.DecodeResponse([]byte(text)); err == nil && success.Code == 200 && status == 200 &&
		strings.HasSuffix(c.path, wire.PathCallback) {
		for _, item := range c.items() {
			n.got <- item
		}
	}
	if policy != "" && strings.HasSuffix(c.path, wire.PathRegistry) && strings.HasPrefix(r.UserAgent(), wire.Native) {
		w.Header().Set(wire.HeaderDeclare, policy)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// pipeListener is a listener in memory whose connections know deadlines.
type pipeListener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *pipeListener) Dial() (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
