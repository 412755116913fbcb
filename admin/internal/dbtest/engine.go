package dbtest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	_ "github.com/go-sql-driver/mysql" // the driver "mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// engine is what differs between the two database servers.
type engine struct {
	name    string   // as in DSNs and on command lines
	account string   // the system account that the server runs as when we are root
	daemon  string   // its program
	dirs    []string // glob patterns of where it may lie beside PATH
	stop    syscall.Signal
	crash   syscall.Signal

	prepare func(bin, dir string) []string                    // creates the data directory
	serve   func(dir string, port int, set settings) []string // the server's arguments
	driver  string
	connect func(port int, database string) string // the driver's own DSN
	root    string                                 // a database that always exists
	create  string                                 // statement with one %s
	drop    string
	scheme  string
	user    string
}

var mysqlKind = &engine{
	name: "mysql", account: "mysql", daemon: "mariadbd",
	dirs: []string{"/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"},
	stop: syscall.SIGTERM, crash: syscall.SIGKILL,
	prepare: func(bin, dir string) []string {
		install := "mariadb-install-db"
		if beside := filepath.Join(filepath.Dir(bin), install); exists(beside) {
			install = beside
		}
		return []string{
			install, "--no-defaults", "--datadir=" + filepath.Join(dir, "data"), "--skip-test-db",
			"--auth-root-authentication-method=normal", "--innodb-flush-log-at-trx-commit=0", "--tmpdir=" + dir,
		}
	},
	serve: func(dir string, port int, set settings) []string {
		args := []string{
			"--no-defaults", "--datadir=" + filepath.Join(dir, "data"), "--bind-address=127.0.0.1",
			"--port=" + strconv.Itoa(port), "--socket=" + filepath.Join(dir, "socket"),
			"--pid-file=" + filepath.Join(dir, "server.pid"), "--skip-name-resolve", "--skip-log-bin",
			// A server that starts removes the temporary tables that it finds in
			// its directory for them, also those of another one.
			"--tmpdir=" + dir,
			"--character-set-server=utf8mb4", "--collation-server=utf8mb4_unicode_ci", "--lc-messages=en_US",
		}
		if set.fast {
			args = append(args, "--innodb-flush-log-at-trx-commit=0")
		}
		return append(args, set.flags...)
	},
	driver: "mysql",
	connect: func(port int, database string) string {
		return "root@tcp(127.0.0.1:" + strconv.Itoa(port) + ")/" + database + "?timeout=2s"
	},
	root:   "mysql",
	create: "CREATE DATABASE %s CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
	drop:   "SET STATEMENT lock_wait_timeout=3 FOR DROP DATABASE IF EXISTS %s",
	scheme: "mysql", user: "root",
}

var postgresKind = &engine{
	name: "postgres", account: "postgres", daemon: "postgres",
	dirs: []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin"},
	// An immediate shutdown is PostgreSQL's crash: nothing is written, the next
	// start recovers, and no child is left that would hold the shared memory.
	stop: syscall.SIGINT, crash: syscall.SIGQUIT,
	prepare: func(bin, dir string) []string {
		return []string{
			filepath.Join(filepath.Dir(bin), "initdb"), "--pgdata=" + filepath.Join(dir, "data"),
			"--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync",
		}
	},
	serve: func(dir string, port int, set settings) []string {
		args := []string{
			"-D", filepath.Join(dir, "data"), "-h", "127.0.0.1", "-p", strconv.Itoa(port),
			"-c", "unix_socket_directories=", "-c", "logging_collector=off",
		}
		if set.fast {
			args = append(args, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
		}
		for _, flag := range set.flags {
			args = append(args, strings.Fields(flag)...)
		}
		return args
	},
	driver: "pgx",
	connect: func(port int, database string) string {
		u := url.URL{
			Scheme: "postgres", User: url.User("postgres"), Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
			Path: "/" + database, RawQuery: "sslmode=disable&connect_timeout=2",
		}
		return u.String()
	},
	root:   "postgres",
	create: "CREATE DATABASE %s TEMPLATE template0",
	drop:   "DROP DATABASE IF EXISTS %s WITH (FORCE)",
	scheme: "postgres", user: "postgres",
}

// find returns the path of the server's program, after installing it if that
// is allowed here.
func (e *engine) find(ctx context.Context) (string, error) {
	if bin := e.look(); bin != "" {
		return bin, nil
	}
	if err := e.install(ctx); err != nil {
		return "", err
	}
	if bin := e.look(); bin != "" {
		return bin, nil
	}
	return "", fmt.Errorf("%s is not on this machine, and installing its package did not bring it", e.daemon)
}

func (e *engine) look() string {
	if e.name == "mysql" { // the first name is the one of MariaDB alone
		if bin, err := exec.LookPath(e.daemon); err == nil {
			return bin
		}
	}
	// Directories before PATH: what lies there knows its neighbours (initdb).
	for _, pattern := range e.dirs {
		found, err := filepath.Glob(filepath.Join(pattern, e.daemon))
		if err == nil && len(found) > 0 {
			return slices.Max(found)
		}
	}
	if bin, err := exec.LookPath(e.daemon); err == nil {
		if real, err := filepath.EvalSymlinks(bin); err == nil {
			return real
		}
		return bin
	}
	return ""
}

// install runs install.sh, which is found from the directory of the test, as
// root or in CI; everybody else is told what to run.
func (e *engine) install(ctx context.Context) error {
	script, err := findUp("internal/dbtest/install.sh")
	if err != nil {
		return fmt.Errorf("%s is not installed (Debian: apt-get install %s): %w", e.daemon, e.packageName(), err)
	}
	if os.Getuid() != 0 && os.Getenv("CI") != "true" {
		return fmt.Errorf("%s is not installed; run: sudo admin/internal/dbtest/install.sh %s", e.daemon, e.name)
	}
	out, err := exec.CommandContext(ctx, "sh", script, e.name).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s is not installed, and install.sh %s ended with %w:\n%s", e.daemon, e.name, err, tail(out))
	}
	return nil
}

func (e *engine) packageName() string {
	if e.name == "mysql" {
		return "mariadb-server"
	}
	return "postgresql"
}

// findUp looks for a file of the admin module, from the working directory up.
func findUp(path string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		for _, candidate := range []string{filepath.Join(dir, path), filepath.Join(dir, "admin", path)} {
			if exists(candidate) {
				return candidate, nil
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("%s was not found above the working directory", path)
		}
		dir = up
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// tail is the end of a log, enough to see what went wrong.
func tail(out []byte) string {
	const most = 3000
	if len(out) > most {
		out = out[len(out)-most:]
	}
	return strings.TrimSpace(string(out))
}
