package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

const (
	alarmMessage = 2000 // characters that are kept of a message
	alarmError   = 500  // and of an error
	alarmChannel = 64
)

// An alarm is acknowledged until it is raised again.
const (
	alarmColumns = "id, what, kind, object_id, group_id, first_ms, last_ms, recovered_ms, raised, muted, " +
		"log_id, message, CASE WHEN ack_count = raised THEN ack_ms ELSE 0 END AS acked_ms, " +
		"CASE WHEN ack_count = raised THEN ack_by ELSE '' END AS acked_by"
	alarmFrom = " FROM xxljob_alarm LEFT JOIN xxljob_alarm_ack ON alarm_id = id"
)

// The orders of alarms: those that are open are few, those that have ended need
// an index.
var (
	openAlarmOrders = map[string]orderBy{
		model.OrderFirst: {}, model.OrderLast: {expr: "last_ms"}, model.OrderCount: {expr: "raised"},
	}
	endedAlarmOrders = map[string]orderBy{model.OrderFirst: {}, model.OrderEnded: {expr: "recovered_ms"}}
)

func (s *Store) alarmRow(row sqldb.Scanner) (*model.AlarmRecord, error) {
	var a model.AlarmRecord
	var first, last, recovered, acked int64
	err := row.Scan(&a.ID, &a.What, &a.Kind, &a.ObjectID, &a.GroupID, &first, &last, &recovered, &a.Count, &a.Muted,
		&a.LogID, &a.Message, &acked, &a.AckedBy)
	a.First, a.Last, a.Recovered = s.instant(first), s.instant(last), s.instantOrZero(recovered)
	a.Acked = s.instantOrZero(acked)
	return &a, err
}

// kept is a text as it fits into a column of limit characters: what no database
// keeps is left out.
func kept(text string, limit int) string {
	return cutRunes(strings.ReplaceAll(strings.ToValidUTF8(text, "�"), "\x00", ""), limit)
}

// RaiseAlarms counts alarms in the open one of their key, or opens one. Of each
// ID, First and Recovered are not read; Count and Muted are added. All of them
// are stored, or none.
func (s *Store) RaiseAlarms(ctx context.Context, list []model.AlarmRecord) error {
	// Always in the same order, so that nodes do not wait for one another.
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b model.AlarmRecord) int {
		return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ObjectID, b.ObjectID))
	})
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		for i := range list {
			if err := s.raise(ctx, q, &list[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("raise alarms: %w", err)
	}
	return nil
}

func (s *Store) raise(ctx context.Context, q sqldb.Querier, a *model.AlarmRecord) error {
	at, message := a.Last.UnixMilli(), kept(a.Message, alarmMessage)
	_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_alarm (what, kind, object_id, group_id, first_ms, "+
		"last_ms, recovered_ms, raised, muted, log_id, message) VALUES (?,?,?,?,?,?,0,0,0,?,?)"+
		s.db.Upsert("what, kind, object_id, recovered_ms")),
		string(a.What), a.Kind, a.ObjectID, a.GroupID, at, at, a.LogID, message)
	if err != nil {
		return err
	}
	_, err = q.ExecContext(ctx, s.db.SQL("UPDATE xxljob_alarm SET group_id = ?, last_ms = ?, raised = raised + ?, "+
		"muted = muted + ?, log_id = ?, message = ? WHERE what = ? AND kind = ? AND object_id = ? "+
		"AND recovered_ms = 0"),
		a.GroupID, at, a.Count, a.Muted, a.LogID, message, string(a.What), a.Kind, a.ObjectID)
	return err
}

// Alarms returns alarms on record, newest first unless f.Order says otherwise:
// open ones by OrderFirst, OrderLast or OrderCount, ended ones by OrderFirst or
// OrderEnded.
func (s *Store) Alarms(ctx context.Context, f model.AlarmFilter) ([]*model.AlarmRecord, error) {
	var w where
	if !w.groups("group_id", 0, f.GroupIDs) {
		return nil, nil
	}
	w.alarms(&f)
	_, limit := page(0, f.Limit)
	orders := openAlarmOrders
	if f.Ended {
		orders = endedAlarmOrders
	}
	order := w.ordered(f.Order, orders, "id", false)
	query, args := alarmQuery(&f, w, limit)
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.alarmRow, s.db.SQL(query+" ORDER BY "+order+" LIMIT ?"),
		append(args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("alarms: %w", err)
	}
	return list, nil
}

// alarms adds the conditions that no index is for, or that need none.
func (w *where) alarms(f *model.AlarmFilter) {
	if f.BeforeID > 0 || f.Order.By != model.OrderEnded { // so that the list goes by its ids
		w.add("id < ?", cmp.Or(f.BeforeID, math.MaxInt64))
	}
	if f.What != "" {
		w.add("LOWER(what) = ?", string(f.What)) // not by an index, which would have them in another order
	}
	if !f.From.IsZero() && f.Ended {
		w.add("recovered_ms + 0 >= ?", f.From.UnixMilli())
	}
	if !f.To.IsZero() {
		w.add("first_ms < ?", f.To.UnixMilli())
	}
	switch {
	case f.Acked == nil:
	case *f.Acked:
		w.add("ack_count = raised")
	default:
		w.add("(ack_count IS NULL OR ack_count <> raised)")
	}
}

// alarmQuery selects alarms with the conditions of w so that no more rows are
// looked at than needed, but for their order and number.
func alarmQuery(f *model.AlarmFilter, w where, limit int) (query string, args []any) {
	const from = "SELECT " + alarmColumns + alarmFrom
	switch {
	case f.Kind == "" && f.Ended && f.Order.By == model.OrderEnded:
		w.add("recovered_ms > 0")
	case f.Kind == "" && f.Ended:
		w.add("recovered_ms + 0 > 0") // nearly all: by id, and not by an index that has them in another order
	case f.Kind == "":
		w.add("recovered_ms = 0")
	case !f.Ended:
		w.add("recovered_ms = 0 AND kind = ? AND object_id = ?", f.Kind, f.ObjectID)
		w.add("what IN (?,?,?,?)", alarmWhats()...) // for the index, which begins with it
	default:
		// One key has one alarm at a time: by when they ended is by id.
		direction := "DESC"
		if f.Order.By != "" && f.Order.Ascending {
			direction = "ASC"
		}
		var parts []string
		for i, what := range alarmWhats() {
			part := where{conds: slices.Clone(w.conds), args: slices.Clone(w.args)}
			part.add("what = ? AND kind = ? AND object_id = ? AND recovered_ms > 0", what, f.Kind, f.ObjectID)
			parts = append(parts, fmt.Sprintf("SELECT * FROM (%s%s ORDER BY recovered_ms %s LIMIT ?) AS a%d",
				from, part.String(), direction, i))
			args = append(append(args, part.args...), limit)
		}
		return strings.Join(parts, " UNION ALL "), args
	}
	return from + w.String(), w.args
}

// alarmWhats are the arguments for everything that an alarm may be about.
func alarmWhats() []any {
	list := []any{string(model.AlarmOnFailure)}
	for _, what := range model.AlarmRules() {
		list = append(list, string(what))
	}
	return list
}

// CountEndedAlarms counts the alarms that ended before then, and stops at limit.
func (s *Store) CountEndedAlarms(ctx context.Context, before time.Time, limit int) (int, error) {
	return s.countUpTo(ctx, "SELECT id FROM xxljob_alarm WHERE recovered_ms > 0 AND recovered_ms < ?", limit,
		before.UnixMilli())
}

// EndAlarm ends an open alarm. It reports false for one that has ended already.
func (s *Store) EndAlarm(ctx context.Context, id int64, at time.Time) (ended bool, err error) {
	n, err := s.execCount(ctx, "UPDATE xxljob_alarm SET recovered_ms = ? WHERE id = ? AND recovered_ms = 0",
		max(at.UnixMilli(), 1), id)
	if s.db.Duplicate(err) { // another one of the key has ended in the same millisecond
		return s.EndAlarm(ctx, id, at.Add(time.Millisecond))
	}
	if err != nil {
		return false, fmt.Errorf("end alarm %d: %w", id, err)
	}
	return n > 0, nil
}

// ExpireAlarms deletes alarms that ended before then, at most limit, with their
// deliveries, and returns how many; fewer than limit means that none is left.
func (s *Store) ExpireAlarms(ctx context.Context, before time.Time, limit int) (int, error) {
	total := 0
	for total < limit {
		most := min(limit-total, sqldb.IDBatch)
		n, err := s.expireAlarms(ctx, before, most)
		total += n
		if err != nil {
			return total, fmt.Errorf("expire alarms: %w", err)
		}
		if n < most {
			break
		}
	}
	return total, nil
}

func (s *Store) expireAlarms(ctx context.Context, before time.Time, limit int) (int, error) {
	ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(), s.db.SQL("SELECT id FROM xxljob_alarm WHERE recovered_ms "+
		"> 0 AND recovered_ms < ? ORDER BY recovered_ms LIMIT ?"), before.UnixMilli(), limit)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	args := sqldb.Padded(ids)
	err = s.db.InTx(ctx, func(q sqldb.Querier) error {
		in := " IN (" + sqldb.Marks(len(args)) + ")"
		for _, from := range []string{
			"xxljob_alarm_delivery WHERE alarm_id", "xxljob_alarm_ack WHERE alarm_id",
			"xxljob_alarm WHERE id",
		} {
			if _, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM "+from+in), args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return len(ids), nil
}

// SaveDelivery stores what became of the newest alarm of the key in a channel,
// or of a test for the zero key. An alarm that is gone is no error.
func (s *Store) SaveDelivery(ctx context.Context, k model.AlarmKey, d model.AlarmDelivery) error {
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		var id int64
		if k != (model.AlarmKey{}) {
			err := q.QueryRowContext(ctx, s.db.SQL("SELECT id FROM xxljob_alarm WHERE what = ? AND kind = ? "+
				"AND object_id = ? ORDER BY id DESC LIMIT 1"), string(k.What), k.Kind, k.ObjectID).Scan(&id)
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			if err != nil {
				return err
			}
		}
		_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_alarm_delivery (alarm_id, channel, at_ms, error) "+
			"VALUES (?,?,?,?)"+s.db.Upsert("alarm_id, channel", "at_ms", "error")),
			id, kept(d.Channel, alarmChannel), d.At.UnixMilli(), kept(d.Error, alarmError))
		return err
	})
	if err != nil {
		return fmt.Errorf("delivery of an alarm: %w", err)
	}
	return nil
}

const deliverySelect = "SELECT alarm_id, channel, at_ms, error FROM xxljob_alarm_delivery "

func (s *Store) deliveryRow(row sqldb.Scanner) (model.AlarmDelivery, error) {
	var d model.AlarmDelivery
	var at int64
	err := row.Scan(&d.AlarmID, &d.Channel, &at, &d.Error)
	d.At = s.instant(at)
	return d, err
}

// Deliveries returns what became of alarms in the channels, by alarm and then by
// the name of the channel.
func (s *Store) Deliveries(ctx context.Context, alarmIDs []int64) (map[int64][]model.AlarmDelivery, error) {
	found := make(map[int64][]model.AlarmDelivery)
	for chunk := range slices.Chunk(alarmIDs, sqldb.IDBatch) {
		args := sqldb.Padded(chunk)
		list, err := sqldb.Collect(ctx, s.db.Reader(), s.deliveryRow,
			s.db.SQL(deliverySelect+"WHERE alarm_id IN ("+sqldb.Marks(len(args))+") ORDER BY alarm_id, channel"),
			args...)
		if err != nil {
			return nil, fmt.Errorf("deliveries of alarms: %w", err)
		}
		for _, d := range list {
			found[d.AlarmID] = append(found[d.AlarmID], d)
		}
	}
	return found, nil
}

// LastDelivery returns what last happened in a channel, tests included, or nil.
func (s *Store) LastDelivery(ctx context.Context, channel string) (*model.AlarmDelivery, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.deliveryRow,
		s.db.SQL(deliverySelect+"WHERE channel = ? ORDER BY at_ms DESC LIMIT 1"), channel)
	if err != nil {
		return nil, fmt.Errorf("last delivery of a channel: %w", err)
	}
	if len(list) == 0 {
		return nil, nil //nolint:nilnil // said so above
	}
	return &list[0], nil
}
