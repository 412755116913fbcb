package dispatch

import (
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Assign chooses the addresses of runs before they are recorded, so that after
// a crash it is known whom to ask. FAILOVER and BUSYOVER stay open: they ask
// executors first. override, when it is not empty, stands for the group's list.
//
// It never blocks. A run that gets no address is recorded all the same and
// fails when it is sent, unless an executor has appeared by then.
func (d *Dispatcher) Assign(r *model.Run, j *model.Job, override []string) {
	if r.Address != "" || j.Route.Probes() && !r.Sharded {
		return
	}
	e := &entry{Item: Item{Run: r, Job: j}, addrs: override}
	if len(override) == 0 {
		g, ok := d.cfg.Group(r.GroupID)
		if !ok {
			return
		}
		e.addrs = g.Addresses()
	}
	r.Address = d.pick(e)
}

// NewRuns makes the runs of one trigger: one, or one for every address of a
// broadcast, at the instant trigger (its whole second is logDateTime).
// planned is zero for a trigger that no schedule made. param nil is the job's
// own.
func (d *Dispatcher) NewRuns(j *model.Job, t Trigger) []*model.Run {
	base := model.Run{
		JobID: j.ID, GroupID: j.GroupID, Type: t.Type, ShardTotal: 1, Token: t.Token,
		TriggerMs: t.At.Truncate(time.Second).UnixMilli(), RetriesLeft: j.Retries,
		Handler: j.Handler, Param: j.Param,
	}
	if t.Planned {
		base.PlannedMs = t.At.UnixMilli()
	}
	if t.Param != nil {
		base.Param = model.T(*t.Param)
	}
	addrs := t.Addresses
	if len(addrs) == 0 {
		if g, ok := d.cfg.Group(j.GroupID); ok {
			addrs = g.Addresses()
		}
	}
	if len(addrs) == 0 && d.cfg.Missing != nil {
		d.cfg.Missing() // until the instant somebody may be there
	}
	if j.Route != model.RouteShardingBroadcast || len(addrs) == 0 {
		run := base
		d.Assign(&run, j, t.Addresses)
		return []*model.Run{&run}
	}
	runs := make([]*model.Run, len(addrs))
	for i, addr := range addrs {
		run := base
		run.Sharded, run.ShardIndex, run.ShardTotal, run.Address = true, int32(i), int32(len(addrs)), addr
		runs[i] = &run
	}
	return runs
}

// Trigger says what a run is made from, beside its job.
type Trigger struct {
	Type      model.TriggerType
	At        time.Time // the planned instant, or now
	Planned   bool      // At is an instant of the job's schedule
	Token     int64     // fence of the shard; 0 for runs that no schedule made
	Param     *string   // nil is the job's own
	Addresses []string  // instead of the group's; nil is the group's
}
