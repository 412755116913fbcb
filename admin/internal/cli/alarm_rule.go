package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/client"
)

// alarmRules lists rules.
type alarmRules struct {
	Remote
	Form
}

// Run prints them.
func (l *alarmRules) Run(ctx context.Context, con Console) error {
	return l.With(func(c *client.Client) error {
		list, err := c.Rules(ctx)
		if err != nil {
			return err
		}
		return l.Print(con, list, func(w io.Writer) {
			Row(w, "OF", "WHAT", "LIMIT", "BY", "SINCE")
			for _, r := range list {
				limit := time.Duration(r.LimitMs) * time.Millisecond
				Row(w, object{r.Kind, r.ObjectID, r.Name}, r.What, limit, dash(r.User), clock(&r.CreatedAt))
			}
		})
	})
}

// alarmRule works on one rule.
type alarmRule struct {
	Set    alarmRuleSet    `cmd:"" help:"Set a rule for a job, or for every job of a group."`
	Delete alarmRuleDelete `cmd:"" help:"Delete a rule."`
}

// alarmRuleSet sets a rule.
type alarmRuleSet struct {
	oneObject

	What  string        `arg:"" enum:"late,long,nobody" help:"${alarm_what}"`
	Limit time.Duration `arg:"" help:"For how long that may be, in whole seconds: 1s to 720h."`
}

// Run sets it, in place of one for the same object.
func (r *alarmRuleSet) Run(ctx context.Context, con Console) error {
	if r.Limit < time.Second || r.Limit%time.Second != 0 {
		return UsageError{Err: fmt.Errorf("%v must be whole seconds, at least 1s", r.Limit)}
	}
	return r.withObject(ctx, func(c *client.Client, of object) error {
		err := c.SetRule(ctx, client.RuleInput{
			Kind: of.kind, ObjectID: of.id, What: r.What, LimitMs: r.Limit.Milliseconds(),
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(con.Out, "rule of %s: %s %v\n", Safe(of.String()), r.What, r.Limit)
		return nil
	})
}

// alarmRuleDelete deletes a rule.
type alarmRuleDelete struct {
	oneObject

	What string `arg:"" enum:"late,long,nobody" help:"late, long or nobody."`
}

// Run deletes it; one that is not there is no error.
func (r *alarmRuleDelete) Run(ctx context.Context, con Console) error {
	return r.withObject(ctx, func(c *client.Client, of object) error {
		list, err := c.Rules(ctx)
		if err != nil && !errors.Is(err, client.ErrForbidden) { // it need not be allowed to look
			return err
		}
		there := func(l client.Rule) bool { return l.Kind == of.kind && l.ObjectID == of.id && l.What == r.What }
		if err == nil && !slices.ContainsFunc(list, there) {
			fmt.Fprintf(con.Out, "%s has no rule of its own: %s; xxl-job-admin alarm rules shows those there are\n",
				Safe(of.String()), r.What)
			return nil
		}
		if err := c.DeleteRule(ctx, of.kind, of.id, r.What); err != nil {
			return err
		}
		fmt.Fprintf(con.Out, "deleted the rule of %s: %s\n", Safe(of.String()), r.What)
		return nil
	})
}
