package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// userCmd manages users: those of a running admin, with a key, or those of a
// database.
type userCmd struct {
	List    userList    `cmd:"" help:"List the users."`
	Add     userAdd     `cmd:"" help:"Add a user. Without --password-stdin the password is generated and printed."`
	Passwd  userPasswd  `cmd:"" help:"Set the password of a user, whose logins end."`
	Get     userGet     `cmd:"" help:"Show a user with its roles."`
	Role    userRole    `cmd:"" help:"Set what a user may do."`
	Grant   userGrant   `cmd:"" help:"Give a user a role in a group."`
	Revoke  userRevoke  `cmd:"" help:"Take the role of a user in a group away."`
	Disable userDisable `cmd:"" help:"End the logins of a user, and let nobody log in before user passwd."`
	Delete  userDelete  `cmd:"" help:"Delete a user, whose logins end."`
}

// spare refuses to do something to the last administrator who can log in.
func spare(ctx context.Context, u cli.Users, user *client.User) error {
	if user.Role != client.RoleAdmin {
		return nil
	}
	all, err := u.List(ctx)
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.Role != client.RoleAdmin || other.ID == user.ID {
			continue
		}
		if can, err := u.CanLogIn(ctx, other.ID); err != nil || can {
			return err
		}
	}
	return fmt.Errorf("%s is the last administrator who can log in: add another one first", cli.Safe(user.Username))
}

// userList lists users.
type userList struct {
	userDB
	cli.Form

	Sort string `help:"${user_sort}" enum:"${user_sorts}" default:"id" env:"-"`
}

// Run prints them.
func (c *userList) Run(ctx context.Context, con cli.Console) error {
	return c.with(ctx, con, func(u cli.Users) error {
		all, err := u.List(ctx)
		if err != nil {
			return err
		}
		by, descending := strings.CutPrefix(c.Sort, "-")
		slices.SortFunc(all, func(a, b *client.User) int {
			n := cmp.Compare(a.ID, b.ID)
			switch by {
			case "username":
				n = cmp.Or(strings.Compare(a.Username, b.Username), n)
			case "role": // administrators behind the others, as /v1 has it
				n = cmp.Or(strings.Compare(b.Role, a.Role), n)
			}
			if descending {
				return -n
			}
			return n
		})
		return c.Print(con, all, func(w io.Writer) {
			cli.Row(w, "ID", "NAME", "ROLE", "GROUPS")
			for _, user := range all {
				cli.Row(w, user.ID, user.Username, user.Role, rolesOf(user))
			}
		})
	})
}

// rolesOf are the roles of a user by group, "3=viewer,7=editor".
func rolesOf(user *client.User) string {
	if user.Role == client.RoleAdmin {
		return "all"
	}
	list := make([]string, len(user.Roles))
	for i, r := range user.Roles {
		list[i] = fmt.Sprintf("%d=%s", r.GroupID, r.Role)
	}
	return strings.Join(list, ",")
}

// userGet shows a user.
type userGet struct {
	userDB
	cli.Form

	Name string `arg:"" help:"Name of the user."`
}

// Run prints the user.
func (c *userGet) Run(ctx context.Context, con cli.Console) error {
	return c.withUser(ctx, con, c.Name, func(_ cli.Users, user *client.User) error {
		return c.Print(con, user, func(w io.Writer) {
			cli.Row(w, "ID", user.ID)
			cli.Row(w, "NAME", user.Username)
			cli.Row(w, "ROLE", user.Role)
			cli.Row(w, "GROUPS", rolesOf(user))
			cli.Row(w, "CODE", user.MayWriteCode || user.Role == client.RoleAdmin)
		})
	})
}

// userGrant gives a role in a group.
type userGrant struct {
	userDB

	Name  string `arg:"" help:"Name of the user."`
	Group string `arg:"" help:"${user_group}"`
	Role  string `arg:"" help:"viewer, operator, editor or admin of the group." enum:"viewer,operator,editor,admin"`
}

// Run gives it, in the place of the one there was.
func (c *userGrant) Run(ctx context.Context, con cli.Console) error {
	return c.grantIn(ctx, con, c.Name, c.Group, c.Role)
}

// userRevoke takes a role in a group away.
type userRevoke struct {
	userDB

	Name  string `arg:"" help:"Name of the user."`
	Group string `arg:"" help:"${user_group}"`
}

// Run takes it away.
func (c *userRevoke) Run(ctx context.Context, con cli.Console) error {
	return c.grantIn(ctx, con, c.Name, c.Group, "")
}

// grantIn gives a user a role in a group, or with "" takes it away.
func (d *userDB) grantIn(ctx context.Context, con cli.Console, name, group, role string) error {
	return d.withUser(ctx, con, name, func(u cli.Users, user *client.User) error {
		ids, err := u.Groups(ctx, []string{group})
		if err != nil {
			return err
		}
		if err := u.Grant(ctx, user, ids[0], role); err != nil {
			return err
		}
		if role == "" {
			fmt.Fprintf(con.Out, "%s has no role in group %s any more\n", cli.Safe(user.Username), cli.Safe(group))
		} else {
			fmt.Fprintf(con.Out, "%s is %s in group %s\n", cli.Safe(user.Username), role, cli.Safe(group))
		}
		return nil
	})
}

func printPassword(con cli.Console, name, password string, generated bool) {
	if generated {
		fmt.Fprintf(con.Out, "password of %s: %s\n", name, password)
	}
}

// rights are what a user may do.
type rights struct {
	Admin  bool     `help:"May do everything." env:"-"`
	Groups []string `help:"${user_groups}" env:"-" placeholder:"GROUPS"`
	Code   bool     `help:"May write the code of script jobs, where the admin allows it." env:"-"`
}

// groupRoles are what a user can be in a group.
var groupRoles = []string{"viewer", "operator", client.RoleEditor, client.RoleAdmin}

func (r *rights) input(ctx context.Context, u cli.Users) (client.UserInput, error) {
	in := client.UserInput{Role: client.RoleUser, MayWriteCode: &r.Code}
	if r.Admin {
		in.Role = client.RoleAdmin
	}
	in.Roles = make([]client.GroupRole, len(r.Groups))
	names := make([]string, len(r.Groups))
	for i, text := range r.Groups {
		group, role, ok := strings.Cut(text, "=")
		if !ok {
			role = client.RoleEditor
		}
		if !slices.Contains(groupRoles, role) {
			return in, cli.UsageError{Err: fmt.Errorf("--groups %s: there is no role %q, use one of %s", text, role,
				strings.Join(groupRoles, ", "))}
		}
		names[i], in.Roles[i].Role = group, role
	}
	ids, err := u.Groups(ctx, names)
	for i, id := range ids {
		in.Roles[i].GroupID = id
	}
	return in, err
}

// userAdd adds a user.
type userAdd struct {
	userDB
	cli.PasswordFlag
	rights

	Name string `arg:"" help:"Name, 4 to 20 characters."`
}

// Run adds the user.
func (c *userAdd) Run(ctx context.Context, con cli.Console) error {
	password, generated, err := c.Get(con)
	if err != nil {
		return err
	}
	return c.with(ctx, con, func(u cli.Users) error {
		in, err := c.input(ctx, u)
		if err != nil {
			return err
		}
		in.Password = password
		if err := u.Add(ctx, client.UserCreate{UserInput: in, Username: c.Name}); err != nil {
			return err
		}
		printPassword(con, c.Name, password, generated)
		return nil
	})
}

// userPasswd sets a password.
type userPasswd struct {
	userDB
	cli.PasswordFlag

	Name string `arg:"" help:"Name of the user."`
}

// Run sets the password.
func (c *userPasswd) Run(ctx context.Context, con cli.Console) error {
	password, generated, err := c.Get(con)
	if err != nil {
		return err
	}
	return c.withUser(ctx, con, c.Name, func(u cli.Users, user *client.User) error {
		in := client.UserInput{Password: password, Role: user.Role, GroupIDs: user.GroupIDs}
		if err := u.Update(ctx, user, in); err != nil {
			return err
		}
		printPassword(con, c.Name, password, generated)
		return nil
	})
}

// userRole sets role and groups.
type userRole struct {
	userDB
	rights

	Name string `arg:"" help:"Name of the user."`
}

// Run sets them, unless nobody could administrate then.
func (c *userRole) Run(ctx context.Context, con cli.Console) error {
	return c.withUser(ctx, con, c.Name, func(u cli.Users, user *client.User) error {
		in, err := c.input(ctx, u)
		if err != nil {
			return err
		}
		if !c.Admin {
			if err := spare(ctx, u, user); err != nil {
				return err
			}
		}
		return u.Update(ctx, user, in)
	})
}

// userDisable gives a user a password that nobody knows.
type userDisable struct {
	userDB

	Name string `arg:"" help:"Name of the user."`
}

// Run disables the user, unless nobody could administrate then.
func (c *userDisable) Run(ctx context.Context, con cli.Console) error {
	return c.withUser(ctx, con, c.Name, func(u cli.Users, user *client.User) error {
		if err := spare(ctx, u, user); err != nil {
			return err
		}
		err := u.Update(ctx, user, client.UserInput{
			Password: cli.RandomPassword(), Role: user.Role, GroupIDs: user.GroupIDs,
		})
		if err == nil {
			fmt.Fprintf(con.Out, "disabled user %s: xxl-job-admin user passwd lets in again\n", cli.Safe(user.Username))
		}
		return err
	})
}

// userDelete deletes a user.
type userDelete struct {
	userDB

	Name string `arg:"" help:"Name of the user."`
}

// Run deletes the user, unless nobody could administrate then.
func (c *userDelete) Run(ctx context.Context, con cli.Console) error {
	return c.withUser(ctx, con, c.Name, func(u cli.Users, user *client.User) error {
		if err := spare(ctx, u, user); err != nil {
			return err
		}
		if err := u.Remove(ctx, user.ID); err != nil {
			return err
		}
		fmt.Fprintf(con.Out, "deleted user %d %s\n", user.ID, cli.Safe(user.Username))
		return nil
	})
}
