package journal

import (
	"encoding/binary"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// restamp makes the files of a journal look as if the clock had been off by
// step when they were written.
func restamp(t *testing.T, dir string, step time.Duration) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		wall := data[24:32]
		written := time.UnixMilli(int64(binary.LittleEndian.Uint64(wall)))
		require.WithinDuration(t, time.Now(), written, 24*time.Hour, "this is the wall clock of the header")
		binary.LittleEndian.PutUint64(wall, uint64(written.Add(step).UnixMilli()))
		binary.LittleEndian.PutUint32(data[headerSize-4:], crc32.Checksum(data[:headerSize-4], castagnoli))
		require.NoError(t, os.WriteFile(name, data, 0o600))
		at := time.Now().Add(step)
		require.NoError(t, os.Chtimes(name, at, at))
	}
}

// TestClockStepBetweenProcesses: what is remembered, and for how long, does not
// depend on what the clock says when the executor starts again.
func TestClockStepBetweenProcesses(t *testing.T) {
	for _, step := range []time.Duration{-20 * 365 * 24 * time.Hour, -time.Hour, time.Hour, 20 * 365 * 24 * time.Hour} {
		t.Run(step.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "app-1")
			synctest.Test(t, func(t *testing.T) {
				cfg := Config{
					Dir: dir, SegmentBytes: 16 << 10, files: &faultDisk{noSync: true},
					Remember: 10, RememberFor: 2 * time.Hour,
				}
				j, _, err := Open(t.Context(), cfg)
				require.NoError(t, err)
				const old = 3000
				for n := range old {
					j.Finish(accept(t, j, trigger(n), ""), trigger(n), Result{Code: 200})
				}
				written(t, j)
				require.NoError(t, j.Ack(drain(t, j)))
				synctest.Wait()
				require.NoError(t, j.Close())
				restamp(t, dir, step)

				j, rec, err := Open(t.Context(), cfg)
				require.NoError(t, err)
				assert.Empty(t, rec.Problems)
				require.Equal(t, old, rec.Remembered, "nothing is forgotten early")
				<-time.After(5 * time.Hour)
				for n := old; n < old+5000; n++ {
					j.Finish(accept(t, j, trigger(n), ""), trigger(n), Result{Code: 200})
				}
				assert.False(t, j.Known(trigger(0)), "and nothing is kept for ever")
				require.NoError(t, j.Close())
			})
		})
	}
}

// TestClockStepWithinAProcess: ages and deadlines are differences of times that
// carry the monotonic clock, which steps do not move. The wall clock is only
// written down, for people: nothing may read it, nor strip the monotonic part.
func TestClockStepWithinAProcess(t *testing.T) {
	t.Parallel()
	require.Contains(t, time.Now().String(), " m=", "time.Now carries the monotonic clock")
	wall := map[string]bool{
		"Unix": true, "UnixMilli": true, "UnixMicro": true, "UnixNano": true, "Round": true, "Truncate": true,
		"UTC": true, "Local": true, "In": true, "AddDate": true, "Date": true, "ModTime": true, "MarshalBinary": true,
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var found []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if sel, ok := call.Fun.(*ast.SelectorExpr); ok && wall[sel.Sel.Name] {
						found = append(found, name+": "+fn.Name.Name+" calls "+sel.Sel.Name)
					}
				}
				return true
			})
		}
	}
	assert.Equal(t, []string{
		"segment.go: encode calls UnixMilli", // never decoded
		"segment.go: trim calls Truncate",    // of a file
		"setaside.go: appendDurably calls Truncate",
	}, found)
}
