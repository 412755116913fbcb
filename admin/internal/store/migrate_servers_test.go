//go:build databases

package store_test

import (
	"database/sql"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// javaColumns describes the Java tables as MySQL has them.
func javaColumns(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, text := range []string{
		"SELECT CONCAT(table_name, '.', column_name), CONCAT(column_type, ' ', is_nullable, ' ', " +
			"COALESCE(column_default, '-'), ' ', extra) FROM information_schema.columns WHERE table_schema = DATABASE() " +
			"AND table_name LIKE 'xxl\\_job\\_%'",
		"SELECT CONCAT(table_name, ' ', index_name), GROUP_CONCAT(column_name ORDER BY seq_in_index) FROM " +
			"information_schema.statistics WHERE table_schema = DATABASE() AND table_name LIKE 'xxl\\_job\\_%' " +
			"GROUP BY table_name, index_name",
	} {
		rows, err := db.QueryContext(t.Context(), text)
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var name, what string
			require.NoError(t, rows.Scan(&name, &what))
			all[name] = what
		}
		require.NoError(t, rows.Err())
	}
	return all
}

// TestMigrateJava: a schema of the Java admin, of every generation, is known for
// what it is, and keeps every column and index as it was.
func TestMigrateJava(t *testing.T) {
	t.Parallel()
	type facts struct {
		gen             string
		title, param    int
		password        int
		token, registry bool
		group           bool
	}
	want := map[string]facts{
		"S1":  {gen: "S1", title: 12, param: 512, password: 50},
		"S2":  {gen: "S2", title: 12, param: 512, password: 50, registry: true},
		"S2'": {gen: "S2", title: 12, param: 512, password: 50, registry: true},
		"S3":  {gen: "S3", title: 12, param: 512, password: 100, registry: true, token: true},
		"S4":  {gen: "S4", title: 64, param: 65535, password: 100, registry: true, token: true},
		"S5":  {gen: "S5", title: 64, param: 65535, password: 100, registry: true, token: true, group: true},
	}
	for _, gen := range dbtest.JavaGenerations() {
		t.Run(gen, func(t *testing.T) {
			t.Parallel()
			dsn := dbtest.MySQL(t)
			db := openPlain(t, dsn)
			for _, text := range dbtest.JavaSchema(gen) {
				_, err := db.ExecContext(t.Context(), text)
				require.NoError(t, err)
			}
			_, err := db.ExecContext(t.Context(), "DELETE FROM xxl_job_lock")
			require.NoError(t, err)
			before := javaColumns(t, db)
			s, err := store.Open(t.Context(), store.Options{DSN: dsn})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			assert.Equal(t, before, javaColumns(t, db), "Open changes nothing")
			pending, err := s.Pending(t.Context())
			require.NoError(t, err)
			assert.NotEmpty(t, pending)
			for range 2 {
				require.NoError(t, s.Migrate(t.Context()))
			}
			pending, err = s.Pending(t.Context())
			require.NoError(t, err)
			assert.Empty(t, pending)

			after := javaColumns(t, db)
			for name, what := range before {
				assert.Equal(t, what, after[name], name)
				delete(after, name)
			}
			assert.Equal(t, map[string]string{
				"xxl_job_info.x_time_zone":   "varchar(64) YES NULL ",
				"xxl_job_info x_status_next": "trigger_status,trigger_next_time",
			}, after, "this is all that was added")
			assert.Equal(t, 1, count(t, db, "xxl_job_lock WHERE lock_name = 'schedule_lock'"))
			i := s.Info()
			assert.False(t, i.MadeByUs)
			assert.Equal(t, want[gen], facts{
				gen: i.Generation, title: i.TitleMax, param: i.ParamMax, password: i.PasswordMax,
				token: i.TokenColumn, registry: i.UniqueRegistry, group: i.GroupToken,
			})
		})
	}
}

// TestMigrateOld: the schema of a release before 2.3.0 is refused with the way
// out.
func TestMigrateOld(t *testing.T) {
	t.Parallel()
	dsn := dbtest.SQLite(t)
	db := openPlain(t, dsn)
	_, err := db.ExecContext(t.Context(), "CREATE TABLE xxl_job_info (id int, job_cron varchar(128))")
	require.NoError(t, err)
	_, err = store.Open(t.Context(), store.Options{DSN: dsn})
	require.ErrorIs(t, err, store.ErrSchema)
	assert.ErrorContains(t, err, "2.3.0")
}

// TestMigrateAtOnce: several nodes start on an empty database.
func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	for name, dsn := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := dsn(t)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					s, err := store.Open(t.Context(), store.Options{DSN: dsn})
					if !assert.NoError(t, err) {
						return
					}
					assert.NoError(t, s.Migrate(t.Context()))
					n, err := s.InitShards(t.Context(), 16)
					assert.NoError(t, err)
					assert.EqualValues(t, 16, n)
					assert.NoError(t, s.Close())
				})
			}
			wg.Wait()
			db := openPlain(t, dsn)
			assert.Equal(t, 16, count(t, db, "xxljob_shard"))
			assert.Equal(t, 1, count(t, db, "xxl_job_lock"))
			files, err := os.ReadDir("migrations/sqlite")
			require.NoError(t, err)
			assert.Equal(t, len(files), count(t, db, "xxljob_migrations WHERE version_id > 0"), "each once")
		})
	}
}
