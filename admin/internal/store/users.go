package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

const userSelect = "SELECT u.id, u.username, u.password, o.password_hash, u.role, u.permission, e.user_id " +
	"FROM xxl_job_user u LEFT JOIN xxljob_user o ON o.user_id = u.id LEFT JOIN xxljob_code_editor e ON e.user_id = u.id"

func userRow(row sqldb.Scanner) (*model.User, error) {
	var u model.User
	var role int
	var code sql.NullInt32
	err := row.Scan(&u.ID, &u.Username, &u.JavaHash, scanString{&u.Hash}, &role, scanText{&u.Permission}, &code)
	u.Admin, u.Code = role == 1, code.Valid
	return &u, err
}

// User returns a user with the hashes, or ErrNotFound.
func (s *Store) User(ctx context.Context, id int32) (*model.User, error) {
	u, err := s.oneUser(ctx, s.db.Reader(), " WHERE u.id = ?", id)
	if err != nil {
		return nil, fmt.Errorf("user %d: %w", id, err)
	}
	return u, nil
}

// UserByName returns a user with the hashes, or ErrNotFound. MySQL compares
// names as its collation says, mostly without regard to case.
func (s *Store) UserByName(ctx context.Context, name string) (*model.User, error) {
	if checkFields(field{name: "user name", value: name, max: maxUsername}) != nil {
		return nil, fmt.Errorf("user: %w", ErrNotFound) // no row can have that name
	}
	u, err := s.oneUser(ctx, s.db.Reader(), " WHERE u.username = ?", name)
	if err != nil {
		return nil, fmt.Errorf("user %q: %w", name, err)
	}
	return u, nil
}

// oneUser reads a user with the rows of roles.
func (s *Store) oneUser(ctx context.Context, q sqldb.Querier, where string, arg any) (*model.User, error) {
	u, err := userRow(q.QueryRowContext(ctx, s.db.SQL(userSelect+where), arg))
	if err != nil {
		return nil, notFound(err)
	}
	return u, s.readRoles(ctx, q, u)
}

// userOrders are the orders of users; there are as many as people.
var userOrders = map[string]orderBy{
	model.OrderID: {}, model.OrderUser: {expr: "u.username", text: true}, model.OrderRole: {expr: "u.role"},
}

// Users returns a page of the users that match, by id unless f.Order says OrderUser
// or OrderRole, and how many match in all. Their hashes are left out.
func (s *Store) Users(ctx context.Context, f model.UserFilter) ([]*model.User, int, error) {
	var w where
	w.like("u.username", f.Username)
	if f.Admin != nil {
		w.add("u.role = ?", bit(*f.Admin))
	}
	if f.GroupID > 0 {
		w.add("(u.permission LIKE ? OR EXISTS "+
			"(SELECT 1 FROM xxljob_group_role r WHERE r.user_id = u.id AND r.group_id = ?))",
			fmt.Sprintf("%%%d%%", f.GroupID), f.GroupID)
	}
	if f.AfterID > 0 {
		w.add("u.id > ?", f.AfterID)
	}
	var total int
	row := s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT COUNT(*) FROM xxl_job_user u"+w.String()), w.args...)
	if err := row.Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("list users: count: %w", err)
	}
	order := w.ordered(f.Order, userOrders, "u.id", true)
	offset, limit := page(f.Offset, f.Limit)
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (*model.User, error) {
		var u model.User
		var role int
		var code sql.NullInt32
		err := row.Scan(&u.ID, &u.Username, &role, scanText{&u.Permission}, &code)
		u.Admin, u.Code = role == 1, code.Valid
		return &u, err
	}, s.db.SQL("SELECT u.id, u.username, u.role, u.permission, e.user_id FROM xxl_job_user u "+
		"LEFT JOIN xxljob_code_editor e ON e.user_id = u.id"+w.String()+
		" ORDER BY "+order+" LIMIT ? OFFSET ?"), append(w.args, limit, offset)...)
	if err == nil {
		err = s.readRoles(ctx, s.db.Reader(), list...)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("list users: %w", err)
	}
	return list, total, nil
}

func (s *Store) checkUser(u *model.User) error {
	return checkFields(
		field{name: "user name", value: u.Username, max: maxUsername},
		text("permission", u.Permission, maxPermission),
	)
}

func (s *Store) checkHashes(javaHash, ownHash string) error {
	return checkFields(
		field{name: "password of the Java admin", value: javaHash, max: s.Info().PasswordMax},
		field{name: "password hash", value: ownHash, max: maxOwnHash},
	)
}

// CreateUser inserts a user with both hashes and assigns the ID. It returns
// ErrDuplicate when the name is taken, and ErrTooLong for a text that does not
// fit.
func (s *Store) CreateUser(ctx context.Context, u *model.User) error {
	if err := errors.Join(s.checkUser(u), s.checkHashes(u.JavaHash, u.Hash)); err != nil {
		return fmt.Errorf("create user: %w", err)
	}
	var id int64
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		var err error
		id, err = s.db.InsertID(ctx, q, "INSERT INTO xxl_job_user (username, password, role, permission) VALUES "+
			"(?,?,?,?)",
			u.Username, u.JavaHash, bit(u.Admin), textArg(u.Permission))
		if err != nil {
			return s.dupError(err)
		}
		if err := s.setCode(ctx, q, int32(id), u.Code); err != nil { //nolint:gosec // the column is 32 bits wide
			return err
		}
		if err := s.setRoles(ctx, q, int32(id), u.Own); err != nil { //nolint:gosec // as above
			return err
		}
		return s.setOwn(ctx, q, int32(id), "password_hash", u.Hash) //nolint:gosec // as above
	})
	if err != nil {
		return fmt.Errorf("create user %q: %w", u.Username, err)
	}
	u.ID = int32(id) //nolint:gosec // as above
	return nil
}

// setCode writes whether a user may write code.
func (s *Store) setCode(ctx context.Context, q sqldb.Querier, id int32, may bool) error {
	_, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_code_editor WHERE user_id = ?"), id)
	if err == nil && may {
		_, err = q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_code_editor (user_id) VALUES (?)"), id)
	}
	return err
}

// setOwn writes a column of our own row of a user.
func (s *Store) setOwn(ctx context.Context, q sqldb.Querier, id int32, column, value string) error {
	_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_user (user_id, "+column+") VALUES (?,?)"+
		s.db.Upsert("user_id", column)), id, value)
	return err
}

// UpdateUser writes name, role, permissions and roles; the hashes stay. It returns
// ErrNotFound, ErrDuplicate and ErrTooLong as CreateUser does.
func (s *Store) UpdateUser(ctx context.Context, u *model.User) error {
	if err := s.checkUser(u); err != nil {
		return fmt.Errorf("update user %d: %w", u.ID, err)
	}
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		res, err := q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_user SET username = ?, role = ?, permission = ? "+
			"WHERE id = ?"), u.Username, bit(u.Admin), textArg(u.Permission), u.ID)
		if err := oneRow(res, s.dupError(err)); err != nil {
			return err
		}
		if err := s.setRoles(ctx, q, u.ID, u.Own); err != nil {
			return err
		}
		return s.setCode(ctx, q, u.ID, u.Code)
	})
	if err != nil {
		return fmt.Errorf("update user %d: %w", u.ID, err)
	}
	return nil
}

// SetPassword writes the password of a user: javaHash into Java's column as it
// is given, ownHash into our own table. It returns ErrNotFound, and ErrTooLong
// when javaHash does not fit an old schema (Info.PasswordMax).
func (s *Store) SetPassword(ctx context.Context, id int32, javaHash, ownHash string) error {
	if err := s.checkHashes(javaHash, ownHash); err != nil {
		return fmt.Errorf("set the password of user %d: %w", id, err)
	}
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		res, err := q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_user SET password = ? WHERE id = ?"), javaHash, id)
		if err := oneRow(res, err); err != nil {
			return err
		}
		return s.setOwn(ctx, q, id, "password_hash", ownHash)
	})
	if err != nil {
		return fmt.Errorf("set the password of user %d: %w", id, err)
	}
	return nil
}

// SetOwnHash writes our own hash of a user's password and leaves Java's column as
// it is, whatever a Java node makes of it meanwhile. It returns ErrNotFound.
func (s *Store) SetOwnHash(ctx context.Context, id int32, ownHash string) error {
	err := checkFields(field{name: "password hash", value: ownHash, max: maxOwnHash})
	if err == nil {
		err = s.db.InTx(ctx, func(q sqldb.Querier) error {
			if err := s.findUser(ctx, q, id); err != nil {
				return err
			}
			return s.setOwn(ctx, q, id, "password_hash", ownHash)
		})
	}
	if err != nil {
		return fmt.Errorf("set our own hash of user %d: %w", id, err)
	}
	return nil
}

// findUser returns ErrNotFound when there is no such user.
func (s *Store) findUser(ctx context.Context, q sqldb.Querier, id int32) error {
	var found int
	row := q.QueryRowContext(ctx, s.db.SQL("SELECT 1 FROM xxl_job_user WHERE id = ?"), id)
	if err := row.Scan(&found); err != nil {
		return notFound(err)
	}
	return nil
}

// DeleteUser deletes a user with sessions and hashes. One who does not exist is
// no error.
func (s *Store) DeleteUser(ctx context.Context, id int32) error {
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		for _, text := range []string{
			"DELETE FROM xxl_job_user WHERE id = ?",
			"DELETE FROM xxljob_user WHERE user_id = ?",
			"DELETE FROM xxljob_code_editor WHERE user_id = ?",
			"DELETE FROM xxljob_group_role WHERE user_id = ?",
			"DELETE FROM xxljob_session WHERE user_id = ?",
			"DELETE FROM xxljob_view WHERE user_id = ?",
		} {
			if _, err := q.ExecContext(ctx, s.db.SQL(text), id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("delete user %d: %w", id, err)
	}
	return nil
}

// SetJavaToken writes the token by which Java releases since 3.2.0 know a
// user's login: into their own column where the schema has it, else into our
// own table. It returns ErrNotFound and ErrTooLong.
func (s *Store) SetJavaToken(ctx context.Context, id int32, token string) error {
	err := checkFields(field{name: "login token", value: token, max: maxJavaToken})
	if err == nil {
		err = s.db.InTx(ctx, func(q sqldb.Querier) error { return s.setJavaToken(ctx, q, id, token) })
	}
	if err != nil {
		return fmt.Errorf("login token of user %d: %w", id, err)
	}
	return nil
}

func (s *Store) setJavaToken(ctx context.Context, q sqldb.Querier, id int32, token string) error {
	if s.Info().TokenColumn {
		return oneRow(q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_user SET token = ? WHERE id = ?"), token, id))
	}
	if err := s.findUser(ctx, q, id); err != nil {
		return err
	}
	return s.setOwn(ctx, q, id, "java_token", token)
}

// JavaToken returns what SetJavaToken or a Java admin wrote, "" when there is
// none, or ErrNotFound when there is no such user.
func (s *Store) JavaToken(ctx context.Context, id int32) (string, error) {
	text := "SELECT u.token FROM xxl_job_user u WHERE u.id = ?"
	if !s.Info().TokenColumn {
		text = "SELECT o.java_token FROM xxl_job_user u LEFT JOIN xxljob_user o ON o.user_id = u.id WHERE u.id = ?"
	}
	var token sql.NullString
	if err := s.db.Reader().QueryRowContext(ctx, s.db.SQL(text), id).Scan(&token); err != nil {
		return "", fmt.Errorf("login token of user %d: %w", id, notFound(err))
	}
	return token.String, nil
}
