package console

import (
	"context"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// registerSystem registers what is about the admin itself.
func (s *Server) registerSystem() {
	s.page("/settings/cluster", httpx.Admin, (*call).cluster)
	s.page("/settings/about", httpx.LoggedIn, (*call).about)
}

// nodeRow is a node in the list, shardRow a shard.
type nodeRow struct {
	ops.NodeView
	How runState
}

type shardRow struct {
	ops.ShardView
	How  runState
	Left string // until the lease ends
	Lag  string
}

// clusterPage is the cluster.
type clusterPage struct {
	Tabs   []tab
	Nodes  []nodeRow
	Shards []shardRow
	Lease  string
	Free   int // shards that nobody has
	Due    int // jobs that are due and not planned
	Behind string
	Java   ops.JavaView
	How    runState // how it is as a whole
}

// cluster shows nodes, shards, leases and how far behind they are.
func (c *call) cluster(ctx context.Context) error {
	v, err := c.s.cfg.Ops.Cluster(ctx, c.who)
	if err != nil {
		return err
	}
	p := clusterPage{Tabs: c.settingsTabs("cluster"), Java: v.Java, Lease: say.Took(c.lang, v.Lease)}
	states := map[string]runState{
		ops.NodeAlive: {"ok", c.t("cluster.alive")}, ops.NodeSilent: {"bad", c.t("cluster.silent")},
		ops.NodeGone: {"off", c.t("cluster.gone")},
	}
	faulty := 0
	for _, n := range v.Nodes {
		row := nodeRow{n, states[n.State]}
		if n.State == ops.NodeAlive && len(n.Faults) > 0 {
			row.How = runState{"bad", c.t("cluster.faulty")}
			faulty++
		}
		p.Nodes = append(p.Nodes, row)
	}
	var worst time.Duration
	for _, sh := range v.Shards {
		row := shardRow{ShardView: sh, How: runState{"ok", c.t("cluster.held")}}
		if sh.Owner == "" {
			row.How = runState{"bad", c.t("cluster.free")}
			p.Free++
		} else {
			row.Left = say.Took(c.lang, sh.Expires.Sub(v.Now))
		}
		if sh.Due > 0 {
			behind := v.Now.Sub(sh.Since)
			row.Lag = say.Took(c.lang, behind)
			p.Due, worst = p.Due+sh.Due, max(worst, behind)
		}
		p.Shards = append(p.Shards, row)
	}
	p.Behind = say.Took(c.lang, worst)
	switch {
	case p.Free > 0:
		p.How = runState{"bad", c.t("cluster.how.free", p.Free)}
	case worst > lagWarn:
		p.How = runState{"bad", c.t("cluster.how.behind", p.Due, p.Behind)}
	case faulty > 0:
		p.How = runState{"bad", c.t("cluster.how.faulty", faulty)}
	default:
		p.How = runState{"ok", c.t("cluster.how.well", len(v.Shards))}
	}
	return c.render(ctx, "cluster", c.settingsHead(c.t("settings.cluster")), p)
}

// lagWarn is how far behind planning may be: it looks twice a second.
const lagWarn = 2 * time.Second

// aboutPage is the state of this node.
type aboutPage struct {
	Tabs   []tab
	Facts  []fact
	Base   []fact // about the database, for administrators
	Faults []string
	Loops  []loopRow
}

type loopRow struct {
	ops.LoopView
	How   runState
	Limit string
}

func (c *call) about(ctx context.Context) error {
	v, err := c.s.cfg.Ops.About(ctx, c.who)
	if err != nil {
		return err
	}
	node := c.status(ctx)
	build := v.Revision
	if build == "" {
		build = c.t("about.unknown")
	}
	if !v.Built.IsZero() {
		build += ", " + say.Stamp(v.Built.In(c.s.cfg.Location))
	}
	p := aboutPage{
		Tabs: c.settingsTabs("about"), Faults: node.Faults,
		Facts: []fact{
			{Name: c.t("about.version"), Value: v.Version},
			{Name: c.t("about.build"), Value: build, Mono: true},
			{Name: c.t("about.go"), Value: v.Go, Mono: true},
			{Name: c.t("about.node"), Value: v.Node, Mono: true},
			{Name: c.t("about.started"), Value: say.Stamp(v.Started.In(c.s.cfg.Location))},
			{Name: c.t("about.uptime"), Value: say.Took(c.lang, c.now().Sub(v.Started))},
			{Name: c.t("about.shards"), Value: strconv.Itoa(node.Held) + " / " + strconv.Itoa(node.Total)},
			{Name: c.t("about.restarts"), Value: say.Count(v.Restarts)},
			{Name: c.t("job.zone"), Value: say.ZoneName(c.s.cfg.Location, c.now())},
			c.publicFact(v.PublicURL),
			{Name: c.t("about.time"), Value: say.Stamp(c.now())},
		},
	}
	if db := v.Database; db.Kind != "" {
		schema := c.t("about.schema.java", db.Generation, db.Migration)
		if db.MadeByUs {
			schema = c.t("about.schema.ours", db.Generation, db.Migration)
		}
		p.Base = []fact{
			{Name: c.t("about.db"), Value: db.Kind + " " + db.Version, Mono: true},
			{Name: c.t("about.schema"), Value: schema},
		}
	}
	for _, l := range v.Loops {
		row := loopRow{LoopView: l, How: runState{"ok", c.t("about.works")}, Limit: say.Took(c.lang, l.Limit)}
		if l.Late {
			row.How = runState{"bad", c.t("about.late")}
		}
		p.Loops = append(p.Loops, row)
	}
	return c.render(ctx, "about", c.settingsHead(c.t("settings.about")), p)
}

// publicFact says where links in alarms lead to.
func (c *call) publicFact(address string) fact {
	if address == "" {
		return fact{Name: c.t("about.public"), Value: c.t("about.public.none")}
	}
	return fact{Name: c.t("about.public"), Value: address, Mono: true}
}
