package scheduler

import (
	"context"
	"fmt"
)

// leftover are the runs that were taken back and are still on record, by log
// id.
type leftover map[int64]takenBack

// takenBack says whose run it is, and under which lease it was taken back.
type takenBack struct {
	job   int32
	token int64
}

func (l *leftover) add(job int32, token int64, ids ...int64) {
	if *l == nil {
		*l = make(leftover)
	}
	for _, id := range ids {
		(*l)[id] = takenBack{job, token}
	}
}

// token is that of the lease under which this node plans the job, 0 if it does
// not.
func (s *Scheduler) token(jobID int32) int64 {
	at := shard(jobID, s.cfg.Leases.Total())
	for _, h := range s.cfg.Leases.Held() {
		if h.Shard == at {
			return h.Token
		}
	}
	return 0
}

// deleteLeftover deletes the rows of runs that were taken back. What the
// database does not delete now is tried again with the next pass. Once the lease
// is another one, somebody may have taken a run over and sent it: it stays on
// record, and its instant is not planned again. The caller is the pass.
func (s *Scheduler) deleteLeftover(ctx context.Context) error {
	ids := make([]int64, 0, len(s.leftover))
	for id, run := range s.leftover {
		if run.token == 0 || s.token(run.job) != run.token {
			delete(s.leftover, id)
			delete(s.replan, run.job)
			continue
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil
	}
	if _, err := s.cfg.Store.DeleteUnsent(ctx, ids); err != nil {
		return fmt.Errorf("delete %d runs that were taken back: %w", len(ids), err)
	}
	clear(s.leftover)
	return nil
}
