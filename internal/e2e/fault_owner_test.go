//go:build linux

package e2e

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lockWait is Config.LockWait of the kitchensink.
const lockWait = 20 * time.Second

// TestSecondOwnerOfALogPath starts a second process of the same executor while
// the first goes on.
func TestSecondOwnerOfALogPath(t *testing.T) {
	t.Parallel()
	a, l := newAdmin(t), newLedger(t)
	first := start(t, setup{Admin: a.url()})
	begin := time.Now()
	second := launch(t, first.setup)
	waitFor(t, lockWait+10*time.Second, "end of the second process", second.ended)
	took := time.Since(begin)
	require.Error(t, second.err)
	assert.GreaterOrEqual(t, took, lockWait-time.Second)
	assert.Contains(t, second.output(), "is in use by another process")
	assert.Contains(t, second.output(), "log path")
	l.mustSend(t, first.client, trigger(1, "echo", "undisturbed"))
	l.waitDelivered(t, 30*time.Second, a)
	l.check(t, a)
}

// TestNewProcessWaitsForTheOld overlaps an old process that is ending with the
// new one, as a rolling update does.
func TestNewProcessWaitsForTheOld(t *testing.T) {
	t.Parallel()
	a, l := newAdmin(t), newLedger(t)
	old := start(t, setup{Admin: a.url()})
	l.mustSend(t, old.client, trigger(1, "sleep", "3000"))
	next := launch(t, old.setup)
	old.signal(t, syscall.SIGTERM)
	waitFor(t, 15*time.Second, "end of the old process", old.ended)
	require.NoError(t, old.err)
	next.waitReady(t)
	l.mustSend(t, next.client, trigger(1, "echo", "the new one"))
	l.waitDelivered(t, 30*time.Second, a)
	next.terminate(t, 15*time.Second)
	l.check(t, a)
}

// TestTwoPortsShareALogPath runs two executors of one name on one log path, and
// then has the one adopt what the other left behind.
func TestTwoPortsShareALogPath(t *testing.T) {
	t.Parallel()
	a, l := newAdmin(t), newLedger(t)
	one := start(t, setup{Admin: a.url()})
	two := start(t, setup{Admin: a.url(), Dir: one.Dir})
	for range 20 {
		l.mustSend(t, one.client, trigger(1, "echo", "one"))
		l.mustSend(t, two.client, trigger(1, "echo", "two"))
	}
	l.waitDelivered(t, 30*time.Second, a)
	a.set(t, down)
	left := l.mustSend(t, two.client, trigger(2, "mark", l.marks))
	waitIdle(t, two.client, 2)
	two.kill() // for good: its result lies in a journal that has no owner
	one.kill()
	a.set(t, up)
	one = one.again(t)
	assert.Contains(t, one.output(), "adopted")
	l.waitDelivered(t, 30*time.Second, a)
	res, err := l.send(one.client, left)
	require.NoError(t, err)
	assert.Contains(t, res.Msg.String, "repeat trigger", "a trigger of the adopted journal")
	l.check(t, a)
}
