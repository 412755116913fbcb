package store

import (
	"context"
	"strings"
)

const (
	pageDefault = 10
	pageMax     = 1000
)

// page brings offset and limit of a list into their bounds.
func page(offset, limit int) (int, int) {
	if limit <= 0 {
		limit = pageDefault
	}
	return max(offset, 0), min(limit, pageMax)
}

// where gathers the conditions of a list. The texts that it makes are few,
// since lists of ids are padded to a few lengths.
type where struct {
	conds []string
	args  []any
}

func (w *where) add(cond string, args ...any) {
	w.conds = append(w.conds, cond)
	w.args = append(w.args, args...)
}

// like matches part as a substring, whatever the letters' case as far as the
// database knows it; % and _ stand for themselves.
func (w *where) like(column, part string) {
	if part == "" {
		return
	}
	if checkFields(field{value: part, max: likeMax}) != nil { // no column holds that
		w.add("1 = 0")
		return
	}
	w.add("LOWER("+column+") LIKE LOWER(?) ESCAPE '!'", "%"+likeEscaper.Replace(part)+"%")
}

// likeMax is how wide the widest column is that a list looks into.
const likeMax = 255

var likeEscaper = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// in matches one of the ids, of which there is at least one.
func (w *where) in(column string, ids []int32) {
	args := padded(ids)
	w.add(column+" IN ("+marks(len(args))+")", args...)
}

// String is the clause with its keyword, or nothing.
func (w *where) String() string {
	if len(w.conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conds, " AND ")
}

// groups narrows a list to one group, and to those that a user may see. It
// reports false when nothing can match.
func (w *where) groups(column string, id int32, allowed []int32) bool {
	if allowed != nil {
		if id != 0 {
			found := false
			for _, g := range allowed {
				found = found || g == id
			}
			if !found {
				return false
			}
		} else if len(allowed) == 0 {
			return false
		}
	}
	switch {
	case id != 0:
		w.add(column+" = ?", id)
	case allowed != nil:
		w.in(column, allowed)
	}
	return true
}

// idBatch is how many rows one statement names by their ids, at most.
const idBatch = 512

// padded returns the ids as arguments, the last one repeated until there are
// 1, 8, 64 or a multiple of 512 of them: few statement texts for all lengths.
func padded[T ~int32 | ~int64](ids []T) []any {
	size := 1
	for size < len(ids) && size < idBatch {
		size *= 8
	}
	if n := len(ids); n > idBatch {
		size = (n + idBatch - 1) / idBatch * idBatch
	}
	args := make([]any, size)
	for i := range args {
		args[i] = ids[min(i, len(ids)-1)]
	}
	return args
}

// selectIDs runs a query that selects one number a row.
func selectIDs[T ~int32 | ~int64](ctx context.Context, q querier, text string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []T
	for rows.Next() {
		var id T
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// collect runs a query and reads each row with scan.
func collect[T any](
	ctx context.Context, q querier, scan func(row scanner) (T, error), text string, args ...any,
) ([]T, error) {
	rows, err := q.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, rows.Err()
}

// scanner is *sql.Row or *sql.Rows.
type scanner interface{ Scan(dest ...any) error }
