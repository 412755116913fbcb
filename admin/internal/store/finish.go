package store

import (
	"context"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// FinishStatus says what became of an outcome.
type FinishStatus int

// The fates of an outcome.
const (
	// FinishStored: it is on record now.
	FinishStored FinishStatus = iota
	// FinishRepeated: an earlier result had won. Nothing was changed, but a
	// missing message was filled in.
	FinishRepeated
	// FinishLate: the run had ended as a failed trigger. The result stands in
	// its row and has no further effect.
	FinishLate
	// FinishUnknown: there is no such log row.
	FinishUnknown
)

// Ending is one outcome, as the store sees it in its transaction.
type Ending struct {
	Outcome *model.Outcome
	Run     *model.Run // the open run; nil when there is none
	Log     *model.Log // loaded only when Run is nil: a row of a Java admin, or one that has ended
	Job     *model.Job // when the run ends and has failed, or its job has children; nil too when the job is gone
	Ends    bool       // this outcome ends the run

	// Filled in by decide, for those that end.
	Kind             model.EndKind // how the run has ended; EndOpen is as its codes say
	HandleMsg        model.Text    // handle_msg; before decide it is the outcome's own
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
	if err == nil || !s.db.RefusesRow(err) {
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
	if ends, err = s.finish(ctx, outs, decide, true); err != nil && s.db.RefusesRow(err) {
		return []*Ending{{Outcome: outs[0], Err: fmt.Errorf("result of run %d: %w", outs[0].LogID, err)}}, nil
	}
	return ends, err
}

func (s *Store) finish(
	ctx context.Context, outs []*model.Outcome, decide func([]*Ending, Loader) error, careful bool,
) ([]*Ending, error) {
	var f *finishing
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
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
	q    sqldb.Querier
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
	sentMs      int64 // when an executor took it, as far as an earlier transaction knew; 0 else

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

// untold reports whether a Java admin beside this one has stored the result: it
// leaves a trigger code alone that is not on record yet.
func (r *lockedRow) untold() bool {
	return r.triggerCode == model.CodeNone && r.handleCode != model.CodeNone
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
	cond, args := f.s.db.In("l.id", sqldb.SortedIDs(ids))
	rows, err := f.q.QueryContext(ctx, f.s.db.Bind("SELECT "+runColumns+", l.handle_code, l.trigger_time, "+
		"CASE WHEN l.trigger_msg IS NULL THEN 1 ELSE 0 END, "+f.s.sentText()+" FROM xxl_job_log l "+
		"LEFT JOIN xxljob_run r ON r.log_id = l.id WHERE "+cond+" ORDER BY l.id"+f.s.db.LockOf("l")), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	f.rows = make(map[int64]*lockedRow, len(outs))
	for rows.Next() {
		row := &lockedRow{}
		var at time.Time
		var noMsg int
		var sent string
		row.run, row.open, err = runRow(rows, &row.triggerCode, &row.handleCode, f.s.db.ScanTime(&at), &noMsg,
			scanString{&sent})
		if err != nil {
			return err
		}
		row.noMsg = noMsg == 1
		row.triggerMs = at.UnixMilli()
		row.sentMs = takenMs(row.run, sent)
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
