package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

const (
	runPageDefault = 50
	runPageMax     = 200

	// Where counting ends; for what no index knows after so many rows, and that
	// time.
	runCountMax    = 10_000
	runCountLook   = 5_000
	runCountWindow = 300
	runCountBudget = 50 * time.Millisecond

	shardMax = 1000 // of a broadcast
)

// runQuery is a list of runs along one index.
type runQuery struct {
	from   string
	id     string // the column of the id that the index goes by
	scan   where  // what the index finds
	match  where  // what is then looked at in the row
	byTime bool   // ordered by trigger_time, then id
	oldest bool   // first, else last
	joined bool   // each row of the index costs one of xxl_job_log, wherever that lies
	since  time.Time
	to     time.Time
	took   func(l *runKey) bool
}

// runKey is what a list needs of a row to go on.
type runKey struct {
	id               int64
	trigger, handled time.Time
	end              model.End
}

// runQuery chooses the index; ok is false when nothing can match.
func (s *Store) runQuery(f *model.RunFilter) (rq *runQuery, ok bool) {
	rq = &runQuery{from: " FROM xxl_job_log l", id: "l.id", oldest: f.OldestFirst}
	info := s.Info()
	open := info.MadeByUs && (f.Result == model.RunRunning || f.Result == model.RunWaiting)
	ended := f.Result.Kind() != model.EndOpen
	failed := info.MadeByUs && s.db.Name != sqldb.MySQL && f.Result == model.RunFailed // a partial index has them
	single := f.GroupID != 0 || len(f.GroupIDs) == 1
	timed := !f.From.IsZero() || !f.To.IsZero()
	jobs, groups, times, results := &rq.match, &rq.match, &rq.match, &rq.match
	switch {
	case open: // every open run has its row there, and there are few
		rq.from, rq.id = fromOpen, "r.log_id"
	case ended: // by the index over ends, which are few
		rq.from, rq.id, rq.joined, results = s.fromEnds(), "e.log_id", true, &rq.scan
	case f.JobID != 0:
		jobs = &rq.scan
	case timed:
		rq.byTime, times = true, &rq.scan
	case failed:
		results = &rq.scan
	case single && (info.MadeByUs || info.Generation >= "S4"): // the index over groups came with S4
		groups = &rq.scan
	}
	if f.JobID != 0 {
		jobs.add("l.job_id = ?", f.JobID)
	}
	switch {
	case len(f.JobIDs) > 0:
		rq.match.in("l.job_id", f.JobIDs)
	case f.JobIDs != nil:
		return nil, false
	}
	if !groups.groups("l.job_group", f.GroupID, f.GroupIDs) {
		return nil, false
	}
	if rq.byTime {
		rq.since, rq.to = f.From, f.To
	} else {
		times.times(s, f.From, f.To)
	}
	results.result(f.Result)
	rq.match.like("l.executor_address", f.Address)
	if f.At != "" {
		bare := strings.TrimSuffix(f.At, "/")
		rq.match.add("l.executor_address IN (?,?)", bare, bare+"/")
	}
	rq.match.text(f.Text)
	rq.took = tookFilter(f.MinTook, f.MaxTook)
	return rq, true
}

// times are the bounds of a time of the trigger.
func (w *where) times(s *Store, from, to time.Time) {
	if !from.IsZero() {
		w.add("l.trigger_time >= ?", s.db.Wall(from))
	}
	if !to.IsZero() {
		w.add("l.trigger_time <= ?", s.db.Wall(to))
	}
}

// result is the condition of a result.
func (w *where) result(r model.RunResult) {
	switch r {
	case model.RunOK:
		w.add("l.handle_code + 0 = 200") // not by an index: nearly all rows have it
	case model.RunFailed:
		w.add(logFailed)
		w.add("NOT EXISTS (SELECT 1 FROM xxljob_log_end x WHERE x.log_id = l.id AND x.kind IN (4, 5, 8) AND " +
			"x.kind <> 1)")
	case model.RunTimeout, model.RunLost, model.RunUnsent, model.RunKilled, model.RunSkipped,
		model.RunReplaced:
		// In the words of the partial index that serves it.
		w.add("e.kind = " + strconv.Itoa(int(r.Kind())) + " AND e.kind <> 1")
	case model.RunRunning:
		w.add("l.trigger_code = 200 AND l.handle_code = 0")
	case model.RunWaiting:
		w.add("l.trigger_code = 0 AND l.handle_code = 0")
	case model.RunAny:
	}
}

// text looks for a part in whatever a run has said or was given.
func (w *where) text(part string) {
	if part == "" {
		return
	}
	var any where
	for _, column := range []string{"l.handle_msg", "l.trigger_msg", "l.executor_param", "l.executor_handler"} {
		any.like(column, part)
	}
	w.add("("+strings.Join(any.conds, " OR ")+")", any.args...)
}

// tookFilter is nil where the duration does not matter.
func tookFilter(shortest, longest time.Duration) func(*runKey) bool {
	if shortest <= 0 && longest <= 0 {
		return nil
	}
	return func(k *runKey) bool {
		if k.trigger.IsZero() || k.handled.IsZero() {
			return false
		}
		run := model.Recent{
			TriggerTime: k.trigger, TriggerCode: model.CodeSuccess, HandleTime: k.handled, HandleCode: model.CodeFail,
			End: k.end,
		}
		took := run.Took(k.handled)
		return took >= shortest && (longest <= 0 || took <= longest)
	}
}

// order is the ORDER BY of the list.
func (rq *runQuery) order() string {
	switch {
	case rq.byTime && rq.oldest:
		return "l.trigger_time, l.id"
	case rq.byTime:
		return "l.trigger_time DESC, l.id DESC"
	}
	return rq.orderBy(rq.id)
}

// orderBy is the ORDER BY of an id.
func (rq *runQuery) orderBy(id string) string {
	if rq.oldest {
		return id
	}
	return id + " DESC"
}

// behind returns what the index finds behind a cursor.
func (rq *runQuery) behind(s *Store, c model.RunCursor) where {
	w := where{conds: slices.Clone(rq.scan.conds), args: slices.Clone(rq.scan.args)}
	since, to, than := rq.since, rq.to, " < ?"
	if rq.oldest {
		than = " > ?"
	}
	switch {
	case c.ID == 0:
	case rq.byTime:
		// One bound on each side: SQLite knows to use no second one.
		switch {
		case rq.oldest && c.At.After(since):
			since = c.At
		case !rq.oldest && (to.IsZero() || c.At.Before(to)):
			to = c.At
		}
		w.add("(l.trigger_time"+than+" OR l.id"+than+")", s.db.Wall(c.At), c.ID)
	default:
		w.add(rq.id+than, c.ID)
	}
	w.times(s, since, to)
	return w
}

// cursor is the place of a row.
func (k *runKey) cursor() model.RunCursor { return model.RunCursor{ID: k.id, At: k.trigger} }

// Runs returns a page of the log rows that match, newest or oldest first: by id,
// or by the time of the trigger in a list that is narrowed to a time but not to
// jobs. It reads on from a cursor, so that any page costs what the first one
// does, and looks at no more than 100,000 rows, and no longer than about a tenth
// of a second, for what no index knows; RunPage.Next says where to look on.
func (s *Store) Runs(ctx context.Context, f model.RunFilter) (*model.RunPage, error) {
	page := &model.RunPage{}
	rqs := s.runQueries(&f)
	if len(rqs) == 0 {
		return page, nil
	}
	limit := f.Limit
	if limit <= 0 {
		limit = runPageDefault
	}
	limit = min(limit, runPageMax)
	keys, next, err := s.searchAll(ctx, rqs, f.Before, limit)
	if err == nil && next.ID != 0 && len(keys) < limit && next.At.IsZero() {
		next.At, err = s.triggeredAt(ctx, next.ID) // says how far was looked
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	ids := make([]int64, len(keys))
	for i, k := range keys {
		ids[i] = k.id
	}
	byID, err := s.logsByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	page.Runs, page.Next = inOrder(ids, byID), next
	return page, nil
}

// CountRuns counts the log rows that match, whatever their place in the list, up
// to 10,000; for what no index of the log knows, among the newest 5,000 rows of the
// index, or as many as about a twentieth of a second lets it read. more is true
// when there may be others.
func (s *Store) CountRuns(ctx context.Context, f model.RunFilter) (n int, more bool, err error) {
	f.OldestFirst = false // what is counted is the newest
	rqs := s.runQueries(&f)
	for _, rq := range rqs {
		part, rest := 0, false
		if rq.looks() || rq.joined {
			part, rest, err = s.countLooked(ctx, rq, len(rqs))
		} else {
			part, err = s.countIndexed(ctx, rq, runCountMax+1-n)
		}
		if err != nil {
			return 0, false, fmt.Errorf("count runs: %w", err)
		}
		if n, more = n+part, more || rest; n > runCountMax {
			return runCountMax, true, nil
		}
	}
	return n, more, nil
}

// countIndexed counts what an index finds, up to most.
func (s *Store) countIndexed(ctx context.Context, rq *runQuery, most int) (n int, err error) {
	scan := rq.behind(s, model.RunCursor{})
	err = s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT COUNT(*) FROM (SELECT "+rq.id+rq.from+scan.String()+
		" LIMIT ?) c"), append(scan.args, most)...).Scan(&n)
	return n, err
}

// countLooked counts what no index knows, with one of so many parts of what that
// may take.
func (s *Store) countLooked(ctx context.Context, rq *runQuery, parts int) (n int, more bool, err error) {
	p := pace{runCountLook / parts, runCountWindow, runCountBudget / time.Duration(parts)}
	end, err := s.lookAt(ctx, rq, model.RunCursor{}, p, runCountLook, func(list []runKey) bool {
		n += len(list)
		return true
	})
	return n, end.ID != 0, err
}

// RunsNear returns up to n log rows of a job before the given one, that one, and
// up to n after it, in the order of their ids: among them are its retries.
func (s *Store) RunsNear(ctx context.Context, jobID int32, id int64, n int) ([]*model.Log, error) {
	n = min(n, runPageMax)
	before, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(), s.db.SQL("SELECT l.id FROM xxl_job_log l WHERE "+
		"l.job_id = ? AND l.id <= ? ORDER BY l.id DESC LIMIT ?"), jobID, id, n+1)
	if err != nil {
		return nil, fmt.Errorf("runs near %d: %w", id, err)
	}
	after, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(), s.db.SQL("SELECT l.id FROM xxl_job_log l WHERE l.job_id "+
		"= ? AND l.id > ? ORDER BY l.id LIMIT ?"), jobID, id, n)
	if err != nil {
		return nil, fmt.Errorf("runs near %d: %w", id, err)
	}
	slices.Reverse(before)
	ids := append(before, after...)
	byID, err := s.logsByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("runs near %d: %w", id, err)
	}
	return inOrder(ids, byID), nil
}

// ShardRuns returns the log rows of a broadcast: those of the job with a
// sharding parameter and this time of the trigger, in the order of their ids and
// at most 1,000.
func (s *Store) ShardRuns(ctx context.Context, jobID int32, at time.Time) ([]*model.Log, error) {
	if at.IsZero() {
		return nil, errors.New("shards of a run: it has no time")
	}
	// By the time alone: a job may have millions of rows.
	ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(), s.db.SQL("SELECT l.id FROM xxl_job_log l WHERE "+
		"l.trigger_time = ? AND l.job_id + 0 = ? AND l.executor_sharding_param IS NOT NULL ORDER BY l.id + 0 LIMIT ?"),
		s.db.Wall(at), jobID, shardMax)
	if err != nil {
		return nil, fmt.Errorf("shards of a run of job %d: %w", jobID, err)
	}
	byID, err := s.logsByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("shards of a run of job %d: %w", jobID, err)
	}
	return inOrder(ids, byID), nil
}
