package console

import (
	"context"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// maxFound is how many jobs the command box shows.
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

// search finds jobs by id and name, and pages by their title; with the
// parameter part it answers with the lines alone.
func (c *call) search(ctx context.Context) error {
	q := c.str("q")
	p := searchPage{Q: q}
	if q != "" {
		if err := c.findJobs(ctx, q, &p); err != nil {
			return err
		}
		c.findPages(q, &p)
	}
	if c.str("part") != "" {
		return c.part("search", "found", p)
	}
	if len(p.Items) == 1 {
		return c.redirect(p.Items[0].Path)
	}
	return c.render(ctx, "search", head{Title: c.t("search.title")}, p)
}

func (c *call) findJobs(ctx context.Context, q string, p *searchPage) error {
	number := strings.TrimPrefix(q, "#")
	if id, err := strconv.ParseInt(number, 10, 32); err == nil && id > 0 {
		j, err := c.s.cfg.Ops.Job(ctx, c.who, int32(id))
		if err == nil {
			p.Items = append(p.Items, c.foundJob(j))
		} else if _, ok := c.why(err); !ok {
			return err
		}
	}
	list, total, err := c.s.cfg.Ops.ListJobs(ctx, c.who, model.JobFilter{Name: q, Limit: maxFound})
	if err != nil {
		return err
	}
	for _, j := range list {
		p.Items = append(p.Items, c.foundJob(j))
	}
	if total > len(list) {
		p.All = "/jobs" + query("name", q)
	}
	return nil
}

func (c *call) foundJob(j *model.Job) found {
	id := strconv.Itoa(int(j.ID))
	return found{Text: j.Name, Kind: c.t("search.kind.job", id), Path: "/jobs/" + id}
}

// findPages looks for pages in the language of the page.
func (c *call) findPages(q string, p *searchPage) {
	for _, item := range sections {
		title := c.t("nav." + item.name)
		if c.s.has(item.path) && strings.Contains(strings.ToLower(title), strings.ToLower(q)) {
			p.Items = append(p.Items, found{Text: title, Kind: c.t("search.kind.page"), Path: item.path})
		}
	}
}
