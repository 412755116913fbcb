package ops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// What can be done with several jobs at once.
const (
	BulkStart  = "start"
	BulkStop   = "stop"
	BulkRun    = "run"
	BulkDelete = "delete"
	BulkMove   = "move" // to another group
)

const (
	// MaxBulk is how many jobs are worked on at once, at most.
	MaxBulk = 10_000
	// bulkTime is after how long no further job is begun: before a browser or a
	// proxy gives the request up.
	bulkTime = time.Minute
)

// Bulk is one thing that is done with several jobs.
type Bulk struct {
	Do      string // BulkStart …
	IDs     []int32
	GroupID int32 // where BulkMove moves them
}

// BulkResult is what became of a Bulk.
type BulkResult struct {
	Done    int
	Refused []Refusal
	Left    int // jobs that were not begun, because time was up
}

// Refusal says why something was not done with a job.
type Refusal struct {
	ID  int32
	Err *Error
}

// take counts one job. A fault of the admin is returned.
func (r *BulkResult) take(id int32, err error) error {
	var refusal *Error
	switch {
	case errors.As(err, &refusal):
		r.Refused = append(r.Refused, Refusal{ID: id, Err: refusal})
		return nil
	case err != nil:
		return err
	}
	r.Done++
	return nil
}

// BulkJobs does one thing with several jobs, each as if it was alone: what is
// refused for one does not keep the others from it. It begins no further job
// after a minute. A fault ends it; the result says what was done until then.
func (s *Service) BulkJobs(ctx context.Context, p Principal, b Bulk) (*BulkResult, error) {
	if b.Do == BulkMove {
		return s.moveJobs(ctx, p, b.IDs, b.GroupID)
	}
	act, ok := map[string]func(id int32) error{
		BulkStart: func(id int32) error { return s.StartJob(ctx, p, id) },
		BulkStop:  func(id int32) error { return s.StopJob(ctx, p, id) },
		BulkRun: func(id int32) error {
			_, err := s.TriggerJob(ctx, p, id, TriggerInput{})
			return err
		},
		BulkDelete: func(id int32) error { return s.DeleteJob(ctx, p, id) },
	}[b.Do]
	result := &BulkResult{}
	if !ok {
		return result, fmt.Errorf("ops: there is no bulk action %q", b.Do)
	}
	began := time.Now()
	for i, id := range b.IDs {
		if time.Since(began) > bulkTime {
			result.Left = len(b.IDs) - i
			break
		}
		if err := result.take(id, act(id)); err != nil {
			return result, err
		}
	}
	return result, nil
}

// JobIDs returns the ids of the jobs that a filter selects among those that the
// principal may see: at most MaxBulk, and whether there are more.
func (s *Service) JobIDs(ctx context.Context, p Principal, f model.JobFilter) (ids []int32, more bool, err error) {
	ok, err := s.scopeJobs(ctx, p, &f)
	if err != nil || !ok {
		return nil, false, err
	}
	ids, err = s.store.JobIDs(ctx, f, MaxBulk+1)
	if len(ids) > MaxBulk {
		return ids[:MaxBulk], true, err
	}
	return ids, false, err
}

// JobsOf returns those of the jobs that there are and that the principal may
// see, in the order of ids.
func (s *Service) JobsOf(ctx context.Context, p Principal, ids []int32) ([]*model.Job, error) {
	found, err := s.store.JobsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	list := make([]*model.Job, 0, len(found))
	for _, id := range ids {
		if j := found[id]; j != nil && p.Can(j.GroupID, model.RoleViewer) {
			list = append(list, j)
		}
	}
	return list, nil
}
