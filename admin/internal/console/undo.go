package console

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// maxUndo bounds the ids of changes in a message, which is kept in a cookie:
// what many did at the same time may be too scattered to be offered.
const maxUndo = 1500

// doneUndo says what was done, and offers to undo what was written to the
// history meanwhile.
func (c *call) doneUndo(path, text string, made *ops.Made) error {
	return c.say(path, flash{Text: text, Undo: undoPath(made.Undoable())})
}

// undoPath is the path of the action that undoes changes; "" where there are
// none, or too many. ids are in order.
func undoPath(ids []int64) string {
	if len(ids) == 0 {
		return ""
	}
	text := joinRanges(ids)
	if len(text) > maxUndo {
		return ""
	}
	return "/changes/undo?ids=" + text
}

// joinRanges writes numbers in their order, "1-40,43".
func joinRanges(ids []int64) string {
	var parts []string
	for i := 0; i < len(ids); {
		end := i
		for end+1 < len(ids) && ids[end+1] == ids[end]+1 {
			end++
		}
		part := strconv.FormatInt(ids[i], 10)
		if end > i {
			part += "-" + strconv.FormatInt(ids[end], 10)
		}
		parts, i = append(parts, part), end+1
	}
	return strings.Join(parts, ",")
}

// splitRanges reads what joinRanges has written, at most max numbers; what is
// none is left out.
func splitRanges(text string, max int) []int64 {
	var ids []int64
	for part := range strings.SplitSeq(text, ",") {
		first, last, several := strings.Cut(part, "-")
		from, err := strconv.ParseInt(first, 10, 64)
		if err != nil || from <= 0 {
			continue
		}
		to := from
		if several {
			if to, err = strconv.ParseInt(last, 10, 64); err != nil {
				continue
			}
		}
		for id := from; id <= to && len(ids) < max; id++ {
			ids = append(ids, id)
		}
	}
	return ids
}

// undo undoes changes, the newest first. What cannot be undone is named; the
// rest is done.
func (c *call) undo(ctx context.Context) error {
	back := c.local(c.r.PostForm.Get("back"), "/jobs")
	ids := splitRanges(c.str("ids"), 2*ops.MaxBulk)
	if len(ids) == 0 {
		return c.say(back, flash{Bad: true, Text: c.t("undo.none")})
	}
	recording, made := ops.Recording(ctx)
	var last *model.Change
	var refused []string
	for _, id := range slices.Backward(ids) {
		change, err := c.s.cfg.Ops.Undo(recording, c.who, id, c.str("force") != "")
		if err == nil {
			last = change
			continue
		}
		text, ours := c.why(err)
		if !ours {
			return err
		}
		refused = append(refused, text)
	}
	text := c.t("undo.done")
	switch done := len(ids) - len(refused); {
	case len(ids) == 1 && last != nil && last.Action == "restore" && last.Kind == model.ChangeGroup:
		text = c.t("undo.back.executor") + " " + c.t("undo.back.token")
		back = executorPath(last.ObjectID)
	case len(ids) == 1 && last != nil && last.Action == "restore":
		text = c.t("undo.back", last.ObjectID)
		back = "/jobs/" + strconv.Itoa(int(last.ObjectID))
	case len(ids) == 1 && last != nil && last.Action == "delete" && last.Kind == model.ChangeGroup:
		back = "/executors" // its page is gone
	case len(ids) > 1:
		text = c.t("undo.done.n", done)
	}
	if len(refused) > 0 {
		text = c.t("undo.done.n", len(ids)-len(refused)) + " " + c.t("jobs.bulk.refused", len(refused)) + " " +
			refused[0]
	}
	return c.say(back, flash{Bad: len(refused) > 0, Text: text, Undo: undoPath(made.Undoable())})
}
