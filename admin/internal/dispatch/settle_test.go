package dispatch

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// What becomes of a run whose first answer was lost after three seconds.
func TestSettle(t *testing.T) {
	first := func(then func(sending) execclient.Result) func(p *played) {
		return func(p *played) {
			n := 0
			p.reply = func(s sending) execclient.Result {
				p.mu.Lock()
				n++
				again := n > 1
				p.mu.Unlock()
				if again {
					return then(s)
				}
				return unanswered(s)
			}
		}
	}
	silent := func(p *played) {
		p.reply = unanswered
		p.idle = func(string) (bool, string, error) { return false, "", errHangs }
		p.log = func(int64) (bool, error) { return false, errHangs }
	}
	tests := []struct {
		name    string
		native  bool
		play    func(p *played)
		sent    int
		code    int32
		noRetry bool
		within  time.Duration // of the lost answer
	}{
		{name: "native: sent again, it runs once", native: true, play: first(accepted), sent: 2, code: 200, within: 0},
		{name: "native: sent until it answers", native: true, play: func(p *played) {
			n := 0
			p.reply = func(s sending) execclient.Result {
				p.mu.Lock()
				n++
				again := n > 3
				p.mu.Unlock()
				if again {
					return execclient.Result{Kind: execclient.Repeat, Code: 200, Msg: "repeat trigger job, logId:1"}
				}
				return execclient.Result{Kind: execclient.NotSent, Msg: "refused", Err: errDown}
			}
			p.reply = firstUnknown(p.reply)
		}, sent: 5, code: 200, within: 6500 * time.Millisecond},
		{name: "native: refused is refused", native: true, play: first(func(sending) execclient.Result {
			return execclient.Result{Kind: execclient.Refused, Code: 500, Msg: "stopping"}
		}), sent: 2, code: 500, within: 0},
		{name: "java: it has the log", play: func(p *played) {
			p.reply = unanswered
			p.log = func(int64) (bool, error) { return true, nil }
		}, sent: 1, code: 200, within: 0},
		{name: "java: no log, idle: sent once more", play: first(accepted), sent: 2, code: 200, within: 0},
		{name: "java: sent once more and repeated", play: first(func(sending) execclient.Result {
			return execclient.Result{Kind: execclient.Repeat, Code: 500, Msg: "repeate trigger job, logId:1"}
		}), sent: 2, code: 200, within: 0},
		{name: "java: no log, busy: never sent again, for COVER_EARLY would kill it", play: func(p *played) {
			p.reply = unanswered
			p.idle = func(string) (bool, string, error) { return false, "job thread is running or has trigger queue.", nil }
		}, sent: 1, code: 500, noRetry: true, within: 6500 * time.Millisecond},
		{name: "java: busy, then the log appears", play: func(p *played) {
			p.reply = unanswered
			p.idle = func(string) (bool, string, error) { return false, "", nil }
			n := 0
			p.log = func(int64) (bool, error) { n++; return n > 2, nil }
		}, sent: 1, code: 200, within: 4 * time.Second},
		{name: "java: sent once more, unanswered again, never a third time", play: func(p *played) {
			p.reply = unanswered
		}, sent: 2, code: 500, noRetry: true, within: 6500 * time.Millisecond},
		{name: "nobody answers", play: silent, sent: 1, code: 500, noRetry: true, within: 6500 * time.Millisecond},
		{name: "native: nobody answers", native: true, play: silent, sent: 5, code: 500, noRetry: true, within: 6500 * time.Millisecond},
		{name: "java: gone", play: func(p *played) {
			p.reply = unanswered
			p.log = func(int64) (bool, error) { return false, errDown }
		}, sent: 1, code: 500, noRetry: true, within: 6500 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.exec.native["http://a/"] = tt.native
				tt.play(w.exec)
				begin := time.Now()
				w.Add(w.item(1, bean(model.RouteFirst), 0))
				wait(30 * time.Second)
				out := w.outcome(t)
				assert.Equal(t, tt.code, out.Code)
				assert.Equal(t, tt.noRetry, out.NoRetry)
				assert.LessOrEqual(t, len(w.exec.sent()), tt.sent)
				if tt.code == 200 {
					assert.Len(t, w.exec.sent(), tt.sent)
				}
				assert.LessOrEqual(t, w.reported[0].Sub(begin), tt.within+100*time.Millisecond)
				for _, s := range w.exec.sent() {
					assert.Equal(t, w.exec.sent()[0].request, s.request, "the same ids, the same address")
					assert.Equal(t, "http://a/", s.address)
				}
				assert.False(t, w.Knows(1))
			})
		})
	}
}

// What is said of runs that nobody can tell anything of, or that are not sent, is
// in the language of the admin.
func TestSettleSpeaksTheLanguageOfTheAdmin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorldWith(t, func(c *Config) { c.Lang = i18n.ZhCN })
		w.exec.reply = func(sending) execclient.Result { return execclient.Result{Kind: execclient.Unknown} }
		w.exec.idle = func(string) (bool, string, error) { return true, "", nil }
		w.Add(w.item(1, bean(model.RouteFirst), 0))
		wait(30 * time.Second)
		assert.True(t, strings.HasSuffix(w.outcome(t).Msg, "：error, 无法确认执行器是否收到了本次触发: 已发送两次，均没有应答"),
			w.outcome(t).Msg)

		w.set(func() { w.reports = nil })
		it := w.item(2, bean(model.RouteFirst), 0)
		it.Stopped = true
		w.Add(it)
		wait(time.Second)
		assert.True(t, strings.HasSuffix(w.outcome(t).Msg, "：error, 任务在触发发出之前已被停止"), w.outcome(t).Msg)
	})
}

// After a crash an executor has much to catch up on, and cannot tell of a run
// that waits in its queue: it is asked for longer than one that has just been
// sent something.
func TestSettleWithABusyExecutorAfterACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		begin := time.Now()
		w.exec.idle = func(string) (bool, string, error) { return false, "job thread is running", nil }
		w.exec.log = func(int64) (bool, error) { return time.Since(begin) > 20*time.Second, nil }
		for id := int64(1); id <= 2; id++ {
			it := w.item(id, bean(model.RouteFirst), 0)
			it.Settle, it.Stopped = true, id == 2
			w.Add(it)
		}
		wait(19 * time.Second)
		assert.Equal(t, int64(2), w.outcomes()[0].LogID, "nobody waits for one that is not sent again")
		assert.NotEqual(t, model.CodeSuccess, w.outcome(t).Code)
		w.set(func() { w.reports = nil })
		wait(4*time.Second + settleSlow)
		require.Len(t, w.outcomes(), 1)
		assert.Equal(t, int64(1), w.outcomes()[0].LogID)
		assert.Equal(t, model.CodeSuccess, w.outcome(t).Code)
		assert.Empty(t, w.exec.sent())

		begin = time.Now().Add(time.Hour) // it never tells
		w.set(func() { w.reports = nil })
		it := w.item(3, bean(model.RouteFirst), 0)
		it.Settle = true
		w.Add(it)
		wait(takeoverLimit + settleEvery)
		assert.True(t, w.outcome(t).NoRetry)
	})
}

// An executor that answers without a log says nothing of the run.
func TestSettleWithoutALog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.exec.noLog = true
		it := w.item(1, bean(model.RouteFirst), 0)
		it.Settle = true
		w.Add(it)
		wait(takeoverLimit + settleEvery)
		assert.NotEqual(t, model.CodeSuccess, w.outcome(t).Code)
		assert.True(t, w.outcome(t).NoRetry)
		assert.Empty(t, w.exec.sent(), "and it is not sent a second time")
	})
}

// firstUnknown loses the first answer.
func firstUnknown(then func(sending) execclient.Result) func(sending) execclient.Result {
	lost := false
	return func(s sending) execclient.Result {
		if !lost {
			lost = true
			return unanswered(s)
		}
		return then(s)
	}
}

// The run of another node that may have been sent: asked before anything else.
func TestSettleOfARunThatIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		it := w.item(1, bean(model.RouteFirst), 2*time.Second)
		it.Settle = true
		w.Add(it)
		wait(1900 * time.Millisecond)
		assert.Empty(t, w.exec.questions(), "not before the old owner's last call can have ended")
		wait(time.Second)
		assert.Equal(t, []string{"log", "idle http://a/"}, w.exec.questions())
		assert.Len(t, w.exec.sent(), 1)
		assert.Equal(t, model.CodeSuccess, w.outcome(t).Code)

		// FAILOVER has no address on record: nothing was sent.
		w.set(func() { w.reports = nil })
		it = w.item(2, bean(model.RouteFailover), 0)
		it.Settle = true
		w.Add(it)
		wait(time.Second)
		assert.Equal(t, model.CodeSuccess, w.outcome(t).Code)
		assert.Equal(t, "http://a/", w.noted[2])

		// Its group is gone: nobody can be asked, so nothing is repeated.
		w.set(func() { w.reports = nil })
		it = w.item(3, bean(model.RouteFirst), 0)
		it.Settle = true
		w.set(func() { w.groups = nil })
		w.Add(it)
		wait(10 * time.Second)
		assert.True(t, w.outcome(t).NoRetry)
	})
}

// While a run of its own making is settled, others take this node for dead: it
// is theirs then, and neither sent again nor said to have failed.
func TestSettleOfARunThatOthersHaveTakenOver(t *testing.T) {
	for _, native := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.exec.native["http://a/"] = native
			w.exec.reply, w.exec.takes = unanswered, 3*time.Second
			it := w.item(1, bean(model.RouteFirst), 0)
			it.Run.Token = 0
			w.Add(it)
			wait(time.Second)
			w.DropOwn()
			wait(20 * time.Second)
			assert.Len(t, w.exec.sent(), 1)
			assert.Empty(t, w.outcomes())
			assert.False(t, w.Knows(1))
			// What is made afterwards is its own.
			w.exec.set(func() { w.exec.reply = accepted })
			it = w.item(2, bean(model.RouteFirst), 0)
			it.Run.Token = 0
			w.Add(it)
			wait(5 * time.Second)
			assert.Len(t, w.exec.sent(), 2)
			assert.Equal(t, model.CodeSuccess, w.outcome(t).Code)
		})
	}
}

// A stop on another node while a run is settled: what its executor turns out not
// to have is not sent.
func TestSettleOfARunWhoseJobIsStoppedElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var busy atomic.Bool
		busy.Store(true)
		w.exec.idle = func(string) (bool, string, error) { return !busy.Load(), "busy", nil }
		it := w.item(1, bean(model.RouteFirst), 0)
		it.Settle = true
		w.Add(it)
		wait(5 * time.Second)
		w.set(func() { w.stopped = true })
		busy.Store(false)
		wait(takeoverLimit)
		assert.Empty(t, w.exec.sent())
		assert.True(t, w.outcome(t).NoRetry)
	})
}
