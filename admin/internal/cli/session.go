package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/xxljob-go/xxljob/admin/client"
)

// SessionCmd works on logins.
type SessionCmd struct {
	List sessionList `cmd:"" help:"List logins."`
	End  sessionEnd  `cmd:"" help:"End logins at once, on every node. It asks nothing: who was ended may log in again."`
}

// sessionList lists logins.
type sessionList struct {
	Remote
	Form

	User  string `help:"Only of this user." env:"-" placeholder:"NAME"`
	Sort  string `help:"${login_sort}" enum:"${login_sorts}" default:"-seen_at" env:"-"`
	Limit int    `help:"How many at most." short:"n" default:"100" env:"-"`
}

// Run prints them.
func (l *sessionList) Run(ctx context.Context, con Console) error {
	if l.Limit < 1 {
		return UsageError{Err: fmt.Errorf("--limit %d must be above 0", l.Limit)}
	}
	return l.With(func(c *client.Client) error {
		var user int32
		if l.User != "" {
			found, err := FindUser(ctx, RemoteUsers{Client: c}, l.User)
			if err != nil {
				return err
			}
			user = found.ID
		}
		list := []*client.Login{}
		for s, err := range c.Logins(ctx, client.LoginFilter{UserID: user, Sort: l.Sort}) {
			if err != nil {
				return err
			}
			if list = append(list, s); len(list) == l.Limit {
				break
			}
		}
		return l.Print(con, list, func(w io.Writer) {
			Row(w, "ID", "USER", "FROM", "SINCE", "LAST USED", "ENDS", "AGENT")
			for _, s := range list {
				Row(w, s.ID, dash(s.Username), dash(s.Client), clock(&s.CreatedAt), clock(&s.SeenAt),
					clock(&s.ExpiresAt), firstLine(s.Agent))
			}
		})
	})
}

// sessionEnd ends logins.
type sessionEnd struct {
	Remote

	IDs  []string `arg:"" optional:"" name:"id" help:"Ids of logins, as session list shows them."`
	User string   `help:"All logins of this user instead." env:"-" placeholder:"NAME"`
}

// Run ends them.
func (e *sessionEnd) Run(ctx context.Context, con Console) error {
	if (e.User == "") == (len(e.IDs) == 0) {
		return UsageError{Err: errors.New("give the ids of logins, or --user")}
	}
	return e.With(func(c *client.Client) error {
		if e.User != "" {
			user, err := FindUser(ctx, RemoteUsers{Client: c}, e.User)
			if err != nil {
				return err
			}
			n, err := c.EndLogins(ctx, user.ID)
			if err != nil {
				return err
			}
			fmt.Fprintf(con.Out, "logins of %s that were ended: %d\n", Safe(user.Username), n)
			return nil
		}
		for _, id := range e.IDs {
			if err := c.EndLogin(ctx, id); err != nil {
				if errors.Is(err, client.ErrNotFound) {
					return notFound("there is no login %q: xxl-job-admin session list shows them", id)
				}
				return err
			}
			fmt.Fprintf(con.Out, "ended login %s\n", Safe(id))
		}
		return nil
	})
}
