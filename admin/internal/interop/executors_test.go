//go:build interop && linux

package interop

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
)

// TestJavaExecutors lets each release work under one admin on each database.
// The databases go side by side and meet the releases in opposite order,
// because executors of 3.3 share a folder for undelivered results.
func TestJavaExecutors(t *testing.T) {
	t.Parallel()
	adminBinary(t)
	for name, open := range map[string]func(testing.TB) string{
		"sqlite":  dbtest.SQLite,
		"mariadb": func(tb testing.TB) string { return dbtest.MySQL(tb) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, base := startAdmin(t, open(t), freePort(t))
			order := slices.Clone(releases)
			if name == "mariadb" {
				slices.Reverse(order)
			}
			for _, rel := range order { // one JVM at a time
				t.Run(rel.version, func(t *testing.T) { testRelease(t, base, rel) })
			}
		})
	}
}

// world is an admin with executors of one release.
type world struct {
	*console

	release release
	base    string
	app     string
	group   int
}

// testRelease goes through the life of an executor.
func testRelease(t *testing.T, base string, rel release) {
	w := &world{release: rel, base: base, app: "interop-" + strings.ReplaceAll(rel.version, ".", "-")}
	w.console = newConsole(t, base, rel.dialect)
	w.group = w.addGroup(t, w.app)
	first := w.startExecutor(t)
	t.Logf("registered after %v, start of the JVM included", waitAddresses(t, w.console, w.group, registerLimit, first))

	t.Run("alone", func(t *testing.T) {
		for name, check := range map[string]func(*world, *testing.T){
			"schedule": (*world).schedule, "log": (*world).log, "kill": (*world).killed, "fail": (*world).fails,
			"retry": (*world).retries, "timeout": (*world).timesOut, "child": (*world).child,
			"serial": (*world).serial, "discard later": (*world).discards, "cover early": (*world).covers,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				check(w, t)
			})
		}
	})

	second := w.startExecutor(t)
	waitAddresses(t, w.console, w.group, registerLimit, first, second)
	t.Run("two", func(t *testing.T) {
		for name, check := range map[string]func(*world, *testing.T){
			"broadcast": (*world).broadcast, "failover": (*world).failover, "busyover": (*world).busyover,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				check(w, t)
			})
		}
	})

	second.stop(t)
	t.Logf("deregistered %v after its end", waitAddresses(t, w.console, w.group, removeLimit, first))
	first.stop(t)
	waitAddresses(t, w.console, w.group, removeLimit)
	t.Run("nobody there", w.nobody)
}

func (w *world) startExecutor(t *testing.T) *javaExecutor {
	t.Helper()
	return startJava(t, w.release, w.base, w.app, token)
}

// done asserts that a run was taken and ended well, and returns its message.
func done(t *testing.T, r logRow) string {
	t.Helper()
	assert.Equal(t, http.StatusOK, r.TriggerCode, r.TriggerMsg)
	assert.Equal(t, http.StatusOK, r.HandleCode, r.HandleMsg)
	return r.HandleMsg
}

// schedule has a job each second for a while.
func (w *world) schedule(t *testing.T) {
	job := w.addJob(t, w.group, "echo", "scheduleType", "CRON", "scheduleConf", "* * * * * ?",
		"executorParam", "grüß & <b>你好</b>", "executorRouteStrategy", "ROUND")
	w.start(t, job)
	waitFor(t, runLimit, "three runs of the schedule", func() bool {
		return len(w.logs(t, w.group, job)) >= 3
	})
	w.stop(t, job)
	var runs []logRow
	waitFor(t, runLimit, "every run ended", func() bool {
		runs = w.logs(t, w.group, job)
		return !slices.ContainsFunc(runs, func(r logRow) bool { return !r.ended() })
	})
	instants := map[string]int{}
	for _, r := range runs {
		assert.Contains(t, done(t, r), "grüß & <b>你好</b>")
		assert.Equal(t, "grüß & <b>你好</b>", r.Param)
		instants[r.TriggerTime]++
		assert.Equal(t, 1, instants[r.TriggerTime], "runs of %s", r.TriggerTime)
	}
}

// log reads what a handler wrote, line by line.
func (w *world) log(t *testing.T) {
	job := w.addJob(t, w.group, "lines")
	w.trigger(t, job, "25")
	run := w.ended(t, w.group, job, 1)[0]
	done(t, run)
	var text logText
	waitFor(t, runLimit, "the last line is on record", func() bool {
		text = w.detail(t, run.ID, 1)
		return strings.Contains(text.Text, "line 25")
	})
	assert.Contains(t, text.Text, "line 1\n")
	assert.Equal(t, 1, text.From)
	assert.GreaterOrEqual(t, text.To, 25)
	assert.True(t, w.detail(t, run.ID, text.To+1).End, "after the last line of an ended run")
}

// killed ends a run that sleeps, and the job's next run starts at once.
func (w *world) killed(t *testing.T) {
	job := w.addJob(t, w.group, "sleep")
	w.trigger(t, job, "600000")
	run := w.running(t, w.group, job)
	assert.False(t, w.detail(t, run.ID, 1).End, "a run at work has more to say")
	w.kill(t, run.ID)
	run = w.ended(t, w.group, job, 1)[0]
	assert.Equal(t, http.StatusInternalServerError, run.HandleCode)
	assert.NotEmpty(t, run.HandleMsg)
	waitFor(t, runLimit, "the executor wrote why the run ended", func() bool {
		return strings.Contains(w.detail(t, run.ID, 1).Text, "toStop")
	})
	w.trigger(t, job, "1")
	assert.Equal(t, "slept", done(t, w.ended(t, w.group, job, 2)[1]))
}

// fails has the two ways in which a handler fails.
func (w *world) fails(t *testing.T) {
	for _, handler := range []string{"fail", "panic"} {
		job := w.addJob(t, w.group, handler)
		w.trigger(t, job, "the disk is on fire")
		run := w.ended(t, w.group, job, 1)[0]
		assert.Equal(t, http.StatusOK, run.TriggerCode, run.TriggerMsg)
		assert.Equal(t, http.StatusInternalServerError, run.HandleCode)
		assert.Contains(t, run.HandleMsg, "the disk is on fire", handler)
	}
}

// retries runs a job again as often as it says, with its param.
func (w *world) retries(t *testing.T) {
	job := w.addJob(t, w.group, "fail", "executorFailRetryCount", "2")
	w.trigger(t, job, "again")
	for i, r := range w.ended(t, w.group, job, 3) {
		assert.Equal(t, 2-i, r.Retries, "retries left at run %d", i)
		assert.Equal(t, "again", r.Param)
		assert.Equal(t, http.StatusInternalServerError, r.HandleCode)
		assert.Contains(t, r.HandleMsg, "again")
	}
}

// timesOut ends a run at its limit.
func (w *world) timesOut(t *testing.T) {
	const javaTimeout = 502
	job := w.addJob(t, w.group, "sleep", "executorTimeout", "1")
	w.trigger(t, job, "600000")
	run := w.ended(t, w.group, job, 1)[0]
	assert.Equal(t, http.StatusOK, run.TriggerCode, run.TriggerMsg)
	assert.Equal(t, javaTimeout, run.HandleCode)
	assert.Contains(t, run.HandleMsg, "timeout")
}

// child runs after its parent.
func (w *world) child(t *testing.T) {
	child := w.addJob(t, w.group, "echo", "executorParam", "after")
	parent := w.addJob(t, w.group, "echo", "childJobId", child)
	w.trigger(t, parent, "before")
	assert.Contains(t, done(t, w.ended(t, w.group, parent, 1)[0]), "before")
	assert.Contains(t, done(t, w.ended(t, w.group, child, 1)[0]), "after")
}

// serial has the runs of a job wait for one another.
func (w *world) serial(t *testing.T) {
	job := w.addJob(t, w.group, "sleep")
	for range 3 {
		w.trigger(t, job, "150")
	}
	for _, r := range w.ended(t, w.group, job, 3) {
		assert.Equal(t, "slept", done(t, r))
	}
}

// discards refuses a run while another one is at work.
func (w *world) discards(t *testing.T) {
	job := w.addJob(t, w.group, "sleep", "executorBlockStrategy", "DISCARD_LATER")
	w.trigger(t, job, "7000")
	w.running(t, w.group, job)
	w.trigger(t, job, "1")
	runs := w.ended(t, w.group, job, 2)
	assert.Equal(t, "slept", done(t, runs[0]))
	assert.Equal(t, http.StatusInternalServerError, runs[1].TriggerCode)
	assert.Contains(t, runs[1].TriggerMsg, "Discard Later")
	assert.Zero(t, runs[1].HandleCode)
}

// covers ends the run at work in favour of the new one.
func (w *world) covers(t *testing.T) {
	job := w.addJob(t, w.group, "sleep", "executorBlockStrategy", "COVER_EARLY")
	w.trigger(t, job, "600000")
	w.running(t, w.group, job)
	w.trigger(t, job, "1")
	runs := w.ended(t, w.group, job, 2)
	assert.Equal(t, http.StatusInternalServerError, runs[0].HandleCode)
	assert.Contains(t, runs[0].HandleMsg, "Cover Early")
	assert.Equal(t, "slept", done(t, runs[1]))
}

// broadcast runs once at each executor, all with one trigger time.
func (w *world) broadcast(t *testing.T) {
	job := w.addJob(t, w.group, "shard", "executorRouteStrategy", "SHARDING_BROADCAST")
	w.trigger(t, job, "")
	runs := w.ended(t, w.group, job, 2)
	for i, r := range runs {
		shard := fmt.Sprintf("%d/2", i)
		assert.Equal(t, shard, r.Shard)
		assert.Equal(t, shard, done(t, r))
		assert.Equal(t, runs[0].TriggerTime, r.TriggerTime)
	}
	assert.NotEqual(t, runs[0].Address, runs[1].Address)
}

// failover asks the executors for a sign of life.
func (w *world) failover(t *testing.T) {
	job := w.addJob(t, w.group, "echo", "executorRouteStrategy", "FAILOVER")
	w.trigger(t, job, "alive")
	assert.Contains(t, done(t, w.ended(t, w.group, job, 1)[0]), "alive")
}

// busyover asks the executors whether they have nothing to do.
func (w *world) busyover(t *testing.T) {
	job := w.addJob(t, w.group, "sleep", "executorRouteStrategy", "BUSYOVER")
	w.trigger(t, job, "7000")
	busy := w.running(t, w.group, job)
	w.trigger(t, job, "1")
	runs := w.ended(t, w.group, job, 2)
	assert.Equal(t, "slept", done(t, runs[0]))
	assert.Equal(t, "slept", done(t, runs[1]))
	require.Equal(t, busy.Address, runs[0].Address)
	assert.NotEqual(t, busy.Address, runs[1].Address, "the second run went to the executor that was busy")
}

// nobody triggers a job whose executors are all gone.
func (w *world) nobody(t *testing.T) {
	job := w.addJob(t, w.group, "echo")
	w.trigger(t, job, "")
	run := w.ended(t, w.group, job, 1)[0]
	assert.Equal(t, http.StatusInternalServerError, run.TriggerCode)
	assert.Contains(t, run.TriggerMsg, "executor")
	assert.Zero(t, run.HandleCode)
}
