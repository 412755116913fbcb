package store_test

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// allDatabases gives an empty database of each kind.
var allDatabases = map[string]func(testing.TB) string{
	"sqlite":   dbtest.SQLite,
	"mysql":    func(tb testing.TB) string { return dbtest.MySQL(tb) },
	"postgres": func(tb testing.TB) string { return dbtest.Postgres(tb) },
}

// TestMigrateRefuses: half a schema is not completed, unless it was ours.
func TestMigrateRefuses(t *testing.T) {
	t.Parallel()
	for name, dsn := range allDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := dsn(t)
			db := openPlain(t, dsn)
			_, err := db.ExecContext(t.Context(), "CREATE TABLE xxl_job_user (id int, username varchar(50), password varchar(50))")
			require.NoError(t, err)
			s, err := store.Open(t.Context(), store.Options{DSN: dsn})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			err = s.Migrate(t.Context())
			require.ErrorIs(t, err, store.ErrSchema)
			assert.ErrorContains(t, err, "xxl_job_info")
			assert.NotContains(t, err.Error(), "xxl_job_user")

			_, err = db.ExecContext(t.Context(), "DROP TABLE xxl_job_user")
			require.NoError(t, err)
			require.NoError(t, s.Migrate(t.Context()))
			assert.True(t, s.Info().MadeByUs)
			assert.Equal(t, "S4", s.Info().Generation)

			// As a migration leaves it that was cut off.
			for _, text := range []string{"DROP TABLE xxl_job_log", "DROP TABLE xxljob_audit", "DELETE FROM xxljob_migrations WHERE version_id > 0"} {
				_, err = db.ExecContext(t.Context(), text)
				require.NoError(t, err)
			}
			require.NoError(t, s.Migrate(t.Context()))
			assert.Equal(t, 0, count(t, db, "xxl_job_log"))
			assert.Equal(t, 0, count(t, db, "xxljob_audit"))
			assert.Equal(t, 0, count(t, db, "xxl_job_user"), "nobody with a known password")
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
			assert.Equal(t, 2, count(t, db, "xxljob_migrations WHERE version_id > 0"))
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	require.NoError(t, os.WriteFile(garbage, []byte(strings.Repeat("this is no database ", 100)), 0o600))
	tests := []struct {
		name, dsn, want string
	}{
		{"empty", "", "sqlite:FILE"},
		{"unknown", "oracle://secret@host/x", "sqlite:FILE"},
		{"memory", "sqlite::memory:", "name a file"},
		{"no file", "sqlite:", "name a file"},
		{"parameters", "sqlite:x.db?mode=memory", "name a file"},
		{"no folder", "sqlite:" + filepath.Join(dir, "missing", "x.db"), "no such file"},
		{"no database", "sqlite:" + garbage, "is it a SQLite database"},
		{"mysql without a name", "mysql://root:secret@127.0.0.1:3306/", "mysql://user:password@host:port/name"},
		{"mysql without a host", "mysql:///name", "mysql://user:password@host:port/name"},
		{"parameter of Java", "mysql://root:secret@127.0.0.1/x?serverTimezone=Asia/Shanghai", "serverTimezone"},
		{"no URL", "mysql://root:sec%zzret@127.0.0.1/x", "%XX"},
		{"nobody listens", "mysql://root:secret@127.0.0.1:1/x", "connect to database mysql://root:xxxxx@127.0.0.1:1/x"},
		{"nobody listens", "postgres://root:secret@127.0.0.1:1/x", "connect to database postgres://root:xxxxx@127.0.0.1:1/x"},
		{"bad parameter", "postgres://root:secret@127.0.0.1/x?sslmode=maybe", "libpq"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := store.Open(t.Context(), store.Options{DSN: tt.dsn})
			require.Error(t, err)
			assert.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}

// TestLocked: one process has a SQLite file; a kill of it gives it free.
func TestLocked(t *testing.T) {
	dsn := dbtest.SQLite(t)
	if os.Getenv("STORE_TEST_LOCK") != "" {
		s, err := store.Open(t.Context(), store.Options{DSN: os.Getenv("STORE_TEST_LOCK")})
		require.NoError(t, err)
		require.NoError(t, s.Migrate(t.Context()))
		fmt.Println("locked")
		<-t.Context().Done() // until it is killed
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLocked$")
	cmd.Env = append(os.Environ(), "STORE_TEST_LOCK="+dsn)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line := make([]byte, len("locked"))
	_, err = out.Read(line)
	require.NoError(t, err)
	require.Equal(t, "locked", string(line))

	_, err = store.Open(t.Context(), store.Options{DSN: dsn})
	require.ErrorIs(t, err, store.ErrLocked)
	assert.ErrorContains(t, err, fmt.Sprintf("(process %d)", cmd.Process.Pid))
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	s, err := store.Open(t.Context(), store.Options{DSN: dsn})
	require.NoError(t, err)
	assert.True(t, s.Info().MadeByUs)
	require.NoError(t, s.Close())
}
