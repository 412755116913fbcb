package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

// RunCmd works on runs.
type RunCmd struct {
	List  runList  `cmd:"" help:"List runs."`
	Get   runGet   `cmd:"" help:"Show a run."`
	Logs  runLogs  `cmd:"" help:"Print the log of a run."`
	Kill  runKill  `cmd:"" help:"End runs."`
	Retry runRetry `cmd:"" help:"Run the jobs of ended runs again, with their parameters."`
}

// runList lists runs.
type runList struct {
	Remote
	Form

	Job    string        `help:"Only of this job: id, name, or GROUP/NAME." env:"-" placeholder:"JOB"`
	Name   string        `help:"${run_name}" env:"-" placeholder:"PART"`
	Group  string        `help:"Only of this group: its app name or id." env:"-" placeholder:"GROUP"`
	Status string        `help:"${run_status}" enum:"${run_statuses}" default:"" env:"-" placeholder:"STATUS"`
	Text   string        `help:"Only with this in a message, the parameter or the handler." env:"-" placeholder:"PART"`
	Since  time.Duration `help:"Only of so much time until now, such as 24h." env:"-" placeholder:"TIME"`
	Until  time.Duration `help:"Only those that are older than this, such as 1h." env:"-" placeholder:"TIME"`

	Address string        `help:"Only where the address contains this." env:"-" placeholder:"PART"`
	MinTook time.Duration `help:"Only those that have taken so long or longer." env:"-" placeholder:"TIME"`
	Sort    string        `help:"${run_sort}" enum:"${run_sorts}" default:"-triggered_at" env:"-"`
	Limit   int           `help:"How many at most." short:"n" default:"20" env:"-"`
}

// Run prints them.
func (l *runList) Run(ctx context.Context, con Console) error {
	if err := l.check(); err != nil {
		return err
	}
	return l.With(func(c *client.Client) error {
		f, err := l.filter(ctx, c)
		if err != nil {
			return err
		}
		list := []*client.Run{}
		for r, err := range c.Runs(ctx, f) {
			if err != nil {
				return err
			}
			if list = append(list, r); len(list) == l.Limit {
				break
			}
		}
		names, err := jobNames(ctx, c, list)
		if err != nil {
			return err
		}
		return l.Print(con, list, func(w io.Writer) { runTable(w, list, names) })
	})
}

func (l *runList) check() error {
	switch {
	case l.Limit < 1:
		return UsageError{Err: fmt.Errorf("--limit %d must be above 0", l.Limit)}
	case l.Since < 0 || l.Until < 0 || l.MinTook < 0:
		return UsageError{Err: errors.New("--since, --until and --min-took must not be negative")}
	case l.Since > 0 && l.Until >= l.Since:
		return UsageError{Err: fmt.Errorf("nothing is both of the last %v and older than %v", l.Since, l.Until)}
	}
	return nil
}

// filter is the selection as the API knows it.
func (l *runList) filter(ctx context.Context, c *client.Client) (client.RunFilter, error) {
	f := client.RunFilter{
		Status: l.Status, Text: l.Text, Address: l.Address, MinTook: l.MinTook, Job: l.Name, Sort: l.Sort,
	}
	if l.Since > 0 {
		f.From = time.Now().Add(-l.Since)
	}
	if l.Until > 0 {
		f.To = time.Now().Add(-l.Until)
	}
	if l.Job != "" {
		j, err := findTarget(ctx, c, l.Job)
		if err != nil {
			return f, err
		}
		f.JobID = j.ID
	}
	if l.Group != "" {
		g, err := findGroup(ctx, c, l.Group)
		if err != nil {
			return f, err
		}
		f.GroupID = g.ID
	}
	return f, nil
}

// jobNames maps the jobs of runs to their names; one that is gone has none.
func jobNames(ctx context.Context, c *client.Client, runs []*client.Run) (map[int32]string, error) {
	names := make(map[int32]string)
	for _, r := range runs {
		if _, ok := names[r.JobID]; ok {
			continue
		}
		j, err := c.Job(ctx, r.JobID)
		switch {
		case errors.Is(err, client.ErrNotFound):
			names[r.JobID] = ""
		case err != nil:
			return nil, err
		default:
			names[r.JobID] = j.Name
		}
	}
	return names, nil
}

// statusOf is the status of a run, and of one that waits at its executor for what.
func statusOf(r *client.Run) string {
	if r.WaitingBehind != nil {
		return fmt.Sprintf("waiting behind %d", *r.WaitingBehind)
	}
	return r.Status
}

// causeOf says where a run comes from.
func causeOf(r *client.Run) string {
	text := dash(r.Cause)
	if r.Parent != nil {
		text += fmt.Sprintf(" of %d", *r.Parent)
	}
	if r.StartedBy != "" {
		text += " by " + r.StartedBy
	}
	return text
}

// follows names the runs that come from a run.
func follows(r *client.Run) string {
	list := make([]string, len(r.FollowedBy))
	for i, f := range r.FollowedBy {
		list[i] = fmt.Sprintf("%d (%s)", f.ID, f.Cause)
	}
	return strings.Join(list, ", ")
}

// runTable prints runs; without names by the ids of their jobs.
func runTable(w io.Writer, runs []*client.Run, names map[int32]string) {
	Row(w, "ID", "JOB", "STARTED", "TOOK", "STATUS", "ADDRESS", "MESSAGE")
	for _, r := range runs {
		job := fmt.Sprint(r.JobID)
		if name := names[r.JobID]; name != "" {
			job += " " + name
		}
		Row(w, r.ID, job, clock(r.TriggeredAt), took(r), statusOf(r), dash(r.Address), oneLine(r))
	}
}

// took is how long a run has taken.
func took(r *client.Run) string {
	if r.TookMs == nil {
		return "-"
	}
	return (time.Duration(*r.TookMs) * time.Millisecond).String()
}

// oneLine is the message of a run, as far as a table bears it.
func oneLine(r *client.Run) string {
	text := r.ResultMessage
	if text == "" && r.TriggerCode != 0 && r.TriggerCode != 200 {
		text = i18n.En.NotSent(r.Address, r.TriggerMessage)
	}
	text, _, _ = strings.Cut(text, "\n\n >>>>") // what the admin has added
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:59]) + "…"
	}
	return dash(text)
}

// runGet shows a run.
type runGet struct {
	Remote
	Form

	ID int64 `arg:"" help:"Id of the run."`
}

// Run prints it.
func (g *runGet) Run(ctx context.Context, con Console) error {
	return g.With(func(c *client.Client) error {
		r, err := c.Run(ctx, g.ID)
		if err != nil {
			return err
		}
		return g.Print(con, r, func(w io.Writer) {
			Row(w, "id", r.ID)
			Row(w, "job", r.JobID)
			Row(w, "status", statusOf(r))
			Row(w, "cause", causeOf(r))
			if len(r.FollowedBy) > 0 {
				Row(w, "followed by", follows(r))
			}
			Row(w, "started", clock(r.TriggeredAt))
			Row(w, "took", took(r))
			Row(w, "address", dash(r.Address))
			Row(w, "handler", dash(r.Handler))
			Row(w, "param", dash(r.Param))
			if r.Shard != nil {
				Row(w, "shard", fmt.Sprintf("%d of %d", r.Shard.Index, r.Shard.Total))
			}
			Row(w, "retries left", r.RetriesLeft)
			message(w, "trigger", r.TriggerCode, r.TriggerMessage)
			message(w, "result", r.ResultCode, r.ResultMessage)
		})
	})
}

// message is a code with its text, whose other lines stand below the first one.
func message(w io.Writer, name string, code int32, text string) {
	label, first := name, fmt.Sprint(code)+" "
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" && text != "" {
			continue
		}
		Row(w, label, strings.TrimSpace(first+line))
		label, first = "", ""
	}
}

// runLogs prints a log.
type runLogs struct {
	Remote

	ID     int64 `arg:"" help:"Id of the run."`
	Follow bool  `help:"Go on until the run has ended." short:"f" env:"-"`
}

// Run prints it as the executor wrote it, but for what a terminal should not get.
func (l *runLogs) Run(ctx context.Context, con Console) error {
	return l.With(func(c *client.Client) error {
		if l.Follow {
			look := &watch{c: c, told: con.Err}
			return look.follow(ctx, con.Out, l.ID)
		}
		for from := int32(1); ; {
			part, err := c.RunLog(ctx, l.ID, from)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(con.Out, logText(part.Text)); err != nil {
				return err
			}
			if part.End || part.ToLine < from {
				return nil
			}
			from = part.ToLine + 1
		}
	})
}

// manyRuns names runs.
type manyRuns struct {
	IDs []int64 `arg:"" name:"id" help:"Ids of runs."`
}

// runKill ends runs.
type runKill struct {
	Remote
	Form
	manyRuns
}

// Run asks their executors to end them.
func (k *runKill) Run(ctx context.Context, con Console) error {
	return k.With(func(c *client.Client) error { return k.all(ctx, con, c, &k.Form) })
}

// all ends all runs, at most 100 at a time, and says what became of each.
func (m *manyRuns) all(ctx context.Context, con Console, c *client.Client, o *Form) error {
	results, err := m.results(ctx, c.KillRuns)
	if err != nil {
		return err
	}
	if err := o.Print(con, results, func(w io.Writer) {
		Row(w, "RUN", "OK", "MESSAGE")
		for _, r := range results {
			Row(w, r.ID, r.OK, dash(r.Message))
		}
	}); err != nil {
		return err
	}
	for _, r := range results {
		if !r.OK {
			return orMissing(ctx, c, results, errors.New("not all of them could be ended"))
		}
	}
	return nil
}

// orMissing gives err the code of what does not exist, where none of the runs
// does that nothing could be done to.
func orMissing(ctx context.Context, c *client.Client, results []client.RunResult, err error) error {
	for _, r := range results {
		if r.OK {
			return err
		}
		if _, gone := c.Run(ctx, r.ID); !errors.Is(gone, client.ErrNotFound) {
			return err
		}
	}
	return codedError{err: err, code: ExitNotFound}
}

func (m *manyRuns) results(
	ctx context.Context, do func(context.Context, []int64) ([]client.RunResult, error),
) ([]client.RunResult, error) {
	var all []client.RunResult
	for ids := m.IDs; len(ids) > 0; {
		n := min(len(ids), 100)
		part, err := do(ctx, ids[:n])
		if err != nil {
			return nil, err
		}
		all, ids = append(all, part...), ids[n:]
	}
	return all, nil
}

// runRetry runs again.
type runRetry struct {
	Remote
	Form
	waiting
	manyRuns
}

// Run makes new runs.
func (r *runRetry) Run(ctx context.Context, con Console) error {
	if err := r.waiting.check(); err != nil {
		return err
	}
	return r.With(func(c *client.Client) error {
		results, err := r.results(ctx, c.RetryRuns)
		if err != nil {
			return err
		}
		var ids []int64
		var faults []error
		for _, one := range results {
			ids = append(ids, one.RunIDs...)
			if !one.OK {
				faults = append(faults, fmt.Errorf("run %d: %s", one.ID, Safe(one.Message)))
			}
		}
		if len(ids) == 0 {
			return orMissing(ctx, c, results, errors.Join(faults...))
		}
		return errors.Join(append(faults, r.finish(ctx, con, c, &r.Form, ids))...)
	})
}
