package alarmpages

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	alarmsRecent = 50 // ended ones on a page
)

// alarmsPage is the page of alarms.
type alarmsPage struct {
	Open      []parts.AlarmRow
	Columns   []web.Column // of the open ones
	Sorts     []web.Order
	RenewOpen string
	Keep      url.Values // of the ended ones, for the form of orders
	OpenMore  bool
	endedAlarms
	Channels []parts.ChannelRow
	Hidden   int // channels whose names the visitor is not told
	Mutes    []parts.MuteRow
	MayEnd   int // how many of these the visitor may end
	Rules    []parts.RuleRow
	Groups   []web.Option // that the visitor may mute
	Editable []web.Option // for which the visitor may set rules
	Whats    []web.Option
	Job      string // id that the forms are filled with
	Here     string
}

// The orders of alarms by the keys of their columns.
var (
	openOrders = map[string]string{
		"alarms.since": model.OrderFirst, "alarms.lasttime": model.OrderLast, "alarms.count": model.OrderCount,
	}
	endedOrders = map[string]string{"alarms.since": model.OrderFirst, "alarms.until": model.OrderEnded}
)

// alarmColumns are the columns of a list of alarms; last is the key of that which
// says when they were raised last, or ended.
func alarmColumns(last string, orders map[string]string) []web.Sortable {
	cols := []web.Sortable{
		{Key: "alarms.state", Class: "fit"},
		{Key: "alarms.what"},
		{Key: "alarms.about"},
		{Key: "alarms.since"},
		{Key: last},
		{Key: "alarms.count", Class: "num"},
		{Key: "alarms.message"},
		{Key: "alarms.told"},
	}
	for i := range cols {
		cols[i].Name, cols[i].Descending = orders[cols[i].Key], true
	}
	return cols
}

// alarms shows what is wrong, what was, who is told, and what is muted.
func (c *call) alarms(ctx context.Context) error {
	p := alarmsPage{Here: "/alarms", Job: c.Positive("job")}
	open, err := c.Cfg.Ops.Alarms(ctx, c.Who, model.AlarmFilter{Order: c.OrderOf("open", ""), Limit: parts.AlarmsOpen})
	if err != nil {
		return err
	}
	p.Open, p.OpenMore = c.AlarmRows(open), len(open) == parts.AlarmsOpen
	if err := c.endedAlarms(ctx, &p.endedAlarms); err != nil {
		return err
	}
	columns := alarmColumns("alarms.lasttime", openOrders)
	p.Columns = c.ColumnsBy("open", "/alarms", p.Filter, "-first_at", columns)
	p.Sorts = c.Orders(p.Filter.Get("open"), "-first_at", columns)
	p.Keep = c.Filter("of", "what", "from", "to", "sort")
	p.RenewOpen = web.PathWith("/alarms", c.Filter("open"), "part", "open")
	if err := c.alarmSettings(ctx, &p); err != nil {
		return err
	}
	if part := c.Str("part"); slices.Contains([]string{"open", "mutes", "channels", "rules", "recent"}, part) {
		return c.Part("alarms", "alarms"+part, p)
	}
	return c.Render(ctx, "alarms", web.Head{Title: c.T("nav.alarms"), Section: "alarms", Script: "renew.js"}, p)
}

// alarmSettings reads what stands below the lists of alarms.
func (c *call) alarmSettings(ctx context.Context, p *alarmsPage) error {
	var err error
	if p.Channels, p.Hidden, err = c.channels(ctx); err != nil {
		return err
	}
	if p.Mutes, err = c.MuteRows(ctx); err != nil {
		return err
	}
	for _, row := range p.Mutes {
		if row.May.Run {
			p.MayEnd++
		}
	}
	if p.Rules, err = c.RuleRows(ctx); err != nil {
		return err
	}
	for _, w := range model.AlarmRules() {
		p.Whats = append(p.Whats, web.Option{Value: string(w), Text: c.T("alarms.rule." + string(w))})
	}
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	p.Seen = web.GroupOptions(groups)
	p.Groups = web.GroupOptions(c.Having(model.RoleOperator, groups))
	if n := len(p.Groups); n > 1 && n <= muteAtOnce {
		p.Groups = append(p.Groups, web.Option{Value: everyGroup, Text: c.T("alarms.mute.every", say.Count(n))})
	}
	p.Editable = web.GroupOptions(c.Having(model.RoleEditor, groups))
	return err
}

// alarmOf reads what a form is about: a job by its id, or else a group.
func (c *call) alarmOf() (kind string, id int32) {
	kind, text := model.ChangeGroup, c.Str("group")
	if job := c.Str("job"); job != "" {
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
	back := c.Local(c.Str("back"), "/alarms")
	if err != nil {
		return c.Refuse(back, err)
	}
	return c.DoneUndo(back, text, made)
}

func (c *call) testAlarm(ctx context.Context) error {
	name := c.Str("channel")
	return c.after(c.Cfg.Ops.TestAlarm(ctx, c.Who, name), c.T("alarms.tested", name), &ops.Made{})
}

func (c *call) setRule(ctx context.Context) error {
	kind, id := c.alarmOf()
	key := model.AlarmKey{What: model.AlarmWhat(c.Str("what")), Kind: kind, ObjectID: id}
	limit := time.Duration(min(c.Num("limit", 0), 1<<30)) * time.Second
	ctx, made := ops.Recording(ctx)
	return c.after(c.Cfg.Ops.SetAlarmRule(ctx, c.Who, key, limit), c.T("alarms.rule.done"), made)
}

func (c *call) deleteRule(ctx context.Context) error {
	kind, id := c.alarmOf()
	key := model.AlarmKey{What: model.AlarmWhat(c.Str("what")), Kind: kind, ObjectID: id}
	ctx, made := ops.Recording(ctx)
	return c.after(c.Cfg.Ops.DeleteAlarmRule(ctx, c.Who, key), c.T("alarms.rule.gone"), made)
}

// ack acknowledges an alarm, unack takes that back.
func (c *call) ack(ctx context.Context) error {
	_, err := c.Cfg.Ops.AckAlarm(ctx, c.Who, int64(c.Num("id", 0)))
	return c.after(err, c.T("alarms.ack.done"), &ops.Made{})
}

func (c *call) unack(ctx context.Context) error {
	_, err := c.Cfg.Ops.UnackAlarm(ctx, c.Who, int64(c.Num("id", 0)))
	return c.after(err, c.T("alarms.unack.done"), &ops.Made{})
}
