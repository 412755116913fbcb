package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	insertRows   = 512     // rows of one INSERT
	updateRows   = 128     // rows of one UPDATE whose values differ, where it is a CASE for each column
	arrayRows    = 8192    // rows of one statement that takes arrays
	sameRows     = 1024    // rows of one UPDATE whose values are all the same
	bulkMaxBytes = 2 << 20 // text in one statement; servers refuse packets above 4 MiB by default
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

func (t *table) names() string {
	names := make([]string, len(t.cols))
	for i, c := range t.cols {
		names[i] = c.name
	}
	return strings.Join(names, ",")
}

func (t *table) insertValues(n int) string {
	row := ",(" + marks(len(t.cols)) + ")"
	return "INSERT INTO " + t.name + " (" + t.names() + ") VALUES " + strings.Repeat(row, n)[1:]
}

// insertUnnest takes one array a column.
func (t *table) insertUnnest() string {
	return "INSERT INTO " + t.name + " (" + t.names() + ") SELECT " + t.unnested("") + " FROM " + t.unnest("")
}

// unnest is "unnest(…) AS v(c0, c1, …)", with the key before the columns.
func (t *table) unnest(key string) string {
	var args, names []string
	if key != "" {
		args, names = append(args, "?::bigint[]"), append(names, "k")
	}
	for i, c := range t.cols {
		kind := c.kind
		if kind == kindTime {
			kind = kindText
		}
		args, names = append(args, "?::"+string(kind)+"[]"), append(names, "c"+strconv.Itoa(i))
	}
	return "unnest(" + strings.Join(args, ",") + ") AS v(" + strings.Join(names, ",") + ")"
}

func (t *table) unnested(prefix string) string {
	names := make([]string, len(t.cols))
	for i := range t.cols {
		names[i] = prefix + t.value(i)
	}
	return strings.Join(names, ",")
}

// value is the i-th value of an unnested row.
func (t *table) value(i int) string {
	v := "v.c" + strconv.Itoa(i)
	if t.cols[i].kind == kindTime {
		return v + "::timestamp"
	}
	return v
}

// arrays turns rows into one array a column.
func arrays(cols []col, r *rows) []any {
	out := make([]any, 0, len(cols)+1)
	n := r.len()
	for i, c := range cols {
		if c.kind == kindInt {
			list := make([]*int64, n)
			for row := range n {
				if v, ok := r.at(row, i).(int64); ok {
					list[row] = &v
				}
			}
			out = append(out, list)
			continue
		}
		list := make([]*string, n)
		for row := range n {
			if v, ok := r.at(row, i).(string); ok {
				list[row] = &v
			}
		}
		out = append(out, list)
	}
	return out
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

// assign returns the SET list and the further conditions, given how the value
// of a column is written.
func (t *table) assign(value func(i int) string, concat string) (sets, guards string) {
	var list []string
	for i, c := range t.cols {
		v := value(i)
		switch c.op {
		case opSet:
			list = append(list, c.name+"="+v)
		case opFill:
			list = append(list, c.name+"=COALESCE("+c.name+","+v+")")
		case opOver:
			list = append(list, c.name+"=COALESCE("+v+","+c.name+")")
		case opAppend:
			if concat == "" {
				list = append(list, c.name+"=CONCAT(COALESCE("+c.name+",''),"+v+")")
				continue
			}
			list = append(list, c.name+"=COALESCE("+c.name+",'')"+concat+v)
		case opGuard: // not for an index: the key is what finds the row
			guards += " AND " + c.name + "+0=" + v
		}
	}
	return strings.Join(list, ","), guards
}

func (t *table) updateUnnest() string {
	sets, guards := t.assign(t.value, "||")
	// Names on the right side are those of the table, where v has none of them.
	return "UPDATE " + t.name + " SET " + sets + " FROM " + t.unnest("k") + " WHERE " + t.key + "=v.k" + guards
}

// updateCase is one UPDATE of many rows for databases without arrays. A value
// that all rows share is written once; the others stand in a CASE.
func (t *table) updateCase(keys []int64, r *rows) (string, []any) {
	var args []any
	value := func(i int) string {
		if sameColumn(r, i) {
			args = append(args, r.at(0, i))
			return "?"
		}
		var b strings.Builder
		b.WriteString("CASE ")
		b.WriteString(t.key)
		for row, key := range keys {
			b.WriteString(" WHEN ")
			b.WriteString(strconv.FormatInt(key, 10))
			b.WriteString(" THEN ?")
			args = append(args, r.at(row, i))
		}
		b.WriteString(" END")
		return b.String()
	}
	// The arguments come in the order in which the values are written.
	ordered := &table{name: t.name, key: t.key}
	var index []int
	for _, guard := range []bool{false, true} {
		for i, c := range t.cols {
			if (c.op == opGuard) == guard {
				ordered.cols, index = append(ordered.cols, c), append(index, i)
			}
		}
	}
	sets, guards := ordered.assign(func(i int) string { return value(index[i]) }, "")
	return "UPDATE " + t.name + " SET " + sets + " WHERE " + t.key + " IN (" + intList(keys) + ")" + guards, args
}

func sameColumn(r *rows, i int) bool {
	first := r.at(0, i)
	for row := 1; row < r.len(); row++ {
		if r.at(row, i) != first {
			return false
		}
	}
	return true
}

func allSame(r *rows) bool {
	for i := range r.width {
		if !sameColumn(r, i) {
			return false
		}
	}
	return true
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
