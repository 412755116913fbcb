package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/lifecycle"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrNotFound says that the row asked for does not exist.
	ErrNotFound = errors.New("not found")
	// ErrFenced says that the node no longer holds a lease that the
	// transaction needs. Nothing was written.
	ErrFenced = errors.New("lease lost")
	// ErrLocked says that another process has the SQLite file open.
	ErrLocked = errors.New("in use by another process")
	// ErrDuplicate says that a row with this key exists already.
	ErrDuplicate = errors.New("exists already")
	// ErrTooLong says that a text does not fit into its column.
	ErrTooLong = errors.New("too long")
	// ErrUnknownOutcome says that nobody knows whether the transaction was
	// carried out: the connection ended while COMMIT was under way.
	ErrUnknownOutcome = errors.New("outcome of the transaction is unknown")
	// ErrSchema says that the database holds something that is no xxl-job
	// schema, or a part of one.
	ErrSchema = errors.New("not an xxl-job schema")
)

// Options says which database to open and how to read it.
type Options struct {
	// DSN names the database: sqlite:FILE, mysql://user:pw@host:port/name?params
	// or postgres://user:pw@host:port/name?params. Params are those of the
	// driver (go-sql-driver/mysql, pgx).
	DSN string

	// Location is the zone of all DATETIME columns and of day borders. Default
	// time.Local.
	Location *time.Location

	// Node is whose runs without a lease are put on record. Default nobody's.
	Node string

	// Logger takes what the store does by itself. Default none.
	Logger *slog.Logger
}

// Info is what was found when the database was opened and probed.
type Info struct {
	Dialect        string // "sqlite", "mysql" or "postgres"
	Version        string // of the server, as it says itself
	Generation     string // "S1" … "S5" (admin.md 1.1); "" before Migrate on an empty database
	MadeByUs       bool   // the Java tables were made by Migrate
	TokenColumn    bool   // xxl_job_user.token exists
	GroupToken     bool   // xxl_job_group.access_token exists
	UniqueRegistry bool   // xxl_job_registry forbids a second row of one address
	TitleMax       int    // characters of xxl_job_group.title
	ParamMax       int    // characters of executor_param; of a text column its bytes
	PasswordMax    int    // characters of xxl_job_user.password
}

// Store is an open database. All methods are safe for concurrent use.
type Store struct {
	db  *sql.DB // writes; on SQLite its only connection
	rd  *sql.DB // reads; the same as db but on SQLite
	d   dialect
	loc *time.Location
	log *slog.Logger

	maker int64 // Options.Node as a token, 0 is nobody

	texts sync.Map // statement as written → bound text
	bulk  sync.Map // bulk statement and number of rows → bound text

	mu     sync.RWMutex
	schema schema // guarded by mu; Migrate changes it

	own       *lifecycle.Group // SQLite: the checkpointer
	release   func() error     // SQLite: gives the file lock up
	migrating sync.Mutex
	writer    chan struct{} // SQLite: one slot, held by the transaction that writes
}

// Open connects to the database and probes it. It does not change the schema:
// that is Migrate. A SQLite file is made when it does not exist, and locked
// against other processes until Close; ErrLocked is returned when another one
// has it. Open returns within the time limits of ctx and the DSN.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{loc: o.Location, log: o.Logger, release: func() error { return nil }}
	if o.Node != "" {
		s.maker = model.MakerToken(o.Node)
	}
	if err := s.connect(ctx, o.DSN); err != nil {
		return nil, err
	}
	if err := s.probe(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close ends all connections and gives the lock of a SQLite file up. It waits
// for the statements that are running.
func (s *Store) Close() error {
	if s.own != nil {
		s.own.Stop(errors.New("store closed"))
	}
	err := s.db.Close()
	if s.rd != s.db {
		err = errors.Join(err, s.rd.Close())
	}
	return errors.Join(err, s.release())
}

// Info returns what is known of the schema.
func (s *Store) Info() Info { return s.probed().Info }

// probed returns what the last probe has found.
func (s *Store) probed() schema {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.schema
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	if err := s.reader().QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return fmt.Errorf("ping %s: %w", s.d.name, err)
	}
	return nil
}

// NowMs returns the clock that leases live by, in Unix milliseconds: that of the
// database, and for SQLite that of this process.
func (s *Store) NowMs(ctx context.Context) (int64, error) {
	now, err := s.clock(ctx, s.reader())
	if err != nil {
		return 0, fmt.Errorf("read the clock of the database: %w", err)
	}
	return now, nil
}
