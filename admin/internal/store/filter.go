package store

import (
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

const (
	pageDefault = 10
	pageMax     = 1000
)

// page brings offset and limit of a list into their bounds.
func page(offset, limit int) (int, int) {
	if limit <= 0 {
		limit = pageDefault
	}
	return max(offset, 0), min(limit, pageMax)
}

// where gathers the conditions of a list. The texts that it makes are few,
// since lists of ids are padded to a few lengths.
type where struct {
	conds []string
	args  []any
}

func (w *where) add(cond string, args ...any) {
	w.conds = append(w.conds, cond)
	w.args = append(w.args, args...)
}

// like matches part as a substring, whatever the letters' case as far as the
// database knows it; % and _ stand for themselves.
func (w *where) like(column, part string) {
	if part == "" {
		return
	}
	if checkFields(field{value: part, max: likeMax}) != nil { // no column holds that
		w.add("1 = 0")
		return
	}
	w.add("LOWER("+column+") LIKE LOWER(?) ESCAPE '!'", "%"+likeEscaper.Replace(part)+"%")
}

// likeMax is how wide the widest column is that a list looks into.
const likeMax = 255

var likeEscaper = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// in matches one of the ids, of which there is at least one.
func (w *where) in(column string, ids []int32) {
	args := sqldb.Padded(ids)
	w.add(column+" IN ("+sqldb.Marks(len(args))+")", args...)
}

// String is the clause with its keyword, or nothing.
func (w *where) String() string {
	if len(w.conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conds, " AND ")
}

// groups narrows a list to one group, and to those that a user may see. It
// reports false when nothing can match.
func (w *where) groups(column string, id int32, allowed []int32) bool {
	if allowed != nil {
		if id != 0 {
			found := false
			for _, g := range allowed {
				found = found || g == id
			}
			if !found {
				return false
			}
		} else if len(allowed) == 0 {
			return false
		}
	}
	switch {
	case id != 0:
		w.add(column+" = ?", id)
	case allowed != nil:
		w.in(column, allowed)
	}
	return true
}

// orderBy is what an order of a list goes by.
type orderBy struct {
	expr string // "" is the id alone
	text bool   // else it is a number
}

// ordered narrows a list to what comes behind o.After, and returns its order. id is the
// column of its ids, by which it goes where o is not among the orders: ascending
// says which way.
func (w *where) ordered(o model.Order, orders map[string]orderBy, id string, ascending bool) string {
	by, known := orders[o.By]
	if known {
		ascending = o.Ascending
	}
	var value any
	if o.After != nil {
		if value = o.After.Number; by.text {
			value = o.After.Text
		}
		return w.behind(by.expr, id, ascending, value, o.After.ID)
	}
	return w.behind(by.expr, id, ascending, nil, 0)
}

// behind returns the order by an expression and an id, and narrows a list to what
// comes behind a value and an id, unless that is 0.
func (w *where) behind(expr, id string, ascending bool, value any, after int64) string {
	direction, than := "DESC", "<"
	if ascending {
		direction, than = "ASC", ">"
	}
	if expr == "" {
		if after != 0 {
			w.add(id+" "+than+" ?", after)
		}
		return id + " " + direction
	}
	if after != 0 { // the first half is for an index
		w.add(expr+" "+than+"= ? AND ("+expr+" "+than+" ? OR "+id+" "+than+" ?)", value, value, after)
	}
	return expr + " " + direction + ", " + id + " " + direction
}
