package simulation

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

var (
	errRefused = errors.New("connection refused")
	errSilent  = errors.New("no answer")
)

// executor is a played executor: it runs the triggers of a job one after the
// other and reports their results. A native one remembers triggers over a
// crash; a Java one knows only what is queued or runs, and its log files.
type executor struct {
	sim     *sim
	address string
	native  bool

	mu       sync.Mutex
	down     bool
	epoch    int
	known    map[int64]*execution
	files    map[int64]bool // run logs, which begin when the run does
	queues   map[int32][]*execution
	active   map[int32]bool
	recorded []*execution
}

// execution is what became of a trigger that was taken.
type execution struct {
	req     wire.TriggerRequest
	epoch   int
	started time.Time
	result  int32 // 0: none yet
}

func (x *executor) isUp() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return !x.down
}

// trigger takes a trigger, or says why not.
func (x *executor) trigger(req *wire.TriggerRequest) execclient.Result {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.down {
		return execclient.Result{Kind: execclient.NotSent, Code: 500, Msg: "refused", Err: errRefused}
	}
	if e := x.known[req.LogID]; e != nil && (x.native || e.epoch == x.epoch && e.result == 0) {
		if x.native && e.result != 0 {
			x.report(e, e.result)
		}
		return execclient.Result{Kind: execclient.Repeat, Code: 200, Msg: "repeat trigger job", Native: x.native}
	}
	e := &execution{req: *req, epoch: x.epoch}
	x.known[req.LogID] = e
	x.queues[req.JobID] = append(x.queues[req.JobID], e)
	x.nextLocked(req.JobID)
	return execclient.Result{Kind: execclient.Accepted, Code: 200, Native: x.native}
}

// nextLocked starts what is next in the queue of a job.
func (x *executor) nextLocked(job int32) {
	if x.active[job] || len(x.queues[job]) == 0 {
		return
	}
	e := x.queues[job][0]
	x.queues[job] = x.queues[job][1:]
	x.active[job] = true
	e.started = time.Now()
	x.sim.note(e.req.LogID, "%s executes it", x.address)
	x.files[e.req.LogID] = true
	x.recorded = append(x.recorded, e)
	dice := x.sim.dice("execution", e.req.LogID)
	took, code := time.Duration(dice.IntN(1200))*time.Millisecond, int32(200)
	if dice.IntN(10) == 0 {
		code = 500
	}
	epoch := x.epoch
	x.sim.group.Go(func() {
		_ = sleep(x.sim.ctx, took)
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.epoch != epoch {
			return // the crash took it
		}
		e.result = code
		x.active[job] = false
		x.report(e, code)
		x.nextLocked(job)
	})
}

// report delivers a result until somebody has acknowledged it.
func (x *executor) report(e *execution, code int32) {
	epoch := x.epoch
	x.sim.group.Go(func() {
		for try := int64(0); ; try++ {
			x.mu.Lock()
			lost, down := !x.native && x.epoch != epoch, x.down
			x.mu.Unlock()
			if lost {
				return // with its memory
			}
			if !down && x.sim.callback(e.req.LogID, try, code) {
				return
			}
			if sleep(x.sim.ctx, time.Second) != nil {
				return
			}
		}
	})
}

// crash ends the process for a while.
func (x *executor) crash() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.down = true
	x.epoch++
	clear(x.active)
	clear(x.queues)
}

// restart starts it again: a native one reports what the crash has cut off.
func (x *executor) restart() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.down = false
	if !x.native {
		clear(x.known)
		return
	}
	for _, e := range x.known {
		if e.result == 0 {
			e.result = model.CodeFail
			x.report(e, e.result)
		}
	}
}

func (x *executor) idle(job int32) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return !x.active[job] && len(x.queues[job]) == 0
}

func (x *executor) hasFile(id int64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.files[id]
}

// client is how a node reaches executors.
type client struct {
	sim  *sim
	node *node

	mu      sync.Mutex
	calls   map[*execclient.Call]prepared
	waiting map[*execclient.Call]bool
	tries   map[int64]int64
}

type prepared struct {
	address string
	req     wire.TriggerRequest
}

func (c *client) Prepare(t execclient.Target, r *wire.TriggerRequest) *execclient.Call {
	call := new(execclient.Call)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[call] = prepared{t.Address, *r}
	return call
}

func (c *client) Warm(string, int)         {}
func (c *client) Dead(address string) bool { return !c.sim.executors[address].isUp() }
func (c *client) Native(address string) bool {
	return c.sim.executors[address].native || c.sim.broken.settle
}

// Cancel takes back a call that waits in its lane.
func (c *client) Cancel(call *execclient.Call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.waiting[call] {
		return false
	}
	delete(c.waiting, call)
	return true
}

// Send writes at once, or after a wait in the lane. Every byte that is written
// counts as sent, whether or not it gets there.
func (c *client) Send(call *execclient.Call, done func(execclient.Result)) {
	c.mu.Lock()
	p := c.calls[call]
	c.tries[p.req.LogID]++
	dice := c.sim.dice("send "+c.node.name, p.req.LogID, c.tries[p.req.LogID])
	lane := time.Duration(0)
	if c.sim.faulty.Load() && c.sim.plan.netFaults > 0 && dice.IntN(15) == 0 {
		lane = time.Duration(dice.IntN(6000)) * time.Millisecond
	}
	c.waiting[call] = true
	c.mu.Unlock()
	c.sim.group.Go(func() {
		_ = sleep(c.node.ctx, lane)
		if c.node.gate(c.node.ctx) != nil {
			return // dead: nothing is written and nobody hears of it
		}
		c.mu.Lock()
		waits := c.waiting[call]
		delete(c.waiting, call)
		c.mu.Unlock()
		if !waits {
			return
		}
		r := execclient.Result{Kind: execclient.NotSent, Code: 500, Msg: "fenced", Err: execclient.ErrFenced}
		if call.Guard == nil || call.Guard() {
			r = c.write(p, dice)
		}
		if c.node.gate(c.node.ctx) == nil {
			done(r)
		}
	})
}

// write is the exchange with the executor, on record from its first byte.
func (c *client) write(p prepared, dice *rand.Rand) execclient.Result {
	x := c.sim.executors[p.address]
	at, was := time.Now(), x.isUp()
	if was {
		c.sim.sent(c.node, p, at)
	}
	r := c.exchange(x, p, dice)
	if r.Kind == execclient.NotSent {
		return r
	}
	if !was {
		c.sim.sent(c.node, p, at) // it came up on the way
	}
	r.SentAt = at
	return r
}

func (c *client) exchange(x *executor, p prepared, dice *rand.Rand) execclient.Result {
	const timeout = 3 * time.Second
	way := time.Duration(dice.IntN(30)) * time.Millisecond
	_ = sleep(c.sim.ctx, way)
	unknown := execclient.Result{Kind: execclient.Unknown, Code: 500, Msg: "no answer", Err: errSilent}
	if c.sim.faulty.Load() && dice.Float64() < c.sim.plan.netFaults {
		switch dice.IntN(4) {
		case 0: // the request is lost
			_ = sleep(c.sim.ctx, timeout-way)
			return unknown
		case 1: // the answer is lost
			if r := x.trigger(&p.req); r.Kind == execclient.NotSent {
				return r
			}
			_ = sleep(c.sim.ctx, timeout-way)
			return unknown
		case 2: // it hangs, and then takes it
			_ = sleep(c.sim.ctx, time.Duration(dice.IntN(2800))*time.Millisecond)
			return answered(x.trigger(&p.req))
		default:
			return answered(execclient.Result{Kind: execclient.Refused, Code: 500, Msg: "job handler [x] not found."})
		}
	}
	return answered(x.trigger(&p.req))
}

func answered(r execclient.Result) execclient.Result {
	if r.Kind != execclient.NotSent {
		r.AnsweredAt = time.Now()
	}
	return r
}

// question is one that changes nothing.
func (c *client) question(ctx context.Context, what string, t execclient.Target, id int64) (*executor, error) {
	if err := c.node.gate(ctx); err != nil {
		return nil, err
	}
	if what == "log" {
		c.sim.note(id, "%s asks %s for its log", c.node.name, t.Address)
	}
	x := c.sim.executors[t.Address]
	dice := c.sim.dice(what+" "+c.node.name, id, c.sim.now())
	if err := sleep(ctx, time.Duration(dice.IntN(20))*time.Millisecond); err != nil {
		return nil, err
	}
	if c.sim.faulty.Load() && dice.Float64() < c.sim.plan.netFaults {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	if !x.isUp() {
		return nil, errRefused
	}
	return x, c.node.gate(ctx)
}

func (c *client) Beat(ctx context.Context, t execclient.Target) error {
	_, err := c.question(ctx, "beat", t, 0)
	return err
}

func (c *client) IdleBeat(ctx context.Context, t execclient.Target, job int32) (bool, string, error) {
	x, err := c.question(ctx, "idle", t, int64(job))
	if err != nil {
		return false, "", err
	}
	return x.idle(job), "", nil
}

func (c *client) Log(ctx context.Context, t execclient.Target, r wire.LogRequest) (wire.Response, wire.LogResult, error) {
	x, err := c.question(ctx, "log", t, r.LogID)
	if err != nil {
		return wire.Response{}, wire.LogResult{}, err
	}
	content := wire.TextLogMissing
	if x.hasFile(r.LogID) {
		content = "started"
	}
	return wire.Response{Code: 200}, wire.LogResult{LogContent: content}, nil
}
