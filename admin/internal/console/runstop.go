package console

import (
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
		next, err := c.s.cfg.Ops.LogText(ctx, c.who, id, text.ToLineNum+1)
		if err != nil {
			break
		}
		text = next
	}
	return b.String()
}

// tellStop says of a run that an operator has killed whether it has stopped. The
// record has ended when the executor took the order; that the handler has
// returned too, or goes on all the same, stands in its log.
func (c *call) tellStop(l *model.Log, p *runPage) {
	over := p.clock.Ended
	p.Stack = strandedStack(p.logText)
	if n := len(p.Steps); n >= 2 { // ended and stored
		ended, asked := p.Steps[n-2], p.Steps[n-1]
		asked.Name, asked.Gap = c.t("run.step.stopasked"), ""
		ended.Name, ended.Done, ended.Bad = c.t("run.step.stopped"), over != "", false
		if p.Stack != "" {
			ended.Done, ended.Bad, ended.Note = false, true, c.t("run.step.goeson")
		}
		p.Steps[n-2], p.Steps[n-1] = asked, ended
	}
	switch {
	case p.Stack != "":
		p.Reason = c.t("run.why.goeson")
	case over != "":
		p.Reason = c.t("run.why.stopped")
	default:
		p.Reason = c.t("run.why.stopping")
		p.Stopping = !l.HandleTime.IsZero() && c.now().Sub(l.HandleTime) < stopWatch
	}
}

// tellStray says of a run that has ended that its handler did not stop when it was
// told to.
func (c *call) tellStray(p *runPage) {
	if p.Stack = strandedStack(p.logText); p.Stack != "" {
		p.Reason += " " + c.t("run.why.stray")
	}
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
