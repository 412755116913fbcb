package dispatch

import (
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// prepare resolves the group and, where nobody has to be asked, the address,
// and encodes the request, so that nothing but the socket is left for the
// planned instant.
func (d *Dispatcher) prepare(e *entry) {
	if e.group == nil || len(e.addrs) == 0 {
		g, ok := d.cfg.Group(e.Run.GroupID)
		if !ok {
			return
		}
		e.group = g
	}
	if len(e.addrs) == 0 {
		e.addrs = e.Addresses
	}
	if len(e.addrs) == 0 {
		e.addrs = e.group.Addresses()
	}
	if e.Run.Address == "" {
		if e.Job.Route.Probes() && !e.Run.Sharded {
			return
		}
		if e.Run.Address = d.pick(e); e.Run.Address != "" {
			e.unnoted = true
		}
	}
	if e.Run.Address != "" {
		e.call = d.cfg.Client.Prepare(d.target(e), request(e))
		// It may wait in its lane for long, and this process may be frozen.
		e.call.Guard = func() bool { return d.allowed(e) && !d.overdue(e) }
	}
}

// pick chooses an address; "" when there is none.
func (d *Dispatcher) pick(e *entry) string {
	if len(e.addrs) == 0 {
		return ""
	}
	if e.Run.Sharded || e.Job.Route == model.RouteShardingBroadcast {
		if int(e.Run.ShardIndex) < len(e.addrs) {
			return e.addrs[e.Run.ShardIndex]
		}
		return e.addrs[0]
	}
	addr, err := d.cfg.Router.Pick(e.Job.Route, e.Run.JobID, e.addrs, d.cfg.Now())
	switch {
	case err == nil:
	case !e.Job.Route.Valid(): // a Java admin, or a hand in the database, wrote it
		e.note = escape(d.cfg.Lang.Format(i18n.JobconfRouteUnknown, string(e.Job.Route), routeNames()))
	default:
		e.note = escape(err.Error())
	}
	return addr
}

// routeNames lists the strategies that there are.
func routeNames() string {
	var names []string
	for _, r := range model.Routes() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

func (d *Dispatcher) target(e *entry) execclient.Target {
	return targetOf(e.Run.Address, e.group)
}

// targetOf is an executor of a group, with the tokens that count now.
func targetOf(address string, g *model.Group) execclient.Target {
	t := execclient.Target{Address: address, AppName: g.AppName, Token: g.AccessToken}
	t.Old, t.Overlap = g.OldAt(time.Now())
	return t
}

// request is the body of a trigger, with handler and param as at planning.
func request(e *entry) *wire.TriggerRequest {
	j, r := e.Job, e.Run
	text := func(t model.Text) wire.NullString { return wire.NullString{String: t.S, Valid: t.Valid} }
	req := &wire.TriggerRequest{
		JobID:                 r.JobID,
		ExecutorHandler:       text(r.Handler),
		ExecutorParams:        text(r.Param),
		ExecutorBlockStrategy: wire.Str(string(j.Block)),
		ExecutorTimeout:       j.TimeoutSec,
		LogID:                 r.LogID,
		LogDateTime:           r.TriggerMs,
		GlueType:              wire.Str(j.GlueType),
		GlueSource:            text(j.GlueSource),
		BroadcastIndex:        r.ShardIndex,
		BroadcastTotal:        max(r.ShardTotal, 1),
	}
	if !j.GlueUpdated.IsZero() {
		req.GlueUpdateTime = j.GlueUpdated.UnixMilli()
	}
	return req
}
