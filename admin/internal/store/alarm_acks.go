package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// Alarm returns an alarm on record, open or ended, or ErrNotFound.
func (s *Store) Alarm(ctx context.Context, id int64) (*model.AlarmRecord, error) {
	a, err := s.alarmRow(s.db.Reader().QueryRowContext(ctx,
		s.db.SQL("SELECT "+alarmColumns+alarmFrom+" WHERE id = ?"), id))
	if err != nil {
		return nil, fmt.Errorf("alarm %d: %w", id, notFound(err))
	}
	return a, nil
}

// AckAlarm notes that a user has acknowledged an open alarm: until it is raised
// again, or is taken back by UnackAlarm. It reports false for one that has ended.
func (s *Store) AckAlarm(ctx context.Context, id int64, user string, at time.Time) (acked bool, err error) {
	err = s.db.InTx(ctx, func(q sqldb.Querier) error {
		acked = false
		var raised int64
		err := q.QueryRowContext(ctx, s.db.SQL("SELECT raised FROM xxljob_alarm WHERE id = ? AND recovered_ms = 0"),
			id).Scan(&raised)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		acked = true
		_, err = q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_alarm_ack (alarm_id, ack_count, ack_ms, ack_by) "+
			"VALUES (?,?,?,?)"+s.db.Upsert("alarm_id", "ack_count", "ack_ms", "ack_by")),
			id, raised, at.UnixMilli(), cutRunes(user, auditName))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("acknowledge alarm %d: %w", id, err)
	}
	return acked, nil
}

// UnackAlarm takes an acknowledgement back. One that is not there is no error.
func (s *Store) UnackAlarm(ctx context.Context, id int64) error {
	if _, err := s.execCount(ctx, "DELETE FROM xxljob_alarm_ack WHERE alarm_id = ?", id); err != nil {
		return fmt.Errorf("acknowledgement of alarm %d: %w", id, err)
	}
	return nil
}
