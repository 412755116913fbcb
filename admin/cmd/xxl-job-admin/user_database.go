package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/cli"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// userDB are the flags of all commands on users.
type userDB struct {
	cli.Remote
	database
	logFlags

	Offline        bool   `help:"${user_offline}" env:"-"`
	SharedWithJava string `help:"${user_shared_with_java}" enum:"auto,yes,no" default:"auto"`
}

// operator is who uses the command line: whoever can open the database.
var operator = ops.Principal{Name: "command line", Admin: true, Source: "cli"}

// offline stands for the parts of a running admin. Nothing that is done to
// users needs them.
type offline struct {
	ops.Scheduler
	ops.Dispatcher
	ops.Executors
	ops.Registry
	ops.Completion
}

// with calls f with the users of the running admin, where there is a key for it,
// and else with those of the database. With SQLite the admin must not run then.
func (d *userDB) with(ctx context.Context, con cli.Console, f func(u cli.Users) error) error {
	if d.Key != "" && !d.Offline {
		return d.Remote.With(func(c *client.Client) error { return f(cli.RemoteUsers{Client: c}) })
	}
	return d.open(ctx, con, f)
}

// withUser is with for a command about one user.
func (d *userDB) withUser(
	ctx context.Context, con cli.Console, name string, f func(u cli.Users, user *client.User) error,
) error {
	return d.with(ctx, con, func(u cli.Users) error {
		user, err := cli.FindUser(ctx, u, name)
		if err != nil {
			return err
		}
		return f(u, user)
	})
}

// open opens the database for f.
func (d *userDB) open(ctx context.Context, con cli.Console, f func(u cli.Users) error) error {
	log := d.logger(con.Err)
	if file, ok := strings.CutPrefix(d.dsn(), "sqlite:"); ok {
		file = strings.TrimPrefix(file, "//")
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) { // it would be made
			return fmt.Errorf("there is no database %s yet: run xxl-job-admin migrate, or start the admin once; "+
				"or name another one with --data-dir or --db, behind the subcommand", file)
		}
	}
	st, err := d.openStore(ctx, log, false)
	if err != nil {
		return err
	}
	defer st.Close()
	info := st.Info()
	if info.Generation == "" {
		return errors.New("the database has no tables yet: run xxl-job-admin migrate, or start the admin once")
	}
	if err := st.Migrate(ctx); err != nil { // our tables may be missing in one that a Java admin made
		return err
	}
	logins := passwords(st, d.SharedWithJava, log)
	service, err := ops.New(ops.Config{
		Store: st, Scheduler: offline{}, Dispatcher: offline{}, Executors: offline{}, Registry: offline{},
		Completion: offline{}, Passwords: logins,
		Logger: slog.New(slog.DiscardHandler), // what is done is printed, and on record in the database
	})
	if err != nil {
		return err
	}
	return plain(f(storedUsers{ops: service, auth: logins}))
}

// passwords makes hashes as the admin does.
func passwords(st *store.Store, shared string, log *slog.Logger) *auth.Service {
	info := st.Info()
	java := auth.JavaUnusable
	if shared == "yes" || shared == "auto" && !info.MadeByUs {
		java = auth.JavaMD5
		if info.TokenColumn {
			java = auth.JavaSHA256
		}
	}
	return auth.New(auth.Config{
		Users: st, Sessions: st, JavaHash: java, Logger: log,
		NotFound: func(err error) bool { return errors.Is(err, store.ErrNotFound) },
	})
}

// plain turns a refusal into its English text.
func plain(err error) error {
	var refused *ops.Error
	if !errors.As(err, &refused) {
		return err
	}
	text := refused.Text(i18n.En)
	if refused.Detail != "" {
		text = strings.TrimPrefix(text+": "+refused.Detail, ": ")
	}
	return errors.New(text)
}

// storedUsers are the users of a database.
type storedUsers struct {
	ops  *ops.Service
	auth *auth.Service
}

// List implements Users.
func (u storedUsers) List(ctx context.Context) ([]*client.User, error) {
	var all []*client.User
	for filter := (model.UserFilter{Limit: 500}); ; filter.Offset += filter.Limit {
		page, total, err := u.ops.ListUsers(ctx, operator, filter)
		if err != nil {
			return nil, err
		}
		for _, user := range page {
			role := client.RoleUser
			if user.Admin {
				role = client.RoleAdmin
			}
			one := &client.User{
				ID: user.ID, Username: user.Username, Role: role, GroupIDs: user.Groups(), MayWriteCode: user.Code,
				Roles: []client.GroupRole{},
			}
			roles := user.Roles()
			for _, id := range slices.Sorted(maps.Keys(roles)) {
				one.Roles = append(one.Roles, client.GroupRole{GroupID: id, Role: roles[id].String()})
			}
			all = append(all, one)
		}
		if len(page) == 0 || filter.Offset+len(page) >= total {
			return all, nil
		}
	}
}

// Groups implements Users.
func (u storedUsers) Groups(_ context.Context, names []string) ([]int32, error) {
	var ids []int32
	for _, name := range names {
		id, ok := cli.AsID(name)
		if !ok {
			return nil, cli.UsageError{Err: fmt.Errorf("%q is no id of a group; names are for a running admin", name)}
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func storedInput(name string, in client.UserInput) ops.UserInput {
	ids := make([]string, len(in.GroupIDs))
	for i, id := range in.GroupIDs {
		ids[i] = strconv.Itoa(int(id))
	}
	stored := ops.UserInput{
		Username: name, Password: in.Password, Admin: in.Role == client.RoleAdmin, Permission: strings.Join(ids, ","),
		Code: in.MayWriteCode,
	}
	if in.Roles != nil {
		stored.Roles = make(map[int32]model.Role, len(in.Roles))
		for _, r := range in.Roles {
			stored.Roles[r.GroupID], _ = model.ParseRole(r.Role)
		}
	}
	return stored
}

// Grant implements Users.
func (u storedUsers) Grant(ctx context.Context, user *client.User, group int32, role string) error {
	r, _ := model.ParseRole(role)
	_, err := u.ops.SetMember(ctx, operator, group, user.Username, r)
	return err
}

// Add implements Users.
func (u storedUsers) Add(ctx context.Context, in client.UserCreate) error {
	_, err := u.ops.CreateUser(ctx, operator, storedInput(in.Username, in.UserInput))
	return err
}

// Update implements Users.
func (u storedUsers) Update(ctx context.Context, user *client.User, in client.UserInput) error {
	return u.ops.UpdateUser(ctx, operator, user.ID, storedInput(user.Username, in))
}

// Remove implements Users.
func (u storedUsers) Remove(ctx context.Context, id int32) error {
	return u.ops.DeleteUser(ctx, operator, id)
}

// CanLogIn implements Users.
func (u storedUsers) CanLogIn(ctx context.Context, id int32) (bool, error) {
	return u.auth.CanLogIn(ctx, id)
}
