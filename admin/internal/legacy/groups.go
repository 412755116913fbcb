package legacy

import (
	"errors"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

func (c *call) groupList() error {
	offset, size, err := c.paging()
	if err != nil {
		return err
	}
	f := model.GroupFilter{AppName: c.str("appname"), Title: c.str("title")}
	list, total, err := fetch(offset, size, func(offset, limit int) ([]*ops.Group, int, error) {
		f.Offset, f.Limit = offset, limit
		return c.s.cfg.Ops.ListGroups(c.r.Context(), c.who, f)
	})
	if err != nil {
		return err
	}
	return c.page(views(list, func(g *ops.Group) any { return viewGroup(c.dialect, &g.Group) }), total)
}

// group binds the form to a group.
func (c *call) group() (*model.Group, error) {
	g := &model.Group{AppName: c.str("appname"), Title: c.str("title"), AddressList: c.text("addressList")}
	var err error
	if g.ID, err = c.field("id"); err != nil {
		return nil, err
	}
	kind, err := c.field("addressType")
	if err != nil {
		return nil, err
	}
	if c.str("updateTime") != "" {
		return nil, &bindError{msg: "parameter updateTime cannot be set"}
	}
	g.Manual = kind != 0
	return g, nil
}

func (c *call) groupAdd() error {
	g, err := c.group()
	if err != nil {
		return err
	}
	if _, err := c.s.cfg.Ops.CreateGroup(c.r.Context(), c.who, g); err != nil {
		return c.addressText(g, err)
	}
	return c.ok(nil)
}

// addressText words the refusal of an address as releases before 3.3.0 do: they
// know markup and nothing else, and number no texts. What is refused is the same
// in all dialects.
func (c *call) addressText(g *model.Group, err error) error {
	var refusal *ops.Error
	if c.dialect == C || !errors.As(err, &refusal) || len(refusal.Parts) == 0 ||
		refusal.Parts[0].Key != i18n.JobgroupFieldRegistryListInvalid {
		return err
	}
	old := *refusal
	switch last := old.Parts[len(old.Parts)-1]; {
	case strings.ContainsAny(g.AddressList.S, "<>"):
		old.Parts = []ops.Part{{Key: i18n.JobgroupFieldRegistryList}, {Key: i18n.SystemInvalid}}
	case last.Literal == "[2]":
		old.Parts = old.Parts[:len(old.Parts)-1]
	}
	return &old
}

func (c *call) groupUpdate() error {
	g, err := c.group()
	if err != nil {
		return err
	}
	if err := c.s.cfg.Ops.UpdateGroup(c.r.Context(), c.who, g); err != nil {
		return c.addressText(g, err)
	}
	return c.ok(nil)
}

// groupRemove deletes a group. An unknown one is a success since 3.3.1.
func (c *call) groupRemove() error {
	id, ok, err := c.one()
	if !ok {
		return err
	}
	err = c.s.cfg.Ops.DeleteGroup(c.r.Context(), c.who, id)
	var refusal *ops.Error
	if c.dialect == C && errors.As(err, &refusal) && refusal.Kind == ops.NotFound {
		err = nil
	}
	if err != nil {
		return err
	}
	return c.ok(nil)
}

// groupLoad answers with a group: to administrators in dialect A, since 3.3.2
// to those who may use it.
func (c *call) groupLoad() error {
	id, err := c.int("id")
	if err != nil {
		return err
	}
	if c.dialect == A && !c.who.Admin {
		return c.notAdmin(endpoint{kind: read})
	}
	g, err := c.s.cfg.Ops.Group(c.r.Context(), c.who, id)
	if err != nil {
		return err
	}
	return c.ok(viewGroup(c.dialect, &g.Group))
}
