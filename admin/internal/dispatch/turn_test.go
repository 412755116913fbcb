package dispatch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// ids of what was sent, in order.
func (p *played) ids() (ids []int64) {
	for _, s := range p.sent() {
		ids = append(ids, s.logID)
	}
	return ids
}

// A Java executor that gets two first triggers of a job at once kills one of
// them, so they go one after the other; other jobs and other executors do not
// wait.
func TestOneTriggerOfAJobAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.exec.set(func() { w.exec.takes = 100 * time.Millisecond })
		first, other, elsewhere := bean(model.RouteFirst), bean(model.RouteFirst), bean(model.RouteLast)
		other.ID = 4
		w.Add(w.item(1, first, 0), w.item(2, first, 0), w.item(3, first, 0), w.item(4, other, 0), w.item(5, elsewhere, 0))
		wait(10 * time.Millisecond)
		assert.Equal(t, []int64{1, 4}, w.exec.ids()[:2])
		wait(100 * time.Millisecond)
		assert.NotContains(t, w.exec.ids(), int64(3), "the answer to the second is not there")
		wait(100 * time.Millisecond)
		sent := w.exec.sent()
		last := map[int64]time.Time{}
		for _, s := range sent {
			last[s.logID] = s.at
		}
		assert.Equal(t, 100*time.Millisecond, last[2].Sub(last[1]))
		assert.Equal(t, 100*time.Millisecond, last[3].Sub(last[2]))
		wait(200 * time.Millisecond)
		assert.Len(t, w.outcomes(), 5)
		assert.Empty(t, w.turns)
	})
}

// An executor that hangs does not hold up the runs of a job for longer than
// turnWait each, and what was stopped meanwhile is not sent.
func TestTurnOfAJobWhoseExecutorHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.exec.set(func() {
			w.exec.takes = 3 * time.Second
			w.exec.reply = func(s sending) execclient.Result {
				return execclient.Result{Kind: execclient.NotSent, Msg: "hangs"}
			}
		})
		j := bean(model.RouteFirst)
		w.Add(w.item(1, j, 0), w.item(2, j, 0), w.item(3, j, 0))
		begin := time.Now()
		wait(1500 * time.Millisecond)
		assert.Equal(t, []int64{1, 2, 3}, w.exec.ids())
		for i, s := range w.exec.sent() {
			assert.InDelta(t, min(i, 1), s.at.Sub(begin).Seconds(), 0.01)
		}
		w.Add(w.item(4, j, 0))
		wait(100 * time.Millisecond)
		w.Cancel(j.ID)
		wait(10 * time.Second)
		assert.Len(t, w.outcomes(), 4)
		assert.Empty(t, w.turns)
		assert.Zero(t, w.Waiting())
	})
}

// A run that lost its lease while it waited for its turn lets the next ones go.
func TestTurnIsLeftWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.exec.set(func() { w.exec.takes = 100 * time.Millisecond })
		j := bean(model.RouteFirst)
		w.Add(w.item(1, j, 0), w.item(2, j, 0), w.item(3, j, 0))
		wait(50 * time.Millisecond)
		w.set(func() { w.stale = true })
		wait(100 * time.Millisecond)
		assert.Equal(t, []int64{1}, w.exec.ids(), "the second has its turn and is held")
		w.set(func() { w.stale = false })
		wait(3 * time.Second)
		assert.Equal(t, []int64{1, 2, 3}, w.exec.ids())
		assert.ElementsMatch(t, []int64{}, w.DropShards(func(int32) bool { return true }))
		assert.Empty(t, w.turns)
	})
}
