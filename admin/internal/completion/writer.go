package completion

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// Numbers of the writer (design 4.5).
const (
	// BatchRows is how many outcomes one transaction stores at most.
	BatchRows = 512
	// batchWait is how long a result waits for others.
	batchWait = 10 * time.Millisecond
	// triggerWait is how long the answer to a trigger waits for the result of
	// the same run: both are then stored as one update.
	triggerWait = 150 * time.Millisecond
	// longTriggerWait is the same while more than manyTriggers wait: results come
	// late when the database is behind, and two updates a run would keep it there.
	longTriggerWait = 1500 * time.Millisecond
	manyTriggers    = BatchRows / 2
	// lastTriggerWait is the longest that it waits while there are results enough
	// for a whole batch.
	lastTriggerWait = 10 * time.Second
	// burstWait is the longest time that results wait while a burst goes out.
	burstWait = 150 * time.Millisecond
	// killedWait is how long an executor's word that a run was ended by an operator
	// waits for the operator's own: the first result of a run counts.
	killedWait = 500 * time.Millisecond
	// idleTick is how often a writer without work shows that it lives.
	idleTick = 5 * time.Second
	// retryEvery paces a batch that the database does not take.
	retryEvery = 500 * time.Millisecond
	// storeTimeout ends a transaction that hangs.
	storeTimeout = 15 * time.Second
	// maxWaiting bounds the outcomes in memory; results beyond are refused, so
	// that executors keep them.
	maxWaiting = 200_000
)

// ErrBusy is returned for results while too many wait for the database.
var ErrBusy = errors.New("too many results wait for the database, send them again")

// ErrClosed is returned for results that come after the end.
var ErrClosed = errors.New("the admin is stopping, send the result again")

// ErrFault is returned for results of which it is not known whether they were
// stored, after a fault in the program.
var ErrFault = errors.New("the result may not have been stored, send it again")

// Store is what the writer needs of the database.
type Store interface {
	// Finish stores outcomes in one transaction.
	Finish(ctx context.Context, outs []*model.Outcome,
		decide func(ends []*store.Ending, load store.Loader) error) ([]*store.Ending, error)
	// OpenRuns returns open runs in the order of their log ids.
	OpenRuns(ctx context.Context, f store.OpenRunFilter) ([]*model.Run, error)
}

// Config describes a Writer. Store, NewRuns, Assign, Created and Knows are
// required.
type Config struct {
	Store Store
	// NewRuns makes the runs of a child job or of a retry that is not a shard.
	NewRuns func(j *model.Job, t dispatch.Trigger) []*model.Run
	// Assign chooses the address of a retry.
	Assign func(r *model.Run, j *model.Job, override []string)
	// Created takes runs that were stored, to be sent.
	Created func(items ...dispatch.Item)
	// Knows reports whether a run is on its way here.
	Knows func(logID int64) bool
	// Maker is the token on record of runs that this node has made without a
	// lease.
	Maker int64
	// Bursting reports whether triggers are going out just now; results then
	// wait a little.
	Bursting func() bool
	// Ended is told once of every run that ended here, after the commit.
	Ended func(e *store.Ending)
	// RetryDelay is the time between a failure and its retry. Default 3s.
	RetryDelay time.Duration
	Lang       i18n.Lang // of what is added to messages
	Logger     *slog.Logger
	// Stored feeds metrics: rows and time of one transaction.
	Stored func(rows int, took time.Duration)
	// Ticked is called after each round that did not fail; may be nil.
	Ticked func()
	// Alarms says that failed runs are passed to the alarm manager, so that
	// their rows are locked until it has reported.
	Alarms bool
}

// item is an outcome on its way into the database.
type item struct {
	out  *model.Outcome
	at   time.Time
	done func(error) // nil for the answer to a trigger
}

// Writer stores outcomes. All methods are safe for concurrent use; Run is
// called once.
type Writer struct {
	cfg Config

	failing   bool // what follows is Run's own
	doubt     map[*model.Outcome]*decided
	missing   map[kin]*expected
	searching bool // the last search has failed
	searchAt  time.Time

	mu       sync.Mutex
	waiting  []*item         // in order of arrival
	triggers map[int64]*item // answers that wait for their result
	order    []int64         // of triggers, oldest first; may name ones that are gone
	pending  map[int64]int   // how many outcomes of a run are not stored yet
	closed   bool
	wake     chan struct{}
}

// New returns a writer that stores nothing before Run.
func New(cfg Config) (*Writer, error) {
	if cfg.Store == nil || cfg.NewRuns == nil || cfg.Created == nil || cfg.Assign == nil || cfg.Knows == nil {
		return nil, errors.New("completion: Store, NewRuns, Assign, Created and Knows are required")
	}
	cfg.RetryDelay = cmp.Or(cfg.RetryDelay, 3*time.Second)
	if cfg.Bursting == nil {
		cfg.Bursting = func() bool { return false }
	}
	if cfg.Ended == nil {
		cfg.Ended = func(*store.Ending) {}
	}
	if cfg.Ticked == nil {
		cfg.Ticked = func() {}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Stored == nil {
		cfg.Stored = func(int, time.Duration) {}
	}
	return &Writer{
		cfg: cfg, doubt: make(map[*model.Outcome]*decided), missing: make(map[kin]*expected),
		triggers: make(map[int64]*item), pending: make(map[int64]int), wake: make(chan struct{}, 1),
	}, nil
}

// Trigger takes what became known of a trigger. It never blocks. What is not
// stored before a crash is found out by asking the executor.
func (w *Writer) Trigger(out model.Outcome) {
	it := &item{out: &out, at: time.Now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.pending[out.LogID]++
	if out.Trigger.Code != model.CodeSuccess {
		w.waiting = append(w.waiting, it) // the run has ended: nothing to wait for
		w.wakeLocked()
		return
	}
	if w.triggers[out.LogID] != nil {
		w.doneLocked(out.LogID) // the newer answer stands for both
	}
	w.triggers[out.LogID] = it
	w.order = append(w.order, out.LogID)
	if len(w.order) == 1 {
		w.wakeLocked()
	}
}

// Results stores results and blocks until they are durable, or ctx is done. An
// error means that at least one of them may not be stored: send all again, the
// first one wins.
func (w *Writer) Results(ctx context.Context, outs []*model.Outcome) error {
	if len(outs) == 0 {
		return nil
	}
	if err := waitForOperator(ctx, outs); err != nil {
		return err
	}
	g := &waitGroup{left: len(outs), done: make(chan struct{})}
	now := time.Now()
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return ErrClosed
	}
	if len(w.waiting)+len(outs) > maxWaiting {
		w.mu.Unlock()
		return ErrBusy
	}
	for _, out := range outs {
		if t := w.triggers[out.LogID]; t != nil && out.Trigger == nil {
			out.Trigger = t.out.Trigger
			delete(w.triggers, out.LogID)
		} else {
			w.pending[out.LogID]++
		}
		w.waiting = append(w.waiting, &item{out: out, at: now, done: g.end})
	}
	w.wakeLocked()
	w.mu.Unlock()
	select {
	case <-g.done:
		return g.err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// waitForOperator gives an operator's own result a moment to come first, where
// an executor reports that one has ended the run.
func waitForOperator(ctx context.Context, outs []*model.Outcome) error {
	for _, out := range outs {
		if out.Handle == nil || out.Handle.NoRetry || !killed(out.Handle) {
			continue
		}
		select {
		case <-time.After(killedWait):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Pending reports whether something became known of the run that is not stored
// yet: the record is then not the whole truth.
func (w *Writer) Pending(logID int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending[logID] > 0
}

// doneLocked forgets one outcome of a run.
func (w *Writer) doneLocked(logID int64) {
	if w.pending[logID]--; w.pending[logID] <= 0 {
		delete(w.pending, logID)
	}
}

func (w *Writer) wakeLocked() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// waitGroup ends when all of its results have.
type waitGroup struct {
	mu    sync.Mutex
	left  int
	first error
	done  chan struct{}
}

func (g *waitGroup) end(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.first == nil {
		g.first = err
	}
	if g.left--; g.left == 0 {
		close(g.done)
	}
}

func (g *waitGroup) err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.first
}
