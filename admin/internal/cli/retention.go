package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
)

// RetentionCmd works on how long rows are kept.
type RetentionCmd struct {
	Get   retentionGet   `cmd:"" help:"Show how long rows are kept."`
	Set   retentionSet   `cmd:"" help:"Say for all nodes how long rows are kept; what is not given stays."`
	Reset retentionReset `cmd:"" help:"Let every node keep rows as it was started."`
}

// retentionGet shows the retention.
type retentionGet struct {
	Remote
	Form
}

// Run prints it.
func (g *retentionGet) Run(ctx context.Context, con Console) error {
	return g.With(func(c *client.Client) error {
		r, err := c.Retention(ctx)
		if err != nil {
			return err
		}
		return g.Print(con, r, func(w io.Writer) { retentionTable(w, r) })
	})
}

// kept is a number of a retention in words.
func kept(n int, unit string) string {
	if n == 0 {
		return map[string]string{"days": "for ever", "runs": "without limit"}[unit]
	}
	return fmt.Sprintf("%d %s", n, unit)
}

func retentionTable(w io.Writer, r *client.Retention) {
	source := "as the node was started"
	if r.Source == client.RetentionOfSetting {
		source = "set for all nodes"
	}
	Row(w, "WHAT", "KEPT")
	Row(w, "runs", kept(r.RunDays, "days"))
	Row(w, "runs of each job", kept(r.KeepPerJob, "runs"))
	Row(w, "audit records", kept(r.AuditDays, "days"))
	Row(w, "alarms that have ended", kept(r.AlarmDays, "days"))
	Row(w, "source", source)
	if l := r.LastCleaned; l != nil {
		Row(w, "last cleaned", fmt.Sprintf("%s by %s: %d runs, %d audit records, %d alarms, %d logins",
			clock(&l.At), l.Node, l.Runs, l.AuditRecords, l.Alarms, l.Sessions))
	}
}

// retentionSet sets the retention.
type retentionSet struct {
	Remote
	Form

	RunDays    *int `help:"Days of runs beside today, 3 to 3650; 0 is for ever." env:"-" placeholder:"N"`
	KeepPerJob *int `help:"Newest runs of each job, whatever their age; 0 is without limit." env:"-" placeholder:"N"`
	AuditDays  *int `help:"Days of audit records, 7 to 3650; 0 is for ever." env:"-" placeholder:"N"`
	AlarmDays  *int `help:"Days of alarms after they have ended, 1 to 3650; 0 is for ever." env:"-" placeholder:"N"`
	Yes        bool `help:"Ask no questions." short:"y" env:"-"`
}

// Run asks, and sets it.
func (s *retentionSet) Run(ctx context.Context, con Console) error {
	if s.RunDays == nil && s.KeepPerJob == nil && s.AuditDays == nil && s.AlarmDays == nil {
		return UsageError{Err: errors.New("give --run-days, --keep-per-job, --audit-days or --alarm-days")}
	}
	if s.Output != "table" && !s.Yes {
		return UsageError{Err: errors.New("--output json and yaml ask no questions: give --yes")}
	}
	return s.With(func(c *client.Client) error {
		now, err := c.Retention(ctx)
		if err != nil {
			return err
		}
		in := now.RetentionInput
		var changes []string
		for _, f := range []struct {
			given      *int
			to         *int
			what, unit string
		}{
			{s.RunDays, &in.RunDays, "runs", "days"},
			{s.KeepPerJob, &in.KeepPerJob, "runs of each job", "runs"},
			{s.AuditDays, &in.AuditDays, "audit records", "days"},
			{s.AlarmDays, &in.AlarmDays, "alarms that have ended", "days"},
		} {
			if f.given != nil {
				changes = append(changes,
					fmt.Sprintf("%s %s instead of %s", f.what, kept(*f.given, f.unit), kept(*f.to, f.unit)))
				*f.to = *f.given
			}
		}
		question := "Keep " + strings.Join(changes, ", ") + "? What goes does not come back."
		if err := confirm(con, s.Yes, question); err != nil {
			return err
		}
		r, err := c.SetRetention(ctx, in)
		if err != nil {
			return err
		}
		return s.Print(con, r, func(w io.Writer) { retentionTable(w, r) })
	})
}

// retentionReset gives the retention back to the nodes.
type retentionReset struct {
	Remote
	Form

	Yes bool `help:"Ask no questions." short:"y" env:"-"`
}

// Run asks, and does it.
func (s *retentionReset) Run(ctx context.Context, con Console) error {
	if s.Output != "table" && !s.Yes {
		return UsageError{Err: errors.New("--output json and yaml ask no questions: give --yes")}
	}
	return s.With(func(c *client.Client) error {
		question := "Keep rows as the nodes were started? What goes does not come back."
		if err := confirm(con, s.Yes, question); err != nil {
			return err
		}
		r, err := c.ResetRetention(ctx)
		if err != nil {
			return err
		}
		return s.Print(con, r, func(w io.Writer) { retentionTable(w, r) })
	})
}
