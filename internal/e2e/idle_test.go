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
// instant at which the job's idle thread is removed: none may be lost. The
// instant is hunted for: after a trigger that came too late the next one comes
// sooner, and the other way round.
func TestTriggerAtTheEndOfAnIdleThread(t *testing.T) {
	t.Parallel()
	const jobs, idle = 5, 2 * time.Millisecond
	count := pick(1_000, 10_000)
	a, l := newAdmin(t), newLedger(t)
	ran, begun := make([]chan struct{}, jobs+1), make([]atomic.Int64, jobs+1)
	for i := range ran {
		ran[i] = make(chan struct{}, 1)
	}
	note := func(_ context.Context, run *xxljob.Run) error {
		ran[run.JobID()] <- struct{}{}
		return nil
	}
	begin := func(ctx context.Context) error { // once a thread
		begun[xxljob.RunFromContext(ctx).JobID()].Add(1)
		return nil
	}
	cfg := xxljob.Config{AdminAddrs: []string{a.url()}, IdleTimeout: idle}
	_, c := runHere(t, cfg, func(e *xxljob.Executor) {
		require.NoError(t, e.Register("note", note, xxljob.Init(begin)))
	})
	var senders sync.WaitGroup
	for job := int32(1); job <= jobs; job++ {
		senders.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(job), 0))
			threads, delay := int64(0), idle
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
				if now := begun[job].Load(); now > threads {
					threads, delay = now, delay-delay/10
				} else {
					delay += delay / 10
				}
				pause(delay + time.Duration(rng.IntN(100))*time.Microsecond)
			}
		})
	}
	senders.Wait()
	l.waitDelivered(t, time.Minute, a)
	l.check(t, a)
	assert.Equal(t, count, l.acceptedCount())
	threads := int64(0)
	for i := range begun {
		threads += begun[i].Load()
	}
	// Otherwise the instant was missed on one side.
	assert.Greater(t, threads, int64(count/10), "threads")
	assert.Less(t, threads, int64(count*9/10), "threads")
	t.Logf("%d triggers met %d threads; %s", count, threads, l.figures(a))
}
