package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// Snapshot is what a database holds of groups, jobs and users, each in the order
// of ids. Users come without hashes from the database of a Java admin.
type Snapshot struct {
	Groups []*model.Group
	Jobs   []*model.Job
	Users  []*model.User
	Own    *Own // nil where there are no tables of ours
}

// Snapshot reads everything at one instant. Unlike the other methods it also
// works on the database of a Java admin that Migrate has not touched, and is
// empty for a database without tables.
func (s *Store) Snapshot(ctx context.Context) (*Snapshot, error) {
	snap := new(Snapshot)
	sc := s.probed()
	if sc.Generation == "" {
		return snap, nil
	}
	err := s.db.AtOnce(ctx, func(ctx context.Context, q sqldb.Querier) error {
		var err error
		if snap.Groups, err = sqldb.Collect(ctx, q, s.groupRow,
			s.db.Bind(exportGroups(&sc)+" ORDER BY g.id")); err != nil {
			return err
		}
		columns := jobColumns
		if !sc.timeZone {
			columns = strings.Replace(columns, "x_time_zone", "NULL", 1)
		}
		text := "SELECT " + columns + " FROM xxl_job_info ORDER BY id"
		if snap.Jobs, err = sqldb.Collect(ctx, q, s.jobRow, s.db.Bind(text)); err != nil {
			return err
		}
		if snap.Users, err = sqldb.Collect(ctx, q, exportedUser, exportUsers(&sc)); err != nil {
			return err
		}
		if sc.own["xxljob_group_role"] {
			if err := s.readRoles(ctx, q, snap.Users...); err != nil {
				return err
			}
		}
		if sc.ours {
			snap.Own, err = s.readOwn(ctx, q, &sc)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read groups, jobs and users: %w", err)
	}
	return snap, nil
}

// exportGroups is groupSelect for a schema that may lack our own tables.
func exportGroups(sc *schema) string {
	token, join := "NULL", ""
	switch {
	case sc.GroupToken:
		token = "g.access_token"
	case sc.ours:
		token, join = "t.access_token", " LEFT JOIN xxljob_group t ON t.group_id = g.id"
	}
	old := "NULL, NULL"
	if sc.own["xxljob_old_token"] {
		old, join = "o.access_token, o.until_ms", join+oldTokens
	}
	return "SELECT g.id, g.app_name, g.{group.title}, g.address_type, g.address_list, g.update_time, " + token +
		", " + old + " FROM xxl_job_group g" + join
}

// GlueAfter returns up to limit code versions of all jobs whose ids are above
// afterID, in the order of ids; also of a database that Migrate has not touched,
// where nobody knows who has saved them.
func (s *Store) GlueAfter(ctx context.Context, afterID int32, limit int) ([]*model.GlueVersion, error) {
	sc := s.probed()
	if sc.Generation == "" {
		return nil, nil
	}
	text := "SELECT " + glueColumns + " FROM xxl_job_logglue v " + glueUser + " WHERE v.id > ? ORDER BY v.id LIMIT ?"
	if !sc.own["xxljob_code_version"] {
		text = strings.NewReplacer("u.username, u.saved_ms", "NULL, NULL", glueUser, "").Replace(text)
	}
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.glueRow, s.db.SQL(text), afterID, limit)
	if err != nil {
		return nil, fmt.Errorf("code versions after %d: %w", afterID, err)
	}
	return list, nil
}

// LogsAfter returns up to limit log rows whose ids are above afterID and that
// were triggered at from or later, in the order of ids. more is false when there
// are no further ones; next is where to go on.
func (s *Store) LogsAfter(
	ctx context.Context, afterID int64, from time.Time, limit int,
) (list []*model.Log, next int64, more bool, err error) {
	if s.Info().Generation == "" {
		return nil, afterID, false, nil
	}
	// By id alone: a list by time and id would sort all rows again for each page.
	table := s.fromLog()
	if !s.probed().own["xxljob_log_end"] {
		table = " FROM xxl_job_log l LEFT JOIN " + noEnds + " e ON e.log_id = l.id"
	}
	read, err := sqldb.Collect(ctx, s.db.Reader(), s.logRow,
		s.db.SQL("SELECT "+logColumns+table+" WHERE l.id > ? ORDER BY l.id LIMIT ?"), afterID, limit)
	if err != nil {
		return nil, afterID, false, fmt.Errorf("logs after %d: %w", afterID, err)
	}
	next = afterID
	for _, l := range read {
		next = l.ID
		if !l.TriggerTime.Before(from) {
			list = append(list, l)
		}
	}
	return list, next, len(read) == limit, nil
}

// FirstLogAt returns an id below those of all log rows that were triggered at
// from or later, for LogsAfter; 0 when there are none.
func (s *Store) FirstLogAt(ctx context.Context, from time.Time) (int64, error) {
	if s.Info().Generation == "" {
		return 0, nil
	}
	var first sql.NullInt64
	err := s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT MIN(l.id) FROM xxl_job_log l WHERE l.trigger_time >= ?"),
		s.db.Wall(from)).Scan(&first)
	if err != nil || !first.Valid {
		return 0, err
	}
	return first.Int64 - 1, nil
}

// SettingsWith returns the settings whose names begin with prefix, none in a
// database without our tables.
func (s *Store) SettingsWith(ctx context.Context, prefix string) (map[string]string, error) {
	if !s.probed().settings {
		return nil, nil
	}
	found := make(map[string]string)
	_, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (struct{}, error) {
		var name, value string
		err := row.Scan(&name, &value)
		if strings.HasPrefix(name, prefix) {
			found[name] = value
		}
		return struct{}{}, err
	}, s.db.SQL("SELECT name, value FROM xxljob_setting"))
	if err != nil {
		return nil, fmt.Errorf("settings %s*: %w", prefix, err)
	}
	return found, nil
}
