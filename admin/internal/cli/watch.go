package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/xxljob-go/xxljob/admin/client"
)

const (
	// pollEvery is how often a run is asked for its end.
	pollEvery = 500 * time.Millisecond
	// patience is how long an admin that does not answer is asked on where the
	// wait has no limit of its own: it is started again, or a node takes its place.
	patience = 5 * time.Minute
	// firstPause and longestPause are how long a question waits after one that was
	// not answered; the pause doubles.
	firstPause, longestPause = time.Second, 5 * time.Second
)

// watch asks an admin for runs. Silence of the admin ends it late: the runs go on
// meanwhile, and what they come to is told afterwards.
type watch struct {
	c       *client.Client
	told    io.Writer
	limited bool // the context has a limit that somebody has set

	since time.Time // when the silence began; zero while the admin answers
	pause time.Duration
}

// silence is that of an admin: nobody knows how the runs ended.
type silence struct {
	err  error // of the last question
	took time.Duration
}

// Error implements error.
func (s *silence) Error() string {
	return fmt.Sprintf("the admin has not answered for %v (%v)", s.took.Round(time.Second), s.err)
}

// answered notes that the admin answers.
func (w *watch) answered() {
	if !w.since.IsZero() {
		fmt.Fprintln(w.told, "the admin answers again")
	}
	w.since, w.pause = time.Time{}, firstPause
}

// again waits until the question that err is the answer to can be asked again; it
// returns an error if it should not be.
func (w *watch) again(ctx context.Context, err error) error {
	if ctx.Err() == nil && !unanswered(err) {
		return err
	}
	if w.since.IsZero() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w.since, w.pause = time.Now(), firstPause
		how := fmt.Sprintf("asking on for %v", patience)
		if w.limited {
			how = "asking on until --wait-timeout"
		}
		fmt.Fprintf(w.told, "the admin does not answer, %s: %v\n", how, err)
	}
	quiet := &silence{err: err, took: time.Since(w.since)}
	if !w.limited && quiet.took >= patience {
		return quiet
	}
	select {
	case <-time.After(w.pause):
		w.pause = min(2*w.pause, longestPause)
		return nil
	case <-ctx.Done():
		if coded, ok := errors.AsType[codedError](context.Cause(ctx)); ok && coded.code == ExitWaited {
			return quiet
		}
		return context.Cause(ctx)
	}
}

// unanswered reports whether err says that no admin has answered, but its host or
// a proxy at best, or that it cannot just now.
func unanswered(err error) bool {
	e, refused := errors.AsType[*client.Error](err)
	switch {
	case !refused:
		return true
	case e.Status == http.StatusTooManyRequests, e.Status >= http.StatusInternalServerError:
		return true
	}
	return e.Type == "" && e.Status == http.StatusNotFound // of a proxy that has nobody behind it
}

// until asks for a run until done says that it is enough.
func (w *watch) until(ctx context.Context, id int64, done func(*client.Run) bool) (*client.Run, error) {
	for {
		run, err := w.c.Run(ctx, id)
		if err != nil {
			if err = w.again(ctx, err); err != nil {
				return nil, err
			}
			continue
		}
		if w.answered(); done(run) {
			return run, nil
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// follow prints a log as it is written. A run that no executor has taken has none
// yet.
func (w *watch) follow(ctx context.Context, out io.Writer, id int64) error {
	if _, err := w.until(ctx, id, func(r *client.Run) bool { return r.Status != client.RunWaiting }); err != nil {
		return err
	}
	for next := int32(1); ; {
		var fault error
		for part, err := range w.c.Follow(ctx, id, next) {
			if fault = err; err != nil {
				break
			}
			w.answered()
			if _, err := io.WriteString(out, logText(part.Text)); err != nil {
				return err
			}
			next = max(next, part.ToLine+1)
		}
		if fault == nil {
			return nil
		}
		if err := w.again(ctx, fault); err != nil {
			return err
		}
	}
}
