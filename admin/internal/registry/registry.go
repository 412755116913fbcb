package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Numbers of the registry (admin.md 6).
const (
	// Expiry is how long a registration lives without a heartbeat.
	Expiry = 90 * time.Second
	// DefaultRefresh is how often groups and beats are read again.
	DefaultRefresh = 5 * time.Second
	// flushEvery is how long a heartbeat waits for others before it is written.
	flushEvery = time.Second
	// missEvery is how often news of somebody who is missed are read, at most.
	missEvery = time.Second
	// groupExecutor is the only registry group that is routed.
	groupExecutor = "EXECUTOR"
	// roundTimeout ends a round whose database hangs.
	roundTimeout = 10 * time.Second
	// maxPending bounds the beats that wait for a database that is away: those
	// beyond are refused, and executors beat again.
	maxPending = 100_000
)

// Errors of Beat and Remove; their texts go to the executor.
var (
	// ErrIllegal is the answer to a blank field (wire.md 2.4).
	ErrIllegal = errors.New("Illegal Argument.")
	// ErrTooLong is the answer to a field that no column holds.
	ErrTooLong = errors.New("Illegal Argument: registryGroup holds 50 characters, registryKey and registryValue 255.")
	// ErrCharacter is the answer to a character that not every database takes:
	// one such heartbeat would hold up all that are written with it.
	ErrCharacter = errors.New("Illegal Argument: control characters and those beyond U+FFFF are not taken.")
	// ErrBusy is the answer while too many heartbeats wait for the database.
	ErrBusy = errors.New("too many heartbeats wait for the database, try again")
)

// Store is what the registry needs of the database.
type Store interface {
	// SaveBeats writes heartbeats: one row a registration.
	SaveBeats(ctx context.Context, beats []model.Beat) error
	// DeleteBeats deletes registrations; unknown ones are no error.
	DeleteBeats(ctx context.Context, beats []model.Beat) error
	// LiveBeats returns the registrations that were seen since then.
	LiveBeats(ctx context.Context, since time.Time) ([]model.Beat, error)
	// ExpireBeats deletes the registrations that were last seen before then.
	ExpireBeats(ctx context.Context, before time.Time) (int, error)
	// AllGroups returns every group.
	AllGroups(ctx context.Context) ([]*model.Group, error)
	// SetAddresses writes the address list of an automatic group.
	SetAddresses(ctx context.Context, groupID int32, list model.Text, at time.Time) error
}

// Config describes a Registry. Store is required.
type Config struct {
	Store   Store
	Refresh time.Duration // default 5s
	Logger  *slog.Logger  // default: discards
	// AllowPublicToken takes a group's token at its word also when it is the one
	// that Java's schema ships with. Default: such a group has no token of its
	// own, and the common one counts.
	AllowPublicToken bool
	// Ticked is called after each round that worked, for metrics and health.
	Ticked func()
}

// key names a registration.
type key struct{ group, app, address string }

// pending is a beat or a removal on its way to the database.
type pending struct {
	at     time.Time
	remove bool
}

// Registry is the set of live executors. All methods are safe for concurrent
// use; Run is called once.
type Registry struct {
	cfg Config

	mu      sync.RWMutex
	groups  map[int32]*model.Group
	byApp   map[string][]*model.Group
	beats   map[key]time.Time
	live    map[string]map[string]time.Time // of the executors among the beats: by app, by address
	since   map[key]Registration            // of the beats
	dirty   map[string]bool                 // apps whose groups do not show yet who came and went
	pending map[key]pending
	missed  time.Time // when somebody was last missed, and news asked for
	kick    chan struct{}
	warned  map[int32]bool // groups of which the public token was reported
	made    time.Time
	read    time.Time // when groups and beats were last read; zero is never
}

// Registration is since when an executor is registered, as far as this node
// knows.
type Registration struct {
	Last  time.Time // its last heartbeat
	Since time.Time
	// Before says that it was registered already when this node began to look.
	Before bool
}

// New returns a registry that knows nothing before its first [Registry.Refresh].
func New(cfg Config) *Registry {
	cfg.Refresh = cmp.Or(cfg.Refresh, DefaultRefresh)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Ticked == nil {
		cfg.Ticked = func() {}
	}
	return &Registry{
		cfg: cfg, groups: make(map[int32]*model.Group), byApp: make(map[string][]*model.Group),
		beats: make(map[key]time.Time), live: make(map[string]map[string]time.Time),
		since: make(map[key]Registration),
		dirty: make(map[string]bool), pending: make(map[key]pending), kick: make(chan struct{}, 1),
		warned: make(map[int32]bool), made: time.Now(),
	}
}

// Run writes beats and reads them again until ctx is done, then writes what is
// left. It blocks.
func (r *Registry) Run(ctx context.Context) {
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	refresh := time.NewTicker(r.cfg.Refresh)
	defer refresh.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushEvery)
			defer cancel()
			r.report(last, "write heartbeats", r.flush(last))
			return
		case <-flush.C:
			r.round(ctx, "write heartbeats", r.flush)
		case <-r.kick:
			r.round(ctx, "read groups", r.Refresh)
		case <-refresh.C:
			if r.round(ctx, "read groups", r.Refresh) {
				r.cfg.Ticked()
			}
		}
	}
}

// round does a step within its time, and reports whether it went well.
func (r *Registry) round(ctx context.Context, what string, step func(context.Context) error) bool {
	call, cancel := context.WithTimeout(ctx, roundTimeout)
	defer cancel()
	err := step(call)
	r.report(ctx, what, err)
	return err == nil
}

func (r *Registry) report(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		r.cfg.Logger.WarnContext(ctx, "registry round not finished, will be tried again",
			slog.String("step", what), slog.Any("err", err))
	}
}

// Beat takes a heartbeat. It does not block on the database.
func (r *Registry) Beat(group, app, address string) error { return r.note(group, app, address, false) }

// Remove ends a registration at once. An unknown one is no error.
func (r *Registry) Remove(group, app, address string) error { return r.note(group, app, address, true) }

func (r *Registry) note(group, app, address string, remove bool) error {
	group, app, address = strings.TrimSpace(group), strings.TrimSpace(app), strings.TrimSpace(address)
	if group == "" || app == "" || address == "" {
		return ErrIllegal
	}
	size := utf8.RuneCountInString
	if size(group) > 50 || size(app) > 255 || size(address) > 255 {
		return ErrTooLong
	}
	if !storable(group) || !storable(app) || !storable(address) {
		return ErrCharacter
	}
	k, now := key{group, app, address}, time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, waits := r.pending[k]; !waits && len(r.pending) >= maxPending {
		return ErrBusy
	}
	r.pending[k] = pending{at: now, remove: remove}
	at, known := r.beats[k]
	known = known && now.Sub(at) <= Expiry
	if remove {
		r.dropLocked(k)
	} else {
		r.seenLocked(k, now)
	}
	if group == groupExecutor && known == remove && len(r.byApp[app]) > 0 {
		r.dirty[app] = true
	}
	return nil
}

// storable reports whether every database takes the text.
func storable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(c rune) bool {
		return c > 0xFFFF || unicode.IsControl(c)
	})
}

// publicToken is the token of groups in the schema that Java ships.
const publicToken = "default_token"

// checkTokenLocked takes the public token from a group: whoever reads Java's
// documentation knows it.
func (r *Registry) checkTokenLocked(g *model.Group) {
	if g.Old != nil && g.Old.Token == publicToken && !r.cfg.AllowPublicToken {
		g.Old = nil
	}
	if g.AccessToken != publicToken || r.cfg.AllowPublicToken {
		return
	}
	g.AccessToken = ""
	if !r.warned[g.ID] {
		r.warned[g.ID] = true
		r.cfg.Logger.Warn("group has the public default token, which does not count: give it one of its own",
			slog.Int("group_id", int(g.ID)), slog.String("app", g.AppName))
	}
}

// routable reports whether an address can be sent to at all: anything may be
// registered, as in Java, but not everything is asked to run jobs.
func routable(address string) bool { return !strings.ContainsAny(address, "<>\"' ,\t\r\n") }

func (r *Registry) seenLocked(k key, at time.Time) {
	r.beats[k] = at
	if _, known := r.since[k]; !known {
		r.since[k] = Registration{Since: time.Now(), Before: r.read.IsZero() && at.Before(r.made)}
	}
	if k.group != groupExecutor || !routable(k.address) {
		return
	}
	addrs := r.live[k.app]
	if addrs == nil {
		addrs = make(map[string]time.Time)
		r.live[k.app] = addrs
	}
	addrs[k.address] = at
}

func (r *Registry) dropLocked(k key) {
	delete(r.beats, k)
	delete(r.since, k)
	if k.group != groupExecutor {
		return
	}
	addrs := r.live[k.app]
	delete(addrs, k.address)
	if len(addrs) == 0 {
		delete(r.live, k.app)
	}
}

// flush writes what waits. After an error everything waits on, but for what has
// been overtaken by newer news.
func (r *Registry) flush(ctx context.Context) error {
	r.mu.Lock()
	work := r.pending
	r.pending = make(map[key]pending)
	r.mu.Unlock()
	if len(work) == 0 {
		return nil
	}
	var saves, removals []model.Beat
	for k, p := range work {
		b := model.Beat{Group: k.group, Key: k.app, Value: k.address, At: p.at}
		if p.remove {
			removals = append(removals, b)
		} else {
			saves = append(saves, b)
		}
	}
	err := r.write(ctx, saves, removals)
	if err == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, p := range work {
		if _, newer := r.pending[k]; !newer {
			r.pending[k] = p
		}
	}
	return err
}

func (r *Registry) write(ctx context.Context, saves, removals []model.Beat) error {
	byKey := func(a, b model.Beat) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Value, b.Value)) }
	slices.SortFunc(saves, byKey) // one order on all nodes: no deadlocks
	slices.SortFunc(removals, byKey)
	if len(removals) > 0 {
		if err := r.cfg.Store.DeleteBeats(ctx, removals); err != nil {
			return fmt.Errorf("delete %d registrations: %w", len(removals), err)
		}
	}
	if len(saves) > 0 {
		if err := r.cfg.Store.SaveBeats(ctx, saves); err != nil {
			return fmt.Errorf("save %d heartbeats: %w", len(saves), err)
		}
	}
	return nil
}

// Refresh reads groups and beats, drops what has expired, and writes address
// lists that have changed. It blocks on the database.
func (r *Registry) Refresh(ctx context.Context) error {
	now := time.Now()
	if err := r.flush(ctx); err != nil {
		return err
	}
	if _, err := r.cfg.Store.ExpireBeats(ctx, now.Add(-Expiry)); err != nil {
		return fmt.Errorf("expire registrations: %w", err)
	}
	beats, err := r.cfg.Store.LiveBeats(ctx, now.Add(-Expiry))
	if err != nil {
		return fmt.Errorf("read registrations: %w", err)
	}
	groups, err := r.cfg.Store.AllGroups(ctx)
	if err != nil {
		return fmt.Errorf("read groups: %w", err)
	}
	var faults []error // a group that the database refuses must not keep the others from theirs
	for _, g := range r.adopt(beats, groups, now) {
		if err := r.cfg.Store.SetAddresses(ctx, g.ID, g.AddressList, now); err != nil {
			faults = append(faults, fmt.Errorf("save the addresses of group %d: %w", g.ID, err))
		}
	}
	return errors.Join(faults...)
}

// adopt replaces what is in memory and returns the automatic groups whose list
// on record is not what the beats say.
func (r *Registry) adopt(beats []model.Beat, groups []*model.Group, now time.Time) []*model.Group {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.beats = make(map[key]time.Time, len(beats))
	r.live = make(map[string]map[string]time.Time)
	for _, b := range beats {
		r.seenLocked(key{b.Group, b.Key, b.Value}, b.At)
	}
	for k, p := range r.pending { // came in while the database was asked
		if p.remove {
			r.dropLocked(k)
		} else {
			r.seenLocked(k, p.at)
		}
	}
	for k := range r.since {
		if _, there := r.beats[k]; !there {
			delete(r.since, k)
		}
	}
	r.read = now
	clear(r.dirty)
	r.groups = make(map[int32]*model.Group, len(groups))
	r.byApp = make(map[string][]*model.Group, len(groups))
	var changed []*model.Group
	for _, g := range groups {
		r.checkTokenLocked(g)
		if !g.Manual {
			if list := r.liveLocked(g.AppName, now); list.S != g.AddressList.S {
				g.AddressList = list
				changed = append(changed, g)
			}
		}
		r.putLocked(g)
	}
	return changed
}

// GroupsChanged asks for a refresh at once, after somebody has edited groups
// here. It does not wait for it.
func (r *Registry) GroupsChanged() {
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

// Missed asks for a refresh at once, at most once a second, for a run was found
// whose group or executors are not known here: another node may know them. It
// does not wait for it.
func (r *Registry) Missed() {
	now := time.Now()
	r.mu.Lock()
	soon := now.Sub(r.missed) < missEvery
	if !soon {
		r.missed = now
	}
	r.mu.Unlock()
	if !soon {
		r.GroupsChanged()
	}
}
