package xxljobtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/xxljob-go/xxljob"
)

// DefaultToken is the access token of an Admin unless its options name one.
const DefaultToken = "token-of-xxljobtest"

const (
	defaultAppName     = "xxljobtest"
	defaultContextPath = "/xxl-job-admin"
)

// ErrClosed is returned by calls that wait when the Admin is closed.
var ErrClosed = errors.New("xxljobtest: the stand-in admin is closed")

// Options describes an Admin. The zero value of each field selects the default
// named in its comment.
type Options struct {
	// Dialect is the generation of the protocol. Default Dialect3.
	Dialect Dialect
	// Token is the access token, which executors must send and are sent.
	// Default DefaultToken.
	Token string
	// Addr is the address to listen on. Default "127.0.0.1:0", a free port.
	Addr string
	// ContextPath is the path before "/api". Default "/xxl-job-admin"; "/" for
	// none.
	ContextPath string
	// FirstLogID is the id of the first trigger. Default 1. Give another one
	// where an earlier Admin has triggered the same executor.
	FirstLogID int64
	// OnBeat is called for every registration and every end of one. It is
	// called in the order of arrival while the executor waits for the answer,
	// and must not call the Admin. Default none.
	OnBeat func(Beat)
	// OnReport is the same for every result.
	OnReport func(Report)
}

// Admin stands in for an xxl-job admin on a loopback port. StartAdmin and
// NewAdmin make one. All methods are safe for concurrent use.
type Admin struct {
	opts    Options
	base    string // path of every call, without a slash at the end
	ln      net.Listener
	server  *http.Server
	client  *http.Client
	serving sync.WaitGroup
	closed  chan struct{}
	dir     string // holds the files of its executors; removed by Close

	calling sync.Mutex // keeps OnBeat and OnReport in order; taken before mu

	mu        sync.Mutex
	changed   chan struct{} // closed and made anew when anything below changes
	isClosed  bool
	calls     int
	fault     fault
	refuseIf  func(logID int64) bool
	nextLogID int64
	dirs      int            // folders given to executors
	listeners []net.Listener // given to executors
	executors []Registration // in the order of their first registration
	beats     []Beat
	reports   []Report
	runs      map[int64]*sentRun
}

// sentRun is what the Admin knows of a run.
type sentRun struct {
	address string
	at      time.Time
	first   *Report // the first result, nil before
}

// StartAdmin starts a stand-in admin. Close ends it.
func StartAdmin(opts Options) (*Admin, error) {
	opts.Token = cmp.Or(opts.Token, DefaultToken)
	opts.Addr = cmp.Or(opts.Addr, "127.0.0.1:0")
	opts.ContextPath = cmp.Or(opts.ContextPath, defaultContextPath)
	opts.FirstLogID = cmp.Or(opts.FirstLogID, 1)
	ln, err := net.Listen("tcp", opts.Addr) //nolint:noctx // listening does not block
	if err != nil {
		return nil, fmt.Errorf("xxljobtest: start the stand-in admin: %w", err)
	}
	dir, err := os.MkdirTemp("", "xxljobtest-")
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	a := &Admin{
		opts: opts, base: strings.TrimRight(opts.ContextPath, "/"), ln: ln, dir: dir,
		client:    newClient(),
		closed:    make(chan struct{}),
		changed:   make(chan struct{}),
		nextLogID: opts.FirstLogID,
		runs:      make(map[int64]*sentRun),
	}
	a.server = &http.Server{
		Handler:           http.HandlerFunc(a.serve),
		ReadHeaderTimeout: callTimeout,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
	}
	a.serving.Go(func() { _ = a.server.Serve(ln) }) // ends with ErrServerClosed
	return a, nil
}

// NewAdmin starts a stand-in admin for a test, which closes it at its end.
func NewAdmin(t testing.TB, opts Options) *Admin {
	t.Helper()
	a, err := StartAdmin(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// Close ends the Admin and every call to it, waits for them, and removes the
// files of its executors, which are to be stopped before. Calls that wait
// return ErrClosed. Only the first Close does anything.
func (a *Admin) Close() error {
	a.mu.Lock()
	if a.isClosed {
		a.mu.Unlock()
		return nil
	}
	a.isClosed = true
	close(a.closed)
	listeners := a.listeners
	a.mu.Unlock()
	err := a.server.Close()
	a.serving.Wait()
	a.client.CloseIdleConnections()
	for _, ln := range listeners {
		_ = ln.Close() // closed already if its executor was run
	}
	return errors.Join(err, os.RemoveAll(a.dir))
}

// URL returns the address for Config.AdminAddrs, with the context path.
func (a *Admin) URL() string { return "http://" + a.ln.Addr().String() + a.base }

// Token returns the access token for Config.AccessToken.
func (a *Admin) Token() string { return a.opts.Token }

// NewExecutor returns an executor that registers with the Admin, for the caller
// to Register handlers and Run. It fills in those fields of cfg that are zero:
// AdminAddrs and AccessToken, AppName with "xxljobtest", Listener with a free
// loopback port unless Port or Address is set, LogPath with a temporary folder
// that Close removes, Logger with one that discards.
func (a *Admin) NewExecutor(cfg xxljob.Config) (*xxljob.Executor, error) {
	if len(cfg.AdminAddrs) == 0 {
		cfg.AdminAddrs = []string{a.URL()}
	}
	cfg.AccessToken = cmp.Or(cfg.AccessToken, a.Token())
	cfg.AppName = cmp.Or(cfg.AppName, defaultAppName)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.LogPath == "" {
		cfg.LogPath = a.newDir()
	}
	if cfg.Listener != nil || cfg.Port != 0 || cfg.Address != "" {
		return xxljob.NewExecutor(cfg)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // listening does not block
	if err != nil {
		return nil, fmt.Errorf("xxljobtest: port for an executor: %w", err)
	}
	cfg.Listener = ln
	executor, err := xxljob.NewExecutor(cfg)
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listeners = append(a.listeners, ln)
	return executor, nil
}

// newDir returns the name of a folder that exists no sooner than it is used.
func (a *Admin) newDir() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dirs++
	return filepath.Join(a.dir, "executor-"+strconv.Itoa(a.dirs))
}

// Limits of StartExecutor.
const (
	startLimit = 20 * time.Second // an executor registers
	stopLimit  = 3 * time.Second  // and stops; half of it is its handlers'
)

// StartExecutor runs an executor until the end of the test: one that
// Admin.NewExecutor makes of cfg, with the handlers that register gives it. It
// returns when the executor has registered. ShutdownTimeout is 3s unless cfg
// has one; handlers that go on at the end of the test are cancelled. What Run
// returns, but for xxljob.ErrClosed, fails the test.
func StartExecutor(t testing.TB, a *Admin, cfg xxljob.Config, register func(*xxljob.Executor)) *xxljob.Executor {
	t.Helper()
	cfg.ShutdownTimeout = cmp.Or(cfg.ShutdownTimeout, stopLimit)
	executor, err := a.NewExecutor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	register(executor)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	starting, started := context.WithTimeout(t.Context(), startLimit)
	defer started()
	ended := make(chan error, 1)
	go func() {
		ended <- executor.Run(ctx)
		started()
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, xxljob.ErrClosed) {
			t.Errorf("xxljobtest: executor: %v", err)
		}
	})
	err = a.wait(starting, func() bool {
		addr, err := executor.Address()
		return err == nil && a.findLocked("", addr) != nil
	})
	if err != nil {
		t.Fatalf("xxljobtest: the executor did not register: %v", err)
	}
	return executor
}
