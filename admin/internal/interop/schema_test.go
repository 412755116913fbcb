//go:build interop && linux

package interop

import (
	"database/sql"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// schema is what information_schema says of a database: a description of each
// column and of each index, by its name.
type schema map[string]string

// Every attribute that a statement could change.
const (
	columnsQuery = `SELECT CONCAT('column ', table_name, '.', column_name),
		CONCAT_WS(' ', column_type, 'null', is_nullable, 'default', IFNULL(column_default, 'none'), extra,
			IFNULL(character_set_name, ''), IFNULL(collation_name, ''), 'at', ordinal_position)
		FROM information_schema.columns WHERE table_schema = DATABASE()`
	indexesQuery = `SELECT CONCAT('index ', table_name, '.', index_name),
		CONCAT_WS(' ', IF(MAX(non_unique) = 0, 'unique', 'plain'), MAX(index_type),
			GROUP_CONCAT(CONCAT(column_name, IFNULL(sub_part, '')) ORDER BY seq_in_index))
		FROM information_schema.statistics WHERE table_schema = DATABASE() GROUP BY table_name, index_name`
	tablesQuery = `SELECT CONCAT('table ', table_name), CONCAT_WS(' ', engine, row_format, table_collation)
		FROM information_schema.tables WHERE table_schema = DATABASE()`
)

// readSchema reads the present state of a MariaDB database.
func readSchema(t *testing.T, db *sql.DB) schema {
	t.Helper()
	s := schema{}
	for _, query := range []string{columnsQuery, indexesQuery, tablesQuery} {
		s.read(t, db, query)
	}
	require.NotEmpty(t, s)
	return s
}

// read adds what a query says: names and descriptions.
func (s schema) read(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer found.Close()
	for found.Next() {
		var name, text string
		require.NoError(t, found.Scan(&name, &text))
		s[name] = text
	}
	require.NoError(t, found.Err())
}

// assertOnlyAdditions compares a schema of Java with what it is now: everything
// is as it was, and what came to Java's tables does not stand in Java's way.
func assertOnlyAdditions(t *testing.T, before, after schema) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		assert.Equal(t, before[name], after[name], name)
	}
	var added []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, old := before[name]; !old && !strings.Contains(name, " xxljob_") {
			added = append(added, name)
		}
	}
	assert.Equal(t, []string{"column xxl_job_info.x_time_zone", "index xxl_job_info.x_status_next"}, added,
		"what came to the tables of the Java admin")
	assert.Contains(t, after["column xxl_job_info.x_time_zone"], "null YES", "or inserts of a Java admin would fail")
	assert.Contains(t, after["index xxl_job_info.x_status_next"], "plain", "or inserts of a Java admin could fail")
}
