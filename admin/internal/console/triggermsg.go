package console

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// said is a line of what was sent and answered.
type said struct{ Name, Value string }

// triggerTexts are the lines of the text of a trigger.
func triggerTexts(msg string) []said { return saidLines(model.TriggerTexts(msg)) }

func saidLines(lines []model.TriggerLine) []said {
	var list []said
	for _, line := range lines {
		list = append(list, said(line))
	}
	return list
}

// askedRow is an executor that was asked before a run was sent, as a page shows it.
type askedRow struct {
	model.Asked

	Path string // of its address
}

// sentAndAnswered is what the text of the trigger of a run says, apart from whom
// it says was asked before.
func sentAndAnswered(l *model.Log) (lines []said, list []askedRow) {
	before, rest := model.AskedOf(model.TriggerTexts(l.TriggerMsg.S))
	for _, a := range before {
		list = append(list, askedRow{a, addressPath(l.GroupID, a.Address)})
	}
	return saidLines(rest), list
}

// wereAsked reports whether executors were asked before the run was sent.
func wereAsked(l *model.Log) bool {
	_, list := sentAndAnswered(l)
	return len(list) > 0
}

// notSent says why a run was not sent, or not taken.
func (c *call) notSent(l *model.Log) string {
	if l.Address.S == "" {
		if _, list := sentAndAnswered(l); len(list) > 0 {
			return c.t("run.why.asked", len(list), list[len(list)-1].Answer)
		}
	}
	return strings.TrimPrefix(model.TriggerOutcome(l.TriggerMsg.S), "error, ")
}

// appended begins what an admin writes behind the message of an executor: which
// children were started, that a retry follows.
const appended = `<br><br><span style="color:#`

// splitMessage cuts a stored message into what the executor said and what admins
// have written behind it.
func splitMessage(msg string) (own string, more []said) {
	at := strings.Index(msg, appended)
	if at < 0 {
		return msg, nil
	}
	return msg[:at], triggerTexts(msg[at:])
}

// followed is a line on what followed from a run, with the way to the runs of the
// child that it names.
type followed struct {
	said

	Path string // "" for a line that names none
}

// childOf finds the id of a child in the line that says that it was triggered.
var childOf = regexp.MustCompile(`^\d+/\d+\.?\s*\[(\d{1,10})\]`)

// followedBy adds to the lines on what followed where the runs are.
func (c *call) followedBy(l *model.Log, lines []said) []followed {
	list := make([]followed, len(lines))
	for i, line := range lines {
		list[i].said = line
		if m := childOf.FindStringSubmatch(line.Value); m != nil {
			v := url.Values{"job": {m[1]}}
			if !l.HandleTime.IsZero() {
				v.Set("from", l.HandleTime.In(c.s.cfg.Location).Format(inputTime))
			}
			list[i].Path = "/runs?" + v.Encode()
		}
	}
	return list
}
