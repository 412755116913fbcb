package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

const (
	txAttempts = 10                   // how often a transaction runs before its error is returned
	txPause    = 2 * time.Millisecond // before the second one; doubled, at most 100 ms, with jitter
	txLimit    = 30 * time.Second     // for one attempt: a server that neither answers nor ends the connection
	readLimit  = time.Minute          // the same for a read outside of transactions, which may be a long list
)

// Querier is what statements run on: *sql.DB, *sql.Tx or *sql.Conn.
type Querier interface {
	// ExecContext runs a statement that returns no rows.
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	// QueryContext runs one that returns rows, which the caller closes.
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	// QueryRowContext runs one that returns one row.
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Reader is for reads outside of a transaction. On SQLite it never waits for
// the writer. On a server none takes longer than readLimit, with its rows.
func (db *DB) Reader() Querier {
	if db.Local {
		return observed{db.read}
	}
	return bounded{db.read}
}

// bounded gives statements whose context has no deadline one.
type bounded struct{ db *sql.DB }

func (b bounded) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return b.db.ExecContext(withLimit(ctx, readLimit), query, args...)
}

func (b bounded) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	observe(ctx, query, args)
	return b.db.QueryContext(withLimit(ctx, readLimit), query, args...)
}

func (b bounded) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	observe(ctx, query, args)
	return b.db.QueryRowContext(withLimit(ctx, readLimit), query, args...)
}

// withLimit returns a context that ends by itself: rows are read after the call
// that returns them, so nobody could end it sooner.
func withLimit(ctx context.Context, limit time.Duration) context.Context {
	if _, ok := ctx.Deadline(); ok {
		return ctx
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	context.AfterFunc(ctx, cancel)
	return ctx
}

// SQL binds a statement to this database: placeholders, and the columns and
// clauses in braces. The text must be a constant, for it is kept.
func (db *DB) SQL(text string) string {
	if bound, ok := db.texts.Load(text); ok {
		return bound.(string)
	}
	bound := db.Bind(text)
	db.texts.Store(text, bound)
	return bound
}

// Bind is sql for a text that is made at run time.
func (db *DB) Bind(text string) string {
	return db.rebind(db.names.Load().Replace(text))
}

// InTx runs fn in one writing transaction. A deadlock, or a lock that could
// not be had in time, makes fn run again in a new one, so fn must not keep what
// an earlier run of it did. The error of fn rolls the transaction back.
// ErrUnknownOutcome is returned when nobody knows whether COMMIT took place.
func (db *DB) InTx(ctx context.Context, fn func(q Querier) error) error {
	return db.again(ctx, func() error { return db.tryTx(ctx, fn) })
}

// AtOnce runs reads that all see the database as it was at one instant.
func (db *DB) AtOnce(ctx context.Context, fn func(ctx context.Context, q Querier) error) error {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	var opts *sql.TxOptions
	if !db.Local { // SQLite gives every transaction one instant
		opts = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	tx, err := db.read.BeginTx(ctx, opts)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	return fn(ctx, tx)
}

// InSteps runs statements of which each may stand on record without the next
// one. Where a statement costs a round trip, each is a transaction of its own.
func (db *DB) InSteps(ctx context.Context, fn func(ctx context.Context, q Querier) error) error {
	if db.Local {
		return db.InTx(ctx, func(q Querier) error { return fn(ctx, q) })
	}
	return db.again(ctx, func() error {
		limited, cancel := context.WithTimeout(ctx, txLimit)
		defer cancel()
		return fn(limited, db.write)
	})
}

// again tries once more after a deadlock, or a lock that could not be had.
func (db *DB) again(ctx context.Context, try func() error) error {
	pause := txPause
	for attempt := 1; ; attempt++ {
		err := try()
		if err == nil || attempt == txAttempts || errors.Is(err, ErrUnknownOutcome) || !db.Retryable(err) {
			return err
		}
		db.log.DebugContext(ctx, "transaction runs again", slog.Int("attempt", attempt), slog.Any("err", err))
		select {
		case <-time.After(pause/2 + rand.N(pause)):
		case <-ctx.Done():
			return err
		}
		pause = min(2*pause, 100*time.Millisecond)
	}
}

// tryTx is one attempt of InTx.
func (db *DB) tryTx(ctx context.Context, fn func(q Querier) error) error {
	ctx, cancel := context.WithTimeout(ctx, txLimit)
	defer cancel()
	leave, err := db.enterWriter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	// A Tx with a context that ends costs a goroutine, and on SQLite one more
	// for each statement; there nothing can block for long.
	if db.Local {
		ctx = context.WithoutCancel(ctx)
	}
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // No effect after Commit; after an error the error counts.
	if err := fn(pinned{tx: tx, ctx: ctx, local: db.Local}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		if db.notCommitted(err) {
			return fmt.Errorf("commit: %w", err)
		}
		return fmt.Errorf("commit: %w: %w", ErrUnknownOutcome, err)
	}
	return nil
}

// enterWriter waits for the turn to write, where there is one connection for
// all. The pool of database/sql would do too, but it knows no other users: the
// checkpointer takes its turn here.
func (db *DB) enterWriter(ctx context.Context) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if db.writer == nil {
		return func() {}, nil
	}
	select {
	case db.writer <- struct{}{}:
		return func() { <-db.writer }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the turn to write: %w", context.Cause(ctx))
	}
}

// pinned is a transaction whose statements run with the transaction's own
// context where the database is local, so that none of them is cut off in the
// middle by a caller who goes away.
type pinned struct {
	tx    *sql.Tx
	ctx   context.Context
	local bool
}

func (p pinned) pick(ctx context.Context) context.Context {
	if p.local {
		return p.ctx
	}
	return ctx
}

func (p pinned) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return p.tx.ExecContext(p.pick(ctx), query, args...)
}

func (p pinned) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return p.tx.QueryContext(p.pick(ctx), query, args...)
}

func (p pinned) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return p.tx.QueryRowContext(p.pick(ctx), query, args...)
}

// InsertID runs an INSERT of one row and returns the id that the database gave
// it. The text has no RETURNING clause; it is added where it is needed. The
// table's key must be called id.
func (db *DB) InsertID(ctx context.Context, q Querier, text string, args ...any) (int64, error) {
	if db.returning {
		var id int64
		err := q.QueryRowContext(ctx, db.SQL(text+" RETURNING id"), args...).Scan(&id)
		return id, err
	}
	res, err := q.ExecContext(ctx, db.SQL(text), args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// Marks returns "?,?,?" with n question marks.
func Marks(n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(",?", n)[1:]
}

// IntList returns "1,2,3", for an IN list: numbers need no placeholders, and a
// list as text is one statement for every length where the driver binds.
func IntList[T ~int32 | ~int64](ids []T) string {
	b := make([]byte, 0, 8*len(ids))
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return string(b)
}
