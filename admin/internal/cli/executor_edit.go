package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/client"
)

// executorCreate makes a group.
type executorCreate struct {
	Remote
	Form

	Name      string   `arg:"" help:"App name of the executors, 4 to 64 characters."`
	Title     string   `help:"What people see in lists. Default: the app name." env:"-" placeholder:"TEXT"`
	Addresses []string `name:"address" help:"${executor_address}" env:"-" placeholder:"URL"`
}

// Run prints its id.
func (e *executorCreate) Run(ctx context.Context, con Console) error {
	return e.With(func(c *client.Client) error {
		in := client.GroupInput{AppName: e.Name, Title: cmp.Or(e.Title, e.Name), Addresses: e.Addresses}
		if len(e.Addresses) > 0 {
			in.AddressMode = client.AddressManual
		}
		g, err := c.CreateGroup(ctx, in)
		if err != nil {
			return err
		}
		return e.Print(con, g, func(w io.Writer) { fmt.Fprintf(w, "group %d: %s\n", g.ID, Safe(g.AppName)) })
	})
}

// executorDelete deletes a group.
type executorDelete struct {
	Remote
	Sure

	Group string `arg:"" help:"App name or id of the group."`
}

// Run asks, and deletes it. The admin refuses a group that has jobs.
func (e *executorDelete) Run(ctx context.Context, con Console) error {
	return e.With(func(c *client.Client) error {
		g, err := findGroup(ctx, c, e.Group)
		if err != nil {
			return err
		}
		question := fmt.Sprintf("Delete group %d %s, so that its executors find no group here?", g.ID, Safe(g.AppName))
		if err := e.ask(con, known(question)); err != nil {
			return err
		}
		if err := c.DeleteGroup(ctx, g.ID, "*"); err != nil {
			return err
		}
		fmt.Fprintf(con.Out, "deleted group %d %s\n", g.ID, Safe(g.AppName))
		fmt.Fprintf(con.Err, "without its token it comes back: xxl-job-admin executor restore %d\n", g.ID)
		return nil
	})
}

// executorToken gives a group another access token.
type executorToken struct {
	Remote
	Form
	Sure

	Group   string  `arg:"" help:"App name or id of the group."`
	Overlap overlap `help:"${executor_overlap}" env:"-" placeholder:"TIME"`
}

// overlap is how long an old token counts beside the new one; below 0 is until it
// is ended.
type overlap time.Duration

// maxOverlap is the longest one that has an end.
const maxOverlap = 90 * 24 * time.Hour

// UnmarshalText reads a duration, also in days such as 7d, or the word endless.
func (o *overlap) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "endless" {
		*o = -1
		return nil
	}
	d, err := time.ParseDuration(s)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(min(n, 1000)) * 24 * time.Hour
	}
	switch {
	case err != nil || d < 0:
		return fmt.Errorf("%q is no time: give one such as 24h or 7d, or endless", s)
	case d > maxOverlap:
		return fmt.Errorf("%s is too long: give at most 90d, or endless", s)
	case d%time.Second != 0:
		return fmt.Errorf("%s: give whole seconds", s)
	}
	*o = overlap(d)
	return nil
}

// Run asks, and prints the token, once.
func (e *executorToken) Run(ctx context.Context, con Console) error {
	if err := e.check(&e.Form); err != nil {
		return err
	}
	return e.With(func(c *client.Client) error {
		g, err := findGroup(ctx, c, e.Group)
		if err != nil {
			return err
		}
		what := "so that its executors are refused until they have it"
		switch o := time.Duration(e.Overlap); {
		case o < 0:
			what = "and take the old one too until somebody ends it"
		case o > 0:
			what = "and take the old one too for " + strings.TrimSuffix(o.String(), "0m0s")
		}
		question := fmt.Sprintf("Give group %d %s another token, %s?", g.ID, Safe(g.AppName), what)
		if err := e.ask(con, known(question)); err != nil {
			return err
		}
		token, err := c.RotateTokenSlowly(ctx, g.ID, time.Duration(e.Overlap))
		if err != nil {
			return err
		}
		return e.Print(con, map[string]string{"token": token}, func(w io.Writer) {
			fmt.Fprintf(w, "token of %s: %s\n", Safe(g.AppName), token)
		})
	})
}
