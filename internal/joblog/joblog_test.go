package joblog

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is an instant in the middle of its day, in UTC as all tests are.
var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// newStore opens a store in a new folder, after edit has had its way.
func newStore(t testing.TB, edit func(*Config)) *Store {
	t.Helper()
	cfg := Config{Dir: filepath.Join(t.TempDir(), "logs"), Location: time.UTC}
	if edit != nil {
		edit(&cfg)
	}
	s, err := Open(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// put writes a log's file directly.
func put(t testing.TB, s *Store, id int64, content []byte) string {
	t.Helper()
	path := pathOf(s, id)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, content, 0o644))
	return path
}

func pathOf(s *Store, id int64) string {
	k := key{id, dayOf(noon, s.cfg.Location)}
	return filepath.Join(s.cfg.Dir, k.day.name(), k.logName())
}

func content(t testing.TB, s *Store, id int64) string {
	t.Helper()
	b, err := os.ReadFile(pathOf(s, id))
	require.NoError(t, err)
	return string(b)
}

func read(t testing.TB, s *Store, id int64, from int32) Page {
	t.Helper()
	page, err := s.Read(id, noon, from)
	require.NoError(t, err)
	return page
}

// readAll returns all pages of a log and their number, and checks that each
// makes progress.
func readAll(t testing.TB, s *Store, id int64) (text []byte, pages int) {
	t.Helper()
	for from := int32(1); ; pages++ {
		page := read(t, s, id, from)
		require.True(t, page.Found)
		if len(page.Text) == 0 {
			require.Equal(t, from-1, page.To, "the number of lines")
			return text, pages
		}
		require.GreaterOrEqual(t, page.To, from)
		require.Equal(t, int(page.To-from+1), bytes.Count(page.Text, []byte{'\n'}))
		text = append(text, page.Text...)
		from = page.To + 1
	}
}

// wait lets d pass on the fake clock of a synctest bubble.
func wait(d time.Duration) { <-time.After(d) }

// naiveLines is what Java's reader makes of a file.
func naiveLines(b []byte) []string {
	s := strings.ReplaceAll(string(b), "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	if s == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, line := range lines {
		lines[i] = string([]rune(line)) // an invalid byte becomes U+FFFD
	}
	return lines
}

// faultyFiles stands before the disk, counts, and fails when told to.
type faultyFiles struct {
	files

	mu      sync.Mutex
	opens   int
	writes  int
	closes  int
	openErr error
	room    int64 // bytes that still fit; negative means no limit
}

func (c *faultyFiles) open(d day, name string, mode openMode) (file, error) {
	c.mu.Lock()
	c.opens++
	err := c.openErr
	c.mu.Unlock()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := c.files.open(d, name, mode)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file: f, files: c}, nil
}

func (c *faultyFiles) setRoom(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room = n
}

func (c *faultyFiles) setOpenErr(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.openErr = err
}

type faultyFile struct {
	file
	files *faultyFiles
}

func (f *faultyFile) Write(p []byte) (int, error) {
	f.files.mu.Lock()
	defer f.files.mu.Unlock()
	f.files.writes++
	if f.files.room < 0 || int64(len(p)) <= f.files.room {
		n, err := f.file.Write(p)
		if f.files.room >= 0 {
			f.files.room -= int64(n)
		}
		return n, err
	}
	n, err := f.file.Write(p[:f.files.room])
	f.files.room = 0
	return n, errors.Join(err, syscall.ENOSPC)
}

func (f *faultyFile) Close() error {
	f.files.mu.Lock()
	f.files.closes++
	f.files.mu.Unlock()
	return f.file.Close()
}

// withFaults puts a counting layer before the disk of s.
func withFaults(s *Store) *faultyFiles {
	c := &faultyFiles{files: s.files, room: -1}
	s.files = c
	return c
}
