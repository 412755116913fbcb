package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/xxljob-go/xxljob/admin/internal/model"
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
	err = s.inTx(ctx, func(q querier) error {
		deleted = nil
		counts := make(days)
		cond, args := s.in("l.id", sortedIDs(logIDs))
		res, err := q.QueryContext(ctx, s.bind("SELECT l.id, r.trigger_ms FROM xxl_job_log l "+
			"JOIN xxljob_run r ON r.log_id = l.id WHERE "+cond+" AND l.trigger_code = 0 AND l.handle_code = 0 "+
			"ORDER BY l.id"+s.d.lockOf("l")), args...)
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
func (s *Store) deleteRows(ctx context.Context, q querier, table, key string, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	cond, args := s.in(key, ids)
	_, err := q.ExecContext(ctx, s.bind("DELETE FROM "+table+" WHERE "+cond), args...)
	return err
}

// SetAddress puts the address that was chosen for a run on record before it is
// sent there. A run that is no longer waiting to be sent is ErrNotFound.
func (s *Store) SetAddress(ctx context.Context, logID int64, address string) error {
	var n int64
	err := s.inTx(ctx, func(q querier) (err error) {
		n, err = affected(q.ExecContext(ctx, s.sql("UPDATE xxl_job_log SET executor_address = ? "+
			"WHERE id = ? AND trigger_code = 0 AND handle_code = 0"), s.cleanOrNil(address), logID))
		return err
	})
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("address of run %d: %w", logID, err)
	}
	return nil
}

// SetRunAddresses is SetAddress for many runs in one transaction; those that
// are no longer waiting to be sent are left alone.
func (s *Store) SetRunAddresses(ctx context.Context, addresses map[int64]string) error {
	ids := make([]int64, 0, len(addresses))
	for id := range addresses {
		ids = append(ids, id)
	}
	ids = sortedIDs(ids)
	var list rows
	for _, id := range ids {
		list.add(s.cleanOrNil(addresses[id]), int64(0), int64(0))
	}
	err := s.inTx(ctx, func(q querier) error {
		_, err := s.update(ctx, q, &addressTable, ids, &list)
		return err
	})
	if err != nil {
		return fmt.Errorf("addresses of %d runs: %w", len(ids), err)
	}
	return nil
}

var addressTable = table{name: "xxl_job_log", key: "id", cols: []col{
	{name: "executor_address", kind: kindText},
	{name: "trigger_code", kind: kindInt, op: opGuard},
	{name: "handle_code", kind: kindInt, op: opGuard},
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
