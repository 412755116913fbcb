package xxljob

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// Cases 24 to 28: triggers that are refused, and leave no callback.
func TestConformanceRefusedTriggers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body, msg string
	}{
		{"24 unknown handler", `{"jobId":1,"logId":1,"glueType":"BEAN","executorHandler":"x"}`, "job handler [x] not found."},
		{"24 empty handler", `{"jobId":1,"logId":1,"glueType":"BEAN","executorHandler":""}`, "job handler [] not found."},
		{"25 no handler", `{"jobId":1,"logId":1,"glueType":"BEAN"}`, "request error:java.lang.NullPointerException: executorHandler is missing"},
		{"26 unknown glue type", `{"jobId":1,"logId":1,"glueType":"FOO"}`, "glueType[FOO] is not valid."},
		{"27 no glue type", `{"jobId":1,"logId":1}`, "glueType[null] is not valid."},
		{"28 glue type in lower case", `{"jobId":1,"logId":1,"glueType":"bean"}`, "glueType[bean] is not valid."},
		{"49 scripts are off", `{"jobId":1,"logId":1,"glueType":"GLUE_SHELL"}`, "fail, current glue type [GLUE(Shell)] not supported."},
		{"49 Groovy, scripts are off", `{"jobId":1,"logId":1,"glueType":"GLUE_GROOVY"}`, "fail, current glue type [GLUE(Java)] not supported."},
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		for _, tt := range tests {
			r := b.post("/run", tt.body)
			assert.Equal(t, 500, r.Code, tt.name)
			assert.Equal(t, tt.msg, r.Msg, tt.name)
			r = b.send("POST", "/trigger", tt.body, masterHeader)
			assert.Equal(t, tt.msg, r.Msg, tt.name+" on /trigger")
		}
		after(time.Minute)
		assert.Empty(t, b.admin.node(1).of(wire.PathCallback))
		assert.EqualValues(t, 2*len(tests), b.e.Stats().Refused)
	})
}

// Groovy with scripts on is refused with a text that says what it needs.
func TestGroovyIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, func(cfg *Config) { cfg.Scripts.Enabled = true }, nil)
		r := b.run(trig{id: 1, glue: wire.GlueTypeGroovy})
		assert.Equal(t, 500, r.Code)
		assert.Equal(t, "fail, current glue type [GLUE(Java)] not supported. Groovy needs a Java executor.", r.Msg)
	})
}

// TestConformanceResults holds the cases whose outcome is one callback: 23,
// 39 to 43.
func TestConformanceResults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		trigger  trig
		code     int32
		msg      string
		contains bool
		within   time.Duration
	}{
		{name: "23 success", trigger: trig{id: 1, handler: "echo", param: "hello <世界> 🎉 & \"quoted\"\n"}, code: 200, msg: "hello <世界> 🎉 & \"quoted\"\n"},
		{name: "39 timeout", trigger: trig{id: 2, handler: "sleep", param: "5000", timeout: 1}, code: 502, msg: "job execute timeout ", within: 1001 * time.Millisecond},
		{name: "40 no limit, 0", trigger: trig{id: 3, handler: "sleep", param: "5000"}, code: 200, msg: "slept"},
		{name: "40 no limit, -1", trigger: trig{id: 4, handler: "sleep", param: "5000", timeout: -1}, code: 200, msg: "slept"},
		{name: "41 error", trigger: trig{id: 5, handler: "fail", param: "no money"}, code: 500, msg: "no money"},
		{name: "41 panic", trigger: trig{id: 6, handler: "panic", param: "oh no"}, code: 500, msg: "panic: oh no", contains: true},
		// Case 42 cannot happen: a handler sets no codes, only errors.
		{name: "43 long message", trigger: trig{id: 7, handler: "bigmsg", param: "50001"}, code: 200, msg: strings.Repeat("x", 50000) + "..."},
		{name: "43 longest message", trigger: trig{id: 8, handler: "bigmsg", param: "50000"}, code: 200, msg: strings.Repeat("x", 50000)},
		{name: "shard", trigger: trig{id: 9, handler: "shard", shard: [2]int{2, 5}}, code: 200, msg: "2/5"},
		{name: "39 deaf handler", trigger: trig{id: 10, handler: "stubborn", param: "60000", timeout: 1}, code: 502, msg: "job execute timeout ", within: 4 * time.Second},
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		for _, tt := range tests {
			start := time.Now()
			b.mustRun(tt.trigger)
			item := b.admin.node(1).next(t)
			assert.Equal(t, tt.code, item.Code, tt.name)
			if tt.contains {
				assert.Contains(t, item.Msg.String, tt.msg, tt.name)
			} else {
				assert.Equal(t, tt.msg, item.Msg.String, tt.name)
			}
			if tt.within > 0 {
				assert.LessOrEqual(t, time.Since(start), tt.within, tt.name)
			}
		}
		after(2 * time.Minute) // the deaf handler comes back
		assert.Zero(t, b.e.Stats().Stranded)
		assert.Len(t, b.admin.node(1).got, 0, "one result a run")
	})
}

// Case 29: serial triggers queue.
func TestConformanceCase29Serial(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		for id := range int64(3) {
			b.mustRun(trig{id: 1, logID: 5 + id, handler: "sleep", param: "1000"})
		}
		// Case 38: an unknown strategy is serial too.
		b.mustRun(trig{id: 1, logID: 8, handler: "sleep", param: "1000", block: "X"})
		start := time.Now()
		for id := range int64(4) {
			assert.Equal(t, 5+id, b.admin.node(1).next(t).LogID)
		}
		assert.Equal(t, 4*time.Second, time.Since(start))
	})
}

// Cases 30 and 31: the same logId again. They are different on purpose (E3):
// a trigger that is the same in jobId, logId and logDateTime is answered with
// success and not run again, whether it waits, runs or has ended; Java refuses
// the first with 500 and runs the others twice. With another logDateTime the
// waiting one gets Java's 500.
func TestConformanceCase30And31Repeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		at := time.Now().UnixMilli()
		running := trig{id: 1, logID: 5, at: at, handler: "sleep", param: "1000"}
		waiting := trig{id: 1, logID: 6, at: at, handler: "sleep", param: "1000"}
		b.mustRun(running)
		b.mustRun(waiting)
		for _, again := range []trig{running, waiting} {
			r := b.run(again)
			assert.Equal(t, 200, r.Code)
			assert.Equal(t, wire.RepeatText(again.logID), r.Msg)
		}
		waiting.at += 1000
		assert.Equal(t, 200, b.run(waiting).Code, "1,000 ms apart is the same trigger")
		waiting.at++
		r := b.run(waiting)
		assert.Equal(t, 500, r.Code)
		assert.Equal(t, "repeat trigger job, logId:6", r.Msg)

		first, second := b.admin.node(1).next(t), b.admin.node(1).next(t)
		assert.Equal(t, []int64{5, 6}, []int64{first.LogID, second.LogID})

		// Ended: the result is reported again, the handler does not run.
		r = b.run(running)
		assert.Equal(t, 200, r.Code)
		assert.Equal(t, first, b.admin.node(1).next(t))
		after(time.Minute)
		assert.Len(t, b.admin.node(1).got, 0)
		stats := b.e.Stats()
		assert.EqualValues(t, 2, stats.Succeeded)
		assert.EqualValues(t, 4, stats.Repeated)
	})
}

// Cases 32 and 33: DISCARD_LATER.
func TestConformanceCase32And33DiscardLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		discard := trig{id: 1, handler: "sleep", param: "1000", block: wire.BlockDiscardLater}
		b.mustRun(discard)
		r := b.run(discard)
		assert.Equal(t, 500, r.Code)
		assert.Equal(t, "block strategy effect：Discard Later", r.Msg)
		assert.Equal(t, "slept", b.admin.node(1).next(t).Msg.String)
		synctest.Wait()
		b.mustRun(discard)
		assert.Equal(t, "slept", b.admin.node(1).next(t).Msg.String)
	})
}

// Case 34: COVER_EARLY ends the running and the waiting one.
func TestConformanceCase34CoverEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.mustRun(trig{id: 1, logID: 5, handler: "stubborn", param: "60000"})
		b.mustRun(trig{id: 1, logID: 6, handler: "stubborn", param: "60000"})
		synctest.Wait()
		start := time.Now()
		b.mustRun(trig{id: 1, logID: 7, handler: "stubborn", param: "10", block: wire.BlockCoverEarly})
		got := map[int64]string{}
		for range 3 {
			item := b.admin.node(1).next(t)
			got[item.LogID] = item.Msg.String
		}
		assert.Equal(t, map[int64]string{
			5: "block strategy effect：Cover Early [job running, killed]",
			6: "block strategy effect：Cover Early [job not executed, in the job queue, killed.]",
			7: "stubborn done",
		}, got)
		assert.LessOrEqual(t, time.Since(start), 3*time.Second, "the deaf handler holds nobody up")
		assert.Equal(t, 1, b.e.Stats().Stranded)
		after(2 * time.Minute)
		assert.Zero(t, b.e.Stats().Stranded)
	})
}

// Cases 35 and 36: another handler replaces the running one, an unknown one
// does not.
func TestConformanceCase35And36ReplacedHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.mustRun(trig{id: 1, logID: 5, handler: "sleep", param: "60000"})
		synctest.Wait()
		r := b.run(trig{id: 1, handler: "x"})
		assert.Equal(t, "job handler [x] not found.", r.Msg)
		synctest.Wait()
		assert.Len(t, b.admin.node(1).got, 0, "the old run goes on")
		b.mustRun(trig{id: 1, logID: 6, handler: "echo", param: "new"})
		assert.Equal(t, "change jobhandler or glue type, and terminate the old job thread. [job running, killed]",
			b.admin.node(1).next(t).Msg.String)
		assert.Equal(t, "new", b.admin.node(1).next(t).Msg.String)
	})
}

// Cases 44 to 46: kill of a running job, of an unknown one, and what follows.
func TestConformanceCase44To46Kill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.mustRun(trig{id: 1, logID: 5, handler: "stubborn", param: "2000"})
		b.mustRun(trig{id: 1, logID: 6, handler: "stubborn", param: "1"})
		synctest.Wait()
		start := time.Now()
		r := b.post("/kill", `{"jobId":1}`)
		assert.Equal(t, `{"code":200,"msg":"Success"}`, r.Body)
		assert.Zero(t, time.Since(start), "kill is answered at once")
		assert.Equal(t, 200, b.post("/idleBeat", `{"jobId":1}`).Code, "case 46")
		assert.Equal(t, "scheduling center kill job. [job not executed, in the job queue, killed.]", b.admin.node(1).next(t).Msg.String)
		assert.Equal(t, "scheduling center kill job. [job running, killed]", b.admin.node(1).next(t).Msg.String,
			"although the handler ended normally")
		r = b.post("/kill", `{"jobId":1}`)
		assert.Equal(t, `{"code":200,"msg":"job thread already killed.","content":"job thread already killed.","data":"job thread already killed."}`, r.Body)
	})
}

// Case 47: an idle job ends after about 93 s in Java, 90 s here; Destroy runs
// then, and Init again at the next trigger.
func TestConformanceCase47IdleEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var inits, destroys atomic.Int64
		b := newBed(t, nil, func(e *Executor) {
			require.NoError(t, e.Register("hooked", echoHandler,
				Init(func(context.Context) error { inits.Add(1); return nil }), Destroy(func() { destroys.Add(1) })))
		})
		b.mustRun(trig{id: 1, handler: "hooked"})
		b.admin.node(1).next(t)
		after(89 * time.Second)
		assert.EqualValues(t, 1, inits.Load())
		assert.EqualValues(t, 0, destroys.Load())
		after(2 * time.Second)
		assert.EqualValues(t, 1, destroys.Load())
		assert.Zero(t, b.e.Stats().Jobs)
		b.mustRun(trig{id: 1, handler: "hooked"})
		b.admin.node(1).next(t)
		assert.EqualValues(t, 2, inits.Load())
	})
}

// Case 48: shutdown deregisters, lets runs go on as long as it may, then
// reports what is left.
func TestConformanceCase48Shutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.mustRun(trig{id: 1, logID: 5, handler: "sleep", param: "600000"})
		b.mustRun(trig{id: 1, logID: 6, handler: "sleep", param: "1"})
		b.mustRun(trig{id: 2, logID: 7, handler: "sleep", param: "5000"})
		start := time.Now()
		b.close()
		assert.LessOrEqual(t, time.Since(start), 35*time.Second)
		got := map[int64]string{}
		for range 3 {
			item := b.admin.node(1).next(t)
			got[item.LogID] = item.Msg.String
		}
		assert.Equal(t, map[int64]string{
			5: "web container destroy and kill the job. [job running, killed]",
			6: "web container destroy and kill the job. [job not executed, in the job queue, killed.]",
			7: "slept",
		}, got)
		removed, callbacks := b.admin.node(1).of(wire.PathRegistryRemove), b.admin.node(1).of(wire.PathCallback)
		require.Len(t, removed, 1)
		assert.True(t, removed[0].at.Before(callbacks[0].at), "deregistered first")
	})
}

// While the executor shuts down, triggers and the probes of FAILOVER and
// BUSYOVER are refused; a repeat of a known trigger is still recognised.
func TestRefusalsWhileDraining(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, func(cfg *Config) { cfg.DrainDelay = 2 * time.Second }, registerTestHandlers)
		running := trig{id: 1, logID: 5, at: time.Now().UnixMilli(), handler: "sleep", param: "10000"}
		b.mustRun(running)
		b.stop()
		after(time.Second)
		assert.Equal(t, 200, b.post("/beat", "").Code, "DrainDelay goes on accepting")
		b.mustRun(trig{id: 2, logID: 6, handler: "echo"})
		after(2 * time.Second)
		for _, r := range []reply{b.post("/beat", ""), b.post("/idleBeat", `{"jobId":9}`), b.run(trig{id: 3, handler: "echo"})} {
			assert.Equal(t, 500, r.Code)
			assert.Equal(t, drainingText, r.Msg)
		}
		assert.Equal(t, 200, b.run(running).Code)
		assert.Equal(t, 200, b.post("/kill", `{"jobId":1}`).Code)
		b.admin.node(1).next(t)
		b.admin.node(1).next(t)
	})
}
