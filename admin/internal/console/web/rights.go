package web

import (
	"cmp"
	"net/http"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// RoleChoices are the roles to choose from.
func (c *Call) RoleChoices() []Option {
	var list []Option
	for _, r := range model.Roles() {
		list = append(list, Option{r.String(), c.RoleName(r)})
	}
	return list
}

// Rights are what a visitor may do in a group, or in some group, for the pages:
// they offer nothing that package ops would refuse.
type Rights struct {
	Run  bool // operator
	Edit bool // editor
	Own  bool // admin of the group
}

// RightsOf are the rights of who has a role if can says so.
func RightsOf(can func(model.Role) bool) Rights {
	return Rights{Run: can(model.RoleOperator), Edit: can(model.RoleEditor), Own: can(model.RoleAdmin)}
}

// RightsIn is what the visitor may do in a group.
func (c *Call) RightsIn(group int32) Rights {
	return RightsOf(func(r model.Role) bool { return c.Who.Can(group, r) })
}

// Having returns the groups in which the visitor has the role.
func (c *Call) Having(role model.Role, groups []*ops.Group) []*ops.Group {
	var list []*ops.Group
	for _, g := range groups {
		if c.Who.Can(g.ID, role) {
			list = append(list, g)
		}
	}
	return list
}

// Need refuses a page to who does not have the role in the group of what it is
// about.
func (c *Call) Need(role model.Role, group int32) error {
	if c.Who.Can(group, role) {
		return nil
	}
	return c.lacks(role)
}

// lacks says which role is missing.
func (c *Call) lacks(role model.Role) error {
	return &httpx.Error{Status: http.StatusForbidden, Msg: c.T("error.role", c.RoleName(role))}
}

// RoleName is a role in a group in words.
func (c *Call) RoleName(role model.Role) string {
	return c.T("grole." + cmp.Or(role.String(), "none"))
}
