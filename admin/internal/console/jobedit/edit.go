package jobedit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// jobForm is a job as the editor shows it: every field as it was typed.
type jobForm struct {
	Group, Name, Author, Type, Handler, Param string
	Schedule, Cron, Seconds, Zone, Misfire    string
	Route, Block                              string
	Timeout, Retries, Children, Mail          string
	Tags                                      string // with commas
	ParamKind                                 string // paramText or paramJSON
	Late, Long                                string // seconds of the rules for alarms; "" is none
	Version                                   string // of the job that is edited
	Seen                                      int64  // the newest change of it
}

// editPage is the editor.
type editPage struct {
	ID       int32 // 0 for a new job
	Form     jobForm
	Problems map[string]string // by the name of the field
	Mend     []web.Option      // the same in the order of the page: the id and the name of each field
	General  string            // what is wrong with the whole
	Groups   []web.Option
	Types    []web.Option
	Kinds    []web.Option
	Misfires []web.Option
	Routes   []web.Option
	Blocks   []web.Option
	Zones    []string
	Presets  []web.Option
	Labels   string // names of the fields of an expression, as JSON
	Action   string
	Back     string
	Preview  preview
	Code     bool // the job runs code, which has a page of its own
	Children *childPicker
	Since    []parts.ChangeLine // what others have changed meanwhile
	LateHint string
	LongHint string
	RuleMost int  // seconds
	Again    bool // what was typed is not saved yet
}

// newForm is what a new job begins with.
func newForm(author string) jobForm {
	return jobForm{
		Author: author, Type: model.GlueBean, Schedule: string(model.ScheduleCron), Cron: "0 0 3 * * ?", Seconds: "60",
		Misfire: string(model.MisfireDoNothing), Route: string(model.RouteFirst), Block: string(model.BlockSerial),
		Timeout: "0", Retries: "0", ParamKind: paramText,
	}
}

// formOf is the form of a job.
func formOf(j *model.Job, tags []string) jobForm {
	f := newForm(j.Author.S)
	f.Tags = strings.Join(tags, ", ")
	f.Group, f.Name, f.Type, f.Handler = strconv.Itoa(int(j.GroupID)), j.Name, j.GlueType, j.Handler.S
	f.Param, f.Schedule, f.Zone, f.Misfire = j.Param.S, string(j.ScheduleType), j.TimeZone, string(j.Misfire)
	switch j.ScheduleType {
	case model.ScheduleCron:
		f.Cron = j.ScheduleConf.S
	case model.ScheduleFixRate:
		f.Seconds = j.ScheduleConf.S
	}
	f.Route, f.Block, f.Children, f.Mail = string(j.Route), string(j.Block), j.Children.S, j.AlarmEmail.S
	f.Timeout, f.Retries = strconv.Itoa(int(j.TimeoutSec)), strconv.Itoa(int(j.Retries))
	f.ParamKind = paramKind(f.Param)
	f.Version = version(f)
	return f
}

// version names the state of a job that was edited, to see whether somebody
// else has changed it since.
func version(f jobForm) string {
	f.Version, f.Seen = "", 0
	raw, err := json.Marshal(f)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// formOfRequest reads what was posted.
func (c *call) formOfRequest() jobForm {
	return jobForm{
		Group: c.Str("group"), Name: c.Str("name"), Author: c.Str("author"), Type: c.Str("type"),
		Handler: c.Str("handler"), Param: strings.ReplaceAll(c.R.PostForm.Get("param"), "\r\n", "\n"),
		Schedule: c.Str("schedule"), Cron: c.Str("cron"), Seconds: c.Str("seconds"), Zone: c.Str("zone"),
		Misfire: c.Str("misfire"), Route: c.Str("route"), Block: c.Str("block"), Timeout: c.Str("timeout"),
		Retries: c.Str("retries"), Children: c.Str("children"), Mail: c.Str("mail"), Version: c.Str("version"),
		Tags: c.Str("tags"), ParamKind: c.Str("paramkind"), Late: c.Str("late"), Long: c.Str("long"),
		Seen: int64(c.Num("seen", 0)),
	}
}

// conf is what the schedule's type is about.
func (f *jobForm) conf() string {
	switch model.ScheduleType(f.Schedule) {
	case model.ScheduleCron:
		return f.Cron
	case model.ScheduleFixRate:
		return f.Seconds
	}
	return ""
}

// job reads the form; what is wrong stands in problems by field.
func (c *call) jobOf(f *jobForm) (j *model.Job, problems map[string]string) {
	problems = map[string]string{}
	number := func(name, text string, least int64) int32 {
		n, err := strconv.ParseInt(text, 10, 32)
		if text == "" && least == 0 {
			return 0
		}
		if err != nil || n < least {
			problems[name] = c.T("edit.number", least)
		}
		return int32(n)
	}
	j = &model.Job{
		Name: f.Name, Author: model.T(f.Author), AlarmEmail: model.T(f.Mail),
		ScheduleType: model.ScheduleType(f.Schedule), ScheduleConf: model.T(f.conf()), TimeZone: f.Zone,
		Misfire: model.Misfire(f.Misfire), Route: model.Route(f.Route), Block: model.Block(f.Block),
		Handler: model.T(f.Handler), Param: model.T(f.Param), Children: model.T(f.Children), GlueType: f.Type,
		GlueSource: model.T(""), GlueRemark: model.T(""),
		TimeoutSec: number("timeout", f.Timeout, 0), Retries: number("retries", f.Retries, 0),
	}
	if id, err := strconv.ParseInt(f.Group, 10, 32); err == nil && id > 0 {
		j.GroupID = int32(id)
	} else {
		problems["group"] = c.T("edit.choose")
	}
	for name, text := range map[string]string{"name": f.Name, "author": f.Author} {
		if text == "" {
			problems[name] = c.T("edit.empty")
		}
	}
	if f.Type == model.GlueBean && f.Handler == "" {
		problems["handler"] = c.T("edit.handler.empty")
	}
	if _, bad := j.ChildIDs(); len(bad) > 0 {
		problems["children"] = c.T("edit.children.bad", strings.Join(bad, ", "))
	}
	if f.ParamKind == paramJSON {
		if problem := c.jsonProblem(f.Param); problem != "" {
			problems["param"] = problem
		}
	}
	c.checkRules(f, problems)
	c.checkSchedule(f, problems)
	return j, problems
}

// checkSchedule says what is wrong with the schedule.
func (c *call) checkSchedule(f *jobForm, problems map[string]string) {
	if _, ok := c.Zone(f.Zone); !ok {
		problems["zone"] = c.T("edit.zone.bad", f.Zone)
	}
	_, err := parts.Fires(model.ScheduleType(f.Schedule), f.conf(), c.Now())
	if err == nil {
		return
	}
	problems[f.scheduleField()] = c.ScheduleProblem(err)
}

// newJob shows the editor for a new job, or for the copy of one.
func (c *call) newJob(ctx context.Context) error {
	p := editPage{Form: newForm(c.Who.Name), Action: "/jobs/new", Back: "/jobs"}
	p.Form.Group = c.Str("group")
	var err error
	if p.Form.Zone, err = c.Cfg.Ops.NewJobZone(ctx); err != nil {
		return err
	}
	if from := c.Num("from", 0); from > 0 {
		j, err := c.Cfg.Ops.Job(ctx, c.Who, int32(min(from, 1<<31-1)))
		if err != nil {
			return err
		}
		tags, err := c.tagsOf(ctx, j)
		if err != nil {
			return err
		}
		p.Form = formOf(j, tags)
		if err := c.withRules(ctx, &p.Form, j.ID); err != nil {
			return err
		}
		p.Form.Name, p.Form.Version = c.T("edit.copy", j.Name), ""
		p.Back = "/jobs/" + strconv.Itoa(int(j.ID))
	}
	return c.showEdit(ctx, http.StatusOK, &p)
}

// createJob creates a job, or shows the editor again.
func (c *call) createJob(ctx context.Context) error {
	p := editPage{Form: c.formOfRequest(), Action: "/jobs/new", Back: "/jobs"}
	if c.onlyPreview(&p.Form) {
		return c.showEdit(ctx, http.StatusOK, &p)
	}
	j, problems := c.jobOf(&p.Form)
	if p.Problems = problems; len(problems) > 0 {
		return c.showEdit(ctx, http.StatusUnprocessableEntity, &p)
	}
	j.Running = c.Str("start") != "" && j.ScheduleType != model.ScheduleNone
	recording, made := ops.Recording(ctx)
	id, err := c.Cfg.Ops.CreateTagged(recording, c.Who, j, p.Form.tags())
	if err != nil {
		return c.editRefused(ctx, &p, err)
	}
	path := "/jobs/" + strconv.Itoa(int(id))
	if err := c.saveRules(recording, id, &jobForm{}, &p.Form); err != nil {
		return c.Refuse(path+"?tab=alarms", err)
	}
	if j.GlueType != model.GlueBean {
		path += "/code" // which it needs before it can run
	}
	return c.DoneUndo(path, c.savedText("edit.created", &p.Form), made)
}

// editJob shows the editor for a job.
func (c *call) editJob(ctx context.Context) error {
	j, err := c.Cfg.Ops.Job(ctx, c.Who, c.ID32("id"))
	if err != nil {
		return err
	}
	if err := c.Need(model.RoleEditor, j.GroupID); err != nil {
		return err
	}
	tags, err := c.tagsOf(ctx, j)
	if err != nil {
		return err
	}
	p := c.pageFor(j)
	p.Form = formOf(j, tags)
	if err := c.withRules(ctx, &p.Form, j.ID); err != nil {
		return err
	}
	if _, p.Form.Seen, err = c.since(ctx, j.ID, 1<<62); err != nil {
		return err
	}
	return c.showEdit(ctx, http.StatusOK, p)
}

func (c *call) pageFor(j *model.Job) *editPage {
	path := "/jobs/" + strconv.Itoa(int(j.ID))
	return &editPage{ID: j.ID, Action: path + "/edit", Back: path, Code: j.GlueType != model.GlueBean}
}

// saveJob changes a job, or shows the editor again.
func (c *call) saveJob(ctx context.Context) error {
	old, err := c.Cfg.Ops.Job(ctx, c.Who, c.ID32("id"))
	if err != nil {
		return err
	}
	if err := c.Need(model.RoleEditor, old.GroupID); err != nil {
		return err
	}
	p := c.pageFor(old)
	p.Form = c.formOfRequest()
	p.Form.Type = old.GlueType
	if c.onlyPreview(&p.Form) {
		return c.showEdit(ctx, http.StatusOK, p)
	}
	j, problems := c.jobOf(&p.Form)
	j.ID, p.Problems = old.ID, problems
	if len(problems) > 0 {
		return c.showEdit(ctx, http.StatusUnprocessableEntity, p)
	}
	was, err := c.tagsOf(ctx, old)
	if err != nil {
		return err
	}
	now := formOf(old, was)
	if err := c.withRules(ctx, &now, old.ID); err != nil {
		return err
	}
	if p.Form.Version != now.Version {
		p.General, p.Form.Version = c.T("edit.stale"), now.Version
		if p.Since, p.Form.Seen, err = c.since(ctx, old.ID, p.Form.Seen); err != nil {
			return err
		}
		return c.showEdit(ctx, http.StatusConflict, p)
	}
	if j.TimeZone == "" && old.TimeZone != "" {
		j.TimeZone = ops.ServerZone
	}
	recording, made := ops.Recording(ctx)
	tags := p.Form.tags()
	if err := c.Cfg.Ops.EditJob(recording, c.Who, ops.JobEdit{Job: j, Tags: &tags}); err != nil {
		return c.editRefused(ctx, p, err)
	}
	if err := c.saveRules(recording, old.ID, &now, &p.Form); err != nil {
		return c.Refuse(p.Back+"?tab=alarms", err)
	}
	return c.DoneUndo(p.Back, c.savedText("edit.saved", &p.Form), made)
}

// onlyPreview reports whether the form was posted to look at something, not to save
// it. A preset takes the place of the expression, a child is added or dropped, and
// the parameter is put on lines of its own.
func (c *call) onlyPreview(f *jobForm) bool {
	if preset := c.Str("preset"); preset != "" {
		f.Cron, f.Schedule = preset, string(model.ScheduleCron)
		return true
	}
	var chosen bool
	if f.Children, chosen = choose(f.Children, c.Str("add"), c.Str("drop")); chosen {
		return true
	}
	do := c.Str("do")
	if do == "format" && strings.TrimSpace(f.Param) != "" { // nothing has nothing to be put in order
		f.Param, f.ParamKind = formatJSON(f.Param), paramJSON
	}
	return do == "preview" || do == "format" || do == "find"
}

// editFields are the fields that may have a problem, in the order of the page, with
// the texts that name them.
var editFields = [][2]string{
	{"name", "job.name"},
	{"group", "job.group"},
	{"handler", "job.handler"},
	{"author", "job.author"},
	{"tags", "job.tags"},
	{"param", "job.param"},
	{"cron", "edit.cron"},
	{"seconds", "edit.seconds"},
	{"zone", "job.zone"},
	{"timeout", "edit.timeout"},
	{"retries", "job.retries"},
	{"mail", "job.mail"},
	{"late", "edit.late"},
	{"long", "edit.long"},
	{"children", "job.children"},
}

// showEdit shows the editor.
func (c *call) showEdit(ctx context.Context, status int, p *editPage) error {
	for _, f := range editFields {
		if p.Problems[f[0]] != "" {
			p.Mend = append(p.Mend, web.Option{Value: "f-" + f[0], Text: c.T(f[1])})
		}
	}
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	p.Groups = c.GroupsToChoose(groups)
	p.Types = []web.Option{{Value: model.GlueBean, Text: c.T("edit.type.bean")}}
	if p.Code || c.Cfg.Ops.MayCode(c.Who) {
		for _, t := range model.GlueTypes()[1:] {
			p.Types = append(p.Types, web.Option{Value: t, Text: t})
		}
	}
	for _, k := range []model.ScheduleType{model.ScheduleCron, model.ScheduleFixRate, model.ScheduleNone} {
		p.Kinds = append(p.Kinds, web.Option{Value: string(k), Text: c.T("edit.kind." + string(k))})
	}
	for _, m := range []model.Misfire{model.MisfireDoNothing, model.MisfireFireOnceNow} {
		p.Misfires = append(p.Misfires, web.Option{Value: string(m), Text: c.Lang.Text(i18n.MisfireKey(m))})
	}
	for _, r := range model.Routes() {
		p.Routes = append(p.Routes, web.Option{Value: string(r), Text: c.Lang.Text(i18n.RouteKey(r))})
	}
	for _, b := range []model.Block{model.BlockSerial, model.BlockDiscardLater, model.BlockCoverEarly} {
		p.Blocks = append(p.Blocks, web.Option{Value: string(b), Text: c.Lang.Text(i18n.BlockKey(b))})
	}
	p.Zones = parts.CommonZones()
	for _, expr := range presets() {
		j := model.Job{ScheduleType: model.ScheduleCron, ScheduleConf: model.T(expr)}
		p.Presets = append(p.Presets, web.Option{Value: expr, Text: parts.ScheduleWords(c.Lang, &j)})
	}
	p.Labels = c.cronLabels()
	find := c.Str("find")
	if c.Str("add") != "" {
		find = ""
	}
	if p.Children, err = c.picker(ctx, p.ID, p.Form.Children, find); err != nil {
		return err
	}
	if problem := p.Problems["children"]; problem != "" {
		p.Children.Problem = problem
	}
	if p.LateHint, p.LongHint, err = c.groupRules(ctx, p.Form.Group); err != nil {
		return err
	}
	p.RuleMost = ruleSeconds
	p.Again = c.R.Method == http.MethodPost
	if p.Again && p.Form.ParamKind == paramJSON && p.Problems == nil {
		if problem := c.jsonProblem(p.Form.Param); problem != "" {
			p.Problems = map[string]string{"param": problem}
		}
	}
	p.Preview = c.previewOf(p.Form.Schedule, p.Form.conf(), p.Form.Zone)
	title, crumbs := c.T("jobs.new"), c.Under("jobs")
	if p.ID > 0 {
		title = c.T("edit")
		crumbs = append(crumbs, web.Crumb{Text: p.Form.Name, Path: p.Back})
	}
	return c.RenderStatus(ctx, status, "edit", web.Head{
		Title: title, Section: "jobs", Crumbs: crumbs, Script: "edit.js",
	}, p)
}

// cronLabels names the fields of an expression, for the builder.
func (c *call) cronLabels() string {
	var names []string
	for _, name := range []string{"second", "minute", "hour", "day-of-month", "month", "day-of-week", "year"} {
		names = append(names, c.T("cron."+name))
	}
	raw, err := json.Marshal(names)
	if err != nil {
		return "[]"
	}
	return string(raw)
}

// presets are expressions that many jobs have.
func presets() []string {
	return []string{
		"0 */5 * * * ?", "0 0 * * * ?", "0 0 3 * * ?", "0 30 9 ? * MON-FRI", "0 0 1 ? * SUN", "0 0 6 1 * ?",
		"0 0 2 L * ?",
	}
}
