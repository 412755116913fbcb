package pagebench

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// visit is what a plan does with a table.
type visit struct {
	table string
	how   string
	rows  int64 // that were looked at; 0 where the database does not count them
	scan  bool  // it goes through the table or a whole index, and nothing ends it
}

// tableNames finds the tables of a statement with their other names.
var tableNames = regexp.MustCompile(`(?:FROM|JOIN) (xxl\w+)(?: (?:AS )?([a-z]\w*))?`)

// aliases maps every name of a table in a statement to the table.
func aliases(text string) map[string]string {
	names := map[string]string{}
	for _, m := range tableNames.FindAllStringSubmatch(text, -1) {
		names[m[1]] = m[1]
		if m[2] != "" {
			names[m[2]] = m[1]
		}
	}
	return names
}

// explain asks the database for the plan of a statement; the servers carry it
// out and count.
func (w *world) explain(ctx context.Context, text string, args []any) ([]visit, error) {
	switch w.dialect {
	case "mysql":
		return w.explainMySQL(ctx, text, args)
	case "postgres":
		return w.explainPostgres(ctx, text, args)
	}
	return w.explainSQLite(ctx, text, args)
}

// walked is a SELECT without a condition that goes along an index until it has
// its rows; those of the partial index fulfil the index's own condition.
var walked = regexp.MustCompile(`FROM xxl\w+(?: [a-z])?(?: ORDER BY [a-z_., DESCA]+)? LIMIT (?:\?|1)`)

const partial = "SCAN l USING INDEX i_log_failed"

// explainSQLite reads EXPLAIN QUERY PLAN, which has a line for each table.
func (w *world) explainSQLite(ctx context.Context, text string, args []any) ([]visit, error) {
	rows, err := w.db.QueryContext(ctx, "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	type step struct {
		parent int
		detail string
	}
	var steps []step
	for rows.Next() {
		var id, unused int
		var s step
		if err := rows.Scan(&id, &s.parent, &unused, &s.detail); err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	names := aliases(text)
	var list []visit
	for _, s := range steps {
		what, rest, _ := strings.Cut(s.detail, " ")
		name, _, _ := strings.Cut(rest, " ")
		derived := rest == name && strings.Contains(text, ") "+name) // a SELECT of that name
		if what != "SCAN" && what != "SEARCH" || names[name] == "" || derived {
			continue
		}
		sorted := slices.ContainsFunc(steps, func(o step) bool {
			return o.parent == s.parent && o.detail == "USE TEMP B-TREE FOR ORDER BY"
		})
		list = append(list, visit{
			table: names[name], how: s.detail,
			scan: what == "SCAN" && (sorted || !walked.MatchString(text) && s.detail != partial),
		})
	}
	return list, rows.Err()
}

// explainMySQL reads what MariaDB counts while it carries the statement out.
func (w *world) explainMySQL(ctx context.Context, text string, args []any) ([]visit, error) {
	var raw []byte
	err := w.db.QueryRowContext(ctx, "ANALYZE FORMAT=JSON "+text, args...).Scan(&raw) //nolint:misspell // it is SQL
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, err
	}
	names := aliases(text)
	var list []visit
	eachObject(tree, func(o map[string]any) {
		name, _ := o["table_name"].(string)
		if names[name] == "" {
			return
		}
		list = append(list, visit{
			table: names[name], how: fmt.Sprintf("%v key %v", o["access_type"], o["key"]),
			rows: int64(number(o["r_rows"]) * number(o["r_loops"])),
		})
	})
	return list, nil
}

// explainPostgres reads what PostgreSQL counts meanwhile.
func (w *world) explainPostgres(ctx context.Context, text string, args []any) ([]visit, error) {
	var raw []byte
	const explain = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " //nolint:misspell // it is SQL
	err := w.db.QueryRowContext(ctx, explain+text, args...).Scan(&raw)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, err
	}
	var list []visit
	eachObject(tree, func(o map[string]any) {
		table, _ := o["Relation Name"].(string)
		if table == "" {
			return
		}
		each := number(o["Actual Rows"]) + number(o["Rows Removed by Filter"]) + number(o["Rows Removed by Index Recheck"])
		list = append(list, visit{
			table: table, how: fmt.Sprintf("%v %v", o["Node Type"], o["Index Name"]), rows: int64(each * number(o["Actual Loops"])),
		})
	})
	return list, nil
}

// eachObject calls f for every object in a tree of JSON.
func eachObject(tree any, f func(map[string]any)) {
	switch v := tree.(type) {
	case map[string]any:
		f(v)
		for _, item := range v {
			eachObject(item, f)
		}
	case []any:
		for _, item := range v {
			eachObject(item, f)
		}
	}
}

func number(v any) float64 {
	n, _ := v.(float64)
	return n
}
