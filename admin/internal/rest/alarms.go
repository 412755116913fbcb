package rest

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// deliveryView is what last became of an alarm in a channel.
type deliveryView struct {
	Channel string `json:"channel"`
	At      string `json:"at"`
	OK      bool   `json:"ok"`
	Error   string `json:"error"`
}

func viewDelivery(d model.AlarmDelivery) deliveryView {
	return deliveryView{d.Channel, at(d.At), d.Error == "", d.Error}
}

// alarmView is an alarm on record as it is answered.
type alarmView struct {
	ID         int64           `json:"id"`
	What       model.AlarmWhat `json:"what"`
	Kind       string          `json:"kind"`
	ObjectID   int32           `json:"object_id"`
	GroupID    int32           `json:"group_id"`
	Name       string          `json:"name"`
	First      string          `json:"first_at"`
	Last       string          `json:"last_at"`
	Recovered  *string         `json:"recovered_at"`
	Count      int64           `json:"count"`
	Muted      int64           `json:"muted"`
	RunID      *int64          `json:"run_id"`
	Message    string          `json:"message"`
	Acked      *string         `json:"acknowledged_at"`
	AckedBy    *string         `json:"acknowledged_by"`
	URL        *string         `json:"url"`
	Deliveries []deliveryView  `json:"deliveries"`
}

func viewAlarm(a *ops.AlarmView) alarmView {
	v := alarmView{
		ID: a.ID, What: a.What, Kind: a.Kind, ObjectID: a.ObjectID, GroupID: a.GroupID, Name: a.Name,
		First: at(a.First), Last: at(a.Last), Recovered: atOrNull(a.Recovered), Count: a.Count, Muted: a.Muted,
		Message: a.Message, Deliveries: make([]deliveryView, 0, len(a.Deliveries)),
	}
	if !a.Acked.IsZero() {
		v.Acked, v.AckedBy = atOrNull(a.Acked), &a.AckedBy
	}
	if a.LogID > 0 {
		v.RunID = &a.LogID
	}
	if a.URL != "" {
		v.URL = &a.URL
	}
	for _, d := range a.Deliveries {
		v.Deliveries = append(v.Deliveries, viewDelivery(d))
	}
	return v
}

// alarmFilters are the query parameters that select alarms.
var alarmFilters = []string{
	"state", "kind", "object_id", "group_id", "what", "acknowledged", "from", "to", "sort",
}

func listAlarms(ctx context.Context, c *call) error {
	limit, m, err := c.paging()
	if err != nil {
		return err
	}
	f, err := c.alarmFilter(m)
	if err != nil {
		return err
	}
	f.Limit = limit + 1
	list, err := c.s.cfg.Ops.Alarms(ctx, c.who, f)
	if err != nil {
		return err
	}
	list, more := cut(list, limit)
	answer := page[alarmView]{Items: make([]alarmView, 0, len(list))}
	var last mark
	for _, a := range list {
		answer.Items, last = append(answer.Items, viewAlarm(a)), markOf(a.Mark(f.Order.By))
	}
	answer.NextCursor = c.next(more, last)
	return c.json(http.StatusOK, answer)
}

// alarmFilter reads what selects alarms, and their order from m on.
func (c *call) alarmFilter(m *mark) (f model.AlarmFilter, err error) {
	state, err := c.choice("state", "open", "ended")
	if err != nil {
		return f, err
	}
	f.Ended = state == "ended"
	orders := []string{model.OrderFirst, model.OrderLast, model.OrderCount}
	if f.Ended {
		orders = []string{model.OrderFirst, model.OrderEnded}
	}
	if f.Order, err = c.order(m, orders...); err != nil {
		return f, err
	}
	if c.r.URL.Query().Has("kind") || c.r.URL.Query().Has("object_id") {
		if f.Kind, f.ObjectID, err = c.alarmObject(); err != nil {
			return f, err
		}
	}
	group, err := c.filterID("group_id")
	if err != nil {
		return f, err
	}
	if group > 0 {
		f.GroupIDs = []int32{group}
	}
	what, err := c.choice("what", "failed", "late", "long", "nobody")
	if err != nil {
		return f, err
	}
	f.What = model.AlarmWhat(what)
	acked, err := c.choice("acknowledged", "true", "false")
	if err != nil {
		return f, err
	}
	if acked != "" {
		yes := acked == "true"
		f.Acked = &yes
	}
	if f.From, err = c.instant("from"); err != nil {
		return f, err
	}
	f.To, err = c.instant("to")
	return f, err
}

// ackAlarm acknowledges an alarm.
func ackAlarm(ctx context.Context, c *call) error { return c.acked(ctx, c.s.cfg.Ops.AckAlarm) }

// unackAlarm takes an acknowledgement back.
func unackAlarm(ctx context.Context, c *call) error { return c.acked(ctx, c.s.cfg.Ops.UnackAlarm) }

func (c *call) acked(
	ctx context.Context, do func(ctx context.Context, p ops.Principal, id int64) (*ops.AlarmView, error),
) error {
	id, err := c.id64("alarm_id")
	if err != nil {
		return err
	}
	a, err := do(ctx, c.who, id)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, viewAlarm(a))
}

// alarmObject reads kind and object_id from the query; both are required.
func (c *call) alarmObject() (kind string, id int32, err error) {
	if kind, err = c.choice("kind", model.ChangeJob, model.ChangeGroup); err != nil {
		return "", 0, err
	}
	if kind == "" {
		return "", 0, badParam("kind", "job or group")
	}
	n, err := strconv.ParseInt(c.r.URL.Query().Get("object_id"), 10, 32)
	if err != nil || n < 1 {
		return "", 0, badParam("object_id", "a whole number from 1 to 2147483647")
	}
	return kind, int32(n), nil
}

// tryView is how far a message is.
type tryView struct {
	Attempt  int     `json:"attempt"`
	Attempts int     `json:"attempts"`
	NextAt   *string `json:"next_at"` // null: it runs
	Error    string  `json:"error"`
}

func listChannels(ctx context.Context, c *call) error {
	list, err := c.s.cfg.Ops.AlarmChannels(ctx, c.who)
	if err != nil {
		return err
	}
	type channel struct {
		Name     string        `json:"name"`
		Type     string        `json:"type"`
		GroupIDs []int32       `json:"group_ids"` // null is all
		Last     *deliveryView `json:"last_delivery"`
		Trying   *tryView      `json:"trying"`
		Queued   int           `json:"queued"`
	}
	answer := items[channel]{Items: make([]channel, 0, len(list))}
	for _, ch := range list {
		if ch.Name == "" {
			continue // nothing of it may be known but that it is there
		}
		v := channel{Name: ch.Name, Type: ch.Type, Queued: ch.Queued}
		if now := ch.Trying; now != nil {
			v.Trying = &tryView{now.Attempt, now.Attempts, atOrNull(now.Next), now.Error}
		}
		if len(ch.Groups) > 0 {
			v.GroupIDs = ch.Groups
		}
		if ch.Last != nil {
			d := viewDelivery(*ch.Last)
			v.Last = &d
		}
		answer.Items = append(answer.Items, v)
	}
	return c.json(http.StatusOK, answer)
}

func testAlarm(ctx context.Context, c *call) error {
	var in struct {
		Channel string `json:"channel"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	if err := c.s.cfg.Ops.TestAlarm(ctx, c.who, in.Channel); err != nil {
		return err
	}
	return c.json(http.StatusOK, struct {
		Sent bool `json:"sent"`
	}{true})
}

// ruleView is a rule as it is answered, ruleInput as it is set.
type ruleView struct {
	ruleInput

	Name      string `json:"name"`
	User      string `json:"user"`
	CreatedAt string `json:"created_at"`
}

type ruleInput struct {
	Kind     string          `json:"kind"`
	ObjectID int32           `json:"object_id"`
	What     model.AlarmWhat `json:"what"`
	LimitMs  int64           `json:"limit_ms"`
}

func listRules(ctx context.Context, c *call) error {
	list, err := c.s.cfg.Ops.AlarmRules(ctx, c.who)
	if err != nil {
		return err
	}
	answer := items[ruleView]{Items: make([]ruleView, 0, len(list))}
	for _, r := range list {
		answer.Items = append(answer.Items, ruleView{
			ruleInput: ruleInput{r.Kind, r.ObjectID, r.What, r.Limit.Milliseconds()},
			Name:      r.Name, User: r.User, CreatedAt: at(r.Created),
		})
	}
	return c.json(http.StatusOK, answer)
}

// maxMs bounds durations that are given, so that none overflows.
const maxMs = int64(1) << 40

func setRule(ctx context.Context, c *call) error {
	var in ruleInput
	if err := c.decode(&in); err != nil {
		return err
	}
	key := model.AlarmKey{What: in.What, Kind: in.Kind, ObjectID: in.ObjectID}
	limit := time.Duration(max(min(in.LimitMs, maxMs), 0)) * time.Millisecond
	if err := c.s.cfg.Ops.SetAlarmRule(ctx, c.who, key, limit); err != nil {
		return err
	}
	return c.json(http.StatusOK, in)
}

func deleteRule(ctx context.Context, c *call) error {
	kind, id, err := c.alarmObject()
	if err != nil {
		return err
	}
	what, err := c.choice("what", "late", "long", "nobody")
	if err != nil {
		return err
	}
	if what == "" {
		return badParam("what", "late, long or nobody")
	}
	key := model.AlarmKey{What: model.AlarmWhat(what), Kind: kind, ObjectID: id}
	if err := c.s.cfg.Ops.DeleteAlarmRule(ctx, c.who, key); err != nil {
		return err
	}
	return c.gone()
}

// muteInput is a mute window as it is set.
type muteInput struct {
	Kind     string `json:"kind"`
	ObjectID int32  `json:"object_id"`
	Until    string `json:"until"`
	Reason   string `json:"reason"`
}

func listMutes(ctx context.Context, c *call) error {
	list, err := c.s.cfg.Ops.Mutes(ctx, c.who)
	if err != nil {
		return err
	}
	type view struct {
		muteInput

		Name string `json:"name"`
		User string `json:"user"`
	}
	answer := items[view]{Items: make([]view, 0, len(list))}
	for _, m := range list {
		answer.Items = append(answer.Items, view{muteInput{m.Kind, m.ObjectID, at(m.Until), m.Reason}, m.Name, m.User})
	}
	return c.json(http.StatusOK, answer)
}

func setMute(ctx context.Context, c *call) error {
	var in muteInput
	if err := c.decode(&in); err != nil {
		return err
	}
	until, err := time.Parse(time.RFC3339, in.Until)
	if err != nil {
		return problem(kindInvalid, "see errors", fieldFault{"/until", "an instant such as 2026-11-21T21:49:49Z"})
	}
	m := model.Mute{Kind: in.Kind, ObjectID: in.ObjectID, Until: until, Reason: in.Reason}
	if err := c.s.cfg.Ops.Mute(ctx, c.who, m); err != nil {
		return err
	}
	in.Until = at(until)
	return c.json(http.StatusOK, in)
}

func deleteMute(ctx context.Context, c *call) error {
	kind, id, err := c.alarmObject()
	if err != nil {
		return err
	}
	if err := c.s.cfg.Ops.Unmute(ctx, c.who, kind, id); err != nil {
		return err
	}
	return c.gone()
}
