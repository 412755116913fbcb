package journal

import (
	"fmt"
	"path/filepath"
)

// maxProblems bounds what Open tells, not what it mends.
const maxProblems = 1000

// gapReporter returns a function that tells a damaged stretch once: it sets
// the bytes aside in a file, whose presence says that it was told.
func (j *Journal) gapReporter(rec *Recovery, what string, no uint32, data []byte) func(int, int, bool) {
	return func(from, to int, torn bool) {
		j.damaged++
		if j.damaged > maxProblems {
			return
		}
		name := fmt.Sprintf("damaged-%d-%d", no, from)
		if what != "segment" {
			name = fmt.Sprintf("damaged-r%d-%d", no, from)
		}
		path := filepath.Join(j.cfg.Dir, name)
		if f, err := j.fs.Open(path, false); err == nil {
			_ = f.Close()
			return
		}
		_ = createWhole(j.fs, path, data[from:min(to, from+maxDamaged)])
		how := "damaged"
		if torn {
			how = "truncated"
		}
		rec.Problems = append(rec.Problems, fmt.Sprintf("journal: %s %d: record at %d %s", what, no, from, how))
	}
}

// maxDamaged bounds what is kept of one damaged stretch.
const maxDamaged = 64 << 10
