package repocheck

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// adminHeading begins the part of docs/architecture.md about the admin. Names
// in its tables are relative to the admin's folder.
const adminHeading = "\n## The way of a run through the admin\n"

// TestArchitecturePageNamesEveryFileAndPackage holds docs/architecture.md to the
// tree: the files of the root package, the packages of internal/ and
// admin/internal/, and those below a package of the latter each have a row, and
// each row exists.
func TestArchitecturePageNamesEveryFileAndPackage(t *testing.T) {
	t.Parallel()
	library, centre, found := strings.Cut(text(t, "docs/architecture.md"), adminHeading)
	require.True(t, found, "docs/architecture.md has no heading %q", adminHeading)

	want := make(map[string]bool)
	for _, file := range goFiles(t) {
		switch {
		case file.dir() == ".":
			if !file.isTest() {
				want[withoutVariant(file.name)] = true
			}
		case path.Dir(file.dir()) == "internal", under(file.dir(), []string{"admin/internal"}):
			want[file.dir()] = true
		}
	}
	got := make(map[string]bool)
	addRows(got, library, "")
	addRows(got, centre, "admin/")
	assert.Equal(t, want, got, "files and packages of the tree, and rows of docs/architecture.md")
}

// addRows collects the first cells of tables that name a file or a package
// below internal/, with the folder before them.
func addRows(rows map[string]bool, page, folder string) {
	for line := range strings.SplitSeq(page, "\n") {
		name, ok := strings.CutPrefix(line, "| `")
		name, _, _ = strings.Cut(name, "`")
		if ok && (strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "internal/")) {
			rows[folder+name] = true
		}
	}
}

// variantSuffix is the part of a file name that says for which system or which
// build it is.
var variantSuffix = regexp.MustCompile(`_(unix|linux|darwin|windows|other|crash)\.go$`)

// withoutVariant gives the variants of one noun's file one name.
func withoutVariant(name string) string { return variantSuffix.ReplaceAllString(name, ".go") }
