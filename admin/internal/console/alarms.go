package console

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/link"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	alarmsOpen   = 200 // open alarms that are shown
	alarmsRecent = 50  // ended ones on a page
)

// registerAlarms registers what is about alarms.
func (s *Server) registerAlarms() {
	s.page("/alarms", httpx.LoggedIn, (*call).alarms)
	s.action("/alarms/test", httpx.Admin, (*call).testAlarm)
	s.action("/alarms/mute", httpx.Operator, (*call).mute)
	s.action("/alarms/unmute", httpx.Operator, (*call).unmute)
	s.action("/alarms/rules", httpx.Editor, (*call).setRule)
	s.action("/alarms/rules/delete", httpx.Editor, (*call).deleteRule)
}

// alarmRow is a line of the lists of alarms.
type alarmRow struct {
	*ops.AlarmView
	What  string
	Path  string // of the job, or of the group's jobs
	Run   string // of the run that it is about; "" where there is none
	Title string
	State runState
	Sent  []sentRow
}

// sentRow is what became of an alarm in a channel.
type sentRow struct {
	runState
	Error string
}

// ruleRow is a line of the list of rules, muteRow of that of mute windows.
type ruleRow struct {
	ops.RuleView
	Words, Title, Limit string
	May                 rights
}

type muteRow struct {
	ops.MuteView
	Title string
	May   rights
}

// alarmsPage is the page of alarms.
type alarmsPage struct {
	Open     []alarmRow
	OpenMore bool
	endedAlarms
	Channels []channelRow
	Hidden   int // channels whose names the visitor is not told
	Mutes    []muteRow
	MayEnd   int // how many of these the visitor may end
	Rules    []ruleRow
	Groups   []choice // that the visitor may mute
	Editable []choice // for which the visitor may set rules
	Whats    []choice
	Job      string // id that the forms are filled with
	Here     string
}

// alarms shows what is wrong, what was, who is told, and what is muted.
func (c *call) alarms(ctx context.Context) error {
	p := alarmsPage{Here: "/alarms", Job: c.positive("job")}
	open, err := c.s.cfg.Ops.Alarms(ctx, c.who, model.AlarmFilter{Limit: alarmsOpen})
	if err != nil {
		return err
	}
	p.Open, p.OpenMore = c.alarmRows(open), len(open) == alarmsOpen
	if err := c.endedAlarms(ctx, &p.endedAlarms); err != nil {
		return err
	}
	if err := c.alarmSettings(ctx, &p); err != nil {
		return err
	}
	if part := c.str("part"); slices.Contains([]string{"open", "mutes", "channels", "rules", "recent"}, part) {
		return c.part("alarms", "alarms"+part, p)
	}
	return c.render(ctx, "alarms", head{Title: c.t("nav.alarms"), Section: "alarms", Script: "renew.js"}, p)
}

// alarmSettings reads what stands below the lists of alarms.
func (c *call) alarmSettings(ctx context.Context, p *alarmsPage) error {
	var err error
	if p.Channels, p.Hidden, err = c.channels(ctx); err != nil {
		return err
	}
	mutes, err := c.s.cfg.Ops.Mutes(ctx, c.who)
	if err != nil {
		return err
	}
	for _, m := range mutes {
		row := muteRow{m, c.alarmTitle(m.Kind, m.ObjectID, m.Name), c.rightsIn(m.GroupID)}
		p.Mutes = append(p.Mutes, row)
		if row.May.Run {
			p.MayEnd++
		}
	}
	rules, err := c.s.cfg.Ops.AlarmRules(ctx, c.who)
	if err != nil {
		return err
	}
	for _, r := range rules {
		p.Rules = append(p.Rules, ruleRow{
			r, c.t("alarms.rule." + string(r.What)), c.alarmTitle(r.Kind, r.ObjectID, r.Name),
			say.Took(c.lang, r.Limit),
			c.rightsIn(r.GroupID),
		})
	}
	for _, w := range model.AlarmRules() {
		p.Whats = append(p.Whats, choice{string(w), c.t("alarms.rule." + string(w))})
	}
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	p.Seen = groupChoices(groups)
	if p.Groups = groupChoices(c.having(model.RoleOperator, groups)); len(p.Groups) > 1 && len(p.Groups) <= muteAtOnce {
		p.Groups = append(p.Groups, choice{everyGroup, c.t("alarms.mute.every", say.Count(len(p.Groups)))})
	}
	p.Editable = groupChoices(c.having(model.RoleEditor, groups))
	return err
}

func groupChoices(groups []*ops.Group) []choice {
	var list []choice
	for _, g := range groups {
		list = append(list, choice{strconv.Itoa(int(g.ID)), g.Title + " (" + g.AppName + ")"})
	}
	return list
}

// alarmTitle names a job or group: by its id when it is gone.
func (c *call) alarmTitle(kind string, id int32, name string) string {
	if name == "" {
		name = "#" + strconv.Itoa(int(id))
	}
	if kind == model.ChangeGroup {
		return c.t("alarms.group", name)
	}
	return name
}

func (c *call) alarmRows(list []*ops.AlarmView) []alarmRow {
	rows := make([]alarmRow, 0, len(list))
	for _, a := range list {
		row := alarmRow{
			AlarmView: a, What: c.t("alarms.what." + string(a.What)), Title: c.alarmTitle(a.Kind, a.ObjectID, a.Name),
			State: runState{"bad", c.t("alarms.open")},
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
			row.State = runState{"ok", c.t("alarms.ended")}
		case a.Muted == a.Count:
			row.State = runState{"skip", c.t("alarms.muted")}
		}
		for _, d := range a.Deliveries {
			s := sentRow{runState{"ok", cmp.Or(d.Channel, c.t("alarms.sent"))}, ""}
			if d.Error != "" {
				s = sentRow{runState{"bad", cmp.Or(d.Channel, c.t("alarms.notsent"))}, d.Error}
			}
			row.Sent = append(row.Sent, s)
		}
		rows = append(rows, row)
	}
	return rows
}

// alarmOf reads what a form is about: a job by its id, or else a group.
func (c *call) alarmOf() (kind string, id int32) {
	kind, text := model.ChangeGroup, c.str("group")
	if job := c.str("job"); job != "" {
		kind, text = model.ChangeJob, strings.TrimPrefix(job, "#")
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n <= 0 {
		return "", 0
	}
	return kind, int32(n)
}

// after says what was done, or why it was not, and offers to undo it.
func (c *call) after(err error, text string, made *ops.Made) error {
	back := c.local(c.str("back"), "/alarms")
	if err != nil {
		return c.refuse(back, err)
	}
	return c.doneUndo(back, text, made)
}

func (c *call) testAlarm(ctx context.Context) error {
	name := c.str("channel")
	return c.after(c.s.cfg.Ops.TestAlarm(ctx, c.who, name), c.t("alarms.tested", name), &ops.Made{})
}

func (c *call) setRule(ctx context.Context) error {
	kind, id := c.alarmOf()
	key := model.AlarmKey{What: model.AlarmWhat(c.str("what")), Kind: kind, ObjectID: id}
	limit := time.Duration(min(c.num("limit", 0), 1<<30)) * time.Second
	ctx, made := ops.Recording(ctx)
	return c.after(c.s.cfg.Ops.SetAlarmRule(ctx, c.who, key, limit), c.t("alarms.rule.done"), made)
}

func (c *call) deleteRule(ctx context.Context) error {
	kind, id := c.alarmOf()
	key := model.AlarmKey{What: model.AlarmWhat(c.str("what")), Kind: kind, ObjectID: id}
	ctx, made := ops.Recording(ctx)
	return c.after(c.s.cfg.Ops.DeleteAlarmRule(ctx, c.who, key), c.t("alarms.rule.gone"), made)
}
