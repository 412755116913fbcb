package runpages

import (
	"context"
	"fmt"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/logtext"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

const (
	// failAnswers bounds how many answers of an executor are read to find the line
	// at which a run has failed.
	failAnswers = 32
	// failWhole is up to which line a log is shown from its beginning on, if it
	// failed there; of one that failed later, failBefore lines before that are.
	failWhole  = 600
	failBefore = 200
)

// answer is what the executor said of the end of a run.
type answer struct {
	Text  string // "" where it said nothing
	Stack bool   // Text is folded away: its headline stands above
	Lines int    // of Text
}

// answerOf is the message of a run as its page shows it.
func answerOf(message string) answer {
	text := strings.TrimRight(message, "\r\n ")
	return answer{Text: text, Stack: logtext.HasStack(text), Lines: strings.Count(text, "\n") + 1}
}

// hasFailed reports whether an executor has taken the run and it has failed. One
// that somebody has ended, or that a later one has replaced, has no failing line.
func hasFailed(l *model.Log) bool {
	m := l.HandleMsg.S
	if killed(m) || strings.HasPrefix(m, wire.ReasonKilled) || strings.HasPrefix(m, wire.ReasonCovered) {
		return false
	}
	return l.Kind().Fault() && l.TriggerCode == model.CodeSuccess && l.Address.S != "" &&
		l.HandleCode != model.CodeNone && l.HandleCode != model.CodeSuccess
}

// atFail leads to the failing line of the log: done is true when it does. It does
// not where nothing has failed, or the log cannot be read; the page then says so.
func (c *call) atFail(ctx context.Context, l *model.Log) (done bool, err error) {
	if c.Str("at") != "fail" || !hasFailed(l) {
		return false, nil
	}
	line := c.failingLine(ctx, l)
	if line == 0 {
		return false, nil
	}
	from := ""
	if line > failWhole {
		from = fmt.Sprintf("line=%d&", line-failBefore)
	}
	return true, c.Redirect(fmt.Sprintf("/runs/%d?%sfail=%d#L%d", l.ID, from, line, line))
}

// failingLine looks for the line of the log that says why the run has failed, as
// far as the executor gives the log within the time that a page has; 0 where it
// gives none.
func (c *call) failingLine(ctx context.Context, l *model.Log) int {
	ctx, cancel := context.WithTimeout(ctx, pageLog)
	defer cancel()
	own, _ := parts.SplitMessage(l.HandleMsg.S)
	find, from := logtext.NewFinder(own), int32(1)
	for range failAnswers {
		text, err := c.Cfg.Ops.LogText(ctx, c.Who, l.ID, from)
		if err != nil || text.ToLineNum < text.FromLineNum || text.LogContent == "" {
			break
		}
		find.Read(text.LogContent, int(text.FromLineNum))
		if text.IsEnd {
			break
		}
		from = text.ToLineNum + 1
	}
	return find.Line()
}

// failedAt is the line of the page's log that is marked as the failing one: the
// one that the address names, or what the log says if all of it is there; 0 is
// none.
func (c *call) failedAt(l *model.Log, p *runPage) int {
	if !hasFailed(l) {
		return 0
	}
	if line := c.Num("fail", 0); line > 0 {
		return line
	}
	if p.logText == "" || !p.LogEnd {
		return 0
	}
	own, _ := parts.SplitMessage(l.HandleMsg.S)
	find := logtext.NewFinder(own)
	find.Read(p.logText, 1)
	return find.Line()
}
