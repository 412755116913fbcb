package runpages

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/internal/wire"
)

const (
	// stopAnswers bounds how many answers of an executor are read to find how a
	// killed run has ended.
	stopAnswers = 16
	// stopWatch is how long a page looks again by itself whether a run that was
	// asked to stop has stopped.
	stopWatch = time.Minute
)

// killed reports whether the message of a run is that of an operator who has
// asked it to stop, in any language and by any admin.
func killed(message string) bool {
	for _, lang := range i18n.Langs() {
		if strings.HasPrefix(message, lang.Text(i18n.JoblogKillLogByman)) {
			return true
		}
	}
	return false
}

// restOfLog reads on behind the first part of a log, which is bounded.
func (c *call) restOfLog(ctx context.Context, id int64, text *ops.LogText) string {
	var b strings.Builder
	for range stopAnswers {
		if text.ToLineNum < text.FromLineNum {
			break
		}
		b.WriteString(text.LogContent)
		next, err := c.Cfg.Ops.LogText(ctx, c.Who, id, text.ToLineNum+1)
		if err != nil {
			break
		}
		text = next
	}
	return b.String()
}

// tellStop says of a run that an operator has killed whether it has stopped. The
// record has ended when the executor took the order; that the handler has
// returned too, or was left behind, stands in its log.
func (c *call) tellStop(l *model.Log, p *runPage) {
	n := len(p.Steps)
	if n < 3 {
		return
	}
	asked := p.Steps[n-1] // stored
	asked.Name, asked.Gap = c.T("run.step.stopasked"), ""
	p.Steps[n-1] = asked
	if p.Unbegun {
		p.Reason = c.T("run.why.unbegun")
		return
	}
	over, ended := p.clock.Ended, p.Steps[n-2]
	ended.Name, ended.Done, ended.Bad = c.T("run.step.stopped"), over != "", false
	stray := strayOf(p.logText)
	if stray.left() && stray.Returned == "" {
		ended.Done, ended.Bad, ended.Clock, ended.Note = false, true, "", c.T("run.step.leftbehind", stray.Left)
	} else if stray.left() {
		ended.Clock = stray.Returned
	}
	p.Steps[n-2], p.Steps[n-1] = asked, ended
	switch {
	case stray.left():
		p.Stack, p.Reason = stray.Stack, c.T("run.why.killed")+" "+c.strayWords(stray)
	case over != "":
		p.Reason = c.T("run.why.stopped")
	case c.justEnded(l):
		p.Reason, p.Stopping = c.T("run.why.stopping"), true
	default:
		p.Reason = c.T("run.why.unstopped")
	}
}

// tellStray says of a run that has ended that its handler did not stop when it was
// told to.
func (c *call) tellStray(p *runPage) {
	if stray := strayOf(p.logText); stray.left() {
		p.Stack = stray.Stack
		p.Reason += " " + c.strayWords(stray)
	}
}

// strayWords say what is known of a handler that was left behind.
func (c *call) strayWords(s stray) string {
	if s.Returned != "" {
		return c.T("run.why.returned", s.Left, s.Returned)
	}
	return c.T("run.why.leftbehind", s.Left)
}

// stray is what a log says of a handler that did not stop when it was told to, by
// the clock of its executor.
type stray struct {
	Left     string // when it was left behind
	Stack    string // where it was then
	Returned string // when it has returned after all; "" while the log does not say so
}

func (s stray) left() bool { return s.Stack != "" }

// strayOf finds in a log what it says of a handler that was left behind.
func strayOf(text string) (s stray) {
	at := strings.Index(text, wire.LogStranded)
	if at < 0 {
		return s
	}
	s.Left, s.Stack = cmp.Or(entryClock(text, at), "?"), strandedStack(text)
	if back := strings.LastIndex(text, wire.LogReturned); back > at {
		s.Returned = cmp.Or(entryClock(text, back), "?")
	}
	return s
}

// strandedStack finds in a log the stack of a handler that goes on although it
// was told to stop; "" where there is none.
func strandedStack(text string) string {
	_, rest, found := strings.Cut(text, wire.LogStranded)
	if !found {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(rest, "\n")) {
		if lineClock(line) != "" { // the next entry
			break
		}
		b.WriteString(line)
	}
	return strings.TrimRight(b.String(), "\n")
}
