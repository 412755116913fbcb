package admin

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/recovery"
	"github.com/xxljob-go/xxljob/admin/internal/registry"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// console makes the pages. Their streams end with stopping.
func (s *system) console(proxies httpx.Proxies, stopping <-chan struct{}) (*console.Server, error) {
	return console.New(console.Config{
		Ops: s.ops, Auth: s.auth, History: s.store, Cluster: s.footCluster, Location: s.cfg.TimeZone, Lang: s.lang,
		Executors: console.Executors{
			Addresses: s.addressStates, Lanes: s.pageLanes, LastBeat: s.lastBeat, Probe: s.probe,
			LostAfter: recovery.LostAfter, GoneTwice: recovery.GoneTwice,
		},
		Pulse: s.pulse, Forecast: s.forecast.Hour,
		Links:       s.links(),
		Setup:       console.Setup{Token: s.cfg.AccessToken, Apps: s.apps},
		CodeEditing: s.cfg.CodeEditing, Version: version(), Proxies: proxies, Stopping: stopping,
		Logger: s.part("console"),
	})
}

// pageLanes is how the lanes of this node stand, for the pages.
func (s *system) pageLanes() map[string]model.AddressState {
	list := make(map[string]model.AddressState)
	for address, st := range s.client.Stats() {
		list[address] = model.AddressState{
			InFlight: st.InFlight, Queued: st.Depth, DeadSince: st.DeadSince,
			Dialect: string(st.Dialect), Native: st.Native, Release: st.Release,
		}
	}
	return list
}

// lastBeat is when an executor of the app was last heard of.
func (s *system) lastBeat(app string) (last time.Time) {
	for _, reg := range s.registry.Registrations(app) {
		if reg.Last.After(last) {
			last = reg.Last
		}
	}
	return last
}

// probe asks an executor what harms nobody.
func (s *system) probe(ctx context.Context, address string, g *model.Group) *model.Probe {
	return s.client.Probe(ctx, target(address, g))
}

// footCluster is what the foot of every page says of this node. A shard that
// changes hands has no owner for a moment, of which the foot does not speak.
func (s *system) footCluster(ctx context.Context) console.Cluster {
	leases := s.leases.Status()
	view := clusterOf(s.node, leases.View, s.leases.TTL(), s.leases.TTL())
	c := console.Cluster{Node: s.node, Held: leases.Held, Total: leases.Total, Faults: s.faults(ctx)}
	for _, sh := range view.Shards {
		if sh.Owner == "" {
			c.Orphans++
		}
	}
	footNodes(&c, view.Nodes)
	if ms := s.javaSeen.Load(); ms != 0 {
		c.JavaSeen = time.UnixMilli(ms)
	}
	return c
}

// footNodes adds the nodes that live, and those that vanished without a word.
func footNodes(c *console.Cluster, nodes []ops.NodeView) {
	for _, n := range nodes {
		switch {
		case n.State == ops.NodeAlive:
			c.Nodes = append(c.Nodes, console.ClusterNode{Name: n.Name, Seen: n.Seen, Shards: n.Shards, Me: n.This})
		case n.State == ops.NodeSilent && !n.This:
			c.Silent = append(c.Silent, n.Name)
		}
	}
	slices.SortFunc(c.Nodes, func(a, b console.ClusterNode) int { return cmp.Compare(a.Name, b.Name) })
	slices.Sort(c.Silent)
}

// apps are the executors that are there.
func (s *system) apps(ctx context.Context) ([]console.App, error) {
	beats, err := s.store.LiveBeats(ctx, time.Now().Add(-registry.Expiry))
	if err != nil {
		return nil, err
	}
	var list []console.App
	for _, b := range beats {
		if b.Group == wire.RegistryGroupExecutor {
			list = append(list, console.App{Name: b.Key, Address: b.Value})
		}
	}
	return list, nil
}
