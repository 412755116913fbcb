package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// userCmd manages users. With SQLite the admin must not run at the same time.
type userCmd struct {
	List   userList   `cmd:"" help:"List the users."`
	Add    userAdd    `cmd:"" help:"Add a user. Without --password-stdin the password is generated and printed."`
	Passwd userPasswd `cmd:"" help:"Set the password of a user, whose logins end."`
	Delete userDelete `cmd:"" help:"Delete a user, whose logins end."`
}

// userDB are the flags of all commands on users.
type userDB struct {
	database
	logFlags

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

// users does what commands do to users.
type users struct {
	*ops.Service
	store *store.Store
	auth  *auth.Service
}

// with opens the database for f.
func (d *userDB) with(ctx context.Context, con console, f func(u users) error) error {
	log := d.logger(con.err)
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
	return plain(f(users{Service: service, store: st, auth: logins}))
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

// find returns a user by name.
func (u users) find(ctx context.Context, name string) (*model.User, error) {
	found, err := u.store.UserByName(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("there is no user %q: xxl-job-admin user list shows them", name)
	}
	return found, err
}

// each calls f for every user.
func (u users) each(ctx context.Context, f func(*model.User)) error {
	for filter := (model.UserFilter{Limit: 500}); ; filter.Offset += filter.Limit {
		list, total, err := u.ListUsers(ctx, operator, filter)
		if err != nil {
			return err
		}
		for _, user := range list {
			f(user)
		}
		if len(list) == 0 || filter.Offset+len(list) >= total {
			return nil
		}
	}
}

// userList lists users.
type userList struct{ userDB }

// Run prints a table.
func (c *userList) Run(ctx context.Context, con console) error {
	return c.with(ctx, con, func(u users) error {
		table := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tNAME\tROLE\tGROUPS")
		err := u.each(ctx, func(user *model.User) {
			role, groups := "user", user.Permission.S
			if user.Admin {
				role, groups = "admin", "all"
			}
			fmt.Fprintf(table, "%d\t%s\t%s\t%s\n", user.ID, user.Username, role, groups)
		})
		return errors.Join(err, table.Flush())
	})
}

// newPassword is a password from standard input, or one that is made up.
type newPassword struct {
	PasswordStdin bool `help:"Read the password from the first line of standard input." env:"-"`
}

// get returns the password, and whether it was made up.
func (p newPassword) get(con console) (password string, generated bool, err error) {
	if !p.PasswordStdin {
		return strings.ToLower(rand.Text()[:20]), true, nil
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

func printPassword(con console, name, password string, generated bool) {
	if generated {
		fmt.Fprintf(con.out, "password of %s: %s\n", name, password)
	}
}

// userAdd adds a user.
type userAdd struct {
	userDB
	newPassword

	Name   string `arg:"" help:"Name, 4 to 20 characters."`
	Admin  bool   `help:"May do everything." env:"-"`
	Groups string `help:"${user_groups}" env:"-" placeholder:"IDS"`
}

// Run adds the user.
func (c *userAdd) Run(ctx context.Context, con console) error {
	password, generated, err := c.get(con)
	if err != nil {
		return err
	}
	return c.with(ctx, con, func(u users) error {
		_, err := u.CreateUser(ctx, operator, ops.UserInput{
			Username: c.Name, Password: password, Admin: c.Admin, Permission: c.Groups,
		})
		if err == nil {
			printPassword(con, c.Name, password, generated)
		}
		return err
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
	return c.with(ctx, con, func(u users) error {
		user, err := u.find(ctx, c.Name)
		if err != nil {
			return err
		}
		err = u.UpdateUser(ctx, operator, user.ID, ops.UserInput{
			Username: user.Username, Password: password, Admin: user.Admin, Permission: user.Permission.S,
		})
		if err == nil {
			printPassword(con, c.Name, password, generated)
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
func (c *userDelete) Run(ctx context.Context, con console) error {
	return c.with(ctx, con, func(u users) error {
		user, err := u.find(ctx, c.Name)
		if err != nil {
			return err
		}
		others := 0
		var fault error
		if err := u.each(ctx, func(other *model.User) {
			if other.Admin && other.ID != user.ID {
				can, err := u.auth.CanLogIn(ctx, other.ID)
				fault = errors.Join(fault, err)
				if can {
					others++
				}
			}
		}); err != nil {
			return err
		}
		if fault != nil {
			return fault
		}
		if user.Admin && others == 0 {
			return fmt.Errorf("%s is the last administrator who can log in: add another one first", user.Username)
		}
		return u.DeleteUser(ctx, operator, user.ID)
	})
}
