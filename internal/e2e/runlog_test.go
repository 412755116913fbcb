//go:build linux

package e2e

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// readGrowing reads a run's log as an admin's console does, page by page while
// it grows, and returns its lines. It fails the test if a page begins at
// another line than asked for, or counts wrongly.
func readGrowing(t *testing.T, p *process, tr wire.TriggerRequest, ended func() bool) (lines []string, pages int) {
	t.Helper()
	next, over := int32(1), false
	waitFor(t, 2*time.Minute, "log read to its end", func() bool {
		over = over || ended()
		page, err := p.log(tr, next)
		require.NoError(t, err)
		if page.LogContent == "" {
			return over
		}
		pages++
		require.Equal(t, next, page.FromLineNum)
		got := strings.SplitAfter(page.LogContent, "\n")
		if got[len(got)-1] == "" {
			got = got[:len(got)-1]
		}
		require.Equal(t, int(page.ToLineNum-page.FromLineNum)+1, len(got), "lines of the page from %d to %d", page.FromLineNum, page.ToLineNum)
		lines = append(lines, got...)
		next = page.ToLineNum + 1
		return false
	})
	return lines, pages
}

// TestLongLogReadWhileItGrows reads a log of 100,000 lines while it is written.
func TestLongLogReadWhileItGrows(t *testing.T) {
	t.Parallel()
	const count = 100_000
	a, l := newAdmin(t), newLedger(t)
	p := start(t, setup{Admin: a.url()})
	tr := l.mustSend(t, p.client, trigger(1, "lines", strconv.Itoa(count)))
	lines, pages := readGrowing(t, p, tr, func() bool { _, ok := a.result(tr.LogID); return ok })
	n := 0
	for _, line := range lines {
		if _, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "] line "); ok {
			n++
			require.Equal(t, strconv.Itoa(n), text, "line out of order")
		}
	}
	assert.Equal(t, count, n)
	t.Logf("%d lines in %d pages", len(lines), pages)
}

// TestLastPageOfABigLog asks for the end of a log that is far too large to be
// held in memory, and for the page of it that a console opens first.
func TestLastPageOfABigLog(t *testing.T) {
	t.Parallel()
	size := pick(int64(128<<20), int64(1<<30))
	a := newAdmin(t)
	p := start(t, setup{Admin: a.url()})
	tr := trigger(1, "lines", "")
	day := filepath.Join(p.Dir, time.UnixMilli(tr.LogDateTime).Format("2006-01-02"))
	require.NoError(t, os.MkdirAll(day, 0o755))
	lines := writeBigLog(t, filepath.Join(day, fmt.Sprintf("%d.log", tr.LogID)), size)

	before := p.residentBytes(t)
	begin := time.Now()
	page, err := p.log(tr, lines-99)
	first := time.Since(begin)
	require.NoError(t, err)
	assert.Equal(t, lines, page.ToLineNum)
	assert.True(t, strings.HasSuffix(page.LogContent, fmt.Sprintf(" line %d of a big log\n", lines)))
	best := time.Hour
	for range 20 {
		begin := time.Now()
		page, err := p.log(tr, lines-99)
		best = min(best, time.Since(begin))
		require.NoError(t, err)
		require.Equal(t, 100, strings.Count(page.LogContent, "\n"))
	}
	grown := p.residentBytes(t) - before
	assert.Less(t, best, 500*time.Millisecond, "the last page, asked for again")
	assert.Less(t, grown, int64(16<<20), "memory of the process")
	page, err = p.log(tr, 1)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(page.LogContent, "2026-01-01 00:00:00 [big#log]-[1]-[test] line 1 of a big log\n"))
	t.Logf("%d lines, %d MiB: last page %v at first, then %v; %d KiB of memory more", lines, size>>20,
		first.Round(time.Millisecond), best.Round(10*time.Microsecond), grown>>10)
}

// writeBigLog makes a log of at least size bytes and returns its lines.
func writeBigLog(t *testing.T, path string, size int64) (lines int32) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	w := bufio.NewWriterSize(f, 1<<20)
	for written := int64(0); written < size; {
		lines++
		n, err := fmt.Fprintf(w, "2026-01-01 00:00:00 [big#log]-[1]-[test] line %d of a big log\n", lines)
		require.NoError(t, err)
		written += int64(n)
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())
	return lines
}
