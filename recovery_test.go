package xxljob

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/journal"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// leaveOpen writes a journal as a process leaves it that was killed: runs that
// were accepted, started, or neither.
func leaveOpen(t *testing.T, dir string, triggers map[int64]bool, payload func(id int64) []byte) {
	t.Helper()
	e, err := NewExecutor(Config{
		AdminAddrs: []string{"http://admin-1"}, AppName: testApp, AccessToken: testToken, LogPath: dir, Address: testAddress,
	})
	require.NoError(t, err)
	j, _, err := e.openJournal(t.Context(), 9999)
	require.NoError(t, err)
	for id, started := range triggers {
		_, err := j.Accept(journal.ID{JobID: int32(id), LogID: id, At: time.Now().UnixMilli()}, started, payload(id))
		require.NoError(t, err)
	}
	require.NoError(t, j.Close())
}

// What a former process accepted and did not end is reported failed, each with
// the reason; a repeat of it is known.
func TestRecoveryReportsOpenRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		leaveOpen(t, dir, map[int64]bool{1: true, 2: false}, func(int64) []byte { return nil })
		b := prepareBed(t, dir, nil)
		registerTestHandlers(b.e)
		b.start()
		got := map[int64]string{}
		for range 2 {
			item := b.admin.node(1).next(t)
			assert.EqualValues(t, 500, item.Code)
			got[item.LogID] = item.Msg.String
		}
		assert.Equal(t, map[int64]string{1: textCutOff, 2: wire.TextNeverStarted}, got)
		r := b.run(trig{id: 1, logID: 1, handler: "echo"})
		assert.Equal(t, wire.RepeatText(1), r.Msg)
		assert.Equal(t, textCutOff, b.admin.node(1).next(t).Msg.String, "its result is reported again")
		assert.Contains(t, b.file(1), textCutOff)
		assert.EqualValues(t, 2, b.e.Stats().Recovered)
	})
}

// Runs of Repeatable handlers run again if their trigger is young.
func TestRecoveryRunsRepeatableAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		now := time.Now()
		payload := func(id int64) []byte {
			at := now
			if id == 2 {
				at = now.Add(-6 * time.Minute)
			}
			name := map[int64]string{3: "echo", 4: "gone"}[id]
			if name == "" {
				name = "again"
			}
			req := wire.TriggerRequest{
				JobID: int32(id), LogID: id, LogDateTime: at.UnixMilli(), GlueType: wire.Str(wire.GlueTypeBean),
				ExecutorHandler: wire.Str(name), ExecutorParams: wire.Str("p"),
			}
			return req.Append(nil)
		}
		leaveOpen(t, dir, map[int64]bool{1: true, 2: true, 3: true, 4: false}, payload)
		b := prepareBed(t, dir, nil)
		registerTestHandlers(b.e)
		require.NoError(t, b.e.Register("again", func(_ context.Context, run *Run) error {
			assert.True(t, run.Recovered())
			run.SetResult("done again with " + run.Param())
			return nil
		}, Repeatable()))
		b.start()
		got := map[int64]string{}
		for range 4 {
			item := b.admin.node(1).next(t)
			got[item.LogID] = item.Msg.String
		}
		assert.Equal(t, map[int64]string{1: "done again with p", 2: textCutOff, 3: textCutOff, 4: wire.TextNeverStarted}, got)
	})
}

// Results that were not delivered are sent by the next process, once, and in
// the order of each job.
func TestResultsSurviveRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b := prepareBed(t, dir, func(cfg *Config) { cfg.ShutdownTimeout = 6 * time.Second })
		registerTestHandlers(b.e)
		b.start()
		b.admin.node(1).set(true, nil)
		for i := int64(1); i <= 200; i++ {
			b.mustRun(trig{id: int(i % 3), logID: i, handler: "echo", param: itoa(i)})
		}
		after(time.Second)
		b.close()

		next := prepareBed(t, dir, nil)
		registerTestHandlers(next.e)
		next.start()
		last := map[int64]int64{}
		for range 200 {
			item := next.admin.node(1).next(t)
			assert.Equal(t, itoa(item.LogID), item.Msg.String)
			job := item.LogID % 3
			assert.GreaterOrEqual(t, item.LogID, last[job], "order of job %d", job)
			last[job] = item.LogID
		}
		after(time.Minute)
		assert.Empty(t, next.admin.node(1).got)
		assert.Zero(t, next.e.Stats().Unsent)
	})
}
