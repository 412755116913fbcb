package repocheck

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestArchitecturePageNamesEveryFileAndPackage holds docs/architecture.md to the
// tree: the files of the root package and the packages below internal/ each have
// a row, and each row exists.
func TestArchitecturePageNamesEveryFileAndPackage(t *testing.T) {
	t.Parallel()
	want := make(map[string]bool)
	for _, file := range goFiles(t) {
		switch {
		case file.isTest():
		case file.dir() == ".":
			want[withoutSystem(file.name)] = true
		case path.Dir(file.dir()) == "internal":
			want[file.dir()] = true
		}
	}
	got := make(map[string]bool)
	for line := range strings.SplitSeq(text(t, "docs/architecture.md"), "\n") {
		name, ok := strings.CutPrefix(line, "| `")
		name, _, _ = strings.Cut(name, "`")
		if ok && (strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "internal/")) {
			got[name] = true
		}
	}
	assert.Equal(t, want, got, "files and packages of the tree, and rows of docs/architecture.md")
}

// systemSuffix is the part of a file name that says for which system it is.
var systemSuffix = regexp.MustCompile(`_(unix|linux|darwin|windows|other)\.go$`)

// withoutSystem gives the files of one noun for several systems one name.
func withoutSystem(name string) string { return systemSuffix.ReplaceAllString(name, ".go") }
