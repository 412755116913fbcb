package ops

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// UserInput is a user as an editor gives it.
type UserInput struct {
	Username string // of a new user, or as it is: names do not change
	Password string // "" keeps the password of a user who exists
	Admin    bool
	// Roles is what the user may do, by group. nil: Permission says it.
	Roles map[int32]model.Role
	// Permission lists ids of groups, with commas between them, as a console of the
	// Java admin does ([model.User.SetGroups]).
	Permission string
	Code       *bool // may write code; nil keeps it, and is false for a new user
}

func userObject(id int32) string { return "user " + id32(id) }

// hideHashes takes the password hashes out of a user.
func hideHashes(u *model.User) *model.User {
	view := *u
	view.JavaHash, view.Hash = "", ""
	return &view
}

// ListUsers returns a page of users without their password hashes, and how
// many there are. For administrators.
func (s *Service) ListUsers(ctx context.Context, p Principal, f model.UserFilter) ([]*model.User, int, error) {
	if err := s.needAdmin(ctx, p, "user.list", ""); err != nil {
		return nil, 0, err
	}
	list, total, err := s.store.Users(ctx, f)
	for i, u := range list {
		list[i] = hideHashes(u)
	}
	return list, total, err
}

// CreateUser stores a new user and returns the id. For administrators.
func (s *Service) CreateUser(ctx context.Context, p Principal, in UserInput) (int32, error) {
	if err := s.needAdmin(ctx, p, "user.create", ""); err != nil {
		return 0, err
	}
	name := strings.TrimSpace(in.Username)
	if e := checkUsername(name); e != nil {
		return 0, e
	}
	if blank(in.Password) {
		return 0, invalid("", key(i18n.SystemPleaseInput), key(i18n.UserPassword))
	}
	if e := s.checkPassword(in.Password); e != nil {
		return 0, e
	}
	u := &model.User{Username: name, Admin: in.Admin, Code: in.Code != nil && *in.Code}
	err := s.setRoles(ctx, u, in)
	if err != nil {
		return 0, err
	}
	if u.JavaHash, u.Hash, err = s.cfg.Passwords.HashPassword(ctx, in.Password); err != nil {
		return 0, fmt.Errorf("hash a password: %w", err)
	}
	if err := s.store.CreateUser(ctx, u); err != nil {
		if errors.Is(err, store.ErrDuplicate) {
			return 0, &Error{Kind: Conflict, Parts: []Part{key(i18n.UserUsernameRepeat)}, Detail: "choose another name"}
		}
		return 0, fmt.Errorf("create a user: %w", refused(err))
	}
	s.record(ctx, p, "user.create", userObject(u.ID), "username: "+name+"; "+userDiff(&model.User{}, u))
	return u.ID, nil
}

func checkUsername(name string) *Error {
	switch n := chars(name); {
	case name == "":
		return invalid("", key(i18n.SystemPleaseInput), key(i18n.UserUsername))
	case n < 4 || n > 20:
		e := invalid("a user name has 4 to 20 characters", key(i18n.SystemLengthLimit), lit("[4-20]"))
		e.Own, e.OwnArgs = "refused.username", []any{4, 20, n}
		return e
	case markup(name) || control(name) || !storable(name):
		return noMarkup(key(i18n.UserUsername))
	}
	return nil
}

// checkPassword checks the length of a new password.
func (s *Service) checkPassword(password string) *Error {
	if n := chars(password); n < s.cfg.PasswordMin || n > s.cfg.PasswordMax {
		limits := strconv.Itoa(s.cfg.PasswordMin) + "-" + strconv.Itoa(s.cfg.PasswordMax)
		e := invalid("a password has "+limits+" characters", key(i18n.SystemLengthLimit), lit("["+limits+"]"))
		e.Own, e.OwnArgs = "refused.password", []any{s.cfg.PasswordMin, s.cfg.PasswordMax, n}
		return e
	}
	return nil
}

// checkPermission reads a list of group ids, and puts it in order.
func checkPermission(list string) (model.Text, *Error) {
	var ids []string
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		id, err := strconv.ParseInt(item, 10, 32)
		if err != nil || id <= 0 {
			return model.Text{}, invalid(fmt.Sprintf("%q is no id of an executor (group)", cut(item, maxValue)),
				key(i18n.UserPermission), key(i18n.SystemInvalid))
		}
		ids = append(ids, strconv.FormatInt(id, 10))
	}
	joined := strings.Join(ids, ",")
	if e := fits(field{key(i18n.UserPermission), joined, 255}); e != nil {
		return model.Text{}, e
	}
	return model.T(joined), nil
}

// setRoles sets the roles that an editor gives, of groups that there are. Those
// that the user had in groups that are gone may stay.
func (s *Service) setRoles(ctx context.Context, u *model.User, in UserInput) error {
	had := u.Roles()
	if in.Roles != nil {
		u.SetRoles(in.Roles)
		if e := fits(field{key(i18n.UserPermission), u.Permission.S, 255}); e != nil {
			e.Detail += ": the column of the Java admin holds no more groups of editors and admins"
			return e
		}
	} else {
		permission, e := checkPermission(in.Permission)
		if e != nil {
			return e
		}
		u.SetGroups(permission)
	}
	groups, err := s.store.AllGroups(ctx)
	if err != nil {
		return fmt.Errorf("read groups: %w", err)
	}
	known := make(map[int32]bool, len(groups))
	for _, g := range groups {
		known[g.ID] = true
	}
	for id := range u.Roles() {
		if _, ok := had[id]; !ok && !known[id] {
			return invalid("there is no executor (group) "+id32(id), key(i18n.UserPermission), key(i18n.SystemInvalid))
		}
	}
	return nil
}

// user loads a user; an unknown id is an Error.
func (s *Service) user(ctx context.Context, id int32) (*model.User, error) {
	u, err := s.store.User(ctx, id)
	switch {
	case notFound(err):
		return nil, &Error{
			Kind: NotFound, Parts: []Part{key(i18n.UserUsername), key(i18n.SystemNotFound)},
			Detail: "there is no user " + id32(id),
		}
	case err != nil:
		return nil, fmt.Errorf("read user %d: %w", id, err)
	}
	return u, nil
}

// self refuses what nobody may do to himself.
func self() *Error {
	return &Error{
		Kind: Conflict, Parts: []Part{key(i18n.UserUpdateLoginuserLimit)},
		Detail: "another administrator can do it; to change your own password use the call for that",
	}
}

// spare refuses to take the last administrator away. A person who does it is one
// who remains; an API key is none.
func (s *Service) spare(ctx context.Context, p Principal, u *model.User) error {
	if !u.Admin || p.UserID != 0 {
		return nil
	}
	for f := (model.UserFilter{Limit: 500}); ; f.Offset += f.Limit {
		list, total, err := s.store.Users(ctx, f)
		if err != nil {
			return fmt.Errorf("look for other administrators: %w", err)
		}
		for _, other := range list {
			if other.Admin && other.ID != u.ID {
				return nil
			}
		}
		if len(list) == 0 || f.Offset+len(list) >= total {
			return &Error{
				Kind: Conflict, Parts: []Part{key(i18n.UserLastAdmin)},
				Detail: "make somebody else an administrator first",
			}
		}
	}
}

// UpdateUser changes role, roles in groups and, unless it is empty, password of a
// user; never the name. Sessions of the user end when role or password change.
// For administrators, and not for oneself; the last administrator stays one.
func (s *Service) UpdateUser(ctx context.Context, p Principal, id int32, in UserInput) error {
	if err := s.needAdmin(ctx, p, "user.update", userObject(id)); err != nil {
		return err
	}
	if id == p.UserID || strings.TrimSpace(in.Username) == p.Name {
		return self()
	}
	if !blank(in.Password) {
		if e := s.checkPassword(in.Password); e != nil {
			return e
		}
	}
	if in.Roles == nil {
		if _, e := checkPermission(in.Permission); e != nil {
			return e
		}
	}
	old, err := s.user(ctx, id)
	if err != nil {
		return err
	}
	if !in.Admin {
		if err := s.spare(ctx, p, old); err != nil {
			return err
		}
	}
	u := *old
	u.Admin = in.Admin
	if err := s.setRoles(ctx, &u, in); err != nil {
		return err
	}
	if in.Code != nil {
		u.Code = *in.Code
	}
	detail := userDiff(old, &u)
	if !blank(in.Password) {
		if err := s.setPassword(ctx, id, in.Password); err != nil {
			return err
		}
		detail = strings.TrimPrefix(detail+"; password: changed", "; ")
	}
	if err := s.store.UpdateUser(ctx, &u); err != nil {
		return fmt.Errorf("update user %d: %w", id, refused(err))
	}
	s.record(ctx, p, "user.update", userObject(id), detail)
	if old.Admin == u.Admin && blank(in.Password) {
		return nil
	}
	return s.endSessions(ctx, id)
}

// setPassword stores a new password.
func (s *Service) setPassword(ctx context.Context, id int32, password string) error {
	javaHash, ownHash, err := s.cfg.Passwords.HashPassword(ctx, password)
	if err != nil {
		return fmt.Errorf("hash a password: %w", err)
	}
	if err := s.store.SetPassword(ctx, id, javaHash, ownHash); err != nil {
		return fmt.Errorf("set the password of user %d: %w", id, err)
	}
	return nil
}

// endSessions ends the sessions of a user whose rights or password changed.
func (s *Service) endSessions(ctx context.Context, id int32) error {
	if err := s.cfg.Passwords.EndSessions(ctx, id); err != nil {
		return fmt.Errorf("end the sessions of user %d: %w", id, err)
	}
	return nil
}

// DeleteUser deletes a user with all sessions. A user who does not exist is
// no error. For administrators, and not for oneself or the last administrator.
func (s *Service) DeleteUser(ctx context.Context, p Principal, id int32) error {
	if err := s.needAdmin(ctx, p, "user.delete", userObject(id)); err != nil {
		return err
	}
	if id == p.UserID {
		return self()
	}
	old, err := s.store.User(ctx, id)
	switch {
	case notFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("read user %d: %w", id, err)
	}
	if err := s.spare(ctx, p, old); err != nil {
		return err
	}
	if err := s.store.DeleteUser(ctx, id); err != nil {
		return fmt.Errorf("delete user %d: %w", id, err)
	}
	s.record(ctx, p, "user.delete", userObject(id), "username: "+old.Username)
	return nil
}

// ChangeOwnPassword gives the principal, who must be a user, another password.
// All sessions of the user end, this one too.
func (s *Service) ChangeOwnPassword(ctx context.Context, p Principal, oldPassword, newPassword string) error {
	if !p.known() || p.UserID == 0 {
		e := s.deny(ctx, p, "user.password", "")
		e.Detail = "only users have passwords"
		return e
	}
	if blank(oldPassword) || blank(newPassword) {
		return invalid("give the old and the new password", key(i18n.SystemPleaseInput), key(i18n.ChangePwdFieldOldpwd))
	}
	if e := s.checkPassword(newPassword); e != nil {
		return e
	}
	u, err := s.user(ctx, p.UserID)
	if err != nil {
		return err
	}
	right, err := s.cfg.Passwords.CheckPassword(ctx, u, oldPassword)
	if err != nil {
		return fmt.Errorf("check a password: %w", err)
	}
	if !right {
		return &Error{
			Kind: Forbidden, Parts: []Part{key(i18n.ChangePwdFieldOldpwd), key(i18n.SystemInvalid)},
			Detail: "the old password is another one",
		}
	}
	if err := s.setPassword(ctx, u.ID, newPassword); err != nil {
		return err
	}
	s.record(ctx, p, "user.password", userObject(u.ID), "changed by the user")
	return s.endSessions(ctx, u.ID)
}
