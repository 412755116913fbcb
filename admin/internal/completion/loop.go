package completion

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// Run stores until ctx is done, then stores what waits, once. It blocks.
func (w *Writer) Run(ctx context.Context) {
	timer := time.NewTimer(idleTick)
	defer timer.Stop()
	for {
		nap, failed := w.round(ctx)
		timer.Reset(nap)
		wake := w.wake
		if failed {
			wake = nil // new results do not hurry a database that is in trouble
		}
		select {
		case <-ctx.Done():
			w.close(context.WithoutCancel(ctx))
			return
		case <-wake:
		case <-timer.C:
		}
	}
}

// round stores one batch if it is time, and says how long to wait for the next.
func (w *Writer) round(ctx context.Context) (nap time.Duration, failed bool) {
	w.search(ctx)
	if len(w.missing) > 0 {
		defer func() { nap = min(nap, retryEvery) }()
	}
	batch, nap := w.take(time.Now(), false)
	if len(batch) == 0 {
		w.cfg.Ticked()
		return nap, false
	}
	if !w.store(ctx, batch) {
		return retryEvery, true
	}
	w.cfg.Ticked()
	return 0, false
}

// take removes the next batch from what waits. Without one it says when to look
// again. all ignores the waiting times.
func (w *Writer) take(now time.Time, all bool) (batch []*item, nap time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ripenLocked(now, all)
	if len(w.waiting) == 0 {
		if len(w.order) > 0 {
			return nil, max(w.patienceLocked()-now.Sub(w.triggers[w.order[0]].at), time.Millisecond)
		}
		return nil, idleTick
	}
	age := now.Sub(w.waiting[0].at)
	switch {
	case all:
	case w.cfg.Bursting() && age < burstWait:
		return nil, batchWait / 2
	case len(w.waiting) < BatchRows && age < batchWait:
		return nil, batchWait - age
	}
	n := min(len(w.waiting), BatchRows)
	batch = w.waiting[:n:n]
	w.waiting = w.waiting[n:]
	if len(w.waiting) == 0 {
		w.waiting = nil
	}
	return batch, 0
}

// patienceLocked is how long the answer to a trigger waits for the result of its
// run. Where many wait, each that meets its result is one update less for a
// database that has much to do.
func (w *Writer) patienceLocked() time.Duration {
	if len(w.triggers) > manyTriggers {
		return longTriggerWait
	}
	return triggerWait
}

// ripenLocked moves answers to triggers that have waited long enough for their
// result to those that are stored. They fill up a batch: while there are results
// enough for one they go on waiting, since each result that comes meanwhile
// takes its answer along.
func (w *Writer) ripenLocked(now time.Time, all bool) {
	patience := w.patienceLocked()
	for len(w.order) > 0 {
		it := w.triggers[w.order[0]]
		if it != nil {
			age := now.Sub(it.at)
			if !all && (age < patience || age < lastTriggerWait && len(w.waiting) >= BatchRows) {
				return
			}
			delete(w.triggers, w.order[0])
			w.waiting = append(w.waiting, it)
		}
		w.order = w.order[1:]
	}
	w.order = nil
}

// store writes a batch and reports whether it is done with: stored, or refused
// for good. After a fault of the database the batch waits on, in its place.
func (w *Writer) store(ctx context.Context, batch []*item) bool {
	firsts, repeats := distinct(batch)
	outs := make([]*model.Outcome, len(firsts))
	for i, it := range firsts {
		if outs[i] = it.out; it.out.Trigger != nil {
			it.out.Trigger.Written()
		}
	}
	whole := false
	defer func() {
		if !whole { // a panic: whoever waits is not left to wait
			for _, out := range outs {
				delete(w.doubt, out)
			}
			w.answer(batch, func(*item) error { return ErrFault })
		}
	}()
	begin := time.Now()
	call, cancel := context.WithTimeout(ctx, storeTimeout)
	// The store may decide a batch in parts, or more than once.
	jobs := make(map[*model.Run]*model.Job)
	var ending []*store.Ending
	ends, err := w.cfg.Store.Finish(call, outs, func(ends []*store.Ending, load store.Loader) error {
		next := follow{w: w, load: load, now: time.Now(), jobs: jobs}
		ending = append(ending, ends...)
		return next.decide(call, ends)
	})
	cancel()
	if err != nil {
		whole = true
		w.doubtful(ending, jobs, begin)
		w.again(ctx, batch, err)
		return false
	}
	w.recovered(ctx)
	w.cfg.Stored(len(outs), time.Since(begin))
	errs := make(map[int64]error)
	for _, e := range ends {
		w.resolve(e)
		if e.Err != nil {
			errs[e.Outcome.LogID] = e.Err
			w.cfg.Logger.ErrorContext(ctx, "outcome of a run not stored, the database refuses it",
				slog.Int64("log_id", e.Outcome.LogID), slog.Any("err", e.Err))
			continue
		}
		w.created(e, jobs, begin)
		if e.Ends && e.Status == store.FinishStored {
			w.cfg.Ended(e)
		}
	}
	whole = true
	w.answer(firsts, func(it *item) error { return errs[it.out.LogID] })
	w.putBack(repeats)
	return true
}

// answer ends the waiting of those who wait for items.
func (w *Writer) answer(items []*item, err func(*item) error) {
	w.mu.Lock()
	for _, it := range items {
		w.doneLocked(it.out.LogID)
	}
	w.mu.Unlock()
	for _, it := range items {
		if it.done != nil {
			it.done(err(it))
		}
	}
}

// distinct keeps one outcome a run: the store decides about each run once in a
// transaction. Further ones are stored after it.
func distinct(batch []*item) (firsts, repeats []*item) {
	seen := make(map[int64]bool, len(batch))
	for _, it := range batch {
		if seen[it.out.LogID] {
			repeats = append(repeats, it)
			continue
		}
		seen[it.out.LogID] = true
		firsts = append(firsts, it)
	}
	return firsts, repeats
}

// created hands the runs that follow to the dispatcher.
func (w *Writer) created(e *store.Ending, jobs map[*model.Run]*model.Job, since time.Time) {
	for _, run := range e.NewRuns {
		if run.LogID == 0 {
			continue
		}
		due := time.Now()
		if run.Type == model.TriggerRetry {
			due = due.Add(w.cfg.RetryDelay)
		}
		w.cfg.Created(dispatch.Item{Run: run, Job: jobs[run], Due: due, Since: since})
	}
}

// again puts a batch back to the front. The first of a row of faults is logged.
func (w *Writer) again(ctx context.Context, batch []*item, err error) {
	if ctx.Err() == nil && !w.failing {
		w.failing = true
		w.cfg.Logger.WarnContext(ctx, "results not stored, will be tried again",
			slog.Int("count", len(batch)), slog.Any("err", err))
	}
	w.putBack(batch)
}

// recovered notes that the database takes results.
func (w *Writer) recovered(ctx context.Context) {
	if w.failing {
		w.failing = false
		w.cfg.Logger.InfoContext(ctx, "results are stored again")
	}
}

func (w *Writer) putBack(items []*item) {
	if len(items) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = append(append(make([]*item, 0, len(items)+len(w.waiting)), items...), w.waiting...)
}

// close stores what waits, as far as the database takes it at once, and refuses
// the rest.
func (w *Writer) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	for {
		batch, _ := w.take(time.Now(), true)
		if len(batch) == 0 {
			return
		}
		if w.store(ctx, batch) {
			continue
		}
		for {
			batch, _ := w.take(time.Now(), true)
			if len(batch) == 0 {
				return
			}
			w.answer(batch, func(*item) error { return ErrClosed })
		}
	}
}

// Waiting returns how many outcomes are not stored yet.
func (w *Writer) Waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting) + len(w.triggers)
}
