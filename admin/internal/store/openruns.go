package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const (
	openRunLimit = 1000            // of OpenRunFilter.Limit
	adoptBatch   = 500             // rows that are adopted in one transaction
	sentSlack    = 5 * time.Second // a run taken within this time of its trigger time keeps no time of its own
)

// OpenRunFilter selects open runs. Zero fields select everything.
type OpenRunFilter struct {
	Total           int32   // with Shards: jobs whose id modulo Total is one of them
	Shards          []int32 // nil is every job
	State           *model.RunState
	TriggerBeforeMs int64 // trigger time below
	TriggerFromMs   int64 // trigger time at or above
	AfterLogID      int64 // log id above
	JobID           int32
	Made            bool // only what a node has put on record without a lease
	Limit           int  // 0 is 1,000
}

// runColumns are the columns that runRow reads, of xxljob_run r and
// xxl_job_log l.
const runColumns = "l.id, l.job_id, l.job_group, r.type, r.planned_ms, r.trigger_ms, r.shard_index, r.shard_total, " +
	"l.executor_fail_retry_count, l.trigger_code, r.token, l.executor_address, l.executor_handler, l.executor_param, " +
	"r.sent_ms"

// scannable is *sql.Row or *sql.Rows.
type scannable interface{ Scan(dest ...any) error }

// runRow reads runColumns, and then more. Of a log row without a run only the
// columns of the log are set, and open is false.
func runRow(row scannable, code *int32, more ...any) (run *model.Run, open bool, err error) {
	var r model.Run
	var kind sql.NullString
	var planned, trigger, index, total, token, sent sql.NullInt64
	dest := append([]any{
		&r.LogID, &r.JobID, &r.GroupID, &kind, &planned, &trigger, &index, &total, &r.RetriesLeft, code, &token,
		scanString{&r.Address},
		scanText{&r.Handler},
		scanText{&r.Param},
		&sent,
	}, more...)
	if err := row.Scan(dest...); err != nil {
		return nil, false, err
	}
	r.Type, r.PlannedMs, r.TriggerMs = model.TriggerType(kind.String), planned.Int64, trigger.Int64
	r.ShardIndex, r.ShardTotal, r.Sharded = int32(index.Int64), int32(total.Int64), total.Int64 > 0
	r.ShardTotal = max(r.ShardTotal, 1)
	r.Token = token.Int64
	if *code != model.CodeNone {
		r.State, r.SentMs = model.RunAccepted, sent.Int64
		if r.SentMs == 0 {
			r.SentMs = r.TriggerMs
		}
	}
	return &r, trigger.Valid, nil
}

// OpenRuns returns open runs in the order of their log ids.
func (s *Store) OpenRuns(ctx context.Context, f OpenRunFilter) ([]*model.Run, error) {
	text, args := "SELECT "+runColumns+" FROM xxljob_run r JOIN xxl_job_log l ON l.id = r.log_id WHERE r.log_id > ?",
		[]any{f.AfterLogID}
	if f.Shards != nil {
		text += shardCond("r.job_id", f.Total, f.Shards)
	}
	if f.JobID != 0 {
		text, args = text+" AND r.job_id = ?", append(args, f.JobID)
	}
	if f.TriggerBeforeMs != 0 {
		text, args = text+" AND r.trigger_ms < ?", append(args, f.TriggerBeforeMs)
	}
	if f.TriggerFromMs != 0 {
		text, args = text+" AND r.trigger_ms >= ?", append(args, f.TriggerFromMs)
	}
	if f.Made {
		text += " AND r.token < 0"
	}
	if f.State != nil {
		cond := " AND l.trigger_code = 0"
		if *f.State == model.RunAccepted {
			cond = " AND l.trigger_code <> 0"
		}
		text += cond
	}
	limit := f.Limit
	if limit <= 0 {
		limit = openRunLimit
	}
	rows, err := s.reader().QueryContext(ctx, s.bind(text+" ORDER BY r.log_id LIMIT ?"), append(args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("read open runs: %w", err)
	}
	defer rows.Close()
	var list []*model.Run
	var code int32
	for rows.Next() {
		run, _, err := runRow(rows, &code)
		if err != nil {
			return nil, fmt.Errorf("read open runs: %w", err)
		}
		list = append(list, run)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read open runs: %w", err)
	}
	return list, nil
}

// shardCond is the condition that a job belongs to one of the shards.
func shardCond(column string, total int32, shards []int32) string {
	if len(shards) == 0 {
		return " AND 1 = 0"
	}
	if total <= 1 || len(sortedIDs(shards)) >= int(total) {
		return ""
	}
	return " AND " + column + " % " + strconv.Itoa(int(total)) + " IN (" + intList(shards) + ")"
}

// CountOpenRuns returns how many runs are open.
func (s *Store) CountOpenRuns(ctx context.Context) (int64, error) {
	var n int64
	if err := s.reader().QueryRowContext(ctx, "SELECT COUNT(*) FROM xxljob_run").Scan(&n); err != nil {
		return 0, fmt.Errorf("count open runs: %w", err)
	}
	return n, nil
}

// AdoptJavaRuns brings our runs in line with what a Java admin did to the log:
// its rows of trigger time sinceMs or later that an executor has taken and that
// have not ended get a run, and runs whose log row it has deleted or ended lose
// theirs. Where it has stored the result of a run of ours before the answer to
// its trigger was on record, the trigger evidently worked. n is how many were
// adopted. It works in several transactions, and may be called again at any time,
// also by two nodes at once.
func (s *Store) AdoptJavaRuns(ctx context.Context, sinceMs int64) (n int, err error) {
	for after := int64(0); ; {
		var seen, adopted int
		err := s.inTx(ctx, func(q querier) (err error) {
			seen, adopted, after, err = s.adopt(ctx, q, sinceMs, after)
			return err
		})
		if err != nil {
			return n, fmt.Errorf("adopt runs of the Java admin: %w", err)
		}
		n += adopted
		if seen < adoptBatch {
			break
		}
	}
	if err := s.believeResults(ctx); err != nil {
		return n, fmt.Errorf("note triggers whose results a Java admin has stored: %w", err)
	}
	err = s.inTx(ctx, func(q querier) error {
		_, err := q.ExecContext(ctx, "DELETE FROM xxljob_run WHERE NOT EXISTS (SELECT 1 FROM xxl_job_log l "+
			"WHERE l.id = xxljob_run.log_id AND (l.trigger_code = 0 OR l.trigger_code = 200 AND l.handle_code = 0))")
		return err
	})
	if err != nil {
		return n, fmt.Errorf("drop runs that the Java admin has ended: %w", err)
	}
	return n, nil
}

// believeResults sets the trigger code of our runs whose result a Java admin has
// stored before their trigger was on record.
func (s *Store) believeResults(ctx context.Context) error {
	rows, err := s.reader().QueryContext(ctx, "SELECT r.log_id FROM xxljob_run r "+
		"JOIN xxl_job_log l ON l.id = r.log_id WHERE l.trigger_code = 0 AND l.handle_code <> 0 "+
		"ORDER BY r.log_id LIMIT "+strconv.Itoa(openRunLimit))
	if err != nil {
		return err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(ids) == 0 {
		return err
	}
	return s.inTx(ctx, func(q querier) error {
		cond, args := s.in("id", ids)
		_, err := q.ExecContext(ctx, s.bind("UPDATE xxl_job_log SET trigger_code = 200 "+
			"WHERE trigger_code = 0 AND handle_code <> 0 AND "+cond), args...)
		return err
	})
}

// adopt is one transaction of AdoptJavaRuns.
func (s *Store) adopt(ctx context.Context, q querier, sinceMs, after int64) (seen, adopted int, last int64, err error) {
	rows, err := q.QueryContext(ctx, s.bind("SELECT l.id, l.job_id, l.trigger_time, l.executor_sharding_param, "+
		"r.log_id FROM xxl_job_log l LEFT JOIN xxljob_run r ON r.log_id = l.id WHERE l.id > ? "+
		"AND l.trigger_time >= ? AND l.trigger_code = 200 AND l.handle_code = 0 ORDER BY l.id LIMIT "+
		strconv.Itoa(adoptBatch)+s.d.lockOf("l")), after, s.wallMs(sinceMs))
	if err != nil {
		return 0, 0, after, err
	}
	defer rows.Close()
	var runs []*model.Run
	for last = after; rows.Next(); seen++ {
		r := model.Run{Type: model.TriggerCron, ShardTotal: 1}
		var at time.Time
		var shard string
		var known sql.NullInt64
		if err := rows.Scan(&r.LogID, &r.JobID, s.scanTime(&at), scanString{&shard}, &known); err != nil {
			return 0, 0, after, err
		}
		last = r.LogID
		if known.Valid {
			continue
		}
		r.TriggerMs = at.UnixMilli()
		if i, n, ok := model.ParseSharding(shard); ok {
			r.ShardIndex, r.ShardTotal, r.Sharded = i, n, true
		}
		runs = append(runs, &r)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return 0, 0, after, err
	}
	text := "INSERT INTO xxljob_run (" + runTable.names() + ") VALUES (" + marks(len(runTable.cols)) + ")" +
		s.d.upsert("log_id") // another node may be at it too
	for _, r := range runs {
		if _, err := q.ExecContext(ctx, s.bind(text), s.runValues(r)...); err != nil {
			return 0, 0, after, err
		}
	}
	return seen, len(runs), last, nil
}
