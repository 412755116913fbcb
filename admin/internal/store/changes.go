package store

import (
	"context"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// changesKept is how many changes of one job or group are kept.
const changesKept = 100

const changeColumns = "id, at_ms, username, kind, object_id, action, before_json, after_json"

func (s *Store) changeRow(row sqldb.Scanner) (*model.Change, error) {
	var c model.Change
	var at int64
	err := row.Scan(&c.ID, &at, &c.User, &c.Kind, &c.ObjectID, &c.Action, scanText{&c.Before}, scanText{&c.After})
	c.At = s.instant(at)
	return &c, err
}

// AddChange writes a change and assigns its ID. The newest 100 of an object are
// kept. A name that is too long is cut; it returns ErrTooLong for other texts.
func (s *Store) AddChange(ctx context.Context, c *model.Change) error {
	var id int64
	err := checkChange(c)
	if err == nil {
		err = s.db.InTx(ctx, func(q sqldb.Querier) (err error) {
			id, err = s.addChange(ctx, q, c)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("change of %s %d: %w", c.Kind, c.ObjectID, err)
	}
	c.ID = id
	return nil
}

func checkChange(c *model.Change) error {
	return checkFields(
		field{name: "kind", value: c.Kind, max: 16}, field{name: "action", value: c.Action, max: 16},
		field{name: "state before", value: c.Before.S, max: maxMediumText, bytes: true},
		field{name: "state after", value: c.After.S, max: maxMediumText, bytes: true},
	)
}

// addChange writes a change and deletes those that are too many.
func (s *Store) addChange(ctx context.Context, q sqldb.Querier, c *model.Change) (int64, error) {
	id, err := s.db.InsertID(ctx, q, "INSERT INTO xxljob_change (at_ms, username, kind, object_id, action, "+
		"before_json, after_json) VALUES (?,?,?,?,?,?,?)", c.At.UnixMilli(), cutRunes(c.User, auditName), c.Kind,
		c.ObjectID, c.Action, textArg(c.Before), textArg(c.After))
	if err != nil {
		return 0, err
	}
	old, err := sqldb.SelectIDs[int64](ctx, q, s.db.SQL("SELECT id FROM xxljob_change WHERE kind = ? AND object_id = "+
		"? ORDER BY id DESC LIMIT ? OFFSET ?"), c.Kind, c.ObjectID, sqldb.IDBatch, changesKept)
	if err != nil || len(old) == 0 {
		return id, err
	}
	args := sqldb.Padded(old)
	_, err = q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_change WHERE id IN ("+sqldb.Marks(len(args))+")"), args...)
	return id, err
}

// Change returns a change, or ErrNotFound.
func (s *Store) Change(ctx context.Context, id int64) (*model.Change, error) {
	c, err := s.changeRow(s.db.Reader().QueryRowContext(ctx,
		s.db.SQL("SELECT "+changeColumns+" FROM xxljob_change WHERE id = ?"), id))
	if err != nil {
		return nil, fmt.Errorf("change %d: %w", id, notFound(err))
	}
	return c, nil
}

// Changes returns up to limit changes of a job or group, newest first: those
// before the change beforeID, or the newest where that is 0.
func (s *Store) Changes(
	ctx context.Context, kind string, objectID int32, limit int, beforeID int64,
) ([]*model.Change, error) {
	var w where
	w.add("kind = ?", kind)
	w.add("object_id = ?", objectID)
	if beforeID > 0 {
		w.add("id < ?", beforeID)
	}
	_, limit = page(0, limit)
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.changeRow, s.db.SQL("SELECT "+changeColumns+" FROM xxljob_change"+
		w.String()+" ORDER BY id DESC LIMIT ?"), append(w.args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("changes of %s %d: %w", kind, objectID, err)
	}
	return list, nil
}
