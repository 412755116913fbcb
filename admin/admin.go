package admin

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/internal/lifecycle"
)

// ErrRunning is returned by a second call of Run.
var ErrRunning = errors.New("admin: Run was called before")

// errStopped is the cause with which the parts end.
var errStopped = errors.New("the admin is stopping")

// Times of the stop order.
const (
	drainLimit = 3 * time.Second
	stopLimit  = 15 * time.Second
)

// Admin is a scheduling centre. New makes one, Run opens its database and works
// until its context ends. All methods are safe for concurrent use.
type Admin struct {
	cfg     Config
	lang    i18n.Lang
	started atomic.Bool
	running atomic.Pointer[system]
	handler atomic.Pointer[http.Handler]
	ready   chan struct{}
}

// New checks the configuration, and reports all of its faults at once. It opens
// nothing and starts nothing.
func New(cfg Config) (*Admin, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("admin: invalid config: %w", err)
	}
	lang, err := i18n.Parse(cfg.Language)
	if err != nil {
		return nil, fmt.Errorf("admin: %w", err)
	}
	return &Admin{cfg: cfg, lang: lang, ready: make(chan struct{})}, nil
}

// Handler returns all interfaces over HTTP: executors, scripts, health and
// metrics. Until Run is ready, and after it has ended, it answers 503.
func (a *Admin) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := a.handler.Load(); h != nil {
			(*h).ServeHTTP(w, r)
			return
		}
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the admin is starting or has ended", http.StatusServiceUnavailable)
	})
}

// Ready is closed when Run has opened the database and started every part.
func (a *Admin) Ready() <-chan struct{} { return a.ready }

// Run opens the database, migrates it, and schedules until ctx is done; then it
// stops in order and returns nil. It blocks. An error means that it could not
// start. It may be called once.
func (a *Admin) Run(ctx context.Context) error {
	if a.started.Swap(true) {
		return ErrRunning
	}
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	err = s.run(ctx, func(h http.Handler) {
		a.running.Store(s)
		a.handler.Store(&h)
		close(a.ready)
	}, func() { a.handler.Store(nil) })
	return errors.Join(err, s.store.Close())
}

// open opens and migrates the database and builds the parts on it.
func (a *Admin) open(ctx context.Context) (*system, error) {
	node := a.cfg.Node
	if node == "" {
		node = nodeName()
	}
	st, err := openStore(ctx, a.cfg, node)
	if err != nil {
		return nil, err
	}
	s := &system{cfg: a.cfg, lang: a.lang, log: a.cfg.Logger, store: st, node: node, started: time.Now()}
	if err := s.build(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("admin: %w", err), st.Close())
	}
	return s, nil
}

func openStore(ctx context.Context, cfg Config, node string) (*store.Store, error) {
	st, err := store.Open(ctx, store.Options{
		DSN: cfg.DB, Location: cfg.TimeZone, Node: node, Logger: cfg.Logger.With(slog.String("part", "store")),
	})
	if err != nil {
		return nil, fmt.Errorf("admin: open the database: %w", err)
	}
	if err := st.Migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("admin: migrate the database: %w", err), st.Close())
	}
	return st, nil
}

// nodeName is another one at each start: host, process and a random part.
func nodeName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "node"
	}
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	name := host + "-" + strconv.Itoa(os.Getpid()) + "-" + hex.EncodeToString(b[:])
	return name[max(0, len(name)-64):]
}

// run starts the parts, and stops them in this order when ctx is done:
//
//  1. planning ends, and no connection is answered as ready any more;
//  2. what is planned goes out, for at most three seconds;
//  3. dispatching and settling end, then the lanes to executors;
//  4. results that were taken are stored; later ones are refused, executors
//     keep them;
//  5. leases are given back, heartbeats written, alarms sent and put on record;
//  6. the database is closed (by Run).
func (s *system) run(ctx context.Context, up func(http.Handler), down func()) error {
	base := context.WithoutCancel(ctx)
	planning, sending := lifecycle.NewGroup(base), lifecycle.NewGroup(base)
	storing, keeping := lifecycle.NewGroup(base), lifecycle.NewGroup(base)
	noting := lifecycle.NewGroup(base)
	handler, err := s.first(ctx)
	if err != nil {
		return fmt.Errorf("admin: %w", err)
	}
	s.warnToken(ctx)
	s.expect()
	s.loops.Go(storing, "completion", s.writer.Run)
	s.loops.Go(keeping, "registry", s.registry.Run)
	s.loops.Go(keeping, "addresses", s.saveAddresses)
	s.loops.Go(keeping, "node info", s.sayNode)
	s.loops.Go(keeping, "alarm sweep", s.sweepAlarms)
	s.loops.Go(keeping, "alarm rules", s.watcher.Run)
	s.loops.Go(noting, "alarm book", s.book.Run)
	s.loops.Go(keeping, "forecast", s.forecast.Run)
	if !s.store.Info().MadeByUs {
		s.loops.Go(keeping, "adoption", s.adoptLoop)
	}
	keeping.Go(func(ctx context.Context) { s.report(ctx, "retention", s.cleaner.Run(ctx)) })
	if s.alarms != nil {
		keeping.Go(func(ctx context.Context) { s.report(ctx, "alarm", s.alarms.Run(ctx)) })
	}
	clients := lifecycle.NewGroup(base)
	clients.Go(func(ctx context.Context) { s.report(ctx, "client", s.client.Run(ctx)) })
	s.loops.Go(sending, "dispatch", s.dispatcher.Run)
	s.loops.Go(sending, "recovery", s.recovery.Run)
	leases := lifecycle.NewGroup(base)
	s.loops.Go(leases, "lease", s.leases.Run)
	s.loops.Go(planning, "scheduler", s.scheduler.Run)
	up(handler)
	s.log.InfoContext(ctx, "admin ready", slog.String("node", s.node), slog.String("db", s.store.Info().Dialect),
		slog.Bool("shared_with_java", s.shared))

	<-ctx.Done()
	s.log.InfoContext(base, "admin stops")
	stop, cancel := context.WithTimeout(base, stopLimit)
	defer cancel()
	planning.Stop(errStopped)            // 1
	s.dispatcher.Drain(stop, drainLimit) // 2
	sending.Stop(errStopped)             // 3
	clients.Stop(errStopped)
	storing.Stop(errStopped) // 4
	down()
	leases.Stop(errStopped) // 5
	keeping.Stop(errStopped)
	noting.Stop(errStopped)
	s.log.InfoContext(base, "admin stopped")
	return nil
}

// report logs the end of a part that should not have ended.
func (s *system) report(ctx context.Context, name string, err error) {
	if err != nil && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "part ended", slog.String("part", name), slog.Any("err", err))
	}
}
