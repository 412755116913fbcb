package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/admin"
	"github.com/xxljob-go/xxljob/admin/internal/cli"
	"github.com/xxljob-go/xxljob/internal/lifecycle"
)

const (
	demoApp        = "demo"
	demoRetryDelay = time.Second
	demoStopLimit  = time.Second // for runs at work when it ends
	demoUser       = "admin"
)

// demoCmd shows the whole thing at work in one process.
type demoCmd struct {
	Listen    string        `help:"${demo_listen}" default:"127.0.0.1:0" env:"-" placeholder:"HOST:PORT"`
	Executors int           `help:"Executors to start, 1 to 9." default:"3" env:"-"`
	Duration  time.Duration `help:"End after this time. Default: at Ctrl-C." env:"-"`
	Plain     bool          `help:"${demo_plain}" env:"-"`
}

// demo is what runs.
type demo struct {
	server   *server
	password string
	token    string
	dir      string
	log      *slog.Logger
	level    *slog.LevelVar // of log
	view     *view
}

// Run starts everything in a temporary folder, shows it, and takes it away.
func (c *demoCmd) Run(ctx context.Context, con cli.Console) error {
	if c.Executors < 1 || c.Executors > 9 {
		return cli.UsageError{Err: fmt.Errorf("--executors %d is not between 1 and 9", c.Executors)}
	}
	if c.Duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Duration)
		defer cancel()
	}
	dir, err := os.MkdirTemp("", "xxl-job-demo-")
	if err != nil {
		return err
	}
	picture := !c.Plain && isTerminal(con.Out)
	level := new(slog.LevelVar)
	d := &demo{
		dir: dir, token: rand.Text(), password: strings.ToLower(rand.Text()[:16]), level: level,
		log: demoLog(con.Err, level, picture), view: newView(con.Out, picture),
	}
	return errors.Join(d.run(ctx, c.Listen, c.Executors), os.RemoveAll(dir))
}

// demoLog shows warnings, unless they would spoil the picture.
func demoLog(w io.Writer, level *slog.LevelVar, picture bool) *slog.Logger {
	level.Set(slog.LevelWarn)
	if picture {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// run starts the parts, shows what they do until ctx is done, and ends them.
func (d *demo) run(ctx context.Context, listen string, executors int) error {
	a, err := admin.New(admin.Config{
		DB: "sqlite:" + filepath.Join(d.dir, databaseFile), AccessToken: d.token, AdminUser: demoUser,
		AdminPassword: d.password, Language: "en", RetryDelay: demoRetryDelay, Logger: d.log,
	})
	if err != nil {
		return err
	}
	d.server = &server{admin: a, log: d.log, listen: listen}
	if err := d.server.open(ctx); err != nil {
		return err
	}
	parts, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	group := lifecycle.NewGroup(parts)
	begin := func(name string, run func(context.Context) error) {
		group.Go(func(ctx context.Context) {
			if err := run(ctx); err != nil && ctx.Err() == nil {
				cancel(fmt.Errorf("%s: %w", name, err))
			}
		})
	}
	begin("admin", d.server.run)
	err = d.show(ctx, parts, a.Ready(), executors, begin)
	if cause := context.Cause(parts); cause != nil {
		err = cause // the part that broke, not what followed from it
	}
	d.level.Set(slog.LevelError) // admin and executors end at once, and miss one another
	group.Stop(errServed)
	cancel(errServed)
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// show sets the executors and the jobs up, and then draws until ctx or a part
// ends.
func (d *demo) show(
	ctx, parts context.Context, ready <-chan struct{}, executors int,
	begin func(name string, run func(context.Context) error),
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(parts, cancel)()
	select {
	case <-ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	url := "http://" + d.server.addr()
	for n := range executors {
		e, err := d.executor(ctx, url, n+1)
		if err != nil {
			return err
		}
		begin(fmt.Sprintf("executor %d", n+1), e.Run)
	}
	client, err := login(ctx, url, demoUser, d.password)
	if err != nil {
		return err
	}
	group, err := client.addGroup(ctx, demoApp, executors)
	if err != nil {
		return err
	}
	jobs, err := client.addJobs(ctx, group)
	if err != nil {
		return err
	}
	d.view.head = []string{
		"xxl-job-admin demo: one admin, " + fmt.Sprint(executors) + " executors, SQLite in " + d.dir,
		"admin " + url + "/   user " + demoUser + "   password " + d.password,
		"Ctrl-C ends it and removes everything.",
	}
	d.view.jobs = jobs
	return d.view.run(ctx, func(ctx context.Context) ([]logRow, error) { return client.logs(ctx, group) })
}

// executor makes one of the executors. Its handlers note when they began.
func (d *demo) executor(ctx context.Context, url string, n int) (*xxljob.Executor, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	e, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{url}, AppName: demoApp, AccessToken: d.token, Listener: ln,
		LogPath: filepath.Join(d.dir, fmt.Sprintf("executor-%d", n)), ShutdownTimeout: demoStopLimit, Logger: d.log,
	})
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	d.view.name("http://"+ln.Addr().String()+"/", n)
	err = e.Use(func(next xxljob.HandlerFunc) xxljob.HandlerFunc {
		return func(ctx context.Context, run *xxljob.Run) error {
			d.view.started(run.LogID(), run.TriggerTime())
			return next(ctx, run)
		}
	})
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	for name, h := range demoHandlers() {
		if err := e.Register(name, h); err != nil {
			return nil, errors.Join(err, ln.Close())
		}
	}
	return e, nil
}

// isTerminal reports whether pictures can be drawn on w.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
