//go:build linux

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver "mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

const (
	appName     = "load"
	accessToken = "bench-token"
)

// trial is what one window measures.
type trial struct {
	db       string
	rate     int // fires a second
	window   time.Duration
	idleJobs int // jobs that run and are due at another time
	logRows  int // of runs that ended before
}

// jobs is how many jobs fire.
func (t trial) jobs() int { return t.rate * int(period/time.Second) }

// site is a database with jobs, and the addresses of the executors.
type site struct {
	trial  trial
	dsn    string
	driver string
	native string // the driver's own name of the database
	server *dbtest.Server
	end    func() error   // ends the server; nil for SQLite
	ports  []net.Listener // of the executors
	lastID int64          // of the log rows that were seeded
}

// open makes a database for a trial and fills it.
func (b *bench) open(ctx context.Context, t trial) (s *site, err error) {
	s = &site{trial: t}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if err := s.create(ctx, b.dir); err != nil {
		return s, err
	}
	for range b.opt.executors {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return s, err
		}
		s.ports = append(s.ports, l)
	}
	if err := s.migrate(ctx); err != nil {
		return s, err
	}
	return s, s.seed(ctx)
}

// create makes the empty database.
func (s *site) create(ctx context.Context, dir string) error {
	if s.trial.db == "sqlite" {
		folder, err := os.MkdirTemp(dir, "sqlite-")
		if err != nil {
			return err
		}
		s.native = filepath.Join(folder, "xxljob.db")
		s.dsn, s.driver = "sqlite:"+s.native, "sqlite"
		return nil
	}
	server, err := dbtest.Start(ctx, s.trial.db)
	if err != nil {
		return err
	}
	s.server, s.end = server, server.Close
	if s.dsn, err = server.NewDatabase(ctx); err != nil {
		return err
	}
	s.driver, s.native = "pgx", s.dsn
	if s.trial.db == "mysql" {
		address, name, _ := strings.Cut(strings.TrimPrefix(s.dsn, "mysql://root@"), "/")
		s.driver, s.native = "mysql", "root@tcp("+address+")/"+name+"?interpolateParams=true&maxAllowedPacket=0"
	}
	return nil
}

// migrate makes the tables, as the admin would.
func (s *site) migrate(ctx context.Context) error {
	st, err := store.Open(ctx, store.Options{DSN: s.dsn, Location: time.UTC})
	if err != nil {
		return err
	}
	return errors.Join(st.Migrate(ctx), st.Close())
}

// close ends the database server; the folder of SQLite goes with the bench's.
func (s *site) close() {
	for _, l := range s.ports {
		_ = l.Close() // the load has closed it, or nobody listened
	}
	if s.end != nil {
		if err := s.end(); err != nil {
			progress("%v", err)
		}
		return
	}
	if s.native != "" {
		_ = os.RemoveAll(filepath.Dir(s.native)) // close of the bench tries again
	}
}

// addresses are those of the executors.
func (s *site) addresses() (list []string) {
	for _, l := range s.ports {
		list = append(list, "http://"+l.Addr().String()+"/")
	}
	return list
}

// databasePid is the process of the database, 0 for SQLite.
func (s *site) databasePid() int {
	if s.server == nil {
		return 0
	}
	return s.server.Pid()
}

// pids lists the processes in the form of other load tools.
func (s *site) pids(n *node) string {
	text := "admin=" + strconv.Itoa(n.pid())
	if pid := s.databasePid(); pid > 0 {
		text += ",db=" + strconv.Itoa(pid)
	}
	return text
}

// stored is what the database holds after a window.
type stored struct {
	rows, good, open int64
}

// count looks at what the admin has left behind.
func (s *site) count(ctx context.Context) (stored, error) {
	db, err := sql.Open(s.driver, s.native)
	if err != nil {
		return stored{}, err
	}
	defer db.Close()
	var n stored
	query := "SELECT COUNT(*), COALESCE(SUM(CASE WHEN handle_code = 200 AND trigger_code = 200 THEN 1 ELSE 0 END), 0)" +
		" FROM xxl_job_log WHERE id > " + strconv.FormatInt(s.lastID, 10)
	if err := db.QueryRowContext(ctx, query).Scan(&n.rows, &n.good); err != nil {
		return n, fmt.Errorf("count log rows: %w", err)
	}
	if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM xxljob_run").Scan(&n.open); err != nil {
		return n, fmt.Errorf("count open runs: %w", err)
	}
	return n, nil
}
