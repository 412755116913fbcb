package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Server is a database server that this process started. Its methods may be
// called from several goroutines.
type Server struct {
	kind *engine
	bin  string
	set  settings
	dir  string
	port int

	databases atomic.Int64

	mu       sync.Mutex
	pid      int // 0 while it does not run
	watchdog *exec.Cmd
	pipe     io.WriteCloser // to the watchdog: the pid to end; closed is "end it"
}

// start creates a data directory, starts a server in it, and waits until it
// answers. Another process may take the free port first: then the next is tried.
func start(ctx context.Context, kind *engine, set settings) (*Server, error) {
	bin, err := kind.find(ctx)
	if err != nil {
		return nil, err
	}
	s := &Server{kind: kind, bin: bin, set: set}
	if s.dir, err = os.MkdirTemp("", "xxljob-"+kind.name+"-"); err != nil {
		return nil, fmt.Errorf("directory of %s: %w", kind.name, err)
	}
	if err := s.watch(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	for attempt := 1; ; attempt++ {
		if s.port, err = freePort(ctx); err == nil {
			err = s.launch(ctx)
		}
		if err == nil {
			return s, nil
		}
		if attempt == 3 || ctx.Err() != nil {
			return nil, errors.Join(err, s.close(ctx))
		}
	}
}

// watchScript ends the server when its standard input closes, which happens
// whenever the process that started both is gone, and removes the directory.
// An immediate shutdown comes first, since PostgreSQL's children would outlive
// a killed parent for a moment.
const watchScript = `
gone() { ! kill -s 0 "$1" || grep -q '^State:.*Z' "/proc/$1/status"; }
pid=0
while read -r line; do pid=$line; done
if [ "$pid" -gt 0 ]; then
	kill -s CONT "$pid"; kill -s "$2" "$pid"
	n=0
	while [ "$n" -lt 80 ] && ! gone "$pid"; do n=$((n + 1)); sleep 0.1; done
	kill -s KILL "$pid"
fi
rm -rf -- "$1" || { sleep 1; rm -rf -- "$1"; }
`

func (s *Server) watch(ctx context.Context) error {
	crash := "KILL"
	if s.kind.crash == syscall.SIGQUIT {
		crash = "QUIT"
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "sh", "-c", watchScript, "dbtest-watchdog", s.dir, crash)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is not for the watchdog
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("watchdog of %s: %w", s.kind.name, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("watchdog of %s: %w", s.kind.name, err)
	}
	s.watchdog, s.pipe = cmd, pipe
	return nil
}

// command runs a program as the account of the server where we are root, which
// both servers refuse to be.
func (s *Server) command(ctx context.Context, bin string, args []string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC", "HOME="+s.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() != 0 {
		return cmd, nil
	}
	account, err := user.Lookup(s.kind.account)
	if err != nil {
		if account, err = user.Lookup("nobody"); err != nil {
			return nil, fmt.Errorf("an account to run %s as: %w", s.kind.daemon, err)
		}
	}
	uid, err1 := strconv.ParseUint(account.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(account.Gid, 10, 32)
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("account %s: %w", account.Username, err)
	}
	if err := os.Chown(s.dir, int(uid), int(gid)); err != nil {
		return nil, fmt.Errorf("directory of %s: %w", s.kind.name, err)
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return cmd, nil
}

func (s *Server) prepare(ctx context.Context) error {
	argv := s.kind.prepare(s.bin, s.dir)
	cmd, err := s.command(ctx, argv[0], argv[1:])
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("data directory of %s: %w:\n%s", s.kind.name, err, tail(out))
	}
	return nil
}

// launch starts the server's process and waits until it answers a query.
func (s *Server) launch(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pid != 0 {
		return fmt.Errorf("%s runs already", s.kind.name)
	}
	// The context of the call ends with the test that happened to be first.
	cmd, err := s.command(context.WithoutCancel(ctx), s.bin, s.kind.serve(s.dir, s.port, s.set))
	if err != nil {
		return err
	}
	log, err := os.OpenFile(s.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("log of %s: %w", s.kind.name, err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", s.kind.daemon, err)
	}
	s.setPid(cmd.Process.Pid)
	if err := s.ready(ctx); err != nil {
		s.end(ctx, syscall.SIGKILL)
		out, _ := os.ReadFile(s.logPath())
		return fmt.Errorf("starting %s: %w:\n%s", s.kind.daemon, err, tail(out))
	}
	return nil
}

func (s *Server) logPath() string { return filepath.Join(s.dir, "server.log") }

func (s *Server) setPid(pid int) {
	s.pid = pid
	_, _ = fmt.Fprintln(s.pipe, pid) // a watchdog that is gone is no reason to stop a test
}

func (s *Server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	db, err := sql.Open(s.kind.driver, s.kind.connect(s.port, s.kind.root))
	if err != nil {
		return err
	}
	defer db.Close()
	for {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		if s.ended() {
			return errors.New("it ended at once")
		}
		if pause(ctx) != nil {
			return fmt.Errorf("it does not answer: %w", err)
		}
	}
}

// pause waits a moment between two looks at a process.
func pause(ctx context.Context) error {
	timer := time.NewTimer(10 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ended reports whether the process is gone, and takes note of it.
func (s *Server) ended() bool {
	if s.pid == 0 {
		return true
	}
	var status syscall.WaitStatus
	pid, err := syscall.Wait4(s.pid, &status, syscall.WNOHANG, nil)
	if pid == s.pid || errors.Is(err, syscall.ECHILD) {
		s.setPid(0)
		return true
	}
	return false
}

// end signals the process and waits for it, at most 30 s, then kills it.
func (s *Server) end(ctx context.Context, sig syscall.Signal) {
	if s.ended() {
		return
	}
	s.signalAll(syscall.SIGCONT)
	_ = syscall.Kill(s.pid, sig) // it may have ended by itself
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	for !s.ended() {
		if pause(ctx) != nil {
			_ = syscall.Kill(s.pid, syscall.SIGKILL)
			ctx = context.WithoutCancel(ctx)
		}
	}
}

// dsn is the store's DSN of a database of this server.
func (s *Server) dsn(database string) string {
	return s.kind.scheme + "://" + s.kind.user + "@" + s.Addr() + "/" + database
}

// NewDatabase creates an empty database and returns its DSN.
func (s *Server) NewDatabase(ctx context.Context) (string, error) {
	name, err := s.create(ctx)
	if err != nil {
		return "", err
	}
	return s.dsn(name), nil
}

func (s *Server) create(ctx context.Context) (string, error) {
	name := "t" + strconv.FormatInt(s.databases.Add(1), 10)
	if err := s.exec(ctx, fmt.Sprintf(s.kind.create, name)); err != nil {
		return "", fmt.Errorf("database %s: %w", name, err)
	}
	return name, nil
}

func (s *Server) drop(ctx context.Context, name string) error {
	if err := s.exec(ctx, fmt.Sprintf(s.kind.drop, name)); err != nil {
		return fmt.Errorf("dropping database %s: %w", name, err)
	}
	return nil
}

func (s *Server) exec(ctx context.Context, statement string) error {
	db, err := sql.Open(s.kind.driver, s.kind.connect(s.port, s.kind.root))
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, statement)
	return err
}

// Addr is the address that the server listens on; it survives a restart.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// Pid is the process id of the server, 0 while it does not run.
func (s *Server) Pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pid
}

// Stop ends the server in order and waits for it: connections are cut,
// everything is on disk. Restart starts it again.
func (s *Server) Stop(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(ctx, s.kind.stop)
}

// Kill ends the server as a crash does and waits for it: SIGKILL for MariaDB,
// an immediate shutdown for PostgreSQL, which writes nothing either and leaves
// recovery to the next start.
func (s *Server) Kill(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(ctx, s.kind.crash)
}

// Restart starts the server again on its data and its port, after stopping it
// in order if it still runs, and returns when it answers.
func (s *Server) Restart(ctx context.Context) error {
	s.Stop(ctx)
	return s.launch(ctx)
}

// Pause stops the server's processes in the middle of what they do (SIGSTOP):
// connections stay open and nothing answers, until Resume. Linux only for
// PostgreSQL, whose children are found in /proc.
func (s *Server) Pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signalAll(syscall.SIGSTOP)
}

// Resume ends a Pause.
func (s *Server) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signalAll(syscall.SIGCONT)
}

// signalAll signals the server and its children. The parent comes first, so
// that it starts no new child meanwhile.
func (s *Server) signalAll(sig syscall.Signal) {
	if s.pid == 0 {
		return
	}
	_ = syscall.Kill(s.pid, sig) // it may have ended by itself
	for _, pid := range children(s.pid) {
		_ = syscall.Kill(pid, sig)
	}
}

// Close ends the server and removes its directory. It may be called twice.
func (s *Server) Close() error { return s.close(context.Background()) }

func (s *Server) close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watchdog == nil {
		return nil
	}
	s.end(ctx, s.kind.stop)
	_ = s.pipe.Close()
	err := s.watchdog.Wait()
	s.watchdog = nil
	if err != nil {
		return fmt.Errorf("directory of %s: %w", s.kind.name, err)
	}
	return nil
}

// freePort asks the system for a port that nobody uses now.
func freePort(ctx context.Context) (int, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("a free port: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}
