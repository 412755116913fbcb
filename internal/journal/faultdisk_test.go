package journal

import (
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// faultDisk is the real disk with faults that can be switched on and off.
type faultDisk struct {
	disk
	noSync bool

	mu       sync.Mutex
	room     int64         // bytes that files may still grow by, if limited
	limited  bool          // whether room counts
	writeErr error         // every write fails with it
	short    int           // the next write stops after so many bytes, with EIO
	syncErr  error         // every sync fails with it
	readErr  error         // every read of an open file fails with it
	hang     time.Duration // every write sleeps
	sizes    map[string]int64
}

func (d *faultDisk) set(f func(*faultDisk)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(d)
}

func (d *faultDisk) SyncDir(path string) error {
	if d.noSync {
		return nil
	}
	return d.disk.SyncDir(path)
}

func (d *faultDisk) Open(path string, create bool) (file, error) {
	f, err := d.disk.Open(path, create)
	if err != nil {
		return nil, err
	}
	size, _ := f.Size()
	d.resize(path, size)
	return &faultFile{file: f, path: path, d: d}, nil
}

func (d *faultDisk) Remove(path string) error {
	err := d.disk.Remove(path)
	if err == nil {
		d.resize(path, 0)
	}
	return err
}

func (d *faultDisk) Rename(from, to string) error {
	err := d.disk.Rename(from, to)
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.sizes != nil {
			d.sizes[to] = d.sizes[from]
			delete(d.sizes, from)
		}
	}
	return err
}

// resize accounts for the new size of a file.
func (d *faultDisk) resize(path string, size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sizes == nil {
		d.sizes = map[string]int64{}
	}
	d.room += d.sizes[path] - size
	d.sizes[path] = size
}

type faultFile struct {
	file
	path string
	d    *faultDisk
}

func (f *faultFile) Truncate(size int64) error {
	err := f.file.Truncate(size)
	if err == nil {
		f.d.resize(f.path, size)
	}
	return err
}

func (f *faultFile) ReadAt(p []byte, off int64) (int, error) {
	f.d.mu.Lock()
	err := f.d.readErr
	f.d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, off)
}

func (f *faultFile) Sync() error {
	f.d.mu.Lock()
	err := f.d.syncErr
	f.d.mu.Unlock()
	if err != nil || f.d.noSync {
		return err
	}
	return f.file.Sync()
}

func (f *faultFile) WriteAt(p []byte, off int64) (int, error) {
	d := f.d
	d.mu.Lock()
	hang, fail, short := d.hang, d.writeErr, d.short
	d.short = 0
	var over int64
	if grown := off + int64(len(p)) - d.sizes[f.path]; d.limited && grown > d.room {
		over = grown - max(d.room, 0)
	}
	d.mu.Unlock()
	if hang > 0 {
		<-time.After(hang)
	}
	switch {
	case fail != nil:
		return 0, fail
	case over > 0:
		n, _ := f.file.WriteAt(p[:max(int64(len(p))-over, 0)], off)
		f.grown(off + int64(n))
		return n, syscall.ENOSPC
	case short > 0 && short < len(p):
		n, _ := f.file.WriteAt(p[:short], off)
		f.grown(off + int64(n))
		return n, syscall.EIO
	}
	n, err := f.file.WriteAt(p, off)
	f.grown(off + int64(n))
	return n, err
}

func (f *faultFile) grown(end int64) {
	f.d.mu.Lock()
	size := f.d.sizes[f.path]
	f.d.mu.Unlock()
	if end > size {
		f.d.resize(f.path, end)
	}
}

// faulty runs f in a bubble of fake time with a journal on a faultDisk.
func faulty(t *testing.T, change func(*Config), f func(t *testing.T, d *faultDisk, j *Journal, cfg Config)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d := &faultDisk{noSync: true}
		cfg := Config{Dir: filepath.Join(dir, "app-1"), files: d}
		if change != nil {
			change(&cfg)
		}
		j, _, err := Open(t.Context(), cfg)
		require.NoError(t, err)
		f(t, d, j, cfg)
	})
}

func drain(t testing.TB, j *Journal) (out []Finished) {
	t.Helper()
	for got := j.Next(7, 1<<20); got != nil; got = j.Next(7, 1<<20) {
		out = append(out, got...)
	}
	return out
}

func TestDiskRefuses(t *testing.T) {
	faulty(t, nil, func(t *testing.T, d *faultDisk, j *Journal, cfg Config) {
		a := accept(t, j, trigger(1), "a")
		b := accept(t, j, trigger(2), "b")
		d.set(func(d *faultDisk) { d.writeErr = syscall.EIO })
		_, err := j.Accept(trigger(3), false, nil)
		require.ErrorIs(t, err, syscall.EIO)
		assert.False(t, j.Known(trigger(3)), "a refused trigger is not remembered")
		assert.True(t, j.Finish(a, trigger(1), Result{Code: 200, Msg: "a"}))
		synctest.Wait()
		<-j.Ready()
		got := j.Next(10, 1<<20)
		require.Len(t, got, 1, "a result that the disk refuses is sent from memory")
		require.NoError(t, j.Ack(got))
		assert.True(t, j.Finish(b, trigger(2), Result{Code: 200, Msg: "b"}))
		synctest.Wait()
		assert.Equal(t, 1, j.Stats().InMemory)
		assert.NotZero(t, j.Stats().AppendErrors)

		d.set(func(d *faultDisk) { d.writeErr = nil })
		<-time.After(retryEvery + time.Millisecond)
		synctest.Wait()
		assert.Zero(t, j.Stats().InMemory, "it is written when the disk takes it again")
		got = drain(t, j)
		require.Len(t, got, 1)
		assert.Equal(t, "b", got[0].Result.Msg)
		require.NoError(t, j.Close())

		j, rec, err := Open(t.Context(), cfg)
		require.NoError(t, err)
		assert.Empty(t, rec.Open, "a refused trigger is not reported")
		assert.Empty(t, rec.Problems)
		assert.Len(t, drain(t, j), 1)
		require.NoError(t, j.Close())
	})
}

// TestUnreadable: what cannot be read now is given out later, without a
// restart and once, and does not hold up what comes after it.
func TestUnreadable(t *testing.T) {
	small := func(c *Config) { c.SegmentBytes = 16 << 10 }
	faulty(t, small, func(t *testing.T, d *faultDisk, j *Journal, _ Config) {
		begin := time.Now()
		run := func(from, to int) {
			for n := from; n < to; n++ {
				j.Finish(accept(t, j, trigger(n), ""), trigger(n), Result{Code: 200, Msg: "m"})
			}
			require.NoError(t, j.Flush(t.Context()))
		}
		run(0, 20)
		<-j.Ready()
		d.set(func(d *faultDisk) { d.readErr = syscall.EIO })
		require.Nil(t, j.Next(5, 1<<20))
		d.set(func(d *faultDisk) { d.readErr = nil })
		<-j.Ready()
		assert.Equal(t, begin.Add(readPause), time.Now(), "it asks to be read again by itself")
		require.Len(t, j.Next(5, 1<<20), 5)

		run(20, 21) // the reader has not seen it
		d.set(func(d *faultDisk) { d.readErr = syscall.EIO })
		for range readAttempts {
			require.Nil(t, j.Next(5, 1<<20))
		}
		left := time.Now()
		d.set(func(d *faultDisk) { d.readErr = nil })
		run(21, 600)
		require.Len(t, drain(t, j), 579, "what comes after it is given out")
		assert.EqualValues(t, 1, j.Stats().Damaged)
		for time.Since(left) < backAfter {
			<-j.Ready()
			if time.Since(left) < backAfter {
				require.Nil(t, j.Next(5, 1<<20))
			}
		}
		got := drain(t, j)
		require.Len(t, got, 16)
		for n, f := range got {
			assert.Equal(t, trigger(n+5), f.ID)
		}
		require.NoError(t, j.Ack(got))
		require.NoError(t, j.Close())
	})
}

func TestShortWrites(t *testing.T) {
	faulty(t, nil, func(t *testing.T, d *faultDisk, j *Journal, cfg Config) {
		kept := accept(t, j, trigger(0), "kept")
		synctest.Wait() // the cleaner has made its files
		for n := 1; n < 60; n++ {
			d.set(func(d *faultDisk) { d.short = n })
			_, err := j.Accept(trigger(n), false, []byte("0123456789012345678901234567890"))
			require.ErrorIs(t, err, syscall.EIO)
		}
		d.set(func(d *faultDisk) { d.short = 30 })
		j.Finish(kept, trigger(0), Result{Code: 200})
		synctest.Wait()
		require.NoError(t, j.Flush(t.Context()))
		require.NoError(t, j.Close())
		j, rec, err := Open(t.Context(), cfg)
		require.NoError(t, err)
		assert.Empty(t, rec.Open)
		assert.Empty(t, rec.Problems)
		assert.Equal(t, 1, rec.Unsent)
		require.NoError(t, j.Close())
	})
}

func TestHangingDisk(t *testing.T) {
	faulty(t, nil, func(t *testing.T, d *faultDisk, j *Journal, cfg Config) {
		d.set(func(d *faultDisk) { d.hang = 5 * time.Second })
		begin := time.Now()
		var callers sync.WaitGroup
		for n := range 10 {
			callers.Go(func() {
				<-time.After(time.Duration(n) * 300 * time.Millisecond)
				came := time.Now()
				_, err := j.Accept(trigger(n), false, nil)
				assert.ErrorIs(t, err, ErrTimeout)
				assert.LessOrEqual(t, time.Since(came), 2*time.Second)
			})
		}
		callers.Wait()
		assert.Less(t, time.Since(begin), 5*time.Second)
		assert.Zero(t, j.Stats().Open)
		assert.NotZero(t, j.Stats().Timeouts)
		d.set(func(d *faultDisk) { d.hang = 0 })
		require.NoError(t, j.Flush(t.Context()))
		for n := range 10 {
			assert.False(t, j.Known(trigger(n)))
		}
		accept(t, j, trigger(3), "again")
		require.NoError(t, j.Close())
		j, rec, err := Open(t.Context(), cfg)
		require.NoError(t, err)
		assert.Len(t, rec.Open, 1, "what timed out was withdrawn")
		assert.Equal(t, 1, rec.Remembered)
		require.NoError(t, j.Close())
	})
}

func TestCloseOfHangingDisk(t *testing.T) {
	faulty(t, nil, func(t *testing.T, d *faultDisk, j *Journal, _ Config) {
		d.set(func(d *faultDisk) { d.hang = time.Minute })
		_, err := j.Accept(trigger(1), false, nil)
		require.ErrorIs(t, err, ErrTimeout)
		begin := time.Now()
		require.ErrorContains(t, j.Close(), "does not answer")
		assert.Equal(t, closeWait, time.Since(begin))
		d.set(func(d *faultDisk) { d.hang = 0 })
		<-time.After(time.Minute)
	})
}

func TestSyncAlways(t *testing.T) {
	faulty(t, func(c *Config) { c.Sync = SyncAlways }, func(t *testing.T, d *faultDisk, j *Journal, cfg Config) {
		seq := accept(t, j, trigger(1), "")
		d.set(func(d *faultDisk) { d.syncErr = syscall.EIO })
		_, err := j.Accept(trigger(2), false, nil)
		require.ErrorIs(t, err, syscall.EIO)
		require.ErrorIs(t, j.Stats().LastSyncError, syscall.EIO)
		j.Finish(seq, trigger(1), Result{Code: 200})
		synctest.Wait()
		assert.Len(t, drain(t, j), 1, "a result is sent all the same")
		d.set(func(d *faultDisk) { d.syncErr = nil })
		require.NoError(t, j.Close())
		j, rec, err := Open(t.Context(), cfg)
		require.NoError(t, err)
		assert.Empty(t, rec.Open)
		require.NoError(t, j.Close())
	})
}

func TestFullDiskWithoutRoomToOpen(t *testing.T) {
	faulty(t, nil, func(t *testing.T, d *faultDisk, j *Journal, cfg Config) {
		seq := accept(t, j, trigger(1), "")
		require.NoError(t, j.Close())
		d.set(func(d *faultDisk) { d.limited, d.room = true, 0 })
		require.NoError(t, d.Remove(filepath.Join(cfg.Dir, segmentSpare.name)))
		d.set(func(d *faultDisk) { d.room = 0 })
		j, rec, err := Open(t.Context(), cfg)
		require.NoError(t, err, "a full disk does not prevent a start")
		require.Len(t, rec.Open, 1)
		require.ErrorIs(t, j.Full(), ErrFull)
		_, err = j.Accept(trigger(2), false, nil)
		require.ErrorIs(t, err, ErrFull)
		j.Finish(seq, trigger(1), Result{Code: 500, Msg: "cut off"})
		synctest.Wait()
		assert.Len(t, drain(t, j), 1)
		d.set(func(d *faultDisk) { d.room = 10 << 20 })
		<-time.After(retryEvery + time.Millisecond)
		synctest.Wait()
		require.NoError(t, j.Full(), "it recovers by itself")
		accept(t, j, trigger(3), "")
		require.NoError(t, j.Close())
		j, rec, err = Open(t.Context(), cfg)
		require.NoError(t, err)
		assert.Equal(t, 1, rec.Unsent)
		assert.Len(t, rec.Open, 1)
		require.NoError(t, j.Close())
	})
}
