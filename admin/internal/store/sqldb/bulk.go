package sqldb

import (
	"context"
	"fmt"
	"slices"
)

// ArrayRows is how many rows one statement that takes arrays writes, at most.
const ArrayRows = 8192

const (
	insertRows   = 512     // rows of one INSERT
	updateRows   = 128     // rows of one UPDATE whose values differ, where it is a CASE for each column
	sameRows     = 1024    // rows of one UPDATE whose values are all the same
	bulkMaxBytes = 1 << 20 // text in one statement; servers refuse packets above 4 MiB by default
)

// ColKind is what a column holds, for the databases that want to know.
type ColKind string

// What columns hold.
const (
	KindInt  ColKind = "bigint"
	KindText ColKind = "text"
	KindTime ColKind = "timestamp" // passed as text
)

// Col is a column of a bulk statement.
type Col struct {
	Name string
	Kind ColKind
	Op   ColOp
}

// ColOp is what an UPDATE does with a column.
type ColOp int

// What an UPDATE may do with a column.
const (
	OpSet    ColOp = iota // column = value
	OpAppend              // column = what it is, and behind it value
	OpFill                // column = value where it is NULL
	OpOver                // column = value unless that is NULL
	OpGuard               // not set: the row is left alone unless the column has the value
)

// Table is the part of a bulk statement that does not change.
type Table struct {
	Name string
	Key  string // the key column of an UPDATE
	Cols []Col
	Over bool // an INSERT overwrites the row that has the key already
}

// Rows are the values of a bulk statement: len(cols) of them a row, each an
// int64, a string or nil.
type Rows struct {
	width int
	Vals  []any
}

// Add puts one more row behind the others.
func (r *Rows) Add(vals ...any) {
	r.width = len(vals)
	r.Vals = append(r.Vals, vals...)
}

// Len is the number of rows.
func (r *Rows) Len() int {
	if r.width == 0 {
		return 0
	}
	return len(r.Vals) / r.width
}

func (r *Rows) at(row, column int) any { return r.Vals[row*r.width+column] }

// Cut returns the rows from i to before j.
func (r *Rows) Cut(i, j int) *Rows { return &Rows{width: r.width, Vals: r.Vals[i*r.width : j*r.width]} }

// Chunk returns the end of the statement that begins with row i: at most n
// rows, and not too much text.
func (r *Rows) Chunk(i, n int) int {
	end := min(i+n, r.Len())
	size := 0
	for row := i; row < end; row++ {
		for _, v := range r.Vals[row*r.width : (row+1)*r.width] {
			if s, ok := v.(string); ok {
				size += len(s)
			}
		}
		if size > bulkMaxBytes && row > i {
			return row
		}
	}
	return end
}

// Insert writes all rows. done is told of each statement: its first row and
// what the database says of ids.
func (db *DB) Insert(ctx context.Context, q Querier, t *Table, r *Rows, done func(from, to int, lastID int64)) error {
	most := insertRows
	switch {
	case db.Local:
		most = statementSize(insertRows)
	case db.Name == Postgres:
		most = ArrayRows
	}
	for i := 0; i < r.Len(); {
		end := r.Chunk(i, most)
		if db.Local {
			end = i + statementSize(end-i)
		}
		last, err := db.insertChunk(ctx, q, t, r.Cut(i, end))
		if err != nil {
			return err
		}
		if done != nil {
			done(i, end, last)
		}
		i = end
	}
	return nil
}

// statementSize is the largest of the few numbers of rows that statements are
// prepared for that is not above n.
func statementSize(n int) int {
	for _, size := range []int{64, 8} {
		if n >= size {
			return size
		}
	}
	return 1
}

func (db *DB) insertChunk(ctx context.Context, q Querier, t *Table, r *Rows) (lastID int64, err error) {
	if db.Name == Postgres {
		text := db.Built(t, "insert", 0, func() string { return t.insertUnnest() + db.overwrite(t) })
		_, err := q.ExecContext(ctx, text, Arrays(t.Cols, r)...)
		return 0, err
	}
	text := ""
	if db.Local || r.Len() == insertRows {
		text = db.Built(t, "insert", r.Len(), func() string { return t.InsertValues(r.Len()) + db.overwrite(t) })
	} else {
		text = t.InsertValues(r.Len()) + db.overwrite(t) // it goes over the wire: not worth keeping
	}
	res, err := q.ExecContext(ctx, text, r.Vals...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// overwrite is the tail of an INSERT into t.
func (db *DB) overwrite(t *Table) string {
	if !t.Over {
		return ""
	}
	cols := make([]string, 0, len(t.Cols))
	for _, c := range t.Cols {
		if c.Name != t.Key {
			cols = append(cols, c.Name)
		}
	}
	return db.Upsert(t.Key, cols...)
}

// InsertForIDs writes all rows and returns the ids that they got, on PostgreSQL
// in no order. step is the distance of ids that MySQL gives out, 0 when it is not
// known.
func (db *DB) InsertForIDs(ctx context.Context, q Querier, t *Table, r *Rows, step int64) (ids []int64, err error) {
	switch {
	case db.Name == Postgres:
		text := db.Built(t, "insert for ids", 0, func() string { return t.insertUnnest() + " RETURNING id" })
		for i := 0; i < r.Len() && err == nil; {
			end := r.Chunk(i, ArrayRows)
			var more []int64
			more, err = SelectIDs[int64](ctx, q, text, Arrays(t.Cols, r.Cut(i, end))...)
			ids, i = append(ids, more...), end
		}
		return ids, err
	case db.Name != MySQL:
		step = 1
	case step == 0:
		if err := q.QueryRowContext(ctx, "SELECT @@auto_increment_increment").Scan(&step); err != nil {
			return nil, fmt.Errorf("read auto_increment_increment: %w", err)
		}
	}
	err = db.Insert(ctx, q, t, r, func(from, to int, id int64) {
		if db.Local { // the last one, of ids without a hole
			id -= int64(to - from - 1)
		}
		for range to - from {
			ids = append(ids, id)
			id += step
		}
	})
	return ids, err
}

// Built returns the text of a bulk statement, which is made once for each
// number of rows.
func (db *DB) Built(t *Table, verb string, n int, build func() string) string {
	type key struct {
		t    *Table
		verb string
		n    int
	}
	k := key{t, verb, n}
	if text, ok := db.bulk.Load(k); ok {
		return text.(string)
	}
	text := db.rebind(build())
	db.bulk.Store(k, text)
	return text
}

// Update sets the columns of the rows with these keys and returns how many
// rows there were. The keys should ascend, so that two transactions lock in
// the same order.
func (db *DB) Update(ctx context.Context, q Querier, t *Table, keys []int64, r *Rows) (matched int64, err error) {
	for i := 0; i < len(keys); {
		var n int64
		var end int
		switch db.Name {
		case SQLite:
			end = i + 1
			n, err = db.updateOne(ctx, q, t, keys[i], r.Cut(i, end))
		case Postgres:
			end = r.Chunk(i, ArrayRows)
			text := db.Built(t, "update", 0, t.updateUnnest)
			n, err = Affected(q.ExecContext(ctx, text, append([]any{keys[i:end]}, Arrays(t.Cols, r.Cut(i, end))...)...))
		default:
			end = r.Chunk(i, sameRows)
			if end > i+updateRows && !allSame(r.Cut(i, end)) {
				end = i + updateRows
			}
			text, args := t.updateCase(keys[i:end], r.Cut(i, end))
			n, err = Affected(q.ExecContext(ctx, text, args...))
		}
		if err != nil {
			return matched, err
		}
		matched += n
		i = end
	}
	return matched, nil
}

// Affected is how many rows a statement has found; it takes what ExecContext returns.
func Affected(res interface{ RowsAffected() (int64, error) }, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// updateOne is the statement of a database that has no round trips.
func (db *DB) updateOne(ctx context.Context, q Querier, t *Table, key int64, r *Rows) (int64, error) {
	text := db.Built(t, "update", 1, func() string {
		sets, guards := t.assign(func(int) string { return "?" }, "||")
		return "UPDATE " + t.Name + " SET " + sets + " WHERE " + t.Key + "=?" + guards
	})
	args := make([]any, 0, len(t.Cols)+1)
	for i, c := range t.Cols {
		if c.Op != OpGuard {
			args = append(args, r.at(0, i))
		}
	}
	args = append(args, key)
	for i, c := range t.Cols {
		if c.Op == OpGuard {
			args = append(args, r.at(0, i))
		}
	}
	return Affected(q.ExecContext(ctx, text, args...))
}

// In is the condition that a column is one of ids, and its argument: one text
// for any number of ids where statements are prepared.
func (db *DB) In(column string, ids []int64) (text string, args []any) {
	switch db.Name {
	case SQLite:
		return column + " IN (SELECT value FROM json_each(?))", []any{"[" + IntList(ids) + "]"}
	case Postgres:
		return column + " = ANY(?::bigint[])", []any{ids}
	}
	if len(ids) == 0 {
		return "1 = 0", nil
	}
	return column + " IN (" + IntList(ids) + ")", nil
}

// Savepoint runs fn and takes back what it did when it fails.
func Savepoint(ctx context.Context, q Querier, fn func() error) error {
	if _, err := q.ExecContext(ctx, "SAVEPOINT xxljob"); err != nil {
		return err
	}
	if err := fn(); err != nil {
		if _, back := q.ExecContext(ctx, "ROLLBACK TO SAVEPOINT xxljob"); back != nil {
			return fmt.Errorf("%w; and back to the savepoint: %w", err, back)
		}
		return err
	}
	_, err := q.ExecContext(ctx, "RELEASE SAVEPOINT xxljob")
	return err
}

// SortedIDs returns the distinct ids in order.
func SortedIDs[T int32 | int64](ids []T) []int64 {
	out := make([]int64, len(ids))
	for i, id := range ids {
		out[i] = int64(id)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
