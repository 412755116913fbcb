package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// beatBatch is how many heartbeats one statement looks for.
const beatBatch = 64

// beatKey is what makes a row of the registry; it has no time.
type beatKey struct{ group, key, value string }

func keyOf(b model.Beat) beatKey { return beatKey{b.Group, b.Key, b.Value} }

func compareBeats(a, b model.Beat) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Value, b.Value),
		b.At.Compare(a.At))
}

// SaveBeats writes heartbeats: known addresses get the new time, unless the
// database has a later one, and others a row. Rows that exist are updated by
// their ids, whatever the index allows, so that a heartbeat uses up no id and
// adds no second row on an old schema. ErrTooLong names the first text that
// does not fit; then nothing is written.
func (s *Store) SaveBeats(ctx context.Context, beats []model.Beat) error {
	for _, b := range beats {
		if err := checkBeat(b); err != nil {
			return fmt.Errorf("save heartbeats: %w", err)
		}
	}
	beats = newestBeats(beats)
	for chunk := range slices.Chunk(beats, beatBatch) {
		err := s.db.InTx(ctx, func(q sqldb.Querier) error { return s.saveBeats(ctx, q, chunk) })
		if err != nil {
			return fmt.Errorf("save heartbeats: %w", err)
		}
	}
	return nil
}

func checkBeat(b model.Beat) error {
	return checkFields(
		field{name: "registry group", value: b.Group, max: maxRegistryGroup},
		field{name: "app name", value: b.Key, max: maxRegistryKey},
		field{name: "address", value: b.Value, max: maxAddress},
	)
}

// newestBeats sorts the heartbeats, so that all nodes write rows in one order,
// and keeps the last one of each address.
func newestBeats(beats []model.Beat) []model.Beat {
	beats = slices.Clone(beats)
	slices.SortFunc(beats, compareBeats)
	return slices.CompactFunc(beats, func(a, b model.Beat) bool { return keyOf(a) == keyOf(b) })
}

func (s *Store) saveBeats(ctx context.Context, q sqldb.Querier, beats []model.Beat) error {
	rows, err := s.findBeats(ctx, q, beats)
	if err != nil {
		return err
	}
	known := make(map[beatKey]bool, len(rows))
	byTime := make(map[string][]int64)
	at := make(map[beatKey]time.Time, len(beats))
	for _, b := range beats {
		at[keyOf(b)] = b.At
	}
	for _, r := range rows {
		if t, ok := at[r.key]; ok {
			known[r.key] = true
			text := s.db.WallMs(t.UnixMilli())
			byTime[text] = append(byTime[text], r.id)
		}
	}
	for _, text := range slices.Sorted(mapKeys(byTime)) {
		for chunk := range slices.Chunk(byTime[text], sqldb.IDBatch) {
			args := sqldb.Padded(chunk)
			if _, err := q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_registry SET update_time = ? WHERE id IN ("+
				sqldb.Marks(len(args))+") AND (update_time IS NULL OR update_time < ?)"),
				append(append([]any{text}, args...), text)...); err != nil {
				return err
			}
		}
	}
	insert := "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) " +
		"VALUES (?,?,?,?)"
	if s.Info().UniqueRegistry { // another node may be first
		insert += s.db.Upsert("registry_group,registry_key,registry_value", "update_time")
	}
	for _, b := range beats {
		if known[keyOf(b)] {
			continue
		}
		if _, err := q.ExecContext(ctx, s.db.SQL(insert), b.Group, b.Key, b.Value, s.db.Wall(b.At)); err != nil {
			return err
		}
	}
	return nil
}

// mapKeys is maps.Keys, spelled out for a map of lists.
func mapKeys(m map[string][]int64) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// beatRow is a row of the registry without its time.
type beatRow struct {
	id  int64
	key beatKey
}

// findBeats returns the rows of the addresses, in id order; an old schema may
// have several of one address.
func (s *Store) findBeats(ctx context.Context, q sqldb.Querier, beats []model.Beat) ([]beatRow, error) {
	var found []beatRow
	for chunk := range slices.Chunk(beats, beatBatch) {
		size := 1
		for size < len(chunk) {
			size *= 8
		}
		args := make([]any, 0, 3*size)
		for i := range size {
			b := chunk[min(i, len(chunk)-1)]
			args = append(args, b.Group, b.Key, b.Value)
		}
		one := "(registry_group = ? AND registry_key = ? AND registry_value = ?)"
		rows, err := sqldb.Collect(ctx, q, func(row sqldb.Scanner) (beatRow, error) {
			var r beatRow
			err := row.Scan(&r.id, &r.key.group, &r.key.key, &r.key.value)
			return r, err
		}, s.db.SQL("SELECT id, registry_group, registry_key, registry_value FROM xxl_job_registry WHERE "+
			one+strings.Repeat(" OR "+one, size-1)), args...)
		if err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	slices.SortFunc(found, func(a, b beatRow) int { return cmp.Compare(a.id, b.id) })
	return found, nil
}

// DeleteBeats deletes the rows of the addresses, whatever their times. Texts are
// compared exactly, also where a collation takes them for the same.
func (s *Store) DeleteBeats(ctx context.Context, beats []model.Beat) error {
	if len(beats) == 0 {
		return nil
	}
	beats = newestBeats(beats)
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		rows, err := s.findBeats(ctx, q, beats)
		if err != nil {
			return err
		}
		wanted := make(map[beatKey]bool, len(beats))
		for _, b := range beats {
			wanted[keyOf(b)] = true
		}
		ids := make([]int64, 0, len(rows))
		for _, r := range rows {
			if wanted[r.key] {
				ids = append(ids, r.id)
			}
		}
		return s.deleteBeats(ctx, q, ids)
	})
	if err != nil {
		return fmt.Errorf("delete heartbeats: %w", err)
	}
	return nil
}

func (s *Store) deleteBeats(ctx context.Context, q sqldb.Querier, ids []int64) error {
	for chunk := range slices.Chunk(ids, sqldb.IDBatch) {
		args := sqldb.Padded(chunk)
		_, err := q.ExecContext(ctx,
			s.db.SQL("DELETE FROM xxl_job_registry WHERE id IN ("+sqldb.Marks(len(args))+")"), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// LiveBeats returns the heartbeats that are younger than since, by app name and
// address.
func (s *Store) LiveBeats(ctx context.Context, since time.Time) ([]model.Beat, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (model.Beat, error) {
		var b model.Beat
		err := row.Scan(&b.Group, &b.Key, &b.Value, s.db.ScanTime(&b.At))
		return b, err
	}, s.db.SQL("SELECT registry_group, registry_key, registry_value, update_time FROM xxl_job_registry "+
		"WHERE update_time > ? ORDER BY registry_group, registry_key, registry_value, id"), s.db.Wall(since))
	if err != nil {
		return nil, fmt.Errorf("live heartbeats: %w", err)
	}
	return list, nil
}

// ExpireBeats deletes the heartbeats that are older than before, by their ids
// and in id order, and returns how many rows went.
func (s *Store) ExpireBeats(ctx context.Context, before time.Time) (int, error) {
	ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(),
		s.db.SQL("SELECT id FROM xxl_job_registry WHERE update_time < ? ORDER BY id"), s.db.Wall(before))
	if err != nil {
		return 0, fmt.Errorf("expire heartbeats: %w", err)
	}
	var total int64
	for chunk := range slices.Chunk(ids, sqldb.IDBatch) {
		args := sqldb.Padded(chunk)
		var n int64
		err := s.db.InTx(ctx, func(q sqldb.Querier) error {
			// The time again: a heartbeat may have come since.
			res, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxl_job_registry WHERE id IN ("+
				sqldb.Marks(len(args))+") AND update_time < ?"), append(args, s.db.Wall(before))...)
			if err != nil {
				return err
			}
			n, err = res.RowsAffected()
			return err
		})
		if err != nil {
			return int(total), fmt.Errorf("expire heartbeats: %w", err)
		}
		total += n
	}
	return int(total), nil
}

// SetAddresses writes the address list of an automatic group. A group that is
// manual, or gone, is left alone without an error.
func (s *Store) SetAddresses(ctx context.Context, groupID int32, list model.Text, at time.Time) error {
	if err := checkFields(addressListField(list)); err != nil {
		return fmt.Errorf("addresses of group %d: %w", groupID, err)
	}
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		_, err := q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_group SET address_list = ?, update_time = ? "+
			"WHERE id = ? AND address_type = 0"), textArg(list), s.db.Wall(at), groupID)
		return err
	})
	if err != nil {
		return fmt.Errorf("addresses of group %d: %w", groupID, err)
	}
	return nil
}
