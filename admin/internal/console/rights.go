package console

import (
	"cmp"
	"net/http"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// rights are what a visitor may do in a group, or in some group, for the pages:
// they offer nothing that package ops would refuse.
type rights struct {
	Run  bool // operator
	Edit bool // editor
	Own  bool // admin of the group
}

func rightsOf(can func(model.Role) bool) rights {
	return rights{Run: can(model.RoleOperator), Edit: can(model.RoleEditor), Own: can(model.RoleAdmin)}
}

// rightsIn is what the visitor may do in a group.
func (c *call) rightsIn(group int32) rights {
	return rightsOf(func(r model.Role) bool { return c.who.Can(group, r) })
}

// having returns the groups in which the visitor has the role.
func (c *call) having(role model.Role, groups []*ops.Group) []*ops.Group {
	var list []*ops.Group
	for _, g := range groups {
		if c.who.Can(g.ID, role) {
			list = append(list, g)
		}
	}
	return list
}

// need refuses a page to who does not have the role in the group of what it is
// about.
func (c *call) need(role model.Role, group int32) error {
	if c.who.Can(group, role) {
		return nil
	}
	return c.lacks(role)
}

// lacks says which role is missing.
func (c *call) lacks(role model.Role) error {
	return &httpx.Error{Status: http.StatusForbidden, Msg: c.t("error.role", c.roleName(role))}
}

// roleName is a role in a group in words.
func (c *call) roleName(role model.Role) string {
	return c.t("grole." + cmp.Or(role.String(), "none"))
}
