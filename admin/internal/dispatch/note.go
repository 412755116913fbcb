package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// noteWait is how long a note waits for others: the database writes them
	// together.
	noteWait = 5 * time.Millisecond
	// noteBatch is how many are written together at most.
	noteBatch = 1000
	// noteTimeout is how long writing them may take. What could not be noted is
	// tried again after noteEvery, and its executors are asked again after
	// noteTries.
	noteTimeout = 2 * time.Second
	noteEvery   = 500 * time.Millisecond
	noteTries   = 5
)

// notes are the runs whose address is to be put on record before they are sent.
// One goroutine writes them, so that a slow database is asked by it alone.
type notes struct {
	mu      sync.Mutex
	waiting []*entry
	wake    chan struct{}
}

func (n *notes) add(e *entry) {
	n.mu.Lock()
	n.waiting = append(n.waiting, e)
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *notes) take() []*entry {
	n.mu.Lock()
	defer n.mu.Unlock()
	batch := n.waiting[:min(len(n.waiting), noteBatch)]
	if n.waiting = n.waiting[len(batch):]; len(n.waiting) == 0 {
		n.waiting = nil
	}
	return batch
}

// noteAndSend puts the address on record before the first send: whoever takes
// the run over could else not tell whom to ask. It does not block.
func (d *Dispatcher) noteAndSend(e *entry) { d.notes.add(e) }

// note writes what waits to be noted, until ctx is done. What waits then stays on
// record without an address, for it was not sent.
func (d *Dispatcher) note(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.notes.wake:
		}
		if !pause(ctx, noteWait) {
			return
		}
		for batch := d.notes.take(); len(batch) > 0; batch = d.notes.take() {
			d.noteBatch(ctx, batch)
		}
	}
}

func (d *Dispatcher) noteBatch(ctx context.Context, batch []*entry) {
	addresses := make(map[int64]string, len(batch))
	for _, e := range batch {
		addresses[e.Run.LogID] = e.Run.Address
	}
	call, cancel := context.WithTimeout(ctx, noteTimeout)
	failed, err := d.cfg.SetAddresses(call, addresses)
	cancel()
	if err != nil && ctx.Err() == nil && batch[0].tries == 0 {
		d.cfg.Logger.WarnContext(ctx, "addresses of runs not noted, will be tried again",
			slog.Int("count", len(batch)), slog.Any("err", err))
	}
	for _, e := range batch {
		if err != nil {
			d.noted(ctx, e, err)
			continue
		}
		refused := failed[e.Run.LogID]
		if refused != nil && !errors.Is(refused, ErrGone) && e.tries == 0 {
			d.cfg.Logger.ErrorContext(ctx, "address of a run not noted, the database refuses it",
				slog.Int64("log_id", e.Run.LogID), slog.Any("err", refused))
		}
		d.noted(ctx, e, refused)
	}
}

// noted goes on with a run whose address is on record, or is not.
func (d *Dispatcher) noted(ctx context.Context, e *entry, err error) {
	switch {
	case err == nil:
		e.unnoted, e.tries = false, 0
		if d.allowed(e) {
			d.send(e)
			return
		}
		d.hold(e)
	case ctx.Err() != nil, errors.Is(err, ErrGone), !d.cfg.Keeps(e.Run.JobID, e.Run.Token):
		d.drop(e) // not sent, so nobody doubts it: it stays on record, if it is there
	default:
		d.notNoted(e)
	}
}

// notNoted keeps a run whose address could not be noted, for as long as it is
// this node's. One that was asked for its address long ago is asked again.
func (d *Dispatcher) notNoted(e *entry) {
	if e.tries++; e.tries%noteTries == 0 && e.Job.Route.Probes() && !e.Run.Sharded {
		e.Run.Address, e.call, e.unnoted = "", nil, false
	}
	d.later(e, noteEvery)
}
