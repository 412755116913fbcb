package recovery

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/lease"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/internal/lifecycle"
)

// Numbers of recovery.
const (
	pageRows    = 1000
	retryEvery  = time.Second
	clockMargin = time.Second // between the old lease and the first question
	// LostAfter is how long after its trigger a run is looked at.
	LostAfter = 10 * time.Minute
	// IdleTwice is the time between the two idle answers that make a run lost.
	IdleTwice = 5 * time.Minute
	// GoneTwice is the time between the two calls without an answer that make a
	// run lost whose executor is not registered.
	GoneTwice = 2 * time.Minute
	// sweepEvery is the time between two sweeps.
	sweepEvery = time.Minute
	// orphanAfter is how old a run has to be that is sent by no node that
	// lives: the longest times of a probe and in a lane, and settling.
	orphanAfter = 150 * time.Second
)

// Store is what recovery reads.
type Store interface {
	// OpenRuns returns open runs in the order of their log ids.
	OpenRuns(ctx context.Context, f store.OpenRunFilter) ([]*model.Run, error)
	// JobsByID returns the jobs that exist.
	JobsByID(ctx context.Context, ids []int32) (map[int32]*model.Job, error)
}

// Leases shows who lives.
type Leases interface {
	// View returns everything on record of leases, as of now.
	View(ctx context.Context) (lease.View, error)
}

// Dispatcher takes runs over.
type Dispatcher interface {
	// Add takes runs over.
	Add(items ...dispatch.Item)
	// DropShards forgets what is not sent yet, and says what that was.
	DropShards(drop func(jobID int32) bool) []int64
	// DropOwn forgets what this node made without a lease and did not send yet.
	DropOwn()
	// Knows reports whether the run is on its way here.
	Knows(logID int64) bool
}

// Client asks executors.
type Client interface {
	// Beat asks whether an executor is there.
	Beat(ctx context.Context, t execclient.Target) error
	// IdleBeat asks whether a job is idle there.
	IdleBeat(ctx context.Context, t execclient.Target, jobID int32) (bool, string, error)
}

// Config describes a Recovery. What has no default is required, but for Lang.
type Config struct {
	Store      Store
	Dispatcher Dispatcher
	Client     Client
	Leases     Leases
	Held       func() []lease.Held
	TTL        time.Duration // of a lease; default lease.DefaultTTL
	Node       string        // as package lease knows this node
	Total      int32
	Group      func(id int32) (*model.Group, bool)
	Registered func(address string) bool
	// Pending reports whether something became known of a run that is not on
	// record yet. Default: never.
	Pending func(logID int64) bool
	// Finish stores the result of lost runs.
	Finish func(ctx context.Context, outs []*model.Outcome) error
	// Timeout is that of a call to an executor, which the old owner may have
	// begun just before its end.
	Timeout time.Duration
	Lang    i18n.Lang
	Logger  *slog.Logger
	Ticked  func()
}

// Recovery takes over and sweeps. All methods are safe for concurrent use; Run
// is called once.
type Recovery struct {
	cfg   Config
	group *lifecycle.Group

	turn chan struct{} // one takeover at a time

	mu     sync.Mutex
	unsent map[int32]map[int64]bool // by shard: runs that this node dropped unsent when it lost it
	seen   map[int64]sight          // accepted runs that may be lost
}

// New returns a Recovery.
func New(ctx context.Context, cfg Config) (*Recovery, error) {
	if cfg.Store == nil || cfg.Dispatcher == nil || cfg.Client == nil || cfg.Held == nil || cfg.Group == nil ||
		cfg.Registered == nil || cfg.Finish == nil || cfg.Leases == nil || cfg.Node == "" || cfg.Total < 1 {
		return nil, errors.New("recovery: every part but TTL, Timeout, Lang, Logger and Ticked is required")
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, 3*time.Second)
	cfg.TTL = cmp.Or(cfg.TTL, lease.DefaultTTL)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Pending == nil {
		cfg.Pending = func(int64) bool { return false }
	}
	if cfg.Ticked == nil {
		cfg.Ticked = func() {}
	}
	return &Recovery{
		cfg: cfg, group: lifecycle.NewGroup(ctx), turn: make(chan struct{}, 1),
		unsent: make(map[int32]map[int64]bool), seen: make(map[int64]sight),
	}, nil
}

// Lost drops what is not sent yet of shards that are gone. It does not block.
func (r *Recovery) Lost(shards []int32) {
	for _, shard := range shards {
		ids := r.cfg.Dispatcher.DropShards(func(jobID int32) bool { return jobID%r.cfg.Total == shard })
		unsent := make(map[int64]bool, len(ids))
		for _, id := range ids {
			unsent[id] = true
		}
		r.mu.Lock()
		r.unsent[shard] = unsent
		r.mu.Unlock()
	}
}

// Lapsed drops what this node made without a lease: others took it for dead,
// and may have taken it over. It does not block.
func (r *Recovery) Lapsed() { r.cfg.Dispatcher.DropOwn() }

// Gained takes the open runs of shards over. It returns at once and works on in
// a goroutine of its own.
func (r *Recovery) Gained(_ context.Context, shards []lease.Gained) {
	unsent := make(map[int64]bool)
	r.mu.Lock()
	for _, g := range shards {
		if g.Same {
			maps.Copy(unsent, r.unsent[g.Shard])
		}
		delete(r.unsent, g.Shard)
	}
	r.mu.Unlock()
	r.group.Go(func(ctx context.Context) { r.take(ctx, shards, takeover{r: r, unsent: unsent}) })
}

// NodeGone takes over what the nodes that are gone have made without a lease,
// for the jobs of this node. It returns at once and works on in a goroutine of
// its own.
func (r *Recovery) NodeGone() {
	r.group.Go(func(ctx context.Context) {
		var shards []lease.Gained
		for _, h := range r.cfg.Held() {
			shards = append(shards, lease.Gained{Held: h})
		}
		r.take(ctx, shards, takeover{r: r, made: true})
	})
}

// take runs t for shards until it is through.
func (r *Recovery) take(ctx context.Context, shards []lease.Gained, t takeover) {
	t.gained = make(map[int32]lease.Gained, len(shards))
	t.shards = make([]int32, 0, len(shards))
	for _, g := range shards {
		t.gained[g.Shard] = g
		t.shards = append(t.shards, g.Shard)
	}
	for {
		err := t.run(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		r.cfg.Logger.WarnContext(ctx, "open runs not taken over yet, will be tried again", slog.Any("err", err))
		if !pause(ctx, retryEvery) {
			return
		}
	}
}

// takeover is the work that comes with shards that were gained.
type takeover struct {
	r      *Recovery
	gained map[int32]lease.Gained
	shards []int32
	made   bool           // only what was made without a lease
	unsent map[int64]bool // runs that this node knows it has not sent
	view   lease.View     // younger than the runs of the page
	after  int64          // log ids up to this one are dealt with
	count  int
}

// run hands every run that is on record as planned to the dispatcher. After an
// error it may be called again, and goes on where it was. Takeovers follow one
// another, so that none acts on what another one has just sent.
func (t *takeover) run(ctx context.Context) error {
	select {
	case t.r.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-t.r.turn }()
	for {
		runs, last, err := t.page(ctx)
		if err != nil {
			return err
		}
		if len(runs) > 0 {
			if t.view, err = t.r.cfg.Leases.View(ctx); err != nil {
				return err
			}
		}
		items, err := t.r.items(ctx, runs, t.item)
		if err != nil {
			return err
		}
		t.r.cfg.Dispatcher.Add(items...)
		t.count += len(items)
		if t.after = max(t.after, last); last == 0 {
			break
		}
	}
	if t.count > 0 {
		t.r.cfg.Logger.InfoContext(ctx, "open runs taken over", slog.Int("count", t.count))
	}
	return nil
}

// page reads the next runs that nobody here has in hand, and the last log id
// that it has looked at, 0 at the end. It reads twice: what is neither known nor
// pending after the first time and is still open the second time has no result
// on its way to the record.
func (t *takeover) page(ctx context.Context) (runs []*model.Run, last int64, err error) {
	planned := model.RunPlanned
	f := store.OpenRunFilter{
		Total: t.r.cfg.Total, Shards: t.shards, State: &planned, Made: t.made, AfterLogID: t.after, Limit: pageRows,
	}
	first, err := t.r.cfg.Store.OpenRuns(ctx, f)
	if err != nil {
		return nil, 0, err
	}
	free := make(map[int64]bool, len(first))
	for _, run := range first {
		if !t.r.cfg.Dispatcher.Knows(run.LogID) && !t.r.cfg.Pending(run.LogID) {
			free[run.LogID] = true
		}
	}
	if len(first) == pageRows {
		last = first[len(first)-1].LogID
	}
	if len(free) == 0 {
		return nil, last, nil
	}
	second, err := t.r.cfg.Store.OpenRuns(ctx, f)
	if err != nil {
		return nil, 0, err
	}
	for _, run := range second {
		if free[run.LogID] {
			runs = append(runs, run)
		}
	}
	return runs, last, nil
}

// item says what to do with one open run of a shard that was gained.
func (t *takeover) item(run *model.Run) (dispatch.Item, bool) {
	r, g := t.r, t.gained[run.JobID%t.r.cfg.Total]
	it := dispatch.Item{Run: run, Due: time.UnixMilli(max(run.PlannedMs, run.TriggerMs))}
	free := g.FreeSince
	if run.Token < 0 {
		// Whoever made it has it on its way, as long as it lives; if it has
		// forgotten it, the sweep finds the run.
		since, gone := t.view.MakerGone(run.Token, r.cfg.TTL)
		if !gone || run.Token == model.MakerToken(r.cfg.Node) {
			return dispatch.Item{}, false
		}
		if since.IsZero() { // it said goodbye, maybe just now: a call of its own may still be under way
			since = time.UnixMilli(t.view.NowMs)
		}
		if since.After(free) {
			free = since
		}
	}
	switch {
	case run.Token == 0, run.Token == g.Token: // unknown; this node has planned it since, and knows
		return dispatch.Item{}, false
	case t.unsent[run.LogID]:
	case run.Token > 0 && run.PlannedMs > free.UnixMilli():
	default:
		it.Settle = true
		if after := free.Add(clockMargin + r.cfg.Timeout); after.After(it.Due) {
			it.Due = after
		}
	}
	run.Token = g.Token
	return it, true
}

// items joins runs with their jobs. A run whose job is gone ends here.
func (r *Recovery) items(
	ctx context.Context, runs []*model.Run, item func(*model.Run) (dispatch.Item, bool),
) ([]dispatch.Item, error) {
	ids := make([]int32, 0, len(runs))
	seen := make(map[int32]bool)
	for _, run := range runs {
		if !seen[run.JobID] {
			seen[run.JobID] = true
			ids = append(ids, run.JobID)
		}
	}
	jobs, err := r.cfg.Store.JobsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	var list []dispatch.Item
	var orphans []*model.Outcome
	for _, run := range runs {
		it, ok := item(run)
		if !ok {
			continue
		}
		if it.Job = jobs[run.JobID]; it.Job == nil {
			orphans = append(orphans, failure(run.LogID, model.EndUnsent, r.cfg.Lang.Text(i18n.JoblogJobDeleted)))
			continue
		}
		// A schedule that has ended keeps its last instant; only a person who
		// stops the job clears it.
		it.Stopped = run.PlannedMs != 0 && !it.Job.Running && it.Job.LastMs == 0
		list = append(list, it)
	}
	if len(orphans) > 0 {
		if err := r.cfg.Finish(ctx, orphans); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// failure is the outcome of a run that is given up.
func failure(logID int64, end model.EndKind, reason string) *model.Outcome {
	return &model.Outcome{LogID: logID, Handle: &model.HandleResult{
		Code: model.CodeFail, Msg: model.T(reason), AtMs: time.Now().UnixMilli(), End: end,
	}}
}

// pause waits and reports whether it may go on.
func pause(ctx context.Context, t time.Duration) bool {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
