package jobpages

import (
	"context"
	"slices"
	"strconv"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// undo undoes changes, the newest first. What cannot be undone is named; the
// rest is done.
func (c *call) undo(ctx context.Context) error {
	back := c.Local(c.R.PostForm.Get("back"), "/jobs")
	ids := web.SplitRanges(c.Str("ids"), 2*ops.MaxBulk)
	if len(ids) == 0 {
		return c.Say(back, web.Flash{Bad: true, Text: c.T("undo.none")})
	}
	recording, made := ops.Recording(ctx)
	var last *model.Change
	var refused []string
	for _, id := range slices.Backward(ids) {
		change, err := c.Cfg.Ops.Undo(recording, c.Who, id, c.Str("force") != "")
		if err == nil {
			last = change
			continue
		}
		text, ours := c.Why(err)
		if !ours {
			return err
		}
		refused = append(refused, text)
	}
	text := c.T("undo.done")
	switch done := len(ids) - len(refused); {
	case len(ids) == 1 && last != nil && last.Action == "restore" && last.Kind == model.ChangeGroup:
		text = c.T("undo.back.executor") + " " + c.T("undo.back.token")
		back = parts.ExecutorPath(last.ObjectID)
	case len(ids) == 1 && last != nil && last.Action == "restore":
		text = c.T("undo.back", last.ObjectID)
		back = "/jobs/" + strconv.Itoa(int(last.ObjectID))
	case len(ids) == 1 && last != nil && last.Action == "delete" && last.Kind == model.ChangeGroup:
		back = "/executors" // its page is gone
	case len(ids) > 1:
		text = c.T("undo.done.n", done)
	}
	if len(refused) > 0 {
		text = c.T("undo.done.n", len(ids)-len(refused)) + " " + c.T("jobs.bulk.refused", len(refused)) + " " +
			refused[0]
	}
	return c.Say(back, web.Flash{Bad: len(refused) > 0, Text: text, Undo: web.UndoPath(made.Undoable())})
}
