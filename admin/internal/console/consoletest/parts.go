package consoletest

import (
	"context"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// System is a node on a cluster that tests change.
type System struct{ View ops.ClusterView }

// Cluster is View with its times.
func (p *System) Cluster(context.Context) (*ops.ClusterView, error) {
	v := p.View
	v.Now, v.Lease = Noon, 3*time.Second
	return &v, nil
}

// About is a node with a loop that is late.
func (p *System) About(context.Context) (*ops.AboutView, error) {
	return &ops.AboutView{
		Version: "v1.2.3", Revision: "0123456789ab", Go: "go1.99", Node: "node-a", Started: Noon.Add(-26 * time.Hour),
		Loops: []ops.LoopView{
			{Name: "scheduler", Last: Noon, Limit: 15 * time.Second},
			{Name: "registry", Last: Noon.Add(-time.Hour), Limit: time.Minute, Late: true},
		},
		Database: ops.DatabaseView{Kind: "sqlite", Version: "3.99", Generation: "S4", Migration: 5, MadeByUs: true},
	}, nil
}

// Parts stands for what the admin's façade hands to ops.
type Parts struct {
	store *store.Store
	Calls []string
	In    ops.TriggerInput
	// OnChange is called when groups have changed; nil does nothing.
	OnChange func()
	OnStart  func()                                        // called when a job was started; nil does nothing
	Text     func(wire.LogRequest) (wire.LogResult, error) // what logs of runs say; nil is nothing
	Hangs    bool                                          // executors do not answer when they are asked for a log
}

// Started is told that a job was started.
func (p *Parts) Started(context.Context, int32) error {
	if p.OnStart != nil {
		p.OnStart()
	}
	return nil
}

// Owns reports whether this node plans a job: it does.
func (p *Parts) Owns(int32) bool { return true }

// Change calls write.
func (p *Parts) Change(ctx context.Context, _ int32, write func(ctx context.Context) error) error {
	return write(ctx)
}

// Group knows none.
func (p *Parts) Group(int32) (*model.Group, bool) { return nil, false }

// GroupsChanged is told that groups have changed.
func (p *Parts) GroupsChanged() {
	if p.OnChange != nil {
		p.OnChange()
	}
}

// Trigger stores a run of a job, and sends nothing.
func (p *Parts) Trigger(ctx context.Context, j *model.Job, in ops.TriggerInput) ([]int64, error) {
	p.In = in
	param := j.Param
	if in.Param != nil {
		param = model.T(*in.Param)
	}
	r := &model.Run{
		JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerManual, TriggerMs: Noon.UnixMilli(), ShardTotal: 1,
		Handler: j.Handler, Param: param, Cause: in.Cause,
	}
	if in.Shard != nil {
		r.Sharded, r.ShardIndex, r.ShardTotal = true, in.Shard.Index, in.Shard.Total
	}
	if err := p.store.CreateRuns(ctx, []*model.Run{r}); err != nil {
		return nil, err
	}
	return []int64{r.LogID}, nil
}

// Results stores what became of runs.
func (p *Parts) Results(ctx context.Context, outs []*model.Outcome) error {
	_, err := p.store.Finish(ctx, outs, func(ends []*store.Ending, _ store.Loader) error {
		for _, e := range ends {
			if e.Ends && e.Outcome.Handle != nil {
				e.HandleMsg = e.Outcome.Handle.Msg
			}
		}
		return nil
	})
	return err
}

// Kill keeps whom it was to ask.
func (p *Parts) Kill(_ context.Context, address string, _ *model.Group, _ int32) (wire.Response, error) {
	p.Calls = append(p.Calls, "kill "+address)
	return wire.Response{Code: wire.CodeSuccess}, nil
}

// Log keeps whom it was to ask, and answers with Text.
func (p *Parts) Log(
	ctx context.Context, address string, _ *model.Group, req wire.LogRequest,
) (wire.Response, wire.LogResult, error) {
	p.Calls = append(p.Calls, "log "+address)
	if p.Hangs {
		<-ctx.Done()
		return wire.Response{}, wire.LogResult{}, ctx.Err()
	}
	if p.Text != nil {
		text, err := p.Text(req)
		return wire.Response{Code: wire.CodeSuccess}, text, err
	}
	return wire.Response{Code: wire.CodeSuccess}, wire.LogResult{IsEnd: true}, nil
}
