//go:build linux

package e2e

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// gates lets a test end the runs of its handlers one by one.
type gates struct {
	mu   sync.Mutex
	open map[int64]chan struct{}
}

// of returns the gate of a trigger; the run ends when it is closed.
func (g *gates) of(logID int64) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open[logID] == nil {
		g.open[logID] = make(chan struct{})
	}
	return g.open[logID]
}

// heeding is a handler that ends at its gate or when it is told to stop.
func (g *gates) heeding(ctx context.Context, run *xxljob.Run) error {
	select {
	case <-g.of(run.LogID()):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// deaf is a handler that ends at its gate only.
func (g *gates) deaf(_ context.Context, run *xxljob.Run) error {
	<-g.of(run.LogID())
	return nil
}

// interleaving is one job on which several actors act at about the same time.
type interleaving struct {
	jobID int32
	l     *ledger
	c     *client
	g     *gates

	mu     sync.Mutex
	logIDs []int64
	ended  map[int64]bool
}

// moments are the instants at which things meet: the start, the end of an
// executorTimeout, the report of a handler that did not heed its signal, and
// that of one that did not heed its timeout.
var moments = []time.Duration{0, time.Second, 2800 * time.Millisecond, 3800 * time.Millisecond}

// play lets the actors act, then ends every run.
func (p *interleaving) play(rng *rand.Rand) {
	handler := []string{"heeding", "deaf"}[rng.IntN(2)]
	p.trigger(handler, wire.BlockSerial, rng.Int32N(2))
	var actors sync.WaitGroup
	for range 2 + rng.IntN(4) {
		at := moments[rng.IntN(len(moments))] + time.Duration(rng.IntN(4000)-2000)*time.Microsecond
		timeout, act := rng.Int32N(2), rng.IntN(5)
		actors.Go(func() {
			pause(at)
			switch act {
			case 0:
				_, _ = p.c.killJob(p.jobID) // in this process: no error
			case 1:
				p.trigger(handler, wire.BlockCoverEarly, timeout)
			case 2:
				p.trigger(handler, wire.BlockSerial, timeout)
			default:
				p.endOldest()
			}
		})
	}
	actors.Wait()
	for p.endOldest() {
	}
}

func (p *interleaving) trigger(handler, strategy string, timeout int32) {
	tr := trigger(p.jobID, handler, "")
	tr.ExecutorBlockStrategy, tr.ExecutorTimeout = wire.Str(strategy), timeout
	_, _ = p.l.send(p.c, tr) // noted in the ledger
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logIDs = append(p.logIDs, tr.LogID)
}

// endOldest opens the gate of the first run that still has one. It returns
// false if there is none.
func (p *interleaving) endOldest() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range p.logIDs {
		if !p.ended[id] {
			p.ended[id] = true
			close(p.g.of(id))
			return true
		}
	}
	return false
}

// TestInterleavings lets kill, cover, timeout and end meet at the same
// instants, and proves that each accepted trigger has one result, and that
// nothing is left behind.
func TestInterleavings(t *testing.T) {
	t.Parallel()
	count, atOnce := pick(200, 1000), 100
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	a, l := newAdmin(t), newLedger(t)
	g := &gates{open: make(map[int64]chan struct{})}
	cfg := xxljob.Config{AdminAddrs: []string{a.url()}, MaxStranded: 10_000, IdleTimeout: 2 * time.Second}
	executor, c := runHere(t, cfg, func(e *xxljob.Executor) {
		require.NoError(t, e.Register("heeding", g.heeding))
		require.NoError(t, e.Register("deaf", g.deaf))
	})
	var players sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i := range count {
		slots <- struct{}{}
		players.Go(func() {
			defer func() { <-slots }()
			p := &interleaving{jobID: int32(i + 1), l: l, c: c, g: g, ended: make(map[int64]bool)}
			p.play(rand.New(rand.NewPCG(seed, uint64(i))))
		})
	}
	players.Wait()
	l.waitDelivered(t, time.Minute, a)
	l.check(t, a)
	var stats xxljob.Stats
	waitFor(t, 20*time.Second, "no goroutine left behind and no job live", func() bool {
		stats = executor.Stats()
		return stats.Stranded == 0 && stats.Running == 0 && stats.Queued == 0 && stats.Jobs == 0
	})
	assert.Equal(t, stats.Accepted, stats.Succeeded+stats.Failed+stats.TimedOut, "results by their codes")
	assert.NotZero(t, stats.Succeeded)
	assert.NotZero(t, stats.Failed)
	assert.NotZero(t, stats.TimedOut)
	t.Logf("%d interleavings; %s; %d succeeded, %d failed, %d timed out", count, l.figures(a),
		stats.Succeeded, stats.Failed, stats.TimedOut)
}
