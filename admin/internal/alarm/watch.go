package alarm

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// The bounds of a pass of a Watcher.
const (
	watchFound  = 200  // fires or runs of one rule
	watchOpen   = 5000 // open alarms
	watchPage   = 1000
	settleEvery = 30 * time.Second // how often open alarms of failures are looked at
	settleJobs  = 200              // of them at a time
	settleRuns  = 20               // last runs of a job that are looked at
	watchLimit  = 30 * time.Second // of a pass
)

// ruleStore is what rules are checked against.
type ruleStore interface {
	AlarmRules(ctx context.Context) ([]model.AlarmRule, error)
	LateFires(ctx context.Context, kind string, id int32, before time.Time, limit int) ([]model.Overdue, error)
	LongRuns(ctx context.Context, kind string, id int32, before time.Time, limit int) ([]model.Overdue, error)
	AllGroups(ctx context.Context) ([]*model.Group, error)
	JobsByID(ctx context.Context, ids []int32) (map[int32]*model.Job, error)
	RecentRuns(ctx context.Context, jobIDs []int32, each int) (map[int32][]model.Recent, error)
}

// recordStore is where alarms are on record.
type recordStore interface {
	Alarms(ctx context.Context, f model.AlarmFilter) ([]*model.AlarmRecord, error)
	RaiseAlarms(ctx context.Context, list []model.AlarmRecord) error
	EndAlarm(ctx context.Context, id int64, at time.Time) (bool, error)
}

// watchStore is what a Watcher needs of package store.
type watchStore interface {
	ruleStore
	recordStore
}

// WatchConfig describes a Watcher. Store, Holds and Muted are required.
type WatchConfig struct {
	Store watchStore
	// Holds reports whether it is for this node to watch.
	Holds func() bool
	// Muted reports whether alarms of a job, or with job 0 of a group, are muted.
	Muted func(group, job int32) bool
	// Tell sends an alarm; it must not block. nil: alarms are only put on record.
	Tell func(a Alarm)

	Every  time.Duration // between two passes; default 5 s
	Window time.Duration // an alarm that comes again within it is not told again before its end; default 10 min
	Logger *slog.Logger  // default: nothing is logged
	Ticked func()        // is called after every pass; may be nil
}

// Watcher checks the rules and ends alarms that do not hold any more, away from
// the path of scheduling. Everything that it remembers belongs to Run.
type Watcher struct {
	cfg WatchConfig
	log *slog.Logger

	watched map[model.AlarmKey]*watched
	nobody  map[int32]time.Time // since when a group has been seen without an address
	settled time.Time           // when alarms of failures were last looked at
	failing bool
}

// watched is what is remembered of a key.
type watched struct {
	told  time.Time // when people were last told; zero is never
	quiet bool      // the open alarm has not been told
}

// breach is a rule that is broken.
type breach struct {
	group int32
	logID int64
	since time.Time
	limit time.Duration
}

// NewWatcher returns a Watcher. It starts nothing.
func NewWatcher(cfg WatchConfig) *Watcher {
	cfg.Every = cmp.Or(cfg.Every, 5*time.Second)
	cfg.Window = cmp.Or(cfg.Window, 10*time.Minute)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Tell == nil {
		cfg.Tell = func(Alarm) {}
	}
	if cfg.Ticked == nil {
		cfg.Ticked = func() {}
	}
	w := &Watcher{cfg: cfg, log: cfg.Logger.With(slog.String("part", "alarm rules"))}
	w.forget()
	return w
}

// forget is the state of a node that has not watched before.
func (w *Watcher) forget() {
	w.watched, w.nobody = make(map[model.AlarmKey]*watched), make(map[int32]time.Time)
}

// Run watches until ctx ends. It is called once at a time.
func (w *Watcher) Run(ctx context.Context) {
	ticker := time.NewTicker(w.cfg.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if w.cfg.Holds() {
			limited, cancel := context.WithTimeout(ctx, watchLimit)
			err := w.pass(limited, time.Now())
			cancel()
			if err != nil && !w.failing && ctx.Err() == nil {
				w.log.WarnContext(ctx, "alarm rules not checked", slog.Any("err", err))
			}
			w.failing = err != nil
		} else {
			w.forget()
		}
		w.cfg.Ticked()
	}
}

// pass checks everything once. A fault of the database ends it before anything
// is concluded from what could not be read.
func (w *Watcher) pass(ctx context.Context, now time.Time) error {
	groups, err := w.groups(ctx)
	if err != nil {
		return err
	}
	open, err := w.open(ctx)
	if err != nil {
		return err
	}
	broken, err := w.check(ctx, groups, open, now)
	if err != nil {
		return err
	}
	jobs, err := w.jobs(ctx, broken, open)
	if err != nil {
		return err
	}
	p := &passing{Watcher: w, now: now, groups: groups, jobs: jobs}
	for key, b := range broken {
		if err := p.broken(ctx, key, b, open[key]); err != nil {
			return err
		}
	}
	for key, r := range open {
		if _, still := broken[key]; still || !key.What.IsRule() {
			continue
		}
		if err := p.mended(ctx, r); err != nil {
			return err
		}
	}
	for key, known := range w.watched { // what is neither open nor was told lately is as good as new
		if _, is := broken[key]; !is && now.Sub(known.told) >= w.cfg.Window {
			delete(w.watched, key)
		}
	}
	if now.Sub(w.settled) >= settleEvery {
		w.settled = now
		if err := p.settle(ctx, open); err != nil {
			return err
		}
	}
	return nil
}

func (w *Watcher) groups(ctx context.Context) (map[int32]*model.Group, error) {
	list, err := w.cfg.Store.AllGroups(ctx)
	groups := make(map[int32]*model.Group, len(list))
	for _, g := range list {
		groups[g.ID] = g
	}
	return groups, err
}

// open returns the open alarms, the newest ones where there are too many.
func (w *Watcher) open(ctx context.Context) (map[model.AlarmKey]*model.AlarmRecord, error) {
	open := make(map[model.AlarmKey]*model.AlarmRecord)
	for before := int64(0); len(open) < watchOpen; {
		list, err := w.cfg.Store.Alarms(ctx, model.AlarmFilter{BeforeID: before, Limit: watchPage})
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			open[r.AlarmKey], before = r, r.ID
		}
		if len(list) < watchPage {
			break
		}
	}
	return open, nil
}

// jobs reads the jobs that alarms are about; those that are gone are missing.
func (w *Watcher) jobs(
	ctx context.Context, broken map[model.AlarmKey]breach, open map[model.AlarmKey]*model.AlarmRecord,
) (map[int32]*model.Job, error) {
	var ids []int32
	for key := range broken {
		if key.Kind == model.ChangeJob {
			ids = append(ids, key.ObjectID)
		}
	}
	for key := range open {
		if _, known := broken[key]; key.Kind == model.ChangeJob && !known {
			ids = append(ids, key.ObjectID)
		}
	}
	if len(ids) == 0 {
		return nil, nil //nolint:nilnil // no jobs are asked for
	}
	return w.cfg.Store.JobsByID(ctx, ids)
}

// check returns what rules are broken. A rule of a job takes the place of that
// of its group.
func (w *Watcher) check(
	ctx context.Context, groups map[int32]*model.Group, open map[model.AlarmKey]*model.AlarmRecord, now time.Time,
) (map[model.AlarmKey]breach, error) {
	rules, err := w.cfg.Store.AlarmRules(ctx)
	if err != nil {
		return nil, err
	}
	own := make(map[model.AlarmKey]bool)
	for _, r := range rules {
		own[r.AlarmKey] = r.Kind == model.ChangeJob
	}
	broken, empty := make(map[model.AlarmKey]breach), make(map[int32]time.Time)
	for _, r := range rules {
		if r.What == model.AlarmOnNobody {
			w.checkGroup(r, groups[r.ObjectID], open[r.AlarmKey], now, broken, empty)
			continue
		}
		ask := w.cfg.Store.LateFires
		if r.What == model.AlarmOnLong {
			ask = w.cfg.Store.LongRuns
		}
		list, err := ask(ctx, r.Kind, r.ObjectID, now.Add(-r.Limit), watchFound)
		if err != nil {
			return nil, err
		}
		for _, o := range list {
			key := model.AlarmKey{What: r.What, Kind: model.ChangeJob, ObjectID: o.JobID}
			if own[key] && r.Kind != model.ChangeJob {
				continue
			}
			since := time.UnixMilli(o.SinceMs)
			if known, ok := broken[key]; !ok || since.Before(known.since) {
				broken[key] = breach{group: o.GroupID, logID: o.LogID, since: since, limit: r.Limit}
			}
		}
	}
	w.nobody = empty
	return broken, nil
}

// checkGroup checks that a group has an executor. It is counted from when this
// node has first seen that it has none; an alarm that is open says that the limit
// had passed already when another node watched, or this one before a pause.
func (w *Watcher) checkGroup(
	r model.AlarmRule, g *model.Group, open *model.AlarmRecord, now time.Time,
	broken map[model.AlarmKey]breach, empty map[int32]time.Time,
) {
	if g == nil || len(g.Addresses()) > 0 {
		return
	}
	since, known := w.nobody[g.ID]
	if !known {
		since = now
		if open != nil {
			since = open.First.Add(-r.Limit)
		}
	}
	empty[g.ID] = since
	if now.Sub(since) >= r.Limit {
		broken[r.AlarmKey] = breach{group: g.ID, since: since, limit: r.Limit}
	}
}
