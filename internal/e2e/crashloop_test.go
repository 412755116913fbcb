//go:build linux

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// loadJobs is the number of jobs of each handler that a load spreads over. Of
// ten, one is COVER_EARLY, one DISCARD_LATER, and one changes its handler.
const loadJobs = 20

// loadWorkers is the number of connections that a load comes from.
const loadWorkers = 8

// load sends random triggers until ctx ends or the executor no longer answers.
func (l *ledger) load(ctx context.Context, c *client, seed uint64) {
	var workers sync.WaitGroup
	for i := range loadWorkers {
		workers.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			for ctx.Err() == nil {
				tr, ok := wire.TriggerRequest{}, false
				if rng.IntN(8) == 0 {
					tr, ok = l.earlier(rng)
				}
				if !ok {
					tr = l.random(rng)
				}
				if _, err := l.send(c, tr); err != nil {
					return
				}
			}
		})
	}
	workers.Wait()
}

// random returns a new trigger as a load has them.
func (l *ledger) random(rng *rand.Rand) wire.TriggerRequest {
	job, kind := rng.Int32N(loadJobs)+1, rng.Int32N(10)
	handler, param := "mark", l.marks
	switch kind {
	case 0, 1:
		handler, param = "sleep", strconv.Itoa(rng.IntN(20))
	case 2:
		handler, param = "fail", "failed as told "+strconv.Itoa(rng.IntN(1000))
	case 3, 4:
		handler, param = "echo", fmt.Sprintf("echo %d \"<é>\n", rng.IntN(1000))
	case 5: // large ones fill segments, so that the journal begins new ones
		handler, param = "bigmsg", strconv.Itoa(rng.IntN(50_000))
	case 6: // long ones are carried from segment to segment
		handler, param = "sleep", strconv.Itoa(rng.IntN(600))
	}
	tr := trigger(job, handler, param)
	if job%10 != 2 { // where the handler changes, each trigger ends the one before
		tr.JobID += 100 * kind
	}
	switch job % 10 {
	case 0:
		tr.ExecutorBlockStrategy = wire.Str(wire.BlockDiscardLater)
	case 1:
		tr.ExecutorBlockStrategy = wire.Str(wire.BlockCoverEarly)
	}
	return tr
}

// TestCrashLoop kills the executor at random moments under load, while the
// admin is up, down and hanging in turn, and proves E1 to E3 over all rounds.
func TestCrashLoop(t *testing.T) {
	t.Parallel()
	rounds := pick(5, 30)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	a, l := newAdmin(t), newLedger(t)
	s := setup{Dir: t.TempDir(), Port: freePort(t), Admin: a.url()}
	for round := range rounds {
		a.set(t, [...]mode{up, down, hanging}[round%3])
		p := start(t, s)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(100+rng.IntN(900))*time.Millisecond)
		var loading sync.WaitGroup
		loading.Go(func() {
			for _, tr := range l.takeUnknown() { // as an admin does that heard no answer
				if _, err := l.send(p.client, tr); err != nil {
					return
				}
			}
			l.load(t.Context(), p.client, seed+uint64(round)+1)
		})
		<-ctx.Done()
		cancel()
		p.kill()
		loading.Wait()
	}
	a.set(t, up)
	p := start(t, s)
	for _, tr := range l.takeUnknown() {
		_, err := l.send(p.client, tr)
		require.NoError(t, err)
	}
	l.waitDelivered(t, time.Minute, a)
	p.terminate(t, 15*time.Second)
	l.check(t, a)
	require.Greater(t, l.acceptedCount(), rounds*20, "the load was no load")
	t.Logf("%d kills; %s", rounds, l.figures(a))
}

// TestKillBetweenRecords kills the executor before and after the nth write of
// each kind of journal record.
func TestKillBetweenRecords(t *testing.T) {
	t.Parallel()
	binary, err := crashing()
	require.NoError(t, err)
	for _, kind := range []string{"accepted", "started", "finished", "acknowledged"} {
		for _, when := range []string{"before", "after"} {
			for _, n := range pick([]int{1, 20}, []int{1, 2, 5, 20, 100, 500}) {
				point := fmt.Sprintf("%s.%s:%d", kind, when, n)
				t.Run(point, func(t *testing.T) {
					t.Parallel()
					killAt(t, binary, point)
				})
			}
		}
	}
}

func killAt(t *testing.T, binary, point string) {
	t.Helper()
	a, l := newAdmin(t), newLedger(t)
	s := setup{Dir: t.TempDir(), Port: freePort(t), Admin: a.url(), Binary: binary}
	armed := s
	armed.Env = []string{"XXLJOB_FAILPOINT=" + point}
	p := start(t, armed)
	var loading sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	loading.Go(func() { l.load(ctx, p.client, uint64(time.Now().UnixNano())) })
	select {
	case <-p.done:
	case <-time.After(time.Minute):
		require.FailNow(t, "failpoint was not reached")
	}
	cancel()
	loading.Wait()
	require.ErrorContains(t, p.err, "signal: killed")

	p = start(t, s)
	for _, tr := range l.takeUnknown() {
		_, err := l.send(p.client, tr)
		require.NoError(t, err)
	}
	l.waitDelivered(t, time.Minute, a)
	p.terminate(t, 15*time.Second)
	l.check(t, a)
	t.Log(l.figures(a))
}

// TestRepeats sends a trigger again in every state that it can be in: it is
// answered as known, runs once, and its result is reported again.
func TestRepeats(t *testing.T) {
	t.Parallel()
	a, l := newAdmin(t), newLedger(t)
	p := start(t, setup{Admin: a.url()})
	running := l.mustSend(t, p.client, trigger(1, "sleep", "1500"))
	queued := l.mustSend(t, p.client, trigger(1, "mark", l.marks)) // the handler changes: the sleep is stopped
	ended := l.mustSend(t, p.client, trigger(2, "mark", l.marks))
	first := l.mustSend(t, p.client, trigger(3, "stubborn", "1500"))
	second := trigger(3, "stubborn", "0")
	l.mustSend(t, p.client, second)
	a.waitResult(t, ended.LogID, 30*time.Second)
	repeat := func(state string, tr wire.TriggerRequest) {
		res, err := l.send(p.client, tr)
		require.NoError(t, err)
		assert.Equal(t, wire.CodeSuccess, res.Code, state)
		assert.Equal(t, wire.RepeatText(tr.LogID), res.Msg.String, state)
		tr.LogDateTime += 999 // an admin may have rounded it
		res, err = l.send(p.client, tr)
		require.NoError(t, err)
		assert.Equal(t, wire.RepeatText(tr.LogID), res.Msg.String, state)
	}
	repeat("running", first)
	repeat("queued", second)
	before := len(a.deliveries())
	repeat("ended", ended)
	waitFor(t, 30*time.Second, "report of the ended run again", func() bool { return len(a.deliveries()) > before })
	l.waitDelivered(t, 30*time.Second, a)
	p.kill()
	p = p.again(t)
	for _, tr := range []wire.TriggerRequest{running, queued, ended, first, second} {
		repeat("after a kill", tr)
	}
	p.terminate(t, stopLimit)
	p = p.again(t)
	for _, tr := range []wire.TriggerRequest{running, queued, ended, first, second} {
		repeat("after a stop", tr)
	}
	p.terminate(t, stopLimit)
	l.check(t, a)
	require.ElementsMatch(t, []int64{queued.LogID, ended.LogID}, l.history(t, a).marks)
}
