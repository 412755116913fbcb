package completion

import (
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// endOf says how a run ends by this outcome; EndOpen where it does not. Those who
// give runs up say why; executors say it with their codes, and with their words
// where an operator has ended the run.
func endOf(out *model.Outcome) model.EndKind {
	t, h := out.Trigger, out.Handle
	switch {
	case h != nil && h.Code == model.CodeSuccess:
		return model.EndOK
	case h != nil && h.End != model.EndOpen:
		return h.End
	case h != nil && killed(h):
		return model.EndKilled
	case h != nil && strings.HasPrefix(h.Msg.S, wire.ReasonCovered):
		return model.EndReplaced
	case h != nil:
		return model.EndByCode(model.CodeSuccess, h.Code)
	case t.Code != model.CodeSuccess && t.End != model.EndOpen:
		return t.End
	}
	return model.EndByCode(t.Code, model.CodeNone)
}

// killed reports whether an executor says that an operator has ended the run:
// its own result may be faster than that of the kill, and end other runs of the
// job too. Somebody wanted them to end, so they are not retried.
func killed(h *model.HandleResult) bool { return strings.HasPrefix(h.Msg.S, wire.ReasonKilled) }
