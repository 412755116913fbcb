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
			want[withoutVariant(file.name)] = true
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

// variantSuffix is the part of a file name that says for which system or which
// build it is.
var variantSuffix = regexp.MustCompile(`_(unix|linux|darwin|windows|other|crash)\.go$`)

// withoutVariant gives the variants of one noun's file one name.
func withoutVariant(name string) string { return variantSuffix.ReplaceAllString(name, ".go") }
