package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrationFiles embed.FS

const (
	migrationTable = "xxljob_migrations"
	migrateWait    = time.Minute   // for another node that migrates
	migrateIdle    = 8 * time.Hour // of the connection that holds the lock
	lockName       = "schedule_lock"
)

// settingTable is made before anything else: its first row says that what
// follows is ours, so that a migration that was cut off can go on.
const settingTable = "CREATE TABLE IF NOT EXISTS xxljob_setting (\n" +
	"    name varchar(190) NOT NULL PRIMARY KEY,\n    value text NOT NULL\n)"

// Migrate makes the schema of an empty database, or adds what is missing to
// the schema of a Java admin: our own tables, one column that may be NULL, one
// index, and the row that schedulers lock. Nothing is renamed, changed or
// dropped. It may be called again, also by two nodes at once. The error is
// ErrSchema when the database holds only a part of the tables.
func (s *Store) Migrate(ctx context.Context) error {
	unlock, err := s.lockMigration(ctx)
	if err != nil {
		return fmt.Errorf("migrate: wait for another node: %w", err)
	}
	err = s.migrate(ctx)
	return errors.Join(err, unlock())
}

func (s *Store) migrate(ctx context.Context) error {
	if err := s.probe(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	sc := s.probed()
	if n := len(sc.missing); n > 0 && n < len(javaTables) && !sc.MadeByUs {
		return fmt.Errorf("migrate: %w: %s missing; name an empty database, or restore these tables",
			ErrSchema, strings.Join(sc.missing, ", "))
	}
	if err := s.prepareSettings(ctx, len(sc.missing) == len(javaTables)); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := s.goose(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := s.addToJava(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return s.probe(ctx)
}

// prepareSettings makes the table of settings; in an empty database its first
// row says that all tables are ours.
func (s *Store) prepareSettings(ctx context.Context, empty bool) error {
	text := settingTable
	if s.d.name == mysqlName {
		text += " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"
	}
	if _, err := s.db.ExecContext(ctx, text); err != nil {
		return err
	}
	if !empty {
		return nil
	}
	_, err := s.db.ExecContext(ctx, s.d.rebind("INSERT INTO xxljob_setting (name, value) VALUES (?, ?)"+
		s.d.upsert("name")), madeByKey, madeByValue)
	return err
}

// goose runs the migrations that have not been run yet.
func (s *Store) goose(ctx context.Context) error {
	folder, err := fs.Sub(migrationFiles, "migrations/"+s.d.name)
	if err != nil {
		return err
	}
	dialects := map[string]goose.Dialect{
		sqliteName: goose.DialectSQLite3, mysqlName: goose.DialectMySQL, postgresName: goose.DialectPostgres,
	}
	p, err := goose.NewProvider(dialects[s.d.name], s.db, folder,
		goose.WithTableName(migrationTable), goose.WithDisableGlobalRegistry(true), goose.WithSlog(s.log))
	if err != nil {
		return err
	}
	done, err := p.Up(ctx)
	if err != nil {
		return err
	}
	for _, m := range done {
		s.log.InfoContext(ctx, "schema migrated", slog.String("file", m.Source.Path),
			slog.Duration("duration", m.Duration))
	}
	return nil
}

// addToJava adds what the Java admin does not see to its tables.
func (s *Store) addToJava(ctx context.Context) error {
	if err := s.probe(ctx); err != nil {
		return err
	}
	sc := s.probed()
	if !sc.timeZone {
		text := "ALTER TABLE xxl_job_info ADD COLUMN x_time_zone varchar(64) DEFAULT NULL"
		if err := s.patiently(ctx, text); err != nil {
			return fmt.Errorf("add the column x_time_zone: %w", err)
		}
	}
	if !sc.nextIndex {
		text := "CREATE INDEX x_status_next ON xxl_job_info (trigger_status, trigger_next_time)"
		if err := s.patiently(ctx, text); err != nil {
			return fmt.Errorf("add an index on the next times: %w", err)
		}
	}
	text := s.d.rebind("INSERT INTO xxl_job_lock (lock_name) VALUES (?)" + s.d.upsert("lock_name"))
	err := s.patiently(ctx, text, lockName)
	if err != nil {
		return fmt.Errorf("add the row %s: %w", lockName, err)
	}
	return nil
}

// patiently runs a statement again while another node of the Java admin holds
// the table: lock waits of a connection are short.
func (s *Store) patiently(ctx context.Context, text string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, migrateWait)
	defer cancel()
	for {
		_, err := s.db.ExecContext(ctx, text, args...)
		if err == nil || !s.d.retryable(err) {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// lockMigration keeps other nodes from migrating at once, by a lock of the
// server that ends with its connection.
func (s *Store) lockMigration(ctx context.Context) (unlock func() error, err error) {
	s.migrating.Lock()
	if s.d.local {
		return func() error { s.migrating.Unlock(); return nil }, nil
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		s.migrating.Unlock()
		return nil, err
	}
	take := "SELECT COALESCE(GET_LOCK(CONCAT('xxljob_', LEFT(SHA2(DATABASE(), 256), 32)), 0), 0)"
	give := "DO RELEASE_LOCK(CONCAT('xxljob_', LEFT(SHA2(DATABASE(), 256), 32)))"
	if s.d.name == postgresName {
		take = "SELECT CASE WHEN pg_try_advisory_lock(7807001, hashtext(current_schema())) THEN 1 ELSE 0 END"
		give = "SELECT pg_advisory_unlock(7807001, hashtext(current_schema()))"
	}
	err = s.idleLimit(ctx, conn, migrateIdle)
	if err == nil {
		err = waitLock(ctx, conn, take)
	}
	if err != nil {
		s.migrating.Unlock()
		return nil, errors.Join(err, conn.Close())
	}
	return func() error {
		defer s.migrating.Unlock()
		ctx := context.WithoutCancel(ctx)
		_, err := conn.ExecContext(ctx, give)
		return errors.Join(err, s.idleLimit(ctx, conn, sessionIdle), conn.Close())
	}, nil
}

// idleLimit says how long the server lets a connection be idle. The one that
// holds the lock is, while another one migrates.
func (s *Store) idleLimit(ctx context.Context, conn *sql.Conn, limit time.Duration) error {
	if s.d.name != mysqlName {
		return nil
	}
	_, err := conn.ExecContext(ctx, "SET SESSION "+mysqlLimits(limit, "wait_timeout"))
	return err
}

// waitLock asks for the lock until it is given.
func waitLock(ctx context.Context, conn *sql.Conn, take string) error {
	ctx, cancel := context.WithTimeout(ctx, migrateWait)
	defer cancel()
	for {
		var got int
		if err := conn.QueryRowContext(ctx, take).Scan(&got); err != nil {
			return err
		}
		if got == 1 {
			return nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
