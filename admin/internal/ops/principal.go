package ops

import (
	"context"
	"log/slog"
	"slices"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Principal is who asks. The zero value is nobody, and may do nothing.
type Principal struct {
	UserID int32  // 0 for a caller that is no user
	Name   string // for messages and the audit log
	Admin  bool   // may do everything
	// Roles is what the principal may do, by group.
	Roles map[int32]model.Role
	// Everywhere is a role in every group, also in later ones, without what is for
	// administrators alone.
	Everywhere model.Role
	// Code says that the principal may write code that executors run, where an
	// editor. Administrators may without it; nobody may where Config.CodeEditing is
	// off.
	Code   bool
	Source string // how it was recognised: "login", "api", "key"; never empty
}

// sourceKey is the Source of API keys.
const sourceKey = "key"

// KeyPrincipal is the principal of an API key, whose role is that of its greatest
// verb. That a key has no lesser verb is for the interface to keep.
func KeyPrincipal(k *model.Key) Principal {
	p := Principal{
		Name: "key:" + k.Name, Admin: k.AllGroups && slices.Contains(k.Verbs, model.VerbAdmin),
		Code: k.Can(model.VerbCode), Source: sourceKey,
	}
	role := model.RoleNone
	for _, v := range k.Verbs {
		role = max(role, verbRoles[v])
	}
	if k.AllGroups {
		p.Everywhere = role
		return p
	}
	p.Roles = SameRole(role, k.GroupIDs...)
	return p
}

// verbRoles is what the verbs of a key are worth in its groups.
var verbRoles = map[model.Verb]model.Role{
	model.VerbRead: model.RoleViewer, model.VerbRun: model.RoleOperator, model.VerbEdit: model.RoleEditor,
	model.VerbCode: model.RoleViewer, model.VerbAdmin: model.RoleEditor,
}

// SameRole is the same role in each of the groups.
func SameRole(role model.Role, groups ...int32) map[int32]model.Role {
	roles := make(map[int32]model.Role, len(groups))
	for _, id := range groups {
		roles[id] = role
	}
	return roles
}

// UserPrincipal is the principal of a user who has logged in.
func UserPrincipal(u *model.User) Principal {
	return Principal{
		UserID: u.ID, Name: u.Username, Admin: u.Admin, Roles: u.Roles(), Code: u.Code, Source: "login",
	}
}

// RoleIn returns what the principal may do in the group. Administrators are
// admins of every one.
func (p Principal) RoleIn(group int32) model.Role {
	switch {
	case !p.known():
		return model.RoleNone
	case p.Admin:
		return model.RoleAdmin
	case group <= 0:
		return model.RoleNone
	}
	return max(p.Roles[group], p.Everywhere)
}

// Can reports whether the principal has the role, or a greater one, in the group.
// It is the one place that says so: every operation of the package names the
// role that it takes in the group of the object that it has loaded.
func (p Principal) Can(group int32, role model.Role) bool {
	return role != model.RoleNone && p.RoleIn(group) >= role
}

// CanAnywhere reports whether there may be a group in which the principal has the
// role.
func (p Principal) CanAnywhere(role model.Role) bool {
	if !p.known() || role == model.RoleNone {
		return false
	}
	if p.Admin || p.Everywhere >= role {
		return true
	}
	for id := range p.Roles {
		if p.Can(id, role) {
			return true
		}
	}
	return false
}

// all reports whether lists hold every group.
func (p Principal) all() bool { return p.Admin || p.Everywhere >= model.RoleViewer }

// groups lists the groups of which lists hold something, unless they hold all.
func (p Principal) groups() []int32 {
	ids := make([]int32, 0, len(p.Roles))
	for id := range p.Roles {
		if p.Can(id, model.RoleViewer) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// known reports whether somebody has said who the principal is.
func (p Principal) known() bool { return p.Source != "" }

// deny refuses what takes a role that the principal does not have, in the
// ordinary form.
func (s *Service) deny(ctx context.Context, p Principal, action, object string) *Error {
	s.log.WarnContext(ctx, "action refused", slog.String("user", p.Name), slog.String("source", p.Source),
		slog.String("action", action), slog.String("object", object))
	e := &Error{
		Kind: Forbidden, Parts: []Part{key(i18n.SystemPermissionLimit)},
		Detail: "it is not there, or takes a role in its executor (group): ask an admin of that, or an administrator",
	}
	if p.Name == "" {
		return e.own("refused.role")
	}
	return e.own("refused.role.of", p.Name)
}

// denyThrown is deny in the form that the Java admin raises as an exception.
func (s *Service) denyThrown(ctx context.Context, p Principal, action, object string) *Error {
	e := s.deny(ctx, p, action, object)
	e.Parts = append(e.Parts, lit("[username="+p.Name+"]"))
	e.Thrown = true
	return e
}

// needAdmin refuses everybody who is no administrator.
func (s *Service) needAdmin(ctx context.Context, p Principal, action, object string) error {
	if p.known() && p.Admin {
		return nil
	}
	e := s.deny(ctx, p, action, object)
	e.Detail = "only administrators may do this"
	e.Thrown = true
	return e
}

// needLogin refuses nobody.
func (s *Service) needLogin(ctx context.Context, p Principal, action string) error {
	if p.known() {
		return nil
	}
	e := s.deny(ctx, p, action, "")
	e.Detail = "log in first"
	e.Thrown = true
	return e
}
