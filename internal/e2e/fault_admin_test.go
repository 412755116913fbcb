//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// sendMany sends n triggers that must be accepted, over so many jobs, from
// several connections.
func (l *ledger) sendMany(t *testing.T, c *client, n, jobs int, handler, param string) {
	t.Helper()
	var senders sync.WaitGroup
	var faults atomic.Int64
	for w := range loadWorkers {
		senders.Go(func() {
			for i := w; i < n; i += loadWorkers {
				res, err := l.send(c, trigger(int32(i%jobs)+1, handler, param))
				if !assert.NoError(t, err) || !assert.Equal(t, wire.CodeSuccess, res.Code, res.Msg.String) {
					faults.Add(1)
					return
				}
			}
		})
	}
	senders.Wait()
	require.Zero(t, faults.Load(), "triggers were refused")
}

// waitIdle blocks until jobs 1 to n neither run nor wait.
func waitIdle(t *testing.T, c *client, n int) {
	t.Helper()
	job := 1
	waitFor(t, 2*time.Minute, "jobs idle", func() bool {
		for job <= n && c.idle(int32(job)) {
			job++
		}
		return job > n
	})
}

// TestAdminDownUnderTriggers takes the admin away while triggers go on coming.
func TestAdminDownUnderTriggers(t *testing.T) {
	t.Parallel()
	outage, count, jobs := pick(5*time.Second, time.Minute), 2000, 20
	a, l := newAdmin(t), newLedger(t)
	p := start(t, setup{Admin: a.url()})
	waitFor(t, startLimit, "first heartbeat", func() bool { return a.beats.Load() > 0 })
	l.sendMany(t, p.client, 100, jobs, "bench", "")
	l.waitDelivered(t, 30*time.Second, a)
	a.set(t, down)
	begin := time.Now()
	const parts = 20
	for range parts {
		l.sendMany(t, p.client, count/parts, jobs, "echo", "during the outage")
		pause(outage / parts)
	}
	assert.Equal(t, 100, a.ackedCount())
	beats := a.beats.Load()
	a.set(t, up)
	back := time.Now()
	l.waitDelivered(t, time.Minute, a)
	waitFor(t, 30*time.Second, "heartbeats again", func() bool { return a.beats.Load() > beats })
	l.check(t, a)
	t.Logf("admin down for %v; all delivered %v after its return; %s",
		back.Sub(begin).Round(time.Second), a.last().Sub(back).Round(10*time.Millisecond), l.figures(a))
}

// TestRestartWithUnsentResultsAndHangingAdmin restarts on a journal full of
// results while the first of two admins hangs.
func TestRestartWithUnsentResultsAndHangingAdmin(t *testing.T) {
	t.Parallel()
	const count, jobs = 10_000, 50
	first, second, l := newAdmin(t), newAdmin(t), newLedger(t)
	first.set(t, down)
	second.set(t, down)
	p := start(t, setup{Admin: first.url() + "," + second.url()})
	l.sendMany(t, p.client, count, jobs, "bench", "")
	waitIdle(t, p.client, jobs)
	p.kill()
	first.set(t, hanging)
	second.set(t, up)
	begin := time.Now()
	p.again(t)
	ready := time.Since(begin)
	// One short timeout of the hanging admin, and then it is passed over.
	waitFor(t, 15*time.Second, "heartbeat at the second admin", func() bool { return second.beats.Load() > 0 })
	l.waitDelivered(t, 2*time.Minute, second)
	delivered := second.last().Sub(begin)
	l.check(t, first, second)
	assert.Less(t, delivered, time.Minute, "delivery of all")
	t.Logf("ready after %v, all %d delivered after %v; %s", ready.Round(time.Millisecond), count,
		delivered.Round(10*time.Millisecond), l.figures(first, second))
}

// TestRefusedResultIsSetAside has an admin that refuses one result for good.
func TestRefusedResultIsSetAside(t *testing.T) {
	t.Parallel()
	a, l := newAdmin(t), newLedger(t)
	p := start(t, setup{Admin: a.url()})
	poison := trigger(7, "echo", "poison")
	a.refuseID.Store(poison.LogID)
	res, err := p.run(poison) // not in the ledger: its result is not to arrive
	require.NoError(t, err)
	require.Equal(t, wire.CodeSuccess, res.Code)
	aside := filepath.Join(p.journalDir(), "set-aside.jsonl")
	begin := time.Now()
	good := 0
	waitFor(t, 2*time.Minute, "result set aside", func() bool {
		if time.Since(begin) > time.Duration(good)*100*time.Millisecond { // results that pass, all the time
			l.mustSend(t, p.client, trigger(int32(good%5)+1, "echo", "good "+strconv.Itoa(good)))
			good++
		}
		// The file is there a moment before its line is.
		lines, err := os.ReadFile(aside)
		return err == nil && bytes.HasSuffix(lines, []byte("\n"))
	})
	took := time.Since(begin)
	l.waitDelivered(t, 30*time.Second, a)
	lines, err := os.ReadFile(aside)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(lines), "\n"), "results set aside: %s", lines)
	assert.Contains(t, string(lines), fmt.Sprintf(`"logId":%d,`, poison.LogID))
	assert.Contains(t, string(lines), "poison")
	assert.Contains(t, p.output(), "result set aside")
	// The journal writes in order: behind this one nothing of before is pending.
	l.mustSend(t, p.client, trigger(1, "echo", "before the restart"))
	l.waitDelivered(t, 30*time.Second, a)
	p.kill()
	a.refuseID.Store(0)
	p = p.again(t)
	l.mustSend(t, p.client, trigger(1, "echo", "after the restart"))
	l.waitDelivered(t, 30*time.Second, a)
	_, delivered := a.result(poison.LogID)
	assert.False(t, delivered, "a result that was set aside was sent again")
	t.Logf("set aside after %v, while %d others were delivered in %d posts", took.Round(100*time.Millisecond),
		good, a.posts.Load())
}

// TestProxyThatLimitsBodies puts a limit on the size of posts before the admin.
func TestProxyThatLimitsBodies(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		limit   int64
		wantCut bool // the messages of 50,000 characters do not pass whole
	}{
		{name: "1 MiB", limit: 1 << 20},
		{name: "64 KiB", limit: 64 << 10, wantCut: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, l := newAdmin(t), newLedger(t)
			a.maxBody.Store(tt.limit)
			a.set(t, down) // so that results gather
			p := start(t, setup{Admin: a.url()})
			l.sendMany(t, p.client, 200, 20, "bigmsg", "9000")
			var big []wire.TriggerRequest
			for i := range 5 {
				big = append(big, trigger(int32(100+i), "bigmsg", "60000"))
				res, err := p.run(big[i])
				require.NoError(t, err)
				require.Equal(t, wire.CodeSuccess, res.Code)
			}
			waitIdle(t, p.client, 20)
			a.set(t, up)
			l.waitDelivered(t, time.Minute, a)
			for _, tr := range big {
				item := a.waitResult(t, tr.LogID, time.Minute)
				want := wire.TruncateMessage(strings.Repeat("x", 60_000), wire.MaxResultMessage)
				if tt.wantCut {
					want = wire.TruncateMessage(want, wire.MaxStoredMessage)
				}
				assert.Equal(t, wire.CodeSuccess, item.Code)
				assert.Equal(t, want, item.Msg.String)
			}
			if tt.wantCut {
				assert.NotZero(t, a.tooLarge.Load())
			} else {
				assert.Zero(t, a.tooLarge.Load(), "posts above 512 KiB")
			}
			t.Logf("%d posts, %d of them answered 413, the largest of %d bytes", a.posts.Load(),
				a.tooLarge.Load(), a.largestPost())
		})
	}
}

// TestEveryAnswerOfAnAdmin has an admin fail in each way and then recover.
func TestEveryAnswerOfAnAdmin(t *testing.T) {
	t.Parallel()
	for m := down; m < modes; m++ {
		t.Run(m.String(), func(t *testing.T) {
			t.Parallel()
			a, l := newAdmin(t), newLedger(t)
			a.set(t, m)
			p := start(t, setup{Admin: a.url()})
			l.sendMany(t, p.client, 60, 10, "echo", "kept")
			waitFor(t, 30*time.Second, "posts that fail", func() bool {
				return a.posts.Load() >= 2 || m == down && strings.Contains(p.output(), "results not delivered")
			})
			assert.Zero(t, a.ackedCount())
			a.set(t, up)
			l.waitDelivered(t, time.Minute, a)
			l.check(t, a)
			p.terminate(t, 15*time.Second)
		})
	}
}
