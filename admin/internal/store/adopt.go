package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// adoptBatch is how many rows one transaction adopts.
const adoptBatch = 500

// AdoptJavaRuns brings our runs in line with what a Java admin did to the log:
// its rows of trigger time sinceMs or later that an executor has taken and that
// have not ended get a run, and runs whose log row it has deleted or ended lose
// theirs. Where it has stored the result of a run of ours before the answer to
// its trigger was on record, the trigger evidently worked. n is how many were
// adopted. It works in several transactions, and may be called again at any time,
// also by two nodes at once.
//
// What there is to do is looked for without locks: a scan that locks what it
// meets in the order of an index would deadlock with a Java admin that stores a
// result, and Java loses a result that it cannot store.
func (s *Store) AdoptJavaRuns(ctx context.Context, sinceMs int64) (n int, err error) {
	n, err = s.adoptTaken(ctx, sinceMs)
	if err != nil {
		return n, fmt.Errorf("adopt runs of the Java admin: %w", err)
	}
	if err := s.believeResults(ctx); err != nil {
		return n, fmt.Errorf("note triggers whose results a Java admin has stored: %w", err)
	}
	if err := s.dropEnded(ctx); err != nil {
		return n, fmt.Errorf("drop runs that the Java admin has ended: %w", err)
	}
	return n, nil
}

// adoptTaken gives a run to each open log row that has none.
func (s *Store) adoptTaken(ctx context.Context, sinceMs int64) (n int, err error) {
	for after := int64(0); ; {
		ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(), s.db.SQL("SELECT l.id FROM xxl_job_log l "+
			"LEFT JOIN xxljob_run r ON r.log_id = l.id WHERE l.id > ? AND l.trigger_time >= ? "+
			"AND l.trigger_code = 200 AND l.handle_code = 0 AND r.log_id IS NULL ORDER BY l.id LIMIT ?"),
			after, s.db.WallMs(sinceMs), adoptBatch)
		if err != nil || len(ids) == 0 {
			return n, err
		}
		after = ids[len(ids)-1]
		adopted := 0
		err = s.db.InTx(ctx, func(q sqldb.Querier) (err error) {
			adopted, err = s.adopt(ctx, q, ids)
			return err
		})
		if err != nil {
			return n, err
		}
		n += adopted
	}
}

// adopt is one transaction of adoptTaken.
func (s *Store) adopt(ctx context.Context, q sqldb.Querier, ids []int64) (n int, err error) {
	cond, args := s.db.In("id", ids)
	rows, err := q.QueryContext(ctx, s.db.Bind("SELECT id, job_id, trigger_time, executor_sharding_param, "+
		"trigger_code, handle_code FROM xxl_job_log WHERE "+cond+" ORDER BY id"+s.db.LockOf("xxl_job_log")), args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var runs []*model.Run
	for rows.Next() {
		r := model.Run{Type: model.TriggerCron, ShardTotal: 1}
		var at time.Time
		var shard string
		var trigger, handle int32
		if err := rows.Scan(&r.LogID, &r.JobID, s.db.ScanTime(&at), scanString{&shard}, &trigger, &handle); err != nil {
			return 0, err
		}
		if classOf(trigger, handle) != classRunning { // it has ended since
			continue
		}
		r.TriggerMs = at.UnixMilli()
		if i, n, ok := model.ParseSharding(shard); ok {
			r.ShardIndex, r.ShardTotal, r.Sharded = i, n, true
		}
		runs = append(runs, &r)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return 0, err
	}
	text := "INSERT INTO xxljob_run (" + runTable.Names() + ") VALUES (" + sqldb.Marks(len(runTable.Cols)) + ")" +
		s.db.Upsert("log_id") // another node may be at it too
	for _, r := range runs {
		if _, err := q.ExecContext(ctx, s.db.Bind(text), s.runValues(r)...); err != nil {
			return 0, err
		}
	}
	return len(runs), nil
}

// believeResults sets the trigger code of our runs whose result a Java admin has
// stored before their trigger was on record.
func (s *Store) believeResults(ctx context.Context) error {
	ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(), s.db.SQL("SELECT r.log_id FROM xxljob_run r "+
		"JOIN xxl_job_log l ON l.id = r.log_id WHERE l.trigger_code = 0 AND l.handle_code <> 0 "+
		"ORDER BY r.log_id LIMIT ?"), openRunLimit)
	if err != nil || len(ids) == 0 {
		return err
	}
	return s.db.InTx(ctx, func(q sqldb.Querier) error {
		cond, args := s.db.In("id", ids)
		_, err := q.ExecContext(ctx, s.db.Bind("UPDATE xxl_job_log SET trigger_code = 200 "+
			"WHERE trigger_code = 0 AND handle_code <> 0 AND "+cond), args...)
		return err
	})
}

// dropEnded deletes runs whose log row has ended or is gone: neither comes back.
func (s *Store) dropEnded(ctx context.Context) error {
	for {
		ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(), s.db.SQL("SELECT r.log_id FROM xxljob_run r "+
			"LEFT JOIN xxl_job_log l ON l.id = r.log_id WHERE l.id IS NULL OR l.trigger_code <> 0 "+
			"AND NOT (l.trigger_code = 200 AND l.handle_code = 0) ORDER BY r.log_id LIMIT ?"), openRunLimit)
		if err != nil || len(ids) == 0 {
			return err
		}
		err = s.db.InTx(ctx, func(q sqldb.Querier) error { return s.deleteRows(ctx, q, "xxljob_run", "log_id", ids) })
		if err != nil {
			return err
		}
	}
}
