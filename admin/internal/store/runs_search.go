package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

const (
	// For what no index knows, rows are looked at in windows: runLook of them at
	// most, and no longer than runBudget, so that a rare text is looked for page
	// by page. A window is as large as can be read in about runPace, and never
	// large: rows that were just read are fast, those behind them may lie on disk.
	runWindowMin = 100
	runWindowMax = 600
	runLook      = 100_000
	runBudget    = 100 * time.Millisecond
	runPace      = 15 * time.Millisecond
)

// searchRuns looks through window after window until the page is full, or its
// time is over.
func (s *Store) searchRuns(
	ctx context.Context, rq *runQuery, at model.RunCursor, limit int, budget time.Duration,
) (keys []runKey, next model.RunCursor, err error) {
	if rq.looks() {
		next, err = s.lookAt(ctx, rq, at, pace{runLook, runWindowMax, budget}, limit+1, func(list []runKey) bool {
			keys = append(keys, list...)
			return len(keys) <= limit
		})
	} else {
		keys, _, err = s.runKeys(ctx, rq, at, limit+1, limit+1)
	}
	if len(keys) > limit {
		keys = keys[:limit]
		next = keys[limit-1].cursor()
	}
	return keys, next, err
}

// looks reports whether rows have to be looked at for what no index knows.
func (rq *runQuery) looks() bool { return len(rq.match.conds) > 0 || rq.took != nil }

// pace says how far a search may go.
type pace struct {
	rows   int
	window int // rows at once, at most
	time   time.Duration
}

// lookAt hands the matches behind a cursor on, window by window, until each says
// that it has enough, until there are no more rows, or as far as p goes. It
// returns where it has ended: zero when everything was looked at. Of a window
// most matches are read at most, unless they are sorted out here.
func (s *Store) lookAt(
	ctx context.Context, rq *runQuery, at model.RunCursor, p pace, most int, each func(list []runKey) bool,
) (end model.RunCursor, err error) {
	began := time.Now()
	rows := runWindowMin
	for looked := 0; looked < p.rows; {
		rows = min(rows, p.rows-looked)
		limit := min(most, rows)
		if rq.took != nil {
			limit = rows
		}
		start := time.Now()
		list, ended, err := s.runKeys(ctx, rq, at, rows, limit)
		if err != nil {
			return ended, err
		}
		if rq.took != nil {
			list = slices.DeleteFunc(list, func(k runKey) bool { return !rq.took(&k) })
		}
		if !each(list) || ended.ID == 0 {
			return ended, nil
		}
		at, looked = ended, looked+rows
		took := time.Since(start)
		next := min(nextWindow(rows, took), p.window)
		if expected := took * time.Duration(next) / time.Duration(rows); time.Since(began)+expected > p.time {
			break
		}
		rows = next
	}
	return at, nil
}

// nextWindow is how many rows to look at next, after so many took so long.
func nextWindow(rows int, took time.Duration) int {
	factor := float64(runPace) / float64(max(took, time.Microsecond))
	return min(max(int(float64(rows)*min(factor, 2)), runWindowMin), runWindowMax)
}

// runKeys reads the matches among the next rows behind a cursor, at most limit of
// them, and returns where the rows that were looked at end: zero when there are
// no more.
func (s *Store) runKeys(
	ctx context.Context, rq *runQuery, c model.RunCursor, rows, limit int,
) (list []runKey, end model.RunCursor, err error) {
	scan := rq.behind(s, c)
	inner := rq.from + scan.String() + " ORDER BY " + rq.order() + " LIMIT ?"
	outer := rq.orderBy("l.id")
	if rq.byTime {
		outer = rq.order()
	}
	args := append(append(slices.Clone(scan.args), rows), rq.match.args...)
	ends, join := "NULL, NULL, NULL", ""
	if rq.took != nil {
		ends, join = "e.planned_ms, e.sent_ms, e.ended_ms", s.withEnds()
	}
	list, err = sqldb.Collect(ctx, s.db.Reader(), s.scanRunKey, s.db.SQL("SELECT l.id, l.trigger_time, l.handle_time, "+
		ends+" FROM "+window(s.db.Name, rq.id, inner)+join+rq.match.String()+" ORDER BY "+outer+" LIMIT ?"),
		append(args, limit)...)
	if err != nil {
		return nil, end, err
	}
	// Where the window ends. The index has all that this reads.
	column := "NULL"
	if rq.byTime {
		column = "l.trigger_time"
	}
	err = s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT "+rq.id+", "+column+rq.from+scan.String()+" ORDER BY "+
		rq.order()+" LIMIT 1 OFFSET ?"), append(scan.args, rows-1)...).Scan(&end.ID, s.db.ScanTime(&end.At))
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return list, end, err
}

// window makes a table l of the rows that an inner SELECT names by an id. The
// servers are told where to begin: PostgreSQL may think the whole table the
// better way to so many ids, and MariaDB an index in the order of the list.
func window(dialect, id, inner string) string {
	switch dialect {
	case sqldb.Postgres:
		return "(SELECT l.*" + inner + ") l"
	case sqldb.MySQL:
		return "(SELECT " + id + " AS wid" + inner + ") w STRAIGHT_JOIN xxl_job_log l ON l.id = w.wid"
	}
	return "(SELECT " + id + " AS wid" + inner + ") w JOIN xxl_job_log l ON l.id = w.wid"
}

// triggeredAt is the time of a row; zero when it is gone.
func (s *Store) triggeredAt(ctx context.Context, id int64) (at time.Time, err error) {
	err = s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT l.trigger_time FROM xxl_job_log l WHERE l.id = ?"), id).
		Scan(s.db.ScanTime(&at))
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return at, err
}

func (s *Store) scanRunKey(row sqldb.Scanner) (runKey, error) {
	var k runKey
	err := row.Scan(&k.id, s.db.ScanTime(&k.trigger), s.db.ScanTime(&k.handled), scanNumber(&k.end.PlannedMs),
		scanNumber(&k.end.SentMs), scanNumber(&k.end.EndedMs))
	return k, err
}
