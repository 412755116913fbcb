package web

import (
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// maxUndo bounds the ids of changes in a message, which is kept in a cookie:
// what many did at the same time may be too scattered to be offered.
const maxUndo = 1500

// DoneUndo says what was done, and offers to undo what was written to the
// history meanwhile.
func (c *Call) DoneUndo(path, text string, made *ops.Made) error {
	return c.Say(path, Flash{Text: text, Undo: UndoPath(made.Undoable())})
}

// UndoPath is the path of the action that undoes changes; "" where there are
// none, or too many. ids are in order.
func UndoPath(ids []int64) string {
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

// SplitRanges reads what joinRanges has written, at most max numbers; what is
// none is left out.
func SplitRanges(text string, max int) []int64 {
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
