package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/client"
)

// alarmList lists alarms.
type alarmList struct {
	Remote
	Form
	alarmObject

	Ended bool          `help:"Those that have ended, instead of those that are open." env:"-"`
	What  string        `help:"Only failed, late, long or nobody." enum:",failed,late,long,nobody" default:"" env:"-"`
	Acked string        `help:"Only those acknowledged (yes), or not (no)." enum:",yes,no" default:"" env:"-"`
	Since time.Duration `help:"Only those open within so much time until now, as 24h." env:"-" placeholder:"TIME"`
	Until time.Duration `help:"Only those that began longer ago than this, as 1h." env:"-" placeholder:"TIME"`
	Sort  string        `help:"${alarm_sort}" enum:"${alarm_sorts}" default:"-first_at" env:"-"`
	Limit int           `help:"How many at most." short:"n" default:"20" env:"-"`
}

// filter is the selection as the API knows it: a group stands for its jobs, too.
func (l *alarmList) filter(ctx context.Context, c *client.Client) (client.AlarmFilter, error) {
	f := client.AlarmFilter{What: l.What, Sort: l.Sort}
	if l.Ended {
		f.State = client.AlarmEnded
	}
	if l.Acked != "" {
		yes := l.Acked == "yes"
		f.Acknowledged = &yes
	}
	of, err := l.find(ctx, c)
	if err != nil {
		return f, err
	}
	if f.Kind, f.ObjectID = of.kind, of.id; of.kind == client.KindGroup {
		f.Kind, f.ObjectID, f.GroupID = "", 0, of.id
	}
	f.From, f.To, err = span(l.Since, l.Until)
	return f, err
}

// Run prints them.
func (l *alarmList) Run(ctx context.Context, con Console) error {
	if l.Limit < 1 {
		return UsageError{Err: fmt.Errorf("--limit %d must be above 0", l.Limit)}
	}
	if _, _, err := span(l.Since, l.Until); err != nil {
		return err
	}
	if err := l.check(true); err != nil {
		return err
	}
	return l.With(func(c *client.Client) error {
		f, err := l.filter(ctx, c)
		if err != nil {
			return err
		}
		list := []*client.Alarm{}
		for a, err := range c.Alarms(ctx, f) {
			if err != nil {
				return err
			}
			if list = append(list, a); len(list) == l.Limit {
				break
			}
		}
		return l.Print(con, list, func(w io.Writer) {
			Row(w, "ID", "WHAT", "OF", "FIRST", "LAST", "ENDED", "TIMES", "ACKNOWLEDGED", "TOLD", "MESSAGE", "PAGE")
			for _, a := range list {
				Row(w, a.ID, a.What, object{a.Kind, a.ObjectID, a.Name}, clock(&a.FirstAt), clock(&a.LastAt),
					clock(a.RecoveredAt), times(a), ackedBy(a), told(a.Deliveries), firstLine(a.Message), dash(a.URL))
			}
		})
	})
}

// ackedBy says who has acknowledged an alarm.
func ackedBy(a *client.Alarm) string {
	if a.AcknowledgedAt == nil {
		return "-"
	}
	return a.AcknowledgedBy + " " + clock(a.AcknowledgedAt)
}

// times is how often an alarm was raised.
func times(a *client.Alarm) string {
	if a.Muted > 0 {
		return fmt.Sprintf("%d, %d muted", a.Count, a.Muted)
	}
	return fmt.Sprint(a.Count)
}

// told names the channels of an alarm with what became of it there.
func told(list []client.Delivery) string {
	var words []string
	for _, d := range list {
		words = append(words, strings.TrimSpace(d.Channel+" "+outcome(&d)))
	}
	return dash(strings.Join(words, ", "))
}

func outcome(d *client.Delivery) string {
	if d.OK {
		return "ok"
	}
	return "failed"
}

// alarmIDs are the alarms that a command is about.
type alarmIDs struct {
	Remote

	IDs []string `arg:"" name:"id" help:"Ids of alarms, as alarm list shows them."`
}

// each calls do for each of them, and says what was done.
func (a *alarmIDs) each(con Console, done string, do func(c *client.Client, id int64) (*client.Alarm, error)) error {
	ids := make([]int64, len(a.IDs))
	for i, text := range a.IDs {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id < 1 {
			return UsageError{Err: fmt.Errorf("%q is no id: xxl-job-admin alarm list shows them", text)}
		}
		ids[i] = id
	}
	return a.With(func(c *client.Client) error {
		for _, id := range ids {
			alarm, err := do(c, id)
			if errors.Is(err, client.ErrNotFound) {
				return notFound("there is no alarm %d: xxl-job-admin alarm list shows them", id)
			}
			if err != nil {
				return err
			}
			of := object{alarm.Kind, alarm.ObjectID, alarm.Name}
			fmt.Fprintf(con.Out, "%s alarm %d: %s, %s\n", done, id, alarm.What, Safe(of.String()))
		}
		return nil
	})
}

// alarmAck acknowledges alarms.
type alarmAck struct{ alarmIDs }

// Run acknowledges them.
func (a *alarmAck) Run(ctx context.Context, con Console) error {
	return a.each(con, "acknowledged", func(c *client.Client, id int64) (*client.Alarm, error) {
		return c.AckAlarm(ctx, id)
	})
}

// alarmUnack takes acknowledgements back.
type alarmUnack struct{ alarmIDs }

// Run takes them back; one that is not there is no error.
func (a *alarmUnack) Run(ctx context.Context, con Console) error {
	return a.each(con, "took back the acknowledgement of", func(c *client.Client, id int64) (*client.Alarm, error) {
		return c.UnackAlarm(ctx, id)
	})
}
