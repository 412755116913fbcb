package sqldb

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Names lists the columns, with commas between them.
func (t *Table) Names() string {
	names := make([]string, len(t.Cols))
	for i, c := range t.Cols {
		names[i] = c.Name
	}
	return strings.Join(names, ",")
}

// InsertValues is the INSERT of n rows with a placeholder for each value.
func (t *Table) InsertValues(n int) string {
	row := ",(" + Marks(len(t.Cols)) + ")"
	return "INSERT INTO " + t.Name + " (" + t.Names() + ") VALUES " + strings.Repeat(row, n)[1:]
}

// insertUnnest takes one array a column.
func (t *Table) insertUnnest() string {
	return "INSERT INTO " + t.Name + " (" + t.Names() + ") SELECT " + t.unnested("") + " FROM " + t.Unnest("", "")
}

// Unnest is "unnest(…) AS v(c0, c1, …)", with the key before the columns, and
// the number of the row behind them if that has a name.
func (t *Table) Unnest(key, number string) string {
	var args, names []string
	if key != "" {
		args, names = append(args, "?::bigint[]"), append(names, "k")
	}
	for i, c := range t.Cols {
		kind := c.Kind
		if kind == KindTime {
			kind = KindText
		}
		args, names = append(args, "?::"+string(kind)+"[]"), append(names, "c"+strconv.Itoa(i))
	}
	ordinality := ""
	if number != "" {
		ordinality, names = " WITH ORDINALITY", append(names, number)
	}
	return "unnest(" + strings.Join(args, ",") + ")" + ordinality + " AS v(" + strings.Join(names, ",") + ")"
}

func (t *Table) unnested(prefix string) string {
	names := make([]string, len(t.Cols))
	for i := range t.Cols {
		names[i] = prefix + t.Value(i)
	}
	return strings.Join(names, ",")
}

// Value is the i-th value of an unnested row.
func (t *Table) Value(i int) string {
	v := "v.c" + strconv.Itoa(i)
	if t.Cols[i].Kind == KindTime {
		return v + "::timestamp"
	}
	return v
}

// Arrays turns rows into one array a column.
func Arrays(cols []Col, r *Rows) []any {
	out := make([]any, 0, len(cols)+1)
	n := r.Len()
	for i, c := range cols {
		if c.Kind == KindInt {
			list := make([]*int64, n)
			for row := range n {
				if v, ok := r.at(row, i).(int64); ok {
					list[row] = &v
				}
			}
			out = append(out, list)
			continue
		}
		list := make([]*string, n)
		for row := range n {
			if v, ok := r.at(row, i).(string); ok {
				list[row] = &v
			}
		}
		out = append(out, list)
	}
	return out
}

// assign returns the SET list and the further conditions, given how the value
// of a column is written.
func (t *Table) assign(value func(i int) string, concat string) (sets, guards string) {
	var list []string
	for i, c := range t.Cols {
		v := value(i)
		switch c.Op {
		case OpSet:
			list = append(list, c.Name+"="+v)
		case OpFill:
			list = append(list, c.Name+"=COALESCE("+c.Name+","+v+")")
		case OpOver:
			list = append(list, c.Name+"=COALESCE("+v+","+c.Name+")")
		case OpAppend:
			if concat == "" {
				list = append(list, c.Name+"=CONCAT(COALESCE("+c.Name+",''),"+v+")")
				continue
			}
			list = append(list, c.Name+"=COALESCE("+c.Name+",'')"+concat+v)
		case OpGuard: // not for an index: the key is what finds the row
			guards += " AND " + c.Name + "+0=" + v
		}
	}
	return strings.Join(list, ","), guards
}

func (t *Table) updateUnnest() string {
	sets, guards := t.assign(t.Value, "||")
	// Names on the right side are those of the table, where v has none of them.
	return "UPDATE " + t.Name + " SET " + sets + " FROM " + t.Unnest("k", "") + " WHERE " + t.Key + "=v.k" + guards
}

// updateCase is one UPDATE of many rows for databases without arrays. A value
// that all rows share is written once; the others stand in a CASE, without how
// texts begin and end alike: most of trigger_msg is the same for all runs of a
// group.
func (t *Table) updateCase(keys []int64, r *Rows) (string, []any) {
	var args []any
	value := func(i int) string {
		if sameColumn(r, i) {
			args = append(args, r.at(0, i))
			return "?"
		}
		head, tail := sharedEnds(r, i)
		var b strings.Builder
		if head+tail != "" {
			b.WriteString("CONCAT(?,")
			args = append(args, head)
		}
		b.WriteString("CASE ")
		b.WriteString(t.Key)
		for row, key := range keys {
			b.WriteString(" WHEN ")
			b.WriteString(strconv.FormatInt(key, 10))
			b.WriteString(" THEN ?")
			v := r.at(row, i)
			if s, ok := v.(string); ok {
				v = s[len(head) : len(s)-len(tail)]
			}
			args = append(args, v)
		}
		b.WriteString(" END")
		if head+tail != "" {
			b.WriteString(",?)")
			args = append(args, tail)
		}
		return b.String()
	}
	// The arguments come in the order in which the values are written.
	ordered := &Table{Name: t.Name, Key: t.Key}
	var index []int
	for _, guard := range []bool{false, true} {
		for i, c := range t.Cols {
			if (c.Op == OpGuard) == guard {
				ordered.Cols, index = append(ordered.Cols, c), append(index, i)
			}
		}
	}
	sets, guards := ordered.assign(func(i int) string { return value(index[i]) }, "")
	return "UPDATE " + t.Name + " SET " + sets + " WHERE " + t.Key + " IN (" + IntList(keys) + ")" + guards, args
}

func sameColumn(r *Rows, i int) bool {
	first := r.at(0, i)
	for row := 1; row < r.Len(); row++ {
		if r.at(row, i) != first {
			return false
		}
	}
	return true
}

// minShared is from how many bytes on it is worth it to write once what the
// texts of a column share.
const minShared = 64

// sharedEnds returns how the texts of a column begin and end in all rows, cut
// between characters. Both are empty when one of the values is no text, and
// when too little is shared.
func sharedEnds(r *Rows, i int) (head, tail string) {
	first, ok := r.at(0, i).(string)
	if !ok {
		return "", ""
	}
	front, back, shortest := len(first), len(first), len(first)
	for row := 1; row < r.Len(); row++ {
		s, ok := r.at(row, i).(string)
		if !ok {
			return "", ""
		}
		shortest = min(shortest, len(s))
		front = sameBytes(min(front, len(s)), func(n int) bool { return s[n] == first[n] })
		back = sameBytes(min(back, len(s)), func(n int) bool { return s[len(s)-1-n] == first[len(first)-1-n] })
		if front+back < minShared {
			return "", ""
		}
	}
	for front > 0 && front < len(first) && !utf8.RuneStart(first[front]) {
		front--
	}
	back = min(back, shortest-front) // they may overlap
	for back > 0 && !utf8.RuneStart(first[len(first)-back]) {
		back--
	}
	return first[:front], first[len(first)-back:]
}

// sameBytes counts, up to most, how many bytes are the same before one is not.
func sameBytes(most int, same func(n int) bool) int {
	for n := range most {
		if !same(n) {
			return n
		}
	}
	return most
}

func allSame(r *Rows) bool {
	for i := range r.width {
		if !sameColumn(r, i) {
			return false
		}
	}
	return true
}
