package console

import (
	"context"
	"strconv"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// membersPerPage is how many members of a group a page shows.
const membersPerPage = 50

// registerMembers registers who has which role in a group.
func (s *Server) registerMembers() {
	s.action("/executors/{id}/members", httpx.GroupAdmin, (*call).setMember)
	s.action("/executors/{id}/members/remove", httpx.GroupAdmin, (*call).removeMember)
}

// membersPart is who has which role in a group.
type membersPart struct {
	Rows  []memberRow
	Roles []choice
	Next  string // path of the next page; "" at the end
	First string // path of the first page; "" on it
}

// memberRow is a user with a role in a group.
type memberRow struct {
	ops.Member
	Word string
	Self bool
}

// roleChoices are the roles to choose from.
func (c *call) roleChoices() []choice {
	var list []choice
	for _, r := range model.Roles() {
		list = append(list, choice{r.String(), c.roleName(r)})
	}
	return list
}

// fillMembers reads a page of the members of a group, for its admins.
func (c *call) fillMembers(ctx context.Context, p *executorPage) error {
	if !p.May.Own {
		return nil
	}
	after := int32(min(c.num("member", 0), 1<<31-1)) //nolint:gosec // bounded
	list, err := c.s.cfg.Ops.Members(ctx, c.who, p.ID, membersPerPage+1, after)
	if err != nil {
		return err
	}
	m := &p.Members
	if after > 0 {
		m.First = executorPath(p.ID) + "#members"
	}
	if len(list) > membersPerPage {
		list = list[:membersPerPage]
		m.Next = executorPath(p.ID) + query("member", strconv.Itoa(int(list[membersPerPage-1].UserID))) + "#members"
	}
	m.Roles = c.roleChoices()
	for _, one := range list {
		m.Rows = append(m.Rows, memberRow{one, c.roleName(one.Role), one.UserID == c.who.UserID})
	}
	return nil
}

// setMember gives a user a role in a group.
func (c *call) setMember(ctx context.Context) error {
	id, name := c.id32("id"), c.str("username")
	back := executorPath(id) + "#members"
	role, ok := model.ParseRole(c.str("role"))
	if !ok {
		return c.say(back, flash{Bad: true, Text: c.t("error.400.do")})
	}
	member, err := c.s.cfg.Ops.SetMember(ctx, c.who, id, name, role)
	if err != nil {
		return c.refuse(back, err)
	}
	return c.done(back, c.t("members.did.set", member.Username, c.roleName(member.Role)))
}

// removeMember takes the role of a user in a group away.
func (c *call) removeMember(ctx context.Context) error {
	id, name := c.id32("id"), c.str("username")
	back := executorPath(id) + "#members"
	if _, err := c.s.cfg.Ops.SetMember(ctx, c.who, id, name, model.RoleNone); err != nil {
		return c.refuse(back, err)
	}
	return c.done(back, c.t("members.did.remove", name))
}
