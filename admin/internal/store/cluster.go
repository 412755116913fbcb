package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// NodeInfo is what a node says of itself.
type NodeInfo struct {
	Name   string
	SeenMs int64  // when it said so, by the clock of the database
	Info   string // as the node has written it
}

// SaveNodeInfo writes what a node says of itself over what it was.
func (s *Store) SaveNodeInfo(ctx context.Context, name, info string) error {
	err := checkFields(field{name: "name of the node", value: name, max: maxSettingName},
		field{name: "what a node says", value: info, max: maxText, bytes: true})
	if err == nil {
		err = s.db.InTx(ctx, func(q sqldb.Querier) error {
			text, args := s.db.Timed("INSERT INTO xxljob_node_info (name, seen_ms, info) VALUES (?, {now}, ?)"+
				s.db.Upsert("name", "seen_ms", "info"), name, info)
			_, err := q.ExecContext(ctx, text, args...)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("save what node %s says: %w", name, err)
	}
	return nil
}

// NodeInfos returns what nodes have said of themselves, by name.
func (s *Store) NodeInfos(ctx context.Context) ([]NodeInfo, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (NodeInfo, error) {
		var n NodeInfo
		err := row.Scan(&n.Name, &n.SeenMs, &n.Info)
		return n, err
	}, s.db.SQL("SELECT name, seen_ms, info FROM xxljob_node_info ORDER BY name"))
	if err != nil {
		return nil, fmt.Errorf("what nodes say: %w", err)
	}
	return list, nil
}

// ForgetNodeInfos deletes what nodes said that have not said anything for age.
func (s *Store) ForgetNodeInfos(ctx context.Context, age time.Duration) error {
	text, args := s.db.Timed("DELETE FROM xxljob_node_info WHERE seen_ms < {now} - " +
		strconv.FormatInt(age.Milliseconds(), 10))
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		_, err := q.ExecContext(ctx, text, args...)
		return err
	})
	if err != nil {
		return fmt.Errorf("forget what nodes said: %w", err)
	}
	return nil
}

// ShardLag returns how many started jobs are due since before an instant (Unix
// milliseconds) and not planned, by the shard that they belong to among shards.
// A shard without such jobs is left out.
func (s *Store) ShardLag(ctx context.Context, shards int32, beforeMs int64) ([]model.ShardLag, error) {
	shard := "id % " + strconv.Itoa(int(max(shards, 1)))
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (model.ShardLag, error) {
		var l model.ShardLag
		err := row.Scan(&l.Index, &l.Jobs, &l.SinceMs)
		return l, err
	}, s.db.Bind("SELECT "+shard+", COUNT(*), MIN(trigger_next_time) FROM xxl_job_info WHERE trigger_status = 1 "+
		"AND trigger_next_time > 0 AND trigger_next_time < ? GROUP BY "+shard+" ORDER BY 1"), beforeMs)
	if err != nil {
		return nil, fmt.Errorf("lag of shards: %w", err)
	}
	return list, nil
}

// TriggerHead is how the trigger message of a run begins.
type TriggerHead struct {
	LogID int64
	At    time.Time // zero when it is not known
	Text  string
}

// triggerHead is how many characters TriggerHeads returns of a message.
const triggerHead = 300

// TriggerHeads returns how the messages of the newest triggers begin, at most
// limit of them, newest first.
func (s *Store) TriggerHeads(ctx context.Context, limit int) ([]TriggerHead, error) {
	_, limit = page(0, limit)
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (TriggerHead, error) {
		var h TriggerHead
		err := row.Scan(&h.LogID, s.db.ScanTime(&h.At), scanString{&h.Text})
		return h, err
	}, s.db.Bind("SELECT id, trigger_time, SUBSTR(trigger_msg, 1, "+strconv.Itoa(triggerHead)+") FROM xxl_job_log "+
		"WHERE trigger_code <> 0 ORDER BY id DESC LIMIT ?"), limit)
	if err != nil {
		return nil, fmt.Errorf("newest triggers: %w", err)
	}
	return list, nil
}

// CountLogsToClear counts the log rows that a clearing names, those of open runs
// too, and stops at limit.
func (s *Store) CountLogsToClear(ctx context.Context, c model.LogClear, limit int) (int, error) {
	w, _, ok, err := s.clearQuery(ctx, c)
	if err != nil || !ok {
		return 0, err
	}
	return s.countUpTo(ctx, "SELECT l.id FROM xxl_job_log l"+w.String(), limit, w.args...)
}

// CountAudits counts the audit lines before an instant, and stops at limit.
func (s *Store) CountAudits(ctx context.Context, before time.Time, limit int) (int, error) {
	return s.countUpTo(ctx, "SELECT id FROM xxljob_audit WHERE at_ms < ?", limit, before.UnixMilli())
}

// countUpTo counts the rows of a query that selects ids.
func (s *Store) countUpTo(ctx context.Context, query string, limit int, args ...any) (int, error) {
	var n int
	err := s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT COUNT(*) FROM ("+query+" LIMIT ?) x"),
		append(args, limit)...).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count rows: %w", err)
	}
	return n, nil
}

// Migration returns the number of our newest migration that this database has.
func (s *Store) Migration(ctx context.Context) (int64, error) {
	var n int64
	err := s.db.Reader().QueryRowContext(ctx, "SELECT COALESCE(MAX(version_id), 0) FROM "+migrationTable).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("read the version of the schema: %w", err)
	}
	return n, nil
}
