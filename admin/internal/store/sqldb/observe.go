package sqldb

import (
	"context"
	"database/sql"
)

type observerKey struct{}

// WithObserver returns a context under which each statement that reads outside
// of a writing transaction is told to f before it is run, as it is sent and with
// its arguments. f is called on the goroutine that runs the statement; of several
// it must be safe for concurrent use. It serves the proof that no list reads a
// large table through.
func WithObserver(ctx context.Context, f func(text string, args []any)) context.Context {
	return context.WithValue(ctx, observerKey{}, f)
}

// observe tells the observer of the context, if there is one.
func observe(ctx context.Context, text string, args []any) {
	if f, ok := ctx.Value(observerKey{}).(func(string, []any)); ok {
		f(text, args)
	}
}

// observed is a pool whose statements are told to the observer.
type observed struct{ db *sql.DB }

func (o observed) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return o.db.ExecContext(ctx, query, args...)
}

func (o observed) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	observe(ctx, query, args)
	return o.db.QueryContext(ctx, query, args...)
}

func (o observed) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	observe(ctx, query, args)
	return o.db.QueryRowContext(ctx, query, args...)
}
