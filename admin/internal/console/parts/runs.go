package parts

import (
	"context"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/logtext"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// maxLine is how many characters of a message a list holds; the page of the run
// has the whole.
const maxLine = 300

// OneLine puts a message on one line.
func OneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxLine {
		return string(runes[:maxLine]) + "…"
	}
	return text
}

// Headline is what a message of an executor says, on one line of a list.
func Headline(message string) string { return FirstLine(logtext.Headline(message)) }

// RunRow is a line of the list of runs.
type RunRow struct {
	ID      int64
	JobID   int32
	Job     string // its name; "" when the job is gone
	Group   string
	At      time.Time
	Took    string
	State   web.State
	Where   string
	WhereAt string // path of the address
	Message string
	Shard   string
}

// StateOf says how a run is. What a person has ended, and what its job had no use
// for, look like no fault.
func (c Call) StateOf(r model.Recent) web.State {
	how, ended := endStates[r.Kind()]
	switch {
	case ended:
	case r.TriggerCode == model.CodeSuccess:
		how = shown{"run", "running"}
	default:
		how = shown{"wait", "waiting"}
	}
	return web.State{Kind: how.kind, Text: c.T("runs." + how.word)}
}

// shown is how a state looks, and the end of the key of its word.
type shown struct{ kind, word string }

// endStates are those of runs that have ended.
var endStates = map[model.EndKind]shown{
	model.EndOK: {"ok", "ok"}, model.EndFailed: {"bad", "failed"}, model.EndTimeout: {"bad", "timeout"},
	model.EndUnsent: {"bad", "unsent"}, model.EndLost: {"lost", "lost"}, model.EndKilled: {"kill", "killed"},
	model.EndSkipped: {"skip", "skipped"}, model.EndReplaced: {"skip", "replaced"},
}

// Lasted is how long a run took, or has been at it: to the millisecond where that
// is on record, else in whole seconds.
func (c Call) Lasted(r model.Recent) string {
	if d := r.Took(c.Now()); !r.Exact() {
		return c.WholeSeconds(d)
	} else if d > 0 {
		return say.Took(c.Lang, d)
	}
	return "< 1 ms"
}

// RunRows adds the names of jobs and groups.
func (c Call) RunRows(ctx context.Context, list []*model.Log) ([]RunRow, error) {
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return nil, err
	}
	titles := map[int32]string{}
	for _, g := range groups {
		titles[g.ID] = g.Title
	}
	names := map[int32]string{}
	rows := make([]RunRow, len(list))
	for i, l := range list {
		name, known := names[l.JobID]
		if !known {
			j, err := c.Cfg.Ops.Job(ctx, c.Who, l.JobID)
			if err == nil {
				name = j.Name
			} else if _, ours := c.Why(err); !ours {
				return nil, err
			}
			names[l.JobID] = name
		}
		rows[i] = c.RunRow(l, name)
		rows[i].Group = titles[l.GroupID]
	}
	return rows, nil
}

// RunRow is a run as a line.
func (c Call) RunRow(l *model.Log, job string) RunRow {
	r := RunRow{
		ID: l.ID, JobID: l.JobID, Job: job, At: l.TriggerTime, State: c.HowIs(l),
		Where: l.Address.S, WhereAt: WherePath(l), Shard: l.ShardingParam.S, Took: "–",
	}
	own, _ := SplitMessage(l.HandleMsg.S)
	r.Message = Headline(own)
	switch {
	case l.TriggerTime.IsZero():
	case !l.HandleTime.IsZero() && l.TriggerCode == model.CodeSuccess:
		r.Took = c.Lasted(l.Recent())
	case l.HandleCode == model.CodeNone && l.TriggerCode == model.CodeSuccess:
		r.Took = c.Lasted(l.Recent()) + " …"
	}
	if r.Message == "" && l.HandleCode == model.CodeNone && l.TriggerCode != model.CodeSuccess {
		r.Message = FirstLine(c.NotSent(l))
	}
	return r
}

// WholeSeconds is a duration between two of Java's times, which have no fractions
// of seconds.
func (c Call) WholeSeconds(d time.Duration) string { return wholeSeconds(c.Lang, d) }

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

// FirstLine puts a message on one line.
func FirstLine(text string) string {
	if len(text) > 8*lineMax {
		text = strings.ToValidUTF8(text[:8*lineMax], "")
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > lineMax {
		return string(runes[:lineMax]) + "…"
	}
	return text
}

// HowIs says how a run is: of one that waits at its executor, for which.
func (c Call) HowIs(l *model.Log) web.State {
	if l.Behind != 0 {
		return web.State{Kind: "wait", Text: c.T("runs.behind", l.Behind)}
	}
	return c.StateOf(l.Recent())
}
