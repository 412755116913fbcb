package client

import (
	"context"
	"iter"
	"net/http"
	"strconv"
	"time"
)

// What an alarm is about. All but the first need a rule.
const (
	AlarmFailed = "failed" // a run has failed
	AlarmLate   = "late"   // a fire was not sent within the limit
	AlarmLong   = "long"   // a run takes longer than the limit
	AlarmNobody = "nobody" // a group has had no executor for the limit; of groups alone
)

// Kinds of what alarms, rules, mute windows and changes are for.
const (
	KindJob   = "job"
	KindGroup = "group" // in rules and mute windows every job of it, too
)

// States of an alarm.
const (
	AlarmOpen  = "open"
	AlarmEnded = "ended" // what it was about works again
)

// Delivery is what last became of an alarm in a channel.
type Delivery struct {
	Channel string    `json:"channel"` // for who may edit in the group; "" for others
	At      time.Time `json:"at"`
	OK      bool      `json:"ok"`    // the service has it
	Error   string    `json:"error"` // for administrators; others see "…" where there was one
}

// Alarm is an alarm on record.
type Alarm struct {
	ID          int64      `json:"id"`
	What        string     `json:"what"` // AlarmFailed …
	Kind        string     `json:"kind"` // KindJob or KindGroup
	ObjectID    int32      `json:"object_id"`
	GroupID     int32      `json:"group_id"`
	Name        string     `json:"name"` // of the job, or the title of the group; "" when it is gone
	FirstAt     time.Time  `json:"first_at"`
	LastAt      time.Time  `json:"last_at"`
	RecoveredAt *time.Time `json:"recovered_at"` // nil: it is open
	Count       int64      `json:"count"`        // how often it was raised
	Muted       int64      `json:"muted"`        // how many of these fell into a mute window
	RunID       *int64     `json:"run_id"`       // the last run that raised it; nil where no run did
	Message     string     `json:"message"`      // of the last one; may come from an executor
	// AcknowledgedAt is when somebody acknowledged it; nil: nobody has, or it was
	// raised again since.
	AcknowledgedAt *time.Time `json:"acknowledged_at"`
	AcknowledgedBy string     `json:"acknowledged_by"`
	URL            string     `json:"url"` // of the page that it is about; "" without a public address
	Deliveries     []Delivery `json:"deliveries"`
}

// AlarmFilter selects alarms. Zero fields select all that are open. Kind and
// ObjectID go together: one without the other is ErrInvalid.
type AlarmFilter struct {
	State    string // AlarmOpen (default) or AlarmEnded
	Kind     string // KindJob or KindGroup
	ObjectID int32
	GroupID  int32  // of this group and its jobs
	What     string // AlarmFailed …
	// Acknowledged selects those that somebody has acknowledged, or those that nobody
	// has; nil is both.
	Acknowledged *bool
	From         time.Time // those that had not ended before it
	To           time.Time // those that began before it
	// Sort is first_at, of open ones last_at or count, of ended ones recovered_at;
	// with - the other way round; default -first_at.
	Sort string
}

// Alarms lists the alarms on record of what the caller may see. The error, if any,
// comes last.
func (c *Client) Alarms(ctx context.Context, f AlarmFilter) iter.Seq2[*Alarm, error] {
	acked := ""
	if f.Acknowledged != nil {
		acked = strconv.FormatBool(*f.Acknowledged)
	}
	return pages[Alarm](ctx, c, "/alarms", values("state", f.State, "kind", f.Kind, "object_id", number(f.ObjectID),
		"group_id", number(f.GroupID), "what", f.What, "acknowledged", acked, "from", instant(f.From),
		"to", instant(f.To), "sort", f.Sort))
}

// AckAlarm acknowledges an open alarm: it no longer counts as something to look
// at, until it is raised again. It returns ErrNotFound, and ErrConflict for one
// that has ended.
func (c *Client) AckAlarm(ctx context.Context, id int64) (*Alarm, error) {
	return c.alarm(ctx, http.MethodPut, id)
}

// UnackAlarm takes an acknowledgement back; one that is not there is no error. It
// returns ErrNotFound.
func (c *Client) UnackAlarm(ctx context.Context, id int64) (*Alarm, error) {
	return c.alarm(ctx, http.MethodDelete, id)
}

func (c *Client) alarm(ctx context.Context, method string, id int64) (*Alarm, error) {
	out := new(Alarm)
	if err := c.do(ctx, &call{method: method, path: at("/alarms/", id, "/ack"), out: out}); err != nil {
		return nil, err
	}
	return out, nil
}

// Channel is a way to reach people, without its secrets.
type Channel struct {
	Name         string    `json:"name"`
	Type         string    `json:"type"`          // mail, webhook, slack …
	GroupIDs     []int32   `json:"group_ids"`     // that it is for; nil is all
	LastDelivery *Delivery `json:"last_delivery"` // nil: none yet, or the key does not see every group
	Trying       *Trying   `json:"trying"`        // what the node that answers sends now; nil: nothing, or not told
	Queued       int       `json:"queued"`        // alarms that wait behind it
}

// Trying is how far a message is on its way.
type Trying struct {
	Attempt  int        `json:"attempt"`  // that runs, or comes next
	Attempts int        `json:"attempts"` // how many there are at most
	NextAt   *time.Time `json:"next_at"`  // nil: it runs
	Error    string     `json:"error"`    // of the attempt before; for administrators, "…" for others
}

// Channels returns the channels that the node was started with, of the groups in
// which the key may edit, and for keys that see every group what happens in them.
func (c *Client) Channels(ctx context.Context) ([]Channel, error) {
	out, err := get[page[Channel]](ctx, c, "/alarms/channels")
	if err != nil {
		return nil, err
	}
	return out.Items, nil
}

// TestAlarm sends a test message through a channel, and returns when its service
// has it. ErrNotFound says that there is no channel of this name, ErrConflict that
// it was tested less than 10 s ago. Where the service did not take the message,
// the error is an [*Error] with the status 503, and its Detail says why. The
// request is never sent again. For administrators.
func (c *Client) TestAlarm(ctx context.Context, channel string) error {
	in := struct {
		Channel string `json:"channel"`
	}{channel}
	return c.do(ctx, &call{method: http.MethodPost, path: "/alarms/test", in: in, once: true})
}

// RuleInput is a rule for alarms of a job, or of every job of a group. All fields
// are required.
type RuleInput struct {
	Kind     string `json:"kind"` // KindJob or KindGroup
	ObjectID int32  `json:"object_id"`
	What     string `json:"what"`     // AlarmLate, AlarmLong or, of groups, AlarmNobody
	LimitMs  int64  `json:"limit_ms"` // milliseconds, whole seconds: 1 s to 30 days
}

// Rule is a rule as it is.
type Rule struct {
	RuleInput

	Name      string    `json:"name"` // of the job, or the title of the group; "" when it is gone
	User      string    `json:"user"` // who has set it
	CreatedAt time.Time `json:"created_at"`
}

// Rules returns the rules for what the caller may see.
func (c *Client) Rules(ctx context.Context) ([]Rule, error) {
	out, err := get[page[Rule]](ctx, c, "/alarms/rules")
	if err != nil {
		return nil, err
	}
	return out.Items, nil
}

// SetRule sets a rule, in place of one for the same object and What. ErrNotFound
// says that there is no such job or group, ErrConflict that there are 500 rules
// already.
func (c *Client) SetRule(ctx context.Context, in RuleInput) error {
	return c.do(ctx, &call{method: http.MethodPut, path: "/alarms/rules", in: in})
}

// DeleteRule deletes a rule. One that is not there is no error.
func (c *Client) DeleteRule(ctx context.Context, kind string, objectID int32, what string) error {
	return c.do(ctx, &call{
		method: http.MethodDelete, path: "/alarms/rules",
		query: values("kind", kind, "object_id", number(objectID), "what", what),
	})
}

// MuteInput is a mute window: until then the alarms of a job, or of a group and
// its jobs, are put on record and not sent.
type MuteInput struct {
	Kind     string    `json:"kind"` // KindJob or KindGroup
	ObjectID int32     `json:"object_id"`
	Until    time.Time `json:"until"`            // within 30 days
	Reason   string    `json:"reason,omitempty"` // up to 255 characters
}

// Mute is a mute window as it is.
type Mute struct {
	MuteInput

	Name string `json:"name"` // of the job, or the title of the group; "" when it is gone
	User string `json:"user"` // who has set it
}

// Mutes returns the mute windows that have not ended, of what the caller may see.
func (c *Client) Mutes(ctx context.Context) ([]Mute, error) {
	out, err := get[page[Mute]](ctx, c, "/alarms/mutes")
	if err != nil {
		return nil, err
	}
	return out.Items, nil
}

// SetMute mutes a job or group, in place of a window that there is. It ends by
// itself. ErrNotFound says that there is no such job or group.
func (c *Client) SetMute(ctx context.Context, in MuteInput) error {
	return c.do(ctx, &call{method: http.MethodPut, path: "/alarms/mutes", in: in})
}

// DeleteMute ends a mute window. One that is not there is no error.
func (c *Client) DeleteMute(ctx context.Context, kind string, objectID int32) error {
	return c.do(ctx, &call{
		method: http.MethodDelete, path: "/alarms/mutes", query: values("kind", kind, "object_id", number(objectID)),
	})
}
