package lease

import (
	"cmp"
	"slices"
	"time"
)

// Extended tells that a write under the leases has extended them on record, all
// of held, at start or later. start is a time of this process, from before the
// statement.
func (m *Manager) Extended(start time.Time, held []Held) {
	m.mu.Lock()
	defer m.mu.Unlock()
	extended := 0
	for _, h := range held {
		if m.held[h.Shard] == h.Token {
			extended++
		}
	}
	if extended == 0 || extended < len(m.held) || start.Before(m.alive) {
		return // what came since has its own end
	}
	m.alive = start
	if until := start.Add(m.cfg.TTL - SendMargin); until.After(m.until) {
		m.until = until
	}
	if m.limit != nil {
		m.limit.Reset(time.Until(start.Add(m.cfg.TTL)))
	}
}

// TTL returns how long a lease lasts.
func (m *Manager) TTL() time.Duration { return m.cfg.TTL }

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
// be sent now. Token 0 stands for a run that this node has made without a
// lease: it may be sent while others know this node to be alive.
func (m *Manager) MaySend(shard int32, token int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return (token == 0 || m.held[shard] == token) && time.Now().Before(m.until)
}

// Keeps reports whether the shard is still this node's under token, as far as
// it knows, although it may not act for it just now: the renewal is late. A
// shard that it does not keep comes back with another token, if ever. Token 0
// is always kept.
func (m *Manager) Keeps(shard int32, token int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return token == 0 || m.held[shard] == token
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
