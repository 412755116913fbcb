//go:build linux

package e2e

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestTriggerAtTheEndOfAnIdleThread sends each trigger of a job at about the
// instant at which the job's idle thread is removed: none may be lost.
func TestTriggerAtTheEndOfAnIdleThread(t *testing.T) {
	t.Parallel()
	const jobs, idle = 10, 2 * time.Millisecond
	count := pick(1_000, 10_000)
	a, l := newAdmin(t), newLedger(t)
	ran, destroyed := make([]chan struct{}, jobs+1), atomic.Int64{}
	for i := range ran {
		ran[i] = make(chan struct{}, 1)
	}
	note := func(_ context.Context, run *xxljob.Run) error {
		ran[run.JobID()] <- struct{}{}
		return nil
	}
	cfg := xxljob.Config{AdminAddrs: []string{a.url()}, IdleTimeout: idle}
	_, c := runHere(t, cfg, func(e *xxljob.Executor) {
		require.NoError(t, e.Register("note", note, xxljob.Destroy(func() { destroyed.Add(1) }),
			xxljob.Init(func(context.Context) error { return nil })))
	})
	var senders sync.WaitGroup
	for job := int32(1); job <= jobs; job++ {
		senders.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(job), 0))
			for range count / jobs {
				res, err := l.send(c, trigger(job, "note", ""))
				if !assert.NoError(t, err) || !assert.Equal(t, wire.CodeSuccess, res.Code, res.Msg.String) {
					return
				}
				select {
				case <-ran[job]:
				case <-time.After(30 * time.Second):
					assert.Fail(t, "an accepted trigger did not run")
					return
				}
				pause(idle + time.Duration(rng.IntN(400)-200)*time.Microsecond)
			}
		})
	}
	senders.Wait()
	l.waitDelivered(t, time.Minute, a)
	l.check(t, a)
	assert.Equal(t, count, l.acceptedCount())
	// Otherwise the instant was missed on one side.
	assert.Greater(t, destroyed.Load(), int64(count/10), "threads that ended idle")
	assert.Less(t, destroyed.Load(), int64(count*99/100), "threads that ended idle")
	t.Logf("%d triggers, %d threads ended idle in between; %s", count, destroyed.Load(), l.figures(a))
}
