package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
)

// stmtCacheMax is how many prepared statements a SQLite connection keeps. The
// store has fewer; the bound is against texts that are made at run time.
const stmtCacheMax = 256

// cachingConnector opens SQLite connections that keep their prepared
// statements: the driver would prepare each text again and again, and
// *sql.Stmt cannot be prepared on the one connection that a transaction holds.
type cachingConnector struct{ driver.Connector }

// Connect implements driver.Connector.
func (c *cachingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	full, ok := conn.(sqliteConn)
	if !ok {
		return nil, errors.Join(errors.New("the SQLite driver lacks a method that is needed"), conn.Close())
	}
	return &cachingConn{sqliteConn: full, stmts: make(map[string]*cachedStmt)}, nil
}

// sqliteConn is what the driver's connections can do.
type sqliteConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	driver.ExecerContext
	driver.QueryerContext
}

// cachingConn belongs to one goroutine at a time, as database/sql promises.
type cachingConn struct {
	sqliteConn
	stmts map[string]*cachedStmt
}

// cachedStmt is a prepared statement; busy while its rows are open.
type cachedStmt struct {
	driver.Stmt
	busy bool
}

// stmt returns a prepared statement for the text. once is true when it is not
// kept, and must be closed after its use.
func (c *cachingConn) stmt(ctx context.Context, text string) (st *cachedStmt, once bool, err error) {
	st = c.stmts[text]
	if st != nil && !st.busy {
		return st, false, nil
	}
	prepared, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, false, err
	}
	fresh := &cachedStmt{Stmt: prepared}
	if st != nil || len(c.stmts) >= stmtCacheMax {
		return fresh, true, nil
	}
	c.stmts[text] = fresh
	return fresh, false, nil
}

// ExecContext implements driver.ExecerContext.
func (c *cachingConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 0 { // scripts and pragmas
		return c.sqliteConn.ExecContext(ctx, text, args)
	}
	st, once, err := c.stmt(ctx, text)
	if err != nil {
		return nil, err
	}
	res, err := st.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
	if once {
		err = errors.Join(err, st.Close())
	}
	return res, err
}

// QueryContext implements driver.QueryerContext.
func (c *cachingConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	st, once, err := c.stmt(ctx, text)
	if err != nil {
		return nil, err
	}
	rows, err := st.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		if once {
			err = errors.Join(err, st.Close())
		}
		return nil, err
	}
	st.busy = true
	return &cachedRows{Rows: rows, st: st, once: once}, nil
}

// Close implements driver.Conn.
func (c *cachingConn) Close() error {
	var errs []error
	for _, st := range c.stmts {
		errs = append(errs, st.Close())
	}
	clear(c.stmts)
	return errors.Join(append(errs, c.sqliteConn.Close())...)
}

// cachedRows gives the statement free when they are closed.
type cachedRows struct {
	driver.Rows
	st   *cachedStmt
	once bool
}

// Close implements driver.Rows.
func (r *cachedRows) Close() error {
	if r.st == nil {
		return nil
	}
	err := r.Rows.Close()
	r.st.busy = false
	if r.once {
		err = errors.Join(err, r.st.Close())
	}
	r.st = nil
	return err
}

// Next implements driver.Rows.
func (r *cachedRows) Next(dest []driver.Value) error {
	if r.st == nil {
		return io.EOF
	}
	return r.Rows.Next(dest)
}
