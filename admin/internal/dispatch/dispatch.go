package dispatch

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/lifecycle"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// Defaults and bounds.
const (
	// probeTimeout bounds one probe of FAILOVER, BUSYOVER and of settling.
	probeTimeout = time.Second
	// maxNap is the longest sleep of the clock, so that a step of the wall
	// clock is noticed.
	maxNap = 100 * time.Millisecond
	// maxProbing bounds the runs that probe at one time.
	maxProbing = 2000
	// burstSize is how many triggers in the lanes make a burst.
	burstSize = 64
	// burstLength is how long a burst is given to go out.
	burstLength = 150 * time.Millisecond
	drainStep   = 10 * time.Millisecond
)

// Client is what the dispatcher needs of package execclient.
type Client interface {
	// Prepare encodes a trigger.
	Prepare(t execclient.Target, r *wire.TriggerRequest) *execclient.Call
	// Warm opens connections ahead of a burst.
	Warm(address string, n int)
	// Send queues a call in its lane; done is called once.
	Send(call *execclient.Call, done func(execclient.Result))
	// Beat asks whether an executor is there.
	Beat(ctx context.Context, t execclient.Target) error
	// IdleBeat asks whether a job is idle there.
	IdleBeat(ctx context.Context, t execclient.Target, jobID int32) (bool, string, error)
	// Log reads a run log.
	Log(ctx context.Context, t execclient.Target, r wire.LogRequest) (wire.Response, wire.LogResult, error)
	// Dead reports whether nobody listens at the address just now.
	Dead(address string) bool
	// Native reports whether our own executor is at the address.
	Native(address string) bool
	// Cancel takes a call back that waits in its lane.
	Cancel(call *execclient.Call) bool
}

// Router chooses an address without asking anybody.
type Router interface {
	// Pick returns one of addrs.
	Pick(r model.Route, jobID int32, addrs []string, now time.Time) (string, error)
}

// Config describes a Dispatcher. All but Logger, Sent and Node are required.
type Config struct {
	Client Client
	Router Router
	// Group returns a group as last known.
	Group func(id int32) (*model.Group, bool)
	// MaySend is the fence: it reports whether a run that was planned for the
	// job under token may be sent now.
	MaySend func(jobID int32, token int64) bool
	// Report takes what became known of a run. It must not block.
	Report func(model.Outcome)
	// SetAddress notes the address of a run before its first send.
	SetAddress func(ctx context.Context, logID int64, address string) error
	Lang       i18n.Lang // of trigger_msg
	Node       string    // shown in trigger_msg as the admin's address
	Timeout    time.Duration
	Logger     *slog.Logger
	// Sent is called once a trigger was written to a socket, with the time it
	// was late against its planned instant (0 for runs without one).
	Sent func(t model.TriggerType, late time.Duration)
	// Ticked is called each time that the clock has looked for due runs.
	Ticked func()
}

// Item is a run on its way.
type Item struct {
	Run *model.Run
	Job *model.Job
	// Due is when to send it; a time that has passed means at once.
	Due time.Time
	// Settle marks a run that may have been sent before: it is asked after
	// first.
	Settle bool
	// Addresses stand for those of the group; empty is the group's.
	Addresses []string
}

// Dispatcher sends runs. All methods are safe for concurrent use; Run is called
// once.
type Dispatcher struct {
	cfg   Config
	group *lifecycle.Group

	mu     sync.Mutex
	queue  itemHeap
	byJob  map[int32]map[int64]*entry
	open   map[int64]*entry // by log id: waiting, in a lane or being settled
	closed bool
	wake   chan struct{}

	probing  chan struct{}
	inLanes  atomic.Int64
	burstEnd atomic.Int64 // Unix ms
}

// entry is an item in the dispatcher.
type entry struct {
	Item
	at    int // in the heap, -1 outside of it
	group *model.Group
	addrs []string
	call  *execclient.Call
	note  string // route message of a probing strategy
}

// New returns a dispatcher that sends nothing before Run.
func New(ctx context.Context, cfg Config) (*Dispatcher, error) {
	if cfg.Client == nil || cfg.Router == nil || cfg.Group == nil || cfg.MaySend == nil || cfg.Report == nil ||
		cfg.SetAddress == nil {
		return nil, errors.New("dispatch: Client, Router, Group, MaySend, Report and SetAddress are required")
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, 3*time.Second)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Ticked == nil {
		cfg.Ticked = func() {}
	}
	if cfg.Sent == nil {
		cfg.Sent = func(model.TriggerType, time.Duration) {}
	}
	return &Dispatcher{
		cfg: cfg, group: lifecycle.NewGroup(ctx),
		byJob: make(map[int32]map[int64]*entry), open: make(map[int64]*entry),
		wake: make(chan struct{}, 1), probing: make(chan struct{}, maxProbing),
	}, nil
}

// Add takes runs that are on record. It does not block on the network. A run
// that is already here is left as it is.
func (d *Dispatcher) Add(items ...Item) {
	if len(items) == 0 {
		return
	}
	entries := make([]*entry, 0, len(items))
	for _, it := range items {
		e := &entry{Item: it, at: -1}
		d.prepare(e)
		entries = append(entries, e)
	}
	warm := make(map[string]int)
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return
	}
	for _, e := range entries {
		if d.open[e.Run.LogID] != nil {
			continue
		}
		d.open[e.Run.LogID] = e
		jobs := d.byJob[e.Run.JobID]
		if jobs == nil {
			jobs = make(map[int64]*entry)
			d.byJob[e.Run.JobID] = jobs
		}
		jobs[e.Run.LogID] = e
		heap.Push(&d.queue, e)
		warm[e.Run.Address]++
	}
	d.mu.Unlock()
	for addr, n := range warm {
		if addr != "" {
			d.cfg.Client.Warm(addr, n)
		}
	}
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Run sends until ctx is done, then stops and awaits everything. What was not
// sent stays on record for the next owner. It blocks.
func (d *Dispatcher) Run(ctx context.Context) {
	timer := time.NewTimer(maxNap)
	defer timer.Stop()
	for {
		nap := d.sendDue()
		d.cfg.Ticked()
		timer.Reset(nap)
		select {
		case <-ctx.Done():
			d.mu.Lock()
			d.closed = true
			d.mu.Unlock()
			d.group.Stop(context.Cause(ctx))
			return
		case <-d.wake:
		case <-timer.C:
		}
	}
}

// sendDue starts all that is due and returns how long to sleep.
func (d *Dispatcher) sendDue() time.Duration {
	now := time.Now()
	var due []*entry
	d.mu.Lock()
	for len(d.queue) > 0 && !d.queue[0].Due.After(now) {
		e := heap.Pop(&d.queue).(*entry)
		due = append(due, e)
	}
	nap := maxNap
	if len(d.queue) > 0 {
		nap = min(nap, d.queue[0].Due.Sub(now))
	}
	d.mu.Unlock()
	if len(due) > burstSize {
		d.burstEnd.Store(now.Add(burstLength).UnixMilli())
	}
	for _, e := range due {
		d.start(e)
	}
	if len(due) > 0 {
		return 0
	}
	return max(nap, 0)
}

// start sends one run on its way.
func (d *Dispatcher) start(e *entry) {
	switch {
	case !d.allowed(e):
		d.drop(e)
	case e.Settle:
		d.background(e, d.settle)
	case e.Job.Route.Probes() && e.Run.Address == "":
		d.background(e, d.probe)
	default:
		d.send(e)
	}
}

// allowed is the fence. A run without a token was made by this node just now.
func (d *Dispatcher) allowed(e *entry) bool {
	return e.Run.Token == 0 || d.cfg.MaySend(e.Run.JobID, e.Run.Token)
}

// background runs f for e in a goroutine of its own, a bounded number at once.
func (d *Dispatcher) background(e *entry, f func(ctx context.Context, e *entry)) {
	started := d.group.Go(func(ctx context.Context) {
		select {
		case d.probing <- struct{}{}:
		case <-ctx.Done():
			d.drop(e)
			return
		}
		defer func() { <-d.probing }()
		f(ctx, e)
	})
	if !started {
		d.drop(e)
	}
}

// send hands a run to the lane of its address.
func (d *Dispatcher) send(e *entry) {
	if e.call == nil {
		d.prepare(e)
	}
	if e.call == nil {
		d.fail(e, d.noAddress(e))
		return
	}
	d.inLanes.Add(1)
	d.cfg.Client.Send(e.call, func(r execclient.Result) {
		d.inLanes.Add(-1)
		d.answered(e, r)
	})
}

// answered takes the end of a send, from the goroutine of a lane.
func (d *Dispatcher) answered(e *entry, r execclient.Result) {
	if !r.SentAt.IsZero() {
		late := time.Duration(0)
		if e.Run.PlannedMs != 0 {
			late = r.SentAt.Sub(time.UnixMilli(e.Run.PlannedMs))
		}
		d.cfg.Sent(e.Run.Type, late)
	}
	switch r.Kind {
	case execclient.Accepted, execclient.Repeat:
		d.accepted(e, r)
	case execclient.Refused, execclient.NotSent:
		d.fail(e, r)
	default:
		e.note = cmp.Or(e.note, r.Msg)
		d.background(e, d.settle)
	}
}

func (d *Dispatcher) accepted(e *entry, r execclient.Result) {
	d.report(e, model.CodeSuccess, r)
}

// fail ends the run: its trigger is known to have failed.
func (d *Dispatcher) fail(e *entry, r execclient.Result) {
	code := r.Code
	if code == model.CodeSuccess || code == 0 {
		code = model.CodeFail
	}
	d.report(e, code, r)
}

func (d *Dispatcher) report(e *entry, code int32, r execclient.Result) {
	at := r.AnsweredAt
	if at.IsZero() {
		at = time.Now()
	}
	out := model.Outcome{LogID: e.Run.LogID, Trigger: &model.TriggerResult{
		Code: code, Msg: d.message(e, code, r), Address: e.Run.Address, AtMs: at.UnixMilli(),
	}}
	d.drop(e)
	d.cfg.Report(out)
}

// drop forgets a run that this node has nothing more to do for.
func (d *Dispatcher) drop(e *entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropLocked(e)
}

func (d *Dispatcher) dropLocked(e *entry) {
	delete(d.open, e.Run.LogID)
	jobs := d.byJob[e.Run.JobID]
	delete(jobs, e.Run.LogID)
	if len(jobs) == 0 {
		delete(d.byJob, e.Run.JobID)
	}
	if e.at >= 0 {
		heap.Remove(&d.queue, e.at)
	}
}

// Cancel takes back the scheduled runs of a job that were not yet handed to a
// socket, and returns their log ids. None of them is sent after it returns.
func (d *Dispatcher) Cancel(jobID int32) []int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ids []int64
	for id, e := range d.byJob[jobID] {
		if e.Run.PlannedMs == 0 {
			continue
		}
		if e.at < 0 {
			if e.call == nil || !d.cfg.Client.Cancel(e.call) {
				continue // on its way, or being settled
			}
			d.inLanes.Add(-1)
		}
		ids = append(ids, id)
		d.dropLocked(e)
	}
	return ids
}

// DropShards forgets the runs of shards that another node may have now, and
// returns the log ids of those that were not handed to a lane yet. drop says
// which jobs are meant.
func (d *Dispatcher) DropShards(drop func(jobID int32) bool) []int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ids []int64
	for job, runs := range d.byJob {
		if !drop(job) {
			continue
		}
		for id, e := range runs {
			if e.at >= 0 && e.Run.Token != 0 && !e.Settle {
				ids = append(ids, id)
				d.dropLocked(e)
			}
		}
	}
	return ids
}

// Knows reports whether the run is here: waiting, in a lane or being settled.
func (d *Dispatcher) Knows(logID int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[logID] != nil
}

// Waiting returns how many runs are here.
func (d *Dispatcher) Waiting() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open)
}

// Bursting reports whether many triggers are on their way out just now: those
// who write results wait a little then.
func (d *Dispatcher) Bursting() bool {
	return d.inLanes.Load() > burstSize && time.Now().UnixMilli() < d.burstEnd.Load()
}

// Drain waits until nothing is here any more, at most for limit: what a node
// that stops has planned goes out first. Runs that are due later than that are
// left to their next owner.
func (d *Dispatcher) Drain(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for d.Waiting() > 0 {
		if !pause(ctx, drainStep) {
			return
		}
	}
}
