package store

import (
	"context"
	"fmt"
	"time"
)

// LeaseView is everything on record of leases, as of NowMs by the database's
// clock.
type LeaseView struct {
	NowMs  int64
	Nodes  []LeaseNode
	Shards []LeaseShard // in the order of their index
}

// LeaseNode is a node of the cluster.
type LeaseNode struct {
	Name   string
	SeenMs int64 // its last Renew
}

// LeaseShard is a shard and who holds it.
type LeaseShard struct {
	Index         int32
	Owner         string // "" when it was given back, or never held
	Token         int64  // grows by one at each change of hands
	ExpiresMs     int64  // of a shard that was given back: when that was; 0 when it was never held
	PrevExpiresMs int64  // ExpiresMs before; set by Acquire only
}

// nodeForget is how long a node that is gone stays on record.
const nodeForget = 10 * time.Minute

// InitShards makes the shards and returns how many there are on record. That
// number becomes total only while no lease is held; else it stays.
func (s *Store) InitShards(ctx context.Context, total int32) (int32, error) {
	var count int32
	err := s.inTx(ctx, func(q querier) error {
		if err := s.sharedLock(ctx, q); err != nil { // two nodes that start at once
			return err
		}
		now, err := s.clock(ctx, q)
		if err != nil {
			return err
		}
		shards, err := s.readShards(ctx, q, "")
		if err != nil {
			return err
		}
		count = int32(len(shards))
		if count == total {
			return nil
		}
		for _, sh := range shards {
			if sh.Owner != "" && sh.ExpiresMs > now {
				return nil
			}
		}
		count = total
		if _, err := q.ExecContext(ctx, s.sql("DELETE FROM xxljob_shard WHERE shard_index >= ?"), total); err != nil {
			return err
		}
		// A token that grows at each change of hands never gets to the clock:
		// what begins there is above all that were ever given out.
		for i := int32(len(shards)); i < total; i++ {
			if _, err := q.ExecContext(ctx, s.sql("INSERT INTO xxljob_shard (shard_index, owner, token, expires_ms) "+
				"VALUES (?, NULL, ?, 0)"), i, now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("make the scheduling shards: %w", err)
	}
	return count, nil
}

const shardColumns = "SELECT shard_index, owner, token, expires_ms FROM xxljob_shard"

func (s *Store) readShards(ctx context.Context, q querier, tail string, args ...any) ([]LeaseShard, error) {
	rows, err := q.QueryContext(ctx, s.bind(shardColumns+tail), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []LeaseShard
	for rows.Next() {
		var sh LeaseShard
		if err := rows.Scan(&sh.Index, scanString{&sh.Owner}, &sh.Token, &sh.ExpiresMs); err != nil {
			return nil, err
		}
		list = append(list, sh)
	}
	return list, rows.Err()
}

// lockShards reads shards and locks their rows, in the order of their index.
func (s *Store) lockShards(ctx context.Context, q querier, ids []int64) ([]LeaseShard, error) {
	cond, args := s.in("shard_index", ids)
	return s.readShards(ctx, q, " WHERE "+cond+" ORDER BY shard_index{lock}", args...)
}

// Renew marks the node as seen, extends by ttl what it holds and has not lost,
// and returns everything on record. Times are the database's.
func (s *Store) Renew(ctx context.Context, node string, ttl time.Duration) (LeaseView, error) {
	var view LeaseView
	err := s.inTx(ctx, func(q querier) error {
		// The clock first: a lease then ends early rather than late when the
		// UPDATE has to wait.
		now, err := s.clock(ctx, q)
		if err != nil {
			return err
		}
		view = LeaseView{NowMs: now}
		if _, err := q.ExecContext(ctx, s.bind("INSERT INTO xxljob_node (name, seen_ms) VALUES (?, ?)"+
			s.d.upsert("name", "seen_ms")), node, now); err != nil {
			return err
		}
		if _, err := q.ExecContext(ctx, s.sql("UPDATE xxljob_shard SET expires_ms = ? "+
			"WHERE owner = ? AND expires_ms > ?"), now+ttl.Milliseconds(), node, now); err != nil {
			return err
		}
		if view.Shards, err = s.readShards(ctx, q, " ORDER BY shard_index"); err != nil {
			return err
		}
		view.Nodes, err = s.readNodes(ctx, q)
		return err
	})
	if err != nil {
		return LeaseView{}, fmt.Errorf("renew the leases of node %s: %w", node, err)
	}
	return view, s.forgetNodes(ctx, view)
}

func (s *Store) readNodes(ctx context.Context, q querier) ([]LeaseNode, error) {
	rows, err := q.QueryContext(ctx, "SELECT name, seen_ms FROM xxljob_node ORDER BY name")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []LeaseNode
	for rows.Next() {
		var n LeaseNode
		if err := rows.Scan(&n.Name, &n.SeenMs); err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, rows.Err()
}

// forgetNodes deletes nodes that have been gone for long.
func (s *Store) forgetNodes(ctx context.Context, view LeaseView) error {
	before := view.NowMs - nodeForget.Milliseconds()
	for _, n := range view.Nodes {
		if n.SeenMs >= before {
			continue
		}
		err := s.inTx(ctx, func(q querier) error {
			_, err := q.ExecContext(ctx,
				s.sql("DELETE FROM xxljob_node WHERE name = ? AND seen_ms < ?"), n.Name, before)
			return err
		})
		if err != nil {
			return fmt.Errorf("forget node %s: %w", n.Name, err)
		}
	}
	return nil
}

// Acquire takes those of the shards that nobody holds, or whose lease has
// expired by the database's clock, for ttl, and returns them with their new
// tokens.
func (s *Store) Acquire(ctx context.Context, node string, shards []int32, ttl time.Duration) ([]LeaseShard, error) {
	var won []LeaseShard
	err := s.inTx(ctx, func(q querier) error {
		won = nil
		locked, err := s.lockShards(ctx, q, sortedIDs(shards))
		if err != nil {
			return err
		}
		now, err := s.clock(ctx, q) // after the locks
		if err != nil {
			return err
		}
		for _, sh := range locked {
			if sh.Owner != "" && sh.ExpiresMs > now {
				continue
			}
			sh.PrevExpiresMs = sh.ExpiresMs
			sh.Owner, sh.Token, sh.ExpiresMs = node, sh.Token+1, now+ttl.Milliseconds()
			if _, err := q.ExecContext(ctx, s.sql("UPDATE xxljob_shard SET owner = ?, token = ?, expires_ms = ? "+
				"WHERE shard_index = ?"), sh.Owner, sh.Token, sh.ExpiresMs, sh.Index); err != nil {
				return err
			}
			won = append(won, sh)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("acquire leases for node %s: %w", node, err)
	}
	return won, nil
}

// Release gives shards back that the node holds; their leases end now. Others
// are left alone.
func (s *Store) Release(ctx context.Context, node string, shards []int32) error {
	err := s.inTx(ctx, func(q querier) error { return s.releaseRows(ctx, q, node, shards, false) })
	if err != nil {
		return fmt.Errorf("release leases of node %s: %w", node, err)
	}
	return nil
}

// Leave releases all shards of the node and removes it.
func (s *Store) Leave(ctx context.Context, node string) error {
	err := s.inTx(ctx, func(q querier) error {
		if err := s.releaseRows(ctx, q, node, nil, true); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, s.sql("DELETE FROM xxljob_node WHERE name = ?"), node)
		return err
	})
	if err != nil {
		return fmt.Errorf("node %s leaves: %w", node, err)
	}
	return nil
}

func (s *Store) releaseRows(ctx context.Context, q querier, node string, shards []int32, all bool) error {
	now, err := s.clock(ctx, q)
	if err != nil {
		return err
	}
	text, args := "UPDATE xxljob_shard SET owner = NULL, "+
		"expires_ms = CASE WHEN expires_ms < ? THEN expires_ms ELSE ? END WHERE owner = ?", []any{now, now, node}
	if !all {
		cond, ids := s.in("shard_index", sortedIDs(shards))
		text, args = text+" AND "+cond, append(args, ids...)
	}
	_, err = q.ExecContext(ctx, s.bind(text), args...)
	return err
}
