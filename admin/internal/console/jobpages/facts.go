package jobpages

import (
	"strconv"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// facts are the settings of a job in words.
func (c *call) facts(j *model.Job, g *ops.Group) []web.Fact {
	limit := c.T("job.timeout.none")
	if j.TimeoutSec > 0 {
		limit = c.T("time.s", j.TimeoutSec)
	}
	zone := j.TimeZone
	if zone == "" {
		zone = say.ZoneName(c.Cfg.Location, c.Now()) + " " + c.T("job.zone.server")
	}
	conf := string(j.ScheduleType)
	if j.ScheduleConf.S != "" {
		conf += " " + j.ScheduleConf.S
	}
	group := g.Title + " (" + g.AppName + ")"
	if g.ID == 0 {
		group = c.T("job.group.gone", j.GroupID)
	}
	list := []web.Fact{
		{Name: c.T("job.group"), Value: group},
		{Name: c.T("job.author"), Value: j.Author.S},
		{Name: c.T("job.type"), Value: j.GlueType},
		{Name: c.T("job.handler"), Value: j.Handler.S, Mono: true},
		{Name: c.T("job.param"), Value: j.Param.S, Mono: true},
		{Name: c.T("job.schedule"), Value: conf, Mono: true},
		{Name: c.T("job.zone"), Value: zone},
		{Name: c.T("job.misfire"), Value: c.Lang.Text(i18n.MisfireKey(j.Misfire))},
		{Name: c.T("job.route"), Value: c.Lang.Text(i18n.RouteKey(j.Route))},
		{Name: c.T("job.block"), Value: c.Lang.Text(i18n.BlockKey(j.Block))},
		{Name: c.T("job.timeout"), Value: limit},
		{Name: c.T("job.retries"), Value: strconv.Itoa(int(j.Retries))},
		{Name: c.T("job.children"), Value: j.Children.S, Mono: true},
		{Name: c.T("job.mail"), Value: j.AlarmEmail.S},
		{Name: c.T("job.changed"), Value: say.Stamp(j.UpdateTime.In(c.Cfg.Location))},
	}
	for i := range list {
		if list[i].Value == "" {
			list[i].Value = "–"
		}
	}
	return list
}
