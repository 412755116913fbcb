//go:build linux

package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// stopLimit is what the kitchensink promises from SIGTERM to its end.
const stopLimit = 15 * time.Second

// TestStopWithHandlersThatGoOn sends SIGTERM while handlers run that heed
// nothing: the process ends in time and every result is delivered, or journaled
// and delivered by the next process.
func TestStopWithHandlersThatGoOn(t *testing.T) {
	t.Parallel()
	for _, m := range []mode{up, down, hanging} {
		t.Run("admin "+m.String(), func(t *testing.T) {
			t.Parallel()
			a, l := newAdmin(t), newLedger(t)
			p := start(t, setup{Admin: a.url()})
			waitFor(t, startLimit, "first heartbeat", func() bool { return a.beats.Load() > 0 })
			a.set(t, m)
			l.mustSend(t, p.client, trigger(1, "stubborn", "60000"))
			l.mustSend(t, p.client, trigger(1, "stubborn", "0")) // waits behind it
			l.mustSend(t, p.client, trigger(2, "sleep", "60000"))
			short := l.mustSend(t, p.client, trigger(3, "stubborn", "2000"))
			if m == up {
				l.mustSend(t, p.client, trigger(4, "spin", ""))
			}
			took := p.terminate(t, stopLimit)
			if m == up {
				a.mu.Lock()
				assert.Equal(t, 1, a.removed, "calls of registryRemove")
				a.mu.Unlock()
			} else {
				a.set(t, up)
				p.again(t)
				waitFor(t, time.Minute, "delivery after the restart", func() bool { return l.missing(a) == 0 })
			}
			require.Zero(t, l.missing(a))
			l.check(t, a)
			item, _ := a.result(short.LogID)
			assert.Equal(t, "stubborn done", item.Msg.String, "a handler that ended within the time for it")
			t.Logf("ended %v after SIGTERM", took.Round(10*time.Millisecond))
		})
	}
}

// TestProbesWhileDraining asks an executor that is stopping whether it takes
// work, as the FAILOVER and BUSYOVER strategies do.
func TestProbesWhileDraining(t *testing.T) {
	t.Parallel()
	a, l := newAdmin(t), newLedger(t)
	p := start(t, setup{Admin: a.url()})
	l.mustSend(t, p.client, trigger(1, "sleep", "4000"))
	l.mustSend(t, p.client, trigger(1, "sleep", "1")) // queued work is still done
	p.signal(t, syscall.SIGTERM)
	waitFor(t, 10*time.Second, "/beat of a draining executor answers 500", func() bool {
		res, err := p.beat()
		return err == nil && res.Code == wire.CodeFail && strings.Contains(res.Msg.String, "shutting down")
	})
	assert.False(t, p.idle(99), "/idleBeat of a draining executor")
	res, err := l.send(p.client, trigger(2, "echo", "too late"))
	require.NoError(t, err)
	assert.Equal(t, wire.CodeFail, res.Code)
	assert.Contains(t, res.Msg.String, "shutting down")
	waitFor(t, stopLimit, "end", p.ended)
	require.NoError(t, p.err)
	require.Zero(t, l.missing(a))
	l.check(t, a)
	for _, s := range l.history(t, a).sent {
		if item, ok := a.result(s.logID); ok {
			assert.Equal(t, "slept", item.Msg.String)
		}
	}
}

// TestKillOfASpinningHandler kills a job whose handler never looks at anything.
func TestKillOfASpinningHandler(t *testing.T) {
	t.Parallel()
	a, l := newAdmin(t), newLedger(t)
	p := start(t, setup{Admin: a.url()})
	best := time.Hour
	for try := range int32(3) { // on a busy machine one may come late
		tr := l.mustSend(t, p.client, trigger(try+1, "spin", ""))
		waitFor(t, 10*time.Second, "start of the run", func() bool {
			page, err := p.log(tr, 1)
			return err == nil && strings.Contains(page.LogContent, "job execute start")
		})
		begin := time.Now()
		res, err := p.killJob(tr.JobID)
		require.NoError(t, err)
		require.Equal(t, wire.CodeSuccess, res.Code)
		assert.Less(t, time.Since(begin), 10*time.Second, "answer to /kill")
		item := a.waitResult(t, tr.LogID, 10*time.Second)
		took := time.Since(begin)
		assert.Equal(t, wire.ReasonKilled+wire.SuffixRunning, item.Msg.String)
		page, err := p.log(tr, 1)
		require.NoError(t, err)
		assert.Contains(t, page.LogContent, "main.spin", "stack of the handler")
		next := l.mustSend(t, p.client, trigger(tr.JobID, "echo", "next"))
		item = a.waitResult(t, next.LogID, 10*time.Second)
		assert.Equal(t, "next", item.Msg.String)
		if best = min(best, took); best <= 3200*time.Millisecond {
			break
		}
	}
	assert.LessOrEqual(t, best, 8*time.Second, "from /kill to the result")
	l.check(t, a)
	t.Logf("result %v after /kill", best.Round(time.Millisecond))
}
