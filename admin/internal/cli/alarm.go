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

// AlarmCmd works on alarms, their rules, mute windows and channels.
type AlarmCmd struct {
	List     alarmList     `cmd:"" help:"List what is wrong now, or was."`
	Ack      alarmAck      `cmd:"" help:"Acknowledge open alarms: they no longer count, until they are raised again."`
	Unack    alarmUnack    `cmd:"" help:"Take acknowledgements back."`
	Rules    alarmRules    `cmd:"" help:"List rules."`
	Rule     alarmRule     `cmd:"" help:"Set and delete rules."`
	Mutes    alarmMutes    `cmd:"" help:"List mute windows that have not ended."`
	Mute     alarmMute     `cmd:"" help:"Hold back the alarms of a job or group for a while."`
	Unmute   alarmUnmute   `cmd:"" help:"End a mute window. It asks nothing: alarm mute sets it again."`
	Channels alarmChannels `cmd:"" help:"List the channels and what last happened in them."`
	Test     alarmTest     `cmd:"" help:"Send a test message through a channel."`
}

// alarmObject is the job or group that a command is about.
type alarmObject struct {
	Job   string `help:"A job: id, name, or GROUP/NAME." env:"-" placeholder:"JOB"`
	Group string `help:"A group, with all of its jobs: app name or id." env:"-" placeholder:"GROUP"`
}

// object is a job or group as the API names it.
type object struct {
	kind string
	id   int32
	name string
}

func (o object) String() string {
	text := fmt.Sprintf("%s %d", o.kind, o.id)
	if o.name != "" {
		text += " " + o.name
	}
	return text
}

// check wants one of the flags, or with none allowed at most one.
func (a *alarmObject) check(none bool) error {
	switch {
	case a.Job != "" && a.Group != "":
		return UsageError{Err: errors.New("give --job or --group, not both")}
	case a.Job == "" && a.Group == "" && !none:
		return UsageError{Err: errors.New("give --job or --group")}
	}
	return nil
}

// find returns what the flags name; nothing where there are none.
func (a *alarmObject) find(ctx context.Context, c *client.Client) (object, error) {
	switch {
	case a.Job != "":
		j, err := findTarget(ctx, c, a.Job)
		if err != nil {
			return object{}, err
		}
		return object{client.KindJob, j.ID, j.Name}, nil
	case a.Group != "":
		g, err := findGroup(ctx, c, a.Group)
		if id, ok := AsID(a.Group); ok && errors.Is(err, client.ErrForbidden) { // it may not look
			return object{kind: client.KindGroup, id: id}, nil
		}
		if err != nil {
			return object{}, err
		}
		return object{client.KindGroup, g.ID, g.AppName}, nil
	}
	return object{}, nil
}

// oneObject are the flags of commands that work on one job or group.
type oneObject struct {
	Remote
	alarmObject
}

// withObject calls f with what the flags name.
func (o *oneObject) withObject(ctx context.Context, f func(c *client.Client, of object) error) error {
	if err := o.check(false); err != nil {
		return err
	}
	return o.With(func(c *client.Client) error {
		of, err := o.find(ctx, c)
		if err != nil {
			return err
		}
		return f(c, of)
	})
}

// firstLine is the beginning of a text that may have many lines.
func firstLine(text string) string {
	const most = 80
	line, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	if rest != "" {
		line += " …"
	}
	return dash(line)
}

// alarmChannels lists channels.
type alarmChannels struct {
	Remote
	Form
}

// Run prints them.
func (l *alarmChannels) Run(ctx context.Context, con Console) error {
	return l.With(func(c *client.Client) error {
		list, err := c.Channels(ctx)
		if err != nil {
			return err
		}
		return l.Print(con, list, func(w io.Writer) {
			Row(w, "NAME", "TYPE", "GROUPS", "LAST", "RESULT", "NOW")
			for _, ch := range list {
				groups, last, result := "all", "-", "-"
				if ch.GroupIDs != nil {
					groups = strings.Trim(fmt.Sprint(ch.GroupIDs), "[]")
				}
				if d := ch.LastDelivery; d != nil {
					last, result = clock(&d.At), outcome(d)
					if d.Error != "" {
						result += ": " + firstLine(d.Error)
					}
				}
				Row(w, ch.Name, ch.Type, groups, last, result, trying(&ch))
			}
		})
	})
}

// trying says what a channel sends now.
func trying(ch *client.Channel) string {
	now := ch.Trying
	if now == nil {
		return "-"
	}
	text := fmt.Sprintf("trying, attempt %d of %d", now.Attempt, now.Attempts)
	if now.NextAt != nil {
		text += " at " + clock(now.NextAt)
	}
	if now.Error != "" {
		text += ", last: " + firstLine(now.Error)
	}
	if ch.Queued > 0 {
		text += fmt.Sprintf("; %d wait", ch.Queued)
	}
	return text
}

// alarmTest tests channels.
type alarmTest struct {
	Remote

	Channel string `arg:"" help:"Name of the channel."`
}

// Run sends the message, and waits until the service has it.
func (l *alarmTest) Run(ctx context.Context, con Console) error {
	return l.With(func(c *client.Client) error {
		if err := c.TestAlarm(ctx, l.Channel); err != nil {
			if errors.Is(err, client.ErrNotFound) {
				return notFound("there is no channel %q: xxl-job-admin alarm channels shows them", l.Channel)
			}
			return err
		}
		fmt.Fprintf(con.Out, "sent a test through %s\n", Safe(l.Channel))
		return nil
	})
}

// alarmMutes lists mute windows.
type alarmMutes struct {
	Remote
	Form
}

// Run prints them.
func (l *alarmMutes) Run(ctx context.Context, con Console) error {
	return l.With(func(c *client.Client) error {
		list, err := c.Mutes(ctx)
		if err != nil {
			return err
		}
		return l.Print(con, list, func(w io.Writer) {
			Row(w, "OF", "UNTIL", "BY", "REASON")
			for _, m := range list {
				Row(w, object{m.Kind, m.ObjectID, m.Name}, clock(&m.Until), dash(m.User), dash(m.Reason))
			}
		})
	})
}

// alarmMute mutes a job or group.
type alarmMute struct {
	oneObject

	For    time.Duration `arg:"" help:"How long, such as 15m; at most 720h. The window ends by itself."`
	Reason string        `help:"Why, for the others." env:"-" placeholder:"TEXT"`
}

// Run says until when.
func (m *alarmMute) Run(ctx context.Context, con Console) error {
	if m.For < time.Second {
		return UsageError{Err: fmt.Errorf("%v must be at least 1s", m.For)}
	}
	return m.withObject(ctx, func(c *client.Client, of object) error {
		until := time.Now().Add(m.For).Truncate(time.Second).UTC()
		err := c.SetMute(ctx, client.MuteInput{Kind: of.kind, ObjectID: of.id, Until: until, Reason: m.Reason})
		if err != nil {
			return err
		}
		fmt.Fprintf(con.Out, "muted %s until %s\n", Safe(of.String()), clock(&until))
		return nil
	})
}

// alarmUnmute ends a mute window.
type alarmUnmute struct {
	oneObject
}

// Run ends it; one that is not there is no error.
func (m *alarmUnmute) Run(ctx context.Context, con Console) error {
	return m.withObject(ctx, func(c *client.Client, of object) error {
		list, err := c.Mutes(ctx)
		if err != nil && !errors.Is(err, client.ErrForbidden) { // it need not be allowed to look
			return err
		}
		there := func(l client.Mute) bool { return l.Kind == of.kind && l.ObjectID == of.id }
		if err == nil && !slices.ContainsFunc(list, there) {
			fmt.Fprintf(con.Out, "%s has no mute window of its own: xxl-job-admin alarm mutes shows those there are\n",
				Safe(of.String()))
			return nil
		}
		if err := c.DeleteMute(ctx, of.kind, of.id); err != nil {
			return err
		}
		fmt.Fprintf(con.Out, "unmuted %s\n", Safe(of.String()))
		return nil
	})
}
