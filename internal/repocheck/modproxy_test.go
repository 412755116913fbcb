package repocheck

import (
	"archive/zip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeModule lays a module out under proxy as the go command reads it from a
// file-system module proxy: list, info, mod and zip of one version. The zip
// holds what publishing the folder source would: no nested module, no version
// control, nothing that is built.
func writeModule(t *testing.T, proxy, module, version, source string) {
	t.Helper()
	folder := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	goMod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	require.NoError(t, err)
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
	write("list", version+"\n")
	write(version+".info", `{"Version":"`+version+`","Time":"2026-01-02T03:04:05Z"}`)
	write(version+".mod", string(goMod))

	file, err := os.Create(filepath.Join(folder, version+".zip"))
	require.NoError(t, err)
	require.NoError(t, zipModule(file, module+"@"+version+"/", source))
	require.NoError(t, file.Close())
}

// zipModule writes the regular files of a module to w, each below prefix.
func zipModule(w io.Writer, prefix, source string) error {
	archive := zip.NewWriter(w)
	err := filepath.WalkDir(source, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != source && (notOurs[entry.Name()] || isModule(name)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		rel, err := filepath.Rel(source, name)
		if err != nil {
			return err
		}
		to, err := archive.Create(prefix + filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		from, err := os.Open(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(to, from)
		_ = from.Close() // only read
		return err
	})
	if err != nil {
		return err
	}
	return archive.Close()
}

// isModule reports whether a folder is a module of its own.
func isModule(folder string) bool {
	info, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil && info.Mode().IsRegular()
}

func TestZipModuleLeavesOutNestedModules(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	for _, name := range []string{
		"go.mod", "a.go", "sub/b.go", "sub/testdata/x.json",
		"nested/go.mod", "nested/c.go", ".git/config", "build/tool",
	} {
		full := filepath.Join(source, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(name), 0o644))
	}
	var packed strings.Builder
	require.NoError(t, zipModule(&packed, "m@v1.0.0/", source))

	archive, err := zip.NewReader(strings.NewReader(packed.String()), int64(packed.Len()))
	require.NoError(t, err)
	var names []string
	for _, file := range archive.File {
		names = append(names, file.Name)
	}
	assert.ElementsMatch(t, []string{
		"m@v1.0.0/go.mod", "m@v1.0.0/a.go", "m@v1.0.0/sub/b.go", "m@v1.0.0/sub/testdata/x.json",
	}, names)
}
