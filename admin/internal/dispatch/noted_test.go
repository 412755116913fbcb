package dispatch

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// A database that does not answer holds no run up for longer than it hangs.
func TestNotingHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.set(func() { w.noteErr = errHangs })
		w.Add(w.item(1, bean(model.RouteFailover), 0))
		wait(30 * time.Second)
		assert.Empty(t, w.exec.sent())
		assert.True(t, w.Knows(1))
		// The executor that had answered first is gone meanwhile.
		w.exec.set(func() {
			w.exec.beat = func(a string) error { return map[string]error{"http://a/": errDown}[a] }
		})
		wait(15 * time.Second)
		w.set(func() { w.noteErr = nil })
		wait(noteTimeout + noteEvery + holdStep)
		require.Len(t, w.exec.sent(), 1)
		assert.Equal(t, "http://b/", w.exec.sent()[0].address, "asked again after a while")
		assert.Equal(t, "http://b/", w.noted[1])
		assert.False(t, w.Knows(1))
	})
}

// A run that is not waiting any more is forgotten.
func TestNotingFindsTheRunGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.set(func() { w.refused = map[int64]error{1: fmt.Errorf("set address: %w", ErrGone)} })
		w.Add(w.item(1, bean(model.RouteFailover), 0))
		wait(time.Second)
		assert.False(t, w.Knows(1))
		assert.Empty(t, w.exec.sent())
		assert.Empty(t, w.outcomes())
	})
}

// Runs that are due together are noted together, and one that the database
// refuses holds up no other.
func TestNotingTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.set(func() { w.refused = map[int64]error{7: errDown, 9: ErrGone} })
		for id := range int64(50) {
			w.Add(w.item(id+1, bean(model.RouteFailover), 0))
		}
		wait(noteEvery / 2)
		assert.Len(t, w.exec.sent(), 48)
		assert.True(t, w.Knows(7), "it is tried again")
		assert.False(t, w.Knows(9))
		w.set(func() { assert.Equal(t, []int{50}, w.notings); w.refused = nil })
		wait(noteEvery)
		assert.Len(t, w.exec.sent(), 49)
		w.set(func() { assert.Equal(t, []int{50, 1}, w.notings) })
	})
}

// More than one statement takes are noted by several.
func TestNotingMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for id := range int64(noteBatch + 100) {
			w.Add(w.item(id+1, bean(model.RouteFailover), 0))
		}
		wait(time.Second)
		assert.Len(t, w.exec.sent(), noteBatch+100)
		w.set(func() { assert.LessOrEqual(t, len(w.notings), 3) })
	})
}

// A run without an address on record was never sent, whatever else is unknown: it
// is noted and sent, and nobody is asked after it.
func TestSettleWithoutAnAddressOnRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for id, route := range map[int64]model.Route{1: model.RouteFirst, 2: model.RouteFailover} {
			it := w.item(id, bean(route), 0)
			it.Settle, it.Run.Address = true, ""
			w.Add(it)
		}
		w.set(func() { w.noteErr = errDown })
		wait(3 * time.Second)
		assert.Empty(t, w.exec.sent(), "not before it is noted, in the second attempt neither")
		w.set(func() { w.noteErr = nil })
		wait(time.Second)
		assert.Len(t, w.exec.sent(), 2)
		assert.Equal(t, map[int64]string{1: "http://a/", 2: "http://a/"}, w.noted)
		assert.NotContains(t, w.exec.questions(), "log")
		for _, o := range w.outcomes() {
			assert.Equal(t, model.CodeSuccess, o.Trigger.Code)
		}
	})
}

// Another node may have seen the executor first.
func TestRunWaitsForNews(t *testing.T) {
	for _, route := range []model.Route{model.RouteFirst, model.RouteFailover} {
		t.Run(string(route), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				full := w.groups
				for name, known := range map[string]map[int32]*model.Group{
					"no group":  nil,
					"no member": {1: {ID: 1, AppName: "app"}},
				} {
					w.set(func() { w.groups, w.news, w.missing, w.reports, w.exec.sendings = known, nil, 0, nil, nil })
					w.Add(w.item(1, bean(route), 0))
					wait(700 * time.Millisecond)
					assert.Empty(t, w.outcomes(), name)
					w.set(func() { assert.Positive(t, w.missing, name); w.news = full })
					wait(3 * missingStep)
					require.Len(t, w.exec.sent(), 1, name)
					assert.Equal(t, "http://a/", w.exec.sent()[0].address)
					assert.Equal(t, model.CodeSuccess, w.outcome(t).Code)

					// Nobody comes: it fails after about a second.
					w.set(func() { w.groups, w.news, w.reports, w.reported = known, nil, nil, nil })
					begin := time.Now()
					w.Add(w.item(2, bean(route), 0))
					wait(3 * time.Second)
					assert.Contains(t, w.outcome(t).Msg, "address route fail.")
					assert.InDelta(t, missingWait.Seconds(), w.reported[0].Sub(begin).Seconds(), 0.15)
				}
			})
		})
	}
}

// A long list of addresses is not in every row.
func TestMessageHoldsFewAddresses(t *testing.T) {
	d := &Dispatcher{cfg: Config{Lang: i18n.En}}
	list := func(n int) []string {
		addrs := make([]string, n)
		for i := range addrs {
			addrs[i] = fmt.Sprintf("http://10.0.0.%d:9999/", i)
		}
		return addrs
	}
	text := func(n int) string {
		e := &entry{
			Item:  Item{Run: &model.Run{Address: "http://10.0.0.7:9999/"}, Job: bean(model.RouteFirst)},
			group: &model.Group{}, addrs: list(n),
		}
		return d.message(e, 200, execclient.Result{Kind: execclient.Accepted})
	}
	assert.Contains(t, text(10), "["+strings.Join(list(10), ", ")+"]<br>")
	assert.Contains(t, text(11), "["+strings.Join(list(5), ", ")+", … (11)]<br>")
	assert.Less(t, len(text(1000)), 1000)
	assert.Contains(t, text(1000), "http://10.0.0.7:9999/", "where it went is shown in any case")
}
