package joblog

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fillFolders makes folders of the given names with one file of size bytes.
func fillFolders(t *testing.T, s *Store, size int, names ...string) {
	t.Helper()
	for _, name := range names {
		require.NoError(t, os.MkdirAll(filepath.Join(s.cfg.Dir, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(s.cfg.Dir, name, "1.log"), make([]byte, size), 0o644))
	}
}

func folders(t *testing.T, s *Store) []string {
	t.Helper()
	entries, err := os.ReadDir(s.cfg.Dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Case 64 of the protocol notes, with the rule of releases since 3.3.0.
func TestCleanRetention(t *testing.T) {
	t.Parallel()
	all := []string{"2026-02-25", "2026-02-28", "2026-03-01", "2026-03-02", "2026-03-04", "2026-03-05", "2026-03-09"}
	tests := []struct {
		name    string
		days    int
		removed []string
	}{
		{name: "three days", days: 3, removed: []string{"2026-02-25", "2026-02-28"}},
		{name: "across a month", days: 6, removed: []string{"2026-02-25"}},
		{name: "longer than there are logs", days: 30},
		{name: "more days than there are", days: 1<<63 - 1},
		{name: "two switches it off", days: 2},
		{name: "zero", days: 0},
		{name: "negative", days: -30},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, func(c *Config) { c.RetentionDays = tt.days })
			fillFolders(t, s, 10, all...)
			removed, err := s.Clean(time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC))
			require.NoError(t, err)
			assert.Equal(t, tt.removed, removed)
			assert.Equal(t, all[len(tt.removed):], folders(t, s))
			assert.EqualValues(t, len(tt.removed), s.Stats().RemovedFolders)
		})
	}
}

func TestCleanTouchesNothingElse(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.RetentionDays, c.MaxBytes = 3, 1 })
	kept := []string{
		"2000-01-01-bak", "2000-1-1", "2000-13-45", "2001-02-29", "0000-01-01", "20000101", "callbacklog", "callbacklogs",
		"gluesource", "journal", "2000-01-01 ", "+200-01-01",
	}
	fillFolders(t, s, 10, kept...)
	fillFolders(t, s, 10, "2000-01-01")
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "precious"), nil, 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(s.cfg.Dir, "2000-01-02")))
	require.NoError(t, os.WriteFile(filepath.Join(s.cfg.Dir, "2000-01-03"), nil, 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(s.cfg.Dir, "2000-01-01", "link")))

	removed, err := s.Clean(noon)
	require.NoError(t, err)
	assert.Equal(t, []string{"2000-01-01"}, removed)
	assert.ElementsMatch(t, append(kept, "2000-01-02", "2000-01-03"), folders(t, s))
	assert.FileExists(t, filepath.Join(outside, "precious"))
}

func TestCleanUsesTheLocation(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.RetentionDays, c.Location = 3, time.FixedZone("east", 8*3600) })
	fillFolders(t, s, 1, "2026-03-10")
	removed, err := s.Clean(time.Date(2026, 3, 13, 15, 59, 59, 0, time.UTC))
	require.NoError(t, err)
	assert.Empty(t, removed)
	removed, err = s.Clean(time.Date(2026, 3, 13, 16, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	assert.Len(t, removed, 1)
}

func TestCleanKeepsBelowMaxBytes(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.MaxBytes = 1000 })
	fillFolders(t, s, 300, "2026-03-10", "2026-03-11", "2026-03-12", "2026-03-14", "2026-03-20")
	removed, err := s.Clean(noon)
	require.NoError(t, err)
	assert.Equal(t, []string{"2026-03-10", "2026-03-11"}, removed, "oldest first, until 90 % are left")
	assert.EqualValues(t, 900, s.Size())
	removed, err = s.Clean(noon)
	require.NoError(t, err)
	assert.Empty(t, removed)
	assert.EqualValues(t, 900, s.Size(), "counted once")

	require.NoError(t, os.RemoveAll(filepath.Join(s.cfg.Dir, "2026-03-20")))
	_, err = s.Clean(noon)
	require.NoError(t, err)
	assert.EqualValues(t, 600, s.Size(), "what others removed is noticed")
}

func TestMaxBytesReachedToday(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.MaxBytes = 1000 })
	fillFolders(t, s, 600, "2026-03-13", "2026-03-14")
	fillFolders(t, s, 200, "2026-03-20")
	_, err := s.Clean(noon)
	require.NoError(t, err)
	assert.Equal(t, []string{"2026-03-14", "2026-03-20"}, folders(t, s))
	require.False(t, s.Stats().Full)

	l := s.Log(7, noon)
	l.Append(make([]byte, 250))
	require.NoError(t, l.Flush())
	require.True(t, s.Stats().Full)
	for range 3 {
		assert.True(t, l.Append([]byte("dropped")))
	}
	assert.False(t, l.Truncated())
	assert.EqualValues(t, 21, s.Stats().DroppedBytes)

	removed, err := s.Clean(noon.AddDate(0, 0, 1)) // the next day yesterday may go
	require.NoError(t, err)
	require.Equal(t, []string{"2026-03-14"}, removed)
	l.Append([]byte("taken again"))
	require.NoError(t, l.Close())
	text := content(t, s, 7)
	assert.Regexp(t, `^\[xxljob\] all logs together .* 1000 bytes: entries are dropped\ntaken again\n$`, text)
}

// The limit is kept while Run is active, not only at midnight.
func TestMaxBytesIsKeptWhileWriting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, func(c *Config) { c.MaxBytes, c.MaxRunBytes = 100_000, -1 })
		fillFolders(t, s, 30_000, "1999-12-01", "1999-12-02", "1999-12-03") // the bubble begins in 2000
		stop := runStore(t, s)
		synctest.Wait()
		l := s.Log(7, time.Now())
		for range 80 {
			l.Append(make([]byte, 999))
			wait(2 * kickPause)
			synctest.Wait()
			require.LessOrEqual(t, s.Size(), int64(96_000))
		}
		require.NoError(t, l.Close())
		assert.Equal(t, []string{"2000-01-01"}, folders(t, s))
		assert.Zero(t, s.Stats().DroppedBytes, "room was made in time")
		stop()
	})
}

// An operator who deletes logs by hand need not wait for midnight.
func TestFullStoreNoticesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, func(c *Config) { c.MaxBytes = 1000 })
		stop := runStore(t, s)
		synctest.Wait()
		fillFolders(t, s, 1, "2000-01-01")
		require.NoError(t, s.AppendAfter(1, time.Now(), make([]byte, 1000)))
		require.True(t, s.Stats().Full)
		l := s.Log(7, time.Now())
		l.Append([]byte("dropped"))
		wait(fullPause)
		synctest.Wait()
		require.True(t, s.Stats().Full)
		require.NoError(t, os.Remove(filepath.Join(s.cfg.Dir, "2000-01-01", "1.log")))
		l.Append([]byte("dropped"))
		wait(fullPause)
		synctest.Wait()
		assert.False(t, s.Stats().Full)
		l.Append([]byte("taken"))
		require.NoError(t, l.Close())
		assert.EqualValues(t, 14, s.Stats().DroppedBytes)
		stop()
	})
}

func TestRunCleansAtMidnight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		zone := time.FixedZone("west", -5*3600) // the bubble begins at 19:00 there
		s := newStore(t, func(c *Config) { c.RetentionDays, c.Location = 3, zone })
		fillFolders(t, s, 1, "1999-12-27", "1999-12-28")
		stop := runStore(t, s)
		synctest.Wait()
		assert.Equal(t, []string{"1999-12-28"}, folders(t, s), "at the start")
		wait(5*time.Hour - time.Millisecond)
		synctest.Wait()
		assert.Len(t, folders(t, s), 1)
		wait(time.Millisecond)
		synctest.Wait()
		assert.Empty(t, folders(t, s), "at local midnight")
		fillFolders(t, s, 1, "1999-12-28", "1999-12-29")
		wait(24 * time.Hour)
		synctest.Wait()
		assert.Empty(t, folders(t, s))
		stop()
	})
}

// A run that is older than the retention goes on, into a new folder.
func TestOpenLogSurvivesClean(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.RetentionDays = 3 })
	l := s.Log(7, noon)
	l.Append([]byte("before"))
	require.NoError(t, l.Flush())
	removed, err := s.Clean(noon.AddDate(0, 0, 10))
	require.NoError(t, err)
	require.Len(t, removed, 1)
	l.Append([]byte("after"))
	assert.Equal(t, "after\n", string(read(t, s, 7, 1).Text))
	require.NoError(t, l.Close())
}

// A stop does not wait until a big folder is gone; the next start goes on.
func TestStopInterruptsRemoval(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.RetentionDays = 3 })
	fillFolders(t, s, 1, "2026-01-01", "2026-01-02")
	for i := range 2 * removeBatch {
		path := filepath.Join(s.cfg.Dir, "2026-01-01", strconv.Itoa(i)+".log")
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.disk.remove(ctx, 2026_01_01), context.Canceled)
	left, err := os.ReadDir(filepath.Join(s.cfg.Dir, "2026-01-01"))
	require.NoError(t, err)
	assert.Len(t, left, removeBatch)
	removed, err := s.clean(ctx, noon)
	require.NoError(t, err)
	assert.Empty(t, removed)
	removed, err = s.Clean(noon)
	require.NoError(t, err)
	assert.Len(t, removed, 2)
}

func TestDayNames(t *testing.T) {
	t.Parallel()
	for d := firstDay; d < 2100_01_01; d = d.add(97) {
		name := d.name()
		at, err := time.Parse(time.DateOnly, name)
		require.NoError(t, err)
		require.Equal(t, d, dayOf(at, time.UTC))
		back, ok := parseDay(name)
		require.True(t, ok)
		require.Equal(t, d, back)
	}
	assert.Equal(t, firstDay, firstDay.add(-1))
	assert.Equal(t, lastDay, lastDay.add(1))
	assert.Equal(t, "2024-02-29", day(2024_03_01).add(-1).name())
}
