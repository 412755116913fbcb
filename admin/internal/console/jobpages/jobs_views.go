package jobpages

import (
	"context"
	"net/url"

	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// viewLink is a saved filter with the page that it leads to.
type viewLink struct {
	Name, Path string
	Current    bool
}

// views lists what the user has saved of a page; query is that of the address,
// and current the name of the view that is like it.
func (c *call) views(ctx context.Context, page, query string) (list []viewLink, current string, err error) {
	saved, err := c.Cfg.Ops.Views(ctx, c.Who, page)
	if err != nil {
		return nil, "", err
	}
	for _, v := range saved {
		l := viewLink{Name: v.Name, Path: "/" + page + "?" + v.Query, Current: v.Query == query}
		if l.Current {
			current = v.Name
		}
		list = append(list, l)
	}
	return list, current, nil
}

// saveView keeps the filter of the list of jobs under a name, or forgets one.
func (c *call) saveView(ctx context.Context) error {
	name := c.Str("view")
	given, err := url.ParseQuery(c.Str("query"))
	if err != nil {
		given = nil
	}
	v := url.Values{}
	for _, name := range jobNames {
		if text := given.Get(name); text != "" {
			v.Set(name, text)
		}
	}
	back := listPath(v)
	if c.Str("do") == "delete" {
		if err := c.Cfg.Ops.DeleteView(ctx, c.Who, "jobs", name); err != nil {
			return c.Refuse(back, err)
		}
		undo := "/jobs/views?" + url.Values{"view": {name}, "query": {v.Encode()}}.Encode()
		return c.Say(back, web.Flash{Text: c.T("views.deleted", name), Undo: undo})
	}
	if len(v) == 0 {
		return c.Say(back, web.Flash{Bad: true, Text: c.T("views.empty")})
	}
	err = c.Cfg.Ops.SaveView(ctx, c.Who, model.View{Page: "jobs", Name: name, Query: v.Encode()})
	if err != nil {
		return c.Refuse(back, err)
	}
	return c.Done(back, c.T("views.saved", name))
}
