package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// textMax is how many bytes a text column takes on every database.
const textMax = 65535

// DeleteUnsent deletes the runs among logIDs that no executor has taken, with
// their log rows, and returns which ones these were. The caller knows that they
// were not sent: the database cannot.
func (s *Store) DeleteUnsent(ctx context.Context, logIDs []int64) (deleted []int64, err error) {
	if len(logIDs) == 0 {
		return nil, nil
	}
	err = s.db.InTx(ctx, func(q sqldb.Querier) error {
		deleted = nil
		counts := make(days)
		cond, args := s.db.In("l.id", sqldb.SortedIDs(logIDs))
		res, err := q.QueryContext(ctx, s.db.Bind("SELECT l.id, r.trigger_ms FROM xxl_job_log l "+
			"JOIN xxljob_run r ON r.log_id = l.id WHERE "+cond+" AND l.trigger_code = 0 AND l.handle_code = 0 "+
			"ORDER BY l.id"+s.db.LockOf("l")), args...)
		if err != nil {
			return err
		}
		defer res.Close()
		for res.Next() {
			var id, ms int64
			if err := res.Scan(&id, &ms); err != nil {
				return err
			}
			deleted = append(deleted, id)
			counts.move(s, ms, classRunning, classNone)
		}
		if err := errors.Join(res.Err(), res.Close()); err != nil || len(deleted) == 0 {
			return err
		}
		if err := s.deleteRows(ctx, q, "xxljob_run", "log_id", deleted); err != nil {
			return err
		}
		if err := s.deleteRows(ctx, q, "xxl_job_log", "id", deleted); err != nil {
			return err
		}
		return counts.save(ctx, s, q)
	})
	if err != nil {
		return nil, fmt.Errorf("delete unsent runs: %w", err)
	}
	return deleted, nil
}

// deleteRows deletes by key.
func (s *Store) deleteRows(ctx context.Context, q sqldb.Querier, table, key string, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	cond, args := s.db.In(key, ids)
	_, err := q.ExecContext(ctx, s.db.Bind("DELETE FROM "+table+" WHERE "+cond), args...)
	return err
}

// SetRunAddresses puts the addresses that were chosen for runs on record, by log
// id, before they are sent there. Each may stand without the others. failed says
// which of them are not on record although err is nil: ErrNotFound that the run
// is no longer waiting to be sent, any other error that the database refuses the
// address.
func (s *Store) SetRunAddresses(
	ctx context.Context, addresses map[int64]string,
) (failed map[int64]error, err error) {
	failed = make(map[int64]error)
	if err := s.setAddresses(ctx, addresses, slices.Sorted(maps.Keys(addresses)), failed); err != nil {
		return nil, fmt.Errorf("addresses of %d runs: %w", len(addresses), err)
	}
	return failed, nil
}

// setAddresses is SetRunAddresses for some of the runs.
func (s *Store) setAddresses(
	ctx context.Context, addresses map[int64]string, ids []int64, failed map[int64]error,
) error {
	var list sqldb.Rows
	for _, id := range ids {
		list.Add(s.cleanOrNil(addresses[id]), int64(0), int64(0))
	}
	var matched int64
	err := s.db.InSteps(ctx, func(ctx context.Context, q sqldb.Querier) (err error) {
		matched, err = s.db.Update(ctx, q, &addressTable, ids, &list)
		return err
	})
	switch {
	case err != nil && len(ids) > 1 && s.db.RefusesRow(err):
		half := len(ids) / 2
		if err := s.setAddresses(ctx, addresses, ids[:half], failed); err != nil {
			return err
		}
		return s.setAddresses(ctx, addresses, ids[half:], failed)
	case err != nil && s.db.RefusesRow(err):
		failed[ids[0]] = err
		return nil
	case err != nil || matched == int64(len(ids)):
		return err
	}
	return s.notWaiting(ctx, ids, failed)
}

// notWaiting adds the runs that nobody will send any more to failed.
func (s *Store) notWaiting(ctx context.Context, ids []int64, failed map[int64]error) error {
	cond, args := s.db.In("id", ids)
	waiting, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (id int64, err error) {
		return id, row.Scan(&id)
	}, s.db.Bind("SELECT id FROM xxl_job_log WHERE "+cond+" AND trigger_code = 0 AND handle_code = 0"), args...)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.Contains(waiting, id) {
			failed[id] = ErrNotFound
		}
	}
	return nil
}

var addressTable = sqldb.Table{Name: "xxl_job_log", Key: "id", Cols: []sqldb.Col{
	{Name: "executor_address", Kind: sqldb.KindText},
	{Name: "trigger_code", Kind: sqldb.KindInt, Op: sqldb.OpGuard},
	{Name: "handle_code", Kind: sqldb.KindInt, Op: sqldb.OpGuard},
}}

// cleanText is the argument for a text column: what no database takes is
// replaced, and what is longer than a text column is cut. Widths of varchar
// columns are the database's to refuse.
func (s *Store) cleanText(t model.Text) any {
	if !t.Valid {
		return nil
	}
	return plainText(t.S)
}

func (s *Store) cleanOrNil(t string) any {
	if t == "" {
		return nil
	}
	return plainText(t)
}

// plainText makes valid UTF-8 without NUL of at most textMax bytes.
func plainText(t string) string {
	if len(t) > textMax {
		t = t[:textMax]
		for i := 0; i < utf8.UTFMax && len(t) > 0; i++ { // drop a rune that was cut
			if r, size := utf8.DecodeLastRuneInString(t); r != utf8.RuneError || size != 1 {
				break
			}
			t = t[:len(t)-1]
		}
	}
	if !utf8.ValidString(t) {
		t = strings.ToValidUTF8(t, "?")
	}
	if strings.IndexByte(t, 0) >= 0 {
		t = strings.ReplaceAll(t, "\x00", "?")
	}
	return t
}
