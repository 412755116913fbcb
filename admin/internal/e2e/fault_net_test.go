//go:build linux && long

package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestHalfOpenDatabase lets every connection to the database go dead without a
// word, and new ones too for a while; the old ones never come back. The admin
// gives them up and goes on by new ones.
func TestHalfOpenDatabase(t *testing.T) {
	t.Parallel()
	onServers(t, func(t *testing.T, db string) {
		w, p := faulty(t, db, pick(40, 300))
		from := time.Now()
		p.swallow()
		pass(t, pick(9*time.Second, 30*time.Second))
		p.heal()
		end := time.Now()
		// What was sent into the hole is waited for until its limit.
		w.outage(span{from.UnixMilli(), end.Add(halfOpenLimit).UnixMilli()})
		w.proveRecovery(t, end, halfOpenLimit)
	})
}

// TestForgottenConnections lets every connection to the database go dead at one
// moment, as when a firewall on the way starts anew; new ones work at once.
func TestForgottenConnections(t *testing.T) {
	t.Parallel()
	onServers(t, func(t *testing.T, db string) {
		w, p := faulty(t, db, pick(40, 300))
		from := time.Now()
		p.swallow()
		p.heal()
		w.outage(span{from.UnixMilli(), from.Add(halfOpenLimit).UnixMilli()})
		pass(t, pick(20*time.Second, 30*time.Second))
		prove(t, w.gather(t)) // what is given up is due within halfOpenLimit
	})
}

// halfOpenLimit is how long after a network is there again the admin may take
// to give up its dead connections.
const halfOpenLimit = 10 * time.Second

// TestSlowDatabase makes every statement 200 ms slower: nothing is missed,
// doubled or given up, and nothing is later than 10 s.
func TestSlowDatabase(t *testing.T) {
	t.Parallel()
	onServers(t, func(t *testing.T, db string) {
		w, p := faulty(t, db, pick(40, 200))
		begin := time.Now()
		p.slow(200 * time.Millisecond)
		pass(t, pick(10*time.Second, time.Minute))
		end := time.Now()
		p.slow(0)
		pass(t, 3*time.Second)
		w.doubt()
		e := w.gather(t)
		prove(t, e)
		late := e.latenesses(func(r record) bool {
			return r.trigger > begin.UnixMilli()+2000 && r.trigger < end.UnixMilli()
		})
		t.Logf("with statements 200 ms slower: late p50 %v p99 %v max %v",
			quantile(late, 0.5), quantile(late, 0.99), quantile(late, 1))
		assert.LessOrEqual(t, quantile(late, 1), inShort(10*time.Second), "lateness on a slow database")
	})
}
