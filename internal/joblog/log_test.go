package joblog

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLogLayout(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("east", 8*3600)
	s := newStore(t, func(c *Config) { c.Location = zone })
	require.NoError(t, s.AppendAfter(42, time.Date(2026, 1, 31, 16, 0, 0, 0, time.UTC), []byte("x\n")))
	path := filepath.Join(s.cfg.Dir, "2026-02-01", "42.log")
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode())
	info, err = os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), info.Mode().Perm())
}

func TestOpenNamesEveryFault(t *testing.T) {
	t.Parallel()
	_, err := Open(Config{Dir: " ", FlushEvery: -1, MaxBytes: -1, PageBytes: -1})
	require.Error(t, err)
	for _, field := range []string{"Dir", "FlushEvery", "MaxBytes", "PageBytes"} {
		assert.ErrorContains(t, err, field)
	}
	_, err = Open(Config{Dir: "a\x00b"})
	assert.ErrorContains(t, err, "NUL")
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o600))
	_, err = Open(Config{Dir: plain})
	assert.Error(t, err)
}

// A run that logs nothing of its own: two opens, two writes, two closes.
func TestSilentRunCostsTwoOpensAndTwoWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, nil)
		count := withFaults(s)
		stop := runStore(t, s)
		l := s.Log(7, noon)
		l.Append([]byte("start"))
		l.Append([]byte("end"))
		require.NoError(t, l.Close())
		wait(time.Minute) // fake: no flush comes later
		require.NoError(t, s.AppendAfter(7, noon, []byte("callback")))
		stop()
		assert.Equal(t, []int{2, 2, 2}, []int{count.opens, count.writes, count.closes})
		assert.Equal(t, "start\nend\ncallback\n", content(t, s, 7))
	})
}

// runStore runs s until the returned function is called, which waits for it.
func runStore(t *testing.T, s *Store) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	return func() {
		cancel()
		require.NoError(t, <-done)
	}
}

func TestFlusherWritesInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, func(c *Config) { c.FlushEvery = 80 * time.Millisecond })
		count := withFaults(s)
		stop := runStore(t, s)
		l := s.Log(7, noon)
		for i := range 5 {
			l.Append(fmt.Appendf(nil, "first %d", i))
			assert.NoFileExists(t, pathOf(s, 7))
			wait(79 * time.Millisecond)
			synctest.Wait()
			before := count.writes
			l.Append(fmt.Appendf(nil, "second %d", i))
			wait(time.Millisecond)
			synctest.Wait()
			assert.Equal(t, before+1, count.writes, "80 ms after the first entry both are written, at once")
			require.NoError(t, os.Remove(pathOf(s, 7)))
		}
		writes := count.writes
		wait(time.Hour)
		assert.Equal(t, writes, count.writes, "nothing to do, nothing done")

		l.Append([]byte("last"))
		stop()
		assert.Equal(t, "last\n", content(t, s, 7), "the end of Run writes all")
		l.Append([]byte("after"))
		assert.Equal(t, "last\nafter\n", content(t, s, 7), "nobody flushes now, so entries are written at once")
		assert.ErrorIs(t, s.Run(t.Context()), ErrRunning)
		require.NoError(t, l.Close())
	})
}

func TestEntriesFromBeforeRunAreFlushed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, nil)
		l := s.Log(7, noon)
		l.Append([]byte("early"))
		wait(time.Hour)
		stop := runStore(t, s)
		wait(defaultFlushEvery)
		synctest.Wait()
		assert.Equal(t, "early\n", content(t, s, 7))
		stop()
		require.NoError(t, l.Close())
	})
}

func TestAppendWritesAFullBufferItself(t *testing.T) {
	t.Parallel()
	s := newStore(t, nil)
	l := s.Log(7, noon)
	for range 33 {
		l.Append(bytes.Repeat([]byte("x"), 1023))
	}
	assert.Len(t, content(t, s, 7), 32<<10)
	assert.Len(t, l.buf, 1024)
	require.NoError(t, l.Close())
}

func TestEntriesBeginOnTheirOwnLine(t *testing.T) {
	t.Parallel()
	s := newStore(t, nil)
	l := s.Log(7, noon)
	_, _ = l.Write([]byte("progress 50%"))
	l.Append([]byte("entry"))
	l.Append(nil)
	_, _ = l.Write(nil)
	_, _ = l.Write([]byte("unfinished"))
	require.NoError(t, l.Close())
	require.NoError(t, l.Close())
	require.NoError(t, s.AppendAfter(7, noon, []byte("late")))
	assert.Equal(t, "progress 50%\nentry\n\nunfinished\nlate\n", content(t, s, 7))
}

func TestClosedLogTakesNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t, nil)
	l := s.Log(7, noon)
	assert.True(t, l.Append([]byte("in time")))
	assert.Equal(t, 1, s.Stats().Open)
	require.NoError(t, l.Close())
	assert.False(t, l.Append([]byte("late")))
	_, err := l.Write([]byte("late"))
	require.ErrorIs(t, err, os.ErrClosed)
	assert.Equal(t, "in time\n", content(t, s, 7))
	assert.EqualValues(t, 2, s.Stats().LateEntries)
	assert.Zero(t, s.Stats().Open)
}

func TestTwoLogsOfOneFile(t *testing.T) {
	t.Parallel()
	s := newStore(t, nil)
	logs := []*Log{s.Log(7, noon), s.Log(7, noon), s.Log(7, noon)}
	for i, l := range logs {
		l.Append(fmt.Appendf(nil, "entry %d", i))
	}
	assert.EqualValues(t, 3, read(t, s, 7, 1).To)
	for _, i := range []int{1, 2, 0} {
		require.NoError(t, logs[i].Close())
		assert.Equal(t, i != 0, s.Stats().Open > 0)
	}
	assert.Empty(t, s.open)
}

func TestMaxRunBytes(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.MaxRunBytes = 20 })
	l := s.Log(7, noon)
	for range 5 {
		assert.True(t, l.Append([]byte("123456789")))
	}
	assert.True(t, l.Truncated())
	require.NoError(t, l.Close())
	require.NoError(t, s.AppendAfter(7, noon, []byte("late")))
	lines := naiveLines([]byte(content(t, s, 7)))
	require.Len(t, lines, 4)
	assert.Contains(t, lines[2], "limit of 20 bytes")
	assert.Equal(t, "late", lines[3])
	assert.EqualValues(t, 27, s.Stats().DroppedBytes)
}

// A long output of a script is kept up to the limit, not dropped as a whole.
func TestMaxRunBytesCutsRawBytes(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.MaxRunBytes = 20 })
	l := s.Log(7, noon)
	n, err := l.Write(bytes.Repeat([]byte("y"), 100))
	require.NoError(t, err)
	assert.Equal(t, 100, n)
	require.NoError(t, l.Close())
	lines := naiveLines([]byte(content(t, s, 7)))
	require.Len(t, lines, 2)
	assert.Equal(t, strings.Repeat("y", 20), lines[0])
	assert.EqualValues(t, 80, s.Stats().DroppedBytes)
}

func TestFolderRemovedByHand(t *testing.T) {
	t.Parallel()
	s := newStore(t, nil)
	l := s.Log(7, noon)
	for _, victim := range []string{filepath.Dir(pathOf(s, 7)), s.cfg.Dir} {
		l.Append([]byte("before"))
		require.NoError(t, l.Flush())
		require.NoError(t, os.RemoveAll(victim))
		l.Append([]byte("after"))
		require.NoError(t, l.Flush())
		assert.Equal(t, "after\n", content(t, s, 7))
	}
	require.NoError(t, l.Close())
}

func TestFolderMovedAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, nil)
		require.NoError(t, s.AppendAfter(7, noon, []byte("before")))
		require.NoError(t, os.Rename(filepath.Dir(pathOf(s, 7)), s.cfg.Dir+"-archive"))
		wait(folderRecheck)
		require.NoError(t, s.AppendAfter(7, noon, []byte("after")))
		assert.Equal(t, "after\n", content(t, s, 7))
	})
}

// A disk that is full for a while loses nothing that fits into memory.
func TestShortDiskTrouble(t *testing.T) {
	t.Parallel()
	for _, room := range []int64{0, 3, 5} {
		s := newStore(t, nil)
		faults := withFaults(s)
		faults.setRoom(room)
		l := s.Log(7, noon)
		l.Append([]byte("first"))
		require.ErrorIs(t, l.Flush(), syscall.ENOSPC)
		l.Append([]byte("second"))
		require.ErrorIs(t, l.Flush(), syscall.ENOSPC)
		faults.setRoom(-1)
		require.NoError(t, l.Close())
		assert.Equal(t, "first\nsecond\n", content(t, s, 7))
		assert.Zero(t, s.Stats().LostBytes)
		assert.EqualValues(t, 2, s.Stats().Errors)
	}
}

func TestLongDiskTrouble(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := newStore(t, func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&out, nil)) })
	faults := withFaults(s)
	faults.setRoom(10)
	l := s.Log(7, noon)
	entry := bytes.Repeat([]byte("x"), 999)
	for range 300 {
		assert.True(t, l.Append(entry), "a full disk fails no run")
	}
	assert.LessOrEqual(t, len(l.buf), retryBytes+len(entry), "memory is bounded")
	lost := s.Stats().LostBytes
	assert.Positive(t, lost)
	faults.setRoom(-1)
	l.Append([]byte("the disk is back")) // not known yet
	require.NoError(t, l.Flush())
	l.Append([]byte("after the disk came back"))
	require.NoError(t, l.Close())

	lines := naiveLines([]byte(content(t, s, 7)))
	require.Greater(t, len(lines), 60)
	for _, line := range lines[:len(lines)-2] {
		require.Equal(t, string(entry), line)
	}
	missing := fmt.Sprintf("[xxljob] %d bytes are missing here: the disk did not take them", lost+16)
	assert.Equal(t, missing, lines[len(lines)-2])
	assert.Equal(t, "after the disk came back", lines[len(lines)-1])
	kept := int64(len(lines)-2) * 1000
	assert.EqualValues(t, 300, kept/1000+(lost+999)/1000, "every entry is in the log or counted")
	assert.Equal(t, 1, strings.Count(out.String(), "run log not written"), "once a minute at most")
}

func TestDiskTroubleAtTheEnd(t *testing.T) {
	t.Parallel()
	s := newStore(t, nil)
	faults := withFaults(s)
	faults.setRoom(4)
	l := s.Log(7, noon)
	l.Append([]byte("an entry"))
	require.Error(t, l.Close())
	assert.EqualValues(t, 5, s.Stats().LostBytes)
	require.Error(t, s.AppendAfter(7, noon, []byte("late")))
	faults.setRoom(-1)
	require.NoError(t, s.AppendAfter(7, noon, []byte("later")))
	require.NoError(t, s.AppendAfter(7, noon, []byte("last")))
	assert.Equal(t, "an e\n[xxljob] 5 bytes are missing here: the disk did not take them\nlater\nlast\n",
		content(t, s, 7))
}

func TestOpenErrorsAreRetriedByTheFlusher(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, nil)
		faults := withFaults(s)
		faults.setOpenErr(syscall.EMFILE)
		stop := runStore(t, s)
		l := s.Log(7, noon)
		l.Append([]byte("entry"))
		wait(time.Second)
		synctest.Wait()
		assert.Positive(t, s.Stats().Errors)
		faults.setOpenErr(nil)
		wait(time.Second)
		synctest.Wait()
		assert.Equal(t, "entry\n", content(t, s, 7))
		stop()
		require.NoError(t, l.Close())
	})
}

// The wall clock of a synctest bubble moves with its timers, so a step is
// played by triggers of other times: they change folders, nothing else.
func TestTimesAndIDsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	const (
		least = -1 << 63
		most  = 1<<63 - 1
	)
	s := newStore(t, nil)
	outside := filepath.Join(filepath.Dir(s.cfg.Dir), "outside")
	require.NoError(t, os.Mkdir(outside, 0o755))
	seen := make(map[key]int32)
	for _, millis := range []int64{least, -1, 0, 253402300799999, 253402300800000, most} {
		for _, id := range []int64{least, -1, 0, most} {
			at := time.UnixMilli(millis)
			require.NoError(t, s.AppendAfter(id, at, []byte("x")))
			k := key{id, dayOf(at, time.UTC)}
			seen[k]++
			page, err := s.Read(id, at, 1)
			require.NoError(t, err)
			assert.Equal(t, seen[k], page.To)
		}
	}
	entries, err := os.ReadDir(s.cfg.Dir)
	require.NoError(t, err)
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	// UnixMilli of the extremes lies 292 million years away.
	assert.Equal(t, []string{"0001-01-01", "1969-12-31", "1970-01-01", "9999-12-31"}, names)
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestLinksAreRefused(t *testing.T) {
	t.Parallel()
	for _, portable := range []bool{false, true} {
		secret := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(secret, []byte("secret\n"), 0o600))
		tests := map[string]func(t *testing.T, s *Store){
			"file out of the folder": func(t *testing.T, s *Store) {
				path := put(t, s, 8, nil)
				require.NoError(t, os.Symlink(secret, strings.Replace(path, "8.log", "7.log", 1)))
			},
			"file within the folder": func(t *testing.T, s *Store) {
				path := put(t, s, 8, []byte("other\n"))
				require.NoError(t, os.Symlink("8.log", strings.Replace(path, "8.log", "7.log", 1)))
			},
			"folder out": func(t *testing.T, s *Store) {
				require.NoError(t, os.Symlink(filepath.Dir(secret), filepath.Dir(pathOf(s, 7))))
			},
			"folder within": func(t *testing.T, s *Store) {
				require.NoError(t, os.Mkdir(filepath.Join(s.cfg.Dir, "journal"), 0o755))
				require.NoError(t, os.Symlink("journal", filepath.Dir(pathOf(s, 7))))
			},
			"folder is a file": func(t *testing.T, s *Store) {
				require.NoError(t, os.WriteFile(filepath.Dir(pathOf(s, 7)), []byte("x"), 0o600))
			},
			"log is a folder": func(t *testing.T, s *Store) {
				require.NoError(t, os.MkdirAll(pathOf(s, 7), 0o755))
			},
		}
		for name, prepare := range tests {
			t.Run(fmt.Sprintf("%s, portable=%v", name, portable), func(t *testing.T) {
				t.Parallel()
				s := newStore(t, nil)
				s.disk.portable = portable
				prepare(t, s)
				page, err := s.Read(7, noon, 1)
				require.Error(t, err)
				assert.Equal(t, Page{}, page)
				require.Error(t, s.AppendAfter(7, noon, []byte("written")))
				l := s.Log(7, noon)
				assert.True(t, l.Append([]byte("written")))
				require.Error(t, l.Close())
				b, err := os.ReadFile(secret)
				require.NoError(t, err)
				assert.Equal(t, "secret\n", string(b))
			})
		}
	}
}

func TestManyWritersAndReaders(t *testing.T) {
	t.Parallel()
	const writers, entries = 100, 200
	s := newStore(t, func(c *Config) { c.FlushEvery = time.Millisecond })
	stop := runStore(t, s)
	shared := s.Log(1, noon)
	finished := make(chan struct{})
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			own := s.Log(int64(100+w), noon)
			for i := range entries {
				shared.Append(fmt.Appendf(nil, "writer %d entry %d", w, i))
				own.Append(fmt.Appendf(nil, "entry %d", i))
			}
			assert.NoError(t, own.Close())
		})
	}
	for range 4 {
		reading.Go(func() {
			for from := int32(1); ; {
				page, err := s.Read(1, noon, from)
				assert.NoError(t, err)
				from = max(from, page.To-10)
				_ = s.Stats()
				select {
				case <-finished:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(finished)
	reading.Wait()
	require.NoError(t, shared.Close())
	stop()

	next := make(map[int]int)
	text, _ := readAll(t, s, 1)
	for line := range strings.Lines(string(text)) {
		var w, i int
		_, err := fmt.Sscanf(line, "writer %d entry %d\n", &w, &i)
		require.NoError(t, err)
		require.Equal(t, next[w], i, "the order of one writer is kept")
		next[w]++
	}
	require.Len(t, next, writers)
	for w := range writers {
		require.Equal(t, entries, next[w])
		require.EqualValues(t, entries, read(t, s, int64(100+w), entries).To)
	}
}
