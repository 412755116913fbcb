package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// A run that has ended has a row in xxljob_log_end beside its row of
// xxl_job_log: its times to the millisecond, and how it ended. It is written in
// the transaction that ends the run. Rows of a Java admin have none, and one
// whose log row a Java admin has deleted goes with the sweep of TidyEnds.
const (
	// endColumns are the columns of an end, NULL where there is none.
	endColumns = "e.planned_ms, e.sent_ms, e.ended_ms, e.kind"

	// noEnds stands for xxljob_log_end in a database that Migrate has not touched.
	noEnds = "(SELECT 0 AS log_id, 0 AS planned_ms, 0 AS sent_ms, 0 AS ended_ms, 0 AS kind " +
		"FROM xxl_job_lock WHERE 1 = 0)"
)

// fromLog joins the ends to their log rows.
func (s *Store) fromLog() string { return " FROM xxl_job_log l" + s.withEnds() }

// withEnds joins the ends to rows l, one by one: PostgreSQL may think the whole
// table the better way to some hundred of them.
func (s *Store) withEnds() string {
	if s.db.Name == sqldb.Postgres {
		return " LEFT JOIN LATERAL (SELECT x.planned_ms, x.sent_ms, x.ended_ms, x.kind FROM xxljob_log_end x " +
			"WHERE x.log_id = l.id LIMIT 1) e ON TRUE"
	}
	return " LEFT JOIN xxljob_log_end e ON e.log_id = l.id"
}

// fromEnds joins ends to their log rows, ends first, by whatever the database
// knows of either.
func (s *Store) fromEnds() string {
	switch s.db.Name {
	case sqldb.MySQL:
		return " FROM xxljob_log_end e STRAIGHT_JOIN xxl_job_log l ON l.id = e.log_id"
	case sqldb.SQLite:
		return " FROM xxljob_log_end e JOIN xxl_job_log l ON l.id = +e.log_id"
	}
	return " FROM xxljob_log_end e JOIN xxl_job_log l ON l.id = e.log_id"
}

var endTable = sqldb.Table{Name: "xxljob_log_end", Key: "log_id", Over: true, Cols: []sqldb.Col{
	{Name: "log_id", Kind: sqldb.KindInt},
	{Name: "planned_ms", Kind: sqldb.KindInt},
	{Name: "sent_ms", Kind: sqldb.KindInt},
	{Name: "ended_ms", Kind: sqldb.KindInt},
	{Name: "kind", Kind: sqldb.KindInt},
}}

// endValues are the values of endTable.
func endValues(id int64, e model.End) []any {
	var planned any
	if e.PlannedMs != 0 {
		planned = e.PlannedMs
	}
	return []any{id, planned, e.SentMs, e.EndedMs, int64(e.Kind)}
}

// number is a whole number that is 0 where the database has NULL.
type number[T ~int8 | ~int64] struct{ to *T }

func scanNumber[T ~int8 | ~int64](to *T) number[T] { return number[T]{to} }

// Scan implements sql.Scanner.
func (n number[T]) Scan(src any) error {
	var v sql.NullInt64
	err := v.Scan(src)
	*n.to = T(v.Int64)
	return err
}

// sendingLength is how much of a trigger_msg is read to find when the trigger was
// taken: what it stands behind, a title in any language, two spaces and the
// text.
const sendingLength = "160"

// sentText selects the part of trigger_msg that says when an open run was taken,
// where an earlier transaction has stored that.
func (s *Store) sentText() string {
	find := "INSTR"
	if s.db.Name == sqldb.Postgres {
		find = "STRPOS"
	}
	return "CASE WHEN l.trigger_code = 200 AND r.log_id IS NOT NULL THEN SUBSTR(l.trigger_msg, " + find +
		"(l.trigger_msg, '" + model.SendingBehind + "'), " + sendingLength + ") END"
}

// takenMs is when a run was taken, as its row says, or the text that sentText has
// selected; 0 where neither does.
func takenMs(run *model.Run, text string) int64 {
	if run.SentMs != run.TriggerMs {
		return run.SentMs
	}
	if s, ok := model.SendingOf(text); ok && s.Answer >= 0 {
		return s.At.Add(s.Answer).UnixMilli()
	}
	return 0
}

// takenTable is for answers that come after the result.
var takenTable = sqldb.Table{
	Name: "xxljob_log_end", Key: "log_id", Cols: []sqldb.Col{{Name: "sent_ms", Kind: sqldb.KindInt}},
}

// writeEnds writes how the runs of these rows have ended.
func (f *finishing) writeEnds(ctx context.Context, ids []int64) error {
	var list, taken sqldb.Rows
	var late []int64
	for _, id := range ids {
		row := f.rows[id]
		switch {
		case row.end != nil:
			list.Add(endValues(id, row.ending(row.end))...)
		case row.handle != nil: // late: the run had been given up
			list.Add(endValues(id, row.ending(row.handle))...)
		case row.fill != nil && row.fill.Outcome.Trigger.Code == model.CodeSuccess: // the result was faster
			if s, ok := model.SendingOf(row.fill.Outcome.Trigger.Msg); ok {
				late = append(late, id)
				taken.Add(s.At.UnixMilli())
			}
		}
	}
	if _, err := f.s.db.Update(ctx, f.q, &takenTable, late, &taken); err != nil {
		return err
	}
	return f.s.db.Insert(ctx, f.q, &endTable, &list, nil)
}

// ending is how a run has ended by this outcome.
func (r *lockedRow) ending(by *Ending) model.End {
	e := model.End{PlannedMs: r.run.PlannedMs, SentMs: r.sentMs, Kind: by.Kind}
	if t := by.Outcome.Trigger; t != nil {
		e.EndedMs = t.AtMs
	}
	if h := by.Outcome.Handle; h != nil {
		e.EndedMs = h.AtMs
	}
	if by := cmp.Or(r.trigger, r.fill); by != nil && by.Outcome.Trigger.Code == model.CodeSuccess {
		e.SentMs = takenBefore(by.Outcome.Trigger, e.EndedMs)
	}
	if e.Kind == model.EndOpen {
		e.Kind = model.EndByCode(r.codes())
	}
	return e
}

// takenBefore is when an executor took a run that ended at this instant. The
// result may be faster than the answer: then it is when the run was sent, as the
// text of the answer says; 0 where it does not.
func takenBefore(t *model.TriggerResult, endedMs int64) int64 {
	if t.AtMs <= endedMs {
		return t.AtMs
	}
	if s, ok := model.SendingOf(t.Msg); ok {
		return min(s.At.UnixMilli(), endedMs)
	}
	return 0
}

// importEnds writes the ends of log rows that come from another database of
// ours: of those that keep their ids, and of those that have got these ones.
func (s *Store) importEnds(ctx context.Context, q sqldb.Querier, kept, moved []*model.Log, ids []int64) error {
	var list sqldb.Rows
	for _, l := range kept {
		if l.End.Kind != model.EndOpen {
			list.Add(endValues(l.ID, l.End)...)
		}
	}
	for i, l := range moved {
		if l.End.Kind != model.EndOpen {
			list.Add(endValues(ids[i], l.End)...)
		}
	}
	return s.db.Insert(ctx, q, &endTable, &list, nil)
}

// besideLogs are our tables with rows that belong to log rows.
var besideLogs = []string{"xxljob_log_end", "xxljob_log_cause"}

// TidyEnds deletes ends, and where runs came from, whose log rows are gone: those
// below the oldest log row, at most limit of each. It returns how many of the one
// of which most were deleted. A Java admin that deletes log rows knows nothing of
// them.
func (s *Store) TidyEnds(ctx context.Context, limit int) (int, error) {
	most := 0
	for _, table := range besideLogs {
		n, err := s.tidyBeside(ctx, table, limit)
		if err != nil {
			return most, fmt.Errorf("tidy ends of runs: %w", err)
		}
		most = max(most, n)
	}
	return most, nil
}

func (s *Store) tidyBeside(ctx context.Context, table string, limit int) (int, error) {
	ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(), s.db.SQL("SELECT e.log_id FROM "+table+" e "+
		"WHERE e.log_id < (SELECT COALESCE(MIN(l.id), 0) FROM xxl_job_log l) ORDER BY e.log_id LIMIT ?"), limit)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), s.db.InTx(ctx, func(q sqldb.Querier) error { return s.deleteRows(ctx, q, table, "log_id", ids) })
}
