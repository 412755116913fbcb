//go:build databases

package dbtest

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var kinds = []*engine{mysqlKind, postgresKind}

// connect opens a store DSN with the plain driver.
func connect(t *testing.T, kind *engine, s *Server, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(kind.driver, kind.connect(s.port, dsn[strings.LastIndex(dsn, "/")+1:]))
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func TestFreshDatabases(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			first, second := fresh(t, kind, nil), fresh(t, kind, nil)
			assert.NotEqual(t, first, second)
			assert.Regexp(t, `^(mysql://root|postgres://postgres)@127\.0\.0\.1:\d+/t\d+$`, first)
			s, err := sharedServer(t.Context(), kind, settings{})
			require.NoError(t, err)
			for _, dsn := range []string{first, second} { // the same table in both
				_, err := connect(t, kind, s, dsn).ExecContext(t.Context(), "CREATE TABLE a (b INT)")
				require.NoError(t, err)
			}
		})
	}
	assert.True(t, strings.HasPrefix(SQLite(t), "sqlite:/"))
}

func TestServerFaults(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			ctx := t.Context()
			s := own(t, kind, nil)
			dsn, err := s.NewDatabase(ctx)
			require.NoError(t, err)
			db := connect(t, kind, s, dsn)
			_, err = db.ExecContext(ctx, "CREATE TABLE a (b INT)")
			require.NoError(t, err)
			_, err = db.ExecContext(ctx, "INSERT INTO a VALUES (1)")
			require.NoError(t, err)

			pid := s.Pid()
			s.Kill(ctx)
			assert.Zero(t, s.Pid())
			require.Error(t, db.PingContext(ctx), "a killed server answered")
			require.NoError(t, s.Restart(ctx))
			assert.NotEqual(t, pid, s.Pid())
			var n int
			require.NoError(t, connect(t, kind, s, dsn).QueryRowContext(ctx, "SELECT count(*) FROM a").Scan(&n))
			assert.Equal(t, 1, n, "what was committed before the kill")

			s.Pause()
			short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
			defer cancel()
			require.Error(t, connect(t, kind, s, dsn).PingContext(short), "a paused server answered")
			s.Resume()
			require.NoError(t, connect(t, kind, s, dsn).PingContext(ctx))

			s.Pause() // a paused server ends all the same
			require.NoError(t, s.Close())
			require.NoError(t, s.Close(), "a second Close")
			assert.NoDirExists(t, s.dir)
		})
	}
}

func TestServerFlags(t *testing.T) {
	ctx := t.Context()
	s := own(t, mysqlKind, []Option{Fast(), Flag("--auto-increment-increment=3")})
	var step, flush int
	require.NoError(t, connect(t, mysqlKind, s, "/mysql").QueryRowContext(ctx,
		"SELECT @@auto_increment_increment, @@innodb_flush_log_at_trx_commit").Scan(&step, &flush))
	assert.Equal(t, []int{3, 0}, []int{step, flush})

	s = own(t, postgresKind, []Option{Fast(), Flag("-c max_connections=17")})
	var most, fsync string
	db := connect(t, postgresKind, s, "/postgres")
	require.NoError(t, db.QueryRowContext(ctx, "SHOW max_connections").Scan(&most))
	require.NoError(t, db.QueryRowContext(ctx, "SHOW fsync").Scan(&fsync))
	assert.Equal(t, []string{"17", "off"}, []string{most, fsync})
}

func TestStartUnknown(t *testing.T) {
	_, err := Start(t.Context(), "oracle")
	assert.ErrorContains(t, err, "mysql and postgres are known")
}

func TestStartRefused(t *testing.T) {
	_, err := start(t.Context(), mysqlKind, settings{flags: []string{"--no-such-flag"}})
	assert.ErrorContains(t, err, "no-such-flag", "the error carries the server's own words")
}

// TestWatchdog kills a process that has started a server: the server and its
// directory have to go too.
func TestWatchdog(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, self)
			cmd.Env = append(os.Environ(), "DBTEST_VICTIM="+kind.name)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			var pid int
			var dir string
			_, err = fmt.Sscan(line, &pid, &dir)
			require.NoError(t, err, line)
			require.DirExists(t, dir)

			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())
			for exists(dir) {
				require.NoError(t, pause(ctx), "%s is still there", dir)
			}
			for alive(pid) {
				require.NoError(t, pause(ctx), "process %d still runs", pid)
			}
		})
	}
}

// alive reports whether a process still does something: one that has ended and
// that nobody has waited for does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestParseStat(t *testing.T) {
	tests := []struct {
		name, give  string
		pid, parent int
		ok          bool
	}{
		{name: "plain", give: "12 (sh) S 3 12 12", pid: 12, parent: 3, ok: true},
		{name: "name with brackets and blanks", give: "12 (a) R 9 (b) S 3 12", pid: 12, parent: 3, ok: true},
		{name: "empty", give: ""},
		{name: "cut", give: "12 (sh) S"},
		{name: "no number", give: "x (sh) S 3 1", parent: 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pid, parent, ok := parseStat(tt.give)
			assert.Equal(t, tt.ok, ok)
			if ok {
				assert.Equal(t, []int{tt.pid, tt.parent}, []int{pid, parent})
			}
		})
	}
}

func TestJavaSchema(t *testing.T) {
	ctx := t.Context()
	s, err := sharedServer(ctx, mysqlKind, settings{})
	require.NoError(t, err)
	for _, gen := range JavaGenerations() {
		t.Run(gen, func(t *testing.T) {
			db := connect(t, mysqlKind, s, MySQL(t))
			for _, statement := range JavaSchema(gen) {
				_, err := db.ExecContext(ctx, statement)
				require.NoError(t, err, statement)
			}
			want, _ := generation(gen)
			for table, rows := range map[string]int{
				"xxl_job_group": want.groups, "xxl_job_info": want.jobs, "xxl_job_user": 1, "xxl_job_lock": 1,
				"xxl_job_log": 0, "xxl_job_registry": 0, "xxl_job_log_report": 0, "xxl_job_logglue": 0,
			} {
				var n int
				require.NoError(t, db.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n))
				assert.Equal(t, rows, n, table)
			}
		})
	}
	assert.Panics(t, func() { JavaSchema("S6") })
}
