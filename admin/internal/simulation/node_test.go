package simulation

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/completion"
	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/lease"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/recovery"
	"github.com/xxljob-go/xxljob/admin/internal/scheduler"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

var errDead = errors.New("the process is dead")

// node is a process: every part of the scheduling core, wired as the admin
// wires it, behind a gate that a kill or a freeze closes.
type node struct {
	sim  *sim
	name string
	ctx  context.Context //nolint:containedctx // it is the life of the process
	end  context.CancelFunc

	mu     sync.Mutex
	dead   bool
	thaw   chan struct{} // closed at the end of a freeze; nil when there is none
	deaf   time.Time     // until then its renewals fail
	offset time.Duration // of its wall clock

	leases    *lease.Manager
	scheduler *scheduler.Scheduler
	dispatch  *dispatch.Dispatcher
	writer    *completion.Writer
	recovery  *recovery.Recovery

	planning, sending, storing, leasing stage
}

// stage is a group of loops that end together.
type stage struct {
	ctx  context.Context //nolint:containedctx // see node
	stop context.CancelFunc
	wg   sync.WaitGroup
}

func (s *stage) start(parent context.Context, loops ...func(context.Context)) {
	s.ctx, s.stop = context.WithCancel(parent)
	for _, loop := range loops {
		s.wg.Go(func() { loop(s.ctx) })
	}
}

func (s *stage) end() { s.stop(); s.wg.Wait() }

// gate lets a call out of, or into, the process. A frozen one waits; a dead one
// does nothing any more.
func (n *node) gate(ctx context.Context) error {
	for {
		n.mu.Lock()
		dead, thaw := n.dead, n.thaw
		n.mu.Unlock()
		if dead {
			return errDead
		}
		if thaw == nil {
			return ctx.Err()
		}
		select {
		case <-thaw:
		case <-n.ctx.Done():
		}
	}
}

func (n *node) now() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Now().Add(n.offset + n.sim.skew())
}

// router deals addresses out in turn.
type router struct {
	mu sync.Mutex
	n  int
}

func (r *router) Pick(_ model.Route, _ int32, addrs []string, _ time.Time) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	return addrs[r.n%len(addrs)], nil
}

func (s *sim) startNode(name string) *node {
	n := &node{sim: s, name: name}
	n.ctx, n.end = context.WithCancel(s.ctx)
	if d := s.dice("deaf " + name); s.plan.deaf && d.IntN(2) == 0 { // from its start on, when nobody knows of it
		n.deafen(time.Duration(d.IntN(12_000)) * time.Millisecond)
	}
	total := int32(len(s.db.shards))
	v := view{s.db, n}
	cl := &client{sim: s, node: n, calls: make(map[*execclient.Call]prepared), waiting: make(map[*execclient.Call]bool), tries: make(map[int64]int64)}
	group := func(int32) (*model.Group, bool) { return s.pool, true }
	var err error
	must := func(e error) {
		if e != nil {
			panic(e)
		}
	}
	n.leases, err = lease.New(lease.Config{Provider: v, Node: name, Total: total, Events: lease.Events{
		Gained: func(ctx context.Context, g []lease.Gained) { n.recovery.Gained(ctx, g); n.scheduler.Kick() },
		Lost:   func(shards []int32) { n.recovery.Lost(shards) },
		Lapsed: func() {
			if !s.broken.lapse {
				n.recovery.Lapsed()
			}
		},

		NodeGone: func() { n.recovery.NodeGone() },
	}})
	must(err)
	n.dispatch, err = dispatch.New(n.ctx, dispatch.Config{
		Client: cl, Router: &router{}, Group: group, Lang: i18n.En, Node: name, Now: n.now,
		MaySend: func(job int32, token int64) bool {
			return n.gate(n.ctx) == nil && (s.broken.fence || n.leases.MaySend(job%total, token))
		},
		Keeps:        func(job int32, token int64) bool { return n.leases.Keeps(job%total, token) },
		Report:       func(o model.Outcome) { n.writer.Trigger(o) },
		SetAddresses: v.SetAddresses,
		Stopped: func(ctx context.Context, id int32) bool {
			jobs, err := v.JobsByID(ctx, []int32{id})
			return err == nil && jobs[id] != nil && !jobs[id].Running && jobs[id].LastMs == 0
		},
	})
	must(err)
	n.writer, err = completion.New(completion.Config{
		Store: v, NewRuns: n.dispatch.NewRuns, Assign: n.dispatch.Assign, Created: n.dispatch.Add,
		Bursting: n.dispatch.Bursting, Lang: i18n.En, Maker: model.MakerToken(name), Ended: n.ended,
		Knows: func(id int64) bool { return s.broken.search || n.dispatch.Knows(id) },
	})
	must(err)
	n.scheduler, err = scheduler.New(scheduler.Config{
		Store: v, Leases: n.leases, Dispatcher: n.dispatch, Node: name, Location: time.UTC, Lang: i18n.En, Now: n.now,
	})
	must(err)
	n.recovery, err = recovery.New(n.ctx, recovery.Config{
		Store: v, Dispatcher: n.dispatch, Client: cl, Held: n.leases.Held, Total: total, Group: group,
		Leases: v, Node: name,
		Registered: func(a string) bool { return s.executors[a].isUp() },
		Pending:    n.writer.Pending, Finish: n.writer.Results, Lang: i18n.En,
	})
	must(err)
	n.storing.start(n.ctx, n.writer.Run)
	n.sending.start(n.ctx, n.dispatch.Run, n.recovery.Run)
	n.leasing.start(n.ctx, n.leases.Run)
	n.planning.start(n.ctx, n.scheduler.Run)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes = append(s.nodes, n)
	return n
}

// ended notes that an end was told.
func (n *node) ended(e *store.Ending) {
	n.sim.note(e.Outcome.LogID, "its end is told on %s", n.name)
	n.sim.mu.Lock()
	defer n.sim.mu.Unlock()
	n.sim.ends[e.Outcome.LogID]++
}

// kill ends the process as SIGKILL does: nothing of it has an effect any more.
func (n *node) kill() {
	n.forget()
	n.mu.Lock()
	n.dead = true
	n.mu.Unlock()
	n.end()
	n.unfreeze()
	n.planning.end()
	n.sending.end()
	n.storing.end()
	n.leasing.end()
}

// shutdown ends it in order.
func (n *node) shutdown() {
	n.forget()
	n.planning.end()
	n.dispatch.Drain(n.ctx, 3*time.Second)
	n.sending.end()
	n.storing.end()
	n.leasing.end()
	n.mu.Lock()
	n.dead = true
	n.mu.Unlock()
	n.end()
}

func (n *node) forget() {
	n.sim.mu.Lock()
	defer n.sim.mu.Unlock()
	n.sim.nodes = slices.DeleteFunc(n.sim.nodes, func(o *node) bool { return o == n })
}

// freeze stops it as SIGSTOP does.
func (n *node) freeze() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.thaw == nil {
		n.thaw = make(chan struct{})
	}
}

// deafen lets its renewals fail for a while.
func (n *node) deafen(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.deaf = time.Now().Add(d)
}

func (n *node) isDeaf() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.sim.faulty.Load() && time.Now().Before(n.deaf)
}

func (n *node) unfreeze() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.thaw != nil {
		close(n.thaw)
		n.thaw = nil
	}
}

func (n *node) frozen() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.thaw != nil
}
