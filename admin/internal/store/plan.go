package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// ErrBusy says that another node holds the lock that schedulers of a database
// shared with a Java admin take, for longer than a pass may wait.
var ErrBusy = errors.New("another scheduler holds the lock")

// ShardToken is a shard and the token of its lease.
type ShardToken struct {
	Shard int32
	Token int64
}

// Fence names the leases that a planning transaction needs.
type Fence struct {
	Node   string
	Total  int32 // number of shards
	Shards []ShardToken
	// SharedLock makes the transaction lock the row schedule_lock too, as the
	// Java admin does. It waits for it for at most about 2 s, then returns
	// ErrBusy.
	SharedLock bool
	// TTL, when it is set, extends the leases by that time, so that a planning
	// transaction that takes long does not keep its own node from renewing.
	TTL time.Duration
	// Extended, when it is set, is called once such a transaction is carried out,
	// with the time by this process's clock that the leases were surely extended
	// from.
	Extended func(start time.Time)
}

// Advance moves a job on.
type Advance struct {
	JobID  int32
	LastMs int64 // trigger_last_time
	NextMs int64 // trigger_next_time; 0 when there is none
	Stop   bool  // sets the status to stopped
}

// PlanResult is what to write for the due jobs.
type PlanResult struct {
	Runs     []*model.Run
	Gaps     []*model.Log // rows that are ended when they are made
	Advances []Advance    // one for each job that has runs or gaps
}

// dueColumns are what planning and sending need of a job.
const dueColumns = "id, job_group, {job.name}, schedule_type, schedule_conf, misfire_strategy, " +
	"executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout, " +
	"executor_fail_retry_count, glue_type, CASE WHEN glue_type = 'BEAN' THEN NULL ELSE glue_source END, " +
	"glue_updatetime, trigger_last_time, trigger_next_time, x_time_zone"

// Plan is one planning transaction. It reads the running jobs of the shards of f
// that are due before beforeMs (Unix milliseconds, included), oldest instant
// first, at most limit; checks, when there are any, that the node still holds
// every lease of f by the database's clock; and writes what decide makes of
// them: jobs moved on, log rows and runs, whose LogIDs are then set, and the
// records of gaps. more says that limit was reached.
//
// The jobs lack Author, AlarmEmail, AddTime, UpdateTime, GlueRemark, Children,
// and for BEAN GlueSource. decide may be called more than once, with other
// jobs; the last call counts. It is not called when nothing is due.
//
// A run whose job, instant and shard are on record already is not written: it
// keeps LogID 0. So does one that the database refuses because of its values,
// which leaves a log row that says so: err is then a *RefusedError, and
// everything else was stored.
//
// Errors: ErrFenced, with nothing written; ErrBusy; ErrUnknownOutcome, after
// which OpenRuns tells what is on record.
func (s *Store) Plan(
	ctx context.Context, f Fence, beforeMs int64, limit int, decide func(due []*model.Job) PlanResult,
) (more bool, err error) {
	p := planning{s: s, fence: f, before: beforeMs, limit: limit, decide: decide}
	if err = p.look(ctx); err == nil && (f.SharedLock || len(p.due) > 0) {
		if err = p.attempt(ctx); errors.Is(err, errMoved) {
			p.lock = true
			err = p.attempt(ctx)
		}
	}
	if err != nil {
		forgetIDs(p.result.Runs)
		return false, fmt.Errorf("plan: %w", err)
	}
	if !p.extended.IsZero() && f.Extended != nil {
		f.Extended(p.extended)
	}
	return p.more, p.refused.orNil()
}

// look reads what is due before the transaction begins, which locks nothing and
// costs one round trip when there is nothing to do. What changes until the
// transaction has the leases, advance finds out. Beside a Java node that would
// be all the time, for it plans the same jobs: there they are read under its
// lock.
func (p *planning) look(ctx context.Context) (err error) {
	switch {
	case len(p.fence.Shards) == 0:
		return fmt.Errorf("%w: node %s names none", ErrFenced, p.fence.Node)
	case p.fence.SharedLock:
		return nil
	}
	if p.due, err = p.dueJobs(ctx, p.s.db.Reader(), ""); err != nil {
		return fmt.Errorf("read due jobs: %w", err)
	}
	return nil
}

// planning is one call of Plan.
type planning struct {
	*creation
	s       *Store
	fence   Fence
	before  int64
	limit   int
	decide  func(due []*model.Job) PlanResult
	result  PlanResult
	refused RefusedError
	more    bool
	due     []*model.Job // as look has found them
	lock    bool         // read them again, and lock them

	extended time.Time
}

// errMoved says that a job was changed between the read and the UPDATE.
var errMoved = errors.New("a due job was changed meanwhile")

func (p *planning) attempt(ctx context.Context) error {
	return p.s.carefully(ctx, func(q sqldb.Querier, careful bool) error {
		p.refused = RefusedError{}
		p.creation = p.s.creation(careful, &p.refused)
		return p.run(ctx, q)
	})
}

func (p *planning) run(ctx context.Context, q sqldb.Querier) error {
	p.result, p.more, p.extended = PlanResult{}, false, time.Time{}
	if err := p.checkFence(ctx, q); err != nil {
		return err
	}
	due := p.due
	if p.lock || p.fence.SharedLock {
		lock := ""
		if p.lock {
			lock = "{lock}"
		}
		var err error
		if due, err = p.dueJobs(ctx, q, lock); err != nil {
			return fmt.Errorf("read due jobs: %w", err)
		}
	}
	if len(due) == 0 {
		return nil
	}
	p.more = len(due) == p.limit
	p.result = p.decide(due)
	forgetIDs(p.result.Runs)
	if err := p.advance(ctx, q, due); err != nil {
		return fmt.Errorf("move jobs on: %w", err)
	}
	if err := p.insert(ctx, q, p.result.Runs); err != nil {
		return fmt.Errorf("insert runs: %w", err)
	}
	if err := p.insertGaps(ctx, q, p.result.Gaps); err != nil {
		return fmt.Errorf("insert records of gaps: %w", err)
	}
	return p.days.save(ctx, p.s, q)
}

// checkFence checks the leases and locks them, so that nobody else can take them
// before this transaction ends. The UPDATE that extends them does both.
func (p *planning) checkFence(ctx context.Context, q sqldb.Querier) error {
	s, f := p.s, p.fence
	if f.SharedLock {
		// First of all: the leases must not stay locked while this waits.
		if err := s.sharedLock(ctx, q); err != nil {
			if s.db.Retryable(err) { // but not by InTx: a pass does not wait that long
				return fmt.Errorf("%w: %v", ErrBusy, err)
			}
			return err
		}
	}
	tokens := make(map[int32]int64, len(f.Shards))
	for _, sh := range f.Shards {
		tokens[sh.Shard] = sh.Token
	}
	ids := slices.Sorted(maps.Keys(tokens))
	token := make([]byte, 0, 32*len(ids))
	for _, id := range ids {
		token = fmt.Appendf(token, " WHEN %d THEN %d", id, tokens[id])
	}
	start := time.Now() // before the statement: the leases end later than that
	res, err := s.extend(ctx, q, f.TTL, "owner = ? AND shard_index IN ("+sqldb.IntList(ids)+
		") AND token = CASE shard_index"+string(token)+" END", f.Node)
	held, err := sqldb.Affected(res, err)
	if err != nil {
		return fmt.Errorf("lock the leases: %w", err)
	}
	if held < int64(len(ids)) {
		return fmt.Errorf("%w: %d of %d shards are still those of node %s", ErrFenced, held, len(ids), f.Node)
	}
	if f.TTL > 0 {
		p.extended = start
	}
	if s.db.Name == sqldb.MySQL {
		p.step, err = res.LastInsertId()
	}
	return err
}

// sharedLock takes the row that the schedulers of the Java admin lock.
func (s *Store) sharedLock(ctx context.Context, q sqldb.Querier) error {
	var name string
	return q.QueryRowContext(ctx,
		s.db.SQL("SELECT lock_name FROM xxl_job_lock WHERE lock_name = '"+lockName+"'{lock}")).Scan(&name)
}

// dueJobs reads without locking, so that nodes do not wait for one another at
// the index; advance finds out that a job was changed meanwhile, which is rare,
// and then they are read again and locked.
func (p *planning) dueJobs(ctx context.Context, q sqldb.Querier, lock string) ([]*model.Job, error) {
	f := p.fence
	shards := make([]int32, len(f.Shards))
	for i, sh := range f.Shards {
		shards[i] = sh.Shard
	}
	return p.s.dueWhere(ctx, q, shardCond("id", f.Total, shards)+" ORDER BY trigger_next_time, id LIMIT ?"+lock,
		p.before, p.limit)
}

// dueWhere reads the running jobs whose next time is the first of args or
// earlier; more is what follows in the statement.
func (s *Store) dueWhere(ctx context.Context, q sqldb.Querier, more string, args ...any) ([]*model.Job, error) {
	rows, err := q.QueryContext(ctx, s.db.Bind("SELECT "+dueColumns+" FROM xxl_job_info WHERE trigger_status = 1 "+
		"AND trigger_next_time <= ?"+more), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var due []*model.Job
	for rows.Next() {
		j := &model.Job{Running: true}
		if err := rows.Scan(&j.ID, &j.GroupID, &j.Name, &j.ScheduleType, scanText{&j.ScheduleConf}, &j.Misfire,
			scanString{(*string)(&j.Route)}, scanText{&j.Handler}, scanText{&j.Param},
			scanString{(*string)(&j.Block)}, &j.TimeoutSec, &j.Retries, &j.GlueType, scanText{&j.GlueSource},
			s.db.ScanTime(&j.GlueUpdated), &j.LastMs, &j.NextMs, scanString{&j.TimeZone}); err != nil {
			return nil, err
		}
		due = append(due, j)
	}
	return due, rows.Err()
}

// advanceTable moves a job on where it still is what was read.
var advanceTable = sqldb.Table{Name: "xxl_job_info", Key: "id", Cols: []sqldb.Col{
	{Name: "trigger_last_time", Kind: sqldb.KindInt},
	{Name: "trigger_next_time", Kind: sqldb.KindInt},
	{Name: "trigger_status", Kind: sqldb.KindInt},
	{Name: "trigger_next_time", Kind: sqldb.KindInt, Op: sqldb.OpGuard},
	{Name: "trigger_status", Kind: sqldb.KindInt, Op: sqldb.OpGuard},
}}

// advance moves the jobs on, which locks them until the end of the transaction.
// The error is errMoved when one of them is no longer what was read.
func (p *planning) advance(ctx context.Context, q sqldb.Querier, due []*model.Job) error {
	was := make(map[int32]int64, len(due))
	for _, j := range due {
		was[j.ID] = j.NextMs
	}
	ids, list := make([]int64, 0, len(due)), sqldb.Rows{}
	for _, a := range p.result.Advances {
		next, ok := was[a.JobID]
		if !ok {
			continue // not one of the due
		}
		status := int64(1)
		if a.Stop {
			status = 0
		}
		ids = append(ids, int64(a.JobID))
		list.Add(a.LastMs, a.NextMs, status, next, int64(1))
	}
	matched, err := p.s.db.Update(ctx, q, &advanceTable, ids, &list)
	if err == nil && matched != int64(len(ids)) {
		err = errMoved
	}
	return err
}

// insertGaps writes the records of gaps.
func (p *planning) insertGaps(ctx context.Context, q sqldb.Querier, gaps []*model.Log) error {
	var list sqldb.Rows
	clock := p.s.db.NewWallCache()
	for _, l := range gaps {
		ms := l.TriggerTime.UnixMilli()
		p.s.addEnded(&list, l, clock.At(ms))
		p.days.move(p.s, ms, classNone, classOf(l.TriggerCode, l.HandleCode))
	}
	if list.Len() == 0 {
		return nil
	}
	ids, err := p.s.db.InsertForIDs(ctx, q, &endedTable, &list, p.step)
	if err != nil {
		return err
	}
	var ends sqldb.Rows
	for _, id := range ids { // all are of one instant
		ends.Add(endValues(id, model.End{EndedMs: gaps[0].TriggerTime.UnixMilli(), Kind: model.EndSkipped})...)
	}
	return p.s.db.Insert(ctx, q, &endTable, &ends, nil)
}
