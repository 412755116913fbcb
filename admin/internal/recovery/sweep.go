package recovery

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// probeTimeout bounds one question of the sweep.
const probeTimeout = time.Second

// Run sweeps once a minute until ctx is done, then stops what Gained has
// started. It blocks.
func (r *Recovery) Run(ctx context.Context) {
	for pause(ctx, sweepEvery) {
		if err := r.Sweep(ctx); err != nil {
			if ctx.Err() == nil {
				r.cfg.Logger.WarnContext(ctx, "sweep not finished, will be tried again", slog.Any("err", err))
			}
			continue
		}
		r.cfg.Ticked()
	}
	r.group.Stop(context.Cause(ctx)) // not after a panic: Run is then started again
}

// Sweep ends the runs that no executor will report, and settles those that a
// node has left behind which held no shard of theirs.
func (r *Recovery) Sweep(ctx context.Context) error {
	held := r.cfg.Held()
	if len(held) == 0 {
		return nil
	}
	now := time.Now()
	shards := make([]int32, 0, len(held))
	tokens := make(map[int32]int64, len(held))
	for _, h := range held {
		shards = append(shards, h.Shard)
		tokens[h.Shard] = h.Token
	}
	if err := r.sweepOrphans(ctx, shards, tokens, now); err != nil {
		return err
	}
	return r.sweepAccepted(ctx, shards, now)
}

func (r *Recovery) sweepOrphans(ctx context.Context, shards []int32, tokens map[int32]int64, now time.Time) error {
	planned := model.RunPlanned
	return r.eachPage(ctx, store.OpenRunFilter{
		Total: r.cfg.Total, Shards: shards, State: &planned, Limit: pageRows,
		TriggerBeforeMs: now.Add(-orphanAfter).UnixMilli(),
	}, func(runs []*model.Run) error {
		items, err := r.items(ctx, runs, func(run *model.Run) (dispatch.Item, bool) {
			known := r.cfg.Dispatcher.Knows(run.LogID) || r.cfg.Pending(run.LogID)
			run.Token = tokens[run.JobID%r.cfg.Total]
			return dispatch.Item{Run: run, Due: now, Settle: true}, !known
		})
		if err == nil {
			r.cfg.Dispatcher.Add(items...)
		}
		return err
	})
}

func (r *Recovery) eachPage(ctx context.Context, f store.OpenRunFilter, page func([]*model.Run) error) error {
	for {
		runs, err := r.cfg.Store.OpenRuns(ctx, f)
		if err != nil {
			return err
		}
		if len(runs) > 0 {
			if err := page(runs); err != nil {
				return err
			}
			f.AfterLogID = runs[len(runs)-1].LogID
		}
		if len(runs) < f.Limit {
			return nil
		}
	}
}

// question is one thing to ask: several runs of a job at one address share it.
type question struct {
	address string
	job     int32
}

// answer is what came of it.
type answer int8

const (
	busy answer = iota // or not known
	idle
	gone // unregistered and unreachable
)

// sight is what was seen of a run, and since when.
type sight struct {
	answer answer
	since  time.Time
}

// after is how long an answer has to stand before the run counts as lost: one
// call that fails says little of a run that has worked for hours.
func (a answer) after() time.Duration {
	if a == gone {
		return GoneTwice
	}
	return IdleTwice
}

// asking is what one sweep has learnt.
type asking struct {
	answers map[question]answer
	silent  map[string]answer // addresses that gave none: they are not asked again
	seen    map[int64]sight
	now     time.Time
}

func (r *Recovery) sweepAccepted(ctx context.Context, shards []int32, now time.Time) error {
	accepted := model.RunAccepted
	q := asking{
		answers: make(map[question]answer), silent: make(map[string]answer), seen: make(map[int64]sight), now: now,
	}
	err := r.eachPage(ctx, store.OpenRunFilter{
		Total: r.cfg.Total, Shards: shards, State: &accepted, Limit: pageRows,
		TriggerBeforeMs: now.Add(-LostAfter).UnixMilli(),
	}, func(runs []*model.Run) error {
		var lost []*model.Outcome
		for _, run := range runs {
			if out := r.judge(run, r.ask(ctx, &q, run), &q); out != nil {
				lost = append(lost, out)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		if len(lost) == 0 {
			return nil
		}
		r.cfg.Logger.WarnContext(ctx, "runs lost", slog.Int("count", len(lost)))
		return r.cfg.Finish(ctx, lost)
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil { // what was not looked at keeps its place
		maps.Copy(r.seen, q.seen)
		return err
	}
	r.seen = q.seen
	return nil
}

// judge decides about one run and remembers what has to be seen twice.
func (r *Recovery) judge(run *model.Run, a answer, q *asking) *model.Outcome {
	if a == busy || r.cfg.Pending(run.LogID) {
		return nil
	}
	r.mu.Lock()
	s, seen := r.seen[run.LogID]
	r.mu.Unlock()
	if !seen || s.answer != a {
		s = sight{a, q.now}
	}
	if q.now.Sub(s.since) < a.after() {
		q.seen[run.LogID] = s
		return nil
	}
	why := i18n.JoblogLostIdle
	if a == gone {
		why = i18n.JoblogLostGone
	}
	return failure(run.LogID, model.EndLost, r.cfg.Lang.Text(i18n.JoblogLostFail)+" ("+r.cfg.Lang.Text(why)+")")
}

// ask asks the executor of a run about its job, once a sweep.
func (r *Recovery) ask(ctx context.Context, q *asking, run *model.Run) answer {
	if a, silent := q.silent[run.Address]; silent {
		return a
	}
	key := question{run.Address, run.JobID}
	if a, asked := q.answers[key]; asked {
		return a
	}
	t := execclient.Target{Address: run.Address}
	if g, ok := r.cfg.Group(run.GroupID); ok {
		t.AppName, t.Token = g.AppName, g.AccessToken
		t.Old, t.Overlap = g.OldAt(time.Now())
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	free, _, err := r.cfg.Client.IdleBeat(ctx, t, run.JobID)
	switch {
	case err == nil && free:
		q.answers[key] = idle
	case err == nil || r.cfg.Registered(run.Address):
		q.answers[key] = busy
	default:
		q.answers[key] = gone
	}
	if err != nil {
		q.silent[run.Address] = q.answers[key]
	}
	return q.answers[key]
}
