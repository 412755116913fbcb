package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
)

// ExecutorCmd works on groups of executors.
type ExecutorCmd struct {
	List    executorList    `cmd:"" help:"List groups and their addresses."`
	Get     executorGet     `cmd:"" help:"Show a group: how its executors stand, and what it is."`
	Address executorAddress `cmd:"" help:"Show an address of a group: how it is and what runs there."`
	Probe   executorProbe   `cmd:"" help:"${executor_probe}"`
	Create  executorCreate  `cmd:"" help:"Create a group, which jobs and executors then belong to."`
	Delete  executorDelete  `cmd:"" help:"Delete a group that has no jobs."`
	Token   executorToken   `cmd:"" help:"Give a group another access token and print it, once."`

	Deleted executorDeleted `cmd:"" help:"List deleted groups that can be brought back."`
	Restore executorRestore `cmd:"" help:"Bring a deleted group back, without its access token."`
	History executorHistory `cmd:"" help:"Show who has changed what of a group."`
}

// executorList lists groups with their addresses.
type executorList struct {
	Remote
	Form

	Sort    string `help:"${executor_sort}" enum:"${executor_sorts}" default:"" env:"-" placeholder:"ORDER"`
	Unknown bool   `help:"${executor_unknown}" env:"-" xor:"which"`
	Refused bool   `help:"${executor_refused}" env:"-" xor:"which"`
}

// executorGroup is a group with its addresses.
type executorGroup struct {
	*client.Group

	State []client.Address `json:"state"`
}

// rows prints a line for each address of a group, and for those that it does not
// have any more and where runs of it run.
func (g *executorGroup) rows(w io.Writer) {
	if len(g.State) == 0 {
		Row(w, g.AppName, g.ID, g.AddressMode, "-", "-", "-", "-", "-", "-", "no address")
	}
	for _, a := range g.State {
		Row(w, g.AppName, g.ID, g.AddressMode, a.Address, clock(a.LastBeat), a.OpenRuns, a.InFlight, a.Queued,
			dash(a.Versions()), standing(&a))
	}
	if g.Standing == nil {
		return
	}
	for _, a := range g.Standing.Gone {
		Row(w, g.AppName, g.ID, g.AddressMode, a.Address, "-", a.OpenRuns, "-", "-", "-", "gone")
	}
}

// executorGet shows a group.
type executorGet struct {
	Remote
	Form

	Group string `arg:"" help:"App name or id of the group."`
}

// Run prints it, a line each.
func (e *executorGet) Run(ctx context.Context, con Console) error {
	return e.With(func(c *client.Client) error {
		g, err := findGroup(ctx, c, e.Group)
		if err != nil {
			return err
		}
		return e.Print(con, g, func(w io.Writer) { groupTable(w, g) })
	})
}

// groupTable prints a group.
func groupTable(w io.Writer, g *client.Group) {
	token := "the common one"
	if g.TokenSet {
		token = "of its own"
	}
	Row(w, "GROUP", fmt.Sprintf("%s (%d)", g.AppName, g.ID))
	Row(w, "TITLE", g.Title)
	Row(w, "MODE", g.AddressMode)
	Row(w, "TOKEN", token)
	for _, a := range g.Addresses {
		Row(w, "ADDRESS", a)
	}
	if len(g.Addresses) == 0 {
		Row(w, "ADDRESS", "-")
	}
	st := g.Standing
	if st == nil {
		return
	}
	Row(w, "LAST BEAT", clock(st.LastBeat))
	Row(w, "STARTED JOBS", st.StartedJobs)
	Row(w, "OPEN RUNS", st.OpenRuns)
	for _, a := range st.Gone {
		Row(w, "GONE", fmt.Sprintf("%s, where %d of these runs are", a.Address, a.OpenRuns))
	}
	Row(w, "CALLS", fmt.Sprintf("%d in flight, %d triggers queued, %d addresses do not answer, as node %s sees it",
		st.InFlight, st.Queued, st.Dead, st.Node))
}

// Run prints an address a line.
func (l *executorList) Run(ctx context.Context, con Console) error {
	return l.With(func(c *client.Client) error {
		switch {
		case l.Unknown:
			return l.unknown(ctx, con, c)
		case l.Refused:
			return l.refused(ctx, con, c)
		}
		list := []executorGroup{}
		for g, err := range c.GroupsBy(ctx, client.GroupFilter{Sort: l.Sort}) {
			if err != nil {
				return err
			}
			addresses, err := c.Addresses(ctx, g.ID)
			if err != nil {
				return err
			}
			list = append(list, executorGroup{g, addresses})
		}
		return l.Print(con, list, func(w io.Writer) {
			Row(w, "GROUP", "ID", "MODE", "ADDRESS", "LAST BEAT", "OPEN RUNS", "CALLS IN FLIGHT", "TRIGGERS QUEUED",
				"VERSION", "STATE")
			for _, g := range list {
				g.rows(w)
			}
		})
	})
}

// unknown prints the executors that no group has.
func (l *executorList) unknown(ctx context.Context, con Console, c *client.Client) error {
	list, names, err := c.UnknownGroups(ctx)
	if err != nil {
		return err
	}
	if err := l.Print(con, list, func(w io.Writer) {
		Row(w, "APP NAME", "ADDRESSES", "FIRST OF THEM", "REGISTERED", "LAST BEAT")
		for _, u := range list {
			Row(w, u.AppName, u.Count, strings.Join(u.Addresses, " "), clock(u.RegisteredSince), clock(u.LastBeat))
		}
	}); err != nil {
		return err
	}
	if names > len(list) {
		fmt.Fprintf(con.Err, "and %d other app names\n", names-len(list))
	}
	return nil
}

// refused prints who comes with a wrong token.
func (l *executorList) refused(ctx context.Context, con Console, c *client.Client) error {
	list, node, err := c.RefusedExecutors(ctx)
	if err != nil {
		return err
	}
	return l.Print(con, list, func(w io.Writer) {
		Row(w, "CLIENT", "APP NAME", "ADDRESS", "CALLS", "FIRST", "LAST", "LAST CALL", "NODE")
		for _, r := range list {
			Row(w, r.Client, dash(r.AppName), dash(r.Address), r.Count, clock(r.First), clock(r.Last), r.Call, node)
		}
	})
}

// standing is how an address stands, as the console has it: "-" of one to which
// the node has no connection, of which nobody knows.
func standing(a *client.Address) string {
	switch {
	case a.DeadSince != nil:
		return "dead since " + clock(a.DeadSince)
	case a.Connections > 0, a.InFlight > 0:
		return "ok"
	}
	return "-"
}

// executorAddress shows an address.
type executorAddress struct {
	Remote
	Form

	Group   string `arg:"" help:"App name or id of the group."`
	Address string `arg:"" help:"The address, as executor list or a run has it."`
}

// Run prints how it is, what runs there, and its last runs.
func (a *executorAddress) Run(ctx context.Context, con Console) error {
	return a.With(func(c *client.Client) error {
		g, err := findGroup(ctx, c, a.Group)
		if err != nil {
			return err
		}
		d, err := c.Address(ctx, g.ID, a.Address)
		if err != nil {
			return err
		}
		runs := make([]*client.Run, 0, len(d.Running)+len(d.Recent))
		for _, list := range [][]client.Run{d.Running, d.Recent} {
			for i := range list {
				runs = append(runs, &list[i])
			}
		}
		names, err := jobNames(ctx, c, runs)
		if err != nil {
			return err
		}
		return a.Print(con, d, func(w io.Writer) { addressTable(w, g, d, names) })
	})
}

// addressTable prints what is known of an address, a line each, with the names of
// the jobs that run there.
func addressTable(w io.Writer, g *client.Group, d *client.AddressDetail, names map[int32]string) {
	state := standing(&d.Address)
	if !d.Present {
		state = "gone: no executor of the group is there"
	}
	Row(w, "ADDRESS", d.Address.Address)
	Row(w, "GROUP", fmt.Sprintf("%s (%d)", g.AppName, g.ID))
	Row(w, "STATE", state)
	Row(w, "LAST BEAT", clock(d.LastBeat))
	Row(w, "OPEN RUNS", d.OpenRuns)
	Row(w, "REGISTERED", clock(d.RegisteredSince))
	Row(w, "VERSION", dash(d.Versions()))
	Row(w, "CALLS", fmt.Sprintf("%d in flight, %d triggers queued, %d connections, as node %s sees it",
		d.InFlight, d.Queued, d.Connections, d.Node))
	for _, f := range d.Faults {
		Row(w, "FAULT", fmt.Sprintf("%s, %d times, last %s at %s", f.Message, f.Count, f.Path, clock(f.Last)))
	}
	for _, list := range []struct {
		head string
		runs []client.Run
	}{{"RUNNING", d.Running}, {"LAST RUNS", d.Recent}} {
		if len(list.runs) == 0 {
			Row(w, list.head, "-")
		}
		for _, r := range list.runs {
			job := strings.TrimSpace(fmt.Sprintf("%d %s", r.JobID, names[r.JobID]))
			Row(w, list.head, fmt.Sprintf("%d of job %s, %s, %s", r.ID, job, clock(r.TriggeredAt), statusOf(&r)))
		}
	}
}

// probeSteps prints every question, what was answered, and what follows.
func probeSteps(w io.Writer, results []client.ProbeResult) {
	Row(w, "QUESTION", "OK", "TOOK", "ANSWER")
	for _, r := range results {
		for _, s := range r.Steps {
			Row(w, s.Name, s.OK, fmt.Sprintf("%d ms", s.DurationMs), dash(s.Message))
		}
		Row(w, "version", "", "", dash(r.Versions()))
		for _, e := range r.Evidence {
			text := e.Text
			if e.Said != "" {
				text += " " + e.Said
			}
			Row(w, "", "", "", text)
		}
	}
}

// executorProbe asks executors.
type executorProbe struct {
	Remote
	Form

	Group   string `arg:"" help:"App name or id of the group."`
	Address string `help:"Only this one, with every question and answer." env:"-" placeholder:"URL"`
}

// Run prints what they answered.
func (p *executorProbe) Run(ctx context.Context, con Console) error {
	return p.With(func(c *client.Client) error {
		g, err := findGroup(ctx, c, p.Group)
		if err != nil {
			return err
		}
		results, err := c.Probe(ctx, g.ID, p.Address)
		if err != nil {
			return err
		}
		if err := p.Print(con, results, func(w io.Writer) {
			if p.Address != "" {
				probeSteps(w, results)
				return
			}
			Row(w, "ADDRESS", "OK", "TOOK", "VERSION", "MESSAGE")
			for _, r := range results {
				Row(w, r.Address, r.OK, fmt.Sprintf("%d ms", r.DurationMs), dash(r.Versions()), dash(r.Message))
			}
		}); err != nil {
			return err
		}
		if len(results) == 0 {
			return errors.New("the group has no address")
		}
		for _, r := range results {
			if !r.OK {
				return fmt.Errorf("%s did not answer as it should", r.Address)
			}
		}
		return nil
	})
}
