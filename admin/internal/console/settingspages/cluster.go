package settingspages

import (
	"context"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// nodeRow is a node in the list, shardRow a shard.
type nodeRow struct {
	ops.NodeView
	How web.State
}

type shardRow struct {
	ops.ShardView
	How  web.State
	Left string // until the lease ends
	Lag  string
}

// clusterPage is the cluster.
type clusterPage struct {
	Tabs   []web.Tab
	Nodes  []nodeRow
	Shards []shardRow
	Lease  string
	Free   int // shards that nobody has
	Due    int // jobs that are due and not planned
	Behind string
	Java   ops.JavaView
	How    web.State // how it is as a whole
}

// cluster shows nodes, shards, leases and how far behind they are.
func (c *call) cluster(ctx context.Context) error {
	v, err := c.Cfg.Ops.Cluster(ctx, c.Who)
	if err != nil {
		return err
	}
	p := clusterPage{Tabs: c.settingsTabs("cluster"), Java: v.Java, Lease: say.Took(c.Lang, v.Lease)}
	states := map[string]web.State{
		ops.NodeAlive:  {Kind: "ok", Text: c.T("cluster.alive")},
		ops.NodeSilent: {Kind: "bad", Text: c.T("cluster.silent")},
		ops.NodeGone:   {Kind: "off", Text: c.T("cluster.gone")},
	}
	faulty := 0
	for _, n := range v.Nodes {
		row := nodeRow{n, states[n.State]}
		if n.State == ops.NodeAlive && len(n.Faults) > 0 {
			row.How = web.State{Kind: "bad", Text: c.T("cluster.faulty")}
			faulty++
		}
		p.Nodes = append(p.Nodes, row)
	}
	var worst time.Duration
	for _, sh := range v.Shards {
		row := shardRow{ShardView: sh, How: web.State{Kind: "ok", Text: c.T("cluster.held")}}
		if sh.Owner == "" {
			row.How = web.State{Kind: "bad", Text: c.T("cluster.free")}
			p.Free++
		} else {
			row.Left = say.Took(c.Lang, sh.Expires.Sub(v.Now))
		}
		if sh.Due > 0 {
			behind := v.Now.Sub(sh.Since)
			row.Lag = say.Took(c.Lang, behind)
			p.Due, worst = p.Due+sh.Due, max(worst, behind)
		}
		p.Shards = append(p.Shards, row)
	}
	p.Behind = say.Took(c.Lang, worst)
	switch {
	case p.Free > 0:
		p.How = web.State{Kind: "bad", Text: c.T("cluster.how.free", p.Free)}
	case worst > lagWarn:
		p.How = web.State{Kind: "bad", Text: c.T("cluster.how.behind", p.Due, p.Behind)}
	case faulty > 0:
		p.How = web.State{Kind: "bad", Text: c.T("cluster.how.faulty", faulty)}
	default:
		p.How = web.State{Kind: "ok", Text: c.T("cluster.how.well", len(v.Shards))}
	}
	if c.Str("part") != "" {
		return c.Part("cluster", "clusternow", p)
	}
	head := c.settingsHead(c.T("settings.cluster"))
	head.Script = "renew.js"
	return c.Render(ctx, "cluster", head, p)
}

// lagWarn is how far behind planning may be: it looks twice a second.
const lagWarn = 2 * time.Second

// aboutPage is the state of this node.
type aboutPage struct {
	Tabs   []web.Tab
	Facts  []web.Fact
	Base   []web.Fact // about the database, for administrators
	Faults []string
	Loops  []loopRow
}

type loopRow struct {
	ops.LoopView
	How   web.State
	Limit string
}

func (c *call) about(ctx context.Context) error {
	v, err := c.Cfg.Ops.About(ctx, c.Who)
	if err != nil {
		return err
	}
	node := c.Status(ctx)
	build := v.Revision
	if build == "" {
		build = c.T("about.unknown")
	}
	if !v.Built.IsZero() {
		build += ", " + say.Stamp(v.Built.In(c.Cfg.Location))
	}
	p := aboutPage{
		Tabs: c.settingsTabs("about"), Faults: node.Faults,
		Facts: []web.Fact{
			{Name: c.T("about.version"), Value: v.Version},
			{Name: c.T("about.build"), Value: build, Mono: true},
			{Name: c.T("about.go"), Value: v.Go, Mono: true},
			{Name: c.T("about.node"), Value: v.Node, Mono: true},
			{Name: c.T("about.started"), Value: say.Stamp(v.Started.In(c.Cfg.Location))},
			{Name: c.T("about.uptime"), Value: say.Took(c.Lang, c.Now().Sub(v.Started))},
			{Name: c.T("about.shards"), Value: strconv.Itoa(node.Held) + " / " + strconv.Itoa(node.Total)},
			{Name: c.T("about.restarts"), Value: say.Count(v.Restarts)},
			{Name: c.T("job.zone"), Value: say.ZoneName(c.Cfg.Location, c.Now())},
			c.publicFact(v.PublicURL),
			{Name: c.T("about.time"), Value: say.Stamp(c.Now())},
		},
	}
	if db := v.Database; db.Kind != "" {
		schema := c.T("about.schema.java", db.Generation, db.Migration)
		if db.MadeByUs {
			schema = c.T("about.schema.ours", db.Generation, db.Migration)
		}
		p.Base = []web.Fact{
			{Name: c.T("about.db"), Value: db.Kind + " " + db.Version, Mono: true},
			{Name: c.T("about.schema"), Value: schema},
		}
	}
	for _, l := range v.Loops {
		row := loopRow{LoopView: l, Limit: say.Took(c.Lang, l.Limit)}
		row.How = web.State{Kind: "ok", Text: c.T("about.works")}
		if l.Late {
			row.How = web.State{Kind: "bad", Text: c.T("about.late")}
		}
		p.Loops = append(p.Loops, row)
	}
	return c.Render(ctx, "about", c.settingsHead(c.T("settings.about")), p)
}

// publicFact says where links in alarms lead to.
func (c *call) publicFact(address string) web.Fact {
	if address == "" {
		return web.Fact{Name: c.T("about.public"), Value: c.T("about.public.none")}
	}
	return web.Fact{Name: c.T("about.public"), Value: address, Mono: true}
}
