package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzScan: the scanner never panics, goes forward, and each record it finds
// is one that encodes to the same bytes.
func FuzzScan(f *testing.F) {
	whole := appendAccepted(nil, 7, 1<<32, trigger(1), flagStarted, []byte("payload"))
	whole = appendFinished(whole, 7, 1<<32, trigger(1), Result{Code: 200, Msg: "m", HasMsg: true})
	whole = appendAcknowledged(whole, 7, []Seq{1 << 32, 2})
	f.Add(whole)
	f.Add(append([]byte("xxxx"), whole...))
	f.Add(encodeIDs(nil, 7, []ID{trigger(1), trigger(2)}, 5))
	f.Add(whole[:len(whole)-3])
	f.Fuzz(func(t *testing.T, data []byte) {
		scan := newScanner(data, 0, 7)
		end := 0
		scan.gap = func(from, to int, _ bool) {
			if from < end || to <= from {
				t.Fatalf("gap %d-%d after %d", from, to, end)
			}
		}
		for rec, ok := scan.next(); ok; rec, ok = scan.next() {
			if rec.at < end || scan.pos != rec.at+rec.size {
				t.Fatalf("record at %d of size %d after %d", rec.at, rec.size, end)
			}
			end = scan.pos
			again := append(beginRecord(nil, rec.kind, rec.flags, rec.seq), rec.body...)
			if !bytes.Equal(endRecord(again, 0, 7), data[rec.at:end]) {
				t.Fatalf("record at %d does not encode to itself", rec.at)
			}
			if rec.kind == kindRemembered {
				decodeIDs(rec, func(ID, time.Duration) {})
			}
		}
	})
}

// FuzzOpen: no content of a segment or of a remember file keeps a journal from
// opening, and what it delivers it delivers once.
func FuzzOpen(f *testing.F) {
	s := makeSample(f)
	_, salt, _ := parseFileName(s.name, "segment")
	f.Add(s.data, []byte{})
	f.Add(s.data[:len(s.data)/2], encodeIDs(make([]byte, headerSize), salt, []ID{trigger(1)}, 0))
	f.Fuzz(func(t *testing.T, segment, remember []byte) {
		if h, ok := decodeHeader(segment, segmentMagic); ok && h.version > formatVersion {
			return
		}
		if h, ok := decodeHeader(remember, rememberMagic); ok && h.version > formatVersion {
			return
		}
		cfg := Config{Dir: filepath.Join(t.TempDir(), "d"), files: &faultDisk{noSync: true}}
		require.NoError(t, os.Mkdir(cfg.Dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(cfg.Dir, s.name), segment, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(cfg.Dir, fileName("remember", 1, salt)), remember, 0o600))
		j, rec, err := Open(t.Context(), cfg)
		require.NoError(t, err)
		seen := map[Seq]bool{}
		for batch := j.Next(3, 100); batch != nil; batch = j.Next(3, 100) {
			for _, f := range batch {
				require.False(t, seen[f.Seq])
				seen[f.Seq] = true
			}
			require.NoError(t, j.Ack(batch))
		}
		require.LessOrEqual(t, len(seen), rec.Unsent)
		require.NoError(t, j.Close())
	})
}
