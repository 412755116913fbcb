package runpages

import (
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// logCallback is what executors write into the log of a run when they report it,
// also of one that never began.
const logCallback = "xxl-job job callback "

// tellBegin says of a run that has ended, and whose log does not say that it
// began, that it did not, or that nobody knows.
func (c *call) tellBegin(l *model.Log, p *runPage) {
	n := len(p.Steps)
	if l.HandleCode == model.CodeNone || n < 3 || p.clock.Began != "" {
		return
	}
	own, _ := parts.SplitMessage(l.HandleMsg.S)
	started := &p.Steps[n-3]
	switch kind := l.Kind(); {
	case neverBegan(own), p.Killed && (p.unsaid || p.noLog && c.justEnded(l)): // an older log may have been deleted
		started.Done, started.Bad, started.Note = false, kind.Fault() && !p.Killed, c.T("run.step.notbegun")
		p.Unbegun, p.Steps = true, slices.Delete(p.Steps, n-2, n-1)
	case strings.Contains(own, wire.SuffixRunning): // it was at work
	case p.Killed, kind == model.EndSkipped, kind == model.EndLost:
		started.Done, started.Note = false, c.T("run.step.unknown")
	}
}

// neverBegan reports whether a message of an executor says that it did not begin
// the run.
func neverBegan(message string) bool {
	return strings.HasPrefix(message, wire.TextNeverStarted) || strings.Contains(message, wire.SuffixQueued)
}

// onlyReported reports whether a log, of which this is all, says nothing but that
// the run was reported.
func onlyReported(text string) bool {
	for line := range strings.Lines(text) {
		if !strings.Contains(line, logCallback) {
			return false
		}
	}
	return true
}

// justEnded reports whether a run ended so lately that its page looks again by
// itself.
func (c *call) justEnded(l *model.Log) bool {
	return !l.HandleTime.IsZero() && c.Now().Sub(l.HandleTime) < stopWatch
}
