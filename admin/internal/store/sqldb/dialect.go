package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// The names of the databases, as Info.Dialect gives them.
const (
	SQLite   = "sqlite"
	MySQL    = "mysql"
	Postgres = "postgres"
)

// Dialect is what differs between the databases beyond the names of columns.
type Dialect struct {
	Name      string
	Local     bool   // SQLite: in this process, one writer
	numbered  bool   // placeholders are $1, $2 …
	returning bool   // INSERT … RETURNING gives the new ids
	lock      string // the row lock clause of a SELECT
	now       string // expression of the clock in Unix milliseconds; "" is this process's clock

	// Kind sorts an error of the driver.
	kind func(err error) errKind
}

// errKind is what an error of the database means for a transaction.
type errKind int

const (
	errOther     errKind = iota // whatever it is, it is not one of these
	errConn                     // the connection has ended, or may have
	errRetry                    // deadlock, lock wait, serialisation: run again
	errDuplicate                // a key exists
	errRow                      // the database refuses this row, not its neighbours
	errServer                   // the server refuses for another reason: full, read-only, no right
)

// Retryable reports whether the transaction may succeed when it runs again.
func (d *Dialect) Retryable(err error) bool { return d.kind(err) == errRetry }

// Duplicate reports whether the database refused a row because of a key that exists.
func (d *Dialect) Duplicate(err error) bool { return d.kind(err) == errDuplicate }

// RefusesRow reports whether the error is about the values of a row.
func (d *Dialect) RefusesRow(err error) bool {
	k := d.kind(err)
	return k == errRow || k == errDuplicate
}

// notCommitted reports whether an error of COMMIT says for certain that the
// transaction was rolled back.
func (d *Dialect) notCommitted(err error) bool {
	switch d.kind(err) {
	case errRetry, errDuplicate, errRow, errServer:
		return true
	case errConn, errOther:
	}
	return false
}

// connError reports whether err is one of a connection or of a context: what
// the server did is then unknown.
func connError(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded)
}

// LockOf is the row lock of one table of a join, where the database can lock
// one; MySQL locks the rows of all of them.
func (d *Dialect) LockOf(alias string) string {
	if d.Name == Postgres {
		return " FOR UPDATE OF " + alias
	}
	return d.lock
}

// rebind replaces ? by $1, $2 … outside of quotes where the database wants it.
func (d *Dialect) rebind(text string) string {
	if !d.numbered || !strings.Contains(text, "?") {
		return text
	}
	b := make([]byte, 0, len(text)+16)
	n, quoted := 0, false
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '\'':
			quoted = !quoted
		case c == '?' && !quoted:
			n++
			b = append(b, '$')
			b = strconv.AppendInt(b, int64(n), 10)
			continue
		}
		b = append(b, c)
	}
	return string(b)
}

// Upsert is the tail of an INSERT that overwrites cols of the row that has the
// key already; without cols that row stays as it is.
func (d *Dialect) Upsert(key string, cols ...string) string {
	mysql := d.Name == MySQL
	if len(cols) == 0 {
		if mysql {
			first, _, _ := strings.Cut(key, ",")
			return " ON DUPLICATE KEY UPDATE " + first + "=" + first
		}
		return " ON CONFLICT (" + key + ") DO NOTHING"
	}
	sets := make([]string, len(cols))
	for i, c := range cols {
		sets[i] = c + "=excluded." + c
		if mysql {
			sets[i] = c + "=VALUES(" + c + ")"
		}
	}
	if mysql {
		return " ON DUPLICATE KEY UPDATE " + strings.Join(sets, ",")
	}
	return " ON CONFLICT (" + key + ") DO UPDATE SET " + strings.Join(sets, ",")
}

// Clock reads the clock that leases live by: the database's, and that of this
// process where the database is inside it.
func (db *DB) Clock(ctx context.Context, q Querier) (int64, error) {
	if db.now == "" {
		return time.Now().UnixMilli(), nil
	}
	var now int64
	err := q.QueryRowContext(ctx, "SELECT "+db.now).Scan(&now)
	return now, err
}

// Timed puts that clock into a statement in place of {now}, and binds it. So no
// round trip is spent on the clock alone.
func (db *DB) Timed(text string, args ...any) (bound string, all []any) {
	if db.now != "" {
		return db.Bind(strings.ReplaceAll(text, "{now}", db.now)), args
	}
	now := time.Now().UnixMilli()
	parts := strings.Split(text, "{now}")
	for i, part := range parts {
		n := strings.Count(part, "?")
		all, args = append(all, args[:n]...), args[n:]
		if i < len(parts)-1 {
			all = append(all, now)
		}
	}
	return db.Bind(strings.Join(parts, "?")), all
}
