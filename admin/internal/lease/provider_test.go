package lease

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var errAway = errors.New("database away")

// played is a provider in memory with a clock of its own.
type played struct {
	mu     sync.Mutex
	skew   time.Duration
	nodes  map[string]int64
	shards []Shard

	fault    error         // of every call, before anything is done
	after    error         // of Acquire and Release, after it was done
	hang     chan struct{} // calls wait for it, or for the end of their context
	slow     time.Duration
	acquired int
}

func newPlayed(total int32) *played {
	p := &played{nodes: make(map[string]int64), skew: 90 * time.Second}
	for i := range total {
		p.shards = append(p.shards, Shard{Index: i, Token: 1000})
	}
	return p
}

func (p *played) now() int64 { return time.Now().Add(p.skew).UnixMilli() }

func (p *played) enter(ctx context.Context) error {
	p.mu.Lock()
	hang, slow, fault := p.hang, p.slow, p.fault
	p.mu.Unlock()
	if hang != nil {
		select {
		case <-hang:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if slow > 0 {
		select {
		case <-time.After(slow):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return fault
}

func (p *played) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *played) Renew(ctx context.Context, node string, ttl time.Duration) (View, error) {
	if err := p.enter(ctx); err != nil {
		return View{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.nodes[node] = now
	v := View{NowMs: now}
	for i := range p.shards {
		if s := &p.shards[i]; s.Owner == node && s.ExpiresMs > now {
			s.ExpiresMs = now + ttl.Milliseconds()
		}
	}
	v.Shards = slices.Clone(p.shards)
	for name, seen := range p.nodes {
		v.Nodes = append(v.Nodes, Node{name, seen})
	}
	return v, nil
}

func (p *played) Acquire(ctx context.Context, node string, shards []int32, ttl time.Duration) ([]Shard, error) {
	if err := p.enter(ctx); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.acquired++
	var won []Shard
	for _, i := range shards {
		s := &p.shards[i]
		if s.Owner != "" && s.ExpiresMs > p.now() {
			continue
		}
		prev := s.ExpiresMs
		s.Owner, s.Token, s.ExpiresMs = node, s.Token+1, p.now()+ttl.Milliseconds()
		w := *s
		w.PrevExpiresMs = prev
		won = append(won, w)
	}
	if p.after != nil {
		return nil, p.after
	}
	return won, nil
}

func (p *played) Release(ctx context.Context, node string, shards []int32) error {
	if err := p.enter(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range shards {
		if s := &p.shards[i]; s.Owner == node {
			s.Owner, s.ExpiresMs = "", min(s.ExpiresMs, p.now())
		}
	}
	return p.after
}

func (p *played) Leave(ctx context.Context, node string) error {
	all := make([]int32, len(p.shards))
	for i := range all {
		all[i] = int32(i)
	}
	if err := p.Release(ctx, node, all); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.nodes, node)
	return nil
}

// node is a manager that runs, and what it was told.
type node struct {
	*Manager

	mu     sync.Mutex
	gained []Gained
	gone   int
	lost   []int32
	lapsed int
	early  bool // it could send before it was told that it had lapsed
	stop   context.CancelFunc
	ended  chan struct{}
}

func startNode(t *testing.T, p Provider, name string, total int32) *node {
	t.Helper()
	n := &node{ended: make(chan struct{})}
	m, err := New(Config{Provider: p, Node: name, Total: total, Events: Events{
		Gained: func(_ context.Context, g []Gained) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.gained = append(n.gained, g...)
		},
		Lost: func(s []int32) { n.mu.Lock(); defer n.mu.Unlock(); n.lost = append(n.lost, s...) },
		Lapsed: func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.lapsed++
			n.early = n.early || n.MaySend(0, 0)
		},
		NodeGone: func() { n.mu.Lock(); defer n.mu.Unlock(); n.gone++ },
	}})
	require.NoError(t, err)
	n.Manager = m
	ctx, stop := context.WithCancel(t.Context())
	n.stop = stop
	go func() { defer close(n.ended); m.Run(ctx) }()
	t.Cleanup(func() { stop(); <-n.ended })
	return n
}

func (n *node) counts() (gained, lost, lapsed int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.gained), len(n.lost), n.lapsed
}

// wait lets fake time go by.
func wait(d time.Duration) { <-time.After(d) }

// link is a node's own way to the provider: it can be cut, and it can refuse to
// take shards back.
type link struct {
	Provider

	mu     sync.Mutex
	cut    bool
	refuse bool
}

func (l *link) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

func (l *link) enter(ctx context.Context) error {
	l.mu.Lock()
	cut := l.cut
	l.mu.Unlock()
	if cut {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return nil
}

func (l *link) Renew(ctx context.Context, node string, ttl time.Duration) (View, error) {
	if err := l.enter(ctx); err != nil {
		return View{}, err
	}
	return l.Provider.Renew(ctx, node, ttl)
}

func (l *link) Acquire(ctx context.Context, node string, shards []int32, ttl time.Duration) ([]Shard, error) {
	if err := l.enter(ctx); err != nil {
		return nil, err
	}
	return l.Provider.Acquire(ctx, node, shards, ttl)
}

func (l *link) Release(ctx context.Context, node string, shards []int32) error {
	l.mu.Lock()
	refuse := l.refuse
	l.mu.Unlock()
	if refuse {
		return errAway
	}
	if err := l.enter(ctx); err != nil {
		return err
	}
	return l.Provider.Release(ctx, node, shards)
}

func (l *link) Leave(ctx context.Context, node string) error {
	if err := l.enter(ctx); err != nil {
		return err
	}
	return l.Provider.Leave(ctx, node)
}
