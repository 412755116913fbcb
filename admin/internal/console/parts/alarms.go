package parts

import (
	"cmp"
	"context"
	"strconv"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/link"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// AlarmsOpen is how many open alarms are shown.
const AlarmsOpen = 200

// AlarmRow is a line of the lists of alarms.
type AlarmRow struct {
	*ops.AlarmView
	What  string
	Path  string // of the job, or of the group's jobs
	Run   string // of the run that it is about; "" where there is none
	Title string
	State web.State
	Sent  []sentRow
	Acks  bool // the visitor may acknowledge it, or take that back
}

// sentRow is what became of an alarm in a channel.
type sentRow struct {
	web.State
	Error string
}

// RuleRow is a line of the list of rules.
type RuleRow struct {
	ops.RuleView
	Words, Title, Limit string
	May                 web.Rights
}

// MuteRow is a line of the list of mute windows.
type MuteRow struct {
	ops.MuteView
	Title string
	May   web.Rights
}

// MuteRows are the mute windows that the visitor sees.
func (c Call) MuteRows(ctx context.Context) ([]MuteRow, error) {
	mutes, err := c.Cfg.Ops.Mutes(ctx, c.Who)
	var rows []MuteRow
	for _, m := range mutes {
		rows = append(rows, MuteRow{m, c.alarmTitle(m.Kind, m.ObjectID, m.Name), c.RightsIn(m.GroupID)})
	}
	return rows, err
}

// RuleRows are the rules that the visitor sees.
func (c Call) RuleRows(ctx context.Context) ([]RuleRow, error) {
	rules, err := c.Cfg.Ops.AlarmRules(ctx, c.Who)
	var rows []RuleRow
	for _, r := range rules {
		rows = append(rows, RuleRow{
			r, c.T("alarms.rule." + string(r.What)), c.alarmTitle(r.Kind, r.ObjectID, r.Name),
			say.Took(c.Lang, r.Limit), c.RightsIn(r.GroupID),
		})
	}
	return rows, err
}

// alarmTitle names a job or group: by its id when it is gone.
func (c Call) alarmTitle(kind string, id int32, name string) string {
	if name == "" {
		name = "#" + strconv.Itoa(int(id))
	}
	if kind == model.ChangeGroup {
		return c.T("alarms.group", name)
	}
	return name
}

// AlarmRows are alarms as lines.
func (c Call) AlarmRows(list []*ops.AlarmView) []AlarmRow {
	rows := make([]AlarmRow, 0, len(list))
	for _, a := range list {
		row := AlarmRow{
			AlarmView: a, What: c.T("alarms.what." + string(a.What)), Title: c.alarmTitle(a.Kind, a.ObjectID, a.Name),
			State: web.State{Kind: "bad", Text: c.T("alarms.open")},
			Acks:  a.Recovered.IsZero() && c.RightsIn(a.GroupID).Run,
		}
		if a.LogID > 0 {
			row.Run = link.Alarm(a.AlarmKey, a.LogID)
		}
		id := strconv.Itoa(int(a.ObjectID))
		switch {
		case a.Kind == model.ChangeGroup:
			row.Path = "/jobs?group=" + id
		case a.Name != "":
			row.Path = "/jobs/" + id
		}
		switch {
		case !a.Recovered.IsZero():
			row.State = web.State{Kind: "ok", Text: c.T("alarms.ended")}
		case !a.Acked.IsZero():
			row.State = web.State{Kind: "off", Text: c.T("alarms.acked")}
		case a.Muted == a.Count:
			row.State = web.State{Kind: "skip", Text: c.T("alarms.muted")}
		}
		for _, d := range a.Deliveries {
			s := sentRow{web.State{Kind: "ok", Text: cmp.Or(d.Channel, c.T("alarms.sent"))}, ""}
			if d.Error != "" {
				s = sentRow{web.State{Kind: "bad", Text: cmp.Or(d.Channel, c.T("alarms.notsent"))}, d.Error}
			}
			row.Sent = append(row.Sent, s)
		}
		rows = append(rows, row)
	}
	return rows
}

// ChannelRow is a line of the list of channels.
type ChannelRow struct {
	ops.AlarmChannel
	Now    string // what is being sent through it; "" is nothing
	Before string // why the attempt before was none; "" is nothing
}

// MutedGroups says of the executors that are muted until when; of all that the
// visitor may see, or of the one with the id.
func (c Call) MutedGroups(ctx context.Context, only int32) (list []string, err error) {
	mutes, err := c.Cfg.Ops.Mutes(ctx, c.Who)
	if err != nil {
		return nil, err
	}
	for _, m := range mutes {
		if m.Kind == model.ChangeGroup && (only == 0 || m.ObjectID == only) {
			title := c.alarmTitle(m.Kind, m.ObjectID, m.Name)
			list = append(list, c.T("alarms.muted.until", title, say.Stamp(m.Until.In(c.Cfg.Location))))
		}
	}
	return list, nil
}
