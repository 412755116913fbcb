//go:build linux

package e2e

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// faulty is a world with one node behind a proxy to its database server, and
// two executors.
func faulty(t *testing.T, db string, jobs int) (*world, *proxy) {
	t.Helper()
	w := newWorld(t, newDatabase(t, db))
	u, err := url.Parse(w.db.dsn)
	require.NoError(t, err)
	p := newProxy(t, u.Host)
	w.dsn = w.db.through(t, p.addr)
	w.newNode(t).start(t)
	w.newExecutor(t, 2, -1)
	w.setUp(t, 2)
	w.addJobs(t, jobs, mixed, 2)
	pass(t, 2*time.Second)
	return w, p
}

// onServers runs a test on both database servers.
func onServers(t *testing.T, test func(t *testing.T, db string)) {
	t.Helper()
	for _, db := range []string{mysql, postgres} {
		t.Run(db, func(t *testing.T) {
			t.Parallel()
			test(t, db)
		})
	}
}

// proveRecovery proves the promises, and that the first trigger after the end
// of an outage came within a limit.
func (w *world) proveRecovery(t *testing.T, end time.Time, limit time.Duration) {
	t.Helper()
	pass(t, limit+4*time.Second)
	require.False(t, w.nodes[0].ended(), "the admin did not survive")
	e := w.gather(t)
	prove(t, e)
	first := firstFires(e, []time.Time{end})[0]
	t.Logf("from the end of the outage to the first fire: %v", first)
	assert.LessOrEqual(t, first, inShort(limit), "from the end of the outage to the first fire")
}

// TestDatabaseGone stops the database server for 30 s: the admin stays up and
// says that it is not ready, every instant is planned or counted in a gap, no
// result is acknowledged that is not stored, and it goes on by itself within
// 5 s.
func TestDatabaseGone(t *testing.T) {
	t.Parallel()
	onServers(t, func(t *testing.T, db string) {
		w, _ := faulty(t, db, pick(40, 300))
		from := time.Now()
		ctx := context.WithoutCancel(t.Context())
		w.db.server.Kill(ctx)
		pass(t, pick(9*time.Second, 30*time.Second))
		assert.Equal(t, 200, w.nodes[0].status("/healthz"), "/healthz without a database")
		assert.Equal(t, 503, w.nodes[0].status("/readyz"), "/readyz without a database")
		require.NoError(t, w.db.server.Restart(ctx))
		end := time.Now()
		w.outage(span{from.UnixMilli(), end.UnixMilli()})
		w.proveRecovery(t, end, 5*time.Second)
	})
}

// TestDatabaseHangs freezes the database server: connections stay open and
// nothing answers.
func TestDatabaseHangs(t *testing.T) {
	t.Parallel()
	onServers(t, func(t *testing.T, db string) {
		w, _ := faulty(t, db, pick(40, 300))
		from := time.Now()
		w.db.server.Pause()
		pass(t, pick(9*time.Second, 30*time.Second))
		w.db.server.Resume()
		end := time.Now()
		w.outage(span{from.UnixMilli(), end.UnixMilli()})
		w.proveRecovery(t, end, 5*time.Second)
	})
}

// TestReadLockedTables locks every table against writing, as a backup does.
func TestReadLockedTables(t *testing.T) {
	t.Parallel()
	onServers(t, func(t *testing.T, db string) {
		w, _ := faulty(t, db, pick(40, 300))
		unlock := w.db.readLock(t)
		from := time.Now()
		pass(t, pick(9*time.Second, time.Minute))
		unlock()
		end := time.Now()
		w.outage(span{from.UnixMilli(), end.UnixMilli()})
		w.proveRecovery(t, end, 5*time.Second)
	})
}

// readLock locks all tables against writing and returns what unlocks them.
func (d *database) readLock(t *testing.T) (unlock func()) {
	t.Helper()
	conn, err := d.raw.Conn(t.Context())
	require.NoError(t, err)
	statements := []string{"FLUSH TABLES WITH READ LOCK"}
	end := "UNLOCK TABLES"
	if d.kind == postgres {
		statements, end = []string{"BEGIN"}, "ROLLBACK"
		for _, table := range []string{"xxl_job_info", "xxl_job_log", "xxl_job_registry", "xxljob_run", "xxljob_shard", "xxljob_node"} {
			statements = append(statements, "LOCK TABLE "+table+" IN SHARE MODE")
		}
	}
	for _, s := range statements {
		_, err := conn.ExecContext(t.Context(), s)
		require.NoError(t, err, s)
	}
	return func() {
		_, err := conn.ExecContext(t.Context(), end)
		require.NoError(t, err)
		require.NoError(t, conn.Close())
	}
}
