package settingspages

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const usersPerPage = 50

// settingsPage is a page of the settings.
type settingsPage struct {
	Name, Path string
	admin      bool // for administrators only
}

// Pages are those that are for everybody, and for administrators the others too.
func Pages(admin bool) []settingsPage {
	all := []settingsPage{
		{"account", "/settings", false},
		{"sessions", "/settings/sessions", false},
		{"users", "/settings/users", true},
		{"keys", "/settings/keys", true},
		{"retention", "/settings/retention", false},
		{"audit", "/settings/audit", true},
		{"cluster", "/settings/cluster", true},
		{"about", "/settings/about", false},
	}
	return slices.DeleteFunc(all, func(p settingsPage) bool { return p.admin && !admin })
}

// settingsTabs are the pages of the settings that the visitor may see.
func (c *call) settingsTabs(current string) []web.Tab {
	var list []web.Tab
	for _, t := range Pages(c.User.Admin) {
		list = append(list, web.Tab{Text: c.T("settings." + t.Name), Path: t.Path, Current: t.Name == current})
	}
	return list
}

// settingsHead is the head of a page of the settings.
func (c *call) settingsHead(title string) web.Head {
	return web.Head{Title: title, Section: "settings", Crumbs: c.Under("settings")}
}

// accountPage is the visitor's own account.
type accountPage struct {
	Tabs    []web.Tab
	Name    string
	Admin   bool
	Groups  []roleIn
	Problem string
}

// roleIn is the role of a user in a group, in words.
type roleIn struct{ Title, Word string }

// rolesIn are roles in words, in the order of the groups; what is of a group that
// is gone is left out.
func (c *call) rolesIn(roles map[int32]model.Role, groups []*ops.Group) []roleIn {
	var list []roleIn
	for _, g := range groups {
		if r := roles[g.ID]; r != model.RoleNone {
			list = append(list, roleIn{g.Title, c.RoleName(r)})
		}
	}
	return list
}

func (c *call) account(ctx context.Context) error { return c.showAccount(ctx, http.StatusOK, "") }

func (c *call) showAccount(ctx context.Context, status int, problem string) error {
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	return c.RenderStatus(ctx, status, "account", c.settingsHead(c.T("settings.account")), accountPage{
		Tabs: c.settingsTabs("account"), Name: c.User.Username, Admin: c.User.Admin,
		Groups: c.rolesIn(c.Who.Roles, groups), Problem: problem,
	})
}

// changePassword changes the visitor's own password, which ends all of the
// visitor's sessions.
func (c *call) changePassword(ctx context.Context) error {
	next := c.R.PostForm.Get("password")
	if next != c.R.PostForm.Get("again") {
		return c.showAccount(ctx, http.StatusUnprocessableEntity, c.T("account.differ"))
	}
	err := c.Cfg.Ops.ChangeOwnPassword(ctx, c.Who, c.R.PostForm.Get("old"), next)
	if wait, ok := web.Throttled(err); ok {
		return c.showAccount(ctx, http.StatusTooManyRequests, c.T("signin.wait", int(wait.Seconds())+1))
	}
	if err != nil {
		text, ours := c.Why(err)
		if !ours {
			return err
		}
		return c.showAccount(ctx, http.StatusUnprocessableEntity, text)
	}
	c.Cookie(web.SessionCookie, "", -time.Second)
	return c.Done("/signin", c.T("account.changed"))
}

// usersPage is the list of users.
type usersPage struct {
	Tabs    []web.Tab
	Name    string
	Users   []userLine
	Pager   web.Pager
	Columns []web.Column
	Sorts   []web.Order
}

// userLine is a user in the list.
type userLine struct {
	*model.User
	Groups []roleIn
	Self   bool
}

// userColumns are the columns of the list.
var userColumns = []web.Sortable{
	{Name: model.OrderID, Key: "job.id", Class: "fit num"},
	{Name: model.OrderUser, Key: "users.name"},
	{Name: model.OrderRole, Key: "users.role", Descending: true},
	{Key: "users.groups"},
}

func (c *call) users(ctx context.Context) error {
	filter := c.Filter("name", "sort")
	page := max(c.Num("page", 1), 1)
	list, total, err := c.Cfg.Ops.ListUsers(ctx, c.Who, model.UserFilter{
		Username: filter.Get("name"), Order: c.OrderOf("sort", ""),
		Limit: usersPerPage, Offset: (page - 1) * usersPerPage,
	})
	if err != nil {
		return err
	}
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	p := usersPage{
		Tabs: c.settingsTabs("users"), Name: filter.Get("name"),
		Columns: c.Columns("/settings/users", filter, "id", userColumns),
		Sorts:   c.Orders(filter.Get("sort"), "id", userColumns),
		Pager:   web.NewPager("/settings/users", filter, page, usersPerPage, len(list), total),
	}
	for _, u := range list {
		p.Users = append(p.Users, userLine{User: u, Groups: c.rolesIn(u.Roles(), groups), Self: u.ID == c.User.ID})
	}
	return c.Render(ctx, "users", c.settingsHead(c.T("settings.users")), p)
}

// userPage is the form of a user.
type userPage struct {
	ID       int32 // 0 for a new one
	Name     string
	IsAdmin  bool
	Chosen   map[int32]model.Role
	Code     bool // may write code
	CodeOff  bool // which nobody may now
	Groups   []groupRole
	Roles    []web.Option
	Problem  string
	Action   string
	Self     bool
	Deletion string // path of the action that deletes the user; "" where there is none
}

func (c *call) newUser(ctx context.Context) error {
	return c.showUser(ctx, http.StatusOK, &userPage{Action: "/settings/users/new"})
}

// groupRole is a group with the role that is chosen for it.
type groupRole struct {
	ID   int32
	Text string
	Role string
}

func (c *call) showUser(ctx context.Context, status int, p *userPage) error {
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	p.CodeOff = !c.Cfg.CodeEditing
	p.Roles = append([]web.Option{{Value: "", Text: c.RoleName(model.RoleNone)}}, c.RoleChoices()...)
	for _, g := range groups {
		p.Groups = append(p.Groups, groupRole{g.ID, g.Title + " (" + g.AppName + ")", p.Chosen[g.ID].String()})
	}
	title := c.T("users.new")
	if p.ID > 0 {
		title = p.Name
		if !p.Self {
			p.Deletion = p.Action + "/delete"
		}
	}
	h := c.settingsHead(title)
	h.Crumbs = append(h.Crumbs, web.Crumb{Text: c.T("settings.users"), Path: "/settings/users"})
	return c.RenderStatus(ctx, status, "user", h, p)
}

// userInput reads the form of a user. Roles in groups that the form does not name
// stay.
func (c *call) userInput(p *userPage) ops.UserInput {
	p.IsAdmin, p.Code = c.Str("role") == "admin", c.Str("code") != ""
	roles := maps.Clone(p.Chosen)
	if roles == nil {
		roles = map[int32]model.Role{}
	}
	for name := range c.R.PostForm {
		text, ok := strings.CutPrefix(name, "role-")
		id, err := strconv.ParseInt(text, 10, 32)
		if !ok || err != nil || id <= 0 {
			continue
		}
		role, _ := model.ParseRole(c.Str(name))
		if roles[int32(id)] = role; role == model.RoleNone {
			delete(roles, int32(id))
		}
	}
	p.Chosen = roles
	return ops.UserInput{
		Username: p.Name, Password: c.R.PostForm.Get("password"), Admin: p.IsAdmin, Roles: roles, Code: &p.Code,
	}
}

func (c *call) createUser(ctx context.Context) error {
	p := &userPage{Action: "/settings/users/new", Name: c.Str("name")}
	if _, err := c.Cfg.Ops.CreateUser(ctx, c.Who, c.userInput(p)); err != nil {
		return c.userRefused(ctx, p, err)
	}
	return c.Done("/settings/users", c.T("users.created", p.Name))
}

func (c *call) userRefused(ctx context.Context, p *userPage, err error) error {
	text, ours := c.Why(err)
	if !ours {
		return err
	}
	p.Problem = text
	return c.showUser(ctx, http.StatusUnprocessableEntity, p)
}

// userPageOf finds the user of the path.
func (c *call) userPageOf(ctx context.Context) (*userPage, error) {
	u, err := c.Cfg.Ops.User(ctx, c.Who, c.ID32("id"))
	if err != nil {
		return nil, err
	}
	p := &userPage{
		ID: u.ID, Name: u.Username, IsAdmin: u.Admin, Code: u.Code, Self: u.ID == c.User.ID,
		Action: "/settings/users/" + strconv.Itoa(int(u.ID)),
	}
	p.Chosen = u.Roles()
	return p, nil
}

func (c *call) editUser(ctx context.Context) error {
	p, err := c.userPageOf(ctx)
	if err != nil {
		return err
	}
	return c.showUser(ctx, http.StatusOK, p)
}

func (c *call) saveUser(ctx context.Context) error {
	p, err := c.userPageOf(ctx)
	if err != nil {
		return err
	}
	if err := c.Cfg.Ops.UpdateUser(ctx, c.Who, p.ID, c.userInput(p)); err != nil {
		return c.userRefused(ctx, p, err)
	}
	return c.Done("/settings/users", c.T("users.saved", p.Name))
}

func (c *call) deleteUser(ctx context.Context) error {
	if err := c.Cfg.Ops.DeleteUser(ctx, c.Who, c.ID32("id")); err != nil {
		return c.Refuse("/settings/users", err)
	}
	return c.Done("/settings/users", c.T("users.deleted"))
}
