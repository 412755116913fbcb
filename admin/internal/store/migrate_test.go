package store_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// allDatabases gives an empty database of each kind; servers_test.go adds those
// that are servers.
var allDatabases = map[string]func(testing.TB) string{
	"sqlite": dbtest.SQLite,
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
	require.ErrorIs(t, err, sqldb.ErrLocked)
	assert.ErrorContains(t, err, fmt.Sprintf("(process %d)", cmd.Process.Pid))
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	s, err := store.Open(t.Context(), store.Options{DSN: dsn})
	require.NoError(t, err)
	assert.True(t, s.Info().MadeByUs)
	require.NoError(t, s.Close())
}
