// Package forecast counts what fires in the coming hour, minute by minute, for
// any number of jobs. It is asked by pages: the first one within a minute has it
// counted anew by a goroutine of its own, and nobody waits for that who can be
// shown the minute before. While nobody looks it does nothing.
//
// What is counted is bounded: equal expressions are computed once, each with at
// most a question a minute and the seconds of one minute, and fixed rates by
// arithmetic.
package forecast

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const (
	// Minutes is how far one looks ahead.
	Minutes = 60
	// slack is how old a count may be that is shown, in minutes.
	slack = 5
	span  = Minutes + slack
	// names is how many jobs of a group a minute names.
	names    = 8
	pageJobs = 2000
	// firstWait is how long the first to ask waits.
	firstWait  = 300 * time.Millisecond
	countLimit = 30 * time.Second
)

// Config describes a Forecast. Jobs is required.
type Config struct {
	// Jobs returns started jobs with ids above after, by id, at most limit.
	Jobs func(ctx context.Context, after int32, limit int) ([]model.StartedJob, error)
	// Location is the zone of jobs without one. Default time.Local.
	Location *time.Location
	// IgnoreZones has every schedule computed in Location, as it is beside a Java
	// node.
	IgnoreZones bool
	Logger      *slog.Logger     // nil discards
	Now         func() time.Time // nil is time.Now
}

// Cell is what fires within a minute.
type Cell struct {
	Fires int
	Jobs  int      // how many jobs these are
	Names []string // of the first of them
}

// Next is the job that fires next.
type Next struct {
	ID   int32
	Name string
	At   time.Time
}

// Hour is what fires in the coming hour.
type Hour struct {
	Start   time.Time // the beginning of the present minute
	Cells   [Minutes]Cell
	Started int   // jobs that are started
	Next    *Next // also beyond the hour; nil when nothing fires any more
}

// Forecast counts the coming hour. All methods are safe for concurrent use; Run
// is called once.
type Forecast struct {
	cfg  Config
	kick chan struct{}

	mu      sync.Mutex
	last    *count        // nil before the first
	changed chan struct{} // closed when a count has ended, well or not
}

// New returns a Forecast that counts nothing before Run.
func New(cfg Config) *Forecast {
	if cfg.Location == nil {
		cfg.Location = time.Local
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Forecast{cfg: cfg, kick: make(chan struct{}, 1), changed: make(chan struct{})}
}

// Run counts when it is asked to, until ctx is done. It blocks.
func (f *Forecast) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.kick:
		}
		call, cancel := context.WithTimeout(ctx, countLimit)
		made, err := f.count(call)
		cancel()
		f.mu.Lock()
		if err == nil {
			f.last = made
		}
		close(f.changed)
		f.changed = make(chan struct{})
		f.mu.Unlock()
		if err != nil && ctx.Err() == nil {
			f.cfg.Logger.WarnContext(ctx, "coming hour not counted", slog.Any("err", err))
		}
	}
}

// Hour returns the coming hour of the groups that see reports true for. ok is
// false while it is not known yet: ask again in a moment. Only then does it
// block, for at most 0.3 s.
func (f *Forecast) Hour(ctx context.Context, see func(group int32) bool) (hour *Hour, ok bool) {
	now := f.cfg.Now().Truncate(time.Minute)
	f.mu.Lock()
	last, changed := f.last, f.changed
	f.mu.Unlock()
	if last == nil || !last.from.Equal(now) {
		select {
		case f.kick <- struct{}{}:
		default: // it is asked to already
		}
	}
	if last.usable(now) {
		return last.hour(now, see), true
	}
	timer := time.NewTimer(firstWait)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
	}
	f.mu.Lock()
	last = f.last
	f.mu.Unlock()
	if !last.usable(now) {
		return nil, false
	}
	return last.hour(now, see), true
}
