package script

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func shell(t testing.TB) Language {
	t.Helper()
	language, ok := Lookup("GLUE_SHELL")
	require.True(t, ok)
	return language
}

func fileNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	names := []string{}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestPrepareWritesAPrivateFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs", "gluesource")
	tests := []struct {
		name     string
		jobID    int32
		updated  int64
		glueType string
		source   string
		wantName string
	}{
		{"usual", 7, 1586629003727, "GLUE_SHELL", "echo 1\n", "7_1586629003727.sh"},
		{"negative numbers", math.MinInt32, math.MinInt64, "GLUE_PHP", "<?php", "-2147483648_-9223372036854775808.php"},
		{"carriage returns and other text", 8, 0, "GLUE_PYTHON", "print('é')\r\n\x00\xff", "8_0.py"},
		{"empty", 9, 1, "GLUE_NODEJS", "", "9_1.js"},
	}
	store := NewStore(dir, Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			language, ok := Lookup(tt.glueType)
			require.True(t, ok)
			script, err := store.Prepare(tt.jobID, tt.updated, language, tt.source)
			require.NoError(t, err)
			assert.Equal(t, filepath.Join(dir, tt.wantName), script.Path())
			got, err := os.ReadFile(script.Path())
			require.NoError(t, err)
			assert.Equal(t, tt.source, string(got))
			if runtime.GOOS != "windows" {
				info, err := os.Stat(script.Path())
				require.NoError(t, err)
				assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
			}
		})
	}
}

func TestPrepareKeepsAGoodFile(t *testing.T) {
	store := NewStore(t.TempDir(), Options{})
	script, err := store.Prepare(1, 1, shell(t), "echo")
	require.NoError(t, err)
	past := time.Now().Add(-time.Hour).Truncate(time.Second)
	require.NoError(t, os.Chtimes(script.Path(), past, past))

	_, err = store.Prepare(1, 1, shell(t), "echo")
	require.NoError(t, err)
	info, err := os.Stat(script.Path())
	require.NoError(t, err)
	assert.True(t, info.ModTime().Equal(past), "the file was written again")
}

func TestPrepareReplacesAnotherContent(t *testing.T) {
	store := NewStore(t.TempDir(), Options{})
	for _, present := range []string{"", "ohce", "a longer text than the source"} {
		path := filepath.Join(store.dir, "1_1.sh")
		require.NoError(t, os.WriteFile(path, []byte(present), 0o600))
		_, err := store.Prepare(1, 1, shell(t), "echo")
		require.NoError(t, err)
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "echo", string(got))
	}
}

func TestPrepareRemovesOlderFilesOfThatJobOnly(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"1_1.sh", "1_2.py", "1_9.sh", "11_1.sh", "-1_1.sh", "note", ".1_1.sh.fresh.tmp", ".1_1.sh.stale.tmp",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	past := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(dir, ".1_1.sh.stale.tmp"), past, past))

	_, err := NewStore(dir, Options{}).Prepare(1, 3, shell(t), "echo")
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"1_3.sh", "11_1.sh", "-1_1.sh", "note", ".1_1.sh.fresh.tmp"}, fileNames(t, dir))
}

func TestPrepareDoesNotFollowAPlantedLink(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("precious"), 0o600))
	dir := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "1_1.sh")); err != nil {
		require.Equal(t, "windows", runtime.GOOS, "only there links need a privilege: %v", err)
		return
	}
	script, err := NewStore(dir, Options{}).Prepare(1, 1, shell(t), "echo")
	require.NoError(t, err)

	info, err := os.Lstat(script.Path())
	require.NoError(t, err)
	assert.True(t, info.Mode().IsRegular())
	got, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, "precious", string(got))
}

func TestPrepareRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	blocked := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(blocked, "1_1.sh", "full"), 0o700))

	tests := []struct {
		name     string
		dir      string
		opts     Options
		suffix   string
		source   string
		wantText string
	}{
		{"source too long", t.TempDir(), Options{MaxSourceBytes: 3}, ".sh", "echo", "raise MaxSourceBytes"},
		{"source above the default", t.TempDir(), Options{}, ".sh", strings.Repeat("#", 5<<20+1), "5242880"},
		{"folder is a file", file, Options{}, ".sh", "echo", "writing the source of job 1"},
		{"folder in the place of the file", blocked, Options{}, ".sh", "echo", "writing the source of job 1"},
		{"suffix that leaves the folder", t.TempDir(), Options{}, "/../../x", "echo", "writing the source of job 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewStore(tt.dir, tt.opts).Prepare(1, 1, Language{Suffix: tt.suffix}, tt.source)
			assert.ErrorContains(t, err, tt.wantText)
		})
	}
	assert.Equal(t, []string{"1_1.sh"}, fileNames(t, blocked), "a temporary file was left")
}

func TestPrepareWithoutSourceLimit(t *testing.T) {
	_, err := NewStore(t.TempDir(), Options{MaxSourceBytes: -1}).
		Prepare(1, 1, shell(t), strings.Repeat("#", 5<<20+1))
	assert.NoError(t, err)
}

func TestPrepareConcurrently(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gluesource")
	stores := []*Store{NewStore(dir, Options{}), NewStore(dir, Options{})}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for round := range 10 {
				updated := int64(round % 3)
				source := fmt.Sprintf("echo %d", updated)
				// Two stores stand for two processes on job 1, one for job 2.
				_, err := stores[i%2].Prepare(1, 5, shell(t), "echo same")
				assert.NoError(t, err)
				_, err = stores[0].Prepare(2, updated, shell(t), source)
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	got, err := os.ReadFile(filepath.Join(dir, "1_5.sh"))
	require.NoError(t, err)
	assert.Equal(t, "echo same", string(got))
	assert.Len(t, fileNames(t, dir), 2, "one file a job")
}

// Whoever comes last must not have its file removed by who came before.
func TestPrepareOfTwoVersionsLeavesOne(t *testing.T) {
	store := NewStore(t.TempDir(), Options{})
	for round := range int64(300) {
		var wg sync.WaitGroup
		for version := range int64(2) {
			wg.Go(func() {
				_, err := store.Prepare(1, 2*round+version, shell(t), "echo")
				assert.NoError(t, err)
			})
		}
		wg.Wait()
		require.Len(t, fileNames(t, store.dir), 1)
	}
}

func TestRemove(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gluesource")
	store := NewStore(dir, Options{})
	require.NoError(t, store.Remove(1), "no folder yet")
	assert.NoDirExists(t, dir)

	for _, jobID := range []int32{1, 11} {
		_, err := store.Prepare(jobID, 1, shell(t), "echo")
		require.NoError(t, err)
	}
	require.NoError(t, store.Remove(1))
	require.NoError(t, store.Remove(1), "nothing left")
	assert.Equal(t, []string{"11_1.sh"}, fileNames(t, dir))
}

func TestRelativeFolderIsMadeAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	script, err := NewStore("gluesource", Options{}).Prepare(1, 1, shell(t), "echo")
	require.NoError(t, err)
	assert.True(t, filepath.IsAbs(script.Path()))
	assert.FileExists(t, script.Path())
}

func TestSourceIsKeptByteForByte(t *testing.T) {
	store := NewStore(t.TempDir(), Options{})
	language := shell(t)
	rapid.Check(t, func(rt *rapid.T) {
		jobID := rapid.Int32().Draw(rt, "job id")
		source := string(rapid.SliceOf(rapid.Byte()).Draw(rt, "source"))
		script, err := store.Prepare(jobID, rapid.Int64().Draw(rt, "updated"), language, source)
		require.NoError(rt, err)
		got, err := os.ReadFile(script.Path())
		require.NoError(rt, err)
		assert.Equal(rt, source, string(got))
		require.NoError(rt, store.Remove(jobID))
		assert.NoFileExists(rt, script.Path())
	})
}
