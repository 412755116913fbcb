package console

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/textdiff"
)

const (
	historyPage = 20
	// longValue is from how many bytes on a value is compared line by line.
	longValue = 80
	// diffAround is how many lines stand round those that differ.
	diffAround = 3
	// diffShown bounds the lines of a comparison on a page; what is compared can
	// be downloaded.
	diffShown = 3000
)

// historyTab is what was changed of a job.
type historyTab struct {
	List   []changeLine
	Next   string // path of the older ones; "" at the end
	Newest string // path of the first page; "" on it
}

// changeLine is a change of a job.
type changeLine struct {
	ID      int64
	At      time.Time
	Who     string
	Action  string
	Fields  []fieldChange
	MayUndo bool
	Force   bool   // there are later changes of the same, which would go too
	Code    string // path of the versions of the code; "" for what is about something else
}

// fieldChange is what a field was and is.
type fieldChange struct {
	Name     string
	From, To string
	Diff     *diffView // instead of both, where they are long
}

// diffView is a comparison as a page shows it.
type diffView struct {
	Hunks []textdiff.Hunk
	Rest  int  // lines behind the last hunk
	Cut   bool // there are more lines than are shown
	Same  bool
}

// diffOf compares two texts for a page.
func diffOf(before, after string) *diffView {
	hunks, rest := textdiff.Hunks(textdiff.Lines(before, after), diffAround)
	v := &diffView{Hunks: hunks, Rest: rest, Same: len(hunks) == 0}
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

// fillHistory reads a page of the history.
func (c *call) fillHistory(ctx context.Context, p *jobPage) error {
	before, err := strconv.ParseInt(c.str("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	list, err := c.s.cfg.Ops.JobChanges(ctx, c.who, p.ID, historyPage+1, before)
	if err != nil {
		return err
	}
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	path := "/jobs/" + strconv.Itoa(int(p.ID)) + "?tab=history"
	if len(list) > historyPage {
		list = list[:historyPage]
		p.History.Next = path + "&before=" + strconv.FormatInt(list[historyPage-1].ID, 10)
	}
	if before > 0 {
		p.History.Newest = path
	}
	later := map[string]bool{}
	titles := groupTitles(groups)
	for _, ch := range list {
		line, err := c.changeLine(ch, titles)
		if err != nil {
			return err
		}
		// A start or stop is undone by another; of edits those that came later go
		// too, which has to be asked for.
		kind := "edit"
		switch ch.Action {
		case "start", "stop":
			kind = "switch"
		case "code":
			kind = "code"
		}
		line.Force = later[kind] || before > 0
		line.MayUndo = ops.Undoable(ch) && !(line.Force && kind == "switch")
		later[kind] = true
		p.History.List = append(p.History.List, line)
	}
	return nil
}

// changeLine puts a change into words.
func (c *call) changeLine(ch *model.Change, groups map[int32]string) (changeLine, error) {
	line := changeLine{ID: ch.ID, At: ch.At, Who: ch.User, Action: c.t("history.did." + ch.Action)}
	if !i18n.HasConsole("history.did." + ch.Action) {
		line.Action = ch.Action
	}
	if ch.Action == "code" {
		line.Code = "/jobs/" + strconv.Itoa(int(ch.ObjectID)) + "/code"
	}
	var states [2]map[string]string
	for i, text := range []model.Text{ch.Before, ch.After} {
		if !text.Valid {
			continue
		}
		var v ops.JobState
		if err := json.Unmarshal([]byte(text.S), &v); err != nil {
			return line, fmt.Errorf("read change %d: %w", ch.ID, err)
		}
		states[i] = c.stateFields(&v, groups)
	}
	for _, name := range stateNames {
		from, to := states[0][name], states[1][name]
		if from == to {
			continue
		}
		f := fieldChange{Name: c.t(name), From: from, To: to}
		if len(from)+len(to) > longValue || strings.Contains(from+to, "\n") {
			f.Diff = diffOf(from, to)
		}
		line.Fields = append(line.Fields, f)
	}
	return line, nil
}

// stateNames are the texts that name the fields of a job, in the order of the
// editor.
var stateNames = []string{
	"job.name", "job.group", "job.type", "job.handler", "job.author", "history.tags", "job.param", "edit.kind",
	"job.schedule", "job.zone", "job.misfire", "job.route", "job.block", "job.timeout", "job.retries", "job.mail",
	"job.children", "job.state", "history.code.remark", "history.code.bytes",
}

// stateFields are the fields of a job in words.
func (c *call) stateFields(v *ops.JobState, groups map[int32]string) map[string]string {
	group := groups[v.GroupID]
	if group == "" {
		group = "#" + strconv.Itoa(int(v.GroupID))
	}
	state, limit, zone, kind := c.t("job.stopped"), c.t("job.timeout.none"), v.TimeZone, "edit.kind."+v.ScheduleType
	if v.Started {
		state = c.t("job.started")
	}
	if v.TimeoutSec > 0 {
		limit = c.t("time.s", v.TimeoutSec)
	}
	if zone == "" {
		zone = c.t("job.zone.server")
	}
	if kind = c.t(kind); !i18n.HasConsole("edit.kind." + v.ScheduleType) {
		kind = v.ScheduleType
	}
	fields := map[string]string{
		"job.name": v.Name, "job.group": group, "job.type": v.GlueType, "job.handler": v.Handler,
		"job.author": v.Author, "history.tags": strings.Join(slices.Sorted(slices.Values(v.Tags)), ", "),
		"job.param": v.Param, "edit.kind": kind,
		"job.schedule": v.ScheduleConf, "job.zone": zone, "job.timeout": limit,
		"job.misfire": c.lang.Text(i18n.MisfireKey(model.Misfire(v.Misfire))),
		"job.route":   c.lang.Text(i18n.RouteKey(model.Route(v.Route))),
		"job.block":   c.lang.Text(i18n.BlockKey(model.Block(v.Block))),
		"job.retries": strconv.Itoa(int(v.Retries)), "job.mail": v.AlarmEmail,
		"job.children": v.Children, "job.state": state,
	}
	if v.GlueType != model.GlueBean {
		fields["history.code.remark"], fields["history.code.bytes"] = v.CodeRemark, count(v.CodeBytes)
	}
	return fields
}
