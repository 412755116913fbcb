package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/xxljob-go/xxljob/admin/internal/store/filelock"
	"github.com/xxljob-go/xxljob/internal/lifecycle"
)

const (
	sqliteReaders    = 4               // connections that read
	checkpointEvery  = time.Second     // the checkpointer looks at the log
	checkpointFrom   = 4 << 20         // bytes of the log from which its pages are copied back
	checkpointHard   = 64 << 20        // bytes from which the writer waits for the rest
	checkpointRest   = 1024            // pages, a few of which the writer waits for
	checkpointRounds = 5               // after which it waits for more
	sqliteBusy       = 5 * time.Second // a lock of another program, such as a backup
)

var sqliteDialect = Dialect{
	Name:      SQLite,
	Local:     true,
	returning: true,
	kind:      sqliteKind,
}

// checkFile refuses what is no name of a file.
func checkFile(file string) error {
	if file == "" || strings.Contains(file, ":memory:") || strings.Contains(file, "?") {
		return fmt.Errorf("database sqlite:%s: name a file, such as sqlite:/var/lib/xxl-job/admin.db; "+
			"memory and parameters are not supported", file)
	}
	return nil
}

// connectSQLite opens the file, which is made when it is missing.
func (db *DB) connectSQLite(ctx context.Context, file string) error {
	db.Dialect = sqliteDialect
	if err := checkFile(file); err != nil {
		return err
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return fmt.Errorf("database sqlite:%s: %w", file, err)
	}
	release, err := filelock.Take(path + ".lock")
	if err != nil {
		return fmt.Errorf("database sqlite:%s: %w", file, err)
	}
	db.release = sync.OnceValue(release) // Close may be called again
	if err := db.openSQLite(ctx, path); err != nil {
		return errors.Join(fmt.Errorf("database sqlite:%s: %w", file, err), db.release())
	}
	return nil
}

func (db *DB) openSQLite(ctx context.Context, path string) error {
	// The file holds password hashes and tokens: it is the owner's alone.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	base := "file:" + (&url.URL{Path: path}).EscapedPath() +
		fmt.Sprintf("?_pragma=busy_timeout(%d)", sqliteBusy.Milliseconds())
	write, err := sqlite.NewConnector(base + "&_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
		"&_pragma=wal_autocheckpoint(0)&_pragma=cache_size(-32768)&_pragma=temp_store(MEMORY)&_pragma=foreign_keys(0)")
	if err != nil {
		return err
	}
	read, err := sqlite.NewConnector(base + "&_pragma=query_only(1)&_pragma=cache_size(-8192)" +
		"&_pragma=temp_store(MEMORY)&_pragma=wal_autocheckpoint(0)")
	if err != nil {
		return err
	}
	db.write = sql.OpenDB(&cachingConnector{write})
	db.write.SetMaxOpenConns(1)
	db.read = sql.OpenDB(&cachingConnector{read})
	db.read.SetMaxOpenConns(sqliteReaders)
	db.read.SetMaxIdleConns(sqliteReaders)
	db.writer = make(chan struct{}, 1)
	var mode string
	if err := db.write.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return errors.Join(fmt.Errorf("open: %w; is it a SQLite database, and writable?", err),
			db.write.Close(), db.read.Close())
	}
	if mode != "wal" {
		return errors.Join(fmt.Errorf("journal mode is %s, a write-ahead log is needed; "+
			"the file must lie on a local file system", mode), db.write.Close(), db.read.Close())
	}
	db.own = lifecycle.NewGroup(context.WithoutCancel(ctx))
	db.own.Go(func(ctx context.Context) { db.checkpoints(ctx, path+"-wal") })
	return nil
}

// checkpoints copies the pages of the write-ahead log back into the file,
// beside the writer. When the log has grown long all the same, because there
// was never a moment without a new page, the writer waits for the short rest,
// so that the log can begin anew.
func (db *DB) checkpoints(ctx context.Context, wal string) {
	tick := time.NewTicker(checkpointEvery)
	defer tick.Stop()
	conn, err := db.checkpointer(ctx)
	if err != nil {
		if ctx.Err() == nil {
			db.log.ErrorContext(ctx, "no checkpoints", slog.Any("err", err))
		}
		return
	}
	defer conn.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if size := fileSize(wal); size >= checkpointFrom {
			if err := db.checkpoint(ctx, conn, size); err != nil && ctx.Err() == nil {
				db.log.WarnContext(ctx, "checkpoint", slog.Any("err", err))
			}
		}
	}
}

// checkpointer is a connection that may copy pages. It waits for nobody: while
// somebody reads for long, the writer must not be held up until he has done.
func (db *DB) checkpointer(ctx context.Context) (*sql.Conn, error) {
	conn, err := db.read.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, "PRAGMA query_only=0; PRAGMA busy_timeout=0"); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// checkpoint copies pages. A log that somebody still reads does not begin anew;
// the next call tries again.
func (db *DB) checkpoint(ctx context.Context, conn *sql.Conn, size int64) error {
	ctx = context.WithoutCancel(ctx) // a cut off checkpoint gains nothing
	for copied, rounds := int64(0), 0; ; rounds++ {
		frames, done, err := copyPages(ctx, conn, "PASSIVE")
		if err != nil || size < checkpointHard {
			return err
		}
		// What was written meanwhile is copied as well, until little is left to wait for.
		if frames-copied < checkpointRest || done <= copied || rounds == checkpointRounds {
			break
		}
		copied = done
	}
	leave, err := db.enterWriter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	_, _, err = copyPages(ctx, conn, "TRUNCATE")
	return err
}

// copyPages is one checkpoint. It returns the length of the log, in pages, and
// how much of it is in the file now.
func copyPages(ctx context.Context, conn *sql.Conn, mode string) (frames, done int64, err error) {
	var busy bool
	err = conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &frames, &done)
	return frames, done, err
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// sqliteKind sorts the errors of the driver.
func sqliteKind(err error) errKind {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		if connError(err) {
			return errConn
		}
		return errOther
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return errDuplicate
	case sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC:
		return errOther // the frames may be in the log all the same
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return errRetry
	case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH:
		return errRow
	}
	return errServer
}
