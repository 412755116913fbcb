package lease

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Defaults of [Config], and the margin that a sender keeps.
const (
	DefaultTTL   = 3 * time.Second
	DefaultEvery = time.Second
	// SendMargin is how long before the end of its lease a node stops sending.
	SendMargin = time.Second
	// leaveTimeout bounds the goodbye of a node that stops.
	leaveTimeout = 2 * time.Second
)

// Config describes a Manager. Provider and Node are required.
type Config struct {
	Provider Provider
	Node     string        // unique in the cluster and for this start of the process
	Total    int32         // number of shards; at least 1
	TTL      time.Duration // of a lease; default 3s
	Every    time.Duration // between renewals; default 1s
	Events   Events
	Logger   *slog.Logger // default: discards
	Ticked   func()       // called after each round that worked; may be nil
}

// Manager holds this node's share of the shards. All methods are safe for
// concurrent use; Run is called once.
type Manager struct {
	cfg Config

	mu    sync.Mutex
	held  map[int32]int64 // shard to token
	last  map[int32]int64 // tokens of shards that were lost, to see whether somebody else came between
	until time.Time       // monotonic: sending is allowed before it
	nodes int
	view  View
	at    time.Time // of the last renewal that worked
	kick  chan struct{}
}

// New returns a manager that holds nothing yet.
func New(cfg Config) (*Manager, error) {
	if cfg.Provider == nil || cfg.Node == "" || cfg.Total < 1 {
		return nil, errors.New("lease: Provider, Node and a Total of at least 1 are required")
	}
	cfg.TTL = cmp.Or(cfg.TTL, DefaultTTL)
	cfg.Every = cmp.Or(cfg.Every, DefaultEvery)
	if cfg.TTL < cfg.Every+SendMargin {
		return nil, fmt.Errorf("lease: TTL %v must be at least Every %v and a second", cfg.TTL, cfg.Every)
	}
	if cfg.Ticked == nil {
		cfg.Ticked = func() {}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Manager{
		cfg: cfg, held: make(map[int32]int64), last: make(map[int32]int64), kick: make(chan struct{}, 1),
	}, nil
}

// Run renews until ctx is done, then gives everything back. It blocks. A
// provider that does not answer ends no loop: the lease runs out and is taken
// again once the provider is back.
func (m *Manager) Run(ctx context.Context) {
	tick := time.NewTicker(m.cfg.Every)
	defer tick.Stop()
	failing := false
	for {
		// A call that hangs must not outlive what it renews.
		call, cancel := context.WithTimeout(ctx, m.cfg.TTL)
		err := m.round(call)
		cancel()
		switch {
		case ctx.Err() != nil:
		case err != nil && !failing:
			m.cfg.Logger.WarnContext(ctx, "leases not renewed, will be tried again", slog.Any("err", err))
		case err == nil && failing:
			m.cfg.Logger.InfoContext(ctx, "leases renewed again")
		}
		if err == nil {
			m.cfg.Ticked()
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			m.leave(context.WithoutCancel(ctx))
			return
		case <-m.kick:
		case <-tick.C:
		}
	}
}

// Kick asks for a round at once, for example after a fenced write.
func (m *Manager) Kick() {
	select {
	case m.kick <- struct{}{}:
	default:
	}
}

// round renews, learns what was lost, gives back what is too much and takes
// what is free.
func (m *Manager) round(ctx context.Context) error {
	start := time.Now() // before the statement: the lease on record ends later than we think
	view, err := m.cfg.Provider.Renew(ctx, m.cfg.Node, m.cfg.TTL)
	if err != nil {
		return fmt.Errorf("renew: %w", err)
	}
	m.renewed(start, view)
	share := m.share(view)
	if surplus := m.surplus(share); len(surplus) > 0 {
		m.lose(surplus)
		if err := m.cfg.Provider.Release(ctx, m.cfg.Node, surplus); err != nil {
			return fmt.Errorf("release: %w", err)
		}
		m.forget(surplus)
	}
	if wanted := m.wanted(view, share); len(wanted) > 0 {
		won, err := m.cfg.Provider.Acquire(ctx, m.cfg.Node, wanted, m.cfg.TTL)
		if err != nil {
			return fmt.Errorf("acquire: %w", err)
		}
		m.gain(ctx, won)
	}
	return nil
}

// renewed takes over what the provider says, and reports what is gone.
func (m *Manager) renewed(start time.Time, view View) {
	mine := make(map[int32]int64, len(view.Shards))
	for _, s := range view.Shards {
		if s.Owner == m.cfg.Node && s.ExpiresMs > view.NowMs {
			mine[s.Index] = s.Token
		}
	}
	m.mu.Lock()
	var lost []int32
	for shard, token := range m.held {
		if mine[shard] != token {
			lost = append(lost, shard)
			m.last[shard] = token
			delete(m.held, shard)
		}
	}
	m.until = start.Add(m.cfg.TTL - SendMargin)
	m.view, m.at = view, start
	m.mu.Unlock()
	m.tellLost(lost)
}

// share is how many shards this node may hold: ceil(N / live nodes).
func (m *Manager) share(view View) int {
	live := 0
	for _, n := range view.Nodes {
		if view.NowMs-n.SeenMs <= m.cfg.TTL.Milliseconds() {
			live++
		}
	}
	live = max(live, 1)
	m.mu.Lock()
	m.nodes = live
	m.mu.Unlock()
	return (int(m.cfg.Total) + live - 1) / live
}

// surplus is what is held above the share, highest shards first.
func (m *Manager) surplus(share int) []int32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.held) <= share {
		return nil
	}
	return m.shardsLocked()[share:]
}

// wanted are free shards up to the share.
func (m *Manager) wanted(view View, share int) []int32 {
	m.mu.Lock()
	room := share - len(m.held)
	m.mu.Unlock()
	var free []int32
	for _, s := range view.Shards {
		if len(free) >= room {
			break
		}
		if s.Owner == "" || s.ExpiresMs <= view.NowMs {
			free = append(free, s.Index)
		}
	}
	return free
}

func (m *Manager) gain(ctx context.Context, won []Shard) {
	if len(won) == 0 {
		return
	}
	gained := make([]Gained, 0, len(won))
	m.mu.Lock()
	for _, s := range won {
		m.held[s.Index] = s.Token
		gained = append(gained, Gained{
			Held:      Held{Shard: s.Index, Token: s.Token},
			FreeSince: time.UnixMilli(s.PrevExpiresMs),
			Same:      m.last[s.Index] != 0 && m.last[s.Index]+1 == s.Token,
		})
		delete(m.last, s.Index)
	}
	m.mu.Unlock()
	m.cfg.Logger.InfoContext(ctx, "shards gained", slog.Int("count", len(gained)))
	if m.cfg.Events.Gained != nil {
		m.cfg.Events.Gained(ctx, gained)
	}
}

// lose stops the use of shards before they are given back.
func (m *Manager) lose(shards []int32) {
	m.mu.Lock()
	for _, s := range shards {
		delete(m.held, s)
	}
	m.mu.Unlock()
	m.tellLost(shards)
}

// forget drops the memory of shards that were given back of our own will: what
// was planned under them is dropped too, so it is not the same when they return.
func (m *Manager) forget(shards []int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range shards {
		delete(m.last, s)
	}
}

func (m *Manager) tellLost(shards []int32) {
	if len(shards) == 0 {
		return
	}
	slices.Sort(shards)
	m.cfg.Logger.Info("shards lost", slog.Int("count", len(shards)))
	if m.cfg.Events.Lost != nil {
		m.cfg.Events.Lost(shards)
	}
}

func (m *Manager) leave(ctx context.Context) {
	m.mu.Lock()
	shards := m.shardsLocked()
	m.mu.Unlock()
	m.lose(shards)
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	if err := m.cfg.Provider.Leave(ctx, m.cfg.Node); err != nil {
		m.cfg.Logger.WarnContext(ctx, "leases not given back, they run out by themselves", slog.Any("err", err))
	}
}

func (m *Manager) shardsLocked() []int32 {
	list := make([]int32, 0, len(m.held))
	for s := range m.held {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

// Held lists what this node holds, by shard. A write under it is checked by
// its token all the same.
func (m *Manager) Held() []Held {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]Held, 0, len(m.held))
	for s, t := range m.held {
		list = append(list, Held{Shard: s, Token: t})
	}
	slices.SortFunc(list, func(a, b Held) int { return cmp.Compare(a.Shard, b.Shard) })
	return list
}

// MaySend reports whether a run that was planned for the shard under token may
// be sent now.
func (m *Manager) MaySend(shard int32, token int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held[shard] == token && time.Now().Before(m.until)
}

// Holds reports whether this node holds the shard and may act for it now.
func (m *Manager) Holds(shard int32) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held[shard] != 0 && time.Now().Before(m.until)
}

// Total returns the number of shards of the cluster.
func (m *Manager) Total() int32 { return m.cfg.Total }

// Status is what a page or a metric shows of the leases.
type Status struct {
	Node    string
	Held    int
	Total   int
	Nodes   int       // live ones, this one included
	Renewed time.Time // last renewal that worked; zero if none did
	Fresh   bool      // sending is allowed now
	View    View
}

// Status returns a snapshot.
func (m *Manager) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Status{
		Node: m.cfg.Node, Held: len(m.held), Total: int(m.cfg.Total), Nodes: m.nodes,
		Renewed: m.at, Fresh: time.Now().Before(m.until), View: m.view,
	}
}
