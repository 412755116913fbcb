package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reopen closes j, if it is not nil, and opens the folder of cfg.
func reopen(t testing.TB, j *Journal, cfg Config) (*Journal, *Recovery) {
	t.Helper()
	if j != nil {
		require.NoError(t, j.Close())
	}
	j, rec, err := Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.Close() })
	return j, rec
}

func testConfig(t testing.TB) Config {
	return Config{Dir: filepath.Join(t.TempDir(), "app-9999")}
}

func trigger(n int) ID {
	return ID{JobID: int32(n%7 + 1), LogID: int64(n), At: 1_586_629_003_729 + int64(n)}
}

func accept(t testing.TB, j *Journal, id ID, payload string) Seq {
	t.Helper()
	seq, err := j.Accept(id, false, []byte(payload))
	require.NoError(t, err)
	return seq
}

// written waits until everything recorded so far can be read.
func written(t testing.TB, j *Journal) {
	t.Helper()
	require.NoError(t, j.Flush(t.Context()))
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	j, rec := reopen(t, nil, cfg)
	assert.Empty(t, rec.Problems)

	queued := accept(t, j, trigger(1), "queued")
	running, err := j.Accept(trigger(2), true, []byte("running"))
	require.NoError(t, err)
	started := accept(t, j, trigger(3), "started")
	j.Start(started, trigger(3))
	unsent := accept(t, j, trigger(4), "unsent")
	assert.True(t, j.Finish(unsent, trigger(4), Result{Code: 500, Msg: "no", NoRetry: true}))
	assert.False(t, j.Finish(unsent, trigger(4), Result{Code: 200}), "the first result wins")
	sent := accept(t, j, trigger(5), "sent")
	assert.True(t, j.Finish(sent, trigger(5), Result{Code: 200, HasMsg: true}))
	gone := accept(t, j, trigger(6), "withdrawn")
	j.Withdraw(gone, trigger(6))
	assert.False(t, j.Known(trigger(6)))
	assert.False(t, j.Finish(gone, trigger(6), Result{}))
	written(t, j)

	got := j.Next(10, 1<<20)
	require.Len(t, got, 2)
	assert.Equal(t, Finished{Seq: unsent, ID: trigger(4), Result: Result{Code: 500, Msg: "no", HasMsg: true, NoRetry: true}}, got[0])
	assert.Nil(t, j.Next(10, 1<<20), "each result is given out once")
	require.NoError(t, j.Ack(got[1:]))
	assert.Equal(t, 1, j.Stats().Unsent)
	assert.Equal(t, 3, j.Stats().Open)

	j, rec = reopen(t, j, cfg)
	assert.Empty(t, rec.Problems)
	assert.Equal(t, []OpenRun{
		{Seq: queued, ID: trigger(1), Payload: []byte("queued")},
		{Seq: running, ID: trigger(2), Started: true, Payload: []byte("running")},
		{Seq: started, ID: trigger(3), Started: true, Payload: []byte("started")},
	}, rec.Open)
	assert.Equal(t, 1, rec.Unsent)
	assert.Equal(t, 5, rec.Remembered)
	<-j.Ready()
	assert.Equal(t, got[:1], j.Next(10, 1<<20))
	assert.False(t, j.Known(trigger(6)))
	again := trigger(5)
	again.At += 1000
	r, ok := j.Result(again)
	assert.True(t, ok, "a result is known after a restart")
	assert.Equal(t, Finished{ID: trigger(5), Result: got[1].Result}, r, "under the first one's time")
	again.At++
	assert.False(t, j.Known(again))
	assert.True(t, j.Finish(queued, trigger(1), Result{Code: 500}), "an open run can be finished after a restart")
}

func TestManyRestarts(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.SegmentBytes = 16 << 10
	var j *Journal
	for round := range 20 {
		var rec *Recovery
		j, rec = reopen(t, j, cfg)
		require.Empty(t, rec.Problems)
		require.Empty(t, rec.Open)
		require.Equal(t, round*200, rec.Remembered)
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				id := trigger(round*200 + i)
				seq, err := j.Accept(id, true, make([]byte, 200))
				if assert.NoError(t, err) {
					j.Finish(seq, id, Result{Code: 200, Msg: fmt.Sprint(id)})
				}
			})
		}
		wg.Wait()
		written(t, j)
		for got := j.Next(50, 1<<20); got != nil; got = j.Next(50, 1<<20) {
			require.NoError(t, j.Ack(got))
		}
		require.Zero(t, j.Stats().Unsent)
		written(t, j)
	}
	for n := range 4000 {
		require.True(t, j.Known(trigger(n)), n)
	}
	files, err := os.ReadDir(cfg.Dir)
	require.NoError(t, err)
	assert.Less(t, len(files), 30)
}
