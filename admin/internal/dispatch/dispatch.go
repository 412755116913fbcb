package dispatch

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
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
	// holdStep is the pause of a run that may not be sent just now.
	holdStep = 100 * time.Millisecond
	// missingWait is how long a run waits for an executor that this node has not
	// heard of, and missingStep how often it looks.
	missingWait = 1200 * time.Millisecond
	missingStep = 100 * time.Millisecond
)

// ErrGone is what SetAddresses says of a run that is not waiting to be sent any
// more.
var ErrGone = errors.New("dispatch: the run is not waiting to be sent")

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
	// job under token may be sent now. Token 0 stands for a run that this node
	// made without a lease.
	MaySend func(jobID int32, token int64) bool
	// Keeps reports whether the lease that token stands for is still this
	// node's, although MaySend is false just now: the run then waits, else it
	// is left to its next owner. Default: only token 0 is kept.
	Keeps func(jobID int32, token int64) bool
	// Stopped reports whether a person has stopped the job, on whichever node.
	// It may ask the database: only runs in doubt are asked about. Default:
	// nobody did.
	Stopped func(ctx context.Context, jobID int32) bool
	// Report takes what became known of a run. It must not block.
	Report func(model.Outcome)
	// SetAddresses notes the addresses of runs, by log id, before their first
	// send. failed says which of them are not noted although err is nil: ErrGone
	// that the run needs none, any other error that this one is refused. It is
	// called by one goroutine at a time.
	SetAddresses func(ctx context.Context, addresses map[int64]string) (failed map[int64]error, err error)
	Lang         i18n.Lang // of trigger_msg
	Node         string    // shown in trigger_msg as the admin's address
	// Location is the zone of instants in trigger_msg. Default time.Local.
	Location *time.Location
	Timeout  time.Duration
	Logger   *slog.Logger
	// Sent is called once a trigger was written to a socket, with the time it
	// was late against its planned instant (0 for runs without one).
	Sent func(t model.TriggerType, late time.Duration)
	// Ticked is called each time that the clock has looked for due runs.
	Ticked func()
	// Missing, when it is set, asks for news of groups and addresses: a run was
	// found that has none. The run waits about a second for them. It must not
	// block.
	Missing func()
	// Now is the wall clock; default time.Now. Tests set it back and forth.
	Now func() time.Time
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
	// Since is when the transaction that recorded a run without a lease began;
	// zero is just now. If this node has been taken for dead since then, the run
	// is left to whoever has taken it over.
	Since time.Time
	// Stopped marks a run whose job a person has stopped since: it is not sent.
	Stopped bool
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
	lanes  map[int64]*entry // of these, those that were handed to a lane
	turns  map[place]*turn
	closed bool
	wake   chan struct{}

	notes  notes
	fenced time.Time // of the last look at the lanes; Run's own

	probing  chan struct{}
	inLanes  atomic.Int64
	burstEnd atomic.Int64 // Unix ms
	lapsed   atomic.Int64 // when others had last taken this node for dead; as age returns it
	born     time.Time
}

// entry is an item in the dispatcher. The first six fields are guarded by the
// dispatcher's mutex; the others belong to whoever has the entry in hand.
type entry struct {
	at      int       // in the heap, -1 outside of it
	settles bool      // it may have been sent: it is not simply taken back
	stopped bool      // its job was stopped: it is not sent once more
	until   time.Time // when it is not sent for the first time any more; zero is never
	queued  time.Time // since when it waits for its turn, zero if it does not
	turn    place     // where it last had its turn

	Item
	next    time.Time // when to look at it
	age     int64     // since when it is this node's, as age returns it
	group   *model.Group
	addrs   []string
	call    *execclient.Call // what a lane has, once it is in lanes
	note    string           // route message of a probing strategy, HTML
	lost    string           // what was said instead of an answer, as it came
	unnoted bool             // the address was chosen after the run was recorded
	tries   int              // at noting the address
	missing time.Time        // since when it has nowhere to go
}

// New returns a dispatcher that sends nothing before Run.
func New(ctx context.Context, cfg Config) (*Dispatcher, error) {
	if cfg.Client == nil || cfg.Router == nil || cfg.Group == nil || cfg.MaySend == nil || cfg.Report == nil ||
		cfg.SetAddresses == nil {
		return nil, errors.New("dispatch: Client, Router, Group, MaySend, Report and SetAddresses are required")
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, 3*time.Second)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Ticked == nil {
		cfg.Ticked = func() {}
	}
	if cfg.Keeps == nil {
		cfg.Keeps = func(_ int32, token int64) bool { return token == 0 }
	}
	if cfg.Stopped == nil {
		cfg.Stopped = func(context.Context, int32) bool { return false }
	}
	cfg.Location = cmp.Or(cfg.Location, time.Local)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Sent == nil {
		cfg.Sent = func(model.TriggerType, time.Duration) {}
	}
	return &Dispatcher{
		cfg: cfg, group: lifecycle.NewGroup(ctx),
		byJob: make(map[int32]map[int64]*entry), open: make(map[int64]*entry), lanes: make(map[int64]*entry),
		turns: make(map[place]*turn),
		born:  time.Now(),
		notes: notes{wake: make(chan struct{}, 1)},
		wake:  make(chan struct{}, 1), probing: make(chan struct{}, maxProbing),
	}, nil
}

// Add takes runs that are on record. It does not block on the network. A run
// that is already here is left as it is; one that waits learns its new token.
func (d *Dispatcher) Add(items ...Item) {
	entries := make([]*entry, 0, len(items))
	for _, it := range items {
		if it.Job == nil || it.Run.LogID == 0 {
			d.cfg.Logger.Error("run without a job or an id is not sent", slog.Int("job_id", int(it.Run.JobID)))
			continue
		}
		e := &entry{
			Item: it, at: -1, next: it.Due.Round(0), settles: it.Settle, stopped: it.Stopped, age: d.age(it.Since),
		}
		d.prepare(e)
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		return
	}
	warm := make(map[string]int)
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return
	}
	for _, e := range entries {
		if d.addLocked(e) {
			warm[e.Run.Address]++
		}
	}
	d.mu.Unlock()
	for addr, n := range warm {
		if addr != "" {
			d.cfg.Client.Warm(addr, n)
		}
	}
	d.rouse()
}

func (d *Dispatcher) addLocked(e *entry) bool {
	if d.forsaken(e) {
		return false
	}
	if old := d.open[e.Run.LogID]; old != nil {
		if old.at >= 0 && e.Run.Token > old.Run.Token {
			old.Run.Token = e.Run.Token // the lease went and came back
		}
		return false
	}
	d.open[e.Run.LogID] = e
	jobs := d.byJob[e.Run.JobID]
	if jobs == nil {
		jobs = make(map[int64]*entry)
		d.byJob[e.Run.JobID] = jobs
	}
	jobs[e.Run.LogID] = e
	heap.Push(&d.queue, e)
	return true
}

// age is t, or now if it is zero, on a clock that nobody sets.
func (d *Dispatcher) age(t time.Time) int64 {
	if t.IsZero() {
		t = time.Now()
	}
	return int64(t.Sub(d.born)) + 1 // 0 is never
}

// forsaken reports whether others may have taken over a run that this node made
// without a lease.
func (d *Dispatcher) forsaken(e *entry) bool { return e.Run.Token == 0 && e.age < d.lapsed.Load() }

func (d *Dispatcher) rouse() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Run sends until ctx is done, then stops and awaits everything. What was not
// sent stays on record for the next owner. It blocks.
func (d *Dispatcher) Run(ctx context.Context) {
	d.group.Go(d.note)
	timer := time.NewTimer(maxNap)
	defer timer.Stop()
	for {
		nap := d.sendDue()
		d.fenceLanes()
		d.cfg.Ticked()
		if nap == 0 && ctx.Err() == nil {
			continue // something was sent, and meanwhile more may be due
		}
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

// sendDue starts all that is due and returns how long to sleep: 0 only if something
// was due.
func (d *Dispatcher) sendDue() time.Duration {
	now := d.cfg.Now()
	var due []*entry
	d.mu.Lock()
	for len(d.queue) > 0 && !d.queue[0].next.After(now) {
		due = append(due, heap.Pop(&d.queue).(*entry))
	}
	nap := maxNap
	if len(d.queue) > 0 {
		nap = min(nap, d.queue[0].next.Sub(now))
	}
	d.mu.Unlock()
	if len(due) > burstSize {
		d.burstEnd.Store(time.Now().Add(burstLength).UnixMilli())
	}
	for _, e := range due {
		d.start(e)
	}
	if len(due) > 0 {
		return 0
	}
	return max(nap, 0)
}

// fenceLanes takes back what waits in a lane and may not be sent any more: a
// lane that is slow must not outlast the lease.
func (d *Dispatcher) fenceLanes() {
	if d.inLanes.Load() == 0 || time.Since(d.fenced) < maxNap/2 {
		return
	}
	d.fenced = time.Now()
	d.mu.Lock()
	inLanes := slices.Collect(maps.Values(d.lanes))
	d.mu.Unlock()
	var back []*entry
	for _, e := range inLanes {
		if d.allowed(e) && !d.overdue(e) {
			continue
		}
		d.mu.Lock()
		if d.lanes[e.Run.LogID] == e && d.cfg.Client.Cancel(e.call) {
			delete(d.lanes, e.Run.LogID)
			d.endTurnLocked(e)
			d.inLanes.Add(-1)
			back = append(back, e)
		}
		d.mu.Unlock()
	}
	for _, e := range back {
		if d.overdue(e) {
			d.failStopped(e)
			continue
		}
		d.hold(e)
	}
}
