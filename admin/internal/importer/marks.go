package importer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// markChunk is how much of a mark one setting holds, in bytes.
const markChunk = 60_000

// markPrefix begins the names of the settings of one source.
func markPrefix(source string) string {
	sum := sha256.Sum256([]byte(source))
	return "import." + hex.EncodeToString(sum[:8]) + "."
}

// ids maps ids of the source to those of the target.
type ids map[int32]int32

// marks is what earlier imports of a source have left in the target.
type marks struct {
	groups  ids
	made    ids // those of them that were copied
	jobs    ids // copied
	same    ids // jobs that were there already
	glue    int32
	changes int64
	logs    int64
}

// readMarks reads settings without their prefix.
func readMarks(settings map[string]string, prefix string) (*marks, error) {
	m := &marks{groups: ids{}, made: ids{}, jobs: ids{}, same: ids{}}
	for name, value := range settings {
		kind, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), ".")
		var err error
		switch kind {
		case "groups":
			err = m.groups.decode(value)
		case "made":
			err = m.made.decode(value)
		case "jobs":
			err = m.jobs.decode(value)
		case "same":
			err = m.same.decode(value)
		case "glue":
			var n int64
			n, err = strconv.ParseInt(value, 10, 32)
			m.glue = int32(n)
		case "changes":
			m.changes, err = strconv.ParseInt(value, 10, 64)
		case "logs":
			m.logs, err = strconv.ParseInt(value, 10, 64)
		}
		if err != nil {
			return nil, fmt.Errorf("setting %s, the mark of an earlier import: %w", name, err)
		}
	}
	return m, nil
}

// settings are the marks of ids as settings.
func (m *marks) settings(prefix string) map[string]string {
	all := make(map[string]string)
	for kind, list := range map[string]ids{"groups": m.groups, "made": m.made, "jobs": m.jobs, "same": m.same} {
		for i, part := range list.encode(markChunk) {
			all[prefix+kind+"."+strconv.Itoa(i)] = part
		}
	}
	return all
}

// encode writes runs of ids that moved by the same distance: "1-40,41>1041,
// 50-60>1050". A part is at most size bytes long.
func (m ids) encode(size int) []string {
	var parts []string
	var b strings.Builder
	keys := slices.Sorted(maps.Keys(m))
	for i := 0; i < len(keys); {
		first := keys[i]
		end := i + 1
		for end < len(keys) && keys[end] == keys[end-1]+1 && m[keys[end]] == m[keys[end-1]]+1 {
			end++
		}
		item := strconv.Itoa(int(first))
		if end > i+1 {
			item += "-" + strconv.Itoa(int(keys[end-1]))
		}
		if m[first] != first {
			item += ">" + strconv.Itoa(int(m[first]))
		}
		if b.Len() > 0 && b.Len()+1+len(item) > size {
			parts = append(parts, b.String())
			b.Reset()
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item)
		i = end
	}
	if b.Len() > 0 {
		parts = append(parts, b.String())
	}
	return parts
}

// decode adds what encode has written.
func (m ids) decode(text string) error {
	for item := range strings.SplitSeq(text, ",") {
		span, target, moved := strings.Cut(item, ">")
		from, to, ranged := strings.Cut(span, "-")
		first, err1 := strconv.ParseInt(from, 10, 32)
		last, err2 := first, error(nil)
		if ranged {
			last, err2 = strconv.ParseInt(to, 10, 32)
		}
		start, err3 := first, error(nil)
		if moved {
			start, err3 = strconv.ParseInt(target, 10, 32)
		}
		if err := cmp.Or(err1, err2, err3); err != nil || last < first || last-first > 10_000_000 {
			return fmt.Errorf("%q is no range of ids", item)
		}
		for id := first; id <= last; id++ {
			m[int32(id)] = int32(start + id - first) //nolint:gosec // both are within 32 bits
		}
	}
	return nil
}
