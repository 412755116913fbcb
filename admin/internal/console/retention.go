package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// registerRetention registers what is about how long rows are kept.
func (s *Server) registerRetention() {
	s.page("/settings/retention", httpx.LoggedIn, (*call).retention)
	s.action("/settings/retention", httpx.Admin, (*call).setRetention)
	s.action("/settings/clean", httpx.Editor, (*call).clean)
}

// retentionPage is how long rows are kept, and the form to clean now.
type retentionPage struct {
	Tabs    []tab
	View    ops.RetentionView
	Words   []string // what counts, in words
	Last    *ops.Cleaned
	Form    ops.Retention
	Problem string
	Groups  []option
	Kinds   []choice
	Group   string
	Job     string
	Kind    string
	Trouble string // with the form to clean now
}

func (c *call) retention(ctx context.Context) error {
	return c.showRetention(ctx, http.StatusOK, retentionPage{Group: c.positive("group"), Job: c.positive("job")}, nil)
}

// showRetention shows the page; form is what was typed, or nil.
func (c *call) showRetention(ctx context.Context, status int, p retentionPage, form *ops.Retention) error {
	var err error
	if p.View, err = c.s.cfg.Ops.Retention(ctx, c.who); err != nil {
		return err
	}
	p.Form, p.Words = p.View.Retention, c.retentionWords(p.View.Retention)
	if form != nil {
		p.Form = *form
	}
	last, ok, err := c.s.cfg.Ops.LastCleaned(ctx, c.who)
	if err != nil {
		return err
	}
	if ok {
		p.Last = &last
	}
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	p.Tabs, p.Groups = c.settingsTabs("retention"), groupOptions(c.having(model.RoleEditor, groups))
	for kind := 1; kind <= 9; kind++ {
		n := strconv.Itoa(kind)
		p.Kinds = append(p.Kinds, choice{n, c.t("clean.kind." + n)})
	}
	return c.renderStatus(ctx, status, "retention", c.settingsHead(c.t("settings.retention")), p)
}

// retentionWords says in words what a retention means.
func (c *call) retentionWords(r ops.Retention) []string {
	list := []string{
		c.t("retention.runs.ever"), c.t("retention.keep.none"), c.t("retention.audit.ever"),
		c.t("retention.alarms.ever"),
	}
	if r.RunDays > 0 {
		list[0] = c.t("retention.runs.days", r.RunDays)
	}
	if r.KeepPerJob > 0 {
		list[1] = c.t("retention.keep.n", say.Count(r.KeepPerJob))
	}
	if r.AuditDays > 0 {
		list[2] = c.t("retention.audit.days", r.AuditDays)
	}
	if r.AlarmDays > 0 {
		list[3] = c.t("retention.alarms.days", r.AlarmDays)
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
func (c *call) ask(ctx context.Context, h head, p askPage) error {
	p.Fields.Set("sure", "1")
	p.Fields.Del("csrf")
	return c.render(ctx, "ask", h, p)
}

// retentionOf reads the form. What is no number is refused by package ops.
func (c *call) retentionOf() ops.Retention {
	days := func(name string) int {
		if c.str(name) == "" {
			return 0
		}
		return c.num(name, -1)
	}
	return ops.Retention{
		RunDays: days("days"), KeepPerJob: days("keep"), AuditDays: days("audit"), AlarmDays: days("alarms"),
	}
}

// setRetention says what a change deletes, and then makes it.
func (c *call) setRetention(ctx context.Context) error {
	const back = "/settings/retention"
	old, err := c.s.cfg.Ops.Retention(ctx, c.who)
	if err != nil {
		return err
	}
	undo := flash{Text: c.t("retention.did.save"), Undo: back + query("sure", "1", "days", strconv.Itoa(old.RunDays),
		"keep", strconv.Itoa(old.KeepPerJob), "audit", strconv.Itoa(old.AuditDays),
		"alarms", strconv.Itoa(old.AlarmDays))}
	if !old.Set {
		undo.Undo = back + "?sure=1&reset=1"
	}
	if c.str("reset") != "" {
		if c.str("sure") == "" {
			return c.askRetention(ctx, old.Default, url.Values{"reset": {"1"}})
		}
		if err := c.s.cfg.Ops.SetRetention(ctx, c.who, nil); err != nil {
			return c.refuse(back, err)
		}
		return c.say(back, undo)
	}
	in := c.retentionOf()
	if !c.r.Form.Has("alarms") { // a page of before there was this
		in.AlarmDays = old.AlarmDays
	}
	if c.str("sure") == "" {
		err := c.askRetention(ctx, in, url.Values{
			"days": {strconv.Itoa(in.RunDays)}, "keep": {strconv.Itoa(in.KeepPerJob)},
			"audit": {strconv.Itoa(in.AuditDays)}, "alarms": {strconv.Itoa(in.AlarmDays)},
		})
		text, ours := c.why(err)
		if err == nil || !ours {
			return err
		}
		return c.showRetention(ctx, http.StatusUnprocessableEntity, retentionPage{Problem: text}, &in)
	}
	if err := c.s.cfg.Ops.SetRetention(ctx, c.who, &in); err != nil {
		return c.refuse(back, err)
	}
	return c.say(back, undo)
}

// askRetention says in words what a retention would delete.
func (c *call) askRetention(ctx context.Context, r ops.Retention, fields url.Values) error {
	e, err := c.s.cfg.Ops.RetentionEffect(ctx, c.who, r)
	if err != nil {
		return err
	}
	lines := c.retentionWords(r)
	if !e.RunsBefore.IsZero() {
		lines = append(lines, c.t("retention.effect.runs", say.Stamp(e.RunsBefore), c.counted(e.Runs)))
	}
	if r.KeepPerJob > 0 {
		lines = append(lines, c.t("retention.effect.keep", say.Count(r.KeepPerJob)))
	}
	if !e.AuditsBefore.IsZero() {
		lines = append(lines, c.t("retention.effect.audit", say.Stamp(e.AuditsBefore), c.counted(e.Audits)))
	}
	if !e.AlarmsBefore.IsZero() {
		lines = append(lines, c.t("retention.effect.alarms", say.Stamp(e.AlarmsBefore), c.counted(e.Alarms)))
	}
	lines = append(lines, c.t("retention.effect.back"))
	return c.ask(ctx, c.settingsHead(c.t("retention.ask")), askPage{
		Lines: lines, Action: "/settings/retention", Fields: fields, Label: c.t("retention.save"),
		Back: "/settings/retention", Danger: e.Runs.N+e.Audits.N+e.Alarms.N > 0,
	})
}

// counted is a number as it is known.
func (c *call) counted(n ops.Count) string {
	if n.More {
		return c.t("count.more", say.Count(n.N))
	}
	return say.Count(n.N)
}

// clean deletes runs, as the button of the Java console does: first it says how
// many.
func (c *call) clean(ctx context.Context) error {
	p := retentionPage{Group: c.str("group"), Job: c.str("job"), Kind: c.str("kind")}
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
	in.Type = c.num("kind", 0)
	if bad {
		p.Trouble = c.t("clean.which")
		return c.showRetention(ctx, http.StatusUnprocessableEntity, p, nil)
	}
	e, err := c.s.cfg.Ops.ClearEffect(ctx, c.who, in)
	if err != nil {
		text, ours := c.why(err)
		if !ours {
			return err
		}
		p.Trouble = text
		return c.showRetention(ctx, http.StatusUnprocessableEntity, p, nil)
	}
	if c.str("sure") == "" {
		return c.askClean(ctx, p, in, e)
	}
	n, err := c.s.cfg.Ops.ClearLogs(ctx, c.who, in)
	if err != nil {
		return c.refuse("/settings/retention", err)
	}
	return c.done("/settings/retention", c.t("clean.did", say.Count(n)))
}

func (c *call) askClean(ctx context.Context, p retentionPage, in ops.ClearInput, e ops.ClearEffect) error {
	which := c.t("clean.all")
	switch {
	case in.JobID > 0:
		which = c.t("clean.job", in.JobID)
	case in.GroupID > 0:
		g, err := c.s.cfg.Ops.Group(ctx, c.who, in.GroupID)
		if err != nil {
			return c.refuse("/settings/retention", err)
		}
		which = c.t("alarms.group", g.Title)
	}
	lines := []string{which, c.t("clean.kind." + strconv.Itoa(in.Type)), c.t("clean.rows", c.counted(e.Rows))}
	if e.Open.N > 0 {
		lines = append(lines, c.t("clean.open", c.counted(e.Open)))
	}
	lines = append(lines, c.t("clean.back"))
	return c.ask(ctx, c.settingsHead(c.t("clean.ask", c.counted(e.Rows))), askPage{
		Lines: lines, Action: "/settings/clean", Label: c.t("clean.do"), Back: "/settings/retention", Danger: true,
		Fields: url.Values{"group": {p.Group}, "job": {p.Job}, "kind": {p.Kind}},
	})
}
