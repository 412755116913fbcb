package store

import (
	"context"
	"fmt"
	"slices"
)

const (
	insertRows   = 512     // rows of one INSERT
	updateRows   = 128     // rows of one UPDATE whose values differ, where it is a CASE for each column
	arrayRows    = 8192    // rows of one statement that takes arrays
	sameRows     = 1024    // rows of one UPDATE whose values are all the same
	bulkMaxBytes = 1 << 20 // text in one statement; servers refuse packets above 4 MiB by default
)

// colKind is what a column holds, for the databases that want to know.
type colKind string

const (
	kindInt  colKind = "bigint"
	kindText colKind = "text"
	kindTime colKind = "timestamp" // passed as text
)

// col is a column of a bulk statement.
type col struct {
	name string
	kind colKind
	op   colOp
}

// colOp is what an UPDATE does with a column.
type colOp int

const (
	opSet    colOp = iota // column = value
	opAppend              // column = what it is, and behind it value
	opFill                // column = value where it is NULL
	opOver                // column = value unless that is NULL
	opGuard               // not set: the row is left alone unless the column has the value
)

// table is the part of a bulk statement that does not change.
type table struct {
	name string
	key  string // the key column of an UPDATE
	cols []col
}

// rows are the values of a bulk statement: len(cols) of them a row, each an
// int64, a string or nil.
type rows struct {
	width int
	vals  []any
}

func (r *rows) add(vals ...any) {
	r.width = len(vals)
	r.vals = append(r.vals, vals...)
}

func (r *rows) len() int {
	if r.width == 0 {
		return 0
	}
	return len(r.vals) / r.width
}

func (r *rows) at(row, column int) any { return r.vals[row*r.width+column] }

// cut returns the rows from i to before j.
func (r *rows) cut(i, j int) *rows { return &rows{width: r.width, vals: r.vals[i*r.width : j*r.width]} }

// chunk returns the end of the statement that begins with row i: at most n
// rows, and not too much text.
func (r *rows) chunk(i, n int) int {
	end := min(i+n, r.len())
	size := 0
	for row := i; row < end; row++ {
		for _, v := range r.vals[row*r.width : (row+1)*r.width] {
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

// insert writes all rows. done is told of each statement: its first row and
// what the database says of ids.
func (s *Store) insert(ctx context.Context, q querier, t *table, r *rows, done func(from, to int, lastID int64)) error {
	most := insertRows
	switch {
	case s.d.local:
		most = statementSize(insertRows)
	case s.d.name == postgresName:
		most = arrayRows
	}
	for i := 0; i < r.len(); {
		end := r.chunk(i, most)
		if s.d.local {
			end = i + statementSize(end-i)
		}
		last, err := s.insertChunk(ctx, q, t, r.cut(i, end))
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

func (s *Store) insertChunk(ctx context.Context, q querier, t *table, r *rows) (lastID int64, err error) {
	if s.d.name == postgresName {
		text := s.built(t, "insert", 0, func() string { return t.insertUnnest() })
		_, err := q.ExecContext(ctx, text, arrays(t.cols, r)...)
		return 0, err
	}
	text := ""
	if s.d.local || r.len() == insertRows {
		text = s.built(t, "insert", r.len(), func() string { return t.insertValues(r.len()) })
	} else {
		text = t.insertValues(r.len()) // goes over the wire as it is: not worth keeping for every length
	}
	res, err := q.ExecContext(ctx, text, r.vals...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// built returns the text of a bulk statement, which is made once for each
// number of rows.
func (s *Store) built(t *table, verb string, n int, build func() string) string {
	type key struct {
		t    *table
		verb string
		n    int
	}
	k := key{t, verb, n}
	if text, ok := s.bulk.Load(k); ok {
		return text.(string)
	}
	text := s.d.rebind(build())
	s.bulk.Store(k, text)
	return text
}

// update sets the columns of the rows with these keys and returns how many
// rows there were. The keys should ascend, so that two transactions lock in
// the same order.
func (s *Store) update(ctx context.Context, q querier, t *table, keys []int64, r *rows) (matched int64, err error) {
	for i := 0; i < len(keys); {
		var n int64
		var end int
		switch s.d.name {
		case sqliteName:
			end = i + 1
			n, err = s.updateOne(ctx, q, t, keys[i], r.cut(i, end))
		case postgresName:
			end = r.chunk(i, arrayRows)
			text := s.built(t, "update", 0, t.updateUnnest)
			n, err = affected(q.ExecContext(ctx, text, append([]any{keys[i:end]}, arrays(t.cols, r.cut(i, end))...)...))
		default:
			end = r.chunk(i, sameRows)
			if end > i+updateRows && !allSame(r.cut(i, end)) {
				end = i + updateRows
			}
			text, args := t.updateCase(keys[i:end], r.cut(i, end))
			n, err = affected(q.ExecContext(ctx, text, args...))
		}
		if err != nil {
			return matched, err
		}
		matched += n
		i = end
	}
	return matched, nil
}

func affected(res interface{ RowsAffected() (int64, error) }, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// updateOne is the statement of a database that has no round trips.
func (s *Store) updateOne(ctx context.Context, q querier, t *table, key int64, r *rows) (int64, error) {
	text := s.built(t, "update", 1, func() string {
		sets, guards := t.assign(func(int) string { return "?" }, "||")
		return "UPDATE " + t.name + " SET " + sets + " WHERE " + t.key + "=?" + guards
	})
	args := make([]any, 0, len(t.cols)+1)
	for i, c := range t.cols {
		if c.op != opGuard {
			args = append(args, r.at(0, i))
		}
	}
	args = append(args, key)
	for i, c := range t.cols {
		if c.op == opGuard {
			args = append(args, r.at(0, i))
		}
	}
	return affected(q.ExecContext(ctx, text, args...))
}

// in is the condition that a column is one of ids, and its argument: one text
// for any number of ids where statements are prepared.
func (s *Store) in(column string, ids []int64) (text string, args []any) {
	switch s.d.name {
	case sqliteName:
		return column + " IN (SELECT value FROM json_each(?))", []any{"[" + intList(ids) + "]"}
	case postgresName:
		return column + " = ANY(?::bigint[])", []any{ids}
	}
	if len(ids) == 0 {
		return "1 = 0", nil
	}
	return column + " IN (" + intList(ids) + ")", nil
}

// savepoint runs fn and takes back what it did when it fails.
func savepoint(ctx context.Context, q querier, fn func() error) error {
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

// sortedIDs returns the distinct ids in order.
func sortedIDs[T int32 | int64](ids []T) []int64 {
	out := make([]int64, len(ids))
	for i, id := range ids {
		out[i] = int64(id)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
