// Package forecast counts what fires in the coming hour, minute by minute, for
// any number of jobs. It is asked by pages: one that would show a count of more
// than a few seconds has it counted anew by a goroutine of its own and waits for
// that, if counting is quick; if it is not, the count before is shown, with its
// age. While nobody looks it does nothing.
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
	// fresh is how old a count is at most that is shown without another one, and
	// restFactor how many times as long as counting took it is not counted again:
	// pages that are looked at all day take a twentieth of a core at most.
	fresh      = 3 * time.Second
	restFactor = 20
	restLimit  = 2 * time.Minute
	// firstWait is how long somebody who asks waits for a count.
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
	Counted time.Time // when the jobs were read
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

// Hour returns the coming hour of the groups that see reports true for, as it
// was a few seconds ago: what was changed before is in it, unless counting takes
// longer than 0.3 s (some 10,000 expressions), when it is up to 2 minutes old. ok
// is false while it is not known yet: ask again in a moment. It blocks for at
// most 0.3 s.
func (f *Forecast) Hour(ctx context.Context, see func(group int32) bool) (hour *Hour, ok bool) {
	now := f.cfg.Now()
	f.mu.Lock()
	last, changed := f.last, f.changed
	f.mu.Unlock()
	if last.due(now) {
		select {
		case f.kick <- struct{}{}:
		default: // it is asked to already
		}
		if !last.usable(now) || last.took <= firstWait {
			last = f.await(ctx, changed)
		}
	}
	if !last.usable(now) {
		return nil, false
	}
	return last.hour(now, see), true
}

// await returns the last count once another one has ended, or after firstWait.
func (f *Forecast) await(ctx context.Context, changed <-chan struct{}) *count {
	timer := time.NewTimer(firstWait)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}
