package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smallDisk runs f in a bubble with a journal on a disk with so much room.
func smallDisk(t *testing.T, room int64, f func(t *testing.T, d *faultDisk, j *Journal, cfg Config)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d := &faultDisk{noSync: true, limited: true, room: room}
		cfg := Config{Dir: filepath.Join(dir, "app-1"), files: d}
		j, _, err := Open(t.Context(), cfg)
		require.NoError(t, err)
		f(t, d, j, cfg)
	})
}

// fill accepts triggers until the disk is full, and returns them.
func fill(t *testing.T, j *Journal, from int) map[Seq]ID {
	t.Helper()
	open := map[Seq]ID{}
	for n := from; ; n++ {
		seq, err := j.Accept(trigger(n), false, []byte(strings.Repeat("p", 300)))
		if err != nil {
			require.ErrorIs(t, err, ErrFull)
			return open
		}
		open[seq] = trigger(n)
		require.Less(t, n, from+10_000)
	}
}

func TestFullDisk(t *testing.T) {
	smallDisk(t, 1<<20, func(t *testing.T, d *faultDisk, j *Journal, cfg Config) {
		for round := range 5 {
			open := fill(t, j, 10_000*round)
			require.Greater(t, len(open), 50, "round %d", round)
			require.ErrorIs(t, j.Full(), ErrFull)
			for seq, id := range open {
				require.True(t, j.Finish(seq, id, Result{Code: 500, Msg: strings.Repeat("é", 10_000)}))
			}
			synctest.Wait()
			require.Zero(t, j.Stats().InMemory, "every result has its room on a full disk")
			got := drain(t, j)
			require.Len(t, got, len(open))
			shortened := 0
			for _, f := range got {
				require.Contains(t, f.Result.Msg, "ééé")
				shortened += count(strings.HasSuffix(f.Result.Msg, cutMark))
			}
			require.NotZero(t, shortened)
			for len(got) > 0 {
				n := min(50, len(got))
				require.NoError(t, j.Ack(got[:n]))
				got = got[n:]
			}
			<-time.After(3 * retryEvery)
			synctest.Wait()
			require.NoError(t, j.Full(), "round %d: it has room again", round)
		}
		known := j.Stats().Remembered
		require.NoError(t, j.Close())
		j, rec, err := Open(t.Context(), cfg)
		require.NoError(t, err)
		assert.Empty(t, rec.Problems)
		assert.Empty(t, rec.Open)
		assert.Zero(t, rec.Unsent)
		assert.Equal(t, known, rec.Remembered)
		require.NoError(t, j.Close())
	})
}

// TestFullDiskPinned: a run that never ends does not keep a full disk full.
func TestFullDiskPinned(t *testing.T) {
	smallDisk(t, 1<<20, func(t *testing.T, d *faultDisk, j *Journal, cfg Config) {
		pinned := accept(t, j, trigger(1), "for ever")
		for round := 1; round <= 3; round++ {
			open := fill(t, j, 10_000*round)
			require.NotEmpty(t, open)
			for seq, id := range open {
				j.Finish(seq, id, Result{Code: 200})
			}
			synctest.Wait()
			require.NoError(t, j.Ack(drain(t, j)))
			<-time.After(5 * retryEvery)
			synctest.Wait()
			require.NoError(t, j.Full(), "round %d", round)
		}
		require.NoError(t, j.Close())
		j, rec, err := Open(t.Context(), cfg)
		require.NoError(t, err)
		require.Len(t, rec.Open, 1)
		assert.Equal(t, OpenRun{Seq: pinned, ID: trigger(1), Payload: []byte("for ever")}, rec.Open[0])
		require.NoError(t, j.Close())
	})
}

func TestMaxBytes(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.MaxBytes = 1 << 20
	j, _ := reopen(t, nil, cfg)
	open := fill(t, j, 0)
	err := j.Full()
	require.ErrorIs(t, err, ErrFull)
	require.ErrorContains(t, err, "1048576")
	for seq, id := range open {
		require.True(t, j.Finish(seq, id, Result{Code: 200, Msg: strings.Repeat("m", 5000)}))
	}
	written(t, j)
	got := drain(t, j)
	require.Len(t, got, len(open), "results are never refused")
	assert.Len(t, got[0].Result.Msg, 5000, "and not cut")
	assert.ErrorIs(t, j.Full(), ErrFull)
	require.NoError(t, j.Ack(got))
	require.Eventually(t, func() bool { return j.Full() == nil }, 10*time.Second, time.Millisecond)
	accept(t, j, trigger(99_999), "")
}

// TestCarryForward: a few runs that never end do not keep the segments of all
// that came after them.
func TestCarryForward(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.SegmentBytes = 32 << 10
	j, _ := reopen(t, nil, cfg)
	pinned := map[Seq]ID{}
	for n := range 3000 {
		id := trigger(n)
		seq := accept(t, j, id, strings.Repeat("p", 200))
		if n%200 == 0 {
			pinned[seq] = id
			if n%400 == 0 {
				j.Start(seq, id)
			}
			continue
		}
		j.Finish(seq, id, Result{Code: 200})
		if n%50 == 49 {
			written(t, j)
			require.NoError(t, j.Ack(drain(t, j)))
		}
	}
	require.Eventually(t, func() bool { return j.Stats().Segments <= carrySegments+2 }, 10*time.Second, time.Millisecond)
	check := func(rec *Recovery) {
		require.Empty(t, rec.Problems)
		require.Len(t, rec.Open, len(pinned))
		for _, run := range rec.Open {
			require.Equal(t, pinned[run.Seq], run.ID)
			require.Len(t, run.Payload, 200)
			require.Equal(t, run.ID.LogID%400 == 0, run.Started)
		}
		require.Equal(t, 3000, rec.Remembered)
	}
	j, rec := reopen(t, j, cfg)
	check(rec)
	j, rec = reopen(t, j, cfg)
	check(rec)
	for seq, id := range pinned {
		require.True(t, j.Finish(seq, id, Result{Code: 200, Msg: "late"}))
	}
	written(t, j)
	require.NoError(t, j.Ack(drain(t, j)))
	require.Eventually(t, func() bool { return j.Stats().Segments == 1 }, 10*time.Second, time.Millisecond)
	_, rec = reopen(t, j, cfg)
	assert.Empty(t, rec.Open)
	assert.Zero(t, rec.Unsent)
	assert.Equal(t, 3000, rec.Remembered)
}

// TestBacklog measures the heap, so it runs beside no other test.
func TestBacklog(t *testing.T) {
	const n = 100_000
	cfg := testConfig(t)
	cfg.ResultCacheBytes = 1
	cfg.Remember, cfg.RememberMax = 10, 10
	j, _ := reopen(t, nil, cfg)
	msg := strings.Repeat("m", 300)
	done := make(chan struct{})
	for worker := range 16 {
		go func() {
			for i := worker; i < n; i += 16 {
				id := ID{JobID: int32(worker), LogID: int64(i), At: 1}
				seq, err := j.Accept(id, true, nil)
				if assert.NoError(t, err) {
					j.Finish(seq, id, Result{Code: 200, Msg: msg})
				}
			}
			done <- struct{}{}
		}()
	}
	for range 16 {
		<-done
	}
	j, rec := reopen(t, j, cfg)
	require.Equal(t, n, rec.Unsent)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	last := map[int32]int64{}
	got := 0
	for batch := j.Next(50, 512<<10); batch != nil; batch = j.Next(50, 512<<10) {
		for _, f := range batch {
			if prev, ok := last[f.ID.JobID]; ok && prev >= f.ID.LogID {
				t.Fatalf("job %d: log %d after %d", f.ID.JobID, f.ID.LogID, prev)
			}
			last[f.ID.JobID] = f.ID.LogID
			got++
		}
		if got == n/2 {
			runtime.GC()
			runtime.ReadMemStats(&after)
		}
	}
	require.Equal(t, n, got)
	assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(4<<20), "a backlog costs no memory")
}

// TestRememberAcrossRestarts: what is old is forgotten on disk, too, and what
// counts as old is the time that the executor was up.
func TestRememberAcrossRestarts(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		cfg := Config{
			Dir: filepath.Join(dir, "app-1"), SegmentBytes: 16 << 10, files: &faultDisk{noSync: true},
			Remember: 100, RememberFor: 24 * time.Hour,
		}
		j, _, err := Open(t.Context(), cfg)
		require.NoError(t, err)
		n := 0
		run := func(count int) {
			for range count {
				id := ID{JobID: 1, LogID: int64(n), At: int64(n)}
				n++
				seq, err := j.Accept(id, true, []byte(strings.Repeat("p", 500)))
				require.NoError(t, err)
				j.Finish(seq, id, Result{Code: 200})
			}
			require.NoError(t, j.Flush(t.Context()))
			require.NoError(t, j.Ack(drain(t, j)))
			synctest.Wait()
		}
		restart := func() *Recovery {
			require.NoError(t, j.Close())
			var rec *Recovery
			j, rec, err = Open(t.Context(), cfg)
			require.NoError(t, err)
			require.Empty(t, rec.Problems)
			return rec
		}
		for range 4 {
			run(1500)
			<-time.After(5 * time.Hour)
			run(1)
		}
		assert.Equal(t, n, restart().Remembered, "younger than a day")
		for range 3 {
			<-time.After(5 * time.Hour)
			run(1500)
		}
		left := restart().Remembered
		assert.Less(t, left, n-1500, "the first hours are forgotten")
		assert.Greater(t, left, 4500)
		files, _ := filepath.Glob(filepath.Join(cfg.Dir, "remember-*"))
		var size int64
		for _, name := range files {
			info, err := os.Stat(name)
			require.NoError(t, err)
			size += info.Size()
		}
		assert.Less(t, size, int64(200<<10), fmt.Sprint(files))
		require.NoError(t, j.Close())
		<-time.After(1000 * time.Hour) // down time does not count
		j, rec, err := Open(t.Context(), cfg)
		require.NoError(t, err)
		assert.Equal(t, left, rec.Remembered)
		require.NoError(t, j.Close())
	})
}
