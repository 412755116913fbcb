package jobpages

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// facts are the settings of a job in words.
func (c *call) facts(ctx context.Context, j *model.Job, g *ops.Group) ([]web.Fact, error) {
	tags, err := c.Cfg.Ops.Tags(ctx, []*model.Job{j})
	if err != nil {
		return nil, err
	}
	children, err := c.childLinks(ctx, j)
	if err != nil {
		return nil, err
	}
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
		{Name: c.T("job.tags"), Links: tagLinks(tags[j.ID])},
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
		{Name: c.T("job.children"), Value: j.Children.S, Mono: true, Links: children},
		{Name: c.T("job.mail"), Value: j.AlarmEmail.S},
		{Name: c.T("job.changed"), Value: say.Stamp(j.UpdateTime.In(c.Cfg.Location))},
	}
	for i := range list {
		if list[i].Value == "" {
			list[i].Value = "–"
		}
	}
	return list, nil
}

// tagLinks lead from tags to the jobs that have them.
func tagLinks(tags []string) []web.Crumb {
	links := make([]web.Crumb, len(tags))
	for i, tag := range tags {
		links[i] = web.Crumb{Text: tag, Path: "/jobs?" + url.Values{"tag": {tag}}.Encode()}
	}
	return links
}

// childLinks are the child jobs by name. One that is gone, or not for the visitor, has
// its id alone.
func (c *call) childLinks(ctx context.Context, j *model.Job) ([]web.Crumb, error) {
	ids, _ := j.ChildIDs()
	jobs, err := c.Cfg.Ops.JobsOf(ctx, c.Who, ids)
	if err != nil {
		return nil, err
	}
	links := make([]web.Crumb, len(ids))
	for i, id := range ids {
		links[i].Text = c.T("edit.children.gone", id)
		if at := slices.IndexFunc(jobs, func(o *model.Job) bool { return o.ID == id }); at >= 0 {
			number := strconv.Itoa(int(id))
			links[i] = web.Crumb{Text: jobs[at].Name + " (" + number + ")", Path: "/jobs/" + number}
		}
	}
	return links, nil
}
