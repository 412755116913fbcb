package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrNotFound says that the row asked for does not exist.
	ErrNotFound = errors.New("not found")
	// ErrFenced says that the node no longer holds a lease that the
	// transaction needs. Nothing was written.
	ErrFenced = errors.New("lease lost")
	// ErrLocked says that another process has the SQLite file open.
	ErrLocked = sqldb.ErrLocked
	// ErrDuplicate says that a row with this key exists already.
	ErrDuplicate = errors.New("exists already")
	// ErrTooLong says that a text does not fit into its column.
	ErrTooLong = errors.New("too long")
	// ErrUnknownOutcome says that nobody knows whether the transaction was
	// carried out: the connection ended while COMMIT was under way.
	ErrUnknownOutcome = sqldb.ErrUnknownOutcome
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
	db  *sqldb.DB
	loc *time.Location
	log *slog.Logger

	maker int64 // Options.Node as a token, 0 is nobody

	mu     sync.RWMutex
	schema schema // guarded by mu; Migrate changes it
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
	db, err := sqldb.Open(ctx, sqldb.Config{DSN: o.DSN, Location: o.Location, Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, loc: o.Location, log: o.Logger}
	if o.Node != "" {
		s.maker = model.MakerToken(o.Node)
	}
	if err := s.probe(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// CheckDSN reports what Open would refuse about a DSN before it looks for the
// database. It opens nothing, and its errors show no password.
func CheckDSN(dsn string) error { return sqldb.CheckDSN(dsn) }

// WithObserver returns a context under which each statement that reads outside
// of a writing transaction is told to f before it is run, as it is sent and with
// its arguments. f is called on the goroutine that runs the statement; of several
// it must be safe for concurrent use. It serves the proof that no list reads a
// large table through.
func WithObserver(ctx context.Context, f func(text string, args []any)) context.Context {
	return sqldb.WithObserver(ctx, f)
}

// Close ends all connections and gives the lock of a SQLite file up. It waits
// for the statements that are running.
func (s *Store) Close() error { return s.db.Close() }

// Info returns what is known of the schema.
func (s *Store) Info() Info { return s.probed().Info }

// probed returns what the last probe has found.
func (s *Store) probed() schema {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.schema
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// NowMs returns the clock that leases live by, in Unix milliseconds: that of the
// database, and for SQLite that of this process.
func (s *Store) NowMs(ctx context.Context) (int64, error) {
	now, err := s.db.Clock(ctx, s.db.Reader())
	if err != nil {
		return 0, fmt.Errorf("read the clock of the database: %w", err)
	}
	return now, nil
}
