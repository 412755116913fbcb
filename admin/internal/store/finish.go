package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// FinishStatus says what became of an outcome.
type FinishStatus int

// The fates of an outcome.
const (
	FinishStored   FinishStatus = iota // it is on record now
	FinishRepeated                     // an earlier result had won; nothing was changed, but a missing message filled in
	FinishLate                         // the run had ended as a failed trigger; the result stands in its row and has no further effect
	FinishUnknown                      // there is no such log row
)

// Ending is one outcome, as the store sees it in its transaction.
type Ending struct {
	Outcome *model.Outcome
	Run     *model.Run // the open run; nil when there is none
	Log     *model.Log // loaded only when Run is nil: a row of a Java admin, or one that has ended
	Job     *model.Job // when the run ends and has failed, or its job has children; nil too when the job is gone
	Ends    bool       // this outcome ends the run

	// Filled in by decide, for those that end.
	HandleMsg        model.Text // handle_msg; before decide it is the outcome's own
	AlarmStatus      model.AlarmStatus
	NewRuns          []*model.Run // children and retries, stored in the same transaction
	TriggerMsgSuffix string       // is put behind trigger_msg

	Status FinishStatus
	Err    error // the database refuses this outcome; nothing of it is stored
}

// Loader reads jobs inside the transaction.
type Loader interface {
	// Jobs returns those of the jobs that exist, with their glue source unless
	// they are BEAN.
	Jobs(ctx context.Context, ids []int32) (map[int32]*model.Job, error)
}

// Finish stores a batch of outcomes in one transaction, and returns an Ending
// for each, in the order of outs. The first result of a run wins, in the
// database and within the batch. A trigger result that is not 200 ends the run,
// and so does every Handle; decide is called with the Endings that end, if
// there are any, and says what follows; it may be called more than once, and
// the last call counts.
//
// A trigger result never touches handle columns. A Handle for a run whose
// trigger result is not on record sets trigger_code 200, and a later trigger
// result fills in the message that is missing. Runs that end are deleted, and
// the counters of the day move.
//
// An outcome that the database refuses comes back with Err; the others are
// stored. Of NewRuns, one that is refused keeps LogID 0 and leaves a failed log
// row. Any other error means that nothing is stored, or with ErrUnknownOutcome
// that it may be: Finish may simply be called again with the same outcomes.
func (s *Store) Finish(
	ctx context.Context, outs []*model.Outcome, decide func(ends []*Ending, load Loader) error,
) ([]*Ending, error) {
	if len(outs) == 0 {
		return nil, nil
	}
	ends, err := s.finish(ctx, outs, decide, false)
	if err == nil || !s.d.refusesRow(err) {
		return ends, err
	}
	if len(outs) > 1 {
		half := len(outs) / 2
		first, err := s.Finish(ctx, outs[:half], decide)
		if err != nil {
			return nil, err
		}
		rest, err := s.Finish(ctx, outs[half:], decide)
		if err != nil {
			return nil, err
		}
		return append(first, rest...), nil
	}
	if ends, err = s.finish(ctx, outs, decide, true); err != nil && s.d.refusesRow(err) {
		return []*Ending{{Outcome: outs[0], Err: fmt.Errorf("result of run %d: %w", outs[0].LogID, err)}}, nil
	}
	return ends, err
}

func (s *Store) finish(
	ctx context.Context, outs []*model.Outcome, decide func([]*Ending, Loader) error, careful bool,
) ([]*Ending, error) {
	var f *finishing
	err := s.inTx(ctx, func(q querier) error {
		f = &finishing{s: s, q: q, creation: s.creation(careful, &RefusedError{})}
		return f.run(ctx, outs, decide)
	})
	if err != nil {
		for _, e := range f.endings() {
			forgetIDs(e.NewRuns)
		}
		return nil, fmt.Errorf("finish %d runs: %w", len(outs), err)
	}
	return f.ends, nil
}

// finishing is one attempt of one transaction of Finish.
type finishing struct {
	*creation
	s    *Store
	q    querier
	ends []*Ending
	rows map[int64]*lockedRow
}

func (f *finishing) endings() []*Ending {
	if f == nil {
		return nil
	}
	return f.ends
}

// lockedRow is a log row while its transaction holds it, and what becomes of it.
type lockedRow struct {
	run         *model.Run // of a row without a run only what the log row holds
	open        bool       // a row of xxljob_run exists
	triggerCode int32
	handleCode  int32
	noMsg       bool // trigger_msg is NULL
	triggerMs   int64

	before  class
	trigger *Ending // whose trigger result is stored
	fill    *Ending // whose trigger message fills the gap
	handle  *Ending // whose Handle is stored
	end     *Ending // which one ends the run
}

// ended reports whether a result has been decided on already.
func (r *lockedRow) ended() bool {
	return r.end != nil || classOf(r.triggerCode, r.handleCode) != classRunning
}

func (f *finishing) run(ctx context.Context, outs []*model.Outcome, decide func([]*Ending, Loader) error) error {
	if err := f.lock(ctx, outs); err != nil {
		return fmt.Errorf("lock the log rows: %w", err)
	}
	var ending []*Ending
	for _, out := range outs {
		e := &Ending{Outcome: out}
		f.ends = append(f.ends, e)
		if f.judge(e); e.Ends {
			ending = append(ending, e)
		}
	}
	if err := f.loadLogs(ctx); err != nil {
		return fmt.Errorf("read log rows: %w", err)
	}
	if len(ending) > 0 {
		if err := f.loadJobs(ctx, ending); err != nil {
			return fmt.Errorf("read jobs: %w", err)
		}
		if err := decide(ending, loader{f}); err != nil {
			return err
		}
	}
	return f.write(ctx, ending)
}

// lock reads and locks the log rows with their runs, in id order.
func (f *finishing) lock(ctx context.Context, outs []*model.Outcome) error {
	ids := make([]int64, len(outs))
	for i, out := range outs {
		ids[i] = out.LogID
	}
	cond, args := f.s.in("l.id", sortedIDs(ids))
	rows, err := f.q.QueryContext(ctx, f.s.bind("SELECT "+runColumns+", l.handle_code, l.trigger_time, "+
		"CASE WHEN l.trigger_msg IS NULL THEN 1 ELSE 0 END FROM xxl_job_log l "+
		"LEFT JOIN xxljob_run r ON r.log_id = l.id WHERE "+cond+" ORDER BY l.id"+f.s.d.lockOf("l")), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	f.rows = make(map[int64]*lockedRow, len(outs))
	for rows.Next() {
		row := &lockedRow{}
		var at time.Time
		var noMsg int
		row.run, row.open, err = runRow(rows, &row.triggerCode, &row.handleCode, f.s.scanTime(&at), &noMsg)
		if err != nil {
			return err
		}
		row.noMsg = noMsg == 1
		row.triggerMs = at.UnixMilli()
		row.before = classOf(row.triggerCode, row.handleCode)
		f.rows[row.run.LogID] = row
	}
	return rows.Err()
}

// judge says what an outcome means for its row.
func (f *finishing) judge(e *Ending) {
	row := f.rows[e.Outcome.LogID]
	if row == nil {
		e.Status = FinishUnknown
		return
	}
	if row.open {
		e.Run = row.run
	}
	if row.ended() {
		f.judgeEnded(e, row)
		return
	}
	trigger, handle := e.Outcome.Trigger, e.Outcome.Handle
	if trigger != nil {
		if row.triggerCode == model.CodeNone && row.trigger == nil {
			row.trigger = e
		} else if handle == nil {
			e.Status = FinishRepeated
		}
	}
	switch {
	case handle != nil:
		row.handle, row.end, e.Ends, e.HandleMsg = e, e, true, handle.Msg
	case row.trigger == e && trigger.Code != model.CodeSuccess:
		row.end, e.Ends = e, true
	}
}

// judgeEnded is judge for a row that a result has ended before.
func (f *finishing) judgeEnded(e *Ending, row *lockedRow) {
	e.Status = FinishRepeated
	if e.Outcome.Trigger != nil && row.noMsg && row.trigger == nil && row.fill == nil {
		row.fill = e
	}
	failedTrigger := row.handle == nil && row.handleCode == model.CodeNone
	if e.Outcome.Handle != nil && failedTrigger {
		row.handle, e.HandleMsg, e.Status = e, e.Outcome.Handle.Msg, FinishLate
	}
}

// loadLogs reads the log rows that have no run.
func (f *finishing) loadLogs(ctx context.Context) error {
	var ids []int64
	for id, row := range f.rows {
		if !row.open {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	cond, args := f.s.in("l.id", sortedIDs(ids))
	rows, err := f.q.QueryContext(ctx, f.s.bind("SELECT "+logColumns+" FROM xxl_job_log l WHERE "+cond), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	logs := make(map[int64]*model.Log, len(ids))
	for rows.Next() {
		l, err := f.s.logRow(rows)
		if err != nil {
			return err
		}
		logs[l.ID] = l
	}
	for _, e := range f.ends {
		if e.Run == nil {
			e.Log = logs[e.Outcome.LogID]
		}
	}
	return rows.Err()
}

// loadJobs reads the jobs of runs that have failed, and those with children.
func (f *finishing) loadJobs(ctx context.Context, ending []*Ending) error {
	var failed, all []int32
	for _, e := range ending {
		id := f.rows[e.Outcome.LogID].run.JobID
		all = append(all, id)
		if !succeeded(e.Outcome) {
			failed = append(failed, id)
		}
	}
	cond, args := f.s.in("id", sortedIDs(all))
	among := ""
	if len(failed) > 0 {
		text, more := f.s.in("id", sortedIDs(failed))
		among, args = " OR "+text, append(args, more...)
	}
	jobs, err := f.s.jobsWhere(ctx, f.q, cond+" AND (child_jobid <> ''"+among+")", args...)
	if err != nil {
		return err
	}
	for _, e := range ending {
		job := jobs[f.rows[e.Outcome.LogID].run.JobID]
		if job != nil && (job.Children.S != "" || !succeeded(e.Outcome)) {
			e.Job = job
		}
	}
	return nil
}

func succeeded(out *model.Outcome) bool {
	if out.Handle != nil {
		return out.Handle.Code == model.CodeSuccess
	}
	return out.Trigger.Code == model.CodeSuccess
}

// allColumns are the columns of a job, with the source of code only where it is
// needed.
const allColumns = "id, job_group, {job.name}, add_time, update_time, author, alarm_email, schedule_type, " +
	"schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, executor_param, " +
	"executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, " +
	"CASE WHEN glue_type = 'BEAN' THEN NULL ELSE glue_source END, glue_remark, glue_updatetime, child_jobid, " +
	"trigger_status, trigger_last_time, trigger_next_time, x_time_zone"

// jobsWhere reads jobs inside a transaction.
func (s *Store) jobsWhere(ctx context.Context, q querier, cond string, args ...any) (map[int32]*model.Job, error) {
	rows, err := q.QueryContext(ctx, s.bind("SELECT "+allColumns+" FROM xxl_job_info WHERE "+cond), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	jobs := make(map[int32]*model.Job)
	for rows.Next() {
		j, err := s.jobRow(rows)
		if err != nil {
			return nil, err
		}
		jobs[j.ID] = j
	}
	return jobs, rows.Err()
}

// loader is what decide gets.
type loader struct{ f *finishing }

// Jobs implements Loader.
func (l loader) Jobs(ctx context.Context, ids []int32) (map[int32]*model.Job, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	cond, args := l.f.s.in("id", sortedIDs(ids))
	jobs, err := l.f.s.jobsWhere(ctx, l.f.q, cond, args...)
	if err != nil {
		return nil, fmt.Errorf("read jobs: %w", err)
	}
	return jobs, nil
}

// The kinds of changes of log rows, each one statement.
var (
	triggerCols = []col{
		{name: "trigger_code", kind: kindInt}, {name: "trigger_msg", kind: kindText},
		{name: "executor_address", kind: kindText, op: opOver}, {name: "alarm_status", kind: kindInt},
	}
	handleCols = []col{
		{name: "handle_time", kind: kindTime}, {name: "handle_code", kind: kindInt}, {name: "handle_msg", kind: kindText},
	}
	triggerTable = table{name: "xxl_job_log", key: "id", cols: triggerCols}
	handleTable  = table{name: "xxl_job_log", key: "id", cols: append(slices.Clone(handleCols),
		col{name: "trigger_code", kind: kindInt}, col{name: "alarm_status", kind: kindInt})}
	bothTable = table{name: "xxl_job_log", key: "id", cols: append(slices.Clone(triggerCols), handleCols...)}
	lateTable = table{name: "xxl_job_log", key: "id", cols: handleCols}
	fillTable = table{name: "xxl_job_log", key: "id", cols: []col{
		{name: "trigger_msg", kind: kindText, op: opFill}, {name: "executor_address", kind: kindText, op: opFill},
	}}
	suffixTable = table{name: "xxl_job_log", key: "id", cols: []col{
		{name: "trigger_msg", kind: kindText, op: opAppend},
	}}
	sentTable = table{name: "xxljob_run", key: "log_id", cols: []col{{name: "sent_ms", kind: kindInt}}}
)

// batch collects the rows of one kind of change.
type batch struct {
	t    *table
	keys []int64
	rows rows
}

func (b *batch) add(id int64, vals ...any) {
	b.keys = append(b.keys, id)
	b.rows.add(vals...)
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
		{t: &triggerTable}, {t: &handleTable}, {t: &bothTable}, {t: &lateTable}, {t: &fillTable}, {t: &suffixTable},
		{t: &sentTable},
	}
	clock := wallCache{s: f.s}
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
		if _, err := f.s.update(ctx, f.q, b.t, b.keys, &b.rows); err != nil {
			return fmt.Errorf("write results: %w", err)
		}
	}
	if err := f.s.deleteRows(ctx, f.q, "xxljob_run", "log_id", sortedIDs(gone)); err != nil {
		return fmt.Errorf("delete ended runs: %w", err)
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
func (r *lockedRow) after() class {
	trigger, handle := r.triggerCode, r.handleCode
	if r.trigger != nil {
		trigger = r.trigger.Outcome.Trigger.Code
	}
	if r.handle != nil {
		handle = r.handle.Outcome.Handle.Code
	}
	return classOf(trigger, handle)
}

// change adds what is to be written of a row to the statements.
func (f *finishing) change(row *lockedRow, kinds []*batch, clock *wallCache) {
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
		h = []any{clock.at(res.AtMs), int64(res.Code), textArg(msg)}
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
	if row.fill != nil {
		res := row.fill.Outcome.Trigger
		kinds[fill].add(id, f.message(res.Msg, more), f.s.cleanOrNil(res.Address))
		more = ""
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
