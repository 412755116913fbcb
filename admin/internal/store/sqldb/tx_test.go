package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errStop = errors.New("stop")

// TestReadsAreBounded: a read without a deadline of its own gets one, and gives
// its timer back with its caller's context.
func TestReadsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		ctx := withLimit(t.Context(), readLimit)
		<-ctx.Done()
		assert.Equal(t, readLimit, time.Since(begin))
		require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)

		parent, cancel := context.WithCancel(t.Context())
		ctx = withLimit(parent, readLimit)
		require.NoError(t, ctx.Err())
		cancel()
		<-ctx.Done()
		require.ErrorIs(t, ctx.Err(), context.Canceled)

		own, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		assert.Equal(t, own, withLimit(own, readLimit))
	})
}

func TestInTxRollsBack(t *testing.T) {
	db := openTables(t)
	err := db.InTx(t.Context(), func(q Querier) error {
		_, err := q.ExecContext(t.Context(), "INSERT INTO words (word) VALUES ('x')")
		require.NoError(t, err)
		return errStop
	})
	require.ErrorIs(t, err, errStop)
	var n int
	require.NoError(t, db.Reader().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM words").Scan(&n))
	assert.Equal(t, 1, n, "the first one alone")
}

// TestInTxAgain: what could not get a lock runs again, a few times.
func TestInTxAgain(t *testing.T) {
	db := openTables(t)
	db.kind = mysqlKind
	deadlock := &mysql.MySQLError{Number: myDeadlock, Message: "Deadlock found"}
	calls := 0
	err := db.InTx(t.Context(), func(Querier) error {
		if calls++; calls < 4 {
			return deadlock
		}
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, 4, calls)

	calls = 0
	require.ErrorIs(t, db.InTx(t.Context(), func(Querier) error { calls++; return deadlock }), error(deadlock))
	assert.Equal(t, txAttempts, calls)

	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, db.InTx(ctx, func(Querier) error { cancel(); return deadlock }), error(deadlock))
	require.ErrorIs(t, db.InTx(ctx, func(Querier) error { return nil }), context.Canceled)
}

// TestOneWriter: readers see what was committed while a transaction is open,
// and a second one waits no longer than its caller.
func TestOneWriter(t *testing.T) {
	db := openTables(t)
	err := db.InTx(t.Context(), func(q Querier) error {
		_, err := q.ExecContext(t.Context(), "DELETE FROM words")
		require.NoError(t, err)
		var n int
		require.NoError(t, db.Reader().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM words").Scan(&n))
		assert.Equal(t, 1, n)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		err = db.InTx(ctx, func(Querier) error { return nil })
		require.ErrorIs(t, err, context.DeadlineExceeded)
		return nil
	})
	require.NoError(t, err)
	_, err = db.Reader().ExecContext(t.Context(), "DELETE FROM texts")
	require.Error(t, err, "readers cannot write")
}

func TestCheckpoint(t *testing.T) {
	db := openTables(t)
	path := ""
	require.NoError(t, db.Reader().QueryRowContext(t.Context(), "SELECT file FROM pragma_database_list").Scan(&path))
	fill := strings.Repeat("x", 10_000)
	require.NoError(t, db.InTx(t.Context(), func(q Querier) error {
		for range 100 {
			_, err := q.ExecContext(t.Context(), "INSERT INTO texts (body) VALUES (?)", fill)
			require.NoError(t, err)
		}
		return nil
	}))
	wal := path + "-wal"
	require.Greater(t, fileSize(wal), int64(1<<20), "nothing is copied back by the writer")
	conn, err := db.checkpointer(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, db.checkpoint(t.Context(), conn, checkpointFrom))
	assert.Greater(t, fileSize(wal), int64(1<<20), "copied, and used again from its beginning")
	reading, err := db.read.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	n := 0
	require.NoError(t, reading.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM texts").Scan(&n))
	require.NoError(t, db.InTx(t.Context(), func(q Querier) error {
		_, err := q.ExecContext(t.Context(), "INSERT INTO texts (body) VALUES (?)", fill)
		return err
	}))
	require.NoError(t, db.checkpoint(t.Context(), conn, checkpointHard), "waits for nobody who reads")
	assert.NotZero(t, fileSize(wal), "the log is still read")
	wait := 0
	require.NoError(t, conn.QueryRowContext(t.Context(), "PRAGMA busy_timeout").Scan(&wait))
	assert.Zero(t, wait)
	require.NoError(t, reading.Rollback())
	require.NoError(t, db.checkpoint(t.Context(), conn, checkpointHard))
	assert.Zero(t, fileSize(wal))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it holds secrets")
}

// TestStatementsKept: the same text within its own rows, many texts, and a
// text that is wrong.
func TestStatementsKept(t *testing.T) {
	db := openTables(t)
	err := db.InTx(t.Context(), func(q Querier) error {
		const text = "WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i+1 FROM n WHERE i < 5) SELECT i FROM n"
		rows, err := q.QueryContext(t.Context(), text, 1)
		require.NoError(t, err)
		defer rows.Close()
		seen := 0
		for rows.Next() {
			seen++
			var inner int
			require.NoError(t, q.QueryRowContext(t.Context(), text, 4).Scan(&inner))
			assert.Equal(t, 4, inner)
		}
		assert.Equal(t, 5, seen)
		for i := range 2 * stmtCacheMax {
			var n int
			require.NoError(t, q.QueryRowContext(t.Context(), "SELECT ? + "+strings.Repeat("0+", i)+"1", 1).Scan(&n))
			require.Equal(t, 2, n)
			_, err := q.ExecContext(t.Context(), "DELETE FROM words WHERE word = ? OR "+strings.Repeat("0+", i)+"0", "no")
			require.NoError(t, err)
		}
		_, err = q.ExecContext(t.Context(), "NONSENSE ?", 1)
		require.Error(t, err)
		_, err = q.QueryContext(t.Context(), "SELECT * FROM missing WHERE x = ?", 1) //nolint:rowserrcheck,sqlclosecheck // there are none
		require.Error(t, err)
		return rows.Err()
	})
	require.NoError(t, err)
}

func TestErrorKinds(t *testing.T) {
	my := func(n uint16) error { return &mysql.MySQLError{Number: n} }
	pg := func(code string) error { return &pgconn.PgError{Code: code} }
	tests := []struct {
		name string
		kind func(error) errKind
		err  error
		want errKind
	}{
		{"deadlock", mysqlKind, my(1213), errRetry},
		{"lock wait", mysqlKind, my(1205), errRetry},
		{"key", mysqlKind, my(1062), errDuplicate},
		{"too long", mysqlKind, my(1406), errRow},
		{"characters", mysqlKind, my(1366), errRow},
		{"shutdown", mysqlKind, my(1053), errConn},
		{"disk full", mysqlKind, my(1021), errServer},
		{"bad connection", mysqlKind, driver.ErrBadConn, errConn},
		{"invalid connection", mysqlKind, mysql.ErrInvalidConn, errConn},
		{"packet", mysqlKind, mysql.ErrPktTooLarge, errRow},
		{"time", mysqlKind, context.DeadlineExceeded, errConn},
		{"other", mysqlKind, errStop, errOther},
		{"deadlock", postgresKind, pg("40P01"), errRetry},
		{"serialisation", postgresKind, pg("40001"), errRetry},
		{"lock wait", postgresKind, pg("55P03"), errRetry},
		{"key", postgresKind, pg("23505"), errDuplicate},
		{"too long", postgresKind, pg("22001"), errRow},
		{"not null", postgresKind, pg("23502"), errRow},
		{"terminated", postgresKind, pg("57P01"), errConn},
		{"outcome unknown", postgresKind, pg("40003"), errConn},
		{"disk full", postgresKind, pg("53100"), errServer},
		{"end of stream", postgresKind, io.ErrUnexpectedEOF, errConn},
		{"other", postgresKind, errStop, errOther},
		{"other", sqliteKind, errStop, errOther},
		{"cancelled", sqliteKind, context.Canceled, errConn},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, tt.kind(tt.err))
			d := Dialect{kind: tt.kind}
			certain := tt.want != errConn && tt.want != errOther
			assert.Equal(t, certain, d.notCommitted(tt.err), "an error of COMMIT")
		})
	}
}

func TestSQLiteKinds(t *testing.T) {
	db := openTables(t)
	insert := func(text string, args ...any) error {
		return db.InTx(t.Context(), func(q Querier) error {
			_, err := q.ExecContext(t.Context(), text, args...)
			return err
		})
	}
	err := insert("INSERT INTO words (word) VALUES (?)", "first")
	assert.True(t, db.Duplicate(err), err)
	err = insert("INSERT INTO words (word) VALUES (?)", nil)
	assert.Equal(t, errRow, db.kind(err))
	err = insert("INSERT INTO missing VALUES (?)", nil)
	assert.Equal(t, errServer, db.kind(err))
}

func TestTimes(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	db := &DB{loc: berlin}
	at := time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC)
	text, err := db.Wall(at).Value()
	require.NoError(t, err)
	assert.Equal(t, "2026-07-01 12:00:00", text)
	assert.Equal(t, text, db.WallMs(at.UnixMilli()))
	assert.Equal(t, text, db.WallOrNil(at))
	null, err := db.Wall(time.Time{}).Value()
	require.NoError(t, err)
	assert.Nil(t, null)
	assert.Nil(t, db.WallOrNil(time.Time{}))
	for _, src := range []any{
		"2026-07-01 12:00:00", []byte("2026-07-01 12:00:00"), "2026-07-01T12:00:00", "2026-07-01 12:00:00.250",
		time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC),
	} {
		var got time.Time
		require.NoError(t, db.ScanTime(&got).Scan(src))
		assert.True(t, at.Equal(got), "%v is %v", src, got)
	}
	for _, src := range []any{nil, "", "0000-00-00 00:00:00"} {
		got := at
		require.NoError(t, db.ScanTime(&got).Scan(src))
		assert.True(t, got.IsZero(), "%v", src)
	}
	var got time.Time
	require.ErrorContains(t, db.ScanTime(&got).Scan("yesterday"), "yyyy-MM-dd")
	require.Error(t, db.ScanTime(&got).Scan(3.5))
	clock := db.NewWallCache()
	for _, ms := range []int64{at.UnixMilli(), at.UnixMilli() + 999, at.UnixMilli() + 1000, 0, at.UnixMilli()} {
		assert.Equal(t, db.WallMs(ms), clock.At(ms))
	}
}

// FuzzRebind: outside of quotes every question mark becomes a number, in order,
// and nothing else changes.
func FuzzRebind(f *testing.F) {
	for _, seed := range []string{"", "a = ?", "'?' = ? AND b = ?", "'it''s ?' = ?", "'open ?"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := postgresDialect.rebind(text)
		if same := mysqlDialect.rebind(text); same != text {
			t.Errorf("rebind(%q) = %q for MySQL", text, same)
		}
		i, n := 0, 0
		quoted := false
		for _, c := range []byte(text) {
			if c == '\'' {
				quoted = !quoted
			}
			want := string([]byte{c})
			if c == '?' && !quoted {
				n++
				want = "$" + itoa(n)
			}
			if !strings.HasPrefix(got[i:], want) {
				t.Fatalf("rebind(%q) = %q", text, got)
			}
			i += len(want)
		}
		if i != len(got) {
			t.Errorf("rebind(%q) = %q", text, got)
		}
	})
}

func itoa(n int) string { return IntList([]int64{int64(n)}) }
