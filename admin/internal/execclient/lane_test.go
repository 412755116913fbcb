package execclient

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hang answers nothing until the test ends, and tells of every request.
func hang(arrived chan<- struct{}) func(*peer) {
	return answering(func(*peer, seen) { arrived <- struct{}{} })
}

func TestRefusedConnection(t *testing.T) {
	t.Parallel()
	client := newClient(t, Config{})
	address := closedAddress(t)
	for range 2 {
		r := trigger(client, Target{Address: address + "/"}, 1)
		assert.Equal(t, NotSent, r.Kind)
		assert.Equal(t, "Http Request Error (Connection refused). for url : "+address+"/run", r.Msg)
		assert.True(t, r.SentAt.IsZero())
		assert.True(t, client.Dead(address))
		assert.False(t, client.Stats()[address].DeadSince.IsZero())
	}
}

func TestDeadAndBack(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	broken.Store(true)
	address := executor(t, answering(func(p *peer, _ seen) {
		if broken.Load() {
			p.reset()
			return
		}
		p.ok(success)
	}))
	client := newClient(t, Config{})
	assert.False(t, client.Dead(address))
	r := trigger(client, Target{Address: address}, 1)
	assert.Equal(t, Unknown, r.Kind)
	assert.Contains(t, r.Msg, "Connection reset")
	assert.True(t, client.Dead(address))
	broken.Store(false)
	assert.Equal(t, Accepted, trigger(client, Target{Address: address}, 1).Kind)
	assert.False(t, client.Dead(address))
}

func TestBadTargets(t *testing.T) {
	t.Parallel()
	client := newClient(t, Config{})
	address := executor(t, answering(func(p *peer, _ seen) { p.ok(success) }))
	for _, target := range []Target{
		{Address: "10.0.0.1:9999"},
		{Address: ""},
		{Address: "http://169.254.169.254/latest"},
		{Address: address, AppName: "a\r\nX-Evil: 1"},
		{Address: address, Token: "a\nb"},
	} {
		r := trigger(client, target, 1)
		assert.Equal(t, NotSent, r.Kind, "%+v", target)
		require.ErrorIs(t, r.Err, ErrAddress)
	}
	assert.Contains(t, trigger(client, Target{Address: "http://169.254.169.254/"}, 1).Msg,
		"(address: 169.254.169.254 is no address for an executor)")
}

// TestHangingExecutorCostsOthersNothing: its lane is full of waiting calls, and
// the neighbours answer as ever.
func TestHangingExecutorCostsOthersNothing(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 1000)
	hanging := executor(t, hang(arrived))
	quick := executor(t, answering(func(p *peer, _ seen) { p.ok(success) }))
	client := newClient(t, Config{Timeout: time.Second})
	var wg sync.WaitGroup
	for id := range int64(500) {
		wg.Add(1)
		client.Send(client.Prepare(Target{Address: hanging}, testTrigger(id)), func(Result) { wg.Done() })
	}
	for range DefaultConnsMax {
		<-arrived
	}
	stats := client.Stats()[laneKey(hanging)]
	assert.Equal(t, DefaultConnsMax, stats.InFlight)
	assert.Equal(t, 500-DefaultConnsMax, stats.Depth)
	for id := range int64(100) {
		start := time.Now()
		require.Equal(t, Accepted, trigger(client, Target{Address: quick}, id).Kind)
		require.Less(t, time.Since(start), 2500*time.Millisecond)
	}
	client.Close()
	wg.Wait()
}

func TestQueueFull(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 10)
	address := executor(t, hang(arrived))
	client := newClient(t, Config{Timeout: time.Second, QueueMax: 3, ConnsMax: 1})
	results := make(chan Result, 10)
	send := func(id int64) {
		client.Send(client.Prepare(Target{Address: address}, testTrigger(id)), func(r Result) { results <- r })
	}
	send(0)
	<-arrived
	for id := range int64(4) {
		send(id)
	}
	r := <-results
	assert.Equal(t, NotSent, r.Kind)
	require.ErrorIs(t, r.Err, ErrQueueFull)
	client.Close()
	kinds := map[Kind]int{}
	for range 4 {
		kinds[(<-results).Kind]++
	}
	assert.Equal(t, map[Kind]int{Unknown: 1, NotSent: 3}, kinds) // the one in flight ran into its timeout
	assert.Empty(t, results)
}

func TestClose(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	arrived := make(chan struct{}, 1)
	address := executor(t, answering(func(p *peer, _ seen) { arrived <- struct{}{}; <-release; p.ok(success) }))
	client := newClient(t, Config{ConnsMax: 1})
	results := make(chan Result, 2)
	for id := range int64(2) {
		client.Send(client.Prepare(Target{Address: address}, testTrigger(id)), func(r Result) { results <- r })
		if id == 0 {
			<-arrived
		}
	}
	ran := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { ran <- client.Run(ctx) }()
	cancel()
	r := <-results // the one that waited
	assert.Equal(t, NotSent, r.Kind)
	require.ErrorIs(t, r.Err, ErrClosed)
	close(release)
	assert.Equal(t, Accepted, (<-results).Kind) // the one in flight
	require.NoError(t, <-ran)
	require.ErrorIs(t, client.Run(t.Context()), ErrClosed)

	r = trigger(client, Target{Address: address}, 3)
	assert.Equal(t, NotSent, r.Kind)
	require.ErrorIs(t, r.Err, ErrClosed)
	require.ErrorIs(t, client.Beat(t.Context(), Target{Address: address}), ErrClosed)
	client.Warm(address, 3)
	assert.Empty(t, client.Stats())
}

// TestEveryCallEndsOnce sends from many goroutines, to executors that answer,
// close and refuse, while the client is closed.
func TestEveryCallEndsOnce(t *testing.T) {
	t.Parallel()
	quick := executor(t, answering(func(p *peer, _ seen) { p.ok(success) }))
	rude := executor(t, func(p *peer) { p.next(); p.ok(success); _ = p.Close() })
	addresses := []string{quick, rude, closedAddress(t)}
	for range 20 {
		client := newClient(t, Config{ConnsMax: 3})
		var sent, ended atomic.Int64
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 50 {
					target := Target{Address: addresses[(g+i)%len(addresses)]}
					sent.Add(1)
					client.Send(client.Prepare(target, testTrigger(int64(i))), func(r Result) {
						ended.Add(1)
						if r.Kind == 0 {
							t.Errorf("result %+v", r)
						}
					})
					if i == 40 && g == 0 {
						client.Close()
					}
				}
			})
		}
		wg.Wait()
		client.Close()
		require.Equal(t, sent.Load(), ended.Load())
	}
}

func TestWarm(t *testing.T) {
	t.Parallel()
	opened, release := make(chan int, 100), make(chan struct{})
	address := executor(t, func(p *peer) {
		opened <- p.n
		<-release
		answering(func(p *peer, _ seen) { p.ok(success) })(p)
	})
	client := newClient(t, Config{ConnsMax: 8})
	client.Warm(address, 5)
	for range 5 {
		<-opened
	}
	client.Warm(address, 100)
	for range 3 {
		<-opened
	}
	close(release)
	var wg sync.WaitGroup
	for id := range int64(200) {
		wg.Add(1)
		client.Send(client.Prepare(Target{Address: address}, testTrigger(id)), func(r Result) {
			defer wg.Done()
			assert.Equal(t, Accepted, r.Kind)
		})
	}
	wg.Wait()
	assert.Empty(t, opened) // no connection but the warm ones
	client.Warm("nonsense", 3)
	client.Warm(closedAddress(t), 3)
}

// TestCallIsSentAgain: a call may be used to settle what it left in doubt, also
// from its own done function.
func TestCallIsSentAgain(t *testing.T) {
	t.Parallel()
	var got recorder
	address := executor(t, answering(func(p *peer, s seen) {
		got.add(s)
		if len(got.all()) == 1 {
			p.reset()
			return
		}
		p.ok(success)
	}))
	client := newClient(t, Config{})
	call := client.Prepare(Target{Address: address}, testTrigger(1))
	second := make(chan Result, 1)
	client.Send(call, func(first Result) {
		assert.Equal(t, Unknown, first.Kind)
		client.Send(call, func(r Result) { second <- r })
	})
	assert.Equal(t, Accepted, (<-second).Kind)
	seen := got.all()
	assert.Equal(t, seen[0].body, seen[1].body)
}

// TestCancel takes back what waits, and nothing else.
func TestCancel(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 10)
	address := executor(t, hang(arrived))
	client := newClient(t, Config{Timeout: time.Second, ConnsMax: 1})
	results := make(chan Result, 10)
	var calls [3]*Call
	for i := range calls {
		calls[i] = client.Prepare(Target{Address: address}, testTrigger(int64(i)))
		assert.False(t, client.Cancel(calls[i]))
		client.Send(calls[i], func(r Result) { results <- r })
		if i == 0 {
			<-arrived
		}
	}
	assert.False(t, client.Cancel(calls[0])) // in flight
	assert.True(t, client.Cancel(calls[1]))
	assert.False(t, client.Cancel(calls[1]))
	client.Close()
	assert.ElementsMatch(t, []Kind{Unknown, NotSent}, []Kind{(<-results).Kind, (<-results).Kind})
	assert.Empty(t, results)
}

// TestGuard: a call that waits in its lane while the permission to send it
// ends is never written, and the connection goes on.
func TestGuard(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 10)
	release := make(chan struct{})
	address := executor(t, answering(func(p *peer, _ seen) {
		arrived <- struct{}{}
		<-release
		p.ok(success)
	}))
	client := newClient(t, Config{ConnsMax: 1})
	var allowed atomic.Bool
	allowed.Store(true)
	results := make(chan Result, 3)
	for id := range int64(3) {
		call := client.Prepare(Target{Address: address}, testTrigger(id))
		if id < 2 {
			call.Guard = allowed.Load
		}
		client.Send(call, func(r Result) { results <- r })
		if id == 0 {
			<-arrived
		}
	}
	allowed.Store(false)
	close(release)
	assert.Equal(t, Accepted, (<-results).Kind) // was written before
	r := <-results
	assert.Equal(t, NotSent, r.Kind)
	require.ErrorIs(t, r.Err, ErrFenced)
	assert.True(t, r.SentAt.IsZero())
	assert.Equal(t, Accepted, (<-results).Kind)
	assert.Len(t, arrived, 1) // the last one
}

func TestNative(t *testing.T) {
	t.Parallel()
	var got recorder
	address := executor(t, ours("", "app", &got))
	client := newClient(t, Config{})
	assert.False(t, client.Native(address))
	assert.Empty(t, client.Stats()) // asking makes no lane
	require.NoError(t, client.Beat(t.Context(), Target{Address: address, AppName: "app"}))
	assert.True(t, client.Native(address))
	client.Remember([]AddressInfo{{Address: address}, {Address: "http://other/", Native: true}})
	assert.False(t, client.Native(address)) // what is remembered replaces it
	assert.True(t, client.Native("http://other"))
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for _, cfg := range []Config{
		{Timeout: time.Millisecond},
		{Timeout: time.Minute},
		{IdleTimeout: 2 * time.Minute},
		{QueueMax: -1},
		{Dialect: "C"},
		{GlobalToken: "a\r\nb"},
	} {
		_, err := New(cfg)
		require.Error(t, err, fmt.Sprintf("%+v", cfg))
	}
	assert.Equal(t, "accepted refused repeat not_sent unknown none",
		fmt.Sprint(Accepted, Refused, Repeat, NotSent, Unknown, Kind(0)))
}
