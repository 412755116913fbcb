package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/store/filelock"
	"github.com/xxljob-go/xxljob/internal/lifecycle"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrLocked says that another process has the SQLite file open.
	ErrLocked = filelock.ErrLocked
	// ErrUnknownOutcome says that nobody knows whether the transaction was
	// carried out: the connection ended while COMMIT was under way.
	ErrUnknownOutcome = errors.New("outcome of the transaction is unknown")
)

// Config says which database to open and how to read it.
type Config struct {
	DSN      string         // sqlite:FILE, mysql://… or postgres://…, parameters are those of the driver
	Location *time.Location // of DATETIME columns
	Logger   *slog.Logger
}

// DB is an open database. All methods are safe for concurrent use.
type DB struct {
	Dialect

	write *sql.DB // on SQLite its only connection
	read  *sql.DB // the same as write but on SQLite
	loc   *time.Location
	log   *slog.Logger

	names atomic.Pointer[strings.Replacer] // what stands in braces → what this database says for it
	texts sync.Map                         // statement as written → bound text
	bulk  sync.Map                         // bulk statement and number of rows → bound text

	own       *lifecycle.Group // SQLite: the checkpointer
	release   func() error     // SQLite: gives the file lock up
	migrating sync.Mutex
	writer    chan struct{} // SQLite: one slot, held by the transaction that writes
}

// Open connects to the database. A SQLite file is made when it does not
// exist, and locked against other processes until Close; ErrLocked is returned
// when another one has it. It returns within the time limits of ctx and the DSN.
func Open(ctx context.Context, c Config) (*DB, error) {
	db := &DB{loc: c.Location, log: c.Logger, release: func() error { return nil }}
	if err := db.connect(ctx, c.DSN); err != nil {
		return nil, err
	}
	db.SetNames()
	return db, nil
}

// Close ends all connections and gives the lock of a SQLite file up. It waits
// for the statements that are running, and may be called again.
func (db *DB) Close() error {
	if db.own != nil {
		db.own.Stop(errors.New("store closed"))
	}
	err := db.write.Close()
	if db.read != db.write {
		err = errors.Join(err, db.read.Close())
	}
	return errors.Join(err, db.release())
}

// SetNames says what the words in braces are in this database, as pairs: the
// word with its braces, and what is to stand in its place. {lock} is known
// always.
func (db *DB) SetNames(pairs ...string) {
	db.names.Store(strings.NewReplacer(append(pairs, "{lock}", db.lock)...))
	db.texts.Clear()
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	if err := db.Reader().QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return fmt.Errorf("ping %s: %w", db.Name, err)
	}
	return nil
}
