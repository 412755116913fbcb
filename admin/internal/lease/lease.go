package lease

import (
	"context"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Shard is one shard as the provider has it on record.
type Shard struct {
	Index         int32
	Owner         string // node name; "" when nobody holds it
	Token         int64  // grows at each change of hands
	ExpiresMs     int64  // by the provider's clock
	PrevExpiresMs int64  // of the lease before this one; set by Acquire only
}

// View is everything on record, as of NowMs by the provider's clock.
type View struct {
	NowMs  int64
	Nodes  []Node
	Shards []Shard
}

// live are the nodes that others must take for alive: they were seen within ttl,
// or hold a lease, which Plan extends too.
func (v View) live(ttl time.Duration) map[string]bool {
	live := make(map[string]bool, len(v.Nodes))
	for _, n := range v.Nodes {
		if v.NowMs-n.SeenMs < ttl.Milliseconds() {
			live[n.Name] = true
		}
	}
	for _, s := range v.Shards {
		if s.Owner != "" && s.ExpiresMs > v.NowMs {
			live[s.Owner] = true
		}
	}
	return live
}

// MakerGone reports whether the node does not live that has made runs with the
// token of model.MakerToken, and since when: zero if it said goodbye, or is long
// forgotten. The view must be younger than the runs: a node is on record before
// it sends anything.
func (v View) MakerGone(token int64, ttl time.Duration) (since time.Time, gone bool) {
	for name := range v.live(ttl) {
		if model.MakerToken(name) == token {
			return time.Time{}, false
		}
	}
	var end int64
	for _, n := range v.Nodes {
		if model.MakerToken(n.Name) == token {
			end = max(end, n.SeenMs+ttl.Milliseconds())
		}
	}
	for _, s := range v.Shards {
		if s.Owner != "" && model.MakerToken(s.Owner) == token {
			end = max(end, s.ExpiresMs)
		}
	}
	if end == 0 {
		return time.Time{}, true
	}
	return time.UnixMilli(end), true
}

// Node is a member of the cluster.
type Node struct {
	Name   string
	SeenMs int64 // last renewal, by the provider's clock
}

// Provider keeps leases. Its clock, not ours, decides what has expired.
type Provider interface {
	// Renew marks the node as seen, extends by ttl what it holds and has not
	// lost, and returns everything on record.
	Renew(ctx context.Context, node string, ttl time.Duration) (View, error)
	// Acquire takes those of the shards that nobody holds and returns them.
	Acquire(ctx context.Context, node string, shards []int32, ttl time.Duration) ([]Shard, error)
	// Release gives shards back at once.
	Release(ctx context.Context, node string, shards []int32) error
	// Leave removes the node and releases all that it holds.
	Leave(ctx context.Context, node string) error
}

// Held is a shard that this node holds.
type Held struct {
	Shard int32
	Token int64
}

// Gained is a shard that this node has just got.
type Gained struct {
	Held
	// FreeSince is when the lease before ended, by the clock of the provider;
	// what was planned for later was sent by nobody.
	FreeSince time.Time
	// Same is true when no other node held it since this one did: what this
	// node had planned is still its own.
	Same bool
}

// Events are told of changes, in order, from the manager's own goroutine. They
// must not block for long: the lease runs on meanwhile.
type Events struct {
	Gained func(ctx context.Context, shards []Gained)
	Lost   func(shards []int32)
	// Lapsed is called when this node was out of touch for so long that others
	// have to take it for dead, also if it held no shard; and at its first
	// renewal, before which nobody knew of it. It comes before anything may be
	// sent again.
	Lapsed func()
	// NodeGone is called when a node that lived does not live any more.
	NodeGone func()
}
