package console

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const usersPerPage = 50

// registerSettings registers what is about people and about the admin itself.
func (s *Server) registerSettings() {
	s.page("/settings", httpx.LoggedIn, (*call).account)
	s.action("/settings/password", httpx.LoggedIn, (*call).changePassword)
	s.page("/settings/users", httpx.Admin, (*call).users)
	s.page("/settings/users/new", httpx.Admin, (*call).newUser)
	s.action("/settings/users/new", httpx.Admin, (*call).createUser)
	s.page("/settings/users/{id}", httpx.Admin, (*call).editUser)
	s.action("/settings/users/{id}", httpx.Admin, (*call).saveUser)
	s.action("/settings/users/{id}/delete", httpx.Admin, (*call).deleteUser)
	s.page("/settings/audit", httpx.Admin, (*call).audit)
	s.page("/settings/audit.csv", httpx.Admin, (*call).auditCSV)
	s.registerKeys()
	s.registerSessions()
	s.registerRetention()
	s.registerSystem()
}

// settingsPage is a page of the settings.
type settingsPage struct {
	name, path string
	admin      bool // for administrators only
}

// settingsPages are those that the visitor may see.
func (c *call) settingsPages() []settingsPage {
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
	return slices.DeleteFunc(all, func(p settingsPage) bool { return p.admin && !c.user.Admin })
}

// settingsTabs are the pages of the settings that the visitor may see.
func (c *call) settingsTabs(current string) []tab {
	var list []tab
	for _, t := range c.settingsPages() {
		list = append(list, tab{Text: c.t("settings." + t.name), Path: t.path, Current: t.name == current})
	}
	return list
}

// settingsHead is the head of a page of the settings.
func (c *call) settingsHead(title string) head {
	return head{Title: title, Section: "settings", Crumbs: []crumb{{c.t("nav.settings"), "/settings"}}}
}

// accountPage is the visitor's own account.
type accountPage struct {
	Tabs    []tab
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
			list = append(list, roleIn{g.Title, c.roleName(r)})
		}
	}
	return list
}

func (c *call) account(ctx context.Context) error { return c.showAccount(ctx, http.StatusOK, "") }

func (c *call) showAccount(ctx context.Context, status int, problem string) error {
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	return c.renderStatus(ctx, status, "account", c.settingsHead(c.t("settings.account")), accountPage{
		Tabs: c.settingsTabs("account"), Name: c.user.Username, Admin: c.user.Admin,
		Groups: c.rolesIn(c.who.Roles, groups), Problem: problem,
	})
}

// changePassword changes the visitor's own password, which ends all of the
// visitor's sessions.
func (c *call) changePassword(ctx context.Context) error {
	next := c.r.PostForm.Get("password")
	if next != c.r.PostForm.Get("again") {
		return c.showAccount(ctx, http.StatusUnprocessableEntity, c.t("account.differ"))
	}
	err := c.s.cfg.Ops.ChangeOwnPassword(ctx, c.who, c.r.PostForm.Get("old"), next)
	if wait, ok := later(err); ok {
		return c.showAccount(ctx, http.StatusTooManyRequests, c.t("signin.wait", int(wait.Seconds())+1))
	}
	if err != nil {
		text, ours := c.why(err)
		if !ours {
			return err
		}
		return c.showAccount(ctx, http.StatusUnprocessableEntity, text)
	}
	c.cookie(sessionCookie, "", -time.Second)
	return c.done("/signin", c.t("account.changed"))
}

// usersPage is the list of users.
type usersPage struct {
	Tabs  []tab
	Name  string
	Users []userLine
	Pager pager
}

// userLine is a user in the list.
type userLine struct {
	*model.User
	Groups []roleIn
	Self   bool
}

func (c *call) users(ctx context.Context) error {
	filter := c.filter("name")
	page := max(c.num("page", 1), 1)
	list, total, err := c.s.cfg.Ops.ListUsers(ctx, c.who, model.UserFilter{
		Username: filter.Get("name"), Limit: usersPerPage, Offset: (page - 1) * usersPerPage,
	})
	if err != nil {
		return err
	}
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	p := usersPage{
		Tabs: c.settingsTabs("users"), Name: filter.Get("name"),
		Pager: pages("/settings/users", filter, page, usersPerPage, len(list), total),
	}
	for _, u := range list {
		p.Users = append(p.Users, userLine{User: u, Groups: c.rolesIn(u.Roles(), groups), Self: u.ID == c.user.ID})
	}
	return c.render(ctx, "users", c.settingsHead(c.t("settings.users")), p)
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
	Roles    []choice
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
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	p.CodeOff = !c.s.cfg.CodeEditing
	p.Roles = append([]choice{{"", c.roleName(model.RoleNone)}}, c.roleChoices()...)
	for _, g := range groups {
		p.Groups = append(p.Groups, groupRole{g.ID, g.Title + " (" + g.AppName + ")", p.Chosen[g.ID].String()})
	}
	title := c.t("users.new")
	if p.ID > 0 {
		title = p.Name
		if !p.Self {
			p.Deletion = p.Action + "/delete"
		}
	}
	h := c.settingsHead(title)
	h.Crumbs = append(h.Crumbs, crumb{c.t("settings.users"), "/settings/users"})
	return c.renderStatus(ctx, status, "user", h, p)
}

// userInput reads the form of a user. Roles in groups that the form does not name
// stay.
func (c *call) userInput(p *userPage) ops.UserInput {
	p.IsAdmin, p.Code = c.str("role") == "admin", c.str("code") != ""
	roles := maps.Clone(p.Chosen)
	if roles == nil {
		roles = map[int32]model.Role{}
	}
	for name := range c.r.PostForm {
		text, ok := strings.CutPrefix(name, "role-")
		id, err := strconv.ParseInt(text, 10, 32)
		if !ok || err != nil || id <= 0 {
			continue
		}
		role, _ := model.ParseRole(c.str(name))
		if roles[int32(id)] = role; role == model.RoleNone {
			delete(roles, int32(id))
		}
	}
	p.Chosen = roles
	return ops.UserInput{
		Username: p.Name, Password: c.r.PostForm.Get("password"), Admin: p.IsAdmin, Roles: roles, Code: &p.Code,
	}
}

func (c *call) createUser(ctx context.Context) error {
	p := &userPage{Action: "/settings/users/new", Name: c.str("name")}
	if _, err := c.s.cfg.Ops.CreateUser(ctx, c.who, c.userInput(p)); err != nil {
		return c.userRefused(ctx, p, err)
	}
	return c.done("/settings/users", c.t("users.created", p.Name))
}

func (c *call) userRefused(ctx context.Context, p *userPage, err error) error {
	text, ours := c.why(err)
	if !ours {
		return err
	}
	p.Problem = text
	return c.showUser(ctx, http.StatusUnprocessableEntity, p)
}

// userPageOf finds the user of the path.
func (c *call) userPageOf(ctx context.Context) (*userPage, error) {
	u, err := c.s.cfg.Ops.User(ctx, c.who, c.id32("id"))
	if err != nil {
		return nil, err
	}
	p := &userPage{
		ID: u.ID, Name: u.Username, IsAdmin: u.Admin, Code: u.Code, Self: u.ID == c.user.ID,
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
	if err := c.s.cfg.Ops.UpdateUser(ctx, c.who, p.ID, c.userInput(p)); err != nil {
		return c.userRefused(ctx, p, err)
	}
	return c.done("/settings/users", c.t("users.saved", p.Name))
}

func (c *call) deleteUser(ctx context.Context) error {
	if err := c.s.cfg.Ops.DeleteUser(ctx, c.who, c.id32("id")); err != nil {
		return c.refuse("/settings/users", err)
	}
	return c.done("/settings/users", c.t("users.deleted"))
}
