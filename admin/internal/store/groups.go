package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// groupSelect selects the columns of groupRow. The token lies in the group's
// row where the Java admin has a column for it, else in our own table.
func (s *Store) groupSelect() string {
	if s.Info().GroupToken {
		return "SELECT g.id, g.app_name, g.{group.title}, g.address_type, g.address_list, g.update_time, " +
			"g.access_token, o.access_token, o.until_ms FROM xxl_job_group g" + oldTokens
	}
	return "SELECT g.id, g.app_name, g.{group.title}, g.address_type, g.address_list, g.update_time, " +
		"t.access_token, o.access_token, o.until_ms FROM xxl_job_group g " +
		"LEFT JOIN xxljob_group t ON t.group_id = g.id" + oldTokens
}

const oldTokens = " LEFT JOIN xxljob_old_token o ON o.group_id = g.id"

const groupOrder = " ORDER BY g.app_name, g.{group.title}, g.id"

func (s *Store) groupRow(row sqldb.Scanner) (*model.Group, error) {
	var g model.Group
	var kind int
	var old model.Text
	var until sql.NullInt64
	err := row.Scan(&g.ID, &g.AppName, &g.Title, &kind, scanText{&g.AddressList}, s.db.ScanTime(&g.UpdateTime),
		scanString{&g.AccessToken}, scanText{&old}, &until)
	g.Manual = kind == 1
	if old.Valid {
		g.Old = &model.OldToken{Token: old.S}
		if until.Int64 != 0 {
			g.Old.Until = time.UnixMilli(until.Int64)
		}
	}
	return &g, err
}

func (s *Store) checkGroup(g *model.Group) error {
	return checkFields(
		field{name: "app name", value: g.AppName, max: maxAppName},
		field{name: "title", value: g.Title, max: s.Info().TitleMax},
		addressListField(g.AddressList),
		field{name: "access token", value: g.AccessToken, max: maxToken},
	)
}

func addressListField(list model.Text) field {
	return field{name: "address list", value: list.S, max: maxText, bytes: true}
}

// CreateGroup inserts a group and assigns its ID. It returns ErrDuplicate where
// the schema forbids a second group of one app name, and ErrTooLong for a text
// that does not fit.
func (s *Store) CreateGroup(ctx context.Context, g *model.Group) error {
	if err := s.checkGroup(g); err != nil {
		return fmt.Errorf("create group: %w", err)
	}
	var id int32
	err := s.db.InTx(ctx, func(q sqldb.Querier) (err error) {
		if id, err = s.insertGroup(ctx, q, g); err != nil {
			return s.dupError(err)
		}
		// SQLite may give out the id of a group that is gone.
		_, err = q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_group_role WHERE group_id = ?"), id)
		return err
	})
	if err != nil {
		return fmt.Errorf("create group %s: %w", g.AppName, err)
	}
	g.ID = id
	return nil
}

func (s *Store) insertGroup(ctx context.Context, q sqldb.Querier, g *model.Group) (int32, error) {
	id, err := s.db.InsertID(ctx, q, "INSERT INTO xxl_job_group (app_name, {group.title}, address_type, address_list, "+
		"update_time) VALUES (?,?,?,?,?)",
		g.AppName, g.Title, bit(g.Manual), textArg(g.AddressList), s.db.Wall(g.UpdateTime))
	if err != nil {
		return 0, err
	}
	return int32(id), s.setGroupToken(ctx, q, int32(id), g.AccessToken) //nolint:gosec // the column is 32 bits wide
}

// dupError makes ErrDuplicate of the database's own error.
func (s *Store) dupError(err error) error {
	if err != nil && s.db.Duplicate(err) {
		return ErrDuplicate
	}
	return err
}

func (s *Store) setGroupToken(ctx context.Context, q sqldb.Querier, id int32, token string) error {
	if s.Info().GroupToken {
		_, err := q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_group SET access_token = ? WHERE id = ?"),
			orNull(token), id)
		return err
	}
	if token == "" {
		_, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_group WHERE group_id = ?"), id)
		return err
	}
	_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_group (group_id, access_token) VALUES (?,?)"+
		s.db.Upsert("group_id", "access_token")), id, token)
	return err
}

// SetGroupToken gives a group another token, at that time. old is what counts
// beside it from then on, in the place of what did so before; nil is nothing. It
// returns ErrNotFound and ErrTooLong.
func (s *Store) SetGroupToken(
	ctx context.Context, id int32, token string, old *model.OldToken, at time.Time,
) error {
	fields := []field{{name: "access token", value: token, max: maxToken}}
	if old != nil {
		fields = append(fields, field{name: "old access token", value: old.Token, max: maxToken})
	}
	if err := checkFields(fields...); err != nil {
		return fmt.Errorf("token of group %d: %w", id, err)
	}
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		res, err := q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_group SET update_time = ? WHERE id = ?"),
			s.db.Wall(at), id)
		if err := oneRow(res, err); err != nil {
			return err
		}
		if err := s.setGroupToken(ctx, q, id, token); err != nil {
			return err
		}
		if old == nil {
			return s.endOldToken(ctx, q, id)
		}
		return s.setOldToken(ctx, q, id, old)
	})
	if err != nil {
		return fmt.Errorf("token of group %d: %w", id, err)
	}
	return nil
}

// EndOldToken ends the old token of a group. That there is none is no error.
func (s *Store) EndOldToken(ctx context.Context, id int32) error {
	err := s.db.InTx(ctx, func(q sqldb.Querier) error { return s.endOldToken(ctx, q, id) })
	if err != nil {
		return fmt.Errorf("old token of group %d: %w", id, err)
	}
	return nil
}

func (s *Store) endOldToken(ctx context.Context, q sqldb.Querier, id int32) error {
	_, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_old_token WHERE group_id = ?"), id)
	return err
}

// UpdateGroup writes all fields of a group, its access token included. It
// returns ErrNotFound, ErrDuplicate and ErrTooLong as CreateGroup does.
func (s *Store) UpdateGroup(ctx context.Context, g *model.Group) error {
	if err := s.checkGroup(g); err != nil {
		return fmt.Errorf("update group %d: %w", g.ID, err)
	}
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		res, err := q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_group SET app_name = ?, {group.title} = ?, "+
			"address_type = ?, address_list = ?, update_time = ? WHERE id = ?"),
			g.AppName, g.Title, bit(g.Manual), textArg(g.AddressList), s.db.Wall(g.UpdateTime), g.ID)
		if err := oneRow(res, s.dupError(err)); err != nil {
			return err
		}
		return s.setGroupToken(ctx, q, g.ID, g.AccessToken)
	})
	if err != nil {
		return fmt.Errorf("update group %d: %w", g.ID, err)
	}
	return nil
}

// DeleteGroup deletes a group with its token, and the heartbeats of its app
// name unless another group has the same. A group that does not exist is no
// error. Its jobs are not looked at.
func (s *Store) DeleteGroup(ctx context.Context, id int32) error {
	return s.deleteGroup(ctx, id, func(context.Context, sqldb.Querier) error { return nil })
}

// deleteGroup is DeleteGroup with something that is done before in the same
// transaction.
func (s *Store) deleteGroup(ctx context.Context, id int32, first func(ctx context.Context,
	q sqldb.Querier) error,
) error {
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		if err := first(ctx, q); err != nil {
			return err
		}
		beats, err := sqldb.SelectIDs[int64](ctx, q, s.db.SQL("SELECT r.id FROM xxl_job_group g "+
			"JOIN xxl_job_registry r ON r.registry_group = 'EXECUTOR' AND r.registry_key = g.app_name "+
			"WHERE g.id = ? AND NOT EXISTS "+
			"(SELECT 1 FROM xxl_job_group o WHERE o.app_name = g.app_name AND o.id <> g.id) ORDER BY r.id"), id)
		if err != nil {
			return err
		}
		if err := s.deleteBeats(ctx, q, beats); err != nil {
			return err
		}
		if _, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxl_job_group WHERE id = ?"), id); err != nil {
			return err
		}
		if err := s.endOldToken(ctx, q, id); err != nil {
			return err
		}
		_, err = q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_group WHERE group_id = ?"), id)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete group %d: %w", id, err)
	}
	return nil
}

// Group returns a group, or ErrNotFound.
func (s *Store) Group(ctx context.Context, id int32) (*model.Group, error) {
	g, err := s.groupRow(s.db.Reader().QueryRowContext(ctx, s.db.SQL(s.groupSelect()+" WHERE g.id = ?"), id))
	if err != nil {
		return nil, fmt.Errorf("group %d: %w", id, notFound(err))
	}
	return g, nil
}

// AllGroups returns every group, in the order of the list.
func (s *Store) AllGroups(ctx context.Context) ([]*model.Group, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.groupRow, s.db.SQL(s.groupSelect()+groupOrder))
	if err != nil {
		return nil, fmt.Errorf("all groups: %w", err)
	}
	return list, nil
}

// Groups returns a page of the groups that match, by app name, title and id,
// and how many match in all.
func (s *Store) Groups(ctx context.Context, f model.GroupFilter) ([]*model.Group, int, error) {
	var w where
	w.like("g.app_name", f.AppName)
	w.like("g.{group.title}", f.Title)
	var total int
	row := s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT COUNT(*) FROM xxl_job_group g"+w.String()), w.args...)
	if err := row.Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("list groups: count: %w", err)
	}
	offset, limit := page(f.Offset, f.Limit)
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.groupRow,
		s.db.SQL(s.groupSelect()+w.String()+groupOrder+" LIMIT ? OFFSET ?"), append(w.args, limit, offset)...)
	if err != nil {
		return nil, 0, fmt.Errorf("list groups: %w", err)
	}
	return list, total, nil
}
