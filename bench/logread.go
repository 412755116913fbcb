//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// pageLines is how many lines the last page of a log has here.
const pageLines = 100

// rereads is how often a page is asked for again.
const rereads = 20

// logFigures are of reading one log. Times are medians, memory is the growth of
// the peak.
type logFigures struct {
	size         string
	unknown      time.Duration // last page when the executor has never seen the log
	unknownBytes int64         // memory for that
	last         time.Duration // last page
	lastBytes    int64
	begin        time.Duration // first page, which is full
	middle       time.Duration
	fullBytes    int64 // memory for reading full pages
}

// growLog measures the pages of logs of several sizes.
func (b *bench) growLog(ctx context.Context) error {
	sizes := []int64{1 << 20, 100 << 20, 1 << 30}
	if b.opt.short {
		sizes = []int64{1 << 20, 16 << 20, 64 << 20}
	}
	t := table{
		title: "With the size of a run log",
		head: []string{
			"Log", "last page, log never seen", "memory", "last page", "memory", "first page", "middle page", "memory",
		},
		notes: []string{fmt.Sprintf("Median of %d requests; memory is what the peak of the process grew by. "+
			"The last page has %d lines, the others are as large as /log makes them. Never seen means that the "+
			"executor did not write the log and has no line index of it.", rereads, pageLines)},
	}
	for _, size := range sizes {
		progress("growth with the size of a log: %d MB", size>>20)
		err := b.withExecutor(ctx, b.ours, b.disk, func(e *executor) error {
			f, err := b.readLog(ctx, e, size)
			if err != nil {
				return err
			}
			b.report.lastLog = &f
			grown := func(bytes int64) string { return fmt.Sprintf("%.1f MB", megabytes(bytes)) }
			t.add(f.size, milli(f.unknown), grown(f.unknownBytes), milli(f.last), grown(f.lastBytes),
				milli(f.begin), milli(f.middle), grown(f.fullBytes))
			return nil
		})
		if err != nil {
			return err
		}
	}
	b.report.tables = append(b.report.tables, t)
	return nil
}

// readLog puts a log of the given size where a run's would lie, and reads it.
func (b *bench) readLog(ctx context.Context, e *executor, size int64) (logFigures, error) {
	if err := b.warmUp(ctx, e, "bench", b.opt.jobs); err != nil {
		return logFigures{}, err
	}
	now := time.Now()
	day := filepath.Join(e.logPath(), now.Format(time.DateOnly))
	if err := os.MkdirAll(day, 0o755); err != nil {
		return logFigures{}, err
	}
	req := wire.LogRequest{LogID: b.nextID, LogDateTime: now.UnixMilli()}
	b.nextID++
	name := filepath.Join(day, fmt.Sprintf("%d.log", req.LogID))
	lines, err := writeLog(name, size)
	if err != nil {
		return logFigures{}, err
	}
	defer func() { _ = os.Remove(name) }() // its folder goes at the end anyway

	f := logFigures{size: fmt.Sprintf("%d MB", size>>20)}
	if size == 1<<30 {
		f.size = "1 GB"
	}
	last := lines - pageLines + 1
	f.unknownBytes, err = e.growth(func() (err error) {
		f.unknown, err = b.readPage(e, req, last, 1)
		return err
	})
	if err != nil {
		return f, err
	}
	f.lastBytes, err = e.growth(func() (err error) {
		f.last, err = b.readPage(e, req, last, rereads)
		return err
	})
	if err != nil {
		return f, err
	}
	f.fullBytes, err = e.growth(func() (err error) {
		if f.begin, err = b.readPage(e, req, 1, rereads); err != nil {
			return err
		}
		f.middle, err = b.readPage(e, req, lines/2, rereads)
		return err
	})
	return f, err
}

// growth returns how far the memory of an executor grew at its peak.
func (e *executor) growth(during func() error) (int64, error) {
	if err := resetPeak(e.pid()); err != nil {
		return 0, fmt.Errorf("peak of the memory: %w", err)
	}
	before, err := memoryOf(e.pid())
	if err != nil {
		return 0, err
	}
	if err := during(); err != nil {
		return 0, err
	}
	after, err := memoryOf(e.pid())
	return max(0, after.peak-before.now), err // the kernel counts pages in batches
}

// readPage asks for a page n times and returns the median. A page that begins
// at another line or with another text is a fault.
func (b *bench) readPage(e *executor, req wire.LogRequest, from int32, n int) (time.Duration, error) {
	req.FromLineNum = from
	var times []time.Duration
	for range n {
		begin := time.Now()
		page, err := e.log(req)
		times = append(times, time.Since(begin))
		if err != nil {
			return 0, err
		}
		if err := checkPage(page, from); err != nil {
			b.report.fault("%v", err)
		}
	}
	return median(times), nil
}

// checkPage compares a page with what writeLog wrote.
func checkPage(page wire.LogResult, from int32) error {
	lines := strings.Count(page.LogContent, "\n")
	switch {
	case page.FromLineNum != from || !strings.HasPrefix(page.LogContent, logLine(from)):
		return fmt.Errorf("page of a log from line %d begins at line %d with %.80q",
			from, page.FromLineNum, page.LogContent)
	case int(page.ToLineNum-from)+1 != lines || !strings.HasSuffix(page.LogContent, logLine(page.ToLineNum)):
		return fmt.Errorf("page of a log from line %d to %d has %d lines", from, page.ToLineNum, lines)
	}
	return nil
}

func logLine(n int32) string {
	return fmt.Sprintf("2026-01-01 00:00:00 [bench#log]-[1]-[bench] line %d of a large log\n", n)
}

// writeLog makes a log of at least size bytes and returns its lines.
func writeLog(name string, size int64) (lines int32, err error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for written := int64(0); written < size; {
		lines++
		n, err := w.WriteString(logLine(lines))
		if err != nil {
			_ = f.Close()
			return 0, err
		}
		written += int64(n)
	}
	if err := w.Flush(); err != nil {
		_ = f.Close()
		return 0, err
	}
	return lines, f.Close()
}
