package dbtest

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Option changes how a server runs.
type Option func(*settings)

type settings struct {
	fast  bool
	flags []string
}

// Fast gives up durability (no fsync at commit) for speed. A server that is
// killed may then lose what it has acknowledged: not for fault tests.
func Fast() Option { return func(s *settings) { s.fast = true } }

// Flag adds a flag to the server's command line, such as
// "--auto-increment-increment=3" for MariaDB, or "-c max_connections=20" for
// PostgreSQL (split at the blank).
func Flag(flag string) Option {
	return func(s *settings) { s.flags = append(s.flags, flag) }
}

func gather(opts []Option) settings {
	var s settings
	for _, opt := range opts {
		opt(&s)
	}
	return s
}

// shared holds the servers of this test binary, one for each kind and set of
// options; the watchdog of each ends it with the process.
var shared = struct {
	sync.Mutex
	servers map[string]*Server
	errs    map[string]error
}{servers: map[string]*Server{}, errs: map[string]error{}}

// startLimit bounds installing, creating and starting a server.
const startLimit = 5 * time.Minute

// MySQL returns the DSN (mysql://root@127.0.0.1:port/name) of a new, empty
// database on a MariaDB server that all tests of the binary with the same
// options share. The database is dropped when the test has ended. It fails the
// test when there is no server to start.
func MySQL(tb testing.TB, opts ...Option) string {
	tb.Helper()
	return fresh(tb, mysqlKind, opts)
}

// Postgres is [MySQL] for PostgreSQL: postgres://postgres@127.0.0.1:port/name.
func Postgres(tb testing.TB, opts ...Option) string {
	tb.Helper()
	return fresh(tb, postgresKind, opts)
}

// SQLite returns the DSN (sqlite:FILE) of a file that does not exist yet, in a
// directory that is removed after the test.
func SQLite(tb testing.TB) string {
	tb.Helper()
	return "sqlite:" + filepath.Join(tb.TempDir(), "xxljob.db")
}

// StartMySQL starts a MariaDB server for this test alone, which may do to it
// what it likes. It is ended and removed after the test.
func StartMySQL(tb testing.TB, opts ...Option) *Server {
	tb.Helper()
	return own(tb, mysqlKind, opts)
}

// StartPostgres is [StartMySQL] for PostgreSQL.
func StartPostgres(tb testing.TB, opts ...Option) *Server {
	tb.Helper()
	return own(tb, postgresKind, opts)
}

// Start starts a server of the kind "mysql" or "postgres" without a test round
// it; Close ends it. It is what the dbserver command uses.
func Start(ctx context.Context, kind string, opts ...Option) (*Server, error) {
	for _, k := range []*engine{mysqlKind, postgresKind} {
		if k.name == kind {
			return start(ctx, k, gather(opts))
		}
	}
	return nil, fmt.Errorf("dbtest: unknown database %q: mysql and postgres are known", kind)
}

func own(tb testing.TB, kind *engine, opts []Option) *Server {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), startLimit)
	defer cancel()
	s, err := start(ctx, kind, gather(opts))
	if err != nil {
		tb.Fatalf("dbtest: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("dbtest: ending %s: %v", kind.name, err)
		}
	})
	return s
}

func fresh(tb testing.TB, kind *engine, opts []Option) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), startLimit)
	defer cancel()
	s, err := sharedServer(ctx, kind, gather(opts))
	if err != nil {
		tb.Fatalf("dbtest: %v", err)
	}
	name, err := s.create(ctx)
	if err != nil {
		tb.Fatalf("dbtest: %v", err)
	}
	after := context.WithoutCancel(ctx)
	tb.Cleanup(func() {
		// Dropping only saves disk: a test that left a transaction open has
		// failed already, or says so itself.
		ctx, cancel := context.WithTimeout(after, 10*time.Second)
		defer cancel()
		if err := s.drop(ctx, name); err != nil {
			tb.Logf("dbtest: %v", err)
		}
	})
	return s.dsn(name)
}

func sharedServer(ctx context.Context, kind *engine, set settings) (*Server, error) {
	key := fmt.Sprintf("%s fast=%t %s", kind.name, set.fast, strings.Join(set.flags, " "))
	shared.Lock()
	defer shared.Unlock()
	if s := shared.servers[key]; s != nil {
		return s, nil
	}
	if err := shared.errs[key]; err != nil {
		return nil, err
	}
	s, err := start(ctx, kind, set)
	if err != nil {
		if ctx.Err() == nil { // a test that was stopped says nothing about the server
			shared.errs[key] = err
		}
		return nil, err
	}
	shared.servers[key] = s
	return s, nil
}
