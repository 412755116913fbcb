package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
)

// maxFields is how many changed fields a line of a table names.
const maxFields = 4

// changes are the flags and the output of commands that show a history.
type changes struct {
	Remote
	Form

	Limit int `help:"Changes to show, newest first." default:"20" env:"-"`
}

// show prints changes.
func (h *changes) show(con Console, all iter.Seq2[*client.Change, error]) error {
	list := []*client.Change{}
	for ch, err := range all {
		if err != nil {
			return err
		}
		if list = append(list, ch); len(list) >= h.Limit {
			break
		}
	}
	return h.Print(con, list, func(w io.Writer) {
		Row(w, "CHANGE", "AT", "WHO", "ACTION", "FIELDS")
		for _, ch := range list {
			Row(w, ch.ID, clock(&ch.At), dash(ch.User), actionOf(ch), fieldsOf(ch))
		}
	})
}

// actionOf says what was done; of a rule for alarms or a mute window it names that.
func actionOf(ch *client.Change) string {
	if ch.Kind == "rule" || ch.Kind == "mute" {
		return ch.Kind + " " + ch.Action
	}
	return ch.Action
}

// fieldsOf names what a change has set.
func fieldsOf(ch *client.Change) string {
	if ch.Action == "create" || ch.Action == "delete" || ch.Action == "restore" {
		return "-"
	}
	var names []string
	for i, d := range ch.Differences {
		if i == maxFields {
			names = append(names, fmt.Sprintf("and %d more", len(ch.Differences)-maxFields))
			break
		}
		names = append(names, d.Field)
	}
	return dash(strings.Join(names, ", "))
}

func (h *changes) check() error {
	if h.Limit < 1 {
		return UsageError{Err: fmt.Errorf("--limit %d must be above 0", h.Limit)}
	}
	return nil
}

// jobHistory shows who has changed what of a job.
type jobHistory struct {
	changes

	Job string `arg:"" help:"Id, name, or GROUP/NAME; of a deleted job the id."`
}

// Run prints it.
func (h *jobHistory) Run(ctx context.Context, con Console) error {
	if err := h.check(); err != nil {
		return err
	}
	return h.With(func(c *client.Client) error {
		id, ok := AsID(h.Job)
		if !ok {
			j, err := FindJob(ctx, c, h.Job)
			if err != nil {
				return err
			}
			id = j.ID
		}
		return h.show(con, c.JobChanges(ctx, id))
	})
}

// executorHistory shows who has changed what of a group.
type executorHistory struct {
	changes

	Group string `arg:"" help:"App name or id of the group; of a deleted one the id."`
}

// Run prints it.
func (h *executorHistory) Run(ctx context.Context, con Console) error {
	if err := h.check(); err != nil {
		return err
	}
	return h.With(func(c *client.Client) error {
		id, ok := AsID(h.Group)
		if !ok {
			g, err := findGroup(ctx, c, h.Group)
			if err != nil {
				return err
			}
			id = g.ID
		}
		return h.show(con, c.GroupChanges(ctx, id))
	})
}

// jobUndo undoes changes.
type jobUndo struct {
	Remote

	Changes []int64 `arg:"" name:"change" help:"Numbers of changes, as job history shows them."`
	Force   bool    `help:"Undo it although there were later changes, or runs." env:"-"`
}

// Run undoes them, the newest first.
func (u *jobUndo) Run(ctx context.Context, con Console) error {
	for _, id := range u.Changes {
		if id < 1 {
			return UsageError{Err: fmt.Errorf("%d is no number of a change: xxl-job-admin job history shows them", id)}
		}
	}
	return u.With(func(c *client.Client) error {
		var faults []error
		for _, id := range slices.Backward(slices.Sorted(slices.Values(u.Changes))) {
			ch, err := c.UndoChange(ctx, id, u.Force)
			if err != nil {
				faults = append(faults, fmt.Errorf("change %d: %w", id, err))
				continue
			}
			fmt.Fprintf(con.Out, "undid change %d of %s %d: %s\n", id, Safe(ch.Kind), ch.ObjectID, Safe(ch.Action))
		}
		return errors.Join(faults...)
	})
}

// jobDeleted lists jobs that can be brought back.
type jobDeleted struct {
	Remote
	Form

	Group string `help:"Only of this group: its app name or id." env:"-" placeholder:"GROUP"`
	Name  string `help:"Only those whose names contain this." env:"-" placeholder:"PART"`
	Sort  string `help:"${deleted_sort}" enum:"${deleted_sorts}" default:"-at" env:"-"`
}

// Run prints them.
func (d *jobDeleted) Run(ctx context.Context, con Console) error {
	return d.With(func(c *client.Client) error {
		f := client.DeletedFilter{Name: d.Name, Sort: d.Sort}
		if id, ok := AsID(d.Group); ok {
			f.GroupID = id
		} else if d.Group != "" {
			g, err := findGroup(ctx, c, d.Group)
			if err != nil {
				return err
			}
			f.GroupID = g.ID
		}
		return d.showDeleted(con, c.DeletedJobs(ctx, f))
	})
}

// executorDeleted lists groups that can be brought back.
type executorDeleted struct {
	Remote
	Form

	Sort string `help:"${deleted_sort}" enum:"${deleted_sorts}" default:"-at" env:"-"`
}

// Run prints them.
func (d *executorDeleted) Run(ctx context.Context, con Console) error {
	return d.With(func(c *client.Client) error {
		return d.showDeleted(con, c.DeletedGroups(ctx, client.DeletedFilter{Sort: d.Sort}))
	})
}

// showDeleted prints what was deleted.
func (o *Form) showDeleted(con Console, all iter.Seq2[*client.Deleted, error]) error {
	list := []*client.Deleted{}
	for d, err := range all {
		if err != nil {
			return err
		}
		list = append(list, d)
	}
	return o.Print(con, list, func(w io.Writer) {
		Row(w, "ID", "GROUP", "NAME", "DELETED", "WHO", "KEPT UNTIL")
		for _, d := range list {
			Row(w, d.ID, d.GroupID, d.Name, clock(&d.At), dash(d.User), clock(d.Until))
		}
	})
}

// jobRestore brings jobs back.
type jobRestore struct {
	Remote

	IDs []int32 `arg:"" name:"id" help:"Ids of deleted jobs, as job deleted shows them."`
}

// Run brings them back.
func (r *jobRestore) Run(ctx context.Context, con Console) error {
	return r.With(func(c *client.Client) error {
		var faults []error
		for _, id := range r.IDs {
			j, err := c.RestoreJob(ctx, id)
			if err != nil {
				faults = append(faults, fmt.Errorf("job %d: %w", id, err))
				continue
			}
			fmt.Fprintf(con.Out, "restored job %d %s (%s)\n", j.ID, Safe(j.Name), Safe(j.State))
		}
		return errors.Join(faults...)
	})
}

// executorRestore brings a group back.
type executorRestore struct {
	Remote

	ID int32 `arg:"" help:"Id of a deleted group, as executor deleted shows it."`
}

// Run brings it back.
func (r *executorRestore) Run(ctx context.Context, con Console) error {
	return r.With(func(c *client.Client) error {
		back, err := c.RestoreGroup(ctx, r.ID)
		if err != nil {
			return err
		}
		app := Safe(back.Group.AppName)
		fmt.Fprintf(con.Out, "restored group %d %s\n", back.Group.ID, app)
		if back.HadToken {
			fmt.Fprintf(con.Err, "its access token was not kept: xxl-job-admin executor token %s makes one\n", app)
		}
		return nil
	})
}

// touched says in words what the deletion of jobs touches; "" where that is
// nothing but them.
func touched(ctx context.Context, c *client.Client, list []*client.Job) (string, error) {
	var running, planned int
	var parents []string
	goes := map[int32]bool{}
	for _, j := range list {
		goes[j.ID] = true
	}
	for _, j := range list {
		d, err := c.Deletion(ctx, j.ID)
		if err != nil {
			return "", err
		}
		running, planned = running+d.RunningRuns, planned+d.PlannedRuns
		for _, p := range d.Parents {
			if !goes[p.ID] {
				parents = append(parents, fmt.Sprintf("%d %s", p.ID, Safe(p.Name)))
			}
		}
	}
	var lines []string
	if running > 0 {
		lines = append(lines, fmt.Sprintf("on executors now: %s; they go on there, and their results are not kept\n",
			counted(running, "run")))
	}
	if planned > 0 {
		lines = append(lines, counted(planned, "run")+" will not be sent any more\n")
	}
	if len(parents) > 0 {
		lines = append(lines, "has it as a child: job "+strings.Join(parents, ", job ")+"\n")
	}
	return strings.Join(lines, ""), nil
}

// counted writes a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
