package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample is a journal folder with every kind of record in one segment.
type sample struct {
	name   string // of the segment
	data   []byte
	ends   []int // where its records end
	open   map[ID]int
	unsent map[ID]int // where the record of an open run or of an unsent result begins
}

func makeSample(t testing.TB) sample {
	cfg := testConfig(t)
	j, _ := reopen(t, nil, cfg)
	var seqs []Seq
	for n := range 6 {
		seqs = append(seqs, accept(t, j, trigger(n), strings.Repeat("p", n*9)))
	}
	j.Start(seqs[1], trigger(1))
	j.Finish(seqs[2], trigger(2), Result{Code: 200, Msg: "kept"})
	written(t, j)
	for n := 3; n < 5; n++ {
		j.Finish(seqs[n], trigger(n), Result{Code: 200, Msg: "message"})
		written(t, j)
	}
	got := j.Next(10, 1<<20)
	require.Len(t, got, 3)
	require.NoError(t, j.Ack(got[1:2]))
	j.Withdraw(seqs[5], trigger(5))
	require.NoError(t, j.Close())

	names, err := filepath.Glob(filepath.Join(cfg.Dir, "segment-*"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	data, err := os.ReadFile(names[0])
	require.NoError(t, err)
	s := sample{name: filepath.Base(names[0]), data: data, open: map[ID]int{}, unsent: map[ID]int{}}
	_, salt, _ := parseFileName(s.name, "segment")
	scan := newScanner(data, headerSize, salt)
	for rec, ok := scan.next(); ok; rec, ok = scan.next() {
		s.ends = append(s.ends, scan.pos)
		switch {
		case rec.kind == kindAccepted && rec.seq.index() < 2:
			s.open[rec.id()] = rec.at
		case rec.kind == kindFinished && (rec.seq.index() == 2 || rec.seq.index() == 4):
			s.unsent[rec.id()] = rec.at
		}
	}
	require.Len(t, s.ends, 6+1+3+1+1)
	require.Len(t, s.open, 2)
	require.Len(t, s.unsent, 2)
	return s
}

// recordEnd returns where the record that begins at at ends.
func (s sample) recordEnd(at int) int {
	size, _ := claimedSize(s.data[at:])
	return at + size
}

// openDamaged opens a folder that holds only data, and returns what is
// delivered; a second life must then deliver the same and tell nothing anew.
func (s sample) openDamaged(t *testing.T, data []byte) (*Recovery, map[ID]Result) {
	t.Helper()
	cfg := Config{Dir: filepath.Join(t.TempDir(), "d"), files: &faultDisk{noSync: true}}
	require.NoError(t, os.Mkdir(cfg.Dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(cfg.Dir, s.name), data, 0o600))
	j, rec, err := Open(t.Context(), cfg)
	require.NoError(t, err)
	got := map[ID]Result{}
	for batch := j.Next(1, 1); batch != nil; batch = j.Next(1, 1) {
		for _, f := range batch {
			require.NotContains(t, got, f.ID, "delivered twice in one life")
			got[f.ID] = f.Result
			require.True(t, j.Known(f.ID))
		}
	}
	require.Len(t, got, rec.Unsent)
	require.Equal(t, len(rec.Open), j.Stats().Open)
	require.NoError(t, j.Close())

	j, again, err := Open(t.Context(), cfg)
	require.NoError(t, err)
	require.Equal(t, rec.Open, again.Open)
	require.Empty(t, again.Problems, "damage is told once")
	require.Equal(t, rec.Remembered, again.Remembered)
	require.NoError(t, j.Close())
	return rec, got
}

func (s sample) check(t *testing.T, rec *Recovery, got map[ID]Result, damagedFrom, damagedTo int) {
	t.Helper()
	whole := func(at int) bool { return s.recordEnd(at) <= damagedFrom || at > damagedTo }
	for id, at := range s.unsent {
		if whole(at) {
			require.Contains(t, got, id, "an undamaged result is delivered")
		}
	}
	for id, at := range s.open {
		if !whole(at) {
			continue
		}
		found := false
		for _, run := range rec.Open {
			found = found || run.ID == id
		}
		require.True(t, found, "an undamaged open run is reported")
	}
}

func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	s := makeSample(t)
	for at := range s.data {
		data := bytes.Clone(s.data)
		data[at] ^= byte(1 + at%255)
		if data[at] == s.data[at] {
			data[at] ^= 0xFF
		}
		rec, got := s.openDamaged(t, data)
		s.check(t, rec, got, at, at)
		require.Len(t, rec.Problems, 1, "offset %d", at)
		require.Regexp(t, `^journal: segment 1: record at \d+ (damaged|truncated)$`, rec.Problems[0])
	}
}

func TestTornTail(t *testing.T) {
	t.Parallel()
	s := makeSample(t)
	ends := map[int]bool{headerSize: true}
	for _, end := range s.ends {
		ends[end] = true
	}
	for at := headerSize; at <= len(s.data); at++ {
		for _, data := range [][]byte{
			s.data[:at], // the file ends there
			append(bytes.Clone(s.data[:at]), make([]byte, 4096)...), // or was written ahead
		} {
			rec, got := s.openDamaged(t, data)
			s.check(t, rec, got, at, len(s.data))
			switch {
			case ends[at]:
				require.Empty(t, rec.Problems)
			case len(bytes.TrimRight(data, "\x00")) == headerSize:
			default:
				require.Len(t, rec.Problems, 1, "offset %d", at)
				require.Contains(t, rec.Problems[0], "truncated", "offset %d", at)
			}
		}
	}
}

// TestHole is what a power loss leaves: a later page is written, an earlier
// one is not.
func TestHole(t *testing.T) {
	t.Parallel()
	s := makeSample(t)
	for i := 1; i < len(s.ends)-1; i++ {
		data := bytes.Clone(s.data)
		clear(data[s.ends[i-1]:s.ends[i]])
		rec, got := s.openDamaged(t, data)
		s.check(t, rec, got, s.ends[i-1], s.ends[i]-1)
		require.Len(t, rec.Problems, 1)
		require.Contains(t, rec.Problems[0], "damaged")
	}
}

func TestMissingSegment(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.SegmentBytes = 16 << 10
	j, _ := reopen(t, nil, cfg)
	for n := range 200 {
		seq := accept(t, j, trigger(n), strings.Repeat("x", 300))
		j.Finish(seq, trigger(n), Result{Code: 200})
		written(t, j)
	}
	require.Greater(t, j.Stats().Segments, 3)
	require.NoError(t, j.Close())
	names, err := filepath.Glob(filepath.Join(cfg.Dir, "segment-00000002-*"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	require.NoError(t, os.Remove(names[0]))

	j, rec := reopen(t, nil, cfg)
	assert.Equal(t, []string{"journal: segment 2 missing"}, rec.Problems)
	assert.Greater(t, rec.Unsent, 150)
	got := 0
	for batch := j.Next(50, 1<<20); batch != nil; batch = j.Next(50, 1<<20) {
		got += len(batch)
		require.NoError(t, j.Ack(batch))
	}
	assert.Equal(t, rec.Unsent, got)
}

// TestForgedRecord: what a trigger carries is never taken for a record, even
// where its own record is damaged.
func TestForgedRecord(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	j, _ := reopen(t, nil, cfg)
	forged := appendFinished(nil, 0, 1<<32, trigger(9), Result{Code: 200, Msg: "forged"})
	accept(t, j, trigger(1), string(forged))
	require.NoError(t, j.Close())
	names, _ := filepath.Glob(filepath.Join(cfg.Dir, "segment-*"))
	data, err := os.ReadFile(names[0])
	require.NoError(t, err)
	data[headerSize] ^= 1
	require.NoError(t, os.WriteFile(names[0], data, 0o600))
	_, rec := reopen(t, nil, cfg)
	assert.Zero(t, rec.Unsent)
	assert.Len(t, rec.Problems, 1)
}

func TestNewerVersion(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	j, _ := reopen(t, nil, cfg)
	accept(t, j, trigger(1), "x")
	require.NoError(t, j.Close())
	names, _ := filepath.Glob(filepath.Join(cfg.Dir, "segment-*"))
	data, err := os.ReadFile(names[0])
	require.NoError(t, err)
	newer := header{magic: segmentMagic, version: formatVersion + 1, no: 1}.encode(j.opened)
	copy(data, newer)
	require.NoError(t, os.WriteFile(names[0], data, 0o600))
	_, _, err = Open(t.Context(), cfg)
	require.ErrorContains(t, err, "format version 2")
	after, err := os.ReadFile(names[0])
	require.NoError(t, err)
	assert.Equal(t, data, after, "nothing is touched")
}
