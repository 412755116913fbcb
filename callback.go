package xxljob

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/internal/journal"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// Limits of one post of results, and the pauses between posts that fail.
const (
	callbackBatch      = 50
	callbackBytes      = 512 << 10
	callbackBackoff    = time.Second
	callbackMaxBackoff = 15 * time.Second
)

// What a result that the admin refuses goes through while others pass.
const (
	batchRefusals   = 3                     // refusals after which a batch is halved
	singleRefusals  = 5                     // refusals after which a message is cut
	firstCut        = wire.MaxStoredMessage // what an admin stores of a message
	secondCut       = 1000
	maxSuspects     = 100 // refused results set apart at one time
	maxResend       = 1000
	warnEvery       = time.Minute
	finishLogsQueue = 512 // batches whose log lines are still to be written
)

// errSetAside is logged with a result that no admin takes.
var errSetAside = errors.New("no admin accepts this result although it accepts others")

// callbackSender delivers results to the admin, in the order of the journal,
// which is its queue: whatever happens to this process, a result that was not
// acknowledged is sent again. One goroutine, run, owns the batches; the other
// methods are safe for concurrent use.
type callbackSender struct {
	cluster *cluster
	journal *journal.Journal
	hooks   *Hooks
	log     *slog.Logger
	logLine func(journal.ID, ...string) // adds an entry to the run's log

	poke chan struct{} // size 1: an admin answers again, or somebody waits for the end
	more chan struct{} // size 1: there is something to report again
	logs chan []journal.ID

	delivered, failures atomic.Int64

	mu      sync.Mutex
	again   []journal.Finished // results to report once more
	waiters []chan struct{}    // closed when nothing is left to send; in the order of their coming

	// Owned by run.
	work     []*batch    // what is to be sent next
	suspects []*outgoing // refused alone, set apart
	passed   int64       // results that were accepted
	backoff  time.Duration

	lastWarning time.Time
	unlogged    int // failed posts since then
}

// outgoing is one result on its way.
type outgoing struct {
	journal.Finished
	again    bool // reported before: nothing is acknowledged in the journal
	limit    int  // its message is cut to so many UTF-16 units; 0: as it is
	noted    bool // its log says that an admin did not take it
	refusals int  // refusals of this result alone, while others passed
	passedAt int64
	nextTry  time.Time
	pause    time.Duration
}

// batch is one post.
type batch struct {
	items    []*outgoing
	refusals int
	split    *split // what it was halved from, or nil
}

// split remembers whether a half of a batch was refused: if the other one is
// refused as well, it is the admin that is at fault.
type split struct{ refused bool }

func newCallbackSender(cl *cluster, j *journal.Journal, hooks *Hooks, log *slog.Logger) *callbackSender {
	return &callbackSender{
		cluster: cl, journal: j, hooks: hooks, log: log,
		poke: make(chan struct{}, 1), more: make(chan struct{}, 1), logs: make(chan []journal.ID, finishLogsQueue),
		backoff: callbackBackoff,
	}
}

// run sends until ctx is done.
func (s *callbackSender) run(ctx context.Context) {
	var logs sync.WaitGroup
	logs.Go(s.writeFinishLines)
	defer logs.Wait()
	defer close(s.logs)
	for ctx.Err() == nil {
		waiting := s.waiting()
		b := s.nextBatch(ctx, time.Now())
		if b == nil {
			s.nothingLeft(waiting)
			s.wait(ctx)
			continue
		}
		admin, err := s.send(ctx, b)
		switch {
		case err == nil:
			s.accepted(b, admin)
		case ctx.Err() != nil:
			return
		case s.failed(b, err):
			s.pause(ctx)
		}
	}
}

// nextBatch returns what is to be sent next, or nil.
func (s *callbackSender) nextBatch(ctx context.Context, now time.Time) *batch {
	if len(s.work) == 0 {
		s.fill(ctx)
	}
	if s.suspectDue(now) {
		b := &batch{items: s.suspects[:1:1]}
		s.suspects = s.suspects[1:]
		return b
	}
	if len(s.work) == 0 {
		return nil
	}
	b := s.work[0]
	s.work = s.work[1:]
	return b
}

// fill takes results from the journal and cuts them into posts.
func (s *callbackSender) fill(ctx context.Context) {
	items := s.takeAgain(ctx)
	if len(s.suspects) < maxSuspects {
		for _, f := range s.journal.Next(callbackBatch, callbackBytes/2) {
			items = append(items, &outgoing{Finished: f})
		}
	}
	for len(items) > 0 {
		n, size := 0, 0
		for n < len(items) && n < callbackBatch {
			item := items[n].wire()
			size += wire.CallbackSize(wire.FormArray, item)
			if n > 0 && size > callbackBytes {
				break
			}
			n++
		}
		s.work = append(s.work, &batch{items: items[:n:n]})
		items = items[n:]
	}
}

// takeAgain returns the results to report once more. One that is not in the
// journal yet must not reach an admin before it is: if the disk refuses, it is
// left to the journal, which sends it anyway.
func (s *callbackSender) takeAgain(ctx context.Context) []*outgoing {
	s.mu.Lock()
	again := s.again
	s.again = nil
	s.mu.Unlock()
	if len(again) == 0 || s.journal.Flush(ctx) != nil {
		return nil
	}
	items := make([]*outgoing, len(again))
	for i, f := range again {
		items[i] = &outgoing{Finished: f, again: true}
	}
	return items
}

// suspectDue reports whether the refused result that has waited longest is to
// be tried again: its time has come, and others have passed since, or there are
// none.
func (s *callbackSender) suspectDue(now time.Time) bool {
	if len(s.suspects) == 0 || now.Before(s.suspects[0].nextTry) {
		return false
	}
	return len(s.work) == 0 || s.passed > s.suspects[0].passedAt
}

// wire returns the result as the protocol has it.
func (o *outgoing) wire() wire.CallbackItem {
	msg := o.Result.Msg
	if o.limit > 0 {
		msg = wire.TruncateMessage(msg, o.limit)
	}
	return wire.CallbackItem{
		LogID: o.ID.LogID, LogDateTime: o.ID.At, Code: o.Result.Code,
		Msg:     wire.NullString{String: msg, Valid: o.Result.HasMsg},
		NoRetry: o.Result.NoRetry,
	}
}

// send posts b to the first admin that takes it.
func (s *callbackSender) send(ctx context.Context, b *batch) (*adminClient, error) {
	items := make([]wire.CallbackItem, len(b.items))
	for i, o := range b.items {
		items[i] = o.wire()
	}
	return s.cluster.each(ctx, func(c *adminClient) error {
		err := c.sendCallbacks(ctx, items)
		if err != nil && ctx.Err() == nil {
			s.noteFailure(b, err)
		}
		return err
	})
}

// sendCallbacks posts items in the form that this admin reads: the array until
// it has asked for the object, and the other way round (wire.md 8.2).
func (c *adminClient) sendCallbacks(ctx context.Context, items []wire.CallbackItem) error {
	form := wire.CallbackForm(c.form.Load())
	err := c.post(ctx, wire.PathCallback, wire.AppendCallbacks(nil, form, items))
	var refused *refusedError
	if !errors.As(err, &refused) {
		return err
	}
	switch {
	case form == wire.FormArray && wire.ExpectsObject(refused.msg):
		form = wire.FormObject
	case form == wire.FormObject && wire.ExpectsArray(refused.msg):
		form = wire.FormArray
	default:
		return err
	}
	c.form.Store(int32(form))
	return c.post(ctx, wire.PathCallback, wire.AppendCallbacks(nil, form, items))
}

// noteFailure writes to the log of each run, once, that an admin did not take
// its result.
func (s *callbackSender) noteFailure(b *batch, err error) {
	prefix := wire.LogCallbackErr
	if isRefusal(err) {
		prefix = wire.LogCallbackFail
	}
	for _, o := range b.items {
		if !o.noted {
			o.noted = true
			s.logLine(o.ID, prefix, err.Error())
		}
	}
}

// accepted acknowledges a batch that an admin took.
func (s *callbackSender) accepted(b *batch, admin *adminClient) {
	s.acknowledge(b)
	s.passed += int64(len(b.items))
	s.delivered.Add(int64(len(b.items)))
	s.backoff = callbackBackoff
	s.hooks.delivered(len(b.items), admin.name)
	ids := make([]journal.ID, len(b.items))
	for i, o := range b.items {
		ids[i] = o.ID
	}
	s.logs <- ids
}

// acknowledge takes the results of b out of the journal.
func (s *callbackSender) acknowledge(b *batch) {
	done := make([]journal.Finished, 0, len(b.items))
	for _, o := range b.items {
		if !o.again {
			done = append(done, o.Finished)
		}
	}
	if len(done) == 0 {
		return
	}
	if err := s.journal.Ack(done); err != nil {
		// It was delivered; after a restart it is delivered once more.
		s.log.Error("acknowledged results not noted in the journal", slog.Int("count", len(done)), slog.Any("err", err))
	}
}

// writeFinishLines adds Java's last line to the logs of delivered runs.
func (s *callbackSender) writeFinishLines() {
	for ids := range s.logs {
		for _, id := range ids {
			s.logLine(id, wire.LogCallbackDone)
		}
	}
}

// failed decides what becomes of a batch that no admin took. It reports
// whether to pause before the next post.
func (s *callbackSender) failed(b *batch, err error) (pause bool) {
	s.failures.Add(1)
	s.hooks.sendFailed(len(b.items), err)
	s.warn(b, err)
	if !isRefusal(err) {
		s.putBack(b)
		return true
	}
	b.refusals++
	tooLarge := isTooLarge(err)
	switch {
	case len(b.items) == 1:
		s.refusedAlone(b.items[0], tooLarge)
	case tooLarge || b.refusals >= batchRefusals:
		s.halve(b)
	default:
		s.putBack(b)
		return true
	}
	return !tooLarge && b.bothHalvesRefused()
}

// warn logs a post that failed: the first, then one in warnEvery.
func (s *callbackSender) warn(b *batch, err error) {
	s.unlogged++
	if now := time.Now(); now.Sub(s.lastWarning) >= warnEvery {
		s.log.Warn("results not delivered, they are kept and sent again", slog.Int("count", len(b.items)),
			slog.Int("posts", s.unlogged), slog.Int("unsent", s.journal.Stats().Unsent), slog.Any("err", err))
		s.lastWarning, s.unlogged = now, 0
	}
}

// bothHalvesRefused notes that b was refused, and reports whether the other
// half of what it was cut from was refused too: then nothing passes, and the
// admin rather than a result is at fault.
func (b *batch) bothHalvesRefused() bool {
	if b.split == nil {
		return false
	}
	both := b.split.refused
	b.split.refused = true
	return both
}

// putBack makes b the next to be sent.
func (s *callbackSender) putBack(b *batch) { s.work = append([]*batch{b}, s.work...) }

// halve puts the two halves of b in its place. Each is halved again at its
// next refusal, so that a result which no admin takes is soon alone.
func (s *callbackSender) halve(b *batch) {
	parent := &split{}
	mid := len(b.items) / 2
	halves := []*batch{
		{items: b.items[:mid:mid], refusals: batchRefusals - 1, split: parent},
		{items: b.items[mid:], refusals: batchRefusals - 1, split: parent},
	}
	s.work = append(halves, s.work...)
}

// refusedAlone sets a result apart that was refused by itself. While others
// pass its message is cut, then cut again, and at last it is set aside on disk;
// while none pass it is the admin's fault and nothing is taken away.
func (s *callbackSender) refusedAlone(o *outgoing, tooLarge bool) {
	if o.refusals == 0 || s.passed > o.passedAt {
		o.refusals++
	}
	o.passedAt = s.passed
	o.pause = min(max(o.pause*2, callbackBackoff), callbackMaxBackoff)
	o.nextTry = time.Now().Add(o.pause)
	if o.refusals < singleRefusals && !tooLarge {
		s.suspects = append(s.suspects, o)
		return
	}
	for _, limit := range []int{firstCut, secondCut} {
		if (o.limit == 0 || limit < o.limit) && len(wire.TruncateMessage(o.Result.Msg, limit)) < len(o.Result.Msg) {
			o.limit = limit
			o.nextTry = time.Time{}
			s.suspects = append([]*outgoing{o}, s.suspects...)
			return
		}
	}
	if o.refusals < singleRefusals {
		s.suspects = append(s.suspects, o)
		return
	}
	s.setAside(o)
}

// setAside gives a result up: it is kept in a file, counted and logged, and
// blocks nobody any longer.
func (s *callbackSender) setAside(o *outgoing) {
	s.log.Error("result set aside", slog.Int("job_id", int(o.ID.JobID)), slog.Int64("log_id", o.ID.LogID),
		slog.Any("err", errSetAside))
	if o.again {
		return
	}
	if err := s.journal.SetAside(o.Finished, errSetAside.Error()); err != nil {
		s.log.Error("result not set aside, tried again later", slog.Int64("log_id", o.ID.LogID), slog.Any("err", err))
		o.refusals = 0
		s.suspects = append(s.suspects, o)
	}
}

// isTooLarge reports whether an admin, or a proxy before it, found the post
// too large.
func isTooLarge(err error) bool {
	var refused *refusedError
	return errors.As(err, &refused) && refused.status == http.StatusRequestEntityTooLarge
}

// pause waits before the next post, longer each time, up to a limit; an admin
// that answers a heartbeat ends it.
func (s *callbackSender) pause(ctx context.Context) {
	d := s.backoff + rand.N(s.backoff/4)
	s.backoff = min(s.backoff*2, callbackMaxBackoff)
	select {
	case <-time.After(d):
	case <-s.poke:
		s.backoff = callbackBackoff
	case <-ctx.Done():
	}
}

// wait blocks until there may be something to send.
func (s *callbackSender) wait(ctx context.Context) {
	var due <-chan time.Time
	if len(s.suspects) > 0 {
		due = time.After(max(time.Until(s.suspects[0].nextTry), time.Millisecond))
	}
	select {
	case <-s.journal.Ready():
	case <-s.more:
	case <-s.poke:
	case <-due:
	case <-ctx.Done():
	}
}

// wake ends a pause and makes run look for work.
func (s *callbackSender) wake() { notify(s.poke) }

// notify fills a channel of size 1.
func notify(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// sendAgain reports a result once more.
func (s *callbackSender) sendAgain(f journal.Finished) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.again {
		if s.again[i].ID == f.ID {
			return
		}
	}
	if len(s.again) < maxResend {
		s.again = append(s.again, f)
		notify(s.more) // does not end a pause
	}
}

// waiting returns the number of those who wait in flush.
func (s *callbackSender) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiters)
}

// nothingLeft tells the first n of those who wait in flush, who came before
// run looked for work, that there is nothing left.
func (s *callbackSender) nothingLeft(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.again) > 0 || len(s.suspects) > 0 {
		return
	}
	for _, done := range s.waiters[:n] {
		close(done)
	}
	s.waiters = s.waiters[n:]
}

// flush blocks until every result that the journal holds has been delivered,
// or ctx is done.
func (s *callbackSender) flush(ctx context.Context) error {
	if err := s.journal.Flush(ctx); err != nil && ctx.Err() != nil {
		return err
	} // a disk that refuses does not keep results from being sent
	done := make(chan struct{})
	s.mu.Lock()
	s.waiters = append(s.waiters, done)
	s.mu.Unlock()
	s.wake()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
