package store

import (
	"strconv"
	"strings"
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
// that all rows share is written once; the others stand in a CASE.
func (t *table) updateCase(keys []int64, r *rows) (string, []any) {
	var args []any
	value := func(i int) string {
		if sameColumn(r, i) {
			args = append(args, r.at(0, i))
			return "?"
		}
		var b strings.Builder
		b.WriteString("CASE ")
		b.WriteString(t.key)
		for row, key := range keys {
			b.WriteString(" WHEN ")
			b.WriteString(strconv.FormatInt(key, 10))
			b.WriteString(" THEN ?")
			args = append(args, r.at(row, i))
		}
		b.WriteString(" END")
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

func allSame(r *rows) bool {
	for i := range r.width {
		if !sameColumn(r, i) {
			return false
		}
	}
	return true
}
