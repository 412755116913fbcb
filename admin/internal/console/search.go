package console

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/settingspages"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// maxFound is how many jobs, and how many executors, the command box shows.
const maxFound = 8

// found is a line of what was found.
type found struct {
	Text, Kind, Path string
}

// searchPage is what the command box finds.
type searchPage struct {
	Q     string
	Items []found
	All   string // path of the list of all jobs of the name; "" when all are here
}

// search finds what can be done with a job ("run settle"), jobs and runs by id, jobs
// and executors by name, and pages by their title; with the parameter part it
// answers with the lines alone.
func (c *call) search(ctx context.Context) error {
	q := c.Str("q")
	p := searchPage{Q: q}
	if q != "" {
		for _, find := range []func(context.Context, string, *searchPage) error{
			c.findActions, c.findByID, c.findJobs, c.findExecutors,
		} {
			if err := find(ctx, q, &p); err != nil {
				return err
			}
		}
		c.findPages(q, &p)
	}
	if c.Str("part") != "" {
		return c.Part("search", "found", p)
	}
	if len(p.Items) == 1 {
		return c.Redirect(p.Items[0].Path)
	}
	return c.Render(ctx, "search", web.Head{Title: c.T("search.title")}, p)
}

// deed is what the command box can do with a job: its page asks for it, with the
// focus on the button.
type deed struct {
	name string
	path string // behind that of the job
	may  func(j *model.Job, r web.Rights) bool
}

// deeds are those that there are, in the order in which they are offered.
func deeds() []deed {
	return []deed{
		{"run", "?do=run", func(_ *model.Job, r web.Rights) bool { return r.Run }},
		{"start", "?do=start", func(j *model.Job, r web.Rights) bool { return r.Run && !j.Running }},
		{"stop", "?do=stop", func(j *model.Job, r web.Rights) bool { return r.Run && j.Running }},
		{"edit", "/edit", func(_ *model.Job, r web.Rights) bool { return r.Edit }},
		{"delete", "/delete", func(_ *model.Job, r web.Rights) bool { return r.Edit }},
	}
}

// findActions finds what is asked for as a verb and a job, by a part of its name or
// its id. Verbs are those of the page's language, and the English ones.
func (c *call) findActions(ctx context.Context, q string, p *searchPage) error {
	for _, d := range deeds() {
		about, asked := afterVerb(q, c.T("search.verbs."+d.name)+" "+i18n.En.Console("search.verbs."+d.name))
		if !asked {
			continue
		}
		jobs, _, err := c.jobsCalled(ctx, about)
		if err != nil {
			return err
		}
		for _, j := range jobs {
			if d.may(j, c.RightsIn(j.GroupID)) {
				text, kind := c.T("search.do."+d.name, j.Name), c.T("search.kind.do", j.ID)
				p.Items = append(p.Items, found{Text: text, Kind: kind, Path: parts.PathOfJob(j.ID) + d.path})
			}
		}
	}
	return nil
}

// afterVerb returns what stands behind one of the verbs, which are separated by
// blanks. A blank follows a verb, but behind a Chinese one.
func afterVerb(q, verbs string) (about string, ok bool) {
	lower := strings.ToLower(q)
	for verb := range strings.FieldsSeq(verbs) {
		rest, found := strings.CutPrefix(lower, verb)
		if !found {
			continue
		}
		about = strings.TrimSpace(rest)
		if latin := verb[0] < 0x80; about != "" && (!latin || rest[0] == ' ') {
			return about, true
		}
	}
	return "", false
}

// jobsCalled returns jobs by a part of their name or by their id, which comes
// first, and how many there are.
func (c *call) jobsCalled(ctx context.Context, q string) (jobs []*model.Job, total int, err error) {
	jobs, total, err = c.Cfg.Ops.ListJobs(ctx, c.Who, model.JobFilter{Name: q, Limit: maxFound})
	if err != nil {
		return nil, 0, err
	}
	id := idOf(q)
	if id <= 0 || id > 1<<31-1 || slices.ContainsFunc(jobs, func(j *model.Job) bool { return int64(j.ID) == id }) {
		return jobs, total, nil
	}
	j, err := c.Cfg.Ops.Job(ctx, c.Who, int32(id))
	if err == nil {
		return append([]*model.Job{j}, jobs...), total + 1, nil
	}
	if _, ours := c.Why(err); !ours {
		return nil, 0, err
	}
	return jobs, total, nil
}

// idOf reads "42" and "#42"; 0 is no id.
func idOf(q string) int64 {
	id, err := strconv.ParseInt(strings.TrimPrefix(q, "#"), 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

// findByID finds a run by its id.
func (c *call) findByID(ctx context.Context, q string, p *searchPage) error {
	id := idOf(q)
	if id == 0 {
		return nil
	}
	l, err := c.Cfg.Ops.Log(ctx, c.Who, id)
	if err != nil {
		if _, ours := c.Why(err); !ours {
			return err
		}
		return nil
	}
	text := "#" + strconv.FormatInt(id, 10) + " " + say.Stamp(l.TriggerTime.In(c.Cfg.Location))
	if j, err := c.Cfg.Ops.Job(ctx, c.Who, l.JobID); err == nil {
		text += " " + j.Name
	} else if _, ours := c.Why(err); !ours {
		return err
	}
	path := "/runs/" + strconv.FormatInt(id, 10)
	p.Items = append(p.Items, found{Text: text, Kind: c.T("search.kind.run"), Path: path})
	return nil
}

func (c *call) findJobs(ctx context.Context, q string, p *searchPage) error {
	list, total, err := c.jobsCalled(ctx, q)
	if err != nil {
		return err
	}
	for _, j := range list {
		p.Items = append(p.Items, found{Text: j.Name, Kind: c.T("search.kind.job", j.ID), Path: parts.PathOfJob(j.ID)})
	}
	if total > len(list) {
		p.All = "/jobs" + web.Query("name", q)
	}
	return nil
}

// findExecutors finds executors by a part of their title or app name.
func (c *call) findExecutors(ctx context.Context, q string, p *searchPage) error {
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	count := 0
	for _, g := range groups {
		if count == maxFound {
			break
		}
		if contains(g.Title, q) || contains(g.AppName, q) {
			text, kind := g.Title+" ("+g.AppName+")", c.T("search.kind.executor")
			p.Items = append(p.Items, found{Text: text, Kind: kind, Path: parts.ExecutorPath(g.ID)})
			count++
		}
	}
	return nil
}

// contains reports whether a text has a part, in whatever case.
func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// findPages looks for pages in the language of the page, and by their English
// titles.
func (c *call) findPages(q string, p *searchPage) {
	type titled struct{ key, path string }
	var pages []titled
	for _, item := range web.Sections {
		if c.Has(item.Path) {
			pages = append(pages, titled{"nav." + item.Name, item.Path})
		}
	}
	for _, t := range settingspages.Pages(c.User.Admin) {
		pages = append(pages, titled{"settings." + t.Name, t.Path})
	}
	pages = append(pages, titled{"deleted.jobs", "/jobs/deleted"})
	if web.RightsOf(c.Who.CanAnywhere).Edit {
		pages = append(pages, titled{"jobs.new", "/jobs/new"}, titled{"jobs.import", "/jobs/import"})
	}
	for _, page := range pages {
		if title := c.T(page.key); contains(title, q) || contains(i18n.En.Console(page.key), q) {
			p.Items = append(p.Items, found{Text: title, Kind: c.T("search.kind.page"), Path: page.path})
		}
	}
}
