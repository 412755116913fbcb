package dispatch

import (
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/route"
)

func TestSentAtTheInstantInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		j := bean(model.RouteFirst)
		var items []Item
		for id := int64(1); id <= 200; id++ {
			items = append(items, w.item(id, j, time.Duration(1+id%7)*100*time.Millisecond))
		}
		rand.Shuffle(len(items), func(a, b int) { items[a], items[b] = items[b], items[a] })
		begin := time.Now()
		w.Add(items...)
		w.Add(items[:10]...) // already here
		assert.Equal(t, 200, w.Waiting())
		wait(time.Second)
		sent := w.exec.sent()
		require.Equal(t, 200, len(sent))
		for i, s := range sent {
			due := time.Duration(1+s.logID%7) * 100 * time.Millisecond
			assert.Equal(t, due, s.at.Sub(begin), "exactly at its instant")
			if i > 0 && s.at.Equal(sent[i-1].at) {
				assert.Greater(t, s.logID, sent[i-1].logID, "what was recorded first goes first")
			}
			assert.Equal(t, "http://a/", s.address)
		}
		assert.Len(t, w.outcomes(), 200)
		assert.Zero(t, w.Waiting())
		assert.Empty(t, w.byJob)
		assert.Equal(t, 200, w.exec.warm["http://a/"])
	})
}

func TestARunBeforeOthersWakesTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.Add(w.item(1, bean(model.RouteFirst), 10*time.Second))
		wait(5 * time.Second)
		w.Add(w.item(2, bean(model.RouteFirst), 3*time.Millisecond))
		wait(3 * time.Millisecond)
		synctest.Wait()
		require.Len(t, w.exec.sent(), 1)
		assert.Equal(t, int64(2), w.exec.sent()[0].logID)
	})
}

func TestFence(t *testing.T) {
	t.Run("a late renewal holds runs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.set(func() { w.stale = true })
			w.Add(w.item(1, bean(model.RouteFirst), 100*time.Millisecond))
			wait(2 * time.Second)
			assert.Empty(t, w.exec.sent())
			assert.True(t, w.Knows(1))
			w.set(func() { w.stale = false })
			wait(holdStep)
			synctest.Wait()
			assert.Len(t, w.exec.sent(), 1)
		})
	})
	t.Run("a lost lease leaves them to the next owner", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.set(func() { w.stale, w.lost = true, true })
			w.Add(w.item(1, bean(model.RouteFirst), 100*time.Millisecond))
			wait(time.Second)
			assert.Empty(t, w.exec.sent())
			assert.False(t, w.Knows(1))
			assert.Empty(t, w.outcomes(), "it stays on record as it is")
		})
	})
	t.Run("what waits in a lane is taken back", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.exec.set(func() { w.exec.blocked = true })
			other := bean(model.RouteLast)
			other.ID++ // those of one job go one after the other
			w.Add(w.item(1, bean(model.RouteFirst), 0), w.item(2, other, 0))
			wait(time.Second)
			assert.Equal(t, int64(2), w.inLanes.Load())
			w.set(func() { w.stale = true })
			wait(200 * time.Millisecond)
			w.exec.unblock()
			wait(time.Second)
			assert.Empty(t, w.exec.sent())
			assert.Zero(t, w.inLanes.Load())
			w.set(func() { w.stale = false })
			wait(time.Second)
			assert.Len(t, w.exec.sent(), 2, "and sent once it may be")
		})
	})
	t.Run("settling waits too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.set(func() { w.stale = true })
			it := w.item(1, bean(model.RouteFirst), 0)
			it.Settle = true
			w.Add(it)
			wait(10 * time.Second)
			assert.Empty(t, w.exec.questions())
			assert.Empty(t, w.outcomes())
			w.set(func() { w.stale = false })
			wait(time.Second)
			assert.Equal(t, model.CodeSuccess, w.outcome(t).Code)
		})
	})
}

func TestShardsThatGoAndComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		own := w.item(3, bean(model.RouteFirst), time.Second)
		own.Run.Token, own.Run.PlannedMs = 0, 0
		doubt := w.item(4, bean(model.RouteFirst), time.Second)
		doubt.Settle = true
		w.Add(w.item(1, bean(model.RouteFirst), time.Second), own, doubt)
		w.exec.set(func() { w.exec.takes = time.Minute })
		w.Add(w.item(2, bean(model.RouteFirst), 0))
		wait(100 * time.Millisecond)
		ids := w.DropShards(func(int32) bool { return true })
		assert.Equal(t, []int64{1}, ids, "only what was surely not sent")
		assert.True(t, w.Knows(2), "on its way")
		assert.True(t, w.Knows(3), "made without a lease")
		assert.False(t, w.Knows(4))
		w.DropOwn()
		assert.False(t, w.Knows(3))
		late := w.item(5, bean(model.RouteFirst), time.Second)
		late.Run.Token, late.Since = 0, time.Now().Add(-time.Second)
		w.Add(late)
		assert.False(t, w.Knows(5), "recorded before others took this node for dead")
		late.Since = time.Time{}
		w.Add(late)
		assert.True(t, w.Knows(5))
		// A run that still waits learns the token of the new lease.
		it := w.item(9, bean(model.RouteFirst), time.Second)
		w.Add(it)
		again := w.item(9, bean(model.RouteFirst), time.Second)
		again.Run.Token, again.Settle = 6, true
		w.Add(again)
		assert.Equal(t, int64(6), it.Run.Token)
		assert.False(t, w.open[9].settles)
	})
}

func TestCancel(t *testing.T) {
	t.Run("what is still to come", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			other := bean(model.RouteFirst)
			other.ID = 4
			manual := w.item(3, bean(model.RouteFirst), time.Second)
			manual.Run.PlannedMs = 0
			w.Add(w.item(1, bean(model.RouteFirst), 900*time.Millisecond), w.item(2, bean(model.RouteFailover), time.Second),
				manual, w.item(4, other, time.Second))
			due := time.Now().Add(900 * time.Millisecond)
			wait(100 * time.Millisecond)
			ids, first := w.Cancel(3)
			assert.ElementsMatch(t, []int64{1, 2}, ids)
			assert.Equal(t, due.UnixMilli(), first.UnixMilli())
			wait(5 * time.Second)
			sent := w.exec.sent()
			require.Len(t, sent, 2)
			assert.Equal(t, int64(3), sent[0].logID, "what somebody asked for still runs")
			assert.Equal(t, int64(4), sent[1].logID)
			ids, first = w.Cancel(99)
			assert.Empty(t, ids)
			assert.True(t, first.IsZero())
		})
	})
	// Its instant has passed while the job ran: it goes out within a second, or
	// fails with the reason. It does not vanish.
	t.Run("overdue in a lane", func(t *testing.T) {
		for blocked, want := range map[time.Duration]int{500 * time.Millisecond: 1, 3 * time.Second: 0} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.exec.set(func() { w.exec.blocked = true })
				w.Add(w.item(1, bean(model.RouteFirst), 0))
				wait(100 * time.Millisecond)
				ids, _ := w.Cancel(3)
				assert.Empty(t, ids)
				wait(blocked)
				w.exec.unblock()
				wait(2 * time.Second)
				assert.Len(t, w.exec.sent(), want)
				if want == 0 {
					assert.Contains(t, w.outcome(t).Msg, i18n.En.Text(i18n.JoblogStoppedUnsent))
				}
				assert.Zero(t, w.inLanes.Load())
			})
		}
	})
	t.Run("overdue while it probes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.exec.beat = func(a string) error {
				if a == "http://c/" {
					return nil
				}
				return errHangs
			}
			w.Add(w.item(1, bean(model.RouteFailover), 0))
			wait(500 * time.Millisecond)
			ids, _ := w.Cancel(3)
			assert.Empty(t, ids)
			wait(5 * time.Second)
			assert.Empty(t, w.exec.sent(), "the probe takes longer than a second")
			assert.Contains(t, w.outcome(t).Msg, i18n.En.Text(i18n.JoblogStoppedUnsent))
		})
	})
	t.Run("a job that was stopped before the run was taken over", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			for id, settle := range map[int64]bool{1: false, 2: true, 3: true} {
				it := w.item(id, bean(model.RouteFirst), 0)
				it.Stopped, it.Settle = true, settle
				if id == 3 {
					it.Job, it.Run.Address = bean(model.RouteFailover), ""
				}
				w.Add(it)
			}
			wait(10 * time.Second)
			assert.Empty(t, w.exec.sent())
			assert.Len(t, w.outcomes(), 3)
			for _, o := range w.outcomes() {
				assert.Contains(t, o.Trigger.Msg, i18n.En.Text(i18n.JoblogStoppedUnsent))
				assert.True(t, o.Trigger.NoRetry)
			}
		})
	})
	t.Run("a job that was stopped elsewhere while the run waited to be settled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			for id, route := range map[int64]model.Route{1: model.RouteFirst, 2: model.RouteFailover} {
				it := w.item(id, bean(route), 4*time.Second)
				it.Settle = true
				w.Add(it)
			}
			wait(time.Second)
			w.set(func() { w.stopped = true })
			wait(15 * time.Second)
			assert.Empty(t, w.exec.sent())
			assert.Len(t, w.outcomes(), 2)
		})
	})
	t.Run("what may have been sent is not deleted, and not sent again", func(t *testing.T) {
		for name, native := range map[string]bool{"java": false, "native": true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t)
					w.exec.native["http://a/"] = native
					w.exec.reply, w.exec.takes = unanswered, 3*time.Second
					w.Add(w.item(1, bean(model.RouteFirst), 0))
					wait(time.Second)
					ids, _ := w.Cancel(3)
					assert.Empty(t, ids)
					wait(15 * time.Second)
					assert.Len(t, w.exec.sent(), 1)
					assert.Equal(t, model.CodeFail, w.outcome(t).Code)
					assert.True(t, w.outcome(t).NoRetry)
				})
			})
		}
	})
}

func TestAnswers(t *testing.T) {
	tests := []struct {
		name    string
		reply   execclient.Result
		code    int32
		text    string
		noRetry bool
		none    bool
	}{
		{name: "accepted", reply: execclient.Result{Kind: execclient.Accepted, Code: 200, Msg: "own words"}, code: 200, text: "success"},
		{
			name: "repeat", reply: execclient.Result{Kind: execclient.Repeat, Code: 500, Msg: "repeat trigger job, logId:1"}, code: 200,
			text: "success, repeat trigger job",
		},
		{
			name: "refused", reply: execclient.Result{Kind: execclient.Refused, Code: 500, Msg: "no <b>handler</b>"}, code: 500,
			text: "error, no &lt;b&gt;handler&lt;/b&gt;",
		},
		{name: "refused with a success code", reply: execclient.Result{Kind: execclient.Refused, Code: 200}, code: 500, text: "fail"},
		{name: "not sent", reply: execclient.Result{Kind: execclient.NotSent, Code: 500, Msg: "refused", Err: errDown}, code: 500, text: "error, refused"},
		{
			name:  "the client is closed: left on record",
			reply: execclient.Result{Kind: execclient.NotSent, Code: 500, Err: execclient.ErrClosed}, none: true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.exec.reply = func(sending) execclient.Result { return tt.reply }
				w.Add(w.item(1, bean(model.RouteFirst), 0))
				wait(time.Second)
				assert.False(t, w.Knows(1))
				if tt.none {
					assert.Empty(t, w.outcomes())
					return
				}
				out := w.outcome(t)
				assert.Equal(t, tt.code, out.Code)
				assert.Contains(t, out.Msg, tt.text)
				assert.Equal(t, "http://a/", out.Address)
				assert.False(t, out.NoRetry, "the executor surely does not run it")
			})
		})
	}
}

func TestNoAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.set(func() { w.groups = nil })
		w.Add(w.item(1, bean(model.RouteFirst), 0))
		wait(2 * time.Second)
		assert.Contains(t, w.outcome(t).Msg, "address route fail.")
		assert.Empty(t, w.exec.sent())
	})
}

// A strategy that nobody knows fails at once, and says which ones there are.
func TestUnknownRoute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorldWith(t, func(c *Config) { c.Router = route.New() })
		w.Add(w.item(1, bean("NEAREST"), 0))
		wait(100 * time.Millisecond)
		out := w.outcome(t)
		assert.Contains(t, out.Msg, "address route fail, route strategy NEAREST is unknown, choose one of FIRST, LAST,")
		assert.True(t, strings.HasSuffix(out.Msg, "Trigger Msg：error, Address Router Fail."), out.Msg)
		assert.Zero(t, w.missing)
		assert.Empty(t, w.exec.sent())
	})
}

// An executor that appears between planning and sending gets the run, and is on
// record before it does.
func TestAddressChosenLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		groups := w.groups
		w.set(func() { w.groups = nil })
		it := w.item(1, bean(model.RouteFirst), 500*time.Millisecond)
		w.Add(it)
		w.set(func() { w.groups, w.noteErr = groups, errDown })
		wait(time.Second)
		assert.Empty(t, w.exec.sent(), "nobody could tell whom to ask")
		w.set(func() { w.noteErr = nil })
		wait(time.Second)
		assert.Len(t, w.exec.sent(), 1)
		assert.Equal(t, "http://a/", w.noted[1])
	})
}

func TestFailoverAndBusyover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.exec.beat = func(a string) error {
			if a == "http://a/" {
				return errDown
			}
			return nil
		}
		w.Add(w.item(1, bean(model.RouteFailover), 0))
		wait(time.Second)
		assert.Equal(t, "http://b/", w.exec.sent()[0].address)
		assert.Equal(t, "http://b/", w.noted[1])

		// What is known to be dead is asked last.
		w.exec.dead["http://b/"] = true
		w.exec.beat = func(a string) error { return map[string]error{"http://a/": errDown, "http://c/": errDown}[a] }
		w.exec.asked = nil
		w.Add(w.item(2, bean(model.RouteFailover), 0))
		wait(time.Second)
		assert.Equal(t, []string{"beat http://a/", "beat http://c/", "beat http://b/"}, w.exec.questions())

		w.exec.idle = func(a string) (bool, string, error) { return a == "http://c/", "job thread is <running>", nil }
		w.Add(w.item(3, bean(model.RouteBusyover), 0))
		wait(time.Second)
		assert.Equal(t, "http://c/", w.exec.sent()[2].address)

		w.set(func() { w.reports = nil })
		w.exec.idle = func(string) (bool, string, error) { return false, "job thread is <running>", nil }
		w.Add(w.item(4, bean(model.RouteBusyover), 0))
		wait(time.Second)
		out := w.outcome(t)
		assert.Equal(t, model.CodeFail, out.Code)
		assert.Contains(t, out.Msg, "address route fail, Idle check：<br>address：http://a/<br>code：500<br>msg：job")
		assert.True(t, strings.HasSuffix(out.Msg, "Trigger Msg：error, Address Router Fail."), out.Msg)
		assert.Contains(t, out.Msg, "job thread is &lt;running&gt;")
		assert.False(t, out.NoRetry)

		// An address that cannot be noted is not used; the run waits while the lease is ours.
		w.set(func() { w.reports, w.noteErr = nil, errDown })
		w.exec.beat = func(string) error { return nil }
		sent := len(w.exec.sent())
		w.Add(w.item(5, bean(model.RouteFailover), 0))
		wait(time.Minute)
		assert.Len(t, w.exec.sent(), sent)
		assert.Empty(t, w.outcomes())
		assert.True(t, w.Knows(5))
		w.set(func() { w.lost = true })
		wait(time.Second)
		assert.False(t, w.Knows(5), "then it is its next owner's")
	})
}

func TestBroadcast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		at := time.Now().Add(300 * time.Millisecond)
		runs := w.NewRuns(bean(model.RouteShardingBroadcast), Trigger{Type: model.TriggerCron, At: at, Planned: true, Token: 5})
		require.Len(t, runs, 3)
		for i, r := range runs {
			r.LogID = int64(i + 1)
			w.Add(Item{Run: r, Job: bean(model.RouteShardingBroadcast), Due: at})
		}
		wait(time.Second)
		for i, s := range w.exec.sent() {
			assert.Equal(t, int32(i), s.request.BroadcastIndex)
			assert.Equal(t, int32(3), s.request.BroadcastTotal)
			assert.Equal(t, []string{"http://a/", "http://b/", "http://c/"}[i], s.address)
			assert.Equal(t, runs[0].TriggerMs, s.request.LogDateTime, "one trigger time for all")
		}
		// Without an address it is one run that fails, as in Java.
		w.set(func() { w.groups = nil })
		one := w.NewRuns(bean(model.RouteShardingBroadcast), Trigger{Type: model.TriggerManual, At: at})
		require.Len(t, one, 1)
		assert.False(t, one[0].Sharded)
	})
}

func TestRetryOfAShardGoesToItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for index, want := range map[int32]string{0: "http://a/", 2: "http://c/", 7: "http://a/"} {
			r := &model.Run{GroupID: 1, Sharded: true, ShardIndex: index, ShardTotal: 9}
			w.Assign(r, bean(model.RouteShardingBroadcast), nil)
			assert.Equal(t, want, r.Address)
		}
		r := &model.Run{GroupID: 1}
		w.Assign(r, bean(model.RouteFailover), nil)
		assert.Empty(t, r.Address, "asked first")
	})
}

func TestRequestIsAsPlanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		j := bean(model.RouteFirst)
		at := time.Now().Add(time.Millisecond)
		param := "override"
		run := w.NewRuns(j, Trigger{Type: model.TriggerManual, At: at, Param: &param, Addresses: []string{"http://x/"}})[0]
		run.LogID = 7
		edited := *j
		edited.Handler, edited.Param = model.T("other"), model.T("other")
		w.Add(Item{Run: run, Job: &edited, Due: at, Addresses: []string{"http://x/"}})
		wait(time.Second)
		s := w.exec.sent()[0]
		assert.Equal(t, "http://x/", s.address)
		assert.Equal(t, "override", s.request.ExecutorParams.String)
		assert.Equal(t, "demo", s.request.ExecutorHandler.String)
		assert.Equal(t, at.Truncate(time.Second).UnixMilli(), s.request.LogDateTime)
		assert.Contains(t, w.outcome(t).Msg, "[http://x/]")
	})
}

func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.Add(w.item(1, bean(model.RouteFirst), time.Second), w.item(2, bean(model.RouteFirst), time.Hour))
		begin := time.Now()
		w.Drain(t.Context(), 3*time.Second)
		assert.InDelta(t, 1, time.Since(begin).Seconds(), 0.05, "what is due later is not waited for")
		assert.Len(t, w.exec.sent(), 1)
		w.exec.set(func() { w.exec.takes = time.Minute })
		w.Add(w.item(3, bean(model.RouteFirst), 0))
		begin = time.Now()
		w.Drain(t.Context(), 3*time.Second)
		assert.Equal(t, 3*time.Second, time.Since(begin))
	})
}

func TestStopLeavesTheRestOnRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.exec.beat = func(string) error { return errHangs }
		w.Add(w.item(1, bean(model.RouteFirst), time.Second), w.item(2, bean(model.RouteFailover), 0))
		wait(500 * time.Millisecond)
		w.stop()
		assert.Empty(t, w.outcomes())
		assert.Empty(t, w.exec.sent())
		w.Add(w.item(3, bean(model.RouteFirst), 0)) // no effect
		assert.False(t, w.Knows(3))
	})
}

// A clock that is set back neither doubles nor hurries anything.
func TestBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.exec.set(func() { w.exec.takes = 20 * time.Millisecond })
		var items []Item
		for id := int64(1); id <= 5000; id++ {
			j := bean(model.RouteFirst)
			j.ID = int32(id)
			items = append(items, w.item(id, j, 500*time.Millisecond))
		}
		w.Add(items...)
		assert.False(t, w.Bursting())
		wait(501 * time.Millisecond)
		synctest.Wait()
		assert.True(t, w.Bursting(), "results wait while it goes out")
		wait(100 * time.Millisecond)
		assert.False(t, w.Bursting())
		assert.Len(t, w.outcomes(), 5000)
		for _, late := range w.late {
			assert.Zero(t, late)
		}
	})
}

func TestNewChecksItsConfig(t *testing.T) {
	_, err := New(t.Context(), Config{})
	assert.Error(t, err)
}
