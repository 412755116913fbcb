package legacy

import (
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

func (c *call) userList() error {
	offset, size, err := c.paging()
	if err != nil {
		return err
	}
	role, err := c.intOr("role", -1)
	if err != nil {
		return err
	}
	f := model.UserFilter{Username: c.str("username")}
	if role >= 0 {
		admin := role == 1
		f.Admin = &admin
	}
	list, total, err := fetch(offset, size, func(offset, limit int) ([]*model.User, int, error) {
		f.Offset, f.Limit = offset, limit
		return c.s.cfg.Ops.ListUsers(c.r.Context(), c.who, f)
	})
	if err != nil {
		return err
	}
	return c.page(views(list, func(u *model.User) any { return viewUser(c.dialect, u) }), total)
}

// userInput binds the form to a user. The consoles since 3.2.0 send permission
// several times.
func (c *call) userInput() (int32, ops.UserInput, error) {
	in := ops.UserInput{Username: c.str("username"), Password: c.str("password"), Permission: c.str("permission")}
	id, err := c.field("id")
	if err != nil {
		return 0, in, err
	}
	role, err := c.field("role")
	if err != nil {
		return 0, in, err
	}
	in.Admin = role == 1
	return id, in, nil
}

func (c *call) userAdd() error {
	_, in, err := c.userInput()
	if err != nil {
		return err
	}
	if _, err := c.s.cfg.Ops.CreateUser(c.r.Context(), c.who, in); err != nil {
		return err
	}
	return c.ok(nil)
}

func (c *call) userUpdate() error {
	id, in, err := c.userInput()
	if err != nil {
		return err
	}
	if err := c.s.cfg.Ops.UpdateUser(c.r.Context(), c.who, id, in); err != nil {
		return err
	}
	return c.ok(nil)
}

func (c *call) userRemove() error {
	id, ok, err := c.one()
	if !ok {
		return err
	}
	if err := c.s.cfg.Ops.DeleteUser(c.r.Context(), c.who, id); err != nil {
		return err
	}
	return c.ok(nil)
}
