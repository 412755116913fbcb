package console

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	runsPerPage = 50
	// inputTime is the form of a field of date and time.
	inputTime = "2006-01-02T15:04"
)

// registerRuns registers what is about runs.
func (s *Server) registerRuns() {
	s.page("/runs", httpx.LoggedIn, (*call).runs)
	s.action("/runs/bulk", httpx.Operator, (*call).bulkRuns)
	s.page("/runs/{id}", httpx.Viewer, (*call).run)
	s.action("/runs/{id}/kill", httpx.Operator, (*call).killRun)
	s.action("/runs/{id}/retry", httpx.Operator, (*call).retryRun)
	s.page("/runs/{id}/log", httpx.Viewer, (*call).runLog)
	s.page("/runs/{id}/log/stream", httpx.Viewer, (*call).streamLog)
}

// runRow is a line of the list of runs.
type runRow struct {
	ID      int64
	JobID   int32
	Job     string // its name; "" when the job is gone
	Group   string
	At      time.Time
	Took    string
	State   runState
	Where   string
	WhereAt string // path of the address
	Message string
	Shard   string
}

// runState is how a run is: a kind for its shape, and a word.
type runState struct{ Kind, Text string }

// runsPage is the list of runs.
type runsPage struct {
	Filter   url.Values // as it stands in the address
	Groups   []choice
	Results  []choice
	Rows     []runRow
	Count    int
	More     bool      // there are more than were counted
	Searched bool      // the page is not full, and not everything was looked at
	Back     time.Time // how far was looked then
	Next     string    // path of the next page; "" at the end
	First    string    // path of the first page; "" on it
	Live     bool      // the first page: it renews itself
	Job      string    // name of the job that the list is narrowed to
	Order    column    // the head of the column of times
	Oldest   bool      // the oldest are first
	Filtered bool
	Problem  string
	Here     string
}

// choice is an entry of a selection.
type choice struct{ Value, Text string }

// stateOf says how a run is. What a person has ended, and what its job had no use
// for, look like no fault.
func (c *call) stateOf(r model.Recent) runState {
	kind, word := "wait", "waiting"
	switch r.Kind() {
	case model.EndOK:
		kind, word = "ok", "ok"
	case model.EndFailed:
		kind, word = "bad", "failed"
	case model.EndTimeout:
		kind, word = "bad", "timeout"
	case model.EndUnsent:
		kind, word = "bad", "unsent"
	case model.EndLost:
		kind, word = "lost", "lost"
	case model.EndKilled:
		kind, word = "kill", "killed"
	case model.EndSkipped:
		kind, word = "skip", "skipped"
	case model.EndOpen:
		if r.TriggerCode == model.CodeSuccess {
			kind, word = "run", "running"
		}
	}
	return runState{kind, c.t("runs." + word)}
}

// lasted is how long a run took, or has been at it: to the millisecond where that
// is on record, else in whole seconds.
func (c *call) lasted(r model.Recent) string {
	if d := r.Took(c.now()); !r.Exact() {
		return c.wholeSeconds(d)
	} else if d > 0 {
		return say.Took(c.lang, d)
	}
	return "< 1 ms"
}

// runFilter reads the filter of the list; problem names a field that says
// nothing sensible.
func (c *call) runFilter(v url.Values) (f model.RunFilter, problem string) {
	f = model.RunFilter{
		Result: model.RunResult(v.Get("result")), Address: v.Get("address"), Text: v.Get("text"), Limit: runsPerPage,
	}
	if !f.Result.Valid() {
		f.Result, problem = model.RunAny, c.t("runs.bad", c.t("runs.result"))
	}
	number := func(name string, bits int) int64 {
		if v.Get(name) == "" {
			return 0
		}
		n, err := strconv.ParseInt(v.Get(name), 10, bits)
		if err != nil || n < 0 {
			problem = c.t("runs.bad", c.t("runs."+name))
			return 0
		}
		return n
	}
	instant := func(name string) time.Time {
		if v.Get(name) == "" {
			return time.Time{}
		}
		t, err := time.ParseInLocation(inputTime, v.Get(name), c.s.cfg.Location)
		if err != nil {
			problem = c.t("runs.bad", c.t("runs."+name))
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
		if text := c.str(name); text != "" {
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
	if c.str("part") != "" {
		return c.part("runs", "runrows", p)
	}
	return c.finishRuns(ctx, v, f, p)
}

// faultOf returns the words of what is wrong with a filter; other errors are
// returned as they are.
func (c *call) faultOf(err error) (problem string, other error) {
	var refusal *ops.Error
	if errors.As(err, &refusal) && refusal.Kind == ops.Invalid {
		problem, _ = c.why(err)
		return problem, nil
	}
	return "", err
}

// finishRuns adds what stands round the lines.
func (c *call) finishRuns(ctx context.Context, v url.Values, f model.RunFilter, p runsPage) error {
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	for _, g := range groups {
		p.Groups = append(p.Groups, choice{strconv.Itoa(int(g.ID)), g.Title + " (" + g.AppName + ")"})
	}
	for _, r := range model.RunResults() {
		word := string(r)
		if r == model.RunFailed {
			word = "faults"
		}
		p.Results = append(p.Results, choice{string(r), c.t("runs." + word)})
	}
	if f.JobID != 0 {
		if j, err := c.s.cfg.Ops.Job(ctx, c.who, f.JobID); err == nil {
			p.Job = j.Name
		}
	}
	if p.Problem == "" {
		if p.Count, p.More, err = c.s.cfg.Ops.CountRuns(ctx, c.who, f); err != nil {
			return err
		}
	}
	at := func(before string) string { return runsPath(v, "before", before) }
	p.Order = c.runOrder(v)
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
	return c.render(ctx, "runs", head{Title: c.t("nav.runs"), Section: "runs", Script: "runs.js"}, p)
}

// runsPath is the address of the list with a filter and further parameters.
func runsPath(v url.Values, pairs ...string) string { return pathWith("/runs", v, pairs...) }

// runOrder is the head of the column by which the list is ordered: no index
// serves another order of a million runs.
func (c *call) runOrder(v url.Values) column {
	if v.Get("sort") == oldestFirst {
		return column{Text: c.t("runs.started"), Path: runsPath(v, "sort", "", "before", ""), Sort: "ascending"}
	}
	return column{
		Text: c.t("runs.started"), Path: runsPath(v, "sort", oldestFirst, "before", ""), Sort: "descending",
	}
}

// listRuns reads the lines; the cursor of the next page is left in Next.
func (c *call) listRuns(ctx context.Context, f model.RunFilter, p *runsPage) error {
	page, err := c.s.cfg.Ops.Runs(ctx, c.who, f)
	if err != nil {
		return err
	}
	if p.Rows, err = c.runRows(ctx, page.Runs); err != nil {
		return err
	}
	if page.Next.ID != 0 {
		p.Next, p.Searched, p.Back = writeCursor(page.Next), len(page.Runs) < f.Limit, page.Next.At
	}
	return nil
}

// runRows adds the names of jobs and groups.
func (c *call) runRows(ctx context.Context, list []*model.Log) ([]runRow, error) {
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return nil, err
	}
	titles := map[int32]string{}
	for _, g := range groups {
		titles[g.ID] = g.Title
	}
	names := map[int32]string{}
	rows := make([]runRow, len(list))
	for i, l := range list {
		name, known := names[l.JobID]
		if !known {
			j, err := c.s.cfg.Ops.Job(ctx, c.who, l.JobID)
			if err == nil {
				name = j.Name
			} else if _, ours := c.why(err); !ours {
				return nil, err
			}
			names[l.JobID] = name
		}
		rows[i] = c.runRow(l, name)
		rows[i].Group = titles[l.GroupID]
	}
	return rows, nil
}

// runRow is a run as a line.
func (c *call) runRow(l *model.Log, job string) runRow {
	r := runRow{
		ID: l.ID, JobID: l.JobID, Job: job, At: l.TriggerTime, State: c.howIs(l),
		Where: l.Address.S, WhereAt: wherePath(l), Shard: l.ShardingParam.S, Took: "–",
	}
	own, _ := splitMessage(l.HandleMsg.S)
	r.Message = headline(own)
	switch {
	case l.TriggerTime.IsZero():
	case !l.HandleTime.IsZero() && l.TriggerCode == model.CodeSuccess:
		r.Took = c.lasted(l.Recent())
	case l.HandleCode == model.CodeNone && l.TriggerCode == model.CodeSuccess:
		r.Took = c.lasted(l.Recent()) + " …"
	}
	if r.Message == "" && l.HandleCode == model.CodeNone && l.TriggerCode != model.CodeSuccess {
		r.Message = firstLine(c.notSent(l))
	}
	return r
}

// wholeSeconds is a duration between two of Java's times, which have no fractions
// of seconds.
func (c *call) wholeSeconds(d time.Duration) string { return wholeSeconds(c.lang, d) }

func wholeSeconds(lang i18n.Lang, d time.Duration) string {
	switch d = d.Truncate(time.Second); {
	case d < time.Second:
		return "< " + lang.Console("time.s", 1)
	case d < time.Minute:
		return lang.Console("time.s", int(d/time.Second))
	}
	return say.Took(lang, d)
}

// lineMax is how many characters of a message a list holds; the page of the run
// has the whole.
const lineMax = 300

// firstLine puts a message on one line.
func firstLine(text string) string {
	if len(text) > 8*lineMax {
		text = strings.ToValidUTF8(text[:8*lineMax], "")
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > lineMax {
		return string(runes[:lineMax]) + "…"
	}
	return text
}

// bulkRuns kills or retries several runs. What cannot be done is named; the rest
// is done.
func (c *call) bulkRuns(ctx context.Context) error {
	back := c.local(c.r.PostForm.Get("back"), "/runs")
	var ids []int64
	for _, text := range c.r.PostForm["id"] {
		id, err := strconv.ParseInt(text, 10, 64)
		if err == nil && id > 0 && !slices.Contains(ids, id) && len(ids) < 200 {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return c.say(back, flash{Bad: true, Text: c.t("runs.bulk.none")})
	}
	act, ok := map[string]func(int64) error{
		"kill": func(id int64) error {
			_, err := c.s.cfg.Ops.Kill(ctx, c.who, id)
			return err
		},
		"retry": func(id int64) error {
			_, err := c.s.cfg.Ops.Retry(ctx, c.who, id)
			return err
		},
	}[c.str("do")]
	if !ok {
		return c.say(back, flash{Bad: true, Text: c.t("error.400.do")})
	}
	done, first := 0, ""
	for _, id := range ids {
		err := act(id)
		if err == nil {
			done++
			continue
		}
		text, ours := c.why(err)
		if !ours {
			return err
		}
		if first == "" {
			first = "#" + strconv.FormatInt(id, 10) + ": " + text
		}
	}
	text := c.t("runs.bulk."+c.str("do"), done)
	if done < len(ids) {
		text += " " + c.t("runs.bulk.refused", len(ids)-done) + " " + first
	}
	return c.say(back, flash{Bad: done < len(ids), Text: text})
}

// id64 returns a number in the path, or 0.
func (c *call) id64(name string) int64 {
	n, err := strconv.ParseInt(c.r.PathValue(name), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// killRun asks the executor to end a run.
func (c *call) killRun(ctx context.Context) error {
	id := c.id64("id")
	back := c.local(c.r.PostForm.Get("back"), "/runs/"+strconv.FormatInt(id, 10))
	msg, err := c.s.cfg.Ops.Kill(ctx, c.who, id)
	if err != nil {
		return c.refuse(back, err)
	}
	text := c.t("run.did.kill")
	if msg.String != "" {
		text += " " + c.t("run.said", msg.String)
	}
	return c.done(back, text)
}

// retryRun runs the job of a run again, with its parameter.
func (c *call) retryRun(ctx context.Context) error {
	id := c.id64("id")
	back := "/runs/" + strconv.FormatInt(id, 10)
	ids, err := c.s.cfg.Ops.Retry(ctx, c.who, id)
	if err != nil {
		return c.refuse(back, err)
	}
	if len(ids) > 0 {
		back = "/runs/" + strconv.FormatInt(ids[0], 10)
	}
	return c.done(back, c.t("run.did.retry", id))
}
