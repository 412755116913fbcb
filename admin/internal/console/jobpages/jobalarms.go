package jobpages

import (
	"context"
	"slices"
	"strconv"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// alarmsOfJob is how many alarms that have ended the page of a job shows.
const alarmsOfJob = 20

// alarmTab is what there is about alarms of a job.
type alarmTab struct {
	Open     []parts.AlarmRow
	Recent   []parts.AlarmRow
	Mutes    []parts.MuteRow // of the job, and of its group
	Rules    []parts.RuleRow
	Whats    []web.Option
	Channels []parts.ChannelRow // that are told of it
	Hidden   int                // others, whose names the visitor is not told
	Mail     string
	Here     string
}

// fillAlarms reads the tab of alarms of a job: its own and those of its group.
func (c *call) fillAlarms(ctx context.Context, p *jobPage) error {
	a := &p.Alarms
	a.Here, a.Mail = "/jobs/"+strconv.Itoa(int(p.ID))+"?tab=alarms", p.AlarmEmail.S
	for _, of := range []struct {
		kind string
		id   int32
	}{{model.ChangeJob, p.ID}, {model.ChangeGroup, p.GroupID}} {
		f := model.AlarmFilter{Kind: of.kind, ObjectID: of.id, Limit: parts.AlarmsOpen}
		open, err := c.Cfg.Ops.Alarms(ctx, c.Who, f)
		if err != nil {
			return err
		}
		f.Ended, f.Limit = true, alarmsOfJob
		ended, err := c.Cfg.Ops.Alarms(ctx, c.Who, f)
		if err != nil {
			return err
		}
		a.Open, a.Recent = append(a.Open, c.AlarmRows(open)...), append(a.Recent, c.AlarmRows(ended)...)
	}
	about := func(kind string, id int32) bool {
		return kind == model.ChangeJob && id == p.ID || kind == model.ChangeGroup && id == p.GroupID
	}
	mutes, err := c.MuteRows(ctx)
	if err != nil {
		return err
	}
	for _, m := range mutes {
		if about(m.Kind, m.ObjectID) {
			a.Mutes = append(a.Mutes, m)
		}
	}
	rules, err := c.RuleRows(ctx)
	if err != nil {
		return err
	}
	for _, r := range rules {
		if about(r.Kind, r.ObjectID) {
			a.Rules = append(a.Rules, r)
		}
	}
	channels, err := c.Cfg.Ops.AlarmChannels(ctx, c.Who)
	if err != nil {
		return err
	}
	for _, ch := range channels {
		switch {
		case len(ch.Groups) > 0 && !slices.Contains(ch.Groups, p.GroupID):
		case ch.Name == "" || !p.May.Edit:
			a.Hidden++
		default:
			a.Channels = append(a.Channels, parts.ChannelRow{AlarmChannel: ch})
		}
	}
	for _, w := range model.AlarmRules() {
		if w != model.AlarmOnNobody { // which is about groups
			a.Whats = append(a.Whats, web.Option{Value: string(w), Text: c.T("alarms.rule." + string(w))})
		}
	}
	return nil
}
