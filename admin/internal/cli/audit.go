package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/xxljob-go/xxljob/admin/client"
)

// AuditCmd reads the audit log.
type AuditCmd struct {
	List   auditList   `cmd:"" help:"List what people and programs have changed."`
	Export auditExport `cmd:"" help:"Print the audit log for another program, newest first."`
}

// auditFlags select audit records.
type auditFlags struct {
	User   string        `help:"Only where this is a part of who did it." env:"-" placeholder:"PART"`
	Action string        `help:"Only this action: job.update, or job for all on jobs." env:"-" placeholder:"ACTION"`
	Object string        `help:"Only this object: 'job 7', or job for all jobs." env:"-" placeholder:"OBJECT"`
	Text   string        `help:"Only with this in the detail." env:"-" placeholder:"PART"`
	Since  time.Duration `help:"Only of so much time until now, such as 24h." env:"-" placeholder:"TIME"`
	Until  time.Duration `help:"Only those that are older than this, such as 1h." env:"-" placeholder:"TIME"`
}

// filter is the selection as the API knows it.
func (a *auditFlags) filter() (client.AuditFilter, error) {
	f := client.AuditFilter{User: a.User, Action: a.Action, Object: a.Object, Text: a.Text}
	var err error
	f.From, f.To, err = span(a.Since, a.Until)
	return f, err
}

// span are the instants that --since and --until mean; zero where they are not
// given.
func span(since, until time.Duration) (from, to time.Time, err error) {
	switch {
	case since < 0 || until < 0:
		return from, to, UsageError{Err: errors.New("--since and --until must not be negative")}
	case since > 0 && until >= since:
		return from, to, UsageError{Err: fmt.Errorf("nothing is both of the last %v and older than %v", since, until)}
	}
	now := time.Now()
	if since > 0 {
		from = now.Add(-since)
	}
	if until > 0 {
		to = now.Add(-until)
	}
	return from, to, nil
}

// auditList lists audit records.
type auditList struct {
	Remote
	Form
	auditFlags

	Sort  string `help:"${audit_sort}" enum:"${audit_sorts}" default:"-at" env:"-"`
	Limit int    `help:"How many at most." short:"n" default:"20" env:"-"`
}

// Run prints them.
func (l *auditList) Run(ctx context.Context, con Console) error {
	if l.Limit < 1 {
		return UsageError{Err: fmt.Errorf("--limit %d must be above 0", l.Limit)}
	}
	f, err := l.filter()
	if err != nil {
		return err
	}
	f.Sort = l.Sort
	return l.With(func(c *client.Client) error {
		list := []*client.AuditRecord{}
		for a, err := range c.Audit(ctx, f) {
			if err != nil {
				return err
			}
			if list = append(list, a); len(list) == l.Limit {
				break
			}
		}
		return l.Print(con, list, func(w io.Writer) {
			Row(w, "AT", "USER", "ACTION", "OBJECT", "DETAIL")
			for _, a := range list {
				Row(w, clock(&a.At), dash(a.User), a.Action, dash(a.Object), firstLine(a.Detail))
			}
		})
	})
}

// auditExport exports audit records.
type auditExport struct {
	Remote
	auditFlags

	Format string `help:"ndjson, an object a line, or csv." enum:"ndjson,csv" default:"ndjson" env:"-"`
}

// Run prints them as they come. The limit of a request does not count for it.
func (e *auditExport) Run(ctx context.Context, con Console) error {
	f, err := e.filter()
	if err != nil {
		return err
	}
	return e.With(func(c *client.Client) error { return c.ExportAudit(ctx, f, e.Format, con.Out) })
}
