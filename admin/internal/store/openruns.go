package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

const (
	openRunLimit = 1000            // of OpenRunFilter.Limit
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
	rows, err := s.db.Reader().QueryContext(ctx, s.db.Bind(text+" ORDER BY r.log_id LIMIT ?"), append(args, limit)...)
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
	if total <= 1 || len(sqldb.SortedIDs(shards)) >= int(total) {
		return ""
	}
	return " AND " + column + " % " + strconv.Itoa(int(total)) + " IN (" + sqldb.IntList(shards) + ")"
}

// CountOpenRuns returns how many runs are open.
func (s *Store) CountOpenRuns(ctx context.Context) (int64, error) {
	var n int64
	if err := s.db.Reader().QueryRowContext(ctx, "SELECT COUNT(*) FROM xxljob_run").Scan(&n); err != nil {
		return 0, fmt.Errorf("count open runs: %w", err)
	}
	return n, nil
}

// openCounted is how many open runs OpenByAddress looks at.
const openCounted = 10_000

// OpenByAddress counts the runs that run now (taken by an executor, without a result)
// by their group and address, among the newest 10,000 open ones.
func (s *Store) OpenByAddress(ctx context.Context) ([]model.OpenRuns, error) {
	// Grouped by what no index has: no database is to go through all log rows for the
	// order of the groups.
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (o model.OpenRuns, err error) {
		err = row.Scan(&o.GroupID, scanString{&o.Address}, &o.Count)
		return o, err
	}, s.db.SQL("SELECT l.job_group + 0, l.executor_address, COUNT(*) "+
		"FROM (SELECT log_id FROM xxljob_run ORDER BY log_id DESC LIMIT ?) r JOIN xxl_job_log l ON l.id = +r.log_id "+
		"WHERE l.trigger_code = 200 AND l.handle_code = 0 GROUP BY l.job_group + 0, l.executor_address"), openCounted)
	if err != nil {
		return nil, fmt.Errorf("count open runs by address: %w", err)
	}
	return list, nil
}
