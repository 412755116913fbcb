// Command executor hosts executors of our library for the tests of package
// e2e, one for each port, and keeps a journal of what reaches them that
// survives a SIGKILL: every trigger when it arrives, also a repeated one, and
// every handler's begin and end. A line is on disk before what it tells of goes
// on. Its handlers:
//
//	mark   succeeds with the param as message
//	sleep  waits param milliseconds and succeeds; ends early when it is cancelled
//	fail   fails with the param as text
//
// The executors of -hang stop answering triggers at a SIGUSR1, and go on at the
// next one.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// options are the flags.
type options struct {
	ports   []string
	hang    []string
	admin   string
	token   string
	appName string
	dir     string
	beat    time.Duration

	hanging *atomic.Bool // those of hang do not answer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "executor:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	var ports, hang string
	flags := flag.NewFlagSet("executor", flag.ContinueOnError)
	flags.StringVar(&ports, "ports", "", "ports to listen on, separated by commas; each is an executor")
	flags.StringVar(&hang, "hang", "", "those of the ports that do not answer triggers after a SIGUSR1")
	flags.StringVar(&o.admin, "admin", "", "admin URLs, separated by commas")
	flags.StringVar(&o.token, "token", "", "access token")
	flags.StringVar(&o.appName, "appname", "", "name of the executor group in the admin")
	flags.StringVar(&o.dir, "dir", "", "folder of the journal and of each executor's own files")
	flags.DurationVar(&o.beat, "beat", 2*time.Second, "time between heartbeats")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if ports == "" || o.dir == "" {
		return o, errors.New("-ports and -dir are required")
	}
	o.ports = strings.Split(ports, ",")
	if hang != "" {
		o.hang = strings.Split(hang, ",")
	}
	return o, nil
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	j, err := openJournal(ctx, filepath.Join(o.dir, "journal"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o.hanging = new(atomic.Bool)
	toggle := make(chan os.Signal, 1)
	signal.Notify(toggle, syscall.SIGUSR1)
	defer signal.Stop(toggle)
	var hosts sync.WaitGroup
	for _, port := range o.ports {
		h, err := o.host(ctx, port, j)
		if err != nil {
			cancel(err)
			break
		}
		hosts.Go(func() {
			if err := h.run(ctx); err != nil {
				cancel(err)
			}
		})
	}
	for ctx.Err() == nil {
		select {
		case <-toggle:
			o.hanging.Store(!o.hanging.Load())
		case <-ctx.Done():
		}
	}
	hosts.Wait()
	err = j.close()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		err = errors.Join(cause, err)
	}
	return err
}

// host is one executor behind a server that keeps the journal.
type host struct {
	executor *xxljob.Executor
	listener net.Listener
	server   *http.Server
}

func (o *options) host(ctx context.Context, port string, j *journal) (*host, error) {
	h := new(host)
	var err error
	h.executor, err = xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{o.admin}, AppName: o.appName, AccessToken: o.token,
		Address: "http://127.0.0.1:" + port + "/", LogPath: filepath.Join(o.dir, port),
		RegistryInterval: o.beat, ShutdownTimeout: 10 * time.Second,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)).With(slog.String("port", port)),
	})
	if err != nil {
		return nil, err
	}
	for name, handler := range handlers(port, j) {
		if err := h.executor.Register(name, handler); err != nil {
			return nil, err
		}
	}
	h.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:"+port)
	if err != nil {
		return nil, err
	}
	next := h.executor.HTTPHandler()
	hangs := func() bool { return slices.Contains(o.hang, port) && o.hanging.Load() }
	h.server = &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			received(w, r, arrival{journal: j, port: port, hangs: hangs, next: next})
		}),
	}
	return h, nil
}

func (h *host) run(ctx context.Context) error {
	served := make(chan error, 1)
	go func() { served <- h.server.Serve(h.listener) }()
	err := h.executor.Run(ctx)
	err = errors.Join(err, h.server.Close())
	if serveErr := <-served; !errors.Is(serveErr, http.ErrServerClosed) {
		err = errors.Join(err, serveErr)
	}
	return err
}

// arrival is what a request meets.
type arrival struct {
	journal *journal
	port    string
	hangs   func() bool
	next    http.Handler
}

// received notes a trigger and hands every request on.
func received(w http.ResponseWriter, r *http.Request, a arrival) {
	at := time.Now()
	if r.URL.Path != wire.PathRun {
		a.next.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, wire.MaxBody))
	if err != nil {
		return // the admin is gone
	}
	t, err := wire.DecodeTrigger(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	e := entry{
		kind: 'R', at: at, port: a.port, job: int(t.JobID), logID: t.LogID, trigger: t.LogDateTime,
		shard: int(t.BroadcastIndex),
	}
	if err := a.journal.write(e); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if a.hangs() {
		<-r.Context().Done()
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	a.next.ServeHTTP(w, r)
}

// handlers are the jobs; each notes its begin and its end.
func handlers(port string, j *journal) map[string]xxljob.HandlerFunc {
	noted := func(next xxljob.HandlerFunc) xxljob.HandlerFunc {
		return func(ctx context.Context, run *xxljob.Run) error {
			e := entry{
				kind: 'S', at: time.Now(), port: port, job: run.JobID(), logID: run.LogID(),
				trigger: run.TriggerTime().UnixMilli(), shard: run.ShardIndex(),
			}
			if err := j.write(e); err != nil {
				return err
			}
			result := next(ctx, run)
			e.kind, e.at = 'E', time.Now()
			return errors.Join(result, j.write(e))
		}
	}
	return map[string]xxljob.HandlerFunc{
		"mark":  noted(mark),
		"sleep": noted(sleep),
		"fail":  noted(fail),
	}
}

func mark(_ context.Context, run *xxljob.Run) error {
	run.SetResult(run.Param())
	return nil
}

func sleep(ctx context.Context, run *xxljob.Run) error {
	n, err := strconv.Atoi(run.Param())
	if err != nil {
		return fmt.Errorf("param: %w", err)
	}
	timer := time.NewTimer(time.Duration(n) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func fail(_ context.Context, run *xxljob.Run) error { return errors.New(run.Param()) }
