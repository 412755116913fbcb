package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/lease"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// Defaults of [Config].
const (
	DefaultHorizon = time.Second
	DefaultEvery   = 500 * time.Millisecond
	// planLimit is how many jobs one transaction plans; the rest follow in the
	// next one, in order of their instants.
	planLimit = 4096
	// leastPlanLimit is where it ends that transactions are made smaller which the
	// database does not carry out in time.
	leastPlanLimit = 64
	// passLimit is how long one pass goes on before leases are looked at again.
	passLimit = 500 * time.Millisecond
	// missedAfter is how late an instant has to be that counts as missed when its
	// job is stopped or edited. Clocks of nodes differ a little, and passes plan
	// ahead.
	missedAfter = time.Second
	// planTimeout ends a transaction that hangs.
	planTimeout = 10 * time.Second
)

// Store is what the scheduler needs of the database.
type Store interface {
	// Plan is one planning transaction.
	Plan(ctx context.Context, f store.Fence, beforeMs int64, limit int,
		decide func(due []*model.Job) store.PlanResult) (more bool, err error)
	// DeleteUnsent deletes planned runs that were taken back.
	DeleteUnsent(ctx context.Context, logIDs []int64) ([]int64, error)
	// Missed puts on record what was not planned of a job.
	Missed(ctx context.Context, jobID int32, shared bool, beforeMs int64,
		decide func(j *model.Job) store.PlanResult) error
	// OpenRuns returns open runs in the order of their log ids.
	OpenRuns(ctx context.Context, f store.OpenRunFilter) ([]*model.Run, error)
}

// Leases is the fence.
type Leases interface {
	// Held lists the shards of this node with their tokens.
	Held() []lease.Held
	// Total is the number of shards.
	Total() int32
	// Kick asks for a renewal at once.
	Kick()
	// TTL is how long a lease lasts.
	TTL() time.Duration
	// Extended tells that all of held were extended at start or later.
	Extended(start time.Time, held []lease.Held)
}

// Dispatcher makes, takes and takes back runs.
type Dispatcher interface {
	// NewRuns makes the runs of one trigger, with their addresses.
	NewRuns(j *model.Job, t dispatch.Trigger) []*model.Run
	// Add takes runs that are on record.
	Add(items ...dispatch.Item)
	// Cancel takes back the scheduled runs of a job whose instant is still to
	// come, and returns the first of these instants.
	Cancel(jobID int32) (logIDs []int64, first time.Time)
}

// Config describes a Scheduler. Store, Leases, Dispatcher and Node are
// required.
type Config struct {
	Store      Store
	Leases     Leases
	Dispatcher Dispatcher
	Node       string
	Location   *time.Location // of jobs without a zone of their own; default time.Local
	// IgnoreZones plans every job in Location: a Java node that shares the
	// database knows no other.
	IgnoreZones bool
	SharedLock  bool          // plan under Java's schedule_lock
	Horizon     time.Duration // default 1s
	Every       time.Duration // default 500ms
	Lang        i18n.Lang     // of the record of a gap
	Logger      *slog.Logger
	// Now is the wall clock; default time.Now. Tests set it back and forth.
	Now func() time.Time
	// Planned, Misfired and Ticked feed metrics; each may be nil.
	Planned  func(runs int, took time.Duration)
	Misfired func(instants int)
	Ticked   func()
}

// Scheduler plans the jobs of the shards that this node holds. All methods are
// safe for concurrent use; Run is called once.
type Scheduler struct {
	cfg  Config
	kick chan struct{}

	cache scheduleCache

	pass     chan struct{}   // holds a token while a pass plans and hands over; the rest is its own
	leftover leftover        // taken back, but their rows may still be there
	doubt    doubt           // planned, but nobody knows whether they are on record
	lastID   int64           // the highest log id that was given out here
	limit    int             // how many jobs the next transaction plans, at most planLimit
	replan   map[int32]int64 // by job: the first instant that was planned and taken back, Unix ms
}

// New returns a scheduler.
func New(cfg Config) (*Scheduler, error) {
	if cfg.Store == nil || cfg.Leases == nil || cfg.Dispatcher == nil || cfg.Node == "" {
		return nil, errors.New("scheduler: Store, Leases, Dispatcher and Node are required")
	}
	cfg.Horizon = cmp.Or(cfg.Horizon, DefaultHorizon)
	cfg.Every = cmp.Or(cfg.Every, DefaultEvery)
	if cfg.Location == nil {
		cfg.Location = time.Local
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Planned == nil {
		cfg.Planned = func(int, time.Duration) {}
	}
	if cfg.Misfired == nil {
		cfg.Misfired = func(int) {}
	}
	if cfg.Ticked == nil {
		cfg.Ticked = func() {}
	}
	return &Scheduler{
		cfg: cfg, kick: make(chan struct{}, 1), pass: make(chan struct{}, 1), replan: make(map[int32]int64),
		limit: planLimit,
	}, nil
}

// Run makes passes until ctx is done. It blocks.
//
// Passes lie a quarter of a second off the full second, at which most crons
// fire: the results of a burst and the planning of the next one do not meet.
func (s *Scheduler) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.kick:
		case <-timer.C:
		}
		err := s.Pass(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			s.cfg.Logger.WarnContext(ctx, "planning pass not finished, will be tried again", slog.Any("err", err))
		case err == nil && failing:
			s.cfg.Logger.InfoContext(ctx, "planning passes work again")
		}
		failing = err != nil
		timer.Reset(s.untilNext(s.cfg.Now()))
	}
}

// untilNext is the time to the next pass.
func (s *Scheduler) untilNext(now time.Time) time.Duration {
	offset := s.cfg.Every / 2
	into := time.Duration(now.UnixNano()) % s.cfg.Every
	wait := offset - into
	if wait <= 0 {
		wait += s.cfg.Every
	}
	return wait
}

// Kick asks for a pass at once, for example after a job was started.
func (s *Scheduler) Kick() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// Pass plans everything that is due within the horizon. It blocks on the
// database.
func (s *Scheduler) Pass(ctx context.Context) error {
	held := s.cfg.Leases.Held()
	if len(held) == 0 {
		s.cfg.Ticked()
		return nil
	}
	fence := store.Fence{
		Node: s.cfg.Node, Total: s.cfg.Leases.Total(), SharedLock: s.cfg.SharedLock, TTL: s.cfg.Leases.TTL(),
		Extended: func(start time.Time) { s.cfg.Leases.Extended(start, held) },
	}
	tokens := make(map[int32]int64, len(held))
	for _, h := range held {
		fence.Shards = append(fence.Shards, store.ShardToken{Shard: h.Shard, Token: h.Token})
		tokens[h.Shard] = h.Token
	}
	begin := time.Now()
	for {
		more, err := s.plan(ctx, fence, tokens)
		switch {
		case errors.Is(err, store.ErrFenced):
			s.cfg.Leases.Kick()
			return err
		case err != nil:
			return err
		case !more:
			s.cfg.Ticked()
			return nil
		case time.Since(begin) > passLimit:
			s.cfg.Ticked()
			s.Kick() // the rest at once, with leases looked at again
			return nil
		}
	}
}

// plan makes one transaction and hands its runs over.
func (s *Scheduler) plan(ctx context.Context, fence store.Fence, tokens map[int32]int64) (more bool, err error) {
	if err := s.enter(ctx); err != nil {
		return false, err
	}
	defer s.leave()
	ctx, cancel := context.WithTimeout(ctx, planTimeout)
	defer cancel()
	if err := s.deleteLeftover(ctx); err != nil {
		return false, err // what is planned anew would be taken for what is on record
	}
	if err := s.settleDoubt(ctx, fence); err != nil {
		return false, err
	}
	begin, now := time.Now(), s.cfg.Now()
	horizon := now.Add(s.cfg.Horizon)
	var b batch
	more, err = s.cfg.Store.Plan(ctx, fence, horizon.UnixMilli(), s.limit, func(due []*model.Job) store.PlanResult {
		b = batch{s: s, now: now, horizon: horizon, tokens: tokens, total: fence.Total}
		for _, j := range due {
			b.job(j)
		}
		return b.result
	})
	s.adapt(ctx, time.Since(begin))
	var refused *store.RefusedError
	switch {
	case errors.As(err, &refused): // all others are on record
		s.cfg.Logger.ErrorContext(ctx, "runs not planned, the database refuses them",
			slog.Int("count", len(refused.Runs)), slog.Any("err", err))
	case errors.Is(err, store.ErrFenced), errors.Is(err, store.ErrBusy):
		return false, err
	case err != nil:
		s.doubt.add(b.items, s.lastID)
		return false, err
	}
	s.handOver(ctx, &b, time.Since(begin))
	return more, nil
}

// adapt makes the next transaction smaller if the database did not carry this one
// out in time: it would not carry out the same one again either. What it does
// with ease grows again. The caller holds s.pass; ctx is that of the transaction.
func (s *Scheduler) adapt(ctx context.Context, took time.Duration) {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		s.limit = max(s.limit/4, leastPlanLimit)
	case ctx.Err() == nil && took < planTimeout/4:
		s.limit = min(2*s.limit, planLimit)
	}
}

// enter waits until nobody else plans or changes.
func (s *Scheduler) enter(ctx context.Context) error {
	select {
	case s.pass <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the planning pass: %w", context.Cause(ctx))
	}
}

func (s *Scheduler) leave() { <-s.pass }

// handOver passes what is on record to the dispatcher.
func (s *Scheduler) handOver(ctx context.Context, b *batch, took time.Duration) {
	for _, a := range b.result.Advances {
		delete(s.replan, a.JobID)
	}
	items := b.items[:0]
	for _, it := range b.items {
		if it.Run.LogID != 0 { // 0: the instant was on record already, or the row was refused
			items = append(items, it)
			s.lastID = max(s.lastID, it.Run.LogID)
		}
	}
	s.cfg.Dispatcher.Add(items...)
	s.cfg.Misfired(b.misfired)
	s.cfg.Planned(len(items), took)
	for _, f := range b.faults {
		s.cfg.Logger.ErrorContext(ctx, "job stopped, its schedule cannot be computed",
			slog.Int("job_id", int(f.job)), slog.Any("err", f.err))
	}
}

// Started tells the scheduler that a job was started or edited here: its first
// instant may lie before the next pass.
func (s *Scheduler) Started(context.Context, int32) error {
	s.Kick()
	return nil
}

// Owns reports whether this node plans the job just now.
func (s *Scheduler) Owns(jobID int32) bool {
	shard := jobID % s.cfg.Leases.Total()
	return slices.ContainsFunc(s.cfg.Leases.Held(), func(h lease.Held) bool { return h.Shard == shard })
}

// Change runs write, which changes the row of a job, while nothing is planned
// on this node. Before that, instants that nobody has planned are put on record
// as a gap: afterwards nobody would know of them. Behind it, it takes back what
// was planned for the job and not sent.
// When it returns nil, this node sends none of that. An error of write is
// returned as it is, and nothing is taken back. It waits for the pass that is
// under way, as long as ctx lets it.
func (s *Scheduler) Change(ctx context.Context, jobID int32, write func(ctx context.Context) error) error {
	if err := s.enter(ctx); err != nil { // a pass that has read the job as it was has handed over then
		return err
	}
	defer s.leave()
	if err := s.missed(ctx, jobID); err != nil {
		return err
	}
	if err := write(ctx); err != nil {
		return err
	}
	ids, from := s.cfg.Dispatcher.Cancel(jobID)
	s.leftover.add(jobID, s.token(jobID), ids...)
	s.plannedAgain(jobID, from)
	s.plannedAgain(jobID, s.doubt.cancel(jobID, s.cfg.Now()))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), planTimeout)
	defer cancel()
	if err := s.deleteLeftover(ctx); err != nil {
		s.cfg.Logger.WarnContext(ctx, "rows of runs that were taken back not deleted, will be tried again",
			slog.Any("err", err))
	}
	s.Kick()
	return nil
}

// missed puts on record what nobody has planned of a job by now. The caller
// holds s.pass.
func (s *Scheduler) missed(ctx context.Context, jobID int32) error {
	now := s.cfg.Now()
	var b batch
	before := now.Add(-missedAfter).UnixMilli()
	err := s.cfg.Store.Missed(ctx, jobID, s.cfg.SharedLock, before, func(j *model.Job) store.PlanResult {
		b = batch{s: s, now: now}
		b.missed(j)
		return b.result
	})
	switch {
	case errors.Is(err, store.ErrBusy): // somebody else plans, for as long as it likes
		s.cfg.Logger.WarnContext(ctx, "instants that were missed not put on record",
			slog.Int("job_id", int(jobID)), slog.Any("err", err))
	case err != nil:
		return err
	default:
		s.cfg.Misfired(b.misfired)
	}
	return nil
}

// plannedAgain notes that nothing from then on is planned for the job any more,
// although its row says so.
func (s *Scheduler) plannedAgain(jobID int32, from time.Time) {
	if from.IsZero() {
		return
	}
	if was, ok := s.replan[jobID]; !ok || from.UnixMilli() < was {
		s.replan[jobID] = from.UnixMilli()
	}
}
