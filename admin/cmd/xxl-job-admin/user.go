package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
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

// users are the users of an admin or of a database.
type users interface {
	// list returns all users.
	list(ctx context.Context) ([]*client.User, error)
	// groups returns the ids of groups as they were typed.
	groups(ctx context.Context, names []string) ([]int32, error)
	// add stores a new user.
	add(ctx context.Context, in client.UserCreate) error
	// update sets role and groups of a user, and a password that is not "".
	update(ctx context.Context, u *client.User, in client.UserInput) error
	// grant gives a user a role in a group, or with "" takes it away.
	grant(ctx context.Context, user *client.User, group int32, role string) error
	// remove deletes a user.
	remove(ctx context.Context, id int32) error
	// canLogIn reports whether a user has a password with which to log in.
	canLogIn(ctx context.Context, id int32) (bool, error)
}

// remoteUsers are the users of a running admin.
type remoteUsers struct{ client *client.Client }

// list implements users.
func (u remoteUsers) list(ctx context.Context) ([]*client.User, error) {
	all := []*client.User{}
	for user, err := range u.client.Users(ctx, "") {
		if err != nil {
			return nil, err
		}
		all = append(all, user)
	}
	return all, nil
}

// groups implements users.
func (u remoteUsers) groups(ctx context.Context, names []string) ([]int32, error) {
	var ids []int32
	for _, name := range names {
		g, err := findGroup(ctx, u.client, name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, g.ID)
	}
	return ids, nil
}

// add implements users.
func (u remoteUsers) add(ctx context.Context, in client.UserCreate) error {
	_, err := u.client.CreateUser(ctx, in)
	return err
}

// update implements users.
func (u remoteUsers) update(ctx context.Context, user *client.User, in client.UserInput) error {
	_, err := u.client.UpdateUser(ctx, user.ID, in)
	return err
}

// grant implements users.
func (u remoteUsers) grant(ctx context.Context, user *client.User, group int32, role string) error {
	if role == "" {
		return u.client.RemoveMember(ctx, group, user.Username)
	}
	_, err := u.client.SetMember(ctx, group, user.Username, role)
	return err
}

// remove implements users.
func (u remoteUsers) remove(ctx context.Context, id int32) error { return u.client.DeleteUser(ctx, id) }

// canLogIn implements users. The admin does not tell, and refuses to be without
// an administrator.
func (u remoteUsers) canLogIn(context.Context, int32) (bool, error) { return true, nil }

// findUser returns a user by name.
func findUser(ctx context.Context, u users, name string) (*client.User, error) {
	all, err := u.list(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(user *client.User) bool { return user.Username == name })
	if i < 0 {
		return nil, notFound("there is no user %q: xxl-job-admin user list shows them", name)
	}
	return all[i], nil
}

// spare refuses to do something to the last administrator who can log in.
func spare(ctx context.Context, u users, user *client.User) error {
	if user.Role != client.RoleAdmin {
		return nil
	}
	all, err := u.list(ctx)
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.Role != client.RoleAdmin || other.ID == user.ID {
			continue
		}
		if can, err := u.canLogIn(ctx, other.ID); err != nil || can {
			return err
		}
	}
	return fmt.Errorf("%s is the last administrator who can log in: add another one first", safe(user.Username))
}

// userList lists users.
type userList struct {
	userDB
	output
}

// Run prints them by id.
func (c *userList) Run(ctx context.Context, con console) error {
	return c.with(ctx, con, func(u users) error {
		all, err := u.list(ctx)
		if err != nil {
			return err
		}
		slices.SortFunc(all, func(a, b *client.User) int { return int(a.ID) - int(b.ID) })
		return c.print(con, all, func(w io.Writer) {
			row(w, "ID", "NAME", "ROLE", "GROUPS")
			for _, user := range all {
				row(w, user.ID, user.Username, user.Role, rolesOf(user))
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
	output

	Name string `arg:"" help:"Name of the user."`
}

// Run prints the user.
func (c *userGet) Run(ctx context.Context, con console) error {
	return c.withUser(ctx, con, c.Name, func(_ users, user *client.User) error {
		return c.print(con, user, func(w io.Writer) {
			row(w, "ID", user.ID)
			row(w, "NAME", user.Username)
			row(w, "ROLE", user.Role)
			row(w, "GROUPS", rolesOf(user))
			row(w, "CODE", user.MayWriteCode || user.Role == client.RoleAdmin)
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
func (c *userGrant) Run(ctx context.Context, con console) error {
	return c.grantIn(ctx, con, c.Name, c.Group, c.Role)
}

// userRevoke takes a role in a group away.
type userRevoke struct {
	userDB

	Name  string `arg:"" help:"Name of the user."`
	Group string `arg:"" help:"${user_group}"`
}

// Run takes it away.
func (c *userRevoke) Run(ctx context.Context, con console) error {
	return c.grantIn(ctx, con, c.Name, c.Group, "")
}

// grantIn gives a user a role in a group, or with "" takes it away.
func (d *userDB) grantIn(ctx context.Context, con console, name, group, role string) error {
	return d.withUser(ctx, con, name, func(u users, user *client.User) error {
		ids, err := u.groups(ctx, []string{group})
		if err != nil {
			return err
		}
		return u.grant(ctx, user, ids[0], role)
	})
}

// newPassword is a password from standard input, or one that is made up.
type newPassword struct {
	PasswordStdin bool `help:"Read the password from the first line of standard input." env:"-"`
}

// get returns the password, and whether it was made up.
func (p newPassword) get(con console) (password string, generated bool, err error) {
	if !p.PasswordStdin {
		return randomPassword(), true, nil
	}
	line, err := bufio.NewReader(io.LimitReader(con.in, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, fmt.Errorf("read the password: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", false, usageError{errors.New("--password-stdin: standard input is empty")}
	}
	return line, false, nil
}

// randomPassword is as long as the Java admin takes them, with 100 random bits.
func randomPassword() string { return strings.ToLower(rand.Text()[:20]) }

func printPassword(con console, name, password string, generated bool) {
	if generated {
		fmt.Fprintf(con.out, "password of %s: %s\n", name, password)
	}
}

// rights are what a user may do.
type rights struct {
	Admin  bool     `help:"May do everything." env:"-"`
	Groups []string `help:"${user_groups}" env:"-" placeholder:"GROUPS"`
	Code   bool     `help:"May write the code of script jobs, where the admin allows it." env:"-"`
}

func (r *rights) input(ctx context.Context, u users) (client.UserInput, error) {
	in := client.UserInput{Role: client.RoleUser, MayWriteCode: &r.Code}
	if r.Admin {
		in.Role = client.RoleAdmin
	}
	for _, name := range r.Groups {
		if group, role, ok := strings.Cut(name, "="); ok {
			return in, usageError{fmt.Errorf("--groups gives the role editor and takes no other one: "+
				"xxl-job-admin user grant NAME %s %s gives another", group, role)}
		}
	}
	ids, err := u.groups(ctx, r.Groups)
	in.Roles = make([]client.GroupRole, len(ids))
	for i, id := range ids {
		in.Roles[i] = client.GroupRole{GroupID: id, Role: client.RoleEditor}
	}
	return in, err
}

// userAdd adds a user.
type userAdd struct {
	userDB
	newPassword
	rights

	Name string `arg:"" help:"Name, 4 to 20 characters."`
}

// Run adds the user.
func (c *userAdd) Run(ctx context.Context, con console) error {
	password, generated, err := c.get(con)
	if err != nil {
		return err
	}
	return c.with(ctx, con, func(u users) error {
		in, err := c.input(ctx, u)
		if err != nil {
			return err
		}
		in.Password = password
		if err := u.add(ctx, client.UserCreate{UserInput: in, Username: c.Name}); err != nil {
			return err
		}
		printPassword(con, c.Name, password, generated)
		return nil
	})
}

// userPasswd sets a password.
type userPasswd struct {
	userDB
	newPassword

	Name string `arg:"" help:"Name of the user."`
}

// Run sets the password.
func (c *userPasswd) Run(ctx context.Context, con console) error {
	password, generated, err := c.get(con)
	if err != nil {
		return err
	}
	return c.withUser(ctx, con, c.Name, func(u users, user *client.User) error {
		in := client.UserInput{Password: password, Role: user.Role, GroupIDs: user.GroupIDs}
		if err := u.update(ctx, user, in); err != nil {
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
func (c *userRole) Run(ctx context.Context, con console) error {
	return c.withUser(ctx, con, c.Name, func(u users, user *client.User) error {
		in, err := c.input(ctx, u)
		if err != nil {
			return err
		}
		if !c.Admin {
			if err := spare(ctx, u, user); err != nil {
				return err
			}
		}
		return u.update(ctx, user, in)
	})
}

// userDisable gives a user a password that nobody knows.
type userDisable struct {
	userDB

	Name string `arg:"" help:"Name of the user."`
}

// Run disables the user, unless nobody could administrate then.
func (c *userDisable) Run(ctx context.Context, con console) error {
	return c.withUser(ctx, con, c.Name, func(u users, user *client.User) error {
		if err := spare(ctx, u, user); err != nil {
			return err
		}
		return u.update(ctx, user, client.UserInput{
			Password: randomPassword(), Role: user.Role, GroupIDs: user.GroupIDs,
		})
	})
}

// userDelete deletes a user.
type userDelete struct {
	userDB

	Name string `arg:"" help:"Name of the user."`
}

// Run deletes the user, unless nobody could administrate then.
func (c *userDelete) Run(ctx context.Context, con console) error {
	return c.withUser(ctx, con, c.Name, func(u users, user *client.User) error {
		if err := spare(ctx, u, user); err != nil {
			return err
		}
		return u.remove(ctx, user.ID)
	})
}
