package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/xxljob-go/xxljob/admin/client"
)

// executorCmd works on groups of executors.
type executorCmd struct {
	List   executorList   `cmd:"" help:"List groups and their addresses."`
	Probe  executorProbe  `cmd:"" help:"Ask the executors of a group whether they are there."`
	Create executorCreate `cmd:"" help:"Create a group, which jobs and executors then belong to."`
	Delete executorDelete `cmd:"" help:"Delete a group that has no jobs."`
	Token  executorToken  `cmd:"" help:"Give a group another access token and print it, once."`
}

// executorList lists groups with their addresses.
type executorList struct {
	remote
	output
}

// executorGroup is a group with its addresses.
type executorGroup struct {
	*client.Group

	State []client.Address `json:"state"`
}

// Run prints an address a line.
func (l *executorList) Run(ctx context.Context, con console) error {
	return l.with(func(c *client.Client) error {
		list := []executorGroup{}
		for g, err := range c.Groups(ctx, "") {
			if err != nil {
				return err
			}
			addresses, err := c.Addresses(ctx, g.ID)
			if err != nil {
				return err
			}
			list = append(list, executorGroup{g, addresses})
		}
		return l.print(con, list, func(w io.Writer) {
			row(w, "GROUP", "ID", "MODE", "ADDRESS", "LAST BEAT", "IN FLIGHT", "QUEUED", "STATE")
			for _, g := range list {
				if len(g.State) == 0 {
					row(w, g.AppName, g.ID, g.AddressMode, "-", "-", "-", "-", "no address")
				}
				for _, a := range g.State {
					state := "ok"
					if a.DeadSince != nil {
						state = "dead since " + clock(a.DeadSince)
					}
					row(w, g.AppName, g.ID, g.AddressMode, a.Address, clock(a.LastBeat), a.InFlight, a.Queued, state)
				}
			}
		})
	})
}

// executorProbe asks executors.
type executorProbe struct {
	remote
	output

	Group   string `arg:"" help:"App name or id of the group."`
	Address string `help:"Only this one." env:"-" placeholder:"URL"`
}

// Run prints what they answered.
func (p *executorProbe) Run(ctx context.Context, con console) error {
	return p.with(func(c *client.Client) error {
		g, err := findGroup(ctx, c, p.Group)
		if err != nil {
			return err
		}
		results, err := c.Probe(ctx, g.ID, p.Address)
		if err != nil {
			return err
		}
		if err := p.print(con, results, func(w io.Writer) {
			row(w, "ADDRESS", "OK", "TOOK", "MESSAGE")
			for _, r := range results {
				row(w, r.Address, r.OK, fmt.Sprintf("%d ms", r.DurationMs), dash(r.Message))
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
