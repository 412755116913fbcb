package main

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/admin"
)

// lineSeen is a log that says when a line has come.
type lineSeen struct {
	line string
	seen chan struct{}
	once sync.Once

	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lineSeen) Write(p []byte) (int, error) {
	l.mu.Lock()
	l.text.Write(p)
	l.mu.Unlock()
	if bytes.Contains(p, []byte(l.line)) {
		l.once.Do(func() { close(l.seen) })
	}
	return len(p), nil
}

// String is what was logged.
func (l *lineSeen) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// codeWorld is a real admin that takes jobs from code.
type codeWorld struct {
	*testing.T
	base   string
	client *consoleClient
	group  int
	logs   string // folder of its executors
	java   xxljob.JavaJobs
}

func newCodeWorld(t *testing.T) *codeWorld {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	a, err := admin.New(admin.Config{
		DB: "sqlite:" + filepath.Join(t.TempDir(), databaseFile), AccessToken: "token-of-test",
		AdminPassword: "sesame-open", JobsFromCode: admin.JobsUpdate, Logger: log,
	})
	require.NoError(t, err)
	s := &server{admin: a, log: log, listen: "127.0.0.1:0"}
	require.NoError(t, s.open(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
	})
	<-a.Ready()
	w := &codeWorld{T: t, base: "http://" + s.addr(), logs: t.TempDir()}
	w.client, err = login(t.Context(), w.base, "admin", "sesame-open")
	require.NoError(t, err)
	_, err = w.client.call(t.Context(), "/jobgroup/save", url.Values{
		"appname": {"billing"}, "title": {"Billing"}, "addressType": {"0"},
	})
	require.NoError(t, err)
	w.group, _, err = w.client.group(t.Context(), "billing")
	require.NoError(t, err)
	return w
}

// jobRow is a job as the console lists it.
type jobRow struct {
	ID       int    `json:"id"`
	Name     string `json:"jobDesc"`
	Conf     string `json:"scheduleConf"`
	Param    string `json:"executorParam"`
	Children string `json:"childJobId"`
	Status   int    `json:"triggerStatus"`
}

func (w *codeWorld) jobs() map[string]jobRow {
	w.Helper()
	rows, err := page[jobRow](w.Context(), w.client, "/jobinfo/pageList", url.Values{
		"jobGroup": {strconv.Itoa(w.group)}, "triggerStatus": {"-1"}, "jobDesc": {""}, "executorHandler": {""},
		"author": {""}, "start": {"0"}, "length": {"10"},
	})
	require.NoError(w, err)
	byName := map[string]jobRow{}
	for _, row := range rows {
		byName[row.Name] = row
	}
	return byName
}

// declare runs an executor until its jobs were declared; runs says that it waits
// for one of them to run, too.
func (w *codeWorld) declare(params string, runs bool) xxljob.JobStats {
	w.Helper()
	ln, err := (&net.ListenConfig{}).Listen(w.Context(), "tcp", "127.0.0.1:0")
	require.NoError(w, err)
	logs := &lineSeen{line: "jobs declared", seen: make(chan struct{})}
	e, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{w.base}, AppName: "billing", AccessToken: "token-of-test", Listener: ln,
		Address: "http://" + ln.Addr().String() + "/", LogPath: w.logs, Logger: slog.New(slog.NewTextHandler(logs, nil)),
		JavaJobs: w.java, AdminTimeout: 10 * time.Second, // an answer that is lost leaves a job of the job API alone
	})
	require.NoError(w, err)
	ran := make(chan string, 1000)
	require.NoError(w, e.Register("tick", func(_ context.Context, run *xxljob.Run) error {
		ran <- run.Param()
		return nil
	}, xxljob.Job{Every: time.Second, Params: params, Start: true, Children: []string{"then"}}))
	require.NoError(w, e.Register("mail", func(context.Context, *xxljob.Run) error { return nil },
		xxljob.Job{Name: "then", Cron: "0 0 2 * * ?", TimeZone: "Asia/Taipei"}))
	ctx, stop := context.WithCancel(context.WithoutCancel(w.Context()))
	over := make(chan error, 1)
	go func() { over <- e.Run(ctx) }()
	limit := time.After(2 * startLimit)
	select {
	case <-logs.seen:
	case <-limit:
		w.Fatalf("no jobs were declared; the executor says:\n%s", logs)
	}
	if runs {
		select {
		case got := <-ran:
			assert.Equal(w, params, got)
		case <-limit:
			w.Fatalf("nothing runs; the executor says:\n%s", logs)
		}
	}
	stats := e.Stats().FromCode
	stop()
	require.NoError(w, <-over)
	return stats
}

// TestJobsFromCode: a real executor declares its jobs to a real admin, which
// makes them and runs them; a second start changes nothing but what only the
// code has changed.
func TestJobsFromCode(t *testing.T) {
	t.Parallel()
	w := newCodeWorld(t)
	first := w.declare("one", true)
	assert.Equal(t, 2, first.Created)
	made := w.jobs()
	require.Len(t, made, 2)
	tick, then := made["tick"], made["then"]
	assert.Equal(t, 1, tick.Status)
	assert.Equal(t, 0, then.Status)
	assert.Equal(t, strconv.Itoa(then.ID), tick.Children)

	_, err := w.client.call(t.Context(), "/jobinfo/update", url.Values{
		"id": {strconv.Itoa(then.ID)}, "jobGroup": {strconv.Itoa(w.group)}, "jobDesc": {"then"}, "author": {"me"},
		"scheduleType": {"CRON"}, "scheduleConf": {"0 0 3 * * ?"}, "misfireStrategy": {"DO_NOTHING"},
		"executorRouteStrategy": {"FIRST"}, "executorHandler": {"mail"}, "executorBlockStrategy": {"SERIAL_EXECUTION"},
	})
	require.NoError(t, err)
	second := w.declare("two", false)
	assert.Equal(t, []int{0, 1, 1}, []int{second.Created, second.Updated, second.Kept})
	made = w.jobs()
	require.Len(t, made, 2)
	assert.Equal(t, "two", made["tick"].Param)
	assert.Equal(t, "0 0 3 * * ?", made["then"].Conf, "a person's edit stays")
}

// TestJobsThroughTheJobAPI: behind a proxy that takes our header away the admin is
// what an executor sees of Java's master: jobs are added by addJob and startJob,
// once, and run.
func TestJobsThroughTheJobAPI(t *testing.T) {
	t.Parallel()
	w := newCodeWorld(t)
	target, err := url.Parse(w.base)
	require.NoError(t, err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(r *http.Response) error {
			r.Header.Del("XXL-JOB-DECLARE")
			return nil
		},
	})
	defer proxy.Close()
	w.base, w.java = proxy.URL, xxljob.JavaJobs{Group: w.group, Update: true}
	first := w.declare("one", true)
	assert.Equal(t, []int{1, 1}, []int{first.Created, first.Refused}, "the other one has a zone")
	made := w.jobs()
	require.Len(t, made, 1)
	assert.Equal(t, 1, made["tick"].Status)

	again := w.declare("one", false)
	assert.Equal(t, 1, again.Unchanged)
	changed := w.declare("two", false)
	assert.Equal(t, 1, changed.Updated)
	made = w.jobs()
	require.Len(t, made, 1, "nothing was added twice")
	assert.Equal(t, "two", made["tick"].Param)
}
