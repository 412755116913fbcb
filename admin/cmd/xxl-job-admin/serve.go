package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin"
	"github.com/xxljob-go/xxljob/admin/internal/cli"
	"github.com/xxljob-go/xxljob/internal/lifecycle"
)

// Limits of the HTTP server.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = time.Minute
	writeTimeout      = 90 * time.Second // longer than a result may wait for the database
	idleTimeout       = 2 * time.Minute
	maxHeader         = 16 << 10
	httpStopLimit     = 5 * time.Second
)

// errServed is the cause with which the parts of a server end.
var errServed = errors.New("the server ends")

// serveCmd runs the scheduling centre.
type serveCmd struct {
	settings
	logFlags
	tlsFlags

	Listen        string `help:"${listen}" default:":8080" placeholder:"HOST:PORT"`
	MetricsListen string `help:"${metrics_listen}" placeholder:"HOST:PORT"`
	MetricsToken  string `help:"${metrics_token}" placeholder:"TOKEN"`
}

// Run serves until ctx is done, and returns when everything has stopped.
func (c *serveCmd) Run(ctx context.Context, con cli.Console) error {
	log := c.logger(con.Err)
	cfg, err := c.checked(ctx, log)
	if err != nil {
		return err
	}
	s := &server{log: log, listen: c.Listen, metricsListen: c.MetricsListen}
	if s.cert, err = c.certificate(log); err != nil {
		return err
	}
	if err := s.open(ctx); err != nil {
		return err
	}
	a, err := c.admin(con, cfg, s)
	if err != nil {
		return errors.Join(err, s.close())
	}
	s.admin = a
	log.InfoContext(ctx, "listening", slog.String("addr", s.addr()), slog.Bool("tls", s.cert != nil),
		slog.String("db", hideDSN(c.dsn())),
		slog.String("version", versionText()))
	return s.run(ctx)
}

// checked makes the configuration, but for a token that is not given. Every
// mistake in the flags is found here, before anything is opened or made.
func (c *serveCmd) checked(ctx context.Context, log *slog.Logger) (admin.Config, error) {
	if err := checkListen(ctx, "--listen", c.Listen); err != nil {
		return admin.Config{}, err
	}
	if c.MetricsListen != "" {
		if err := checkListen(ctx, "--metrics-listen", c.MetricsListen); err != nil {
			return admin.Config{}, err
		}
	}
	cfg, err := c.config(log)
	if err != nil {
		return admin.Config{}, err
	}
	if err := c.needsToken(); err != nil {
		return admin.Config{}, err
	}
	trial := cfg
	if trial.AccessToken = c.AccessToken; c.generatesToken() {
		trial.AccessToken = "one that is read or made later"
	}
	if _, err := admin.New(trial); err != nil {
		return admin.Config{}, cli.UsageError{Err: err}
	}
	return cfg, nil
}

// checkListen refuses what is no address to listen on.
func checkListen(ctx context.Context, flag, addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(ctx, "tcp", port)
	}
	if err == nil && port != "" {
		return nil
	}
	err = fmt.Errorf("%s %q is not of the form HOST:PORT, such as :8080 or 127.0.0.1:8080", flag, addr)
	return cli.UsageError{Err: err}
}

// admin makes the admin, and at the first start the data folder and the token.
func (c *serveCmd) admin(con cli.Console, cfg admin.Config, s *server) (*admin.Admin, error) {
	if c.isSQLite() { // nothing else is kept on this machine
		if err := c.prepare(); err != nil {
			return nil, err
		}
	}
	token, path, generated, err := c.token()
	if err != nil {
		return nil, err
	}
	if generated {
		notice(con.Err, "first start: an access token was made for executors, and kept in "+path, "token     "+token)
	}
	cfg.AccessToken = token
	cfg.MetricsToken = c.MetricsToken
	cfg.PublicURL = c.publicURL(s)
	cfg.OnPassword = func(user, password string) {
		notice(con.Err, "first start: open the page of the setup with this one-time password, it is shown once",
			"user      "+user, "password  "+password,
			"setup     "+cmp.Or(strings.TrimRight(c.PublicURL, "/"), s.localURL())+"/setup")
	}
	a, err := admin.New(cfg)
	if err != nil {
		return nil, cli.UsageError{Err: err}
	}
	return a, nil
}

// publicURL is where links lead: to what --public-url says, or else to the
// address that is listened on where only this machine can reach it, and nothing
// says that people come through a proxy.
func (c *serveCmd) publicURL(s *server) string {
	if c.PublicURL != "" || len(c.TrustedProxies)+len(c.TrustedOrigins) > 0 {
		return c.PublicURL
	}
	return s.loopbackURL()
}

// notice prints a block that stands out from the log.
func notice(w io.Writer, title string, lines ...string) {
	rule := strings.Repeat("-", 78)
	fmt.Fprintf(w, "%s\n%s\n\n    %s\n%s\n", rule, title, strings.Join(lines, "\n    "), rule)
}

// server is an admin behind its listeners.
type server struct {
	admin         *admin.Admin
	log           *slog.Logger
	listen        string
	metricsListen string       // "" serves metrics on listen
	cert          *certificate // nil speaks plain HTTP on listen

	main, metrics net.Listener
}

// open takes the ports, so that one that is in use is found before the
// database is opened.
func (s *server) open(ctx context.Context) (err error) {
	if s.main, err = listen(ctx, "--listen", s.listen); err != nil {
		return err
	}
	if s.metricsListen == "" {
		return nil
	}
	if s.metrics, err = listen(ctx, "--metrics-listen", s.metricsListen); err != nil {
		return errors.Join(err, s.main.Close())
	}
	return nil
}

// close gives the ports back of a server that will not run.
func (s *server) close() error {
	err := s.main.Close()
	if s.metrics != nil {
		err = errors.Join(err, s.metrics.Close())
	}
	return err
}

func listen(ctx context.Context, flag, addr string) (net.Listener, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, addr, err)
	}
	return ln, nil
}

// addr is the address that is listened on.
func (s *server) addr() string { return s.main.Addr().String() }

// loopbackURL is the address of the console where nobody but this machine can
// open it; else "", for no address is known then that leads everybody here.
func (s *server) loopbackURL() string {
	host, _, err := net.SplitHostPort(s.addr())
	if ip, fault := netip.ParseAddr(host); err != nil || fault != nil || !ip.IsLoopback() {
		return ""
	}
	return s.localURL()
}

// localURL is the address of the console, as seen from this machine.
func (s *server) localURL() string {
	host, port, err := net.SplitHostPort(s.addr())
	if ip, fault := netip.ParseAddr(host); err != nil || fault != nil || ip.IsUnspecified() {
		host = "localhost"
	}
	scheme := "http://"
	if s.cert != nil {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port)
}

// run serves until ctx is done. The admin drains first, while executors can
// still report; then the HTTP servers end.
func (s *server) run(ctx context.Context) error {
	run, cancel := context.WithCancelCause(ctx)
	defer cancel(errServed)
	servers := []*http.Server{s.httpServer(s.gate())}
	if s.cert != nil {
		servers[0].TLSConfig = s.cert.config()
	}
	listeners := []net.Listener{s.main}
	if s.metrics != nil {
		servers = append(servers, s.httpServer(s.metricsOnly()))
		listeners = append(listeners, s.metrics)
	}
	group := lifecycle.NewGroup(context.WithoutCancel(ctx))
	for i, srv := range servers {
		group.Go(func(context.Context) {
			if err := serve(srv, listeners[i]); !errors.Is(err, http.ErrServerClosed) {
				cancel(fmt.Errorf("serve on %s: %w", listeners[i].Addr(), err))
			}
		})
	}
	group.Go(func(groupCtx context.Context) { s.announce(groupCtx, run) })

	err := s.admin.Run(run)
	stop, stopped := context.WithTimeout(context.WithoutCancel(ctx), httpStopLimit)
	defer stopped()
	for _, srv := range servers {
		if shutdownErr := srv.Shutdown(stop); shutdownErr != nil {
			err = errors.Join(err, srv.Close())
		}
	}
	group.Stop(errServed)
	switch cause := context.Cause(run); {
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return nil // stopped while it was starting
	case err == nil && ctx.Err() == nil:
		return cause // a listener broke
	default:
		return err
	}
}

// serve serves until srv is stopped.
func serve(srv *http.Server, ln net.Listener) error {
	if srv.TLSConfig != nil {
		return srv.ServeTLS(ln, "", "")
	}
	return srv.Serve(ln)
}

// announce tells systemd when the admin is ready, and when it stops.
func (s *server) announce(ctx, run context.Context) {
	select {
	case <-s.admin.Ready():
		notify(ctx, s.log, "READY=1")
	case <-run.Done():
	case <-ctx.Done():
		return
	}
	select {
	case <-run.Done():
		notify(context.WithoutCancel(ctx), s.log, "STOPPING=1")
	case <-ctx.Done():
	}
}

// httpServer is a server with all its limits.
func (s *server) httpServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}
