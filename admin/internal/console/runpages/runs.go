package runpages

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	runsPerPage = 50
)

// runsPage is the list of runs.
type runsPage struct {
	Filter   url.Values // as it stands in the address
	Groups   []web.Option
	Results  []web.Option
	Rows     []parts.RunRow
	Count    int
	More     bool      // there are more than were counted
	Searched bool      // the page is not full, and not everything was looked at
	Back     time.Time // how far was looked then
	Next     string    // path of the next page; "" at the end
	First    string    // path of the first page; "" on it
	Live     bool      // the first page: it renews itself
	Job      string    // name of the job that the list is narrowed to
	Sorts    []web.Order
	Order    web.Column // the head of the column of times
	Oldest   bool       // the oldest are first
	Filtered bool
	Problem  string
	Here     string
}

// runFilter reads the filter of the list; problem names a field that says
// nothing sensible.
func (c *call) runFilter(v url.Values) (f model.RunFilter, problem string) {
	f = model.RunFilter{
		Result: model.RunResult(v.Get("result")), Address: v.Get("address"), Text: v.Get("text"), Limit: runsPerPage,
	}
	if !f.Result.Valid() {
		f.Result, problem = model.RunAny, c.T("runs.bad", c.T("runs.result"))
	}
	number := func(name string, bits int) int64 {
		if v.Get(name) == "" {
			return 0
		}
		n, err := strconv.ParseInt(v.Get(name), 10, bits)
		if err != nil || n < 0 {
			problem = c.T("runs.bad", c.T("runs."+name))
			return 0
		}
		return n
	}
	instant := func(name string) time.Time {
		if v.Get(name) == "" {
			return time.Time{}
		}
		t, err := time.ParseInLocation(web.InputTime, v.Get(name), c.Cfg.Location)
		if err != nil {
			problem = c.T("runs.bad", c.T("runs."+name))
		}
		return t
	}
	f.GroupID = int32(number("group", 32))
	f.JobID, f.JobName = jobOf(v.Get("job"))
	f.OldestFirst = v.Get("sort") == oldestFirst
	f.MinTook = time.Duration(min(number("min", 64), 1<<31)) * time.Second
	f.MaxTook = time.Duration(min(number("max", 64), 1<<31)) * time.Second
	f.From, f.To = instant("from"), instant("to")
	if !f.To.IsZero() {
		f.To = f.To.Add(time.Minute - time.Second) // the whole minute
	}
	f.Before.ID, f.Before.At = readCursor(v.Get("before"))
	return f, problem
}

// oldestFirst is the order of the list that is not its usual one.
const oldestFirst = "started"

// jobOf tells the id of a job from a name; #5 is an id too.
func jobOf(text string) (id int32, name string) {
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "#"), 10, 32)
	if err != nil || n <= 0 {
		return 0, text
	}
	return int32(n), ""
}

// readCursor reads where a list goes on, "id.seconds"; what is none is the
// beginning.
func readCursor(text string) (int64, time.Time) {
	first, second, _ := strings.Cut(text, ".")
	id, err := strconv.ParseInt(first, 10, 64)
	if err != nil || id <= 0 {
		return 0, time.Time{}
	}
	at, err := strconv.ParseInt(second, 10, 64)
	if err != nil {
		return id, time.Time{}
	}
	return id, time.Unix(at, 0)
}

func writeCursor(c model.RunCursor) string {
	if c.At.IsZero() {
		return strconv.FormatInt(c.ID, 10)
	}
	return strconv.FormatInt(c.ID, 10) + "." + strconv.FormatInt(c.At.Unix(), 10)
}

// runNames are the parameters of the list.
var runNames = []string{"result", "group", "job", "address", "text", "from", "to", "min", "max", "sort", "before"}

// runs shows the list of runs; with the parameter part it answers with the lines
// alone.
func (c *call) runs(ctx context.Context) error {
	v := url.Values{}
	for _, name := range runNames {
		if text := c.Str(name); text != "" {
			v.Set(name, text)
		}
	}
	f, problem := c.runFilter(v)
	p := runsPage{Here: "/runs", Live: v.Get("before") == "" && !f.OldestFirst, Problem: problem}
	if problem == "" {
		var err error
		if p.Problem, err = c.faultOf(c.listRuns(ctx, f, &p)); err != nil {
			return err
		}
	}
	if c.Str("part") != "" {
		return c.Part("runs", "runrows", p)
	}
	return c.finishRuns(ctx, v, f, p)
}

// faultOf returns the words of what is wrong with a filter; other errors are
// returned as they are.
func (c *call) faultOf(err error) (problem string, other error) {
	var refusal *ops.Error
	if errors.As(err, &refusal) && refusal.Kind == ops.Invalid {
		problem, _ = c.Why(err)
		return problem, nil
	}
	return "", err
}

// finishRuns adds what stands round the lines.
func (c *call) finishRuns(ctx context.Context, v url.Values, f model.RunFilter, p runsPage) error {
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	for _, g := range groups {
		p.Groups = append(p.Groups, web.Option{Value: strconv.Itoa(int(g.ID)), Text: g.Title + " (" + g.AppName + ")"})
	}
	for _, r := range model.RunResults() {
		word := string(r)
		if r == model.RunFailed {
			word = "faults"
		}
		p.Results = append(p.Results, web.Option{Value: string(r), Text: c.T("runs." + word)})
	}
	if f.JobID != 0 {
		if j, err := c.Cfg.Ops.Job(ctx, c.Who, f.JobID); err == nil {
			p.Job = j.Name
		}
	}
	if p.Problem == "" {
		if p.Count, p.More, err = c.Cfg.Ops.CountRuns(ctx, c.Who, f); err != nil {
			return err
		}
	}
	at := func(before string) string { return runsPath(v, "before", before) }
	p.Order = c.runOrder(v)
	p.Sorts = c.Orders(v.Get("sort"), "-"+oldestFirst, []web.Sortable{{Name: oldestFirst, Key: "runs.started"}})
	p.Oldest = f.OldestFirst
	if p.Next != "" {
		p.Next = at(p.Next)
	}
	if v.Get("before") != "" {
		p.First = at("")
	}
	p.Here = at(v.Get("before"))
	v.Del("before")
	p.Filter, p.Filtered = v, len(v) > 0 && (len(v) > 1 || v.Get("sort") == "")
	return c.Render(ctx, "runs", web.Head{Title: c.T("nav.runs"), Section: "runs", Script: "runs.js"}, p)
}

// runsPath is the address of the list with a filter and further parameters.
func runsPath(v url.Values, pairs ...string) string { return web.PathWith("/runs", v, pairs...) }

// runOrder is the head of the column by which the list is ordered: no index
// serves another order of a million runs.
func (c *call) runOrder(v url.Values) web.Column {
	if v.Get("sort") == oldestFirst {
		return web.Column{Text: c.T("runs.started"), Path: runsPath(v, "sort", "", "before", ""), Sort: "ascending"}
	}
	return web.Column{
		Text: c.T("runs.started"), Path: runsPath(v, "sort", oldestFirst, "before", ""), Sort: "descending",
	}
}

// listRuns reads the lines; the cursor of the next page is left in Next.
func (c *call) listRuns(ctx context.Context, f model.RunFilter, p *runsPage) error {
	page, err := c.Cfg.Ops.Runs(ctx, c.Who, f)
	if err != nil {
		return err
	}
	if p.Rows, err = c.RunRows(ctx, page.Runs); err != nil {
		return err
	}
	if page.Next.ID != 0 {
		p.Next, p.Searched, p.Back = writeCursor(page.Next), len(page.Runs) < f.Limit, page.Next.At
	}
	return nil
}

// bulkRuns kills or retries several runs. What cannot be done is named; the rest
// is done.
func (c *call) bulkRuns(ctx context.Context) error {
	back := c.Local(c.R.PostForm.Get("back"), "/runs")
	var ids []int64
	for _, text := range c.R.PostForm["id"] {
		id, err := strconv.ParseInt(text, 10, 64)
		if err == nil && id > 0 && !slices.Contains(ids, id) && len(ids) < 200 {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return c.Say(back, web.Flash{Bad: true, Text: c.T("runs.bulk.none")})
	}
	act, ok := map[string]func(int64) error{
		"kill": func(id int64) error {
			_, err := c.Cfg.Ops.Kill(ctx, c.Who, id)
			return err
		},
		"retry": func(id int64) error {
			_, err := c.Cfg.Ops.Retry(ctx, c.Who, id)
			return err
		},
	}[c.Str("do")]
	if !ok {
		return c.Say(back, web.Flash{Bad: true, Text: c.T("error.400.do")})
	}
	done, first := 0, ""
	for _, id := range ids {
		err := act(id)
		if err == nil {
			done++
			continue
		}
		text, ours := c.Why(err)
		if !ours {
			return err
		}
		if first == "" {
			first = "#" + strconv.FormatInt(id, 10) + ": " + text
		}
	}
	text := c.T("runs.bulk."+c.Str("do"), done)
	if done < len(ids) {
		text += " " + c.T("runs.bulk.refused", len(ids)-done) + " " + first
	}
	return c.Say(back, web.Flash{Bad: done < len(ids), Text: text})
}

// killRun asks the executor to end a run.
func (c *call) killRun(ctx context.Context) error {
	id := c.ID64("id")
	back := c.Local(c.R.PostForm.Get("back"), "/runs/"+strconv.FormatInt(id, 10))
	msg, err := c.Cfg.Ops.Kill(ctx, c.Who, id)
	if err != nil {
		return c.Refuse(back, err)
	}
	text := c.T("run.did.kill")
	if msg.String != "" {
		text += " " + c.T("run.said", msg.String)
	}
	return c.Done(back, text)
}

// retryRun runs the job of a run again, with its parameter.
func (c *call) retryRun(ctx context.Context) error {
	id := c.ID64("id")
	back := "/runs/" + strconv.FormatInt(id, 10)
	ids, err := c.Cfg.Ops.Retry(ctx, c.Who, id)
	if err != nil {
		return c.Refuse(back, err)
	}
	if len(ids) > 0 {
		back = "/runs/" + strconv.FormatInt(ids[0], 10)
	}
	return c.Done(back, c.T("run.did.retry", id))
}
