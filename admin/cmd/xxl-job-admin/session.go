package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/xxljob-go/xxljob/admin/client"
)

// sessionCmd works on logins.
type sessionCmd struct {
	List sessionList `cmd:"" help:"List logins, the last used first."`
	End  sessionEnd  `cmd:"" help:"End logins at once, on every node."`
}

// sessionList lists logins.
type sessionList struct {
	remote
	output

	User  string `help:"Only of this user." env:"-" placeholder:"NAME"`
	Limit int    `help:"How many at most." short:"n" default:"100" env:"-"`
}

// Run prints them.
func (l *sessionList) Run(ctx context.Context, con console) error {
	if l.Limit < 1 {
		return usageError{fmt.Errorf("--limit %d must be above 0", l.Limit)}
	}
	return l.with(func(c *client.Client) error {
		var user int32
		if l.User != "" {
			found, err := findUser(ctx, remoteUsers{c}, l.User)
			if err != nil {
				return err
			}
			user = found.ID
		}
		list := []*client.Login{}
		for s, err := range c.Logins(ctx, user) {
			if err != nil {
				return err
			}
			if list = append(list, s); len(list) == l.Limit {
				break
			}
		}
		return l.print(con, list, func(w io.Writer) {
			row(w, "ID", "USER", "FROM", "SINCE", "LAST USED", "ENDS", "AGENT")
			for _, s := range list {
				row(w, s.ID, dash(s.Username), dash(s.Client), clock(&s.CreatedAt), clock(&s.SeenAt),
					clock(&s.ExpiresAt), firstLine(s.Agent))
			}
		})
	})
}

// sessionEnd ends logins.
type sessionEnd struct {
	remote

	IDs  []string `arg:"" optional:"" name:"id" help:"Ids of logins, as session list shows them."`
	User string   `help:"All logins of this user instead." env:"-" placeholder:"NAME"`
}

// Run ends them.
func (e *sessionEnd) Run(ctx context.Context, con console) error {
	if (e.User == "") == (len(e.IDs) == 0) {
		return usageError{errors.New("give the ids of logins, or --user")}
	}
	return e.with(func(c *client.Client) error {
		if e.User != "" {
			user, err := findUser(ctx, remoteUsers{c}, e.User)
			if err != nil {
				return err
			}
			n, err := c.EndLogins(ctx, user.ID)
			if err != nil {
				return err
			}
			fmt.Fprintf(con.out, "logins of %s that were ended: %d\n", safe(user.Username), n)
			return nil
		}
		for _, id := range e.IDs {
			if err := c.EndLogin(ctx, id); err != nil {
				if errors.Is(err, client.ErrNotFound) {
					return notFound("there is no login %q: xxl-job-admin session list shows them", id)
				}
				return err
			}
			fmt.Fprintf(con.out, "ended login %s\n", safe(id))
		}
		return nil
	})
}
