package journal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAdopt(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	old, _ := reopen(t, nil, Config{Dir: filepath.Join(parent, "app-1")})
	open := accept(t, old, trigger(1), "open")
	old.Start(open, trigger(1))
	for n := 2; n < 3000; n++ {
		old.Finish(accept(t, old, trigger(n), ""), trigger(n), Result{Code: 200, Msg: "m"})
	}
	written(t, old)
	require.NoError(t, old.Ack(old.Next(1000, 1<<20)))
	aside := old.Next(1, 1)
	require.NoError(t, old.SetAside(aside[0], "refused"))
	require.NoError(t, old.Close())
	used, _ := reopen(t, nil, Config{Dir: filepath.Join(parent, "app-2")})
	accept(t, used, trigger(5000), "")
	other, _ := reopen(t, nil, Config{Dir: filepath.Join(parent, "app-other-3")})
	require.NoError(t, other.Close())

	cfg := Config{Dir: filepath.Join(parent, "app-9"), AdoptPrefix: "app-"}
	j, rec := reopen(t, nil, cfg)
	check := func(rec *Recovery) {
		assert.Empty(t, rec.Problems)
		require.Len(t, rec.Open, 1)
		assert.Equal(t, trigger(1), rec.Open[0].ID)
		assert.True(t, rec.Open[0].Started)
		assert.Equal(t, "open", string(rec.Open[0].Payload))
		assert.Equal(t, 2998-1001, rec.Unsent)
		assert.Equal(t, 2999, rec.Remembered)
	}
	check(rec)
	assert.Equal(t, []string{filepath.Join(parent, "app-1")}, rec.Adopted)
	assert.NoDirExists(t, filepath.Join(parent, "app-1"))
	assert.NoDirExists(t, filepath.Join(parent, "app-1"+adoptedSuffix))
	assert.DirExists(t, filepath.Join(parent, "app-2"), "its owner lives")
	assert.DirExists(t, filepath.Join(parent, "app-other-3"))
	lines, err := os.ReadFile(filepath.Join(cfg.Dir, setAsideFile))
	require.NoError(t, err)
	assert.Contains(t, string(lines), `"reason":"refused"`)
	for n := 1; n < 3000; n++ {
		require.True(t, j.Known(trigger(n)))
	}
	j, rec = reopen(t, j, cfg)
	assert.Empty(t, rec.Adopted)
	check(rec)
	got := drain(t, j)
	require.Len(t, got, 2998-1001)
	require.NoError(t, j.Ack(got))
	j.Finish(rec.Open[0].Seq, rec.Open[0].ID, Result{Code: 500})
	require.NoError(t, j.Ack(drain(t, j)))
	require.NoError(t, used.Close())
}

// TestAdoptAgain: a process that dies after it copied a journal, and before it
// removed it, makes nothing double.
func TestAdoptAgain(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	cfg := Config{Dir: filepath.Join(parent, "app-9"), AdoptPrefix: "app-"}
	oldDir, copyDir := filepath.Join(parent, "app-1"), filepath.Join(parent, "copy")
	old, _ := reopen(t, nil, Config{Dir: oldDir})
	accept(t, old, trigger(1), "open")
	old.Finish(accept(t, old, trigger(2), ""), trigger(2), Result{Code: 200})
	require.NoError(t, old.Close())
	require.NoError(t, os.CopyFS(copyDir, os.DirFS(oldDir)))
	j, rec := reopen(t, nil, cfg)
	require.Len(t, rec.Adopted, 1)
	require.NoError(t, os.Rename(copyDir, oldDir))
	j, rec = reopen(t, j, cfg)
	assert.Len(t, rec.Adopted, 1)
	assert.Len(t, rec.Open, 1)
	assert.Equal(t, 1, rec.Unsent)
	assert.Equal(t, 2, rec.Remembered)
	assert.Len(t, drain(t, j), 1)
}
