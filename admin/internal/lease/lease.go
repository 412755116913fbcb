package lease

import (
	"context"
	"time"
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
	// Alone is true when no other node was alive at AsOf, by the clock of the
	// provider: nobody else has anything on its way that is older than that.
	Alone bool
	AsOf  time.Time
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
}
