//go:build databases

package sqldb

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
)

// TestSilentSession: a transaction of a node that is gone without a word, or
// frozen, holds its locks for some seconds and not for hours.
func TestSilentSession(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]func(testing.TB, ...dbtest.Option) string{
		"mysql": dbtest.MySQL, "postgres": dbtest.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := dsn(t)
			silent, other := openSilent(t, dsn), openSilent(t, dsn)
			require.NoError(t, silent.Patiently(t.Context(), "CREATE TABLE words (word varchar(16))"))
			require.NoError(t, silent.Patiently(t.Context(), "INSERT INTO words VALUES ('first')"))
			tx, err := silent.write.BeginTx(t.Context(), nil)
			require.NoError(t, err)
			text := "UPDATE words SET word = 'first' WHERE word = 'first'"
			_, err = tx.ExecContext(t.Context(), text)
			require.NoError(t, err)

			require.Eventually(t, func() bool { // its lock waits are shorter than that
				return other.InTx(t.Context(), func(q Querier) error {
					_, err := q.ExecContext(t.Context(), text)
					return err
				}) == nil
			}, time.Minute, 10*time.Millisecond)
			require.Error(t, tx.Commit(), "its session is gone")
			require.NoError(t, silent.Ping(t.Context()), "there are others")
		})
	}
}

func openSilent(t *testing.T, dsn string) *DB {
	t.Helper()
	db, err := openDSN(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// TestMigrationLockIsKept: the session that holds the lock of a migration is
// idle for as long as that takes.
func TestMigrationLockIsKept(t *testing.T) {
	t.Parallel()
	db := openSilent(t, dbtest.MySQL(t))
	idle := func() (seconds int) {
		require.NoError(t, db.write.QueryRowContext(t.Context(), "SELECT @@wait_timeout").Scan(&seconds))
		return seconds
	}
	require.Equal(t, int(sessionIdle.Seconds()), idle())
	conn, err := db.write.Conn(t.Context())
	require.NoError(t, err)
	for _, limit := range []time.Duration{migrateIdle, sessionIdle} {
		require.NoError(t, db.idleLimit(t.Context(), conn, limit))
		var seconds int
		row := conn.QueryRowContext(t.Context(), "SELECT @@wait_timeout")
		require.NoError(t, row.Scan(&seconds))
		require.Equal(t, int(limit.Seconds()), seconds)
	}
	require.NoError(t, conn.Close())
}
