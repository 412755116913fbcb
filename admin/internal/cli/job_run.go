package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/client"
)

// pollEvery is how often a run is asked for its end.
const pollEvery = 500 * time.Millisecond

// waiting are the flags of commands that can wait for runs.
type waiting struct {
	Wait        bool          `help:"${run_wait}" env:"-"`
	Follow      bool          `help:"${run_follow}" env:"-"`
	WaitTimeout time.Duration `help:"${run_wait_timeout}" default:"0" env:"-"`
}

// jobRun runs a job once.
type jobRun struct {
	Remote
	Form
	oneJob
	waiting

	Param   *string  `help:"Parameter instead of that of the job." env:"-" placeholder:"TEXT"`
	Address []string `help:"Run only at these addresses of the group." env:"-" placeholder:"URL"`
}

// Run runs it.
func (r *jobRun) Run(ctx context.Context, con Console) error {
	if err := r.waiting.check(); err != nil {
		return err
	}
	return r.With(func(c *client.Client) error {
		j, err := findTarget(ctx, c, r.Job)
		if err != nil {
			return err
		}
		ids, err := c.RunJob(ctx, j.ID, client.RunInput{Param: r.Param, Addresses: r.Address})
		if err != nil {
			return err
		}
		return r.finish(ctx, con, c, &r.Form, ids)
	})
}

// check refuses a limit of a wait that is none.
func (w *waiting) check() error {
	switch {
	case w.WaitTimeout < 0:
		return UsageError{Err: fmt.Errorf("--wait-timeout %v must not be below 0", w.WaitTimeout)}
	case w.WaitTimeout > 0 && !w.Wait && !w.Follow:
		return UsageError{Err: errors.New("--wait-timeout is for --wait or --follow: give one of them, too")}
	}
	return nil
}

// finish prints the runs that were made, and waits for them if that is wanted.
func (w *waiting) finish(ctx context.Context, con Console, c *client.Client, o *Form, ids []int64) error {
	if !w.Wait && !w.Follow {
		return o.Print(con, map[string][]int64{"run_ids": ids}, func(t io.Writer) {
			for _, id := range ids {
				fmt.Fprintf(t, "run %d\n", id)
			}
		})
	}
	if w.WaitTimeout > 0 {
		var cancel context.CancelFunc
		late := fmt.Errorf("the runs have not ended within %v", w.WaitTimeout)
		ctx, cancel = context.WithTimeoutCause(ctx, w.WaitTimeout, codedError{err: late, code: ExitWaited})
		defer cancel()
	}
	runs := make([]*client.Run, 0, len(ids))
	for i, id := range ids {
		run, err := w.last(ctx, con, c, o, id)
		if err != nil {
			return unended(ctx, err, ids[i:])
		}
		runs = append(runs, run)
	}
	if err := o.Print(con, runs, func(t io.Writer) { runTable(t, runs, nil) }); err != nil {
		return err
	}
	var faults []string
	for _, run := range runs {
		if run.Status != client.RunSuccess {
			faults = append(faults, fmt.Sprintf("run %d: %s", run.ID, run.Status))
		}
	}
	if len(faults) > 0 {
		return codedError{err: errors.New(strings.Join(faults, ", ")), code: ExitRunFailed}
	}
	return nil
}

// last waits for the end of a run, and of the retries that follow it, and returns the
// last of them.
func (w *waiting) last(ctx context.Context, con Console, c *client.Client, o *Form, id int64) (*client.Run, error) {
	for {
		if w.Follow {
			if err := followOne(ctx, o.aside(con), c, id); err != nil {
				return nil, err
			}
		}
		run, err := ended(ctx, c, id)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(run.FollowedBy, func(l client.RunLink) bool { return l.Cause == client.CauseRetry })
		if i < 0 {
			return run, nil
		}
		id = run.FollowedBy[i].ID
		fmt.Fprintf(con.Err, "run %d: %s; run %d tries it again\n", run.ID, run.Status, id)
	}
}

// unended says why ctx ended, where that is what has happened, and which runs
// were not waited for to their ends.
func unended(ctx context.Context, err error, ids []int64) error {
	if ctx.Err() == nil {
		return err
	}
	runs := make([]string, len(ids))
	for i, id := range ids {
		runs[i] = fmt.Sprintf("run %d", id)
	}
	return fmt.Errorf("%w; what has not ended goes on: %s", context.Cause(ctx), strings.Join(runs, ", "))
}

// followOne prints a log as it is written. A run that no executor has taken has
// none yet.
func followOne(ctx context.Context, w io.Writer, c *client.Client, id int64) error {
	if _, err := until(ctx, c, id, func(r *client.Run) bool { return r.Status != client.RunWaiting }); err != nil {
		return err
	}
	for part, err := range c.Follow(ctx, id, 1) {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, logText(part.Text)); err != nil {
			return err
		}
	}
	return nil
}

// ended waits for the end of a run.
func ended(ctx context.Context, c *client.Client, id int64) (*client.Run, error) {
	return until(ctx, c, id, (*client.Run).Ended)
}

func until(ctx context.Context, c *client.Client, id int64, done func(*client.Run) bool) (*client.Run, error) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		run, err := c.Run(ctx, id)
		if err != nil || done(run) {
			return run, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
