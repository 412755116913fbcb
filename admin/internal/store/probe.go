package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// javaTables are the tables of the Java admin, all of them in every generation.
var javaTables = []string{
	"xxl_job_group", "xxl_job_info", "xxl_job_lock", "xxl_job_log", "xxl_job_log_report", "xxl_job_logglue",
	"xxl_job_registry", "xxl_job_user",
}

// ownPrefix begins the names of our tables.
const ownPrefix = "xxljob_"

// madeByUs is the setting that says that the Java tables are ours.
const (
	madeByKey   = "schema.made_by"
	madeByValue = "xxljob"
)

// schema is what a probe has found.
type schema struct {
	Info
	groupTitle string          // the column of a group's title
	jobName    string          // the column of a job's name
	missing    []string        // Java tables that do not exist; all of them in an empty database
	settings   bool            // xxljob_setting exists
	ours       bool            // all our tables exist
	own        map[string]bool // our tables that exist; not changed any more
	timeZone   bool            // xxl_job_info.x_time_zone exists
	nextIndex  bool            // the index on status and next time exists
}

// column is a column as the database describes it.
type column struct {
	kind  string // lower case, without a length
	width int    // characters, for those that have a width
}

// columns maps table and column, as "table.column".
type columns map[string]column

func (c columns) has(name string) bool {
	_, ok := c[name]
	return ok
}

const (
	mysqlColumns = "SELECT table_name, column_name, data_type, COALESCE(character_maximum_length, 0) " +
		"FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name LIKE 'xxl%'"
	postgresColumns = "SELECT table_name, column_name, data_type, COALESCE(character_maximum_length, 0) " +
		"FROM information_schema.columns WHERE table_schema = current_schema() AND table_name LIKE 'xxl%'"
	sqliteColumns = "SELECT m.name, p.name, p.type, 0 FROM sqlite_master m, pragma_table_info(m.name) p " +
		"WHERE m.type = 'table' AND m.name LIKE 'xxl%'"

	mysqlIndexes = "SELECT index_name, 1 - non_unique, GROUP_CONCAT(column_name ORDER BY seq_in_index), table_name " +
		"FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name LIKE 'xxl%' " +
		"GROUP BY table_name, index_name, non_unique"
	postgresIndexes = "SELECT indexname, CASE WHEN indexdef LIKE 'CREATE UNIQUE%' THEN 1 ELSE 0 END, " +
		"split_part(split_part(indexdef, '(', 2), ')', 1), tablename FROM pg_indexes " +
		"WHERE schemaname = current_schema() AND tablename LIKE 'xxl%'"
	sqliteIndexes = "SELECT l.name, l.\"unique\", " +
		"(SELECT group_concat(i.name) FROM pragma_index_info(l.name) i), m.name " +
		"FROM sqlite_master m, pragma_index_list(m.name) l WHERE m.type = 'table' AND m.name LIKE 'xxl%'"
)

// probe finds out what the database holds, and keeps it.
func (s *Store) probe(ctx context.Context) error {
	var version, colText, indexText string
	switch s.db.Name {
	case sqldb.SQLite:
		version, colText, indexText = "SELECT sqlite_version()", sqliteColumns, sqliteIndexes
	case sqldb.MySQL:
		version, colText, indexText = "SELECT VERSION()", mysqlColumns, mysqlIndexes
	case sqldb.Postgres:
		version, colText, indexText = "SHOW server_version", postgresColumns, postgresIndexes
	}
	var sc schema
	sc.Dialect = s.db.Name
	if err := s.db.Reader().QueryRowContext(ctx, version).Scan(&sc.Version); err != nil {
		return fmt.Errorf("ask the database for its version: %w", err)
	}
	cols, err := s.readColumns(ctx, colText)
	if err != nil {
		return fmt.Errorf("read the columns of the database: %w", err)
	}
	if err := sc.readColumns(cols, s.db.Name == sqldb.SQLite); err != nil {
		return err
	}
	if err := s.readIndexes(ctx, indexText, &sc); err != nil {
		return fmt.Errorf("read the indexes of the database: %w", err)
	}
	sc.Generation = sc.generation(cols)
	if sc.settings {
		var by string
		row := s.db.Reader().QueryRowContext(ctx, s.db.Bind("SELECT value FROM xxljob_setting WHERE name = ?"),
			madeByKey)
		if err := row.Scan(&by); err == nil {
			sc.MadeByUs = by == madeByValue
		}
	}
	s.mu.Lock()
	s.schema = sc
	s.mu.Unlock()
	s.db.SetNames("{group.title}", sc.groupTitle, "{job.name}", sc.jobName)
	return nil
}

func (s *Store) readColumns(ctx context.Context, text string) (columns, error) {
	rows, err := s.db.Reader().QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	cols := make(columns)
	for rows.Next() {
		var table, name, kind string
		var width int64
		if err := rows.Scan(&table, &name, &kind, &width); err != nil {
			return nil, err
		}
		cols[strings.ToLower(table+"."+name)] = column{kind: strings.ToLower(kind), width: int(width)}
	}
	return cols, rows.Err()
}

// readColumns fills in what the columns tell. Names is true where the width of
// a column stands in its type and means nothing to the database.
func (sc *schema) readColumns(cols columns, free bool) error {
	for _, table := range javaTables {
		key := table + ".id"
		if table == "xxl_job_lock" {
			key = table + ".lock_name"
		}
		if !cols.has(key) {
			sc.missing = append(sc.missing, table)
		}
	}
	sc.settings = cols.has("xxljob_setting.name")
	sc.ours = cols.has("xxljob_run.log_id") && cols.has("xxljob_audit.id")
	sc.own = make(map[string]bool)
	for name := range cols {
		if table, _, _ := strings.Cut(name, "."); strings.HasPrefix(table, ownPrefix) {
			sc.own[table] = true
		}
	}
	sc.timeZone = cols.has("xxl_job_info.x_time_zone")
	sc.groupTitle, sc.jobName = "title", "job_desc"
	if cols.has("xxl_job_group.name") && !cols.has("xxl_job_group.title") {
		sc.groupTitle = "name"
	}
	if cols.has("xxl_job_info.name") && !cols.has("xxl_job_info.job_desc") {
		sc.jobName = "name"
	}
	sc.TokenColumn = cols.has("xxl_job_user.token")
	sc.GroupToken = cols.has("xxl_job_group.access_token")
	sc.TitleMax = cols.width("xxl_job_group."+sc.groupTitle, 64, free)
	sc.ParamMax = cols.width("xxl_job_info.executor_param", 65535, free)
	if log := cols.width("xxl_job_log.executor_param", 65535, free); log < sc.ParamMax {
		sc.ParamMax = log
	}
	sc.PasswordMax = cols.width("xxl_job_user.password", 100, free)
	if !slices.Contains(sc.missing, "xxl_job_info") && !cols.has("xxl_job_info.schedule_type") {
		return fmt.Errorf("%w: xxl_job_info has no column schedule_type, so the database belongs to a release before "+
			"2.3.0: let the Java admin's upgrade statements take it to 2.3.0 or later first", ErrSchema)
	}
	return nil
}

// width returns how much fits into a text column, and def where the database
// sets no limit.
func (c columns) width(name string, def int, free bool) int {
	col, ok := c[name]
	if !ok || free || col.width <= 0 || strings.Contains(col.kind, "text") {
		return def
	}
	return col.width
}

func (s *Store) readIndexes(ctx context.Context, text string, sc *schema) error {
	rows, err := s.db.Reader().QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name, table string
		var cols *string
		var unique int64
		if err := rows.Scan(&name, &unique, &cols, &table); err != nil {
			return err
		}
		if cols == nil {
			continue
		}
		list := strings.ToLower(strings.ReplaceAll(*cols, " ", ""))
		switch strings.ToLower(table) {
		case "xxl_job_registry":
			sc.UniqueRegistry = sc.UniqueRegistry || unique == 1 && list == "registry_group,registry_key,registry_value"
		case "xxl_job_info":
			sc.nextIndex = sc.nextIndex || strings.HasPrefix(list, "trigger_status,trigger_next_time")
		}
	}
	return rows.Err()
}

// generation names the release of the schema (admin.md 1.1); a mixture counts
// as the youngest of which it has the mark.
func (sc *schema) generation(cols columns) string {
	switch {
	case len(sc.missing) > 0:
		return ""
	case sc.jobName == "name":
		return "S5"
	case sc.TitleMax >= 64:
		return "S4"
	case sc.TokenColumn:
		return "S3"
	case sc.UniqueRegistry:
		return "S2"
	default:
		return "S1"
	}
}
