package store

import (
	"context"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// Missed puts on record what nobody has planned of a job that is about to be
// stopped or edited. If the job runs and its next time is beforeMs (Unix
// milliseconds) or earlier, decide is called with it, as Plan gives it, and says
// which records of gaps to write and where to move the job on; runs are not
// written. It needs no lease: the job is locked meanwhile, and whoever plans it
// finds it moved on. With shared it takes the lock of the Java admin first, as
// Plan does.
//
// decide may be called more than once; the last call counts. Errors: ErrBusy,
// with nothing written; ErrUnknownOutcome.
func (s *Store) Missed(
	ctx context.Context, jobID int32, shared bool, beforeMs int64, decide func(j *model.Job) PlanResult,
) error {
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		if shared {
			if err := s.sharedLock(ctx, q); err != nil {
				if s.db.Retryable(err) {
					return fmt.Errorf("%w: %v", ErrBusy, err)
				}
				return err
			}
		}
		due, err := s.dueWhere(ctx, q, " AND id = ?{lock}", beforeMs, jobID)
		if err != nil || len(due) == 0 {
			return err
		}
		p := planning{s: s, result: decide(due[0]), creation: s.creation(false, &RefusedError{})}
		if err := p.advance(ctx, q, due); err != nil {
			return err
		}
		if err := p.insertGaps(ctx, q, p.result.Gaps); err != nil {
			return err
		}
		return p.days.save(ctx, s, q)
	})
	if err != nil {
		return fmt.Errorf("record what was missed of job %d: %w", jobID, err)
	}
	return nil
}
