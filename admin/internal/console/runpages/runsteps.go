package runpages

import (
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// step is a point on the time line of a run.
type step struct {
	Name  string
	At    time.Time // zero where it is not on record
	Exact bool      // At has milliseconds
	Clock string    // what the log of the executor says instead, by its own clock
	Says  string    // where Clock is from
	Gap   string    // since the step before, where both are on record
	Done  bool
	Bad   bool
	Note  string
}

// Silent reports whether the step is past, and nothing says when it was.
func (s step) Silent() bool { return s.Done && s.At.IsZero() && s.Clock == "" }

// steps are what is on record of the way of a run. The log row knows when it was
// due and when its result was stored, in whole seconds; the text of its trigger,
// if one of our nodes has sent it, when it was sent and answered; and its log,
// when the executor began and ended, by the clock there.
func (c *call) steps(l *model.Log, k runClock) []step {
	s, timed := model.SendingOf(l.TriggerMsg.S)
	list := append([]step{c.plannedStep(l, s, timed)}, c.sentSteps(l, s, timed)...)
	if last := list[len(list)-1]; last.Bad && l.HandleCode == model.CodeNone {
		return list
	}
	ended := l.HandleCode != model.CodeNone
	says := c.T("run.step.clock")
	if !k.Read.IsZero() {
		says = c.T("run.step.clock.kept", say.Stamp(k.Read.In(c.Cfg.Location)))
	}
	began, over := says+c.clockApart(l, k), says
	if ahead := k.zoneApart(l, c.Cfg.Location); ahead != 0 {
		if began = says + c.zoneWords(k.Began, ahead); k.Began == "" { // once is enough
			over = says + c.zoneWords(k.Ended, ahead)
		}
		k = k.inZone(c.Cfg.Location, ahead)
	}
	list = append(list,
		step{Name: c.T("run.step.started"), Clock: k.Began, Says: began, Done: k.Began != "" || ended},
		step{
			Name: c.T("run.step.ended"), Clock: k.Ended, Says: over, Done: k.Ended != "" || ended,
			Bad: l.Kind().Fault(),
		})
	return append(list, c.storedStep(l, list[0], ended))
}

// storedStep is when the result came. In all a run took what lies between it and
// when it was planned, or if nobody planned it when it was sent: what asked for
// it stands on record in whole seconds.
func (c *call) storedStep(l *model.Log, planned step, ended bool) step {
	stored := step{Name: c.T("run.step.stored"), Done: ended, At: l.Ended()}
	exact := l.EndExact()
	switch s, timed := model.SendingOf(l.TriggerMsg.S); {
	case !ended || l.HandleTime.IsZero() || l.TriggerTime.IsZero():
		return stored
	case !exact, !timed && !planned.Exact: // what asked for it stands there in whole seconds
		stored.Gap = c.WholeSeconds(l.HandleTime.Sub(l.TriggerTime))
	case timed && !planned.Exact:
		stored.Gap = say.Took(c.Lang, max(stored.At.Sub(s.At), 0))
	default:
		stored.Gap = say.Took(c.Lang, max(stored.At.Sub(planned.At), 0))
	}
	stored.Exact, stored.Gap = exact, c.T("run.step.all", stored.Gap)
	return stored
}

func (c *call) plannedStep(l *model.Log, s model.Sending, timed bool) step {
	planned := step{Name: c.T("run.step.planned"), At: l.TriggerTime, Done: true}
	switch {
	case (s.Late >= 0 || !timed) && l.End.PlannedMs > 0 && l.Kind() != model.EndOpen:
		planned.At, planned.Exact = time.UnixMilli(l.End.PlannedMs).In(c.Cfg.Location), true
	case timed && s.Late >= 0:
		planned.Exact = true // schedules fire at whole seconds
	case timed:
		planned.Name = c.T("run.step.asked") // nobody planned it: a person, a program or another run asked
	}
	return planned
}

// sentSteps are sent and accepted. When nobody took the run, the last of them is
// bad and says why.
func (c *call) sentSteps(l *model.Log, s model.Sending, timed bool) []step {
	accepted := l.TriggerCode == model.CodeSuccess
	refused := l.TriggerCode != model.CodeNone && !accepted
	sent := step{Name: c.T("run.step.sent"), Done: l.TriggerCode != model.CodeNone, Note: l.Address.S}
	answer := step{Name: c.T("run.step.accepted"), Done: accepted}
	if timed {
		sent.At, sent.Exact = s.At.In(c.Cfg.Location), true
		if s.Late >= 0 {
			sent.Gap = say.Millis(s.Late)
		}
		if s.Answer >= 0 {
			answer.At, answer.Exact, answer.Gap = sent.At.Add(s.Answer), true, say.Millis(s.Answer)
		}
	}
	switch {
	case refused && timed:
		answer.Name, answer.Bad, answer.Note = c.T("run.step.refused"), true, c.NotSent(l)
	case refused && l.HandleCode == model.CodeNone:
		sent.Bad, sent.Note = true, c.NotSent(l)
		return []step{sent}
	}
	return []step{sent, answer}
}
