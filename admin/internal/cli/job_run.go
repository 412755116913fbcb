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
	look := &watch{c: c, told: con.Err, limited: w.WaitTimeout > 0}
	runs := make([]*client.Run, 0, len(ids))
	for i, id := range ids {
		run, err := w.last(ctx, con, look, o, id)
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
func (w *waiting) last(ctx context.Context, con Console, look *watch, o *Form, id int64) (*client.Run, error) {
	for {
		if w.Follow {
			if err := look.follow(ctx, o.aside(con), id); err != nil {
				return nil, err
			}
		}
		run, err := look.until(ctx, id, (*client.Run).Ended)
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

// unended says why ctx ended, or that nobody answers, where that is what has
// happened, and which runs were not waited for to their ends.
func unended(ctx context.Context, err error, ids []int64) error {
	quiet, silent := errors.AsType[*silence](err)
	if ctx.Err() == nil && !silent {
		return err
	}
	runs := make([]string, len(ids))
	for i, id := range ids {
		runs[i] = fmt.Sprintf("run %d", id)
	}
	if silent {
		return fmt.Errorf("%w: what came of %s is not known; \"xxl-job-admin run get %d\" tells once it answers",
			quiet, strings.Join(runs, ", "), ids[0])
	}
	return fmt.Errorf("%w; what has not ended goes on: %s", context.Cause(ctx), strings.Join(runs, ", "))
}
