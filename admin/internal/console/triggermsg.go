package console

import (
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// said is a line of what was sent and answered.
type said struct{ Name, Value string }

// triggerTexts are the lines of the text of a trigger.
func triggerTexts(msg string) []said {
	var list []said
	for _, line := range model.TriggerTexts(msg) {
		list = append(list, said(line))
	}
	return list
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
