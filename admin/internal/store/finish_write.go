package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// The kinds of changes of log rows, each one statement.
var (
	triggerCols = []sqldb.Col{
		{Name: "trigger_code", Kind: sqldb.KindInt},
		{Name: "trigger_msg", Kind: sqldb.KindText},
		{Name: "executor_address", Kind: sqldb.KindText, Op: sqldb.OpOver},
		{Name: "alarm_status", Kind: sqldb.KindInt},
	}
	handleCols = []sqldb.Col{
		{Name: "handle_time", Kind: sqldb.KindTime},
		{Name: "handle_code", Kind: sqldb.KindInt},
		{Name: "handle_msg", Kind: sqldb.KindText},
	}
	triggerTable = sqldb.Table{Name: "xxl_job_log", Key: "id", Cols: triggerCols}
	handleTable  = sqldb.Table{Name: "xxl_job_log", Key: "id", Cols: append(slices.Clone(handleCols),
		sqldb.Col{Name: "trigger_code", Kind: sqldb.KindInt}, sqldb.Col{Name: "alarm_status", Kind: sqldb.KindInt})}
	bothTable = sqldb.Table{Name: "xxl_job_log", Key: "id", Cols: append(slices.Clone(triggerCols), handleCols...)}
	lateTable = sqldb.Table{Name: "xxl_job_log", Key: "id", Cols: handleCols}
	fillTable = sqldb.Table{Name: "xxl_job_log", Key: "id", Cols: []sqldb.Col{
		{Name: "trigger_msg", Kind: sqldb.KindText, Op: sqldb.OpFill},
		{Name: "executor_address", Kind: sqldb.KindText, Op: sqldb.OpFill},
		{Name: "trigger_code", Kind: sqldb.KindInt},
	}}
	suffixTable = sqldb.Table{Name: "xxl_job_log", Key: "id", Cols: []sqldb.Col{
		{Name: "trigger_msg", Kind: sqldb.KindText, Op: sqldb.OpAppend},
	}}
	sentTable = sqldb.Table{Name: "xxljob_run", Key: "log_id", Cols: []sqldb.Col{{
		Name: "sent_ms",
		Kind: sqldb.KindInt,
	}}}
)

// batch collects the rows of one kind of change.
type batch struct {
	t    *sqldb.Table
	keys []int64
	rows sqldb.Rows
}

func (b *batch) add(id int64, vals ...any) {
	b.keys = append(b.keys, id)
	b.rows.Add(vals...)
}

// write puts everything into the database.
func (f *finishing) write(ctx context.Context, ending []*Ending) error {
	ids := make([]int64, 0, len(f.rows))
	for id := range f.rows {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var gone []int64
	kinds := []*batch{
		{t: &triggerTable},
		{t: &handleTable},
		{t: &bothTable},
		{t: &lateTable},
		{t: &fillTable},
		{t: &suffixTable},
		{t: &sentTable},
	}
	clock := f.s.db.NewWallCache()
	for _, id := range ids {
		row := f.rows[id]
		f.change(row, kinds, &clock)
		f.days.move(f.s, row.triggerMs, row.before, row.after())
		if row.open && row.ended() {
			gone = append(gone, id)
		}
	}
	for _, e := range f.ends {
		if e.Status == FinishUnknown { // whoever deleted the log row did not know of runs
			gone = append(gone, e.Outcome.LogID)
		}
	}
	for _, b := range kinds {
		if _, err := f.s.db.Update(ctx, f.q, b.t, b.keys, &b.rows); err != nil {
			return fmt.Errorf("write results: %w", err)
		}
	}
	if err := f.s.deleteRows(ctx, f.q, "xxljob_run", "log_id", sqldb.SortedIDs(gone)); err != nil {
		return fmt.Errorf("delete ended runs: %w", err)
	}
	if err := f.writeEnds(ctx, ids); err != nil {
		return fmt.Errorf("write how runs ended: %w", err)
	}
	var created []*model.Run
	for _, e := range ending {
		created = append(created, e.NewRuns...)
	}
	if err := f.insert(ctx, f.q, created); err != nil {
		return fmt.Errorf("insert the runs that follow: %w", err)
	}
	return f.days.save(ctx, f.s, f.q)
}

// after is the class of the row when all is written.
func (r *lockedRow) after() class { return classOf(r.codes()) }

// codes are those of the row when all is written.
func (r *lockedRow) codes() (trigger, handle int32) {
	trigger, handle = r.triggerCode, r.handleCode
	if r.trigger != nil {
		trigger = r.trigger.Outcome.Trigger.Code
	}
	if r.handle != nil {
		handle = r.handle.Outcome.Handle.Code
	}
	return trigger, handle
}

// change adds what is to be written of a row to the statements.
func (f *finishing) change(row *lockedRow, kinds []*batch, clock *sqldb.WallCache) {
	const trigger, handle, both, late, fill, suffix, sent = 0, 1, 2, 3, 4, 5, 6
	id := row.run.LogID
	var alarm int64
	more := ""
	if row.end != nil {
		alarm, more = int64(row.end.AlarmStatus), row.end.TriggerMsgSuffix
	}
	var t, h []any
	if row.trigger != nil {
		res := row.trigger.Outcome.Trigger
		code := res.Code
		if row.handle != nil && row.handle == row.end {
			code = model.CodeSuccess // the executor evidently took it
		}
		t = []any{int64(code), f.message(res.Msg, more), f.s.cleanOrNil(res.Address), alarm}
		more = ""
		if row.open && row.end == nil && res.AtMs-row.run.TriggerMs > sentSlack.Milliseconds() {
			kinds[sent].add(id, res.AtMs)
		}
	}
	if row.handle != nil {
		res := row.handle.Outcome.Handle
		msg := row.handle.HandleMsg
		if msg.Valid {
			msg.S = f.message(msg.S, "")
		}
		h = []any{clock.At(res.AtMs), int64(res.Code), textArg(msg)}
	}
	switch {
	case t != nil && h != nil:
		kinds[both].add(id, append(t, h...)...)
	case t != nil:
		kinds[trigger].add(id, t...)
	case h != nil && row.handle == row.end:
		code := row.triggerCode
		if code == model.CodeNone {
			code = model.CodeSuccess
		}
		kinds[handle].add(id, append(h, int64(code), alarm)...)
	case h != nil:
		kinds[late].add(id, h...)
	}
	switch code := row.triggerCode; {
	case row.fill != nil:
		if code == model.CodeNone {
			code = model.CodeSuccess
		}
		res := row.fill.Outcome.Trigger
		kinds[fill].add(id, f.message(res.Msg, more), f.s.cleanOrNil(res.Address), int64(code))
		more = ""
	case row.untold():
		kinds[fill].add(id, nil, nil, int64(model.CodeSuccess))
	}
	if more != "" {
		kinds[suffix].add(id, f.message(more, ""))
	}
}

// message is a text for the log row, cut so that suffix has room behind it. A
// second attempt, after the database has refused the row, keeps only what
// every character set has.
func (f *finishing) message(text, suffix string) string {
	if room := textMax - len(suffix); len(text) > room {
		text = plainText(text[:max(room, 0)])
	}
	text = plainText(text + suffix)
	if !f.careful {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r > 0xFFFF {
			return '?'
		}
		return r
	}, text)
}
