package rest

import (
	"context"
	"net/http"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// memberView is a user with a role in a group.
type memberView struct {
	UserID   int32  `json:"user_id"`
	Username string `json:"username"`
	Role     string `json:"role"`
	Admin    bool   `json:"administrator"`
}

func viewMember(m ops.Member) memberView {
	return memberView{m.UserID, m.Username, m.Role.String(), m.Admin}
}

func listMembers(ctx context.Context, c *call) error {
	id, err := c.id32("group_id")
	if err != nil {
		return err
	}
	limit, m, err := c.paging()
	if err != nil {
		return err
	}
	after := int32(m.before()) //nolint:gosec // an id of ours
	list, err := c.s.cfg.Ops.Members(ctx, c.who, id, limit+1, after)
	if err != nil {
		return err
	}
	list, more := cut(list, limit)
	answer := page[memberView]{Items: make([]memberView, 0, len(list))}
	var last mark
	for _, one := range list {
		answer.Items, last = append(answer.Items, viewMember(one)), mark{ID: int64(one.UserID)}
	}
	answer.NextCursor = c.next(more, last)
	return c.json(http.StatusOK, answer)
}

func setMember(ctx context.Context, c *call) error {
	id, err := c.id32("group_id")
	if err != nil {
		return err
	}
	var in struct {
		Username string `json:"username"`
		Role     string `json:"role"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	var f faults
	role := readRole(&f, "/role", in.Role)
	if in.Username == "" {
		f.add("/username", "it is missing")
	}
	if err := f.err(); err != nil {
		return err
	}
	member, err := c.s.cfg.Ops.SetMember(ctx, c.who, id, in.Username, role)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, viewMember(member))
}

func removeMember(ctx context.Context, c *call) error {
	id, err := c.id32("group_id")
	if err != nil {
		return err
	}
	name, err := c.short("username", 64)
	if err != nil {
		return err
	}
	if _, err := c.s.cfg.Ops.SetMember(ctx, c.who, id, name, model.RoleNone); err != nil {
		return err
	}
	return c.gone()
}
