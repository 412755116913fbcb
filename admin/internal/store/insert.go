package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// logTable are the columns of a log row when its run is made. What Java writes
// after the trigger only is there from the start, so that an update of it is
// not needed.
var logTable = table{name: "xxl_job_log", key: "id", cols: []col{
	{name: "job_group", kind: kindInt},
	{name: "job_id", kind: kindInt},
	{name: "executor_address", kind: kindText},
	{name: "executor_handler", kind: kindText},
	{name: "executor_param", kind: kindText},
	{name: "executor_sharding_param", kind: kindText},
	{name: "executor_fail_retry_count", kind: kindInt},
	{name: "trigger_time", kind: kindTime},
	{name: "trigger_code", kind: kindInt},
	{name: "handle_code", kind: kindInt},
}}

// endedTable are the columns of a log row that is ended when it is made.
var endedTable = table{name: "xxl_job_log", key: "id", cols: append(logTable.cols[:10:10],
	col{name: "trigger_msg", kind: kindText}, col{name: "handle_time", kind: kindTime},
	col{name: "handle_msg", kind: kindText}, col{name: "alarm_status", kind: kindInt})}

// runTable are the columns of xxljob_run.
var runTable = table{name: "xxljob_run", key: "log_id", cols: []col{
	{name: "log_id", kind: kindInt},
	{name: "job_id", kind: kindInt},
	{name: "planned_ms", kind: kindInt},
	{name: "shard_index", kind: kindInt},
	{name: "shard_total", kind: kindInt},
	{name: "trigger_ms", kind: kindInt},
	{name: "type", kind: kindText},
	{name: "token", kind: kindInt},
	{name: "sent_ms", kind: kindInt},
}}

// insertRuns writes the rows of all runs and assigns their LogIDs. step is the
// distance of ids that MySQL gives out, 0 when it is not known.
func (s *Store) insertRuns(ctx context.Context, q querier, runs []*model.Run, step int64) error {
	if len(runs) == 0 {
		return nil
	}
	if s.d.name == postgresName {
		return s.insertBoth(ctx, q, runs)
	}
	if err := s.insertLogs(ctx, q, runs, step); err != nil {
		return err
	}
	if outboxBroken {
		return nil
	}
	var list rows
	for _, r := range runs {
		list.add(s.runValues(r)...)
	}
	return s.insert(ctx, q, &runTable, &list, nil)
}

// runValues are the values of runTable. A run that is made without a lease names
// its maker.
func (s *Store) runValues(r *model.Run) []any {
	var planned any
	if r.PlannedMs != 0 {
		planned = r.PlannedMs
	}
	total := int64(0)
	if r.Sharded {
		total = int64(r.ShardTotal)
	}
	token := r.Token
	if token == 0 {
		token = s.maker
	}
	return []any{
		r.LogID, int64(r.JobID), planned, int64(r.ShardIndex), total, r.TriggerMs, string(r.Type), token, r.SentMs,
	}
}

// insertLogs writes the log rows of runs.
func (s *Store) insertLogs(ctx context.Context, q querier, runs []*model.Run, step int64) error {
	var list rows
	clock := wallCache{s: s}
	for _, r := range runs {
		list.add(s.logValues(r, &clock)...)
	}
	switch {
	case s.d.name != mysqlName:
		step = 1
	case step == 0:
		if err := q.QueryRowContext(ctx, "SELECT @@auto_increment_increment").Scan(&step); err != nil {
			return fmt.Errorf("read auto_increment_increment: %w", err)
		}
	}
	return s.insert(ctx, q, &logTable, &list, func(from, to int, id int64) {
		if s.d.local { // the last one, of ids without a hole
			id -= int64(to - from - 1)
		}
		for i := from; i < to; i++ {
			runs[i].LogID = id
			id += step
		}
	})
}

func (s *Store) logValues(r *model.Run, clock *wallCache) []any {
	return []any{
		int64(r.GroupID), int64(r.JobID), s.cleanOrNil(r.Address), s.cleanText(r.Handler), s.cleanText(r.Param),
		textArg(r.ShardingParam()), int64(r.RetriesLeft), clock.at(r.TriggerMs), int64(0), int64(0),
	}
}

// createTable are the columns of a log row and of its run but for the id.
var createTable = table{cols: append(logTable.cols[:10:10], runTable.cols[1:]...)}

// insertBoth writes log rows and runs in one statement of PostgreSQL, which
// returns the ids in the order of the rows.
func (s *Store) insertBoth(ctx context.Context, q querier, runs []*model.Run) error {
	var list rows
	clock := wallCache{s: s}
	for _, r := range runs {
		list.add(append(s.logValues(r, &clock), s.runValues(r)[1:]...)...)
	}
	text := s.built(&createTable, "both", 0, bothText)
	for i := 0; i < list.len(); {
		end := list.chunk(i, arrayRows)
		if err := scanIDs(ctx, q, runs[i:end], text, arrays(createTable.cols, list.cut(i, end))); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// scanIDs runs a statement that returns one id a run.
func scanIDs(ctx context.Context, q querier, runs []*model.Run, text string, args []any) error {
	res, err := q.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer res.Close()
	n := 0
	for ; n < len(runs) && res.Next(); n++ {
		if err := res.Scan(&runs[n].LogID); err != nil {
			return err
		}
	}
	if err := errors.Join(res.Err(), res.Close()); err != nil || n == len(runs) {
		return err
	}
	return fmt.Errorf("%d rows were written, %d ids came back", len(runs), n)
}

func bothText() string {
	v, logs := &createTable, len(logTable.cols)
	values := make([]string, len(v.cols))
	for i := range v.cols {
		values[i] = v.value(i)
	}
	insert := func(into string, cols []col, from int) string {
		part := table{cols: cols}
		return "(INSERT INTO " + into + part.names() + ") SELECT v.id," +
			strings.Join(values[from:from+len(cols)], ",") + " FROM v)"
	}
	text := "WITH v AS (SELECT nextval((SELECT pg_get_serial_sequence('xxl_job_log', 'id')::regclass)) " +
		"AS id, v.* FROM " + v.unnest("", "n") + "), l AS " + insert("xxl_job_log (id,", logTable.cols, 0)
	if !outboxBroken {
		text += ", r AS " + insert("xxljob_run (log_id,", runTable.cols[1:], logs)
	}
	return text + " SELECT id FROM v ORDER BY n"
}

// addEnded adds the values of a log row that is ended when it is made. at is
// its trigger_time.
func (s *Store) addEnded(list *rows, l *model.Log, at string) {
	list.add(int64(l.GroupID), int64(l.JobID), s.cleanText(l.Address), s.cleanText(l.Handler), s.cleanText(l.Param),
		s.cleanText(l.ShardingParam), int64(l.RetriesLeft), at, int64(l.TriggerCode), int64(l.HandleCode),
		s.cleanText(l.TriggerMsg), s.wallOrNil(l.HandleTime), s.cleanText(l.HandleMsg), int64(l.AlarmStatus))
}
