package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// setupApps is how many executors are offered.
const setupApps = 20

// firstJob is the form of the first job, once an executor is there.
type firstJob struct {
	Apps    []web.App // one a name
	Jobs    int       // that exist already
	App     string
	Job     string
	Handler string
	Param   string
	Every   string
	Often   []web.Option
	Problem string
	Refused []string // who came with a wrong token, in words
}

// firstJobForm fills in what suits the program of the help, and who is there.
func (c *call) firstJobForm(ctx context.Context, f *firstJob) error {
	if err := c.apps(ctx, f); err != nil {
		return err
	}
	var err error
	if _, f.Jobs, err = c.Cfg.Ops.ListJobs(ctx, c.Who, model.JobFilter{Limit: 1}); err != nil {
		return err
	}
	f.Every = c.often(f)[1].Value
	if len(f.Apps) == 0 {
		return c.refusedPrograms(ctx, f)
	}
	f.App = f.Apps[0].Name
	if slices.ContainsFunc(f.Apps, func(a web.App) bool { return a.Name == helpApp }) {
		f.App, f.Job, f.Handler, f.Param = helpApp, c.T("setup.job.default"), "greet", "Ada"
		return nil
	}
	return c.knownHandler(ctx, f)
}

// setupRefused is how many programs with a wrong token the setup names.
const setupRefused = 3

// refusedPrograms tells of programs that have come with a wrong token while an
// executor is waited for.
func (c *call) refusedPrograms(ctx context.Context, f *firstJob) error {
	list, err := c.Cfg.Ops.Refused(ctx, c.Who)
	if err != nil {
		return err
	}
	for _, r := range list[:min(len(list), setupRefused)] {
		key := "setup.refused"
		if r.AppName != "" {
			key = "setup.refused.app"
		}
		at := r.Last.In(c.Cfg.Location).Format("15:04:05")
		f.Refused = append(f.Refused, c.T(key, r.Client, r.Count, at, r.AppName))
	}
	return nil
}

// helpApp is the app name of the programs of the help, which have a handler
// greet.
const helpApp = "basic"

// knownHandler fills in the handler of a job that the executor has, such as one
// that it has declared itself; of another program nothing is known.
func (c *call) knownHandler(ctx context.Context, f *firstJob) error {
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if g.AppName != f.App {
			continue
		}
		jobs, _, err := c.Cfg.Ops.ListJobs(ctx, c.Who, model.JobFilter{GroupID: g.ID, Limit: 1})
		if err != nil {
			return err
		}
		for _, j := range jobs {
			f.Handler, f.Param = j.Handler.S, j.Param.S
		}
	}
	return nil
}

// often offers how often the first job fires, and returns the choices.
func (c *call) often(f *firstJob) []web.Option {
	f.Often = nil
	for _, expr := range []string{"0/10 * * * * ?", "0 * * * * ?", "0 0 * * * ?"} {
		j := model.Job{ScheduleType: model.ScheduleCron, ScheduleConf: model.T(expr)}
		f.Often = append(f.Often, web.Option{Value: expr, Text: parts.ScheduleWords(c.Lang, &j)})
	}
	f.Often = append(f.Often, web.Option{Value: "", Text: c.T("edit.kind.NONE")})
	return f.Often
}

// apps lists who is there, one address of each.
func (c *call) apps(ctx context.Context, f *firstJob) error {
	if c.Cfg.Setup.Apps == nil {
		return nil
	}
	all, err := c.Cfg.Setup.Apps(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b web.App) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Address, b.Address))
	})
	all = slices.CompactFunc(all, func(a, b web.App) bool { return a.Name == b.Name })
	f.Apps = all[:min(len(all), setupApps)]
	return nil
}

// firstJob makes the first job, runs it at once, and closes the setup.
func (c *call) firstJob(ctx context.Context) error {
	state, err := c.Cfg.Auth.Setup(ctx)
	if err != nil {
		return err
	}
	if state.Phase != auth.SetupExecutor {
		return c.setupClosed()
	}
	p := &setupPage{}
	if err := c.firstJobForm(ctx, &p.firstJob); err != nil {
		return err
	}
	p.App, p.Job, p.Handler = c.Str("app"), c.Str("name"), c.Str("handler")
	p.Param, p.Every = strings.ReplaceAll(c.R.PostForm.Get("param"), "\r\n", "\n"), c.Str("every")
	id, err := c.createFirstJob(ctx, p)
	if err != nil {
		text, ours := c.Why(err)
		if !ours {
			return err
		}
		p.Problem = text
		return c.askExecutor(ctx, http.StatusUnprocessableEntity, p)
	}
	path := "/jobs/" + strconv.Itoa(int(id))
	runs, err := c.Cfg.Ops.TriggerJob(ctx, c.Who, id, ops.TriggerInput{})
	if err != nil {
		return c.Refuse(path, err)
	}
	if err := c.Cfg.Ops.FinishSetup(ctx, c.Who); err != nil && !errors.Is(err, auth.ErrNoSetup) {
		return err
	}
	if len(runs) == 1 {
		path = "/runs/" + strconv.FormatInt(runs[0], 10)
	}
	return c.Done(path, c.T("setup.job.did", p.Job))
}

// createFirstJob makes the group of the executor where there is none, and the
// job, and returns its id.
func (c *call) createFirstJob(ctx context.Context, p *setupPage) (int32, error) {
	conf := model.ScheduleCron
	if p.Every == "" {
		conf = model.ScheduleNone
	}
	zone, err := c.Cfg.Ops.NewJobZone(ctx)
	if err != nil {
		return 0, err
	}
	if !slices.ContainsFunc(p.Apps, func(a web.App) bool { return a.Name == p.App }) {
		return 0, &ops.Error{Kind: ops.Conflict, Parts: []ops.Part{{Literal: c.T("setup.job.gone", p.App)}}}
	}
	group, err := c.groupFor(ctx, p.App)
	if err != nil {
		return 0, err
	}
	return c.Cfg.Ops.CreateJob(ctx, c.Who, &model.Job{
		GroupID: group, Name: p.Job, Author: model.T(c.User.Username), AlarmEmail: model.T(""),
		ScheduleType: conf, ScheduleConf: model.T(p.Every), TimeZone: zone, Misfire: model.MisfireDoNothing,
		Route: model.RouteFirst, Block: model.BlockSerial, Handler: model.T(p.Handler), Param: model.T(p.Param),
		Children: model.T(""), GlueType: model.GlueBean, GlueSource: model.T(""), GlueRemark: model.T(""),
		Running: conf != model.ScheduleNone,
	})
}

// groupFor returns the group of an app name, which it makes if need be. It
// returns when the address of the executor is known in it.
func (c *call) groupFor(ctx context.Context, app string) (int32, error) {
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return 0, err
	}
	for _, g := range groups {
		if g.AppName == app {
			return g.ID, nil
		}
	}
	title := []rune(app)
	id, err := c.Cfg.Ops.CreateGroup(ctx, c.Who, &model.Group{
		AppName: app, Title: string(title[:min(len(title), 64)]),
	})
	if err != nil {
		return 0, err
	}
	_, err = c.Cfg.Ops.AwaitAddress(ctx, c.Who, id)
	return id, err
}
