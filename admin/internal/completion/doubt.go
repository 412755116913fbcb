package completion

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

const (
	// searchPage is how many open runs one statement reads.
	searchPage = 1000
	// settleAfter is how old a run is that the sweep of package recovery may have
	// come upon too: its executor is asked after it first.
	settleAfter = 2 * time.Minute
	// sameText is how much of a message has to be the same.
	sameText = 200
	// oneSecond is what columns of Java's tables keep of a time, in ms.
	oneSecond = 1000
)

// decided is how an outcome ended its run in transactions that ended with an
// error. Nobody knows whether one of them was carried out, until the outcome is
// stored again: that waits for the rows that the others have locked.
type decided struct {
	end   *store.Ending // as decided last
	since time.Time     // when the first of these transactions began
	runs  map[kin]*expected
}

// kin names the runs that may follow of a run, without time and log id.
type kin struct {
	job          int32
	typ          model.TriggerType
	shard, total int32
}

// expected are runs that may be on record, although nobody was told so.
type expected struct {
	job         *model.Job
	since       time.Time // when the transaction began
	first, last int64     // of their trigger times, Unix ms
}

func kinOf(r *model.Run) kin { return kin{r.JobID, r.Type, r.ShardIndex, max(r.ShardTotal, 1)} }

// join makes x stand for more runs of its kind too.
func (x *expected) join(more *expected) {
	x.job = more.job
	if more.since.Before(x.since) {
		x.since = more.since
	}
	x.first, x.last = min(x.first, more.first), max(x.last, more.last)
}

func expect(m map[kin]*expected, k kin, x *expected) {
	if was := m[k]; was != nil {
		was.join(x)
		return
	}
	m[k] = x
}

// doubtful notes what a transaction that began at since has decided before it
// ended with an error.
func (w *Writer) doubtful(ends []*store.Ending, jobs map[*model.Run]*model.Job, since time.Time) {
	for _, e := range ends {
		d := w.doubt[e.Outcome]
		if d == nil {
			d = &decided{since: since, runs: make(map[kin]*expected)}
			w.doubt[e.Outcome] = d
		}
		d.end = e
		for _, r := range e.NewRuns {
			expect(d.runs, kinOf(r), &expected{job: jobs[r], since: d.since, first: r.TriggerMs, last: r.TriggerMs})
		}
	}
}

// resolve is told what the store says of an outcome at last. When a transaction
// before had stored it, its end is told now, and what follows is looked for.
func (w *Writer) resolve(e *store.Ending) {
	d := w.doubt[e.Outcome]
	delete(w.doubt, e.Outcome)
	if d == nil || e.Err != nil || e.Ends {
		return
	}
	for k, x := range d.runs {
		expect(w.missing, k, x)
	}
	if stood(e) {
		w.cfg.Ended(d.end)
	}
}

// stood reports whether it is this very outcome that has ended the run, and not
// another one that came before it: one that another node was told.
func stood(e *store.Ending) bool {
	l := e.Log
	if l == nil {
		return false
	}
	if h := e.Outcome.Handle; h != nil {
		const clock = time.TimeOnly // the hour that is repeated has two instants for one text
		at := time.UnixMilli(h.AtMs).In(l.HandleTime.Location())
		return l.HandleCode == h.Code && at.Format(clock) == l.HandleTime.Format(clock)
	}
	t := e.Outcome.Trigger
	return l.TriggerCode == t.Code && strings.HasPrefix(l.TriggerMsg.S, t.Msg[:min(len(t.Msg), sameText)])
}

// search looks on record for the runs that are missing, and hands them over.
func (w *Writer) search(ctx context.Context) {
	if len(w.missing) == 0 || time.Now().Before(w.searchAt) {
		return
	}
	call, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	items, err := w.found(call)
	if err != nil {
		w.searchAt = time.Now().Add(retryEvery)
		if ctx.Err() == nil && !w.searching {
			w.searching = true
			w.cfg.Logger.WarnContext(ctx, "runs that may be on record not looked for, will be tried again",
				slog.Int("count", len(w.missing)), slog.Any("err", err))
		}
		return
	}
	clear(w.missing)
	w.searching = false
	if len(items) > 0 {
		w.cfg.Created(items...)
		w.cfg.Logger.InfoContext(ctx, "runs found on record after a fault", slog.Int("count", len(items)))
	}
}

// found are the missing runs that are on record. It reads twice: what is neither
// known nor pending after the first time and is still planned the second time
// has not been sent by anybody here.
func (w *Writer) found(ctx context.Context) ([]dispatch.Item, error) {
	planned := model.RunPlanned
	f := store.OpenRunFilter{State: &planned, Limit: searchPage}
	for _, x := range w.missing {
		if f.TriggerFromMs == 0 || x.first < f.TriggerFromMs {
			f.TriggerFromMs = x.first
		}
		f.TriggerBeforeMs = max(f.TriggerBeforeMs, x.last+1)
	}
	var items []dispatch.Item
	for {
		first, err := w.cfg.Store.OpenRuns(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("read open runs: %w", err)
		}
		free := make(map[int64]bool)
		for _, r := range first {
			if w.expects(r) != nil && !w.cfg.Knows(r.LogID) && !w.Pending(r.LogID) {
				free[r.LogID] = true
			}
		}
		if len(free) > 0 {
			second, err := w.cfg.Store.OpenRuns(ctx, f)
			if err != nil {
				return nil, fmt.Errorf("read open runs: %w", err)
			}
			for _, r := range second {
				if free[r.LogID] {
					items = append(items, w.lateItem(r))
				}
			}
		}
		if len(first) < searchPage {
			return items, nil
		}
		f.AfterLogID = first[len(first)-1].LogID
	}
}

// expects returns what run is, if it is one that is missing.
func (w *Writer) expects(run *model.Run) *expected {
	x := w.missing[kinOf(run)]
	if x == nil || run.Token != w.cfg.Maker || run.TriggerMs < x.first || run.TriggerMs > x.last {
		return nil
	}
	return x
}

// lateItem is a run that was found, as the dispatcher takes it.
func (w *Writer) lateItem(run *model.Run) dispatch.Item {
	x := w.expects(run)
	due := x.since
	if run.Type == model.TriggerRetry {
		due = time.UnixMilli(run.TriggerMs + oneSecond)
	}
	run.Token = 0 // made here, without a lease
	return dispatch.Item{
		Run: run, Job: x.job, Due: due, Since: x.since,
		Settle: time.Since(time.UnixMilli(run.TriggerMs)) > settleAfter,
	}
}
