package settingspages

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// retentionPage is how long rows are kept, and the form to clean now.
type retentionPage struct {
	Tabs    []web.Tab
	View    ops.RetentionView
	Words   []string // what counts, in words
	Last    *ops.Cleaned
	Form    ops.Retention
	Problem string
	Groups  []web.Option
	Kinds   []web.Option
	Group   string
	Job     string
	Kind    string
	Trouble string // with the form to clean now
}

func (c *call) retention(ctx context.Context) error {
	return c.showRetention(ctx, http.StatusOK, retentionPage{Group: c.Positive("group"), Job: c.Positive("job")}, nil)
}

// showRetention shows the page; form is what was typed, or nil.
func (c *call) showRetention(ctx context.Context, status int, p retentionPage, form *ops.Retention) error {
	var err error
	if p.View, err = c.Cfg.Ops.Retention(ctx, c.Who); err != nil {
		return err
	}
	p.Form, p.Words = p.View.Retention, c.retentionWords(p.View.Retention)
	if form != nil {
		p.Form = *form
	}
	last, ok, err := c.Cfg.Ops.LastCleaned(ctx, c.Who)
	if err != nil {
		return err
	}
	if ok {
		p.Last = &last
	}
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	p.Tabs, p.Groups = c.settingsTabs("retention"), web.GroupOptions(c.Having(model.RoleEditor, groups))
	for kind := 1; kind <= 9; kind++ {
		n := strconv.Itoa(kind)
		p.Kinds = append(p.Kinds, web.Option{Value: n, Text: c.T("clean.kind." + n)})
	}
	return c.RenderStatus(ctx, status, "retention", c.settingsHead(c.T("settings.retention")), p)
}

// retentionWords says in words what a retention means.
func (c *call) retentionWords(r ops.Retention) []string {
	list := []string{
		c.T("retention.runs.ever"), c.T("retention.keep.none"), c.T("retention.audit.ever"),
		c.T("retention.alarms.ever"),
	}
	if r.RunDays > 0 {
		list[0] = c.T("retention.runs.days", r.RunDays)
	}
	if r.KeepPerJob > 0 {
		list[1] = c.T("retention.keep.n", say.Count(r.KeepPerJob))
	}
	if r.AuditDays > 0 {
		list[2] = c.T("retention.audit.days", r.AuditDays)
	}
	if r.AlarmDays > 0 {
		list[3] = c.T("retention.alarms.days", r.AlarmDays)
	}
	return list
}

// askPage asks before something is done that cannot be taken back.
type askPage struct {
	Lines  []string
	Action string
	Fields url.Values // that are posted along
	Label  string
	Back   string
	Danger bool
}

// ask shows the question; posted, it comes back with sure=1.
func (c *call) ask(ctx context.Context, h web.Head, p askPage) error {
	p.Fields.Set("sure", "1")
	p.Fields.Del("csrf")
	return c.Render(ctx, "ask", h, p)
}

// retentionOf reads the form. What is no number is refused by package ops.
func (c *call) retentionOf() ops.Retention {
	days := func(name string) int {
		if c.Str(name) == "" {
			return 0
		}
		return c.Num(name, -1)
	}
	return ops.Retention{
		RunDays: days("days"), KeepPerJob: days("keep"), AuditDays: days("audit"), AlarmDays: days("alarms"),
	}
}

// setRetention says what a change deletes, and then makes it.
func (c *call) setRetention(ctx context.Context) error {
	const back = "/settings/retention"
	old, err := c.Cfg.Ops.Retention(ctx, c.Who)
	if err != nil {
		return err
	}
	undo := web.Flash{Text: c.T("retention.did.save"), Undo: back + web.Query(
		"sure", "1", "days", strconv.Itoa(old.RunDays),
		"keep", strconv.Itoa(old.KeepPerJob), "audit", strconv.Itoa(old.AuditDays),
		"alarms", strconv.Itoa(old.AlarmDays))}
	if !old.Set {
		undo.Undo = back + "?sure=1&reset=1"
	}
	if c.Str("reset") != "" {
		if c.Str("sure") == "" {
			return c.askRetention(ctx, old.Default, url.Values{"reset": {"1"}})
		}
		if err := c.Cfg.Ops.SetRetention(ctx, c.Who, nil); err != nil {
			return c.Refuse(back, err)
		}
		return c.Say(back, undo)
	}
	in := c.retentionOf()
	if !c.R.Form.Has("alarms") { // a page of before there was this
		in.AlarmDays = old.AlarmDays
	}
	if c.Str("sure") == "" {
		err := c.askRetention(ctx, in, url.Values{
			"days": {strconv.Itoa(in.RunDays)}, "keep": {strconv.Itoa(in.KeepPerJob)},
			"audit": {strconv.Itoa(in.AuditDays)}, "alarms": {strconv.Itoa(in.AlarmDays)},
		})
		text, ours := c.Why(err)
		if err == nil || !ours {
			return err
		}
		return c.showRetention(ctx, http.StatusUnprocessableEntity, retentionPage{Problem: text}, &in)
	}
	if err := c.Cfg.Ops.SetRetention(ctx, c.Who, &in); err != nil {
		return c.Refuse(back, err)
	}
	return c.Say(back, undo)
}

// askRetention says in words what a retention would delete.
func (c *call) askRetention(ctx context.Context, r ops.Retention, fields url.Values) error {
	e, err := c.Cfg.Ops.RetentionEffect(ctx, c.Who, r)
	if err != nil {
		return err
	}
	lines := c.retentionWords(r)
	if !e.RunsBefore.IsZero() {
		lines = append(lines, c.T("retention.effect.runs", say.Stamp(e.RunsBefore), c.counted(e.Runs)))
	}
	if r.KeepPerJob > 0 {
		lines = append(lines, c.T("retention.effect.keep", say.Count(r.KeepPerJob)))
	}
	if !e.AuditsBefore.IsZero() {
		lines = append(lines, c.T("retention.effect.audit", say.Stamp(e.AuditsBefore), c.counted(e.Audits)))
	}
	if !e.AlarmsBefore.IsZero() {
		lines = append(lines, c.T("retention.effect.alarms", say.Stamp(e.AlarmsBefore), c.counted(e.Alarms)))
	}
	lines = append(lines, c.T("retention.effect.back"))
	return c.ask(ctx, c.settingsHead(c.T("retention.ask")), askPage{
		Lines: lines, Action: "/settings/retention", Fields: fields, Label: c.T("retention.save"),
		Back: "/settings/retention", Danger: e.Runs.N+e.Audits.N+e.Alarms.N > 0,
	})
}

// counted is a number as it is known.
func (c *call) counted(n ops.Count) string {
	if n.More {
		return c.T("count.more", say.Count(n.N))
	}
	return say.Count(n.N)
}

// clean deletes runs, as the button of the Java console does: first it says how
// many.
func (c *call) clean(ctx context.Context) error {
	p := retentionPage{Group: c.Str("group"), Job: c.Str("job"), Kind: c.Str("kind")}
	var in ops.ClearInput
	var bad bool
	for _, field := range []struct {
		text string
		to   *int32
	}{{p.Group, &in.GroupID}, {strings.TrimPrefix(p.Job, "#"), &in.JobID}} {
		if field.text == "" {
			continue
		}
		n, err := strconv.ParseInt(field.text, 10, 32)
		bad = bad || err != nil || n <= 0
		*field.to = int32(n)
	}
	in.Type = c.Num("kind", 0)
	if bad {
		p.Trouble = c.T("clean.which")
		return c.showRetention(ctx, http.StatusUnprocessableEntity, p, nil)
	}
	e, err := c.Cfg.Ops.ClearEffect(ctx, c.Who, in)
	if err != nil {
		text, ours := c.Why(err)
		if !ours {
			return err
		}
		p.Trouble = text
		return c.showRetention(ctx, http.StatusUnprocessableEntity, p, nil)
	}
	if c.Str("sure") == "" {
		return c.askClean(ctx, p, in, e)
	}
	n, err := c.Cfg.Ops.ClearLogs(ctx, c.Who, in)
	if err != nil {
		return c.Refuse("/settings/retention", err)
	}
	return c.Done("/settings/retention", c.T("clean.did", say.Count(n)))
}

func (c *call) askClean(ctx context.Context, p retentionPage, in ops.ClearInput, e ops.ClearEffect) error {
	which := c.T("clean.all")
	switch {
	case in.JobID > 0:
		which = c.T("clean.job", in.JobID)
	case in.GroupID > 0:
		g, err := c.Cfg.Ops.Group(ctx, c.Who, in.GroupID)
		if err != nil {
			return c.Refuse("/settings/retention", err)
		}
		which = c.T("alarms.group", g.Title)
	}
	lines := []string{which, c.T("clean.kind." + strconv.Itoa(in.Type)), c.T("clean.rows", c.counted(e.Rows))}
	if e.Open.N > 0 {
		lines = append(lines, c.T("clean.open", c.counted(e.Open)))
	}
	lines = append(lines, c.T("clean.back"))
	return c.ask(ctx, c.settingsHead(c.T("clean.ask", c.counted(e.Rows))), askPage{
		Lines: lines, Action: "/settings/clean", Label: c.T("clean.do"), Back: "/settings/retention", Danger: true,
		Fields: url.Values{"group": {p.Group}, "job": {p.Job}, "kind": {p.Kind}},
	})
}
