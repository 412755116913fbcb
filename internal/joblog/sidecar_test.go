package joblog

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var long = flag.Bool("long", false, "also run tests that write 1 GB")

// writeBig writes a log of at least size bytes through the store and returns
// its number of lines.
func writeBig(t testing.TB, s *Store, id, size int64) (lines int32) {
	t.Helper()
	l := s.Log(id, noon)
	entry := []byte("2026-03-14 12:00:00 [a.B#c]-[1]-[t] this is line 000000000 of a very long log\n")
	at := bytes.Index(entry, []byte("000000000"))
	for written := int64(0); written < size; written += int64(len(entry)) {
		lines++
		copy(entry[at:], fmt.Sprintf("%09d", lines))
		l.Append(entry)
	}
	require.NoError(t, l.Close())
	return lines
}

// measured runs f and returns how long it took and what it allocated.
func measured(f func()) (time.Duration, uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	f()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc
}

// The last page of a big log costs no more than any other: at once after the
// log was written, after a restart, and for a reader that follows. With -long
// the log has 1 GB.
func TestLastPageOfABigLog(t *testing.T) { // not parallel: it measures
	size := int64(100 << 20)
	if *long {
		size = 1 << 30
	}
	s := newStore(t, func(c *Config) { c.MaxRunBytes = -1 })
	lines := writeBig(t, s, 7, size)
	restarted, err := Open(s.cfg)
	require.NoError(t, err)
	defer restarted.Close()
	for name, store := range map[string]*Store{"writer": s, "restarted": restarted} {
		from := lines - 10_000
		var page Page
		took, allocated := measured(func() { page = read(t, store, 7, from) })
		t.Logf("%s: %v, %d bytes allocated", name, took, allocated)
		assert.Equal(t, lines, page.To)
		assert.Equal(t, 10_001, bytes.Count(page.Text, []byte("\n")))
		assert.Contains(t, string(page.Text[:100]), fmt.Sprintf("line %09d of", from))
		assert.Less(t, allocated, uint64(4<<20))
		assert.Less(t, took, 500*time.Millisecond*slowdown)

		took, allocated = measured(func() { page = read(t, store, 7, lines+1) })
		t.Logf("%s, beyond the end: %v, %d bytes allocated", name, took, allocated)
		assert.Equal(t, lines, page.To)
		assert.Less(t, allocated, uint64(1<<20))
		assert.Less(t, took, 500*time.Millisecond*slowdown)
	}
}

func TestSidecarIsOnlyAShortcut(t *testing.T) {
	t.Parallel()
	line := "just a line of text\n"
	spoil := map[string]func(t *testing.T, log, sidecar string){
		"intact":  func(*testing.T, string, string) {},
		"missing": func(t *testing.T, _, sidecar string) { require.NoError(t, os.Remove(sidecar)) },
		"empty":   func(t *testing.T, _, sidecar string) { require.NoError(t, os.Truncate(sidecar, 0)) },
		"cut":     func(t *testing.T, _, sidecar string) { require.NoError(t, os.Truncate(sidecar, 100)) },
		"huge":    func(t *testing.T, _, sidecar string) { require.NoError(t, os.Truncate(sidecar, 1<<40)) },
		"a link": func(t *testing.T, log, sidecar string) {
			require.NoError(t, os.Remove(sidecar))
			require.NoError(t, os.Symlink(log, sidecar))
		},
		"bit flip": func(t *testing.T, _, sidecar string) {
			b, err := os.ReadFile(sidecar)
			require.NoError(t, err)
			b[len(b)/2] ^= 1
			require.NoError(t, os.WriteFile(sidecar, b, 0o600))
		},
		"log cut": func(t *testing.T, log, _ string) { require.NoError(t, os.Truncate(log, 1<<20)) },
		"log replaced": func(t *testing.T, log, _ string) {
			require.NoError(t, os.WriteFile(log, []byte("\n\n\n\n"+strings.Repeat(line, 100_000)), 0o600))
		},
		"log longer": func(t *testing.T, log, _ string) {
			f, err := os.OpenFile(log, os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			_, err = f.WriteString(strings.Repeat(line, 100_000))
			require.NoError(t, err)
			require.NoError(t, f.Close())
		},
	}
	for name, spoil := range spoil {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, nil)
			l := s.Log(7, noon)
			for range 100_000 {
				l.Append([]byte(line))
			}
			require.NoError(t, l.Close())
			sidecar := strings.TrimSuffix(pathOf(s, 7), ".log") + ".idx"
			require.FileExists(t, sidecar)
			spoil(t, pathOf(s, 7), sidecar)

			restarted, err := Open(s.cfg)
			require.NoError(t, err)
			defer restarted.Close()
			model := naiveLines([]byte(content(t, s, 7)))
			for range 2 {
				page := read(t, restarted, 7, int32(len(model)-5))
				assert.Equal(t, strings.Join(model[len(model)-6:], "\n")+"\n", string(page.Text))
				assert.EqualValues(t, len(model), page.To)
			}
		})
	}
}

// A reader stores the index of a log that another process wrote.
func TestReaderStoresTheIndex(t *testing.T) {
	t.Parallel()
	s := newStore(t, nil)
	put(t, s, 7, bytes.Repeat([]byte("a line\n"), 1<<20))
	read(t, s, 7, 1<<30)
	sidecar := strings.TrimSuffix(pathOf(s, 7), ".log") + ".idx"
	require.NoFileExists(t, sidecar, "beyond the end nothing is stored")
	read(t, s, 7, 1<<20)
	require.FileExists(t, sidecar)
}

func TestFollowWithForeignWriters(t *testing.T) {
	t.Parallel()
	for _, foreign := range []int{10, 2 << 20} {
		s := newStore(t, nil)
		l := s.Log(7, noon)
		for i := range 40 {
			for range 100 {
				l.Append(bytes.Repeat([]byte("x"), 99))
			}
			require.NoError(t, l.Flush())
			if i%10 == 5 {
				require.NoError(t, s.AppendAfter(7, noon, bytes.Repeat([]byte("f\n"), foreign/2)))
			}
		}
		lines := len(naiveLines([]byte(content(t, s, 7))))
		assert.EqualValues(t, lines, read(t, s, 7, 1<<30).To)
		require.NoError(t, l.Close())
	}
}

func TestIndexCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := newIndexCache()
	for i := range int64(1000) {
		c.get(key{i, 2026_01_01})
	}
	assert.Len(t, c.byKey, cachedIndexes)
	kept := c.get(key{999, 2026_01_01})
	kept.count.Store(cachedPoints + 1)
	c.get(key{1000, 2026_01_02})
	assert.Len(t, c.byKey, 1, "points are bounded too")
	c.forget(2026_01_02)
	assert.Empty(t, c.byKey)
	assert.Zero(t, c.recent.Len())
}

func FuzzSidecar(f *testing.F) {
	var x lineIndex
	x.feedLocked(bytes.Repeat([]byte("a line of text\r"), 20_000))
	whole := x.encodeLocked()
	f.Add(whole)
	f.Add(whole[len(sidecarMagic) : len(whole)-4])
	f.Add([]byte{0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, data := range [][]byte{body, seal(append([]byte(sidecarMagic), body...))} {
			s, tail, points, err := decodeSidecar(data)
			if err != nil {
				continue
			}
			again := lineIndex{scan: s, tail: tail, points: points}
			s2, tail2, points2, err := decodeSidecar(again.encodeLocked())
			require.NoError(t, err)
			require.Equal(t, []any{s, tail, points}, []any{s2, tail2, points2})
			for i := 1; i < len(points); i++ {
				require.Greater(t, points[i].off, points[i-1].off)
				require.LessOrEqual(t, points[i].off, s.off)
			}
		}
	})
}
