package admin

import (
	"context"

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// console makes the pages.
func (s *system) console(proxies httpx.Proxies) (*console.Server, error) {
	return console.New(console.Config{
		Ops: s.ops, Auth: s.auth, History: s.store, Cluster: s.footCluster, Location: s.cfg.TimeZone, Lang: s.lang,
		CodeEditing: s.cfg.CodeEditing, Version: version(), Proxies: proxies, Logger: s.part("console"),
	})
}

// footCluster is what the foot of every page says of this node.
func (s *system) footCluster(ctx context.Context) console.Cluster {
	leases := s.leases.Status()
	return console.Cluster{Node: s.node, Held: leases.Held, Total: leases.Total, Faults: s.faults(ctx)}
}
