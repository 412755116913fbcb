//go:build linux

package main

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

const firstID = 5000

// start is any instant; ledgers take the time as an argument.
var start = time.UnixMilli(1_700_000_000_000)

func result(i int, code int32) []wire.CallbackItem {
	return []wire.CallbackItem{{LogID: firstID + int64(i), Code: code}}
}

func TestLedgerBalance(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		do        func(l *ledger)
		want      totals
		wantClean bool
	}{
		{name: "nothing sent", do: func(*ledger) {}, wantClean: true},
		{
			name: "accepted and reported",
			do: func(l *ledger) {
				l.send(0, start)
				l.settle(0, accepted, start)
				l.deliver(result(0, 200), start)
			},
			want: totals{sent: 1, accepted: 1}, wantClean: true,
		},
		{
			name: "reported before the answer came",
			do: func(l *ledger) {
				l.send(0, start)
				l.deliver(result(0, 200), start)
				l.settle(0, accepted, start)
			},
			want: totals{sent: 1, accepted: 1}, wantClean: true,
		},
		{
			name: "lost",
			do: func(l *ledger) {
				l.send(1, start)
				l.settle(1, accepted, start)
			},
			want: totals{sent: 1, accepted: 1, lost: 1},
		},
		{
			name: "doubled",
			do: func(l *ledger) {
				l.send(0, start)
				l.settle(0, accepted, start)
				l.deliver(append(result(0, 200), result(0, 200)...), start)
			},
			want: totals{sent: 1, accepted: 1, doubled: 1},
		},
		{
			name: "refused",
			do: func(l *ledger) {
				l.send(0, start)
				l.settle(0, refused, start)
			},
			want: totals{sent: 1, refused: 1}, wantClean: true,
		},
		{
			name: "refused and yet reported",
			do: func(l *ledger) {
				l.send(0, start)
				l.settle(0, refused, start)
				l.deliver(result(0, 200), start)
			},
			want: totals{sent: 1, refused: 1, ghost: 1},
		},
		{
			name: "no answer",
			do: func(l *ledger) {
				l.send(0, start)
				l.settle(0, failed, start)
			},
			want: totals{sent: 1, failed: 1},
		},
		{
			name: "wrong code, and the first result counts",
			do: func(l *ledger) {
				l.send(0, start)
				l.settle(0, accepted, start)
				l.deliver(result(0, 500), start)
				l.deliver(result(0, 200), start)
			},
			want: totals{sent: 1, accepted: 1, doubled: 1, wrong: 1},
		},
		{
			name: "never sent, below and above",
			do: func(l *ledger) {
				l.deliver(result(0, 200), start)
				l.deliver(result(-1, 200), start)
				l.deliver(result(3, 200), start)
			},
			want: totals{unknown: 3},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(firstID, 3)
			tt.do(l)
			got := l.totals(wire.CodeSuccess)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.wantClean, got.clean())
			assert.Equal(t, tt.want.lost, l.outstanding())
		})
	}
}

// TestTotalsPlus adds up every field: one that is forgotten would hide a loss.
func TestTotalsPlus(t *testing.T) {
	t.Parallel()
	a := totals{sent: 1, accepted: 2, refused: 3, failed: 4, lost: 5, doubled: 6, ghost: 7, wrong: 8, unknown: 9}
	want := totals{sent: 2, accepted: 4, refused: 6, failed: 8, lost: 10, doubled: 12, ghost: 14, wrong: 16, unknown: 18}
	assert.Equal(t, want, a.plus(a))
}

func TestLedgerTimes(t *testing.T) {
	t.Parallel()
	l := newLedger(firstID, 3)
	for i := range 3 {
		l.send(i, start)
	}
	l.settle(0, accepted, start.Add(2*time.Millisecond))
	l.deliver(result(0, 200), start.Add(7*time.Millisecond))
	l.deliver(result(0, 200), start.Add(time.Hour)) // the first one counts
	l.settle(1, refused, start.Add(time.Second))    // no part of the figures
	l.settle(2, accepted, start.Add(3*time.Millisecond))
	answers, results := l.times()
	assert.Equal(t, []time.Duration{2 * time.Millisecond, 3 * time.Millisecond}, answers)
	assert.Equal(t, []time.Duration{7 * time.Millisecond}, results)
}

// TestLedgerConcurrently sends, answers and delivers from many goroutines.
func TestLedgerConcurrently(t *testing.T) {
	t.Parallel()
	const n = 1000
	l := newLedger(firstID, n)
	for i := range n {
		l.send(i, start)
	}
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			for i := w; i < n; i += 4 {
				l.settle(i, accepted, start)
			}
		})
		group.Go(func() {
			for i := n - 1 - w; i >= 0; i -= 4 {
				l.deliver(result(i, 200), start)
			}
		})
	}
	group.Wait()
	require.Zero(t, l.outstanding())
	assert.Equal(t, totals{sent: n, accepted: n}, l.totals(wire.CodeSuccess))
}
