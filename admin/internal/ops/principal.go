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
	Groups []int32
	// Everywhere says that Groups are all that there are, also later ones,
	// without what is for administrators alone.
	Everywhere bool
	// Code says that the principal may write code that executors run, in its
	// groups. Administrators may without it; nobody may where Config.CodeEditing
	// is off.
	Code   bool
	Source string // how it was recognised: "login", "api", "key"; never empty
}

// sourceKey is the Source of API keys.
const sourceKey = "key"

// KeyPrincipal is the principal of an API key. What the verbs of the key allow
// is for the interface to keep, but for that of administrators.
func KeyPrincipal(k *model.Key) Principal {
	return Principal{
		Name: "key:" + k.Name, Admin: k.AllGroups && slices.Contains(k.Verbs, model.VerbAdmin),
		Groups: k.GroupIDs, Everywhere: k.AllGroups, Code: k.Can(model.VerbCode), Source: sourceKey,
	}
}

// UserPrincipal is the principal of a user who has logged in.
func UserPrincipal(u *model.User) Principal {
	return Principal{
		UserID: u.ID, Name: u.Username, Admin: u.Admin, Groups: u.Groups(), Code: u.Code, Source: "login",
	}
}

// May reports whether the principal may see and change what belongs to the
// group.
func (p Principal) May(group int32) bool {
	return p.known() && (p.Admin || (group > 0 && (p.Everywhere || slices.Contains(p.Groups, group))))
}

// all reports whether lists hold every group.
func (p Principal) all() bool { return p.Admin || p.Everywhere }

// known reports whether somebody has said who the principal is.
func (p Principal) known() bool { return p.Source != "" }

// deny refuses what belongs to a foreign group, in the ordinary form.
func (s *Service) deny(ctx context.Context, p Principal, action, object string) *Error {
	s.log.WarnContext(ctx, "action refused", slog.String("user", p.Name), slog.String("source", p.Source),
		slog.String("action", action), slog.String("object", object))
	return &Error{
		Kind: Forbidden, Parts: []Part{key(i18n.SystemPermissionLimit)},
		Detail: "ask an administrator for the permission on this executor (group)",
	}
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
