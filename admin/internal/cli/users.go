package cli

import (
	"context"
	"slices"

	"github.com/xxljob-go/xxljob/admin/client"
)

// Users are the users of an admin or of a database.
type Users interface {
	// List returns all users.
	List(ctx context.Context) ([]*client.User, error)
	// Groups returns the ids of groups as they were typed.
	Groups(ctx context.Context, names []string) ([]int32, error)
	// Add stores a new user.
	Add(ctx context.Context, in client.UserCreate) error
	// Update sets role and groups of a user, and a password that is not "".
	Update(ctx context.Context, u *client.User, in client.UserInput) error
	// Grant gives a user a role in a group, or with "" takes it away.
	Grant(ctx context.Context, user *client.User, group int32, role string) error
	// Remove deletes a user.
	Remove(ctx context.Context, id int32) error
	// CanLogIn reports whether a user has a password with which to log in.
	CanLogIn(ctx context.Context, id int32) (bool, error)
}

// RemoteUsers are the users of a running admin.
type RemoteUsers struct{ Client *client.Client }

// List implements Users.
func (u RemoteUsers) List(ctx context.Context) ([]*client.User, error) {
	all := []*client.User{}
	for user, err := range u.Client.Users(ctx, client.UserFilter{}) {
		if err != nil {
			return nil, err
		}
		all = append(all, user)
	}
	return all, nil
}

// Groups implements Users.
func (u RemoteUsers) Groups(ctx context.Context, names []string) ([]int32, error) {
	var ids []int32
	for _, name := range names {
		g, err := findGroup(ctx, u.Client, name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, g.ID)
	}
	return ids, nil
}

// Add implements Users.
func (u RemoteUsers) Add(ctx context.Context, in client.UserCreate) error {
	_, err := u.Client.CreateUser(ctx, in)
	return err
}

// Update implements Users.
func (u RemoteUsers) Update(ctx context.Context, user *client.User, in client.UserInput) error {
	_, err := u.Client.UpdateUser(ctx, user.ID, in)
	return err
}

// Grant implements Users.
func (u RemoteUsers) Grant(ctx context.Context, user *client.User, group int32, role string) error {
	if role == "" {
		return u.Client.RemoveMember(ctx, group, user.Username)
	}
	_, err := u.Client.SetMember(ctx, group, user.Username, role)
	return err
}

// Remove implements Users.
func (u RemoteUsers) Remove(ctx context.Context, id int32) error { return u.Client.DeleteUser(ctx, id) }

// CanLogIn implements Users. The admin does not tell, and refuses to be without
// an administrator.
func (u RemoteUsers) CanLogIn(context.Context, int32) (bool, error) { return true, nil }

// FindUser returns a user by name.
func FindUser(ctx context.Context, u Users, name string) (*client.User, error) {
	all, err := u.List(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(user *client.User) bool { return user.Username == name })
	if i < 0 {
		return nil, notFound("there is no user %q: xxl-job-admin user list shows them", name)
	}
	return all[i], nil
}
