package parts

import (
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Said is a line of what was sent and answered.
type Said struct{ Name, Value string }

// triggerTexts are the lines of the text of a trigger.
func triggerTexts(msg string) []Said { return saidLines(model.TriggerTexts(msg)) }

func saidLines(lines []model.TriggerLine) []Said {
	var list []Said
	for _, line := range lines {
		list = append(list, Said(line))
	}
	return list
}

// AskedRow is an executor that was asked before a run was sent, as a page shows it.
type AskedRow struct {
	model.Asked

	Path string // of its address
}

// SentAndAnswered is what the text of the trigger of a run says, apart from whom
// it says was asked before.
func SentAndAnswered(l *model.Log) (lines []Said, list []AskedRow) {
	before, rest := model.AskedOf(model.TriggerTexts(l.TriggerMsg.S))
	for _, a := range before {
		list = append(list, AskedRow{a, AddressPath(l.GroupID, a.Address)})
	}
	return saidLines(rest), list
}

// NotSent says why a run was not sent, or not taken.
func (c Call) NotSent(l *model.Log) string { return c.Lang.NotSent(l.Address.S, l.TriggerMsg.S) }

// appended begins what an admin writes behind the message of an executor: which
// children were started, that a retry follows.
const appended = `<br><br><span style="color:#`

// SplitMessage cuts a stored message into what the executor said and what admins
// have written behind it.
func SplitMessage(msg string) (own string, more []Said) {
	at := strings.Index(msg, appended)
	if at < 0 {
		return msg, nil
	}
	return msg[:at], triggerTexts(msg[at:])
}
