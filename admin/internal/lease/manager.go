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
	// expirySlack is how long after the end of somebody else's lease to look
	// whether it is free.
	expirySlack = 20 * time.Millisecond
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
	tried map[int32]Shard // asked for without an answer: as they were before
	until time.Time       // monotonic: sending is allowed before it
	alive time.Time       // others know that this node lived then
	limit *time.Timer     // ends the round that is under way
	nodes int
	live  map[string]bool // as of view
	view  View
	at    time.Time // of the last renewal that worked
	seen  time.Time // when its answer was there
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
		cfg: cfg, held: make(map[int32]int64), last: make(map[int32]int64), tried: make(map[int32]Shard),
		kick: make(chan struct{}, 1),
	}, nil
}

// Run renews until ctx is done, then gives everything back. It blocks. A
// provider that does not answer ends no loop: the lease runs out and is taken
// again once the provider is back.
func (m *Manager) Run(ctx context.Context) {
	timer := time.NewTimer(m.cfg.Every)
	defer timer.Stop()
	failing := false
	for {
		begin := time.Now()
		err := m.boundedRound(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil && !failing:
			m.cfg.Logger.WarnContext(ctx, "leases not renewed, will be tried again", slog.Any("err", err))
		case err == nil && failing:
			m.cfg.Logger.InfoContext(ctx, "leases renewed again")
		}
		next := begin.Add(m.cfg.Every)
		if err == nil {
			m.cfg.Ticked()
			next = m.next(next)
		}
		failing = err != nil
		timer.Reset(time.Until(next))
		select {
		case <-ctx.Done():
			m.leave(context.WithoutCancel(ctx))
			return
		case <-m.kick:
		case <-timer.C:
		}
	}
}

// next is when to make the next round: at the latest when a lease ends that
// somebody else has not renewed, or a node is known to be gone by.
func (m *Manager) next(latest time.Time) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	sooner := func(endMs int64) {
		left := time.Duration(endMs-m.view.NowMs) * time.Millisecond
		if at := m.seen.Add(left + expirySlack); left > 0 && at.Before(latest) {
			latest = at
		}
	}
	for _, s := range m.view.Shards {
		if s.Owner != "" && s.Owner != m.cfg.Node {
			sooner(s.ExpiresMs)
		}
	}
	for _, n := range m.view.Nodes {
		if n.Name != m.cfg.Node {
			sooner(n.SeenMs + m.cfg.TTL.Milliseconds())
		}
	}
	return latest
}

// boundedRound is a round that ends when what it renews must have ended: it may
// take longer while the leases are extended otherwise.
func (m *Manager) boundedRound(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m.mu.Lock()
	m.limit = time.AfterFunc(m.cfg.TTL, func() { cancel(context.DeadlineExceeded) })
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.limit.Stop()
		m.limit = nil
	}()
	return m.round(ctx)
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
	won, strays := m.strays(view)
	m.gain(ctx, won)
	surplus := m.surplus(share)
	m.lose(surplus)
	if back := append(strays, surplus...); len(back) > 0 {
		if err := m.cfg.Provider.Release(ctx, m.cfg.Node, back); err != nil {
			return fmt.Errorf("release: %w", err)
		}
	}
	wanted := m.wanted(view, share)
	if len(wanted) == 0 {
		return nil
	}
	won, err = m.cfg.Provider.Acquire(ctx, m.cfg.Node, indexes(wanted), m.cfg.TTL)
	if err != nil {
		m.remember(wanted)
		return fmt.Errorf("acquire: %w", err)
	}
	m.gain(ctx, won)
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
	now := time.Now()
	m.mu.Lock()
	lapsed := now.Sub(m.alive) > m.cfg.TTL // also before the first renewal: nobody knew of this node
	m.mu.Unlock()
	if lapsed && m.cfg.Events.Lapsed != nil {
		m.cfg.Events.Lapsed() // before anything may be sent again
	}
	live := view.live(m.cfg.TTL)
	m.mu.Lock()
	gone := false
	for name := range m.live {
		gone = gone || !live[name] && name != m.cfg.Node
	}
	m.live = live
	var lost []int32
	for shard, token := range m.held {
		if mine[shard] != token {
			lost = append(lost, shard)
			m.last[shard] = token
			delete(m.held, shard)
		}
	}
	if !start.Before(m.alive) { // else what has extended them meanwhile counts
		m.alive, m.until = start, start.Add(m.cfg.TTL-SendMargin)
	}
	m.view, m.at, m.seen = view, start, now
	m.mu.Unlock()
	m.tellLost(lost)
	if gone && m.cfg.Events.NodeGone != nil {
		m.cfg.Events.NodeGone()
	}
}

// strays are the shards that are ours on record and not in memory. A round that
// got no answer has left them: those that it had asked for are won after all,
// the others are given back. Renewals would else keep them for ever.
func (m *Manager) strays(view View) (won []Shard, back []int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range view.Shards {
		if s.Owner != m.cfg.Node || s.ExpiresMs <= view.NowMs || m.held[s.Index] != 0 {
			continue
		}
		if was, ok := m.tried[s.Index]; ok && was.Token+1 == s.Token {
			s.PrevExpiresMs = was.ExpiresMs
			won = append(won, s)
			continue
		}
		back = append(back, s.Index)
	}
	clear(m.tried)
	return won, back
}

// remember keeps what was asked for, until the next renewal tells.
func (m *Manager) remember(shards []Shard) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range shards {
		m.tried[s.Index] = s
	}
}

func indexes(shards []Shard) []int32 {
	list := make([]int32, 0, len(shards))
	for _, s := range shards {
		list = append(list, s.Index)
	}
	return list
}

// share is how many shards this node may hold: ceil(N / live nodes). A node that
// holds a lease lives, also when its own renewal is late.
func (m *Manager) share(view View) int {
	live := max(len(view.live(m.cfg.TTL)), 1)
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
func (m *Manager) wanted(view View, share int) []Shard {
	m.mu.Lock()
	room := share - len(m.held)
	m.mu.Unlock()
	var free []Shard
	for _, s := range view.Shards {
		if len(free) >= room {
			break
		}
		if s.Owner == "" || s.ExpiresMs <= view.NowMs {
			free = append(free, s)
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

// lose stops the use of shards before they are given back of our own will. What
// was planned under them is dropped too, so they are not the same when they
// return.
func (m *Manager) lose(shards []int32) {
	m.mu.Lock()
	for _, s := range shards {
		delete(m.held, s)
		delete(m.last, s)
	}
	m.mu.Unlock()
	m.tellLost(shards)
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
