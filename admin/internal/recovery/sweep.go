package recovery

import (
	"context"
	"log/slog"
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
	defer r.group.Stop(context.Cause(ctx))
	for pause(ctx, sweepEvery) {
		if err := r.Sweep(ctx); err != nil {
			if ctx.Err() == nil {
				r.cfg.Logger.WarnContext(ctx, "sweep not finished, will be tried again", slog.Any("err", err))
			}
			continue
		}
		r.cfg.Ticked()
	}
	r.group.Stop(context.Cause(ctx))
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
			run.Token = tokens[run.JobID%r.cfg.Total]
			return dispatch.Item{Run: run, Due: now, Settle: true}, !r.cfg.Dispatcher.Knows(run.LogID)
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
type answer struct {
	gone bool // unregistered and unreachable
	idle bool
}

func (r *Recovery) sweepAccepted(ctx context.Context, shards []int32, now time.Time) error {
	accepted := model.RunAccepted
	answers := make(map[question]answer)
	idle := make(map[int64]time.Time)
	err := r.eachPage(ctx, store.OpenRunFilter{
		Total: r.cfg.Total, Shards: shards, State: &accepted, Limit: pageRows,
		TriggerBeforeMs: now.Add(-LostAfter).UnixMilli(),
	}, func(runs []*model.Run) error {
		var lost []*model.Outcome
		for _, run := range runs {
			q := question{run.Address, run.JobID}
			a, asked := answers[q]
			if !asked {
				a = r.ask(ctx, run)
				answers[q] = a
			}
			if out := r.judge(run, a, now, idle); out != nil {
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
	r.idle = idle
	r.mu.Unlock()
	return err
}

// judge decides about one run and remembers what has to be seen twice.
func (r *Recovery) judge(run *model.Run, a answer, now time.Time, idle map[int64]time.Time) *model.Outcome {
	if a.gone {
		return failure(run.LogID, r.cfg.Lang.Text(i18n.JoblogLostFail)+" ("+r.cfg.Lang.Text(i18n.JoblogLostGone)+")")
	}
	if !a.idle {
		return nil
	}
	r.mu.Lock()
	first, seen := r.idle[run.LogID]
	r.mu.Unlock()
	if !seen {
		first = now
	}
	idle[run.LogID] = first
	if now.Sub(first) < IdleTwice {
		return nil
	}
	delete(idle, run.LogID)
	return failure(run.LogID, r.cfg.Lang.Text(i18n.JoblogLostFail)+" ("+r.cfg.Lang.Text(i18n.JoblogLostIdle)+")")
}

// ask asks the executor of a run about its job.
func (r *Recovery) ask(ctx context.Context, run *model.Run) answer {
	t := execclient.Target{Address: run.Address}
	if g, ok := r.cfg.Group(run.GroupID); ok {
		t.AppName, t.Token = g.AppName, g.AccessToken
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	idle, _, err := r.cfg.Client.IdleBeat(ctx, t, run.JobID)
	if err != nil {
		return answer{gone: !r.cfg.Registered(run.Address)}
	}
	return answer{idle: idle}
}
