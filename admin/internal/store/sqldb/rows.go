package sqldb

import "context"

// IDBatch is how many rows one statement names by their ids, at most.
const IDBatch = 512

// Padded returns the ids as arguments, the last one repeated until there are
// 1, 8, 64 or a multiple of 512 of them: few statement texts for all lengths.
func Padded[T ~int32 | ~int64](ids []T) []any {
	size := 1
	for size < len(ids) && size < IDBatch {
		size *= 8
	}
	if n := len(ids); n > IDBatch {
		size = (n + IDBatch - 1) / IDBatch * IDBatch
	}
	args := make([]any, size)
	for i := range args {
		args[i] = ids[min(i, len(ids)-1)]
	}
	return args
}

// SelectIDs runs a query that selects one number a row.
func SelectIDs[T ~int32 | ~int64](ctx context.Context, q Querier, text string, args ...any) ([]T, error) {
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

// Collect runs a query and reads each row with scan.
func Collect[T any](
	ctx context.Context, q Querier, scan func(row Scanner) (T, error), text string, args ...any,
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

// Scanner is *sql.Row or *sql.Rows.
type Scanner interface {
	// Scan reads the columns of the row.
	Scan(dest ...any) error
}
