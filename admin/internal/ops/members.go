package ops

import (
	"context"
	"fmt"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// memberPage is how many users are read at once.
const memberPage = 500

// Member is a user with a role in a group. Administrators are not listed for what
// they may everywhere.
type Member struct {
	UserID   int32
	Username string
	Role     model.Role
	Admin    bool // is an administrator too, so the role makes no difference
}

// Members returns who has which role in a group, by the id of the users: at most
// limit with an id above afterID. For admins of the group.
func (s *Service) Members(
	ctx context.Context, p Principal, group int32, limit int, afterID int32,
) ([]Member, error) {
	if err := s.needOwner(ctx, p, group, "member.list"); err != nil {
		return nil, err
	}
	if _, err := s.group(ctx, group); err != nil {
		return nil, err
	}
	var list []Member
	for f := (model.UserFilter{GroupID: group, AfterID: afterID, Limit: memberPage}); ; {
		users, _, err := s.store.Users(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("read the members of group %d: %w", group, err)
		}
		for _, u := range users {
			f.AfterID = u.ID
			role := u.Roles()[group]
			if role == model.RoleNone {
				continue
			}
			if list = append(list, Member{u.ID, u.Username, role, u.Admin}); len(list) == limit {
				return list, nil
			}
		}
		if len(users) < memberPage {
			return list, nil
		}
	}
}

// SetMember gives a user a role in a group, in the place of the one there was, or
// with model.RoleNone takes it away; that there is none then is an Error. It
// returns the user as a member. For admins of the group, and not for oneself;
// nobody gives more than he has.
func (s *Service) SetMember(
	ctx context.Context, p Principal, group int32, username string, role model.Role,
) (Member, error) {
	u, err := s.member(ctx, p, group, username)
	if err != nil {
		return Member{}, err
	}
	switch {
	case role > p.RoleIn(group): // not while admin is the greatest one
		return Member{}, s.deny(ctx, p, "member.set", groupObject(group))
	case role == model.RoleNone && u.Roles()[group] == model.RoleNone:
		e := &Error{
			Kind: NotFound, Parts: []Part{key(i18n.UserPermission), key(i18n.SystemNotFound)},
			Detail: "this user has no role in the executor (group)",
		}
		return Member{}, e.own("refused.member.none", u.Username)
	}
	before, after, err := s.store.SetRole(ctx, u.ID, group, role)
	if err != nil {
		return Member{}, refused(err)
	}
	was, is := before.Roles()[group], after.Roles()[group]
	if was != is {
		s.record(ctx, p, "member.set", groupObject(group),
			fmt.Sprintf("%s (%s): %s → %s", userObject(u.ID), u.Username, roleWord(was), roleWord(is)))
	}
	return Member{u.ID, u.Username, is, u.Admin}, nil
}

// member finds the user whose role in a group the principal is to change.
func (s *Service) member(ctx context.Context, p Principal, group int32, username string) (*model.User, error) {
	if err := s.needOwner(ctx, p, group, "member.set"); err != nil {
		return nil, err
	}
	if _, err := s.group(ctx, group); err != nil {
		return nil, err
	}
	username = strings.TrimSpace(username)
	if username == "" {
		return nil, invalid("name a user", key(i18n.SystemPleaseInput), key(i18n.UserUsername))
	}
	u, err := s.store.UserByName(ctx, username)
	switch {
	case notFound(err):
		return nil, &Error{
			Kind: NotFound, Parts: []Part{key(i18n.UserUsername), key(i18n.SystemNotFound)},
			Detail: "there is no user of this name: an administrator makes users",
		}
	case err != nil:
		return nil, fmt.Errorf("read a user: %w", err)
	case u.ID == p.UserID:
		e := self()
		e.Detail = "another admin of the executor (group), or an administrator, can do it"
		return nil, e
	}
	return u, nil
}
