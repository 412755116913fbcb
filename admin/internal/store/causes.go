package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// A run that no schedule made has a row in xxljob_log_cause beside its row of
// xxl_job_log, written in the transaction that makes it: whose retry or child it
// is, or who has asked for it. Fires of schedules have none, and cost nothing.

var causeTable = sqldb.Table{Name: "xxljob_log_cause", Key: "log_id", Over: true, Cols: []sqldb.Col{
	{Name: "log_id", Kind: sqldb.KindInt},
	{Name: "cause", Kind: sqldb.KindInt},
	{Name: "parent_id", Kind: sqldb.KindInt},
	{Name: "who", Kind: sqldb.KindText},
}}

// whoMax is how many characters of a name are kept.
const whoMax = 255

// insertCauses writes where runs come from that were just made.
func (s *Store) insertCauses(ctx context.Context, q sqldb.Querier, runs []*model.Run) error {
	var list sqldb.Rows
	for _, r := range runs {
		if r.LogID == 0 || !r.Cause.Kept() {
			continue
		}
		var parent any
		if r.Cause.Parent != 0 {
			parent = r.Cause.Parent
		}
		list.Add(r.LogID, int64(r.Cause.Kind), parent, s.cleanOrNil(cutRunes(r.Cause.Who, whoMax)))
	}
	if list.Len() == 0 {
		return nil
	}
	return s.db.Insert(ctx, q, &causeTable, &list, nil)
}

// followsMax bounds how many runs that come from those of a page are read.
const followsMax = 1000

// SetCauses sets Cause and Followed of rows, as far as they are on record.
func (s *Store) SetCauses(ctx context.Context, rows []*model.Log) error {
	byID := make(map[int64]*model.Log, len(rows))
	for _, l := range rows {
		byID[l.ID] = l
		if l.End.PlannedMs != 0 {
			l.Cause = model.Cause{Kind: model.CauseSchedule}
		}
	}
	if err := s.eachCause(ctx, rows, byID); err != nil {
		return fmt.Errorf("causes of runs: %w", err)
	}
	var open []*model.Log
	for _, l := range rows {
		if l.Cause.Kind == model.CauseUnknown && l.Kind() == model.EndOpen {
			open = append(open, l)
		}
	}
	if err := s.eachType(ctx, open, byID); err != nil {
		return fmt.Errorf("types of runs: %w", err)
	}
	if err := s.eachFollow(ctx, rows, byID); err != nil {
		return fmt.Errorf("what follows runs: %w", err)
	}
	return nil
}

// eachFollow reads which runs come from rows.
func (s *Store) eachFollow(ctx context.Context, rows []*model.Log, byID map[int64]*model.Log) error {
	for _, l := range rows {
		l.Followed = nil
	}
	text := "SELECT parent_id, log_id, cause FROM xxljob_log_cause WHERE parent_id"
	tail := fmt.Sprintf(" ORDER BY log_id LIMIT %d", followsMax)
	return s.eachOf(ctx, rows, text, tail, func(row sqldb.Scanner) error {
		var parent int64
		var f model.Follow
		if err := row.Scan(&parent, &f.ID, &f.Kind); err != nil {
			return err
		}
		byID[parent].Followed = append(byID[parent].Followed, f)
		return nil
	})
}

// logIDs are the ids of rows, sorted.
func logIDs(rows []*model.Log) []int64 {
	ids := make([]int64, len(rows))
	for i, l := range rows {
		ids[i] = l.ID
	}
	return sqldb.SortedIDs(ids)
}

// eachCause reads what is kept of rows.
func (s *Store) eachCause(ctx context.Context, rows []*model.Log, byID map[int64]*model.Log) error {
	const text = "SELECT log_id, cause, parent_id, who FROM xxljob_log_cause WHERE log_id"
	return s.eachOf(ctx, rows, text, "", func(row sqldb.Scanner) error {
		var id int64
		var c model.Cause
		if err := row.Scan(&id, &c.Kind, scanNumber(&c.Parent), scanString{&c.Who}); err != nil {
			return err
		}
		if l := byID[id]; l.Cause.Kind == model.CauseUnknown { // else the id was given out again
			l.Cause = c
		}
		return nil
	})
}

// eachType reads the types of open runs.
func (s *Store) eachType(ctx context.Context, rows []*model.Log, byID map[int64]*model.Log) error {
	const text = "SELECT log_id, type FROM xxljob_run WHERE log_id"
	return s.eachOf(ctx, rows, text, "", func(row sqldb.Scanner) error {
		var id int64
		var kind string
		if err := row.Scan(&id, scanString{&kind}); err != nil {
			return err
		}
		byID[id].Cause.Kind = model.TriggerType(kind).Cause()
		return nil
	})
}

// eachOf reads what belongs to log rows: the statement between text and tail names
// their ids.
func (s *Store) eachOf(
	ctx context.Context, rows []*model.Log, text, tail string, scan func(sqldb.Scanner) error,
) error {
	for chunk := range slices.Chunk(logIDs(rows), sqldb.IDBatch) {
		args := sqldb.Padded(chunk)
		_, err := sqldb.Collect(ctx, s.db.Reader(),
			func(row sqldb.Scanner) (struct{}, error) { return struct{}{}, scan(row) },
			s.db.SQL(text+" IN ("+sqldb.Marks(len(args))+")"+tail), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// Followed returns the log rows of up to limit runs that come from a run: its
// retry, its children, and those by which somebody has run it again; in the order
// of their ids and with their causes.
func (s *Store) Followed(ctx context.Context, id int64, limit int) ([]*model.Log, error) {
	ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(), s.db.SQL("SELECT log_id FROM xxljob_log_cause "+
		"WHERE parent_id = ? ORDER BY log_id LIMIT ?"), id, limit)
	if err != nil {
		return nil, fmt.Errorf("what follows run %d: %w", id, err)
	}
	byID, err := s.logsByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("what follows run %d: %w", id, err)
	}
	list := inOrder(ids, byID)
	return list, s.SetCauses(ctx, list)
}
