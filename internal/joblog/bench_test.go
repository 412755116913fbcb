package joblog

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var (
	startLine = []byte("2026-03-14 12:00:00 [xxljob#run]-[1]-[job-7] ----------- xxl-job job execute start -----------\n" +
		"----------- Param:\n")
	endLine  = []byte("2026-03-14 12:00:00 [xxljob#run]-[1]-[job-7] ----------- xxl-job job execute end(finish) -----------\n")
	lateLine = []byte("2026-03-14 12:00:00 [xxljob#callback]-[1]-[callback] ----------- xxl-job job callback finish.\n")
)

// BenchmarkSilentRun is what a run costs that logs nothing of its own, beside
// the same two files operations done plainly.
func BenchmarkSilentRun(b *testing.B) {
	b.Run("os", func(b *testing.B) {
		dir := filepath.Join(b.TempDir(), "2026-03-14")
		if err := os.Mkdir(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		plain := func(name string, p []byte) {
			f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := f.Write(p); err != nil {
				b.Fatal(err)
			}
			_ = f.Close()
		}
		both := append(append([]byte{}, startLine...), endLine...)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			name := fmt.Sprintf("%s/%d.log", dir, i)
			plain(name, both)
			plain(name, lateLine)
		}
	})
	for _, portable := range []bool{false, true} {
		b.Run(fmt.Sprintf("joblog/portable=%v", portable), func(b *testing.B) {
			s := newStore(b, nil)
			s.disk.portable = portable
			b.ReportAllocs()
			for i := int64(0); b.Loop(); i++ {
				l := s.Log(i, noon)
				l.Append(startLine)
				l.Append(endLine)
				if err := l.Close(); err != nil {
					b.Fatal(err)
				}
				if err := s.AppendAfter(i, noon, lateLine); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAppend is one entry of a run that logs much, writing included.
func BenchmarkAppend(b *testing.B) {
	s := newStore(b, func(c *Config) { c.MaxRunBytes = -1 })
	l := s.Log(1, noon)
	b.ReportAllocs()
	b.SetBytes(int64(len(endLine)))
	for b.Loop() {
		l.Append(endLine)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRead is a page of a long log, and the question whether there is
// more, as a console asks again and again.
func BenchmarkRead(b *testing.B) {
	s := newStore(b, nil)
	lines := writeBig(b, s, 1, 50<<20)
	for name, from := range map[string]int32{"page": lines / 2, "nothing new": lines + 1} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				page, err := s.Read(1, noon, from)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(page.Text)))
			}
		})
	}
}
