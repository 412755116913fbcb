package store

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// RefusedError says which runs the database refused because of their values.
// All others were stored. Each of these has a log row that says why, as a
// failed trigger, wherever even that was possible, and LogID 0.
type RefusedError struct {
	Runs []*model.Run
	Errs []error // of each
}

// Error implements error.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the database refuses %d runs, the first of job %d: %v", len(e.Runs), e.Runs[0].JobID, e.Errs[0])
}

// Unwrap makes errors.Is look at the database's own errors.
func (e *RefusedError) Unwrap() []error { return e.Errs }

func (e *RefusedError) add(run *model.Run, err error) {
	e.Runs, e.Errs = append(e.Runs, run), append(e.Errs, err)
}

// orNil is the error, or nil when nothing was refused.
func (e *RefusedError) orNil() error {
	if len(e.Runs) == 0 {
		return nil
	}
	return e
}

// CreateRuns stores runs that no schedule made, log rows included, in one
// transaction, and assigns their LogIDs. The error is a *RefusedError when the
// database refused some of them; the others are then stored. After any other
// error no run has a LogID, and after ErrUnknownOutcome they may be on record
// all the same: OpenRuns tells.
func (s *Store) CreateRuns(ctx context.Context, runs []*model.Run) error {
	if len(runs) == 0 {
		return nil
	}
	var refused RefusedError
	err := s.carefully(ctx, func(q sqldb.Querier, careful bool) error {
		refused = RefusedError{}
		c := s.creation(careful, &refused)
		if err := c.insert(ctx, q, runs); err != nil {
			return err
		}
		return c.days.save(ctx, s, q)
	})
	if err != nil {
		forgetIDs(runs)
		return fmt.Errorf("create runs: %w", err)
	}
	return refused.orNil()
}

// carefully runs a transaction as fast as it goes, and once more with each row
// looked at when the database refuses one.
func (s *Store) carefully(ctx context.Context, fn func(q sqldb.Querier, careful bool) error) error {
	err := s.db.InTx(ctx, func(q sqldb.Querier) error { return fn(q, false) })
	if err != nil && s.db.RefusesRow(err) {
		err = s.db.InTx(ctx, func(q sqldb.Querier) error { return fn(q, true) })
	}
	return err
}

func forgetIDs(runs []*model.Run) {
	for _, r := range runs {
		r.LogID = 0
	}
}

// creation inserts runs in one attempt of a transaction.
type creation struct {
	s       *Store
	careful bool // rows may be refused: use savepoints, and look for duplicates first
	refused *RefusedError
	days    days
	step    int64 // of the ids that MySQL gives out, 0 when it is not known yet
}

func (s *Store) creation(careful bool, refused *RefusedError) *creation {
	return &creation{s: s, careful: careful, refused: refused, days: make(days)}
}

// insert writes log rows and runs and assigns LogIDs. A run whose instant is on
// record already, or that the database refuses, keeps LogID 0 when careful;
// else that is an error.
func (c *creation) insert(ctx context.Context, q sqldb.Querier, runs []*model.Run) error {
	forgetIDs(runs)
	if !c.careful {
		if err := c.s.insertRuns(ctx, q, runs, c.step); err != nil {
			return err
		}
	} else if err := c.bisect(ctx, q, runs); err != nil {
		return err
	}
	if err := c.s.insertCauses(ctx, q, runs); err != nil {
		return fmt.Errorf("write where runs come from: %w", err)
	}
	for _, r := range runs {
		if r.LogID != 0 {
			c.days.move(c.s, r.TriggerMs, classNone, classRunning)
		}
	}
	return nil
}

// bisect inserts what can be inserted, halving what is refused.
func (c *creation) bisect(ctx context.Context, q sqldb.Querier, runs []*model.Run) error {
	if len(runs) == 0 {
		return nil
	}
	err := sqldb.Savepoint(ctx, q, func() error { return c.s.insertRuns(ctx, q, runs, c.step) })
	if err == nil || !c.s.db.RefusesRow(err) {
		return err
	}
	forgetIDs(runs)
	if half := len(runs) / 2; half > 0 {
		if err := c.bisect(ctx, q, runs[:half]); err != nil {
			return err
		}
		return c.bisect(ctx, q, runs[half:])
	}
	if c.s.db.Duplicate(err) {
		c.s.log.WarnContext(ctx, "run is on record already", slog.Int("job_id", int(runs[0].JobID)),
			slog.Int64("planned_ms", runs[0].PlannedMs))
		return nil
	}
	c.refused.add(runs[0], err)
	return c.note(ctx, q, runs[0], err)
}

// note leaves a record of a run that the database refused.
func (c *creation) note(ctx context.Context, q sqldb.Querier, r *model.Run, cause error) error {
	c.s.log.ErrorContext(ctx, "the database refuses a run", slog.Int("job_id", int(r.JobID)), slog.Any("err", cause))
	var list sqldb.Rows
	c.s.addEnded(&list, &model.Log{
		GroupID: r.GroupID, JobID: r.JobID, TriggerCode: model.CodeFail, AlarmStatus: model.AlarmNone,
		TriggerMsg: model.T("the database refuses this run: " + strings.ToValidUTF8(cause.Error(), "?")),
	}, c.s.db.WallMs(r.TriggerMs))
	err := sqldb.Savepoint(ctx, q, func() error { return c.s.db.Insert(ctx, q, &endedTable, &list, nil) })
	if err != nil && c.s.db.RefusesRow(err) {
		return nil // it is in our own log
	}
	if err == nil {
		c.days.move(c.s, r.TriggerMs, classNone, classFailed)
	}
	return err
}
