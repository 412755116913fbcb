package console

import (
	"strconv"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// facts are the settings of a job in words.
func (c *call) facts(j *model.Job, g *ops.Group) []fact {
	limit := c.t("job.timeout.none")
	if j.TimeoutSec > 0 {
		limit = c.t("time.s", j.TimeoutSec)
	}
	zone := j.TimeZone
	if zone == "" {
		zone = say.ZoneName(c.s.cfg.Location, c.now()) + " " + c.t("job.zone.server")
	}
	conf := string(j.ScheduleType)
	if j.ScheduleConf.S != "" {
		conf += " " + j.ScheduleConf.S
	}
	group := g.Title + " (" + g.AppName + ")"
	if g.ID == 0 {
		group = c.t("job.group.gone", j.GroupID)
	}
	list := []fact{
		{Name: c.t("job.group"), Value: group},
		{Name: c.t("job.author"), Value: j.Author.S},
		{Name: c.t("job.type"), Value: j.GlueType},
		{Name: c.t("job.handler"), Value: j.Handler.S, Mono: true},
		{Name: c.t("job.param"), Value: j.Param.S, Mono: true},
		{Name: c.t("job.schedule"), Value: conf, Mono: true},
		{Name: c.t("job.zone"), Value: zone},
		{Name: c.t("job.misfire"), Value: c.lang.Text(i18n.MisfireKey(j.Misfire))},
		{Name: c.t("job.route"), Value: c.lang.Text(i18n.RouteKey(j.Route))},
		{Name: c.t("job.block"), Value: c.lang.Text(i18n.BlockKey(j.Block))},
		{Name: c.t("job.timeout"), Value: limit},
		{Name: c.t("job.retries"), Value: strconv.Itoa(int(j.Retries))},
		{Name: c.t("job.children"), Value: j.Children.S, Mono: true},
		{Name: c.t("job.mail"), Value: j.AlarmEmail.S},
		{Name: c.t("job.changed"), Value: say.Stamp(j.UpdateTime.In(c.s.cfg.Location))},
	}
	for i := range list {
		if list[i].Value == "" {
			list[i].Value = "–"
		}
	}
	return list
}
