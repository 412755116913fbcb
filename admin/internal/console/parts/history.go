package parts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/textdiff"
)

const (
	// HistoryPage is how many changes a page lists.
	HistoryPage = 20
	// longValue is from how many bytes on a value is compared line by line.
	longValue = 80
	// diffAround is how many lines stand round those that differ.
	diffAround = 3
	// diffShown bounds the lines of a comparison on a page; what is compared can
	// be downloaded.
	diffShown = 3000
)

// History is what was changed of a job or an executor.
type History struct {
	List   []ChangeLine
	Next   string // path of the older ones; "" at the end
	Newest string // path of the first page; "" on it
}

// ChangeLine is a change of one of them.
type ChangeLine struct {
	ID      int64
	At      time.Time
	Who     string
	Action  string
	Fields  []fieldChange
	MayUndo bool
	Life    bool   // it came or went with the change
	Force   bool   // there are later changes of the same, which would go too
	Code    string // path of the versions of the code; "" for what is about something else
}

// fieldChange is what a field was and is.
type fieldChange struct {
	Name     string
	From, To string
	Diff     *DiffView // instead of both, where they are long
}

// DiffView is a comparison as a page shows it.
type DiffView struct {
	Hunks []textdiff.Hunk
	Rest  int  // lines behind the last hunk
	Cut   bool // there are more lines than are shown
	Same  bool
}

// DiffOf compares two texts for a page.
func DiffOf(before, after string) *DiffView {
	hunks, rest := textdiff.Hunks(textdiff.Lines(before, after), diffAround)
	v := &DiffView{Hunks: hunks, Rest: rest, Same: len(hunks) == 0}
	left := diffShown
	for i := range v.Hunks {
		if len(v.Hunks[i].Lines) > left {
			v.Hunks[i].Lines, v.Hunks, v.Cut = v.Hunks[i].Lines[:left], v.Hunks[:i+1], true
			break
		}
		left -= len(v.Hunks[i].Lines)
	}
	return v
}

// changesOf reads changes of a job or an executor.
type changesOf func(
	ctx context.Context, p ops.Principal, id int32, limit int, beforeID int64,
) ([]*model.Change, error)

// ChangesOf reads a page of the history of an object, which stands at path; may says
// what of it the visitor may undo.
func (c Call) ChangesOf(
	ctx context.Context, path string, id int32, may web.Rights, of changesOf,
) (h History, err error) {
	before, err := strconv.ParseInt(c.Str("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	changes, err := of(ctx, c.Who, id, HistoryPage+1, before)
	if err != nil {
		return h, err
	}
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return h, err
	}
	if len(changes) > HistoryPage {
		changes = changes[:HistoryPage]
		mark := "?"
		if strings.Contains(path, "?") {
			mark = "&"
		}
		h.Next = path + mark + "before=" + strconv.FormatInt(changes[HistoryPage-1].ID, 10)
	}
	if before > 0 {
		h.Newest = path
	}
	later, alarms := map[string]bool{}, map[string]bool{}
	titles := web.GroupTitles(groups)
	for _, ch := range changes {
		line, err := c.ChangeLine(ch, titles)
		if err != nil {
			return h, err
		}
		kind := historyKind(ch)
		if ch.Kind == model.ChangeRule || ch.Kind == model.ChangeMute {
			line.MayUndo = before == 0 && !alarms[kind] && (may.Edit || may.Run && ch.Kind == model.ChangeMute)
			alarms[kind] = true
			h.List = append(h.List, line)
			continue
		}
		line.Life = kind == "life"
		line.Force = later[kind] || kind == "life" && len(later) > 0 || before > 0
		line.MayUndo = ops.Undoable(ch) && !later["gone"] && !(line.Force && (kind == "switch" || kind == "life")) &&
			(may.Edit || may.Run && kind == "switch")
		later[kind] = true
		if !ch.After.Valid { // what came before that was another life
			later["gone"], alarms = true, map[string]bool{}
		}
		h.List = append(h.List, line)
	}
	return h, nil
}

// historyKind tells changes apart by how they are undone. A start or stop is undone
// by another; of edits those that came later go too, which has to be asked for.
// That something came or went is only undone while nothing else has happened. Rules
// for alarms are apart from each other, and from all else.
func historyKind(ch *model.Change) string {
	switch {
	case ch.Kind == model.ChangeRule:
		return ruleOf(ch)
	case ch.Kind == model.ChangeMute:
		return "mute"
	case !ch.Before.Valid || !ch.After.Valid:
		return "life"
	case ch.Action == "start" || ch.Action == "stop":
		return "switch"
	case ch.Action == "code":
		return "code"
	}
	return "edit"
}

// ChangeLine puts a change into words.
func (c Call) ChangeLine(ch *model.Change, groups map[int32]string) (ChangeLine, error) {
	did := "history.did." + ch.Action
	if ch.Kind == model.ChangeRule || ch.Kind == model.ChangeMute {
		did = "history.did." + ch.Kind + "." + ch.Action
	}
	line := ChangeLine{ID: ch.ID, At: ch.At, Who: ch.User, Action: c.T(did)}
	if !i18n.HasConsole(did) {
		line.Action = ch.Action
	}
	if ch.Action == "code" && ch.Kind == model.ChangeJob {
		line.Code = "/jobs/" + strconv.Itoa(int(ch.ObjectID)) + "/code"
	}
	names, read := stateNames, func(text string) (map[string]string, error) {
		var v ops.JobState
		err := json.Unmarshal([]byte(text), &v)
		return c.stateFields(&v, groups), err
	}
	switch ch.Kind {
	case model.ChangeGroup:
		names, read = groupNames, c.groupFields
	case model.ChangeRule:
		names, read = []string{ruleOf(ch)}, c.ruleFields
	case model.ChangeMute:
		names, read = []string{"alarms.until", "alarms.reason"}, c.muteFields
	}
	var states [2]map[string]string
	for i, text := range []model.Text{ch.Before, ch.After} {
		if !text.Valid {
			continue
		}
		fields, err := read(text.S)
		if err != nil {
			return line, fmt.Errorf("read change %d: %w", ch.ID, err)
		}
		states[i] = fields
	}
	for _, name := range names {
		from, to := states[0][name], states[1][name]
		if from == to {
			continue
		}
		f := fieldChange{Name: c.T(name), From: from, To: to}
		if len(from)+len(to) > longValue || strings.Contains(from+to, "\n") {
			f.Diff = DiffOf(from, to)
		}
		line.Fields = append(line.Fields, f)
	}
	return line, nil
}

// ruleOf is the text that names the rule of a change, in the words of the tab of
// alarms.
func ruleOf(ch *model.Change) string {
	text := ch.After
	if !text.Valid {
		text = ch.Before
	}
	var v ops.RuleState
	if json.Unmarshal([]byte(text.S), &v) != nil || !i18n.HasConsole("alarms.rule."+v.What) {
		return "alarms.rule"
	}
	return "alarms.rule." + v.What
}

// ruleFields are the limit of a rule, under the name of the rule.
func (c Call) ruleFields(text string) (map[string]string, error) {
	var v ops.RuleState
	err := json.Unmarshal([]byte(text), &v)
	limit := say.Took(c.Lang, time.Duration(v.LimitMs)*time.Millisecond)
	return map[string]string{"alarms.rule": limit, "alarms.rule." + v.What: limit}, err
}

// muteFields are the fields of a mute window in words.
func (c Call) muteFields(text string) (map[string]string, error) {
	var v ops.MuteState
	err := json.Unmarshal([]byte(text), &v)
	return map[string]string{
		"alarms.until": say.Stamp(v.Until.In(c.Cfg.Location)), "alarms.reason": v.Reason,
	}, err
}

// stateNames are the texts that name the fields of a job, in the order of the
// editor.
var stateNames = []string{
	"job.name", "job.group", "job.type", "job.handler", "job.author", "history.tags", "job.param", "edit.kind",
	"job.schedule", "job.zone", "job.misfire", "job.route", "job.block", "job.timeout", "job.retries", "job.mail",
	"job.children", "job.state", "history.code.remark", "history.code.bytes",
}

// groupNames are the same for an executor.
var groupNames = []string{"executor.title", "executor.app", "executor.how", "executor.addresses", "executor.token"}

// groupFields are the fields of an executor in words.
func (c Call) groupFields(text string) (map[string]string, error) {
	var v ops.GroupState
	err := json.Unmarshal([]byte(text), &v)
	how := c.T("executor.auto")
	if v.Manual {
		how = c.T("executor.manual")
	}
	fields := map[string]string{
		"executor.title": v.Title, "executor.app": v.AppName, "executor.how": how,
		"executor.addresses": strings.ReplaceAll(v.Addresses, ",", "\n"),
	}
	if v.TokenSet {
		fields["executor.token"] = c.T("executor.token.own")
	}
	return fields, err
}

// stateFields are the fields of a job in words.
func (c Call) stateFields(v *ops.JobState, groups map[int32]string) map[string]string {
	group := groups[v.GroupID]
	if group == "" {
		group = "#" + strconv.Itoa(int(v.GroupID))
	}
	state, limit, zone, kind := c.T("job.stopped"), c.T("job.timeout.none"), v.TimeZone, "edit.kind."+v.ScheduleType
	if v.Started {
		state = c.T("job.started")
	}
	if v.TimeoutSec > 0 {
		limit = c.T("time.s", v.TimeoutSec)
	}
	if zone == "" {
		zone = c.T("job.zone.server")
	}
	if kind = c.T(kind); !i18n.HasConsole("edit.kind." + v.ScheduleType) {
		kind = v.ScheduleType
	}
	fields := map[string]string{
		"job.name": v.Name, "job.group": group, "job.type": v.GlueType, "job.handler": v.Handler,
		"job.author": v.Author, "history.tags": strings.Join(slices.Sorted(slices.Values(v.Tags)), ", "),
		"job.param": v.Param, "edit.kind": kind,
		"job.schedule": v.ScheduleConf, "job.zone": zone, "job.timeout": limit,
		"job.misfire": c.Lang.Text(i18n.MisfireKey(model.Misfire(v.Misfire))),
		"job.route":   c.Lang.Text(i18n.RouteKey(model.Route(v.Route))),
		"job.block":   c.Lang.Text(i18n.BlockKey(model.Block(v.Block))),
		"job.retries": strconv.Itoa(int(v.Retries)), "job.mail": v.AlarmEmail,
		"job.children": v.Children, "job.state": state,
	}
	if v.GlueType != model.GlueBean {
		fields["history.code.remark"], fields["history.code.bytes"] = v.CodeRemark, say.Count(v.CodeBytes)
	}
	return fields
}
