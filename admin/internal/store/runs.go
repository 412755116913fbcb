package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// textMax is how many bytes a text column takes on every database.
const textMax = 65535

// logTable are the columns of a log row when its run is made. What Java writes
// after the trigger only is there from the start, so that an update of it is
// not needed.
var logTable = table{name: "xxl_job_log", key: "id", cols: []col{
	{name: "job_group", kind: kindInt}, {name: "job_id", kind: kindInt},
	{name: "executor_address", kind: kindText}, {name: "executor_handler", kind: kindText},
	{name: "executor_param", kind: kindText}, {name: "executor_sharding_param", kind: kindText},
	{name: "executor_fail_retry_count", kind: kindInt}, {name: "trigger_time", kind: kindTime},
	{name: "trigger_code", kind: kindInt}, {name: "handle_code", kind: kindInt},
}}

// logWithID is logTable where ids are fetched from the sequence first.
var logWithID = table{
	name: logTable.name, key: logTable.key, cols: append([]col{{name: "id", kind: kindInt}}, logTable.cols...),
}

// endedTable are the columns of a log row that is ended when it is made.
var endedTable = table{name: "xxl_job_log", key: "id", cols: append(logTable.cols[:10:10],
	col{name: "trigger_msg", kind: kindText}, col{name: "handle_time", kind: kindTime},
	col{name: "handle_msg", kind: kindText}, col{name: "alarm_status", kind: kindInt})}

// runTable are the columns of xxljob_run.
var runTable = table{name: "xxljob_run", key: "log_id", cols: []col{
	{name: "log_id", kind: kindInt}, {name: "job_id", kind: kindInt}, {name: "planned_ms", kind: kindInt},
	{name: "shard_index", kind: kindInt}, {name: "shard_total", kind: kindInt},
	{name: "trigger_ms", kind: kindInt}, {name: "type", kind: kindText}, {name: "token", kind: kindInt},
	{name: "sent_ms", kind: kindInt},
}}

// RefusedError says which runs the database refused because of their values.
// All others were stored. Each of these has a log row that says why, as a
// failed trigger, wherever even that was possible, and LogID 0.
type RefusedError struct {
	Runs []*model.Run
	Errs []error // of each
}

// Error implements error.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the database refuses %d runs, the first of job %d: %v", len(e.Runs), e.Runs[0].JobID, e.Errs[0])
}

// Unwrap makes errors.Is look at the database's own errors.
func (e *RefusedError) Unwrap() []error { return e.Errs }

func (e *RefusedError) add(run *model.Run, err error) {
	e.Runs, e.Errs = append(e.Runs, run), append(e.Errs, err)
}

// orNil is the error, or nil when nothing was refused.
func (e *RefusedError) orNil() error {
	if len(e.Runs) == 0 {
		return nil
	}
	return e
}

// CreateRuns stores runs that no schedule made, log rows included, in one
// transaction, and assigns their LogIDs. The error is a *RefusedError when the
// database refused some of them; the others are then stored. After any other
// error no run has a LogID, and after ErrUnknownOutcome they may be on record
// all the same: OpenRuns tells.
func (s *Store) CreateRuns(ctx context.Context, runs []*model.Run) error {
	if len(runs) == 0 {
		return nil
	}
	var refused RefusedError
	err := s.carefully(ctx, func(q querier, careful bool) error {
		refused = RefusedError{}
		c := s.creation(careful, &refused)
		if err := c.insert(ctx, q, runs); err != nil {
			return err
		}
		return c.days.save(ctx, s, q)
	})
	if err != nil {
		forgetIDs(runs)
		return fmt.Errorf("create runs: %w", err)
	}
	return refused.orNil()
}

// carefully runs a transaction as fast as it goes, and once more with each row
// looked at when the database refuses one.
func (s *Store) carefully(ctx context.Context, fn func(q querier, careful bool) error) error {
	err := s.inTx(ctx, func(q querier) error { return fn(q, false) })
	if err != nil && s.d.refusesRow(err) {
		err = s.inTx(ctx, func(q querier) error { return fn(q, true) })
	}
	return err
}

func forgetIDs(runs []*model.Run) {
	for _, r := range runs {
		r.LogID = 0
	}
}

// creation inserts runs in one attempt of a transaction.
type creation struct {
	s       *Store
	careful bool // rows may be refused: use savepoints, and look for duplicates first
	refused *RefusedError
	days    days
}

func (s *Store) creation(careful bool, refused *RefusedError) *creation {
	return &creation{s: s, careful: careful, refused: refused, days: make(days)}
}

// insert writes log rows and runs and assigns LogIDs. A run whose instant is on
// record already, or that the database refuses, keeps LogID 0 when careful;
// else that is an error.
func (c *creation) insert(ctx context.Context, q querier, runs []*model.Run) error {
	forgetIDs(runs)
	if !c.careful {
		if err := c.s.insertRuns(ctx, q, runs); err != nil {
			return err
		}
	} else if err := c.bisect(ctx, q, runs); err != nil {
		return err
	}
	for _, r := range runs {
		if r.LogID != 0 {
			c.days.move(c.s, r.TriggerMs, classNone, classRunning)
		}
	}
	return nil
}

// bisect inserts what can be inserted, halving what is refused.
func (c *creation) bisect(ctx context.Context, q querier, runs []*model.Run) error {
	if len(runs) == 0 {
		return nil
	}
	err := savepoint(ctx, q, func() error { return c.s.insertRuns(ctx, q, runs) })
	if err == nil || !c.s.d.refusesRow(err) {
		return err
	}
	forgetIDs(runs)
	if half := len(runs) / 2; half > 0 {
		if err := c.bisect(ctx, q, runs[:half]); err != nil {
			return err
		}
		return c.bisect(ctx, q, runs[half:])
	}
	if c.s.d.duplicate(err) {
		c.s.log.WarnContext(ctx, "run is on record already", slog.Int("job_id", int(runs[0].JobID)),
			slog.Int64("planned_ms", runs[0].PlannedMs))
		return nil
	}
	c.refused.add(runs[0], err)
	return c.note(ctx, q, runs[0], err)
}

// note leaves a record of a run that the database refused.
func (c *creation) note(ctx context.Context, q querier, r *model.Run, cause error) error {
	c.s.log.ErrorContext(ctx, "the database refuses a run", slog.Int("job_id", int(r.JobID)), slog.Any("err", cause))
	var list rows
	c.s.addEnded(&list, &model.Log{
		GroupID: r.GroupID, JobID: r.JobID, TriggerCode: model.CodeFail, AlarmStatus: model.AlarmNone,
		TriggerMsg: model.T("the database refuses this run: " + strings.ToValidUTF8(cause.Error(), "?")),
	}, c.s.wallMs(r.TriggerMs))
	err := savepoint(ctx, q, func() error { return c.s.insert(ctx, q, &endedTable, &list, nil) })
	if err != nil && c.s.d.refusesRow(err) {
		return nil // it is in our own log
	}
	if err == nil {
		c.days.move(c.s, r.TriggerMs, classNone, classFailed)
	}
	return err
}

// insertRuns writes the rows of all runs and assigns their LogIDs.
func (s *Store) insertRuns(ctx context.Context, q querier, runs []*model.Run) error {
	if len(runs) == 0 {
		return nil
	}
	if s.d.name == postgresName {
		if err := s.takeIDs(ctx, q, runs); err != nil {
			return err
		}
	}
	if err := s.insertLogs(ctx, q, runs); err != nil {
		return err
	}
	if outboxBroken {
		return nil
	}
	if outboxBroken {
		return nil
	}
	var list rows
	for _, r := range runs {
		list.add(s.runValues(r)...)
	}
	return s.insert(ctx, q, &runTable, &list, nil)
}

func (s *Store) runValues(r *model.Run) []any {
	var planned any
	if r.PlannedMs != 0 {
		planned = r.PlannedMs
	}
	total := int64(0)
	if r.Sharded {
		total = int64(r.ShardTotal)
	}
	return []any{
		r.LogID, int64(r.JobID), planned, int64(r.ShardIndex), total, r.TriggerMs, string(r.Type), r.Token, r.SentMs,
	}
}

// insertLogs writes the log rows of runs.
func (s *Store) insertLogs(ctx context.Context, q querier, runs []*model.Run) error {
	t, list := &logTable, rows{}
	if s.d.name == postgresName {
		t = &logWithID
	}
	clock := wallCache{s: s}
	for _, r := range runs {
		vals := []any{
			int64(r.GroupID), int64(r.JobID), s.cleanOrNil(r.Address), s.cleanText(r.Handler), s.cleanText(r.Param),
			textArg(r.ShardingParam()), int64(r.RetriesLeft), clock.at(r.TriggerMs), int64(0), int64(0),
		}
		if s.d.name == postgresName {
			vals = append([]any{r.LogID}, vals...)
		}
		list.add(vals...)
	}
	step := int64(1)
	if s.d.name == mysqlName {
		if err := q.QueryRowContext(ctx, "SELECT @@auto_increment_increment").Scan(&step); err != nil {
			return fmt.Errorf("read auto_increment_increment: %w", err)
		}
	}
	return s.insert(ctx, q, t, &list, func(from, to int, id int64) {
		switch s.d.name {
		case postgresName:
			return
		case sqliteName: // the last one, of ids without a hole
			id -= int64(to - from - 1)
		}
		for i := from; i < to; i++ {
			runs[i].LogID = id
			id += step
		}
	})
}

// takeIDs fetches the ids of log rows before they are inserted, for the order
// of RETURNING is not promised.
func (s *Store) takeIDs(ctx context.Context, q querier, runs []*model.Run) error {
	res, err := q.QueryContext(ctx, "SELECT nextval((SELECT pg_get_serial_sequence('xxl_job_log', "+
		"'id')::regclass)) FROM generate_series(1, $1)", len(runs))
	if err != nil {
		return err
	}
	defer res.Close()
	for i := 0; res.Next(); i++ {
		if err := res.Scan(&runs[i].LogID); err != nil {
			return err
		}
	}
	return res.Err()
}

// addEnded adds the values of a log row that is ended when it is made. at is
// its trigger_time.
func (s *Store) addEnded(list *rows, l *model.Log, at string) {
	list.add(int64(l.GroupID), int64(l.JobID), s.cleanText(l.Address), s.cleanText(l.Handler), s.cleanText(l.Param),
		s.cleanText(l.ShardingParam), int64(l.RetriesLeft), at, int64(l.TriggerCode), int64(l.HandleCode),
		s.cleanText(l.TriggerMsg), s.wallOrNil(l.HandleTime), s.cleanText(l.HandleMsg), int64(l.AlarmStatus))
}

// DeleteUnsent deletes the runs among logIDs that no executor has taken, with
// their log rows, and returns which ones these were. The caller knows that they
// were not sent: the database cannot.
func (s *Store) DeleteUnsent(ctx context.Context, logIDs []int64) (deleted []int64, err error) {
	if len(logIDs) == 0 {
		return nil, nil
	}
	err = s.inTx(ctx, func(q querier) error {
		deleted = nil
		counts := make(days)
		cond, args := s.in("l.id", sortedIDs(logIDs))
		res, err := q.QueryContext(ctx, s.bind("SELECT l.id, r.trigger_ms FROM xxl_job_log l "+
			"JOIN xxljob_run r ON r.log_id = l.id WHERE "+cond+" AND l.trigger_code = 0 AND l.handle_code = 0 "+
			"ORDER BY l.id"+s.d.lockOf("l")), args...)
		if err != nil {
			return err
		}
		defer res.Close()
		for res.Next() {
			var id, ms int64
			if err := res.Scan(&id, &ms); err != nil {
				return err
			}
			deleted = append(deleted, id)
			counts.move(s, ms, classRunning, classNone)
		}
		if err := errors.Join(res.Err(), res.Close()); err != nil || len(deleted) == 0 {
			return err
		}
		if err := s.deleteRows(ctx, q, "xxljob_run", "log_id", deleted); err != nil {
			return err
		}
		if err := s.deleteRows(ctx, q, "xxl_job_log", "id", deleted); err != nil {
			return err
		}
		return counts.save(ctx, s, q)
	})
	if err != nil {
		return nil, fmt.Errorf("delete unsent runs: %w", err)
	}
	return deleted, nil
}

// deleteRows deletes by key.
func (s *Store) deleteRows(ctx context.Context, q querier, table, key string, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	cond, args := s.in(key, ids)
	_, err := q.ExecContext(ctx, s.bind("DELETE FROM "+table+" WHERE "+cond), args...)
	return err
}

// SetAddress puts the address that was chosen for a run on record before it is
// sent there. A run that is no longer waiting to be sent is ErrNotFound.
func (s *Store) SetAddress(ctx context.Context, logID int64, address string) error {
	var n int64
	err := s.inTx(ctx, func(q querier) (err error) {
		n, err = affected(q.ExecContext(ctx, s.sql("UPDATE xxl_job_log SET executor_address = ? "+
			"WHERE id = ? AND trigger_code = 0 AND handle_code = 0"), s.cleanOrNil(address), logID))
		return err
	})
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("address of run %d: %w", logID, err)
	}
	return nil
}

// SetRunAddresses is SetAddress for many runs in one transaction; those that
// are no longer waiting to be sent are left alone.
func (s *Store) SetRunAddresses(ctx context.Context, addresses map[int64]string) error {
	ids := make([]int64, 0, len(addresses))
	for id := range addresses {
		ids = append(ids, id)
	}
	ids = sortedIDs(ids)
	var list rows
	for _, id := range ids {
		list.add(s.cleanOrNil(addresses[id]), int64(0), int64(0))
	}
	err := s.inTx(ctx, func(q querier) error {
		_, err := s.update(ctx, q, &addressTable, ids, &list)
		return err
	})
	if err != nil {
		return fmt.Errorf("addresses of %d runs: %w", len(ids), err)
	}
	return nil
}

var addressTable = table{name: "xxl_job_log", key: "id", cols: []col{
	{name: "executor_address", kind: kindText},
	{name: "trigger_code", kind: kindInt, op: opGuard}, {name: "handle_code", kind: kindInt, op: opGuard},
}}

// cleanText is the argument for a text column: what no database takes is
// replaced, and what is longer than a text column is cut. Widths of varchar
// columns are the database's to refuse.
func (s *Store) cleanText(t model.Text) any {
	if !t.Valid {
		return nil
	}
	return plainText(t.S)
}

func (s *Store) cleanOrNil(t string) any {
	if t == "" {
		return nil
	}
	return plainText(t)
}

// plainText makes valid UTF-8 without NUL of at most textMax bytes.
func plainText(t string) string {
	if len(t) > textMax {
		t = t[:textMax]
		for i := 0; i < utf8.UTFMax && len(t) > 0; i++ { // drop a rune that was cut
			if r, size := utf8.DecodeLastRuneInString(t); r != utf8.RuneError || size != 1 {
				break
			}
			t = t[:len(t)-1]
		}
	}
	if !utf8.ValidString(t) {
		t = strings.ToValidUTF8(t, "?")
	}
	if strings.IndexByte(t, 0) >= 0 {
		t = strings.ReplaceAll(t, "\x00", "?")
	}
	return t
}
