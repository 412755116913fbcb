package executorpages

import (
	"context"
	"strconv"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// membersPerPage is how many members of a group a page shows.
const membersPerPage = 50

// membersPart is who has which role in a group.
type membersPart struct {
	Rows  []memberRow
	Roles []web.Option
	Next  string // path of the next page; "" at the end
	First string // path of the first page; "" on it
}

// memberRow is a user with a role in a group.
type memberRow struct {
	ops.Member
	Word string
	Self bool
}

// fillMembers reads a page of the members of a group, for its admins.
func (c *call) fillMembers(ctx context.Context, p *executorPage) error {
	if !p.May.Own {
		return nil
	}
	after := int32(min(c.Num("member", 0), 1<<31-1)) //nolint:gosec // bounded
	list, err := c.Cfg.Ops.Members(ctx, c.Who, p.ID, membersPerPage+1, after)
	if err != nil {
		return err
	}
	m := &p.Members
	if after > 0 {
		m.First = parts.ExecutorPath(p.ID) + "#members"
	}
	if len(list) > membersPerPage {
		list = list[:membersPerPage]
		last := strconv.Itoa(int(list[membersPerPage-1].UserID))
		m.Next = parts.ExecutorPath(p.ID) + web.Query("member", last) + "#members"
	}
	m.Roles = c.RoleChoices()
	for _, one := range list {
		m.Rows = append(m.Rows, memberRow{one, c.RoleName(one.Role), one.UserID == c.Who.UserID})
	}
	return nil
}

// setMember gives a user a role in a group.
func (c *call) setMember(ctx context.Context) error {
	id, name := c.ID32("id"), c.Str("username")
	back := parts.ExecutorPath(id) + "#members"
	role, ok := model.ParseRole(c.Str("role"))
	if !ok {
		return c.Say(back, web.Flash{Bad: true, Text: c.T("error.400.do")})
	}
	member, err := c.Cfg.Ops.SetMember(ctx, c.Who, id, name, role)
	if err != nil {
		return c.Refuse(back, err)
	}
	return c.Done(back, c.T("members.did.set", member.Username, c.RoleName(member.Role)))
}

// removeMember takes the role of a user in a group away.
func (c *call) removeMember(ctx context.Context) error {
	id, name := c.ID32("id"), c.Str("username")
	back := parts.ExecutorPath(id) + "#members"
	if _, err := c.Cfg.Ops.SetMember(ctx, c.Who, id, name, model.RoleNone); err != nil {
		return c.Refuse(back, err)
	}
	return c.Done(back, c.T("members.did.remove", name))
}
