package completion

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/internal/wire"
)

const (
	// maxMessage is how much of a result's message is kept, in UTF-16 units as
	// Java counts.
	maxMessage = 15000
	// maxWalk bounds the walk over child jobs that looks for a cycle. A child that has
	// more jobs behind it is not started: nobody knows whether they end.
	maxWalk = 1000
	// javaTriggers is how long a Java admin takes at most from its log row to
	// what came of the trigger: connecting and reading, 10 s each.
	javaTriggers = 20 * time.Second
)

// follow decides, inside the transaction that ends runs, what comes after them.
type follow struct {
	w    *Writer
	load store.Loader
	now  time.Time
	jobs map[*model.Run]*model.Job // of the runs that it made
}

func (f *follow) decide(ctx context.Context, ends []*store.Ending) error {
	for _, e := range ends {
		if !e.Ends {
			continue
		}
		e.NewRuns, e.TriggerMsgSuffix = nil, ""
		e.HandleMsg = handleMsg(e)
		e.Kind = endOf(e.Outcome)
		run := runOf(e)
		if failed(e.Outcome) {
			f.failure(e, run)
			continue
		}
		e.AlarmStatus = model.AlarmDefault
		if err := f.children(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// failed reports whether the outcome is one that Java's fail monitor looks at.
func failed(out *model.Outcome) bool {
	if out.Handle != nil {
		return out.Handle.Code != model.CodeSuccess
	}
	return out.Trigger.Code != model.CodeSuccess
}

// handleMsg is the message to store: behind one that stands there, cut as Java
// cuts it.
func handleMsg(e *store.Ending) model.Text {
	if e.Outcome.Handle == nil {
		return model.Text{}
	}
	msg := e.Outcome.Handle.Msg
	if e.Log != nil && e.Log.HandleMsg.S != "" {
		msg = model.T(e.Log.HandleMsg.S + "<br>" + msg.S)
	}
	if msg.Valid {
		msg.S = wire.PrefixUTF16(msg.S, maxMessage)
	}
	return msg
}

// runOf is the open run, or what the row of a Java admin says of it.
func runOf(e *store.Ending) *model.Run {
	if e.Run != nil || e.Log == nil {
		return e.Run
	}
	l := e.Log
	run := &model.Run{
		LogID: l.ID, JobID: l.JobID, GroupID: l.GroupID, Type: model.TriggerCron, ShardTotal: 1,
		RetriesLeft: l.RetriesLeft, Handler: l.Handler, Param: l.Param, Address: l.Address.S,
		TriggerMs: l.TriggerTime.UnixMilli(),
	}
	run.ShardIndex, run.ShardTotal, run.Sharded = model.ParseSharding(l.ShardingParam.S)
	run.ShardTotal = max(run.ShardTotal, 1)
	return run
}

// failure adds the retry and decides about the alarm. What an operator has ended
// is no fault: somebody wanted it. Nor is what a later run has replaced, as its job
// wants: its retry would replace that run in turn.
func (f *follow) failure(e *store.Ending, run *model.Run) {
	e.AlarmStatus = model.AlarmNone
	if e.Job == nil || run == nil || e.Kind.Wanted() {
		return
	}
	if e.Run == nil && e.Log.TriggerCode == model.CodeNone && f.now.Sub(e.Log.TriggerTime) < javaTriggers {
		// A Java admin beside this one is about to store what came of its
		// trigger, and only with that how often to retry: its fail monitor, or
		// that of any other Java node, follows this up.
		e.AlarmStatus = model.AlarmDefault
		return
	}
	if f.w.cfg.Alarms {
		e.AlarmStatus = model.AlarmLocked
	}
	out := e.Outcome
	final := out.Handle != nil && out.Handle.NoRetry || out.Handle == nil && out.Trigger.NoRetry
	if run.RetriesLeft <= 0 || final {
		return
	}
	retry := *run
	retry.LogID, retry.Type, retry.PlannedMs, retry.SentMs, retry.Token = 0, model.TriggerRetry, 0, 0, 0
	retry.State, retry.Address = model.RunPlanned, ""
	retry.TriggerMs = f.now.Add(f.w.cfg.RetryDelay).Truncate(time.Second).UnixMilli() // it does not run before
	retry.RetriesLeft--
	retry.Cause = model.Cause{Kind: model.CauseRetry, Parent: e.Outcome.LogID}
	f.w.cfg.Assign(&retry, e.Job, nil)
	f.jobs[&retry] = e.Job
	e.NewRuns = []*model.Run{&retry}
	e.TriggerMsgSuffix = `<br><br><span style="color:#00c0ef;" > >>>>>>>>>>>` +
		f.w.cfg.Lang.Text(i18n.JobconfTriggerTypeRetry) + `<<<<<<<<<<< </span><br>`
}

// children starts the child jobs of a run that succeeded, and says so in its
// message, as Java does (admin.md 5.2).
func (f *follow) children(ctx context.Context, e *store.Ending) error {
	if e.Job == nil || e.Job.Children.S == "" {
		return nil
	}
	ids, bad := e.Job.ChildIDs()
	found, err := f.load.Jobs(ctx, ids)
	if err != nil {
		return fmt.Errorf("read child jobs of job %d: %w", e.Job.ID, err)
	}
	var b strings.Builder
	b.WriteString(`<br><br><span style="color:#00c0ef;" > >>>>>>>>>>>`)
	b.WriteString(f.w.cfg.Lang.Text(i18n.JobconfTriggerChildRun))
	b.WriteString(`<<<<<<<<<<< </span><br>`)
	total := len(ids) + len(bad)
	at := 0
	line := func(id, what string) {
		at++
		fmt.Fprintf(&b, "%d/%d. [%s] %s<br>", at, total, id, what)
	}
	for _, id := range ids {
		child := found[id]
		if id == e.Job.ID || child == nil {
			line(strconv.Itoa(int(id)), f.w.cfg.Lang.Text(i18n.JobconfCallbackChildMissing))
			continue
		}
		why, err := f.endless(ctx, child, e.Job.ID)
		if err != nil {
			return err
		}
		if why != "" {
			line(strconv.Itoa(int(id)), f.w.cfg.Lang.Text(why))
			continue
		}
		for _, run := range f.w.cfg.NewRuns(child, dispatch.Trigger{Type: model.TriggerParent, At: f.now}) {
			run.Cause = model.Cause{Kind: model.CauseChild, Parent: e.Outcome.LogID}
			f.jobs[run] = child
			e.NewRuns = append(e.NewRuns, run)
		}
		line(strconv.Itoa(int(id)), f.w.cfg.Lang.Text(i18n.JobconfCallbackChildStarted))
	}
	for _, item := range bad {
		line(strings.Map(plain, item), f.w.cfg.Lang.Text(i18n.JobconfCallbackChildBad))
	}
	text := b.String()
	text = wire.PrefixUTF16(text, maxMessage/2)
	e.HandleMsg = model.T(wire.PrefixUTF16(e.HandleMsg.S, maxMessage-len(utf16.Encode([]rune(text)))) + text)
	return nil
}

// endless walks the child jobs of j and returns why it must not be started after the
// job: it leads back to it, or to more jobs than anybody can follow; "" is nothing.
func (f *follow) endless(ctx context.Context, j *model.Job, job int32) (i18n.Key, error) {
	seen := map[int32]bool{j.ID: true}
	for level := []*model.Job{j}; len(level) > 0; {
		var ids []int32
		for _, at := range level {
			kids, _ := at.ChildIDs()
			if slices.Contains(kids, job) {
				return i18n.JobconfCallbackChildCycle, nil
			}
			for _, id := range kids {
				if !seen[id] {
					seen[id] = true
					ids = append(ids, id)
				}
			}
		}
		if len(seen) > maxWalk {
			return i18n.JobconfCallbackChildMany, nil
		}
		if len(ids) == 0 {
			return "", nil
		}
		found, err := f.load.Jobs(ctx, ids)
		if err != nil {
			return "", fmt.Errorf("read child jobs of job %d: %w", j.ID, err)
		}
		level = level[:0]
		for _, next := range found {
			level = append(level, next)
		}
	}
	return "", nil
}

// plain drops what has a meaning in HTML.
func plain(r rune) rune {
	if strings.ContainsRune(`<>&"'`, r) || r < ' ' {
		return -1
	}
	return r
}
