package admin

import (
	"context"

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// console makes the pages. Their streams end with stopping.
func (s *system) console(proxies httpx.Proxies, stopping <-chan struct{}) (*console.Server, error) {
	return console.New(console.Config{
		Ops: s.ops, Auth: s.auth, History: s.store, Cluster: s.footCluster, Location: s.cfg.TimeZone, Lang: s.lang,
		Executors:   console.Executors{Addresses: s.pageAddresses, Probe: s.probe},
		CodeEditing: s.cfg.CodeEditing, Version: version(), Proxies: proxies, Stopping: stopping,
		Logger: s.part("console"),
	})
}

// pageAddresses is addressStates for the pages.
func (s *system) pageAddresses(
	ctx context.Context, app string, addresses []string,
) (map[string]console.AddressState, error) {
	states, err := s.addressStates(ctx, app, addresses)
	if err != nil {
		return nil, err
	}
	list := make(map[string]console.AddressState, len(states))
	for address, st := range states {
		list[address] = console.AddressState(st)
	}
	return list, nil
}

// probe asks an executor whether it is there.
func (s *system) probe(ctx context.Context, address string, g *model.Group) error {
	return s.client.Beat(ctx, target(address, g))
}

// footCluster is what the foot of every page says of this node.
func (s *system) footCluster(ctx context.Context) console.Cluster {
	leases := s.leases.Status()
	return console.Cluster{Node: s.node, Held: leases.Held, Total: leases.Total, Faults: s.faults(ctx)}
}
