package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// SetTags makes these the tags of a job. Repeats do not matter; it returns
// ErrTooLong for a tag of more than 64 characters.
func (s *Store) SetTags(ctx context.Context, jobID int32, tags []string) error {
	for _, tag := range tags {
		if err := checkFields(field{name: "tag", value: tag, max: maxTag}); err != nil {
			return fmt.Errorf("tags of job %d: %w", jobID, err)
		}
	}
	err := s.db.InTx(ctx, func(q sqldb.Querier) error { return s.setTags(ctx, q, jobID, tags) })
	if err != nil {
		return fmt.Errorf("tags of job %d: %w", jobID, err)
	}
	return nil
}

func (s *Store) setTags(ctx context.Context, q sqldb.Querier, jobID int32, tags []string) error {
	if _, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_tag WHERE job_id = ?"), jobID); err != nil {
		return err
	}
	for _, tag := range slices.Compact(slices.Sorted(slices.Values(tags))) {
		_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_tag (job_id, tag) VALUES (?,?)"), jobID, tag)
		if err != nil {
			return err
		}
	}
	return nil
}

// Tags returns the tags of jobs by job, in alphabetical order; a job without
// one is not among them.
func (s *Store) Tags(ctx context.Context, jobIDs []int32) (map[int32][]string, error) {
	type row struct {
		job int32
		tag string
	}
	tags := make(map[int32][]string)
	for chunk := range slices.Chunk(jobIDs, sqldb.IDBatch) {
		args := sqldb.Padded(chunk)
		list, err := sqldb.Collect(ctx, s.db.Reader(), func(r sqldb.Scanner) (row, error) {
			var v row
			err := r.Scan(&v.job, &v.tag)
			return v, err
		}, s.db.SQL("SELECT job_id, tag FROM xxljob_tag WHERE job_id IN ("+sqldb.Marks(len(args))+")"), args...)
		if err != nil {
			return nil, fmt.Errorf("tags: %w", err)
		}
		for _, v := range list {
			tags[v.job] = append(tags[v.job], v.tag)
		}
	}
	for _, list := range tags {
		slices.Sort(list)
	}
	return tags, nil
}

// SetMute keeps a job or group from raising alarms until then, whatever was
// said before.
func (s *Store) SetMute(ctx context.Context, m model.Mute) error {
	err := checkFields(field{name: "kind", value: m.Kind, max: 16},
		field{name: "reason", value: m.Reason, max: maxReason})
	if err == nil {
		err = s.db.InTx(ctx, func(q sqldb.Querier) error { return s.setMute(ctx, q, m) })
	}
	if err != nil {
		return fmt.Errorf("mute %s %d: %w", m.Kind, m.ObjectID, err)
	}
	return nil
}

func (s *Store) setMute(ctx context.Context, q sqldb.Querier, m model.Mute) error {
	_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_mute (kind, object_id, until_ms, username, "+
		"reason) VALUES (?,?,?,?,?)"+s.db.Upsert("kind, object_id", "until_ms", "username", "reason")),
		m.Kind, m.ObjectID, m.Until.UnixMilli(), cutRunes(m.User, auditName), m.Reason)
	return err
}

const muteSelect = "SELECT kind, object_id, until_ms, username, reason FROM xxljob_mute"

func (s *Store) muteRow(row sqldb.Scanner) (model.Mute, error) {
	var m model.Mute
	var until int64
	err := row.Scan(&m.Kind, &m.ObjectID, &until, &m.User, &m.Reason)
	m.Until = s.instant(until)
	return m, err
}

// Mutes returns what raises no alarms at now.
func (s *Store) Mutes(ctx context.Context, now time.Time) ([]model.Mute, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.muteRow,
		s.db.SQL(muteSelect+" WHERE until_ms > ? ORDER BY kind, object_id"), now.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("mutes: %w", err)
	}
	return list, nil
}

// DeleteMute lets a job or group raise alarms again. One that does is no error.
func (s *Store) DeleteMute(ctx context.Context, kind string, objectID int32) error {
	_, err := s.execCount(ctx, "DELETE FROM xxljob_mute WHERE kind = ? AND object_id = ?", kind, objectID)
	if err != nil {
		return fmt.Errorf("mute %s %d: %w", kind, objectID, err)
	}
	return nil
}

// SaveView keeps a filter under its name, over what was there.
func (s *Store) SaveView(ctx context.Context, v model.View) error {
	err := checkFields(field{name: "page", value: v.Page, max: 32}, field{name: "name", value: v.Name, max: maxTag},
		field{name: "query", value: v.Query, max: maxText, bytes: true})
	if err == nil {
		err = s.db.InTx(ctx, func(q sqldb.Querier) error { return s.saveView(ctx, q, v) })
	}
	if err != nil {
		return fmt.Errorf("save view: %w", err)
	}
	return nil
}

func (s *Store) saveView(ctx context.Context, q sqldb.Querier, v model.View) error {
	_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_view (user_id, page, name, query) VALUES (?,?,?,?)"+
		s.db.Upsert("user_id, page, name", "query")), v.UserID, v.Page, v.Name, v.Query)
	return err
}

const viewSelect = "SELECT user_id, page, name, query FROM xxljob_view"

func viewRow(row sqldb.Scanner) (model.View, error) {
	var v model.View
	err := row.Scan(&v.UserID, &v.Page, &v.Name, &v.Query)
	return v, err
}

// Views returns the filters of a page that a user has saved, by name.
func (s *Store) Views(ctx context.Context, userID int32, page string) ([]model.View, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), viewRow,
		s.db.SQL(viewSelect+" WHERE user_id = ? AND page = ? ORDER BY name"), userID, page)
	if err != nil {
		return nil, fmt.Errorf("views: %w", err)
	}
	return list, nil
}

// DeleteView forgets a filter. One that is not there is no error.
func (s *Store) DeleteView(ctx context.Context, v model.View) error {
	_, err := s.execCount(ctx, "DELETE FROM xxljob_view WHERE user_id = ? AND page = ? AND name = ?",
		v.UserID, v.Page, v.Name)
	if err != nil {
		return fmt.Errorf("delete view: %w", err)
	}
	return nil
}
