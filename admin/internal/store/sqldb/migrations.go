package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"
)

const (
	migrateWait = time.Minute   // for another node that migrates
	migrateIdle = 8 * time.Hour // of the connection that holds the lock
)

// RunMigrations runs the files of the folder that the table does not say to have
// been run.
func (db *DB) RunMigrations(ctx context.Context, folder fs.FS, table string) error {
	dialects := map[string]goose.Dialect{
		SQLite: goose.DialectSQLite3, MySQL: goose.DialectMySQL, Postgres: goose.DialectPostgres,
	}
	p, err := goose.NewProvider(dialects[db.Name], db.write, folder,
		goose.WithTableName(table), goose.WithDisableGlobalRegistry(true), goose.WithSlog(db.log))
	if err != nil {
		return err
	}
	done, err := p.Up(ctx)
	if err != nil {
		return err
	}
	for _, m := range done {
		db.log.InfoContext(ctx, "schema migrated", slog.String("file", m.Source.Path),
			slog.Duration("duration", m.Duration))
	}
	return nil
}

// Patiently runs a statement again while another node of the Java admin holds
// the table: lock waits of a connection are short.
func (db *DB) Patiently(ctx context.Context, text string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, migrateWait)
	defer cancel()
	for {
		_, err := db.write.ExecContext(ctx, text, args...)
		if err == nil || !db.Retryable(err) {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// LockMigration keeps other nodes from migrating at once, by a lock of the
// server that ends with its connection.
func (db *DB) LockMigration(ctx context.Context) (unlock func() error, err error) {
	db.migrating.Lock()
	if db.Local {
		return func() error { db.migrating.Unlock(); return nil }, nil
	}
	conn, err := db.write.Conn(ctx)
	if err != nil {
		db.migrating.Unlock()
		return nil, err
	}
	take := "SELECT COALESCE(GET_LOCK(CONCAT('xxljob_', LEFT(SHA2(DATABASE(), 256), 32)), 0), 0)"
	give := "DO RELEASE_LOCK(CONCAT('xxljob_', LEFT(SHA2(DATABASE(), 256), 32)))"
	if db.Name == Postgres {
		take = "SELECT CASE WHEN pg_try_advisory_lock(7807001, hashtext(current_schema())) THEN 1 ELSE 0 END"
		give = "SELECT pg_advisory_unlock(7807001, hashtext(current_schema()))"
	}
	err = db.idleLimit(ctx, conn, migrateIdle)
	if err == nil {
		err = waitLock(ctx, conn, take)
	}
	if err != nil {
		db.migrating.Unlock()
		return nil, errors.Join(err, conn.Close())
	}
	return func() error {
		defer db.migrating.Unlock()
		ctx := context.WithoutCancel(ctx)
		_, err := conn.ExecContext(ctx, give)
		return errors.Join(err, db.idleLimit(ctx, conn, sessionIdle), conn.Close())
	}, nil
}

// idleLimit says how long the server lets a connection be idle. The one that
// holds the lock is, while another one migrates.
func (db *DB) idleLimit(ctx context.Context, conn *sql.Conn, limit time.Duration) error {
	if db.Name != MySQL {
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
