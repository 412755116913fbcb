package joblog

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What comes soon after the end of a log is written together with it; what
// comes later goes behind it.
func TestEndIsWrittenWithTheLateLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, nil)
		count := withFaults(s)
		stop := runStore(t, s)
		synctest.Wait()
		l := s.Log(7, noon)
		l.Append([]byte("start"))
		_, err := l.Write([]byte("raw"))
		require.NoError(t, err)
		l.End()
		l.End()
		assert.False(t, l.Append([]byte("after the end")))
		assert.NoFileExists(t, pathOf(s, 7), "nobody waits for the disk")
		require.NoError(t, s.AppendAfter(7, noon, []byte("callback")))
		wait(s.cfg.FlushEvery)
		synctest.Wait()
		assert.Equal(t, []int{1, 1, 1}, []int{count.opens, count.writes, count.closes})
		require.NoError(t, s.AppendAfter(7, noon, []byte("again")))
		assert.Equal(t, "start\nraw\ncallback\nagain\n", content(t, s, 7))
		assert.Zero(t, s.Stats().Open)
		assert.Zero(t, s.ending.Load())
		stop()
	})
}

// An ended log is read whole, also before it is written.
func TestReadOfEndedLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, nil)
		stop := runStore(t, s)
		synctest.Wait()
		l := s.Log(7, noon)
		l.Append([]byte("start"))
		l.End()
		page, err := s.Read(7, noon, 1)
		require.NoError(t, err)
		assert.Equal(t, "start\n", string(page.Text))
		require.NoError(t, s.AppendAfter(7, noon, []byte("callback")))
		page, err = s.Read(7, noon, 1)
		require.NoError(t, err)
		assert.Equal(t, "start\ncallback\n", string(page.Text))
		wait(time.Second)
		assert.Equal(t, "start\ncallback\n", content(t, s, 7))
		stop()
	})
}

// Without a flusher, before Run and after it, the end is written at once; a
// stop writes what had been ended before it.
func TestEndWithoutFlusher(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, nil)
		ended := func(id int64) {
			l := s.Log(id, noon)
			l.Append([]byte("only"))
			l.End()
		}
		ended(1)
		assert.Equal(t, "only\n", content(t, s, 1), "before Run")
		stop := runStore(t, s)
		synctest.Wait()
		ended(2)
		assert.NoFileExists(t, pathOf(s, 2))
		stop()
		assert.Equal(t, "only\n", content(t, s, 2), "the end of Run writes all")
		ended(3)
		assert.Equal(t, "only\n", content(t, s, 3), "after Run")
		s.Log(4, noon).End()
		assert.NoFileExists(t, pathOf(s, 4), "a log without entries has no file")
	})
}

// Too many ended logs do not pile up in memory.
func TestEndedLogsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, nil)
		stop := runStore(t, s)
		synctest.Wait()
		for id := range int64(maxEnding + 10) {
			l := s.Log(id, noon)
			l.Append([]byte("x"))
			l.End()
		}
		assert.EqualValues(t, maxEnding, s.ending.Load())
		assert.FileExists(t, pathOf(s, maxEnding+5), "beyond the bound the caller writes")
		stop()
		assert.Zero(t, s.ending.Load())
		assert.FileExists(t, pathOf(s, 5))
	})
}

// Ends, late lines, reads and the flusher at the same time: every line once,
// in order.
func TestEndUnderRace(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.FlushEvery = time.Millisecond })
	stop := runStore(t, s)
	var wg sync.WaitGroup
	for worker := range int64(8) {
		wg.Go(func() {
			for n := range int64(100) {
				id := worker*1000 + n
				l := s.Log(id, noon)
				l.Append([]byte("start"))
				l.AppendEnd([]byte("end"))
				l.End()
				if n%3 == 0 {
					_, err := s.Read(id, noon, 1)
					assert.NoError(t, err)
				}
				for late := range 3 {
					assert.NoError(t, s.AppendAfter(id, noon, fmt.Appendf(nil, "late %d", late)))
				}
			}
		})
	}
	wg.Wait()
	stop()
	want := strings.Join([]string{"start", "end", "late 0", "late 1", "late 2", ""}, "\n")
	for worker := range int64(8) {
		for n := range int64(100) {
			require.Equal(t, want, content(t, s, worker*1000+n))
		}
	}
	assert.Zero(t, s.Stats().Open)
}
