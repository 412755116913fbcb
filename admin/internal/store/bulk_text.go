package store

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func (t *table) names() string {
	names := make([]string, len(t.cols))
	for i, c := range t.cols {
		names[i] = c.name
	}
	return strings.Join(names, ",")
}

func (t *table) insertValues(n int) string {
	row := ",(" + marks(len(t.cols)) + ")"
	return "INSERT INTO " + t.name + " (" + t.names() + ") VALUES " + strings.Repeat(row, n)[1:]
}

// insertUnnest takes one array a column.
func (t *table) insertUnnest() string {
	return "INSERT INTO " + t.name + " (" + t.names() + ") SELECT " + t.unnested("") + " FROM " + t.unnest("", "")
}

// unnest is "unnest(…) AS v(c0, c1, …)", with the key before the columns, and
// the number of the row behind them if that has a name.
func (t *table) unnest(key, number string) string {
	var args, names []string
	if key != "" {
		args, names = append(args, "?::bigint[]"), append(names, "k")
	}
	for i, c := range t.cols {
		kind := c.kind
		if kind == kindTime {
			kind = kindText
		}
		args, names = append(args, "?::"+string(kind)+"[]"), append(names, "c"+strconv.Itoa(i))
	}
	ordinality := ""
	if number != "" {
		ordinality, names = " WITH ORDINALITY", append(names, number)
	}
	return "unnest(" + strings.Join(args, ",") + ")" + ordinality + " AS v(" + strings.Join(names, ",") + ")"
}

func (t *table) unnested(prefix string) string {
	names := make([]string, len(t.cols))
	for i := range t.cols {
		names[i] = prefix + t.value(i)
	}
	return strings.Join(names, ",")
}

// value is the i-th value of an unnested row.
func (t *table) value(i int) string {
	v := "v.c" + strconv.Itoa(i)
	if t.cols[i].kind == kindTime {
		return v + "::timestamp"
	}
	return v
}

// arrays turns rows into one array a column.
func arrays(cols []col, r *rows) []any {
	out := make([]any, 0, len(cols)+1)
	n := r.len()
	for i, c := range cols {
		if c.kind == kindInt {
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
func (t *table) assign(value func(i int) string, concat string) (sets, guards string) {
	var list []string
	for i, c := range t.cols {
		v := value(i)
		switch c.op {
		case opSet:
			list = append(list, c.name+"="+v)
		case opFill:
			list = append(list, c.name+"=COALESCE("+c.name+","+v+")")
		case opOver:
			list = append(list, c.name+"=COALESCE("+v+","+c.name+")")
		case opAppend:
			if concat == "" {
				list = append(list, c.name+"=CONCAT(COALESCE("+c.name+",''),"+v+")")
				continue
			}
			list = append(list, c.name+"=COALESCE("+c.name+",'')"+concat+v)
		case opGuard: // not for an index: the key is what finds the row
			guards += " AND " + c.name + "+0=" + v
		}
	}
	return strings.Join(list, ","), guards
}

func (t *table) updateUnnest() string {
	sets, guards := t.assign(t.value, "||")
	// Names on the right side are those of the table, where v has none of them.
	return "UPDATE " + t.name + " SET " + sets + " FROM " + t.unnest("k", "") + " WHERE " + t.key + "=v.k" + guards
}

// updateCase is one UPDATE of many rows for databases without arrays. A value
// that all rows share is written once; the others stand in a CASE, without how
// texts begin and end alike: most of trigger_msg is the same for all runs of a
// group.
func (t *table) updateCase(keys []int64, r *rows) (string, []any) {
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
		b.WriteString(t.key)
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
	ordered := &table{name: t.name, key: t.key}
	var index []int
	for _, guard := range []bool{false, true} {
		for i, c := range t.cols {
			if (c.op == opGuard) == guard {
				ordered.cols, index = append(ordered.cols, c), append(index, i)
			}
		}
	}
	sets, guards := ordered.assign(func(i int) string { return value(index[i]) }, "")
	return "UPDATE " + t.name + " SET " + sets + " WHERE " + t.key + " IN (" + intList(keys) + ")" + guards, args
}

func sameColumn(r *rows, i int) bool {
	first := r.at(0, i)
	for row := 1; row < r.len(); row++ {
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
func sharedEnds(r *rows, i int) (head, tail string) {
	first, ok := r.at(0, i).(string)
	if !ok {
		return "", ""
	}
	front, back, shortest := len(first), len(first), len(first)
	for row := 1; row < r.len(); row++ {
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

func allSame(r *rows) bool {
	for i := range r.width {
		if !sameColumn(r, i) {
			return false
		}
	}
	return true
}
