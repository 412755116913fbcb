package simulation

import (
	"context"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/lease"
)

func (v view) Renew(ctx context.Context, node string, ttl time.Duration) (lv lease.View, err error) {
	if v.node.isDeaf() {
		return lease.View{}, errDatabase
	}
	err = v.tx(ctx, v.node, func() error {
		now := v.sim.now()
		v.nodes[node] = now
		for i := range v.shards {
			if s := &v.shards[i]; s.Owner == node && s.ExpiresMs > now {
				s.ExpiresMs = now + ttl.Milliseconds()
			}
		}
		lv = v.leasesLocked()
		return nil
	})
	return lv, err
}

func (v view) View(ctx context.Context) (lv lease.View, err error) {
	err = v.tx(ctx, v.node, func() error { lv = v.leasesLocked(); return nil })
	return lv, err
}

func (d *database) leasesLocked() lease.View {
	lv := lease.View{NowMs: d.sim.now(), Shards: slices.Clone(d.shards)}
	for name, seen := range d.nodes {
		lv.Nodes = append(lv.Nodes, lease.Node{Name: name, SeenMs: seen})
	}
	return lv
}

func (v view) Acquire(ctx context.Context, node string, shards []int32, ttl time.Duration) (won []lease.Shard, err error) {
	err = v.tx(ctx, v.node, func() error {
		now := v.sim.now()
		for _, i := range shards {
			s := &v.shards[i]
			if s.Owner != "" && s.ExpiresMs > now {
				continue
			}
			prev := s.ExpiresMs
			s.Owner, s.Token, s.ExpiresMs = node, s.Token+1, now+ttl.Milliseconds()
			w := *s
			w.PrevExpiresMs = prev
			won = append(won, w)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return won, nil
}

func (v view) Release(ctx context.Context, node string, shards []int32) error {
	return v.tx(ctx, v.node, func() error {
		for _, i := range shards {
			if s := &v.shards[i]; s.Owner == node {
				s.Owner, s.ExpiresMs = "", min(s.ExpiresMs, v.sim.now())
			}
		}
		return nil
	})
}

func (v view) Leave(ctx context.Context, node string) error {
	all := make([]int32, len(v.shards))
	for i := range all {
		all[i] = int32(i)
	}
	if err := v.Release(ctx, node, all); err != nil {
		return err
	}
	return v.tx(ctx, v.node, func() error { delete(v.nodes, node); return nil })
}
