package rest

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// userView is a user as it is answered.
type userView struct {
	ID       int32      `json:"id"`
	Username string     `json:"username"`
	Role     string     `json:"role"`
	GroupIDs []int32    `json:"group_ids"` // of an editor or admin
	Code     bool       `json:"may_write_code"`
	Roles    []roleView `json:"roles"`
}

// roleView is a role in a group.
type roleView struct {
	GroupID int32  `json:"group_id"`
	Role    string `json:"role"`
}

func viewRoles(roles map[int32]model.Role) []roleView {
	list := make([]roleView, 0, len(roles))
	for _, id := range slices.Sorted(maps.Keys(roles)) {
		list = append(list, roleView{id, roles[id].String()})
	}
	return list
}

// userInput is a user as an editor gives it.
type userInput struct {
	Password string `json:"password"`
	Role     string `json:"role"`
	// GroupIDs does what a console of the Java admin does: an editor of these, and
	// what the user was below that in others.
	GroupIDs []int32     `json:"group_ids"`
	Roles    *[]roleView `json:"roles"` // instead: all that the user may do
	Code     *bool       `json:"may_write_code"`
}

const (
	roleAdmin = "admin"
	roleUser  = "user"
)

func viewUser(u *model.User) userView {
	v := userView{
		ID: u.ID, Username: u.Username, Role: roleUser, GroupIDs: orEmpty(u.Groups()), Code: u.Code,
		Roles: viewRoles(u.Roles()),
	}
	if u.Admin {
		v.Role = roleAdmin
	}
	return v
}

func (in *userInput) input(f *faults, name string) ops.UserInput {
	if in.Role == "" {
		f.add("/role", "it is missing")
	}
	ids := make([]string, len(in.GroupIDs))
	for i, id := range in.GroupIDs {
		if ids[i] = strconv.Itoa(int(id)); id < 1 {
			f.add("/group_ids/"+strconv.Itoa(i), "an id from 1 on")
		}
	}
	role := enum(f, "/role", in.Role, roleUser, roleUser, roleAdmin)
	return ops.UserInput{
		Username: name, Password: in.Password, Admin: role == roleAdmin, Permission: strings.Join(ids, ","),
		Code: in.Code, Roles: in.roles(f),
	}
}

// roles reads the roles; nil where there are none given.
func (in *userInput) roles(f *faults) map[int32]model.Role {
	if in.Roles == nil {
		return nil
	}
	if in.GroupIDs != nil {
		f.add("/roles", "give these or group_ids, not both")
	}
	roles := make(map[int32]model.Role, len(*in.Roles))
	for i, r := range *in.Roles {
		at := "/roles/" + strconv.Itoa(i)
		if r.GroupID < 1 {
			f.add(at+"/group_id", "an id from 1 on")
		}
		if _, twice := roles[r.GroupID]; twice {
			f.add(at+"/group_id", "name each group once")
		}
		roles[r.GroupID] = readRole(f, at+"/role", r.Role)
	}
	return roles
}

// readRole reads the role in a group.
func readRole(f *faults, pointer, name string) model.Role {
	role, ok := model.ParseRole(name)
	if !ok {
		var names []string
		for _, r := range model.Roles() {
			names = append(names, r.String())
		}
		f.add(pointer, "use one of "+joined(names))
	}
	return role
}

func listUsers(ctx context.Context, c *call) error {
	limit, m, err := c.paging()
	if err != nil {
		return err
	}
	name, err := c.short("username", 64)
	if err != nil {
		return err
	}
	order, err := c.order(m, model.OrderID, model.OrderUser, model.OrderRole)
	if err != nil {
		return err
	}
	users, _, err := c.s.cfg.Ops.ListUsers(ctx, c.who, model.UserFilter{Username: name, Order: order, Limit: limit + 1})
	if err != nil {
		return err
	}
	users, more := cut(users, limit)
	answer := page[userView]{Items: make([]userView, 0, len(users))}
	var last mark
	for _, u := range users {
		answer.Items, last = append(answer.Items, viewUser(u)), markOf(u.Mark(order.By))
	}
	answer.NextCursor = c.next(more, last)
	return c.json(http.StatusOK, answer)
}

func (c *call) showUser(ctx context.Context, id int32) error {
	u, err := c.s.cfg.Ops.User(ctx, c.who, id)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, viewUser(u))
}

func getUser(ctx context.Context, c *call) error {
	id, err := c.id32("user_id")
	if err != nil {
		return err
	}
	return c.showUser(ctx, id)
}

func createUser(ctx context.Context, c *call) error {
	var in struct {
		userInput

		Username string `json:"username"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	var f faults
	user := in.input(&f, in.Username)
	if err := f.err(); err != nil {
		return err
	}
	id, err := c.s.cfg.Ops.CreateUser(ctx, c.who, user)
	if err != nil {
		return err
	}
	u, err := c.s.cfg.Ops.User(ctx, c.who, id)
	if err != nil {
		return err
	}
	return c.created(http.StatusCreated, "/v1/users/"+strconv.Itoa(int(id)), viewUser(u))
}

func updateUser(ctx context.Context, c *call) error {
	id, err := c.id32("user_id")
	if err != nil {
		return err
	}
	var in userInput
	if err := c.decode(&in); err != nil {
		return err
	}
	var f faults
	user := in.input(&f, "")
	if err := f.err(); err != nil {
		return err
	}
	if err := c.s.cfg.Ops.UpdateUser(ctx, c.who, id, user); err != nil {
		return err
	}
	return c.showUser(ctx, id)
}

func deleteUser(ctx context.Context, c *call) error {
	id, err := c.id32("user_id")
	if err != nil {
		return err
	}
	if _, err := c.s.cfg.Ops.User(ctx, c.who, id); err != nil {
		return err
	}
	if err := c.s.cfg.Ops.DeleteUser(ctx, c.who, id); err != nil {
		return err
	}
	return c.gone()
}

// keyInput is an API key as an editor gives it.
type keyInput struct {
	Name      string       `json:"name"`
	Verbs     []model.Verb `json:"verbs"`
	GroupIDs  *[]int32     `json:"group_ids"` // null is all
	ExpiresAt *string      `json:"expires_at"`
}

// keyView is an API key as it is answered.
type keyView struct {
	ID int64 `json:"id"`
	keyInput

	Prefix     string  `json:"prefix"`
	CreatedBy  string  `json:"created_by"`
	CreatedAt  string  `json:"created_at"`
	LastUsedAt *string `json:"last_used_at"`
	RevokedAt  *string `json:"revoked_at"`
}

func viewKey(k *model.Key) keyView {
	v := keyView{
		ID: k.ID, Prefix: k.Prefix, CreatedBy: k.CreatedBy, CreatedAt: at(k.Created),
		LastUsedAt: atOrNull(k.Used), RevokedAt: atOrNull(k.Revoked),
		keyInput: keyInput{Name: k.Name, Verbs: k.Verbs, ExpiresAt: atOrNull(k.Expires)},
	}
	if !k.AllGroups {
		ids := orEmpty(k.GroupIDs)
		v.GroupIDs = &ids
	}
	return v
}

func listKeys(ctx context.Context, c *call) error {
	limit, m, err := c.paging()
	if err != nil {
		return err
	}
	order, err := c.order(m, model.OrderID, model.OrderName, model.OrderUsed, model.OrderExpires)
	if err != nil {
		return err
	}
	keys, err := c.s.cfg.Ops.ListKeys(ctx, c.who, model.KeyFilter{Order: order, Limit: limit + 1})
	if err != nil {
		return err
	}
	keys, more := cut(keys, limit)
	answer := page[keyView]{Items: make([]keyView, 0, len(keys))}
	var last mark
	for _, k := range keys {
		answer.Items, last = append(answer.Items, viewKey(k)), markOf(k.Mark(order.By))
	}
	answer.NextCursor = c.next(more, last)
	return c.json(http.StatusOK, answer)
}

func createKey(ctx context.Context, c *call) error {
	var in keyInput
	if err := c.decode(&in); err != nil {
		return err
	}
	key := ops.KeyInput{Name: in.Name, Verbs: in.Verbs, AllGroups: in.GroupIDs == nil}
	if in.GroupIDs != nil {
		key.GroupIDs = *in.GroupIDs
	}
	if in.ExpiresAt != nil {
		var err error
		if key.Expires, err = time.Parse(time.RFC3339, *in.ExpiresAt); err != nil {
			return problem(kindInvalid, "see errors",
				fieldFault{"/expires_at", "an instant such as 2026-11-21T21:49:49Z"})
		}
	}
	k, secret, err := c.s.cfg.Ops.CreateKey(ctx, c.who, key)
	if err != nil {
		return err
	}
	return c.created(http.StatusCreated, "/v1/keys/"+strconv.FormatInt(k.ID, 10), struct {
		keyView

		Secret string `json:"secret"`
	}{viewKey(k), secret})
}

func getKey(ctx context.Context, c *call) error {
	id, err := c.id64("key_id")
	if err != nil {
		return err
	}
	k, err := c.s.cfg.Ops.Key(ctx, c.who, id)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, viewKey(k))
}

func revokeKey(ctx context.Context, c *call) error {
	id, err := c.id64("key_id")
	if err != nil {
		return err
	}
	if err := c.s.cfg.Ops.RevokeKey(ctx, c.who, id); err != nil {
		return err
	}
	return c.gone()
}
