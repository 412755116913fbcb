package pagebench

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	runs   = flag.Int("runs", 20_000, "runs of BenchmarkPages")
	jobs   = flag.Int("jobs", 1000, "jobs of BenchmarkPages")
	audits = flag.Int("audits", 5000, "lines of the audit log of BenchmarkPages")
)

// goal is what a page may take at the server.
const goal = 200 * time.Millisecond

// BenchmarkPages asks for every page and list. It reports the mean and the
// slowest answer of each, and lists the slowest pages at the end.
func BenchmarkPages(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(databases)) {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, databases[name](b), size{*runs, *jobs, *audits})
			var all []measured
			for _, t := range w.targets(b) {
				b.Run(strings.ReplaceAll(t.name, "/", "|"), func(b *testing.B) {
					m := measured{target: t}
					for b.Loop() {
						began := time.Now()
						rec := w.get(b.Context(), t.path)
						m.add(time.Since(began))
						require.True(b, t.answered(rec.Code), "%d: %s: %s", rec.Code, t.path, rec.Body)
						m.status, m.bytes = rec.Code, rec.Body.Len()
					}
					b.ReportMetric(float64(m.sum.Microseconds())/1000/float64(m.n), "ms/op")
					b.ReportMetric(float64(m.most.Microseconds())/1000, "max-ms")
					all = append(all, m)
				})
			}
			_, err := fmt.Fprintf(os.Stderr, "\n%s: %d runs, %d jobs: %s\n", name, *runs, *jobs, table(all))
			require.NoError(b, err)
		})
	}
}

// measured is what a target took.
type measured struct {
	target

	sum, most     time.Duration
	n             int
	status, bytes int
}

func (m *measured) add(d time.Duration) {
	m.sum, m.most, m.n = m.sum+d, max(m.most, d), m.n+1
}

func (m *measured) mean() time.Duration { return m.sum / time.Duration(m.n) }

// table lists the slowest targets, in Markdown, and says how many were slower
// than the goal.
func table(all []measured) string {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b measured) int { return cmp.Compare(b.mean(), a.mean()) })
	seen := map[string]bool{} // a benchmark runs more than once to find its N
	all = slices.DeleteFunc(all, func(m measured) bool {
		again := seen[m.name]
		seen[m.name] = true
		return again
	})
	var b strings.Builder
	slow := 0
	for _, m := range all {
		if m.mean() > goal && !m.export {
			slow++
		}
	}
	fmt.Fprintf(&b, "%d addresses, %d slower than %v\n\n| page | mean | slowest | status | KB |\n|---|---:|---:|---:|---:|\n",
		len(all), slow, goal)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	for _, m := range all[:min(len(all), 25)] {
		fmt.Fprintf(&b, "| %s `%s` | %.1f ms | %.1f ms | %d | %d |\n", m.name, m.path, ms(m.mean()), ms(m.most), m.status, m.bytes/1024)
	}
	return b.String()
}
