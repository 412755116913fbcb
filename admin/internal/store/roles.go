package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// roleRow is a row of xxljob_group_role.
type roleRow struct {
	user, group int32
	role        model.Role
}

// readRoles reads User.Own of users, which are in the order of their ids.
func (s *Store) readRoles(ctx context.Context, q sqldb.Querier, users ...*model.User) error {
	if len(users) == 0 {
		return nil
	}
	byID := make(map[int32]*model.User, len(users))
	for _, u := range users {
		byID[u.ID] = u
	}
	_, err := sqldb.Collect(ctx, q, func(row sqldb.Scanner) (struct{}, error) {
		r, err := scanRole(row)
		if u := byID[r.user]; err == nil && u != nil && r.role != model.RoleNone {
			if u.Own == nil {
				u.Own = make(map[int32]model.Role)
			}
			u.Own[r.group] = r.role
		}
		return struct{}{}, err
	}, s.db.SQL("SELECT user_id, group_id, role FROM xxljob_group_role WHERE user_id >= ? AND user_id <= ?"),
		users[0].ID, users[len(users)-1].ID)
	if err != nil {
		return fmt.Errorf("read roles: %w", err)
	}
	return nil
}

// scanRole reads a row; a role that a later release knows is none here.
func scanRole(row sqldb.Scanner) (roleRow, error) {
	var r roleRow
	var name string
	err := row.Scan(&r.user, &r.group, &name)
	r.role, _ = model.ParseRole(name)
	return r, err
}

// lockUser keeps others from writing the row of a user until the transaction
// ends. It returns ErrNotFound.
func (s *Store) lockUser(ctx context.Context, q sqldb.Querier, id int32) error {
	var found int
	row := q.QueryRowContext(ctx, s.db.SQL("SELECT 1 FROM xxl_job_user WHERE id = ?{lock}"), id)
	return notFound(row.Scan(&found))
}

// setRoles writes User.Own.
func (s *Store) setRoles(ctx context.Context, q sqldb.Querier, id int32, own map[int32]model.Role) error {
	_, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_group_role WHERE user_id = ?"), id)
	for group, role := range own {
		if err != nil {
			return err
		}
		_, err = q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_group_role (user_id, group_id, role) VALUES (?,?,?)"),
			id, group, role.String())
	}
	return err
}

// SetRole gives a user a role in a group, or takes it away with RoleNone, and
// leaves the roles in other groups as they are, whoever changes those at the same
// time. It returns the user as it was and as it is, without hashes. It returns
// ErrNotFound, and ErrTooLong where Java's column does not hold all groups.
func (s *Store) SetRole(
	ctx context.Context, userID, groupID int32, role model.Role,
) (before, after *model.User, err error) {
	err = s.db.InTx(ctx, func(q sqldb.Querier) error {
		err := s.lockUser(ctx, q, userID)
		if err != nil {
			return err
		}
		if before, err = s.oneUser(ctx, q, " WHERE u.id = ?", userID); err != nil {
			return err
		}
		before.JavaHash, before.Hash = "", ""
		changed := *before
		changed.Grant(groupID, role)
		if err := s.checkUser(&changed); err != nil {
			return err
		}
		_, err = q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_user SET permission = ? WHERE id = ?"),
			textArg(changed.Permission), userID)
		if err != nil {
			return err
		}
		after = &changed
		return s.setRoles(ctx, q, userID, changed.Own)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("role of user %d in group %d: %w", userID, groupID, err)
	}
	return before, after, nil
}

// TidyRoles deletes what does not count any more of our rows of roles: those of
// users and groups that are gone for good, and those that a Java console has overtaken
// ([model.User.Stale]). It returns how many.
func (s *Store) TidyRoles(ctx context.Context) (int, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), scanRole, s.db.SQL("SELECT r.user_id, r.group_id, r.role "+
		"FROM xxljob_group_role r ORDER BY r.user_id, r.group_id"))
	if err != nil || len(list) == 0 {
		return 0, err
	}
	groups, err := sqldb.SelectIDs[int32](ctx, s.db.Reader(), s.db.SQL("SELECT id FROM xxl_job_group "+
		"UNION SELECT object_id FROM xxljob_deleted WHERE kind = ?"), model.ChangeGroup)
	if err != nil {
		return 0, err
	}
	there := make(map[int32]bool, len(groups))
	for _, id := range groups {
		there[id] = true
	}
	n := 0
	for i := 0; i < len(list); {
		user := list[i].user
		var gone []int32
		for ; i < len(list) && list[i].user == user; i++ {
			if !there[list[i].group] {
				gone = append(gone, list[i].group)
			}
		}
		done, err := s.tidyUser(ctx, user, gone)
		if n += done; err != nil {
			return n, fmt.Errorf("tidy the roles of user %d: %w", user, err)
		}
	}
	return n, nil
}

// tidyUser deletes the rows of a user in groups that are gone, and those that do
// not count.
func (s *Store) tidyUser(ctx context.Context, id int32, gone []int32) (n int, err error) {
	u, err := s.oneUser(ctx, s.db.Reader(), " WHERE u.id = ?", id)
	if err == nil && len(gone) == 0 && len(u.Stale()) == 0 {
		return 0, nil
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return 0, err
	}
	err = s.db.InTx(ctx, func(q sqldb.Querier) error {
		w := where{}
		w.add("user_id = ?", id)
		err := s.lockUser(ctx, q, id)
		switch {
		case errors.Is(err, ErrNotFound): // all of them
		case err != nil:
			return err
		default: // what was read may have been changed since
			u, err := s.oneUser(ctx, q, " WHERE u.id = ?", id)
			if err != nil {
				return err
			}
			drop := slices.Concat(gone, u.Stale())
			if len(drop) == 0 {
				return nil
			}
			w.in("group_id", drop)
		}
		res, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_group_role"+w.String()), w.args...)
		if err != nil {
			return err
		}
		deleted, err := res.RowsAffected()
		n = int(deleted)
		return err
	})
	return n, err
}
