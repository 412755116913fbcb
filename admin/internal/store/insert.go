package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// logTable are the columns of a log row when its run is made. What Java writes
// after the trigger only is there from the start, so that an update of it is
// not needed.
var logTable = sqldb.Table{Name: "xxl_job_log", Key: "id", Cols: []sqldb.Col{
	{Name: "job_group", Kind: sqldb.KindInt},
	{Name: "job_id", Kind: sqldb.KindInt},
	{Name: "executor_address", Kind: sqldb.KindText},
	{Name: "executor_handler", Kind: sqldb.KindText},
	{Name: "executor_param", Kind: sqldb.KindText},
	{Name: "executor_sharding_param", Kind: sqldb.KindText},
	{Name: "executor_fail_retry_count", Kind: sqldb.KindInt},
	{Name: "trigger_time", Kind: sqldb.KindTime},
	{Name: "trigger_code", Kind: sqldb.KindInt},
	{Name: "handle_code", Kind: sqldb.KindInt},
}}

// endedTable are the columns of a log row that is ended when it is made.
var endedTable = sqldb.Table{Name: "xxl_job_log", Key: "id", Cols: append(logTable.Cols[:10:10],
	sqldb.Col{Name: "trigger_msg", Kind: sqldb.KindText}, sqldb.Col{Name: "handle_time", Kind: sqldb.KindTime},
	sqldb.Col{Name: "handle_msg", Kind: sqldb.KindText}, sqldb.Col{Name: "alarm_status", Kind: sqldb.KindInt})}

// runTable are the columns of xxljob_run.
var runTable = sqldb.Table{Name: "xxljob_run", Key: "log_id", Cols: []sqldb.Col{
	{Name: "log_id", Kind: sqldb.KindInt},
	{Name: "job_id", Kind: sqldb.KindInt},
	{Name: "planned_ms", Kind: sqldb.KindInt},
	{Name: "shard_index", Kind: sqldb.KindInt},
	{Name: "shard_total", Kind: sqldb.KindInt},
	{Name: "trigger_ms", Kind: sqldb.KindInt},
	{Name: "type", Kind: sqldb.KindText},
	{Name: "token", Kind: sqldb.KindInt},
	{Name: "sent_ms", Kind: sqldb.KindInt},
}}

// insertRuns writes the rows of all runs and assigns their LogIDs. step is the
// distance of ids that MySQL gives out, 0 when it is not known.
func (s *Store) insertRuns(ctx context.Context, q sqldb.Querier, runs []*model.Run, step int64) error {
	if len(runs) == 0 {
		return nil
	}
	if s.db.Name == sqldb.Postgres {
		return s.insertBoth(ctx, q, runs)
	}
	if err := s.insertLogs(ctx, q, runs, step); err != nil {
		return err
	}
	if outboxBroken {
		return nil
	}
	var list sqldb.Rows
	for _, r := range runs {
		list.Add(s.runValues(r)...)
	}
	return s.db.Insert(ctx, q, &runTable, &list, nil)
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
func (s *Store) insertLogs(ctx context.Context, q sqldb.Querier, runs []*model.Run, step int64) error {
	var list sqldb.Rows
	clock := s.db.NewWallCache()
	for _, r := range runs {
		list.Add(s.logValues(r, &clock)...)
	}
	ids, err := s.db.InsertForIDs(ctx, q, &logTable, &list, step)
	for i, id := range ids {
		runs[i].LogID = id
	}
	return err
}

func (s *Store) logValues(r *model.Run, clock *sqldb.WallCache) []any {
	return []any{
		int64(r.GroupID), int64(r.JobID), s.cleanOrNil(r.Address), s.cleanText(r.Handler), s.cleanText(r.Param),
		textArg(r.ShardingParam()), int64(r.RetriesLeft), clock.At(r.TriggerMs), int64(0), int64(0),
	}
}

// createTable are the columns of a log row and of its run but for the id.
var createTable = sqldb.Table{Cols: append(logTable.Cols[:10:10], runTable.Cols[1:]...)}

// insertBoth writes log rows and runs in one statement of PostgreSQL, which
// returns the ids in the order of the rows.
func (s *Store) insertBoth(ctx context.Context, q sqldb.Querier, runs []*model.Run) error {
	var list sqldb.Rows
	clock := s.db.NewWallCache()
	for _, r := range runs {
		list.Add(append(s.logValues(r, &clock), s.runValues(r)[1:]...)...)
	}
	text := s.db.Built(&createTable, "both", 0, bothText)
	for i := 0; i < list.Len(); {
		end := list.Chunk(i, sqldb.ArrayRows)
		if err := scanIDs(ctx, q, runs[i:end], text, sqldb.Arrays(createTable.Cols, list.Cut(i, end))); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// scanIDs runs a statement that returns one id a run.
func scanIDs(ctx context.Context, q sqldb.Querier, runs []*model.Run, text string, args []any) error {
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
	v, logs := &createTable, len(logTable.Cols)
	values := make([]string, len(v.Cols))
	for i := range v.Cols {
		values[i] = v.Value(i)
	}
	insert := func(into string, cols []sqldb.Col, from int) string {
		part := sqldb.Table{Cols: cols}
		return "(INSERT INTO " + into + part.Names() + ") SELECT v.id," +
			strings.Join(values[from:from+len(cols)], ",") + " FROM v)"
	}
	text := "WITH v AS (SELECT nextval((SELECT pg_get_serial_sequence('xxl_job_log', 'id')::regclass)) " +
		"AS id, v.* FROM " + v.Unnest("", "n") + "), l AS " + insert("xxl_job_log (id,", logTable.Cols, 0)
	if !outboxBroken {
		text += ", r AS " + insert("xxljob_run (log_id,", runTable.Cols[1:], logs)
	}
	return text + " SELECT id FROM v ORDER BY n"
}

// addEnded adds the values of a log row that is ended when it is made. at is
// its trigger_time.
func (s *Store) addEnded(list *sqldb.Rows, l *model.Log, at string) {
	list.Add(int64(l.GroupID), int64(l.JobID), s.cleanText(l.Address), s.cleanText(l.Handler), s.cleanText(l.Param),
		s.cleanText(l.ShardingParam), int64(l.RetriesLeft), at, int64(l.TriggerCode), int64(l.HandleCode),
		s.cleanText(l.TriggerMsg), s.db.WallOrNil(l.HandleTime), s.cleanText(l.HandleMsg), int64(l.AlarmStatus))
}
