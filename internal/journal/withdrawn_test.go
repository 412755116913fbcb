package journal

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWithdrawnStaysForgotten: a trigger whose identity was written to a
// remember file is forgotten for good when it is withdrawn after that, also
// when the segment with its withdrawn record is gone.
func TestWithdrawnStaysForgotten(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.SegmentBytes = 16 << 10
	cfg.files = &faultDisk{noSync: true}
	j, _ := reopen(t, nil, cfg)
	n := 10
	segmentsPass := func() {
		t.Helper()
		first := j.currentNo()
		for j.currentNo() < first+2*carrySegments {
			n++
			j.Finish(accept(t, j, trigger(n), ""), trigger(n), Result{Code: 200})
			if n%50 == 0 {
				written(t, j)
				require.NoError(t, j.Ack(drain(t, j)))
			}
		}
		written(t, j)
		require.NoError(t, j.Ack(drain(t, j)))
		require.Eventually(t, func() bool { return j.Stats().Segments <= carrySegments }, 10*time.Second, time.Millisecond)
	}
	runs := map[int]Seq{}
	for i := 1; i <= 4; i++ {
		runs[i] = accept(t, j, trigger(i), "long")
	}
	// They are carried forward, and remembered in a file that is large enough
	// to stay as it is.
	for j.rememberFiles() < 2 {
		segmentsPass()
	}
	j.Withdraw(runs[1], trigger(1))
	j.Withdraw(runs[2], trigger(2))
	again := accept(t, j, trigger(2), "again")
	check := func(rec *Recovery) {
		t.Helper()
		require.Empty(t, rec.Problems)
		assert.False(t, j.Known(trigger(1)), "withdrawn")
		assert.True(t, j.Known(trigger(2)), "withdrawn, and accepted again")
		assert.True(t, j.Known(trigger(4)))
		for i := 11; i <= n; i++ {
			require.True(t, j.Known(trigger(i)), i)
		}
	}
	j, rec := reopen(t, j, cfg)
	check(rec)
	require.True(t, j.Known(trigger(3)))
	j.Withdraw(runs[3], trigger(3)) // carried in an earlier life
	segmentsPass()
	for range 2 {
		j, rec = reopen(t, j, cfg)
		check(rec)
		assert.False(t, j.Known(trigger(3)), "withdrawn")
		require.Len(t, rec.Open, 2)
		assert.Equal(t, runs[4], rec.Open[0].Seq)
		assert.Equal(t, again, rec.Open[1].Seq)
		segmentsPass()
	}
}

func (j *Journal) rememberFiles() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.remember)
}

// currentNo returns the number of the segment that is written to.
func (j *Journal) currentNo() uint32 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.currentLocked().no
}
