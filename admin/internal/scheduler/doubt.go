package scheduler

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// doubtPage is how many open runs one statement reads.
const doubtPage = 1000

// doubt holds what was planned by transactions that ended with an error after
// which nobody knows whether they were carried out. Their jobs may have moved
// on, so nobody would plan these runs again; and nobody has sent them.
type doubt struct {
	items   map[doubtKey]dispatch.Item
	afterID int64 // log ids at or below it were given out before
}

// doubtKey names a run without its log id.
type doubtKey struct {
	job     int32
	typ     model.TriggerType
	planned int64
	trigger int64
	shard   int32
}

func keyOf(r *model.Run) doubtKey {
	return doubtKey{r.JobID, r.Type, r.PlannedMs, r.TriggerMs, r.ShardIndex}
}

func (d *doubt) add(items []dispatch.Item, afterID int64) {
	if len(d.items) == 0 {
		d.items, d.afterID = make(map[doubtKey]dispatch.Item, len(items)), afterID
	}
	for _, it := range items {
		d.items[keyOf(it.Run)] = it
	}
}

// cancel marks what is to be deleted when it is found, and returns the first of
// these instants.
func (d *doubt) cancel(jobID int32, now time.Time) (first time.Time) {
	for k, it := range d.items {
		at := time.UnixMilli(k.planned)
		if k.job != jobID || k.planned == 0 || !at.After(now) {
			continue
		}
		it.Job = nil
		d.items[k] = it
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first
}

// settleDoubt looks on record for what is in doubt: what is there is handed
// over, or deleted if it was taken back meanwhile. The caller holds s.pass.
func (s *Scheduler) settleDoubt(ctx context.Context, fence store.Fence) error {
	if len(s.doubt.items) == 0 {
		return nil
	}
	planned := model.RunPlanned
	f := store.OpenRunFilter{Total: fence.Total, State: &planned, AfterLogID: s.doubt.afterID, Limit: doubtPage}
	tokens := make(map[int32]int64, len(fence.Shards))
	for _, sh := range fence.Shards {
		f.Shards = append(f.Shards, sh.Shard)
		tokens[sh.Shard] = sh.Token
	}
	var found []dispatch.Item
	for {
		runs, err := s.cfg.Store.OpenRuns(ctx, f)
		if err != nil {
			return fmt.Errorf("look for %d runs that may be on record: %w", len(s.doubt.items), err)
		}
		for _, run := range runs {
			it, ok := s.doubt.items[keyOf(run)]
			switch {
			case !ok || run.Token != it.Run.Token || run.Token != tokens[shard(run.JobID, fence.Total)]:
			case it.Job == nil:
				s.leftover.add(run.JobID, run.Token, run.LogID)
			default:
				it.Run = run
				found = append(found, it)
			}
		}
		if len(runs) < doubtPage {
			break
		}
		f.AfterLogID = runs[len(runs)-1].LogID
	}
	s.doubt = doubt{}
	for _, it := range found {
		s.lastID = max(s.lastID, it.Run.LogID)
	}
	s.cfg.Dispatcher.Add(found...)
	s.cfg.Planned(len(found), 0)
	if len(found) > 0 {
		s.cfg.Logger.InfoContext(ctx, "runs found on record after a fault", slog.Int("count", len(found)))
	}
	return s.deleteLeftover(ctx)
}
