//go:build linux

package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// sentBook returns a ledger with n accepted triggers.
func sentBook(n int) *ledger {
	l := newLedger(firstID, n)
	for i := range n {
		l.send(i, time.Now())
		l.settle(i, accepted, time.Now())
	}
	return l
}

func TestAwaitReturnsWithTheLastResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, begin := sentBook(2), time.Now()
		go func() {
			for i := range 2 {
				pause(t.Context(), patience-time.Second)
				l.deliver(result(i, wire.CodeSuccess), time.Now())
			}
		}()
		last := await(t.Context(), l)
		assert.Equal(t, 2*(patience-time.Second), time.Since(begin))
		assert.Equal(t, time.Since(begin), last.Sub(begin))
	})
}

func TestAwaitGivesUpLostResults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, begin := sentBook(2), time.Now()
		l.deliver(result(0, wire.CodeSuccess), time.Now())
		last := await(t.Context(), l)
		assert.Equal(t, patience, time.Since(begin), "the wait is bounded")
		assert.Equal(t, begin, last, "the wait for what is lost is no part of the figures")
		assert.Equal(t, 1, l.totals(wire.CodeSuccess).lost)
	})
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		await(ctx, sentBook(1))
		assert.Equal(t, time.Second, time.Since(begin))
	})
}

// TestWaves lets an executor hold at most one wave of triggers.
func TestWaves(t *testing.T) {
	t.Parallel()
	const triggers, wave = 25, 10
	book := newLedger(firstID, triggers)
	var held, most, seen atomic.Int64
	port := serveExecutor(t, func(_ wire.TriggerRequest, w http.ResponseWriter) {
		seen.Add(1)
		most.Store(max(most.Load(), held.Add(1)))
		success(w)
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { // reports what was accepted, a moment later
		defer close(done)
		for next := 0; next < triggers && ctx.Err() == nil; {
			if book.outstanding() < min(wave, triggers-next) {
				pause(ctx, time.Millisecond)
				continue
			}
			for range min(wave, triggers-next) {
				held.Add(-1)
				book.deliver(result(next, wire.CodeSuccess), time.Now())
				next++
			}
		}
	}()
	defer func() { cancel(); <-done }()

	b := &bench{opt: options{conns: 1}}
	e := &executor{client: newClient(port)}
	defer e.close()
	wall, all, err := b.waves(ctx, e, load{handler: "bench", jobs: 1, book: book, count: triggers, wave: wave}, time.Now())
	require.NoError(t, err)
	assert.Equal(t, totals{sent: triggers, accepted: triggers}, book.totals(wire.CodeSuccess))
	assert.Equal(t, int64(triggers), seen.Load())
	assert.LessOrEqual(t, most.Load(), int64(wave))
	assert.Positive(t, wall)
	assert.GreaterOrEqual(t, all, wall, "sending alone does not take longer than everything")
}

// TestJudge makes faults of our executor's mistakes and notes of Java's.
func TestJudge(t *testing.T) {
	t.Parallel()
	lossy := totals{sent: 2, accepted: 2, lost: 1}
	ours, java := &executor{kind: kind{name: "ours", ours: true}}, &executor{kind: kind{name: "Java"}}
	b := &bench{report: &report{}}
	b.judge(ours, totals{sent: 2, accepted: 1, refused: 1}, nil)
	assert.Empty(t, b.report.faults)
	b.judge(java, lossy, nil)
	assert.Empty(t, b.report.faults)
	assert.Len(t, b.report.notes, 1)
	b.judge(ours, lossy, nil)
	require.Len(t, b.report.faults, 1)
	assert.Contains(t, b.report.faults[0], "1 results lost")
}

// TestPlaceKeepsOnDisk removes at once only what lies in memory.
func TestPlaceKeepsOnDisk(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{true, false} {
		p := place{dir: t.TempDir(), keep: keep}
		var made string
		require.NoError(t, p.within(func(dir string) error {
			made = dir
			return os.WriteFile(filepath.Join(dir, "a"), nil, 0o600)
		}))
		_, err := os.Stat(made)
		assert.Equal(t, keep, err == nil)
	}
}
