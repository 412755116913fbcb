package execclient

import (
	"bufio"
	"context"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pipeNet connects a client with a script in memory, so that a bubble's time
// rules. Close ends the scripts.
type pipeNet struct {
	serve func(*peer)
	wg    sync.WaitGroup
	mu    sync.Mutex
	n     int
}

func (pn *pipeNet) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if pn.serve == nil { // a black hole, bounded as a net.Dialer is
		<-ctx.Done()
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	}
	near, far := net.Pipe()
	pn.mu.Lock()
	n := pn.n
	pn.n++
	pn.mu.Unlock()
	pn.wg.Go(func() {
		defer far.Close()
		pn.serve(&peer{far, bufio.NewReader(far), n})
	})
	return near, nil
}

func bubble(t *testing.T, cfg Config, serve func(*peer), test func(t *testing.T, c *Client, pn *pipeNet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		pn := &pipeNet{serve: serve}
		c, err := New(cfg)
		require.NoError(t, err)
		c.dial = pn.dial
		test(t, c, pn)
		c.Close()
		pn.wg.Wait()
	})
}

var pipeTarget = Target{Address: "http://executor:9999/"}

func TestAnswerTimeout(t *testing.T) {
	t.Parallel()
	bubble(t, Config{}, answering(func(*peer, seen) {}), func(t *testing.T, c *Client, _ *pipeNet) {
		start := time.Now()
		r := trigger(c, pipeTarget, 1)
		assert.Equal(t, DefaultTimeout, time.Since(start))
		assert.Equal(t, Unknown, r.Kind)
		assert.Equal(t, "Http Request Error (Read timed out). for url : http://executor:9999/run", r.Msg)
		assert.True(t, r.SentAt.Equal(start))
		assert.Zero(t, c.Stats()["http://executor:9999"].Conns) // its answer might still come
	})
}

func TestSlowDripIsBounded(t *testing.T) {
	t.Parallel()
	drip := answering(func(p *peer, _ seen) {
		for range 100 {
			p.say("HTTP/1.1 200 OK\r\nx: y\r\n"[:1])
			<-time.After(time.Second / 2)
		}
	})
	bubble(t, Config{Timeout: 2 * time.Second}, drip, func(t *testing.T, c *Client, _ *pipeNet) {
		start := time.Now()
		assert.Equal(t, Unknown, trigger(c, pipeTarget, 1).Kind)
		assert.Equal(t, 2*time.Second, time.Since(start))
	})
}

// TestBlackHole: what waits for an address that does not even refuse fails
// together.
func TestBlackHole(t *testing.T) {
	t.Parallel()
	bubble(t, Config{}, nil, func(t *testing.T, c *Client, _ *pipeNet) {
		start := time.Now()
		results := make(chan Result, 1000)
		for id := range int64(cap(results)) {
			c.Send(c.Prepare(pipeTarget, testTrigger(id)), func(r Result) { results <- r })
		}
		for range cap(results) {
			r := <-results
			assert.Equal(t, NotSent, r.Kind)
			assert.Contains(t, r.Msg, "(Connect timed out)")
		}
		assert.Equal(t, DefaultTimeout, time.Since(start))
		assert.True(t, c.Dead(pipeTarget.Address))
		assert.Zero(t, c.Stats()["http://executor:9999"].Depth)
	})
}

func TestQueueDeadline(t *testing.T) {
	t.Parallel()
	bubble(t, Config{ConnsMax: 1, QueueDeadline: 10 * time.Second}, answering(func(*peer, seen) {}),
		func(t *testing.T, c *Client, _ *pipeNet) {
			type end struct {
				r     Result
				after time.Duration
			}
			ends := make(chan end, 100)
			start := time.Now()
			for id := range int64(cap(ends)) {
				c.Send(c.Prepare(pipeTarget, testTrigger(id)), func(r Result) { ends <- end{r, time.Since(start)} })
			}
			late := 0
			for range cap(ends) {
				if e := <-ends; e.r.Kind == NotSent {
					late++
					require.ErrorIs(t, e.r.Err, ErrQueueLate)
					assert.InDelta(t, 10.5, e.after.Seconds(), 0.5)
				} else {
					assert.Equal(t, Unknown, e.r.Kind)
				}
			}
			assert.Equal(t, cap(ends)-4, late) // one each 3 s had its turn
		})
}

func TestIdleConnectionIsClosed(t *testing.T) {
	t.Parallel()
	bubble(t, Config{}, nil, func(t *testing.T, c *Client, pn *pipeNet) {
		gone := make(chan struct{}, 2) // of the bubble
		pn.serve = func(p *peer) {
			answering(func(p *peer, _ seen) { p.ok(success) })(p)
			gone <- struct{}{}
		}
		require.Equal(t, Accepted, trigger(c, pipeTarget, 1).Kind)
		<-time.After(30 * time.Second)
		require.Equal(t, Accepted, trigger(c, pipeTarget, 2).Kind)
		assert.Equal(t, 1, pn.n)
		start := time.Now()
		select {
		case <-gone:
		case <-time.After(2 * time.Minute):
		}
		assert.Equal(t, DefaultIdleTimeout, time.Since(start))
		synctest.Wait()
		assert.Zero(t, c.Stats()["http://executor:9999"].Conns)
		require.Equal(t, Accepted, trigger(c, pipeTarget, 3).Kind)
	})
}

// TestUnusedLaneGoesAway, and what was learnt stays for a day.
func TestUnusedLaneGoesAway(t *testing.T) {
	t.Parallel()
	var got recorder
	bubble(t, Config{}, master("x", "app", &got), func(t *testing.T, c *Client, _ *pipeNet) {
		target := Target{Address: pipeTarget.Address, AppName: "app", Token: "x"}
		call := c.Prepare(target, testTrigger(1))
		require.Equal(t, Accepted, sendAndWait(c, call).Kind)
		<-time.After(laneUnused - time.Second)
		assert.Len(t, c.Stats(), 1)
		<-time.After(3 * time.Second)
		assert.Empty(t, c.Stats())
		require.Equal(t, Accepted, sendAndWait(c, call).Kind) // on a new lane
		assert.Equal(t, []string{"/run", "/trigger", "/trigger"}, got.targets())

		<-time.After(laneUnused + 2*time.Second)
		other := Target{Address: "http://other/", AppName: "app", Token: "x"}
		<-time.After(knownFor)
		require.Equal(t, Accepted, trigger(c, other, 1).Kind)
		<-time.After(laneUnused + 2*time.Second)
		c.knownMu.Lock()
		defer c.knownMu.Unlock()
		assert.Len(t, c.known, 1)
	})
}

// TestProbeDeadline: a probe waits as long as its context says, in the queue
// and on the wire.
func TestProbeDeadline(t *testing.T) {
	t.Parallel()
	bubble(t, Config{ConnsMax: 1}, answering(func(*peer, seen) {}), func(t *testing.T, c *Client, _ *pipeNet) {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				err := c.Beat(ctx, pipeTarget)
				assert.True(t, isTimeout(err), "%v", err)
				assert.EqualError(t, err, "Http Request Error (Read timed out). for url : http://executor:9999/beat")
				assert.Equal(t, time.Second, time.Since(start))
			})
		}
		wg.Wait()
		synctest.Wait()
		assert.True(t, c.Dead(pipeTarget.Address))
		assert.Zero(t, c.Stats()["http://executor:9999"].Depth)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := c.Kill(ctx, pipeTarget, 1)
		var e *Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, NotSent, e.Result.Kind)

		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = c.Kill(ctx, pipeTarget, 1)
		require.ErrorAs(t, err, &e)
		assert.Equal(t, Unknown, e.Result.Kind)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// TestWarmSparesTheDead: an address that refuses is tried once a second.
func TestWarmSparesTheDead(t *testing.T) {
	t.Parallel()
	bubble(t, Config{}, nil, func(t *testing.T, c *Client, pn *pipeNet) {
		attempts := 0
		c.dial = func(context.Context, string, string) (net.Conn, error) {
			pn.mu.Lock()
			defer pn.mu.Unlock()
			attempts++
			return nil, net.ErrClosed
		}
		for range 100 {
			c.Warm(pipeTarget.Address, 1)
			<-time.After(100 * time.Millisecond)
		}
		synctest.Wait()
		assert.Equal(t, 10, attempts)
	})
}

// TestBreaksBeforeWritten: nothing was acted upon when not a byte, or not all
// of them, could be written.
func TestBreaksBeforeWritten(t *testing.T) {
	t.Parallel()
	bubble(t, Config{}, nil, func(t *testing.T, c *Client, _ *pipeNet) {
		dials := 0
		c.dial = func(context.Context, string, string) (net.Conn, error) {
			dials++
			near, far := net.Pipe()
			return near, far.Close()
		}
		call := c.Prepare(Target{Address: "nonsense"}, testTrigger(1))
		assert.Equal(t, NotSent, sendAndWait(c, call).Kind)
		r := sendAndWait(c, c.newCall(pipeTarget, "", []byte("{}")))
		assert.Equal(t, NotSent, r.Kind)
		assert.True(t, r.SentAt.IsZero())
		assert.Equal(t, maxTries, dials)
	})
	bubble(t, Config{}, func(p *peer) { _, _ = p.Read(make([]byte, 100)) },
		func(t *testing.T, c *Client, pn *pipeNet) {
			r := sendAndWait(c, c.newCall(pipeTarget, "", []byte("{}")))
			assert.Equal(t, NotSent, r.Kind)
			assert.False(t, r.SentAt.IsZero())
			assert.Equal(t, 1, pn.n)
		})
}
