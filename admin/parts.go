package admin

import (
	"context"
	"errors"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/lease"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// leaseProvider is the store as package lease sees it.
type leaseProvider struct{ store *store.Store }

func (p leaseProvider) Renew(ctx context.Context, node string, ttl time.Duration) (lease.View, error) {
	v, err := p.store.Renew(ctx, node, ttl)
	if err != nil {
		return lease.View{}, err
	}
	return leaseView(v), nil
}

// View is what package recovery sees of leases.
func (p leaseProvider) View(ctx context.Context) (lease.View, error) {
	v, err := p.store.Leases(ctx)
	if err != nil {
		return lease.View{}, err
	}
	return leaseView(v), nil
}

func leaseView(v store.LeaseView) lease.View {
	view := lease.View{NowMs: v.NowMs}
	for _, n := range v.Nodes {
		view.Nodes = append(view.Nodes, lease.Node{Name: n.Name, SeenMs: n.SeenMs})
	}
	for _, s := range v.Shards {
		view.Shards = append(view.Shards, leaseShard(s))
	}
	return view
}

func (p leaseProvider) Acquire(
	ctx context.Context, node string, shards []int32, ttl time.Duration,
) ([]lease.Shard, error) {
	won, err := p.store.Acquire(ctx, node, shards, ttl)
	if err != nil {
		return nil, err
	}
	list := make([]lease.Shard, 0, len(won))
	for _, s := range won {
		list = append(list, leaseShard(s))
	}
	return list, nil
}

func (p leaseProvider) Release(ctx context.Context, node string, shards []int32) error {
	return p.store.Release(ctx, node, shards)
}

func (p leaseProvider) Leave(ctx context.Context, node string) error { return p.store.Leave(ctx, node) }

func leaseShard(s store.LeaseShard) lease.Shard {
	return lease.Shard{
		Index: s.Index, Owner: s.Owner, Token: s.Token, ExpiresMs: s.ExpiresMs, PrevExpiresMs: s.PrevExpiresMs,
	}
}

// manual runs jobs that a person, a script or a program asks for.
type manual struct {
	store      *store.Store
	dispatcher *dispatch.Dispatcher
	now        func() time.Time
}

// Trigger records the runs and sends them. It returns when they are on record.
func (m manual) Trigger(ctx context.Context, job *model.Job, in ops.TriggerInput) ([]int64, error) {
	t := dispatch.Trigger{Type: in.Type, At: m.now(), Param: in.Param, Addresses: in.Addresses}
	if t.Type == "" {
		t.Type = model.TriggerManual
	}
	runs := m.runs(job, t, in.Shard)
	for _, run := range runs {
		run.Cause = in.Cause
	}
	err := m.store.CreateRuns(ctx, runs)
	var refused *store.RefusedError
	if err != nil && !errors.As(err, &refused) { // refused: the others are on record, and have to be sent
		return nil, err
	}
	ids := make([]int64, 0, len(runs))
	items := make([]dispatch.Item, 0, len(runs))
	for _, run := range runs {
		if run.LogID == 0 {
			continue
		}
		ids = append(ids, run.LogID)
		items = append(items, dispatch.Item{Run: run, Job: job, Due: t.At, Addresses: in.Addresses})
	}
	m.dispatcher.Add(items...)
	return ids, err
}

// runs are those of a trigger: all, or one shard of a broadcast. Where no address
// is named, the shard goes where it would as a retry.
func (m manual) runs(job *model.Job, t dispatch.Trigger, shard *ops.Shard) []*model.Run {
	if shard == nil {
		return m.dispatcher.NewRuns(job, t)
	}
	alone := *job
	alone.Route = model.RouteFirst
	runs := m.dispatcher.NewRuns(&alone, t)
	for _, run := range runs {
		run.Sharded, run.ShardIndex, run.ShardTotal, run.Address = true, shard.Index, shard.Total, ""
		m.dispatcher.Assign(run, job, t.Addresses)
	}
	return runs
}

// executors is the client as package ops sees it.
type executors struct{ client *execclient.Client }

func (e executors) Kill(ctx context.Context, address string, g *model.Group, jobID int32) (wire.Response, error) {
	return e.client.Kill(ctx, target(address, g), jobID)
}

func (e executors) Log(
	ctx context.Context, address string, g *model.Group, r wire.LogRequest,
) (wire.Response, wire.LogResult, error) {
	return e.client.Log(ctx, target(address, g), r)
}

func target(address string, g *model.Group) execclient.Target {
	t := execclient.Target{Address: address}
	if g != nil {
		t.AppName, t.Token = g.AppName, g.AccessToken
		t.Old, t.Overlap = g.OldAt(time.Now())
	}
	return t
}
