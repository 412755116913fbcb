package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
)

// RetentionCmd works on how long rows are kept.
type RetentionCmd struct {
	Get     retentionGet     `cmd:"" help:"Show how long rows are kept."`
	Preview retentionPreview `cmd:"" help:"Say what would go; what is not given is as it is."`
	Set     retentionSet     `cmd:"" help:"Say for all nodes how long rows are kept; what is not given stays."`
	Reset   retentionReset   `cmd:"" help:"Let every node keep rows as it was started."`
	Clean   retentionClean   `cmd:"" help:"Delete old runs now."`
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

// limits are the flags of a retention; nil stays as it is.
type limits struct {
	RunDays    *int `help:"Days of runs beside today, 3 to 3650; 0 is for ever." env:"-" placeholder:"N"`
	KeepPerJob *int `help:"Newest runs of each job, whatever their age; 0 is without limit." env:"-" placeholder:"N"`
	AuditDays  *int `help:"Days of audit records, 7 to 3650; 0 is for ever." env:"-" placeholder:"N"`
	AlarmDays  *int `help:"Days of alarms after they have ended, 1 to 3650; 0 is for ever." env:"-" placeholder:"N"`
}

// apply sets what is given, and says what changes.
func (l *limits) apply(in *client.RetentionInput) (changes []string) {
	for _, f := range []struct {
		given      *int
		to         *int
		what, unit string
	}{
		{l.RunDays, &in.RunDays, "runs", "days"},
		{l.KeepPerJob, &in.KeepPerJob, "runs of each job", "runs"},
		{l.AuditDays, &in.AuditDays, "audit records", "days"},
		{l.AlarmDays, &in.AlarmDays, "alarms that have ended", "days"},
	} {
		if f.given != nil {
			changes = append(changes,
				fmt.Sprintf("%s %s instead of %s", f.what, kept(*f.given, f.unit), kept(*f.to, f.unit)))
			*f.to = *f.given
		}
	}
	return changes
}

// retentionPreview says what a retention would delete.
type retentionPreview struct {
	Remote
	Form
	limits

	Reset bool `help:"As retention reset would have it." env:"-"`
}

// Run prints it.
func (p *retentionPreview) Run(ctx context.Context, con Console) error {
	var given client.RetentionInput
	if len(p.apply(&given)) > 0 && p.Reset {
		return UsageError{Err: errors.New("--reset goes with no other limit: it takes those of the node's start")}
	}
	return p.With(func(c *client.Client) error {
		var e *client.RetentionEffect
		now, err := c.Retention(ctx)
		if err != nil {
			return err
		}
		if in := now.RetentionInput; p.Reset {
			e, err = c.PreviewRetention(ctx, nil)
		} else {
			p.apply(&in)
			e, err = c.PreviewRetention(ctx, &in)
		}
		if err != nil {
			return err
		}
		return p.Print(con, e, func(w io.Writer) {
			Row(w, "WHAT", "KEPT", "BEFORE", "GOES")
			for _, line := range []struct {
				what string
				days int
				client.Expiry
			}{
				{"runs", e.RunDays, e.Runs},
				{"audit records", e.AuditDays, e.AuditRecords},
				{"alarms that have ended", e.AlarmDays, e.Alarms},
			} {
				Row(w, line.what, kept(line.days, "days"), clock(line.Before), rowsText(line.Rows, line.More))
			}
			if e.KeepPerJob > 0 {
				Row(w, "runs of each job", kept(e.KeepPerJob, "runs"), "-", "not counted")
			}
		})
	})
}

// rowsText is a number of rows as it is known.
func rowsText(n int, more bool) string {
	if more {
		return fmt.Sprintf("more than %d", n)
	}
	return strconv.Itoa(n)
}

// going says what a retention deletes, for a question.
func going(e *client.RetentionEffect) string {
	var list []string
	for _, line := range []struct {
		what string
		client.Expiry
	}{{"runs", e.Runs}, {"audit records", e.AuditRecords}, {"alarms", e.Alarms}} {
		if line.Rows > 0 {
			list = append(list, rowsText(line.Rows, line.More)+" "+line.what)
		}
	}
	if e.KeepPerJob > 0 {
		list = append(list, fmt.Sprintf("of each job what is beyond its newest %d runs", e.KeepPerJob))
	}
	if len(list) == 0 {
		return "Nothing goes now; what goes later does not come back."
	}
	return "Within a minute these go, and do not come back: " + strings.Join(list, ", ") + "."
}

// retentionSet sets the retention.
type retentionSet struct {
	Remote
	Form
	limits
	Sure
}

// Run asks, and sets it.
func (s *retentionSet) Run(ctx context.Context, con Console) error {
	if len(s.apply(new(client.RetentionInput))) == 0 {
		return UsageError{Err: errors.New("give --run-days, --keep-per-job, --audit-days or --alarm-days")}
	}
	if err := s.check(&s.Form); err != nil {
		return err
	}
	return s.With(func(c *client.Client) error {
		now, err := c.Retention(ctx)
		if err != nil {
			return err
		}
		in := now.RetentionInput
		changes := s.apply(&in)
		err = s.ask(con, func() (string, error) {
			e, err := c.PreviewRetention(ctx, &in)
			if err != nil {
				return "", err
			}
			return "Keep " + strings.Join(changes, ", ") + "? " + going(e), nil
		})
		if err != nil {
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
	Sure
}

// Run asks, and does it.
func (s *retentionReset) Run(ctx context.Context, con Console) error {
	if err := s.check(&s.Form); err != nil {
		return err
	}
	return s.With(func(c *client.Client) error {
		err := s.ask(con, func() (string, error) {
			e, err := c.PreviewRetention(ctx, nil)
			if err != nil {
				return "", err
			}
			return "Keep rows as the nodes were started? " + going(e), nil
		})
		if err != nil {
			return err
		}
		r, err := c.ResetRetention(ctx)
		if err != nil {
			return err
		}
		return s.Print(con, r, func(w io.Writer) { retentionTable(w, r) })
	})
}

// retentionClean deletes old runs at once.
type retentionClean struct {
	Remote
	Form
	Sure

	What   string `arg:"" help:"Which runs: ${enum}." enum:"${clear_what}"`
	Job    string `help:"Those of one job: its id, name or GROUP/NAME." env:"-" placeholder:"JOB" xor:"of"`
	Group  string `help:"Those of one group: its id or app name." env:"-" placeholder:"GROUP" xor:"of"`
	DryRun bool   `help:"Only say what would be deleted." env:"-"`
}

// Run asks, and deletes.
func (r *retentionClean) Run(ctx context.Context, con Console) error {
	if !r.DryRun {
		if err := r.check(&r.Form); err != nil {
			return err
		}
	}
	return r.With(func(c *client.Client) error {
		in, of, err := r.which(ctx, c)
		if err != nil {
			return err
		}
		if r.DryRun {
			e, err := c.PreviewClear(ctx, in)
			if err != nil {
				return err
			}
			return r.Print(con, e, func(w io.Writer) { fmt.Fprintln(w, clearWords(e, of)) })
		}
		err = r.ask(con, func() (string, error) {
			e, err := c.PreviewClear(ctx, in)
			if err != nil {
				return "", err
			}
			return "Delete these? " + clearWords(e, of) + " They do not come back.", nil
		})
		if err != nil {
			return err
		}
		n, err := c.ClearRuns(ctx, in)
		if err != nil {
			return err
		}
		return r.Print(con, struct {
			Deleted int `json:"deleted"`
		}{n}, func(w io.Writer) { fmt.Fprintf(w, "%d runs%s deleted\n", n, of) })
	})
}

// which finds the job or group, and says in words whose runs they are.
func (r *retentionClean) which(ctx context.Context, c *client.Client) (in client.ClearInput, of string, err error) {
	in.What = r.What
	switch {
	case r.Job != "":
		j, err := FindJob(ctx, c, r.Job)
		if err != nil {
			return in, "", err
		}
		in.GroupID, in.JobID = j.GroupID, j.ID
		return in, fmt.Sprintf(" of job %d %s", j.ID, Safe(j.Name)), nil
	case r.Group != "":
		g, err := findGroup(ctx, c, r.Group)
		if err != nil {
			return in, "", err
		}
		in.GroupID = g.ID
		return in, " of group " + Safe(g.AppName), nil
	}
	return in, " of all groups", nil
}

func clearWords(e *client.ClearEffect, of string) string {
	text := rowsText(e.Runs.Rows, e.Runs.More) + " runs" + of
	if e.Open.Rows > 0 {
		text += ", of which " + rowsText(e.Open.Rows, e.Open.More) + " have not ended and end as failed"
	}
	return text + "."
}
