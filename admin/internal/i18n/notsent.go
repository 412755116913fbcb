package i18n

import (
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// What admins of ours and of Java's write about a run for which its route strategy
// chose no executor, in every language.
const (
	routeFailed    = "Address Router Fail"
	routeFailedWhy = "address route fail, " // before the reason, beside the missing address
)

// NotSent says in a sentence why a run was not sent, or not taken by the executor at
// address; msg is its trigger_msg. It is "" where that says nothing.
func (l Lang) NotSent(address, msg string) string {
	asked, lines := model.AskedOf(model.TriggerTexts(msg))
	why := strings.TrimPrefix(model.TriggerOutcome(msg), "error, ")
	switch {
	case why == "":
		return ""
	case why == wire.TextDiscardLater:
		return l.Console("run.why.discarded")
	case address != "":
		return l.Console("run.why.refused", why)
	case len(asked) > 0:
		return l.Console("run.why.asked", len(asked), asked[len(asked)-1].Answer)
	}
	for _, line := range lines {
		if reason, ok := strings.CutPrefix(line.Value, routeFailedWhy); ok && reason != "" {
			return l.Console("run.why.noaddress", reason)
		}
	}
	switch {
	case strings.HasPrefix(why, routeFailed):
		return l.Console("run.why.unrouted")
	case slices.ContainsFunc(Langs(), func(l Lang) bool { return l.Text(JobconfTriggerAddressEmpty) == why }):
		return l.Console("run.why.nobody")
	}
	return why
}
