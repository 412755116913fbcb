package journal

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCloseStress: Close may come at any moment, several times at once, and
// what was accepted before it is there afterwards.
func TestCloseStress(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.files = &faultDisk{noSync: true}
	accepted, n := map[ID]bool{}, 0
	for range 25 {
		j, rec, err := Open(t.Context(), cfg)
		require.NoError(t, err)
		require.Empty(t, rec.Problems)
		require.Equal(t, len(accepted), rec.Unsent+len(rec.Open))
		for _, run := range rec.Open {
			require.True(t, accepted[run.ID])
		}
		var mu sync.Mutex
		var callers sync.WaitGroup
		for range 10 {
			n += 100_000
			from := n
			callers.Go(func() {
				for i := from; ; i++ {
					seq, err := j.Accept(trigger(i), true, nil)
					if err != nil {
						assert.ErrorIs(t, err, ErrClosed)
						assert.NoError(t, j.Close())
						return
					}
					mu.Lock()
					accepted[trigger(i)] = true
					closeNow := len(accepted)%40 == 0
					mu.Unlock()
					j.Finish(seq, trigger(i), Result{Code: 200})
					if closeNow || i == from+99 {
						assert.NoError(t, j.Close())
					}
				}
			})
		}
		callers.Wait()
		assert.ErrorIs(t, j.Ack(nil), ErrClosed)
		assert.ErrorIs(t, j.Flush(t.Context()), ErrClosed)
		assert.ErrorIs(t, j.Full(), ErrClosed)
	}
}

func TestSetAside(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	j, _ := reopen(t, nil, cfg)
	for n := range 3 {
		j.Finish(accept(t, j, trigger(n), ""), trigger(n), Result{Code: 500, Msg: "line\n\"two\""})
	}
	written(t, j)
	got := j.Next(2, 1<<20)
	require.Len(t, got, 2)
	require.NoError(t, j.SetAside(got[0], "refused 5 times"))
	require.NoError(t, j.SetAside(got[1], "refused 5 times"))
	assert.EqualValues(t, 2, j.Stats().SetAside)
	j, rec := reopen(t, j, cfg)
	assert.Equal(t, 1, rec.Unsent)
	text, err := os.ReadFile(filepath.Join(cfg.Dir, setAsideFile))
	require.NoError(t, err)
	var line setAsideLine
	dec := json.NewDecoder(bytes.NewReader(text))
	for n := range 2 {
		require.NoError(t, dec.Decode(&line))
		assert.Equal(t, int64(n), line.LogID)
		assert.Equal(t, "line\n\"two\"", line.Msg)
		assert.Equal(t, "refused 5 times", line.Reason)
	}

	// If the file cannot be written, the result stays.
	require.NoError(t, os.Remove(filepath.Join(cfg.Dir, setAsideFile)))
	require.NoError(t, os.Mkdir(filepath.Join(cfg.Dir, setAsideFile), 0o700))
	got = j.Next(1, 1)
	require.Error(t, j.SetAside(got[0], "x"))
	assert.Equal(t, 1, j.Stats().Unsent)
}

func TestConfig(t *testing.T) {
	t.Parallel()
	_, _, err := Open(t.Context(), Config{Sync: 7, LockWait: -1, MaxBytes: -1})
	require.ErrorContains(t, err, "Dir")
	require.ErrorContains(t, err, "Sync")
	require.ErrorContains(t, err, "duration")
	require.ErrorContains(t, err, "size")
	j, _ := reopen(t, nil, testConfig(t))
	_, err = j.Accept(trigger(1), true, make([]byte, maxBody))
	require.ErrorContains(t, err, "too large")
	require.NoError(t, j.Full())
	assert.False(t, j.Finish(99, trigger(9), Result{}), "unknown")
	j.Start(99, trigger(9))
	j.Withdraw(99, trigger(9))
	require.NoError(t, j.Ack([]Finished{{Seq: 99}}))
	assert.Nil(t, j.Next(0, 1))
}
