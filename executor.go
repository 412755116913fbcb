package xxljob

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/xxljob-go/xxljob/internal/joblog"
	"github.com/xxljob-go/xxljob/internal/journal"
	"github.com/xxljob-go/xxljob/internal/lifecycle"
	"github.com/xxljob-go/xxljob/internal/wire"
)

const userAgent = "xxljob-go"

// The parts of a shutdown that come after the handlers' time.
const (
	flushReserve    = 2 * time.Second // to deliver the last results
	removeTimeout   = 3 * time.Second // to deregister
	drainingText    = "executor is shutting down and takes no more triggers"
	notRunningText  = "executor is not running"
	serverStopLimit = time.Second // for answers that are being written
)

// Executor runs jobs that an admin triggers. NewExecutor makes one; Register
// gives it handlers; Run makes it work until its context ends. All methods are
// safe for concurrent use.
type Executor struct {
	cfg      Config
	handlers handlerSet
	log      *slog.Logger
	mounted  atomic.Bool
	core     atomic.Pointer[core] // nil unless running

	mu      sync.Mutex
	begun   bool          // Run was called
	closing chan struct{} // closed by the first Shutdown
	closed  bool
	limit   context.Context // of the shutdown, set before closing is closed
	done    chan struct{}   // closed when Run has returned, or by Shutdown if it never was called
	stopErr error           // what Shutdown returns; set before done is closed
}

// core is what a running executor consists of.
type core struct {
	service
	journal   *journal.Journal
	sender    *callbackSender
	registrar *registrar
	cluster   *cluster
	announce  *announcer
	declarer  *declarer
	server    *fasthttp.Server // nil if mounted
	listener  net.Listener     // nil if mounted
	serveErr  chan error       // size 1: why the server ended
	group     *lifecycle.Group // server, logs
	beats     *lifecycle.Group
	sending   *lifecycle.Group
}

// NewExecutor returns an executor for cfg. It opens nothing and starts
// nothing. The error names every field that is at fault.
func NewExecutor(cfg Config) (*Executor, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("xxljob: invalid config: %w", err)
	}
	return &Executor{
		cfg:     cfg,
		log:     cfg.Logger.With(slog.String("app", cfg.AppName)),
		closing: make(chan struct{}),
		done:    make(chan struct{}),
	}, nil
}

// Run recovers what a former process left, listens, announces the executor,
// and blocks until ctx is done, which starts a Shutdown with ShutdownTimeout,
// or until Shutdown is called. It returns nil when ctx ended and all went
// well, ErrClosed after Shutdown, ErrRunning if it was called before, and
// otherwise why the executor could not start or had to stop: faults of
// Register, a journal that is locked or cannot be written, a port that is
// taken. Handlers' contexts carry ctx's values but do not end with it.
func (e *Executor) Run(ctx context.Context) error {
	if err := e.begin(); err != nil {
		return err
	}
	err := e.run(ctx)
	e.mu.Lock()
	e.stopErr = err
	closed := e.closed
	e.mu.Unlock()
	close(e.done)
	if err == nil && closed && ctx.Err() == nil {
		return ErrClosed
	}
	return err
}

// begin makes sure that Run happens once, and not after Shutdown.
func (e *Executor) begin() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return ErrClosed
	case e.begun:
		return ErrRunning
	}
	e.begun = true
	return nil
}

func (e *Executor) run(ctx context.Context) error {
	if err := e.handlers.seal(); err != nil {
		return fmt.Errorf("xxljob: %w", err)
	}
	c, err := e.startUnlessClosed(ctx)
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return nil // told to end before it had begun
	case errors.Is(err, ErrClosed):
		return nil // the same, by Shutdown
	case err != nil:
		return fmt.Errorf("xxljob: start: %w", err)
	}
	var cause error
	select {
	case <-ctx.Done():
		defer e.shutdownByItself(ctx)()
	case cause = <-c.serveErr:
		defer e.shutdownByItself(ctx)()
	case <-e.closing:
	}
	err = e.stop(c) //nolint:contextcheck // handlers outlive Run's context, so that a stop can be graceful
	return errors.Join(cause, err)
}

// shutdownByItself begins a shutdown within the configured times. The function
// that it returns is to be called when the shutdown is over.
func (e *Executor) shutdownByItself(ctx context.Context) context.CancelFunc {
	limit := e.cfg.DrainDelay + e.cfg.ShutdownTimeout
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	e.beginShutdown(ctx)
	return cancel
}

// startUnlessClosed starts the executor; a Shutdown meanwhile ends the wait for
// the journal.
func (e *Executor) startUnlessClosed(ctx context.Context) (*core, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := lifecycle.NewGroup(ctx)
	watch.Go(func(ctx context.Context) {
		select {
		case <-e.closing:
			cancel(ErrClosed)
		case <-ctx.Done():
		}
	})
	defer watch.Stop(nil)
	return e.start(ctx)
}

// start opens the parts in the order: journal, callback sender, listener,
// first heartbeat. Whatever fails undoes what came before.
func (e *Executor) start(ctx context.Context) (_ *core, err error) {
	base := context.WithoutCancel(ctx)
	c := &core{
		serveErr: make(chan error, 1),
		group:    lifecycle.NewGroup(base), beats: lifecycle.NewGroup(base), sending: lifecycle.NewGroup(base),
	}
	defer func() {
		if err != nil {
			c.sending.Stop(ErrClosed)
			c.group.Stop(ErrClosed)
			if c.journal != nil {
				err = errors.Join(err, c.journal.Close())
			}
		}
	}()
	port, err := e.port()
	if err != nil {
		return nil, err
	}
	if c.logs, err = e.openLogs(); err != nil {
		return nil, err
	}
	c.group.Go(func(ctx context.Context) { _ = c.logs.Run(ctx) })
	var recovery *journal.Recovery
	if c.journal, recovery, err = e.openJournal(ctx, port); err != nil {
		return nil, err
	}
	e.assemble(c, base, port)
	c.sending.Go(c.sender.run)

	if !e.mounted.Load() {
		if c.listener, err = listen(ctx, &e.cfg); err != nil {
			return nil, err
		}
		c.server = newServer(&e.cfg, e.answer, e.part("server"))
	}
	e.recover(c, recovery) //nolint:contextcheck // handlers outlive Run's context, so that a stop can be graceful
	e.core.Store(c)
	if c.server != nil {
		e.serve(c)
	} else {
		e.log.InfoContext(ctx, "executor is mounted", slog.String("addr", e.cfg.Address))
	}
	c.beats.Go(c.registrar.run)
	c.beats.Go(c.declarer.run)
	return c, nil
}

// assemble makes the parts that need no opening.
func (e *Executor) assemble(c *core, base context.Context, port int) {
	c.cluster = &cluster{clients: newAdminClients(&e.cfg)}
	c.sender = newCallbackSender(c.cluster, c.journal, &e.cfg.Hooks, e.part("callback"))
	c.sender.logLine = c.lateLine
	c.cfg, c.full = &e.cfg, c.journal.Full
	c.dispatch = e.newDispatcher(c, base)
	c.announce = &announcer{cfg: &e.cfg, port: port}
	c.declarer = newDeclarer(&e.cfg, e.handlers.jobs(e.cfg.AppName), e.part("declare"))
	c.registrar = &registrar{
		cluster: c.cluster, interval: e.cfg.RegistryInterval, body: c.announce.body,
		accepted: func(node *adminClient) {
			c.sender.wake()
			c.declarer.accepted(node)
		},
		log: e.part("registry"),
	}
}

// part returns the logger of one part of the executor.
func (e *Executor) part(name string) *slog.Logger {
	return e.log.With(slog.String("part", name))
}

// port returns the port that the executor is known by.
func (e *Executor) port() (int, error) {
	if e.mounted.Load() {
		if e.cfg.Address == "" {
			return 0, errors.New("HTTPHandler is in use: set Config.Address to the URL under which it is mounted")
		}
		u, err := url.Parse(e.cfg.Address)
		if err != nil {
			return 0, err
		}
		if p, err := strconv.Atoi(u.Port()); err == nil {
			return p, nil
		}
		if u.Scheme == "https" {
			return 443, nil
		}
		return 80, nil
	}
	if e.cfg.Listener != nil {
		return listenerPort(e.cfg.Listener, e.cfg.Port), nil
	}
	return e.cfg.Port, nil
}

func (e *Executor) openLogs() (*joblog.Store, error) {
	return joblog.Open(joblog.Config{
		Dir:           e.cfg.LogPath,
		MaxRunBytes:   e.cfg.MaxRunLogBytes,
		MaxBytes:      e.cfg.MaxLogBytes,
		RetentionDays: e.cfg.LogRetentionDays,
		QuotedLen:     wire.QuotedLen[[]byte],
		Logger:        e.part("logs"),
	})
}

func (e *Executor) openJournal(ctx context.Context, port int) (*journal.Journal, *journal.Recovery, error) {
	name := url.PathEscape(e.cfg.AppName)
	warnTemporary(e.cfg.LogPath, e.part("journal"))
	return journal.Open(ctx, journal.Config{
		Dir:         filepath.Join(e.cfg.LogPath, "journal", name+"-"+strconv.Itoa(port)),
		AdoptPrefix: name + "-",
		LockWait:    e.cfg.LockWait,
		Sync:        journal.Sync(e.cfg.Sync),
		MaxBytes:    e.cfg.MaxJournalBytes,
		RememberMax: e.cfg.RememberMax,
		Logger:      e.part("journal"),
		Failpoint:   e.cfg.failpoint,
	})
}

func (e *Executor) newDispatcher(c *core, base context.Context) *dispatcher {
	d := &dispatcher{
		cfg: &e.cfg, handlers: &e.handlers, journal: c.journal, logs: c.logs,
		scripts: newScriptStore(&e.cfg), hooks: &e.cfg.Hooks, log: e.part("dispatcher"), base: base,
		resend: c.sender.sendAgain, jobs: make(map[int32]*job),
	}
	if e.cfg.MaxConcurrent > 0 {
		d.slots = make(chan struct{}, e.cfg.MaxConcurrent)
	}
	return d
}

// serve starts the server.
func (e *Executor) serve(c *core) {
	c.group.Go(func(context.Context) {
		if err := c.server.Serve(c.listener); err != nil && !errors.Is(err, net.ErrClosed) {
			c.serveErr <- fmt.Errorf("serve: %w", err)
		}
	})
	e.log.Info("executor listens", slog.String("addr", c.listener.Addr().String()))
}

// answer serves one request, also before and after the executor runs.
func (e *Executor) answer(req *request) []byte {
	c := e.core.Load()
	if c == nil {
		return refusal(notRunningText)
	}
	return c.serve(req)
}

// HTTPHandler returns the executor as a handler for a service's own server,
// also behind http.StripPrefix; Run then opens no port. Config.Address must be
// the URL under which it is mounted. It is to be called before Run. What
// net/http does differently from the executor's own server is listed in
// docs/protocol.md.
func (e *Executor) HTTPHandler() http.Handler {
	e.mounted.Store(true)
	return httpHandler(&e.cfg, e.answer)
}

// Shutdown stops the executor and blocks until Run has returned or ctx is
// done; then it returns ctx's cause. It deregisters, goes on accepting for
// DrainDelay, refuses new triggers, lets running and queued ones go on until
// 5 s before ctx's deadline, cancels the rest with ErrShutdown and reports
// them, delivers results, and closes. What could not be delivered stays in the
// journal for the next process. It may be called at any time and repeatedly;
// the first call's ctx is the limit.
func (e *Executor) Shutdown(ctx context.Context) error {
	e.beginShutdown(ctx)
	select {
	case <-e.done:
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.stopErr
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// beginShutdown makes Run stop, within limit.
func (e *Executor) beginShutdown(limit context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.closed = true
	e.limit = limit
	close(e.closing)
	if !e.begun {
		close(e.done)
	}
}

// stop ends a running executor. The order:
//
//  1. heartbeats end, and the executor is taken off the registry;
//  2. triggers are still accepted for DrainDelay;
//  3. new triggers and probes are refused;
//  4. running and queued triggers go on until the handlers' time is over;
//  5. the rest is cancelled, and reported within 3 s;
//  6. results are delivered as long as the limit allows;
//  7. the server, the sender, the logs and the journal are closed.
func (e *Executor) stop(c *core) error {
	limit := e.limit
	handlers, cancel := handlersTime(limit)
	defer cancel()

	c.beats.Stop(ErrShutdown)
	e.deregister(limit, c)
	wait(handlers, e.cfg.DrainDelay)
	c.dispatch.refuseTriggers(drainingText)
	if err := c.dispatch.drain(handlers); err != nil {
		e.log.Warn("shutdown: runs are cancelled", slog.Int("count", c.dispatch.openRuns()))
	}
	c.dispatch.stop(limit, reasonShutdown)
	if err := c.sender.flush(limit); err != nil {
		e.log.Warn("shutdown: results stay in the journal for the next start",
			slog.Int("count", c.journal.Stats().Unsent))
	}
	c.sending.Stop(ErrShutdown)
	var errs []error
	if c.server != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(limit), serverStopLimit)
		defer cancel()
		_ = c.server.ShutdownWithContext(ctx) // connections of an admin's pool may stay open
		_ = c.listener.Close()                // Serve may not have begun yet
	}
	e.core.Store(nil)
	c.group.Stop(ErrShutdown)
	errs = append(errs, c.journal.Close())
	c.cluster.closeIdle()
	e.log.Info("executor stopped", slog.Int("unsent", c.journal.Stats().Unsent))
	return errors.Join(errs...)
}

// deregister takes the executor off the registry of the first admin that
// answers.
func (e *Executor) deregister(limit context.Context, c *core) {
	ctx, cancel := context.WithTimeout(limit, removeTimeout)
	defer cancel()
	if err := c.registrar.remove(ctx); err != nil {
		e.log.WarnContext(ctx, "not deregistered: admins route here until the registration expires",
			slog.Any("err", err))
	}
}

// handlersTime returns a context that ends when running handlers are to be
// cancelled: so early before limit's deadline that their results can still be
// reported and delivered.
func handlersTime(limit context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := limit.Deadline()
	if !ok {
		return context.WithCancel(limit)
	}
	reserve := min(stopGrace+flushReserve, time.Until(deadline)/2)
	return context.WithDeadline(limit, deadline.Add(-reserve))
}

// wait blocks for d or until ctx is done.
func wait(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// Stats returns a snapshot of the executor's counters; zero unless it runs.
func (e *Executor) Stats() Stats {
	c := e.core.Load()
	if c == nil {
		return Stats{}
	}
	return c.stats()
}

// Runs returns the runs that are running or wait for a slot, and those whose
// handler was left behind, in no order.
func (e *Executor) Runs() []RunInfo {
	c := e.core.Load()
	if c == nil {
		return nil
	}
	var infos []RunInfo
	c.dispatch.each(func(t *jobThread) {
		if t.current != nil && !t.current.reported.Load() {
			infos = append(infos, t.current.info(t.queue.len()))
		}
	})
	for run := range c.dispatch.stranded() {
		info := run.info(0)
		info.Stranded = true
		infos = append(infos, info)
	}
	return infos
}

// Stack returns the stack of the goroutine that runs the handler of the run
// with this log id, and of those that it started. It stops the program for a
// moment. The error is ErrNoSuchRun if no handler is at work for it.
func (e *Executor) Stack(logID int64) (string, error) {
	c := e.core.Load()
	if c == nil {
		return "", ErrNotRunning
	}
	var loop *threadLoop
	c.dispatch.each(func(t *jobThread) {
		if t.current != nil && t.current.LogID() == logID && t.current.started.Load() != 0 {
			loop = t.current.loop
		}
	})
	for run, stray := range c.dispatch.stranded() {
		if run.LogID() == logID {
			loop = stray
		}
	}
	if loop == nil {
		return "", ErrNoSuchRun
	}
	return goroutineStack(loop.label), nil
}

// Address returns the URL that the executor announces, or an error while it is
// not running or does not know it yet.
func (e *Executor) Address() (string, error) {
	c := e.core.Load()
	if c == nil || c.announce == nil {
		return "", ErrNotRunning
	}
	return c.announce.address()
}
