package repocheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ours is the path of the root module and the prefix of every package of both.
const ours = "github.com/xxljob-go/xxljob"

// repoRoot is the top of the tree, seen from this package's folder, in which
// go test starts its programs.
const repoRoot = "../.."

// notOurs names folders that hold nothing written by hand.
var notOurs = map[string]bool{
	".git": true, "bin": true, "build": true, "target": true, "tmp": true,
	"vendor": true, "node_modules": true, "xxl-job-logs": true, "xxl-job-data": true,
}

// files returns the slash-separated paths, relative to the top of the tree, of
// all files whose name ends in one of the suffixes, or of all files.
func files(t *testing.T, suffixes ...string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(repoRoot, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && notOurs[entry.Name()]:
			return filepath.SkipDir
		case !entry.Type().IsRegular() || !hasSuffix(name, suffixes):
			return nil
		case entry.Name() == ".git": // of a worktree: where its repository is
			return nil
		}
		rel, err := filepath.Rel(repoRoot, name)
		found = append(found, filepath.ToSlash(rel))
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, found, "no files that end in %v", suffixes)
	return found
}

func hasSuffix(name string, suffixes []string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return len(suffixes) == 0
}

// text returns the content of a file of the tree.
func text(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(repoRoot, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(content)
}

// goFile is a parsed Go file of the tree.
type goFile struct {
	name string // from the top of the tree, with slashes
	fset *token.FileSet
	ast  *ast.File
}

// dir is the folder of the file from the top of the tree; "." is the top.
func (f goFile) dir() string { return path.Dir(f.name) }

func (f goFile) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// at says where a node stands, as file:line.
func (f goFile) at(node ast.Node) string {
	return f.name + ":" + strconv.Itoa(f.fset.Position(node.Pos()).Line)
}

// imports lists the import paths of the file.
func (f goFile) imports() []string {
	var paths []string
	for _, spec := range f.ast.Imports {
		paths = append(paths, strings.Trim(spec.Path.Value, `"`))
	}
	return paths
}

// goFiles parses every Go file of both modules, whatever its build tags.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var parsed []goFile
	for _, name := range files(t, ".go") {
		if strings.Contains(name, "testdata/") {
			continue
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, filepath.Join(repoRoot, filepath.FromSlash(name)), nil,
			parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		parsed = append(parsed, goFile{name: name, fset: fset, ast: tree})
	}
	return parsed
}
