package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
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
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		if err := s.sharedLock(ctx, q); err != nil { // two nodes that start at once
			return err
		}
		view, err := s.readLeases(ctx, q)
		if err != nil {
			return err
		}
		now, shards := view.NowMs, view.Shards
		if len(shards) == 0 {
			if now, err = s.db.Clock(ctx, q); err != nil {
				return err
			}
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
		if _, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_shard WHERE shard_index >= ?"),
			total); err != nil {
			return err
		}
		// A token that grows at each change of hands never gets to the clock:
		// what begins there is above all that were ever given out.
		for i := int32(len(shards)); i < total; i++ {
			if _, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_shard (shard_index, owner, token, "+
				"expires_ms) VALUES (?, NULL, ?, 0)"), i, now); err != nil {
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

// lockShards reads shards and locks their rows, in the order of their index. now
// is the clock, read no later than the locks were there: a lease that it makes
// ends early rather than late.
func (s *Store) lockShards(ctx context.Context, q sqldb.Querier, ids []int64) (list []LeaseShard, now int64,
	err error,
) {
	cond, args := s.db.In("shard_index", ids)
	text, args := s.db.Timed("SELECT shard_index, owner, token, expires_ms, {now} FROM xxljob_shard WHERE "+cond+
		" ORDER BY shard_index{lock}", args...)
	rows, err := q.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var sh LeaseShard
		var at int64
		if err := rows.Scan(&sh.Index, scanString{&sh.Owner}, &sh.Token, &sh.ExpiresMs, &at); err != nil {
			return nil, 0, err
		}
		if now == 0 || at < now {
			now = at
		}
		list = append(list, sh)
	}
	return list, now, rows.Err()
}

// Renew marks the node as seen, extends by ttl what it holds and has not lost,
// and returns everything on record. Times are the database's. A lease that was
// extended further meanwhile, by Plan, is not cut short.
func (s *Store) Renew(ctx context.Context, node string, ttl time.Duration) (LeaseView, error) {
	var view LeaseView
	err := s.db.InSteps(ctx, func(ctx context.Context, q sqldb.Querier) error {
		if _, err := s.extend(ctx, q, ttl, "owner = ?", node); err != nil {
			return err
		}
		text, args := s.db.Timed("INSERT INTO xxljob_node (name, seen_ms) VALUES (?, {now})"+
			s.db.Upsert("name", "seen_ms"), node)
		if _, err := q.ExecContext(ctx, text, args...); err != nil {
			return err
		}
		var err error
		view, err = s.readLeases(ctx, q)
		return err
	})
	if err != nil {
		return LeaseView{}, fmt.Errorf("renew the leases of node %s: %w", node, err)
	}
	s.forgetNodes(ctx, view)
	return view, nil
}

// Leases returns everything on record of leases. It changes nothing.
func (s *Store) Leases(ctx context.Context) (LeaseView, error) {
	view, err := s.readLeases(ctx, s.db.Reader())
	if err != nil {
		return LeaseView{}, fmt.Errorf("read leases: %w", err)
	}
	return view, nil
}

// extend makes the leases that match, and that have not expired, last for ttl
// from now. It locks them in the order of their index.
func (s *Store) extend(
	ctx context.Context, q sqldb.Querier, ttl time.Duration, cond string, args ...any,
) (sql.Result, error) {
	end := "{now} + " + strconv.FormatInt(ttl.Milliseconds(), 10)
	set := "expires_ms = CASE WHEN expires_ms > " + end + " THEN expires_ms ELSE " + end + " END"
	cond += " AND expires_ms > {now}"
	text := "UPDATE xxljob_shard SET " + set + " WHERE " + cond
	switch s.db.Name {
	case sqldb.MySQL:
		// The step of ids comes along without a statement of its own.
		text = "UPDATE xxljob_shard SET " + set + " + 0 * LAST_INSERT_ID(@@auto_increment_increment) WHERE " + cond
	case sqldb.Postgres:
		text = "WITH mine AS (SELECT shard_index AS i FROM xxljob_shard WHERE " + cond +
			" ORDER BY shard_index FOR UPDATE) UPDATE xxljob_shard SET " + set + " FROM mine WHERE shard_index = i"
	}
	text, args = s.db.Timed(text, args...)
	return q.ExecContext(ctx, text, args...)
}

// readLeases reads all shards and nodes, and the clock.
func (s *Store) readLeases(ctx context.Context, q sqldb.Querier) (LeaseView, error) {
	text, args := s.db.Timed("SELECT {now}, 0, shard_index, owner, token, expires_ms FROM xxljob_shard " +
		"UNION ALL SELECT {now}, 1, 0, name, 0, seen_ms FROM xxljob_node ORDER BY 2, 3, 4")
	rows, err := q.QueryContext(ctx, text, args...)
	if err != nil {
		return LeaseView{}, err
	}
	defer rows.Close()
	var view LeaseView
	for rows.Next() {
		var isNode bool
		var sh LeaseShard
		err := rows.Scan(&view.NowMs, &isNode, &sh.Index, scanString{&sh.Owner}, &sh.Token, &sh.ExpiresMs)
		if err != nil {
			return LeaseView{}, err
		}
		if isNode {
			view.Nodes = append(view.Nodes, LeaseNode{Name: sh.Owner, SeenMs: sh.ExpiresMs})
		} else {
			view.Shards = append(view.Shards, sh)
		}
	}
	return view, rows.Err()
}

// forgetNodes deletes nodes that have been gone for long. Nothing depends on
// it, and the next renewal tries again.
func (s *Store) forgetNodes(ctx context.Context, view LeaseView) {
	before := view.NowMs - nodeForget.Milliseconds()
	for _, n := range view.Nodes {
		if n.SeenMs >= before {
			continue
		}
		err := s.db.InTx(ctx, func(q sqldb.Querier) error {
			_, err := q.ExecContext(ctx,
				s.db.SQL("DELETE FROM xxljob_node WHERE name = ? AND seen_ms < ?"), n.Name, before)
			return err
		})
		if err != nil {
			s.log.DebugContext(ctx, "node that is gone not deleted", slog.String("node", n.Name), slog.Any("err", err))
			return
		}
	}
}

// Acquire takes those of the shards that nobody holds, or whose lease has
// expired by the database's clock, for ttl, and returns them with their new
// tokens.
func (s *Store) Acquire(ctx context.Context, node string, shards []int32, ttl time.Duration) ([]LeaseShard, error) {
	var won []LeaseShard
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		won = nil
		locked, now, err := s.lockShards(ctx, q, sqldb.SortedIDs(shards))
		if err != nil {
			return err
		}
		var ids []int64
		for _, sh := range locked {
			if sh.Owner != "" && sh.ExpiresMs > now {
				continue
			}
			sh.PrevExpiresMs = sh.ExpiresMs
			sh.Owner, sh.Token, sh.ExpiresMs = node, sh.Token+1, now+ttl.Milliseconds()
			won, ids = append(won, sh), append(ids, int64(sh.Index))
		}
		if len(won) == 0 {
			return nil
		}
		cond, args := s.db.In("shard_index", ids)
		_, err = q.ExecContext(ctx, s.db.Bind("UPDATE xxljob_shard SET owner = ?, token = token + 1, expires_ms = ? "+
			"WHERE "+cond), append([]any{node, now + ttl.Milliseconds()}, args...)...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("acquire leases for node %s: %w", node, err)
	}
	return won, nil
}

// Release gives shards back that the node holds; their leases end now. Others
// are left alone.
func (s *Store) Release(ctx context.Context, node string, shards []int32) error {
	err := s.db.InTx(ctx, func(q sqldb.Querier) error { return s.releaseRows(ctx, q, node, shards, false) })
	if err != nil {
		return fmt.Errorf("release leases of node %s: %w", node, err)
	}
	return nil
}

// Leave releases all shards of the node and removes it.
func (s *Store) Leave(ctx context.Context, node string) error {
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		if err := s.releaseRows(ctx, q, node, nil, true); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_node WHERE name = ?"), node)
		return err
	})
	if err != nil {
		return fmt.Errorf("node %s leaves: %w", node, err)
	}
	return nil
}

func (s *Store) releaseRows(ctx context.Context, q sqldb.Querier, node string, shards []int32, all bool) error {
	text, args := "UPDATE xxljob_shard SET owner = NULL, "+
		"expires_ms = CASE WHEN expires_ms < {now} THEN expires_ms ELSE {now} END WHERE owner = ?", []any{node}
	if !all {
		cond, ids := s.db.In("shard_index", sqldb.SortedIDs(shards))
		text, args = text+" AND "+cond, append(args, ids...)
	}
	text, args = s.db.Timed(text, args...)
	_, err := q.ExecContext(ctx, text, args...)
	return err
}
