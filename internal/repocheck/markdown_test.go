package repocheck

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	mdLink    = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)[^)]*\)`)
	mdFence   = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```")
	mdHeading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *#*$`)
	notSlug   = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// TestMarkdownLinksResolve follows every link to a file of the tree, and the
// heading it names.
func TestMarkdownLinksResolve(t *testing.T) {
	t.Parallel()
	followed := 0
	for _, name := range files(t, ".md") {
		if strings.Contains(name, "testdata/") {
			continue
		}
		content := mdFence.ReplaceAllString(text(t, name), "")
		for _, match := range mdLink.FindAllStringSubmatch(content, -1) {
			target := match[1]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			followed++
			assert.NoError(t, follow(name, target), "%s", name)
		}
	}
	assert.Positive(t, followed)
}

// follow checks that a link from a file leads to a file or folder of the tree,
// and to a heading of it if it names one.
func follow(from, target string) error {
	file, heading, hasHeading := strings.Cut(target, "#")
	name := from
	if file != "" {
		name = path.Join(path.Dir(from), file)
	}
	full := filepath.Join(repoRoot, filepath.FromSlash(name))
	info, err := os.Stat(full)
	switch {
	case err != nil || strings.HasPrefix(name, ".."):
		return fmt.Errorf("link to %s: no such file", target)
	case !hasHeading || info.IsDir() || !strings.HasSuffix(name, ".md"):
		return nil
	}
	content, err := os.ReadFile(full)
	if err != nil {
		return err
	}
	for _, match := range mdHeading.FindAllStringSubmatch(string(content), -1) {
		if slug(match[1]) == heading {
			return nil
		}
	}
	return fmt.Errorf("link to %s: no such heading", target)
}

// slug is the anchor that a Markdown host gives to a heading.
func slug(heading string) string {
	return strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// TestReadmeCodeIsExampleCode holds each Go block of the README that starts with
// `// from <path>` against that file: it must stand there, line for line, so it
// compiles and is tested with it.
func TestReadmeCodeIsExampleCode(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, block := range mdFence.FindAllStringSubmatch(text(t, "README.md"), -1) {
		if block[1] != "go" {
			continue
		}
		first, code, _ := strings.Cut(block[2], "\n")
		source, ok := strings.CutPrefix(strings.TrimSpace(first), "// from ")
		if !ok {
			continue
		}
		compared++
		assert.True(t, quotes(text(t, source), code),
			"this block of README.md does not stand in %s:\n%s", source, code)
	}
	assert.Positive(t, compared, "README.md has no block that starts with `// from <path>`")
}

// quotes reports whether code stands in a source as consecutive whole lines,
// however deep it is indented there. Blank lines round it do not count.
func quotes(source, code string) bool {
	want := unindented(strings.Split(strings.Trim(code, "\n"), "\n"))
	lines := strings.Split(source, "\n")
	if strings.TrimSpace(code) == "" {
		return false
	}
	for start := 0; start+len(want) <= len(lines); start++ {
		if strings.Join(unindented(lines[start:start+len(want)]), "\n") == strings.Join(want, "\n") {
			return true
		}
	}
	return false
}

// unindented takes away the tabs that all lines begin with and trailing space.
func unindented(lines []string) []string {
	depth := -1
	for _, line := range lines {
		tabs := len(line) - len(strings.TrimLeft(line, "\t"))
		if strings.TrimSpace(line) != "" && (depth < 0 || tabs < depth) {
			depth = tabs
		}
	}
	result := make([]string, len(lines))
	for i, line := range lines {
		result[i] = strings.TrimRight(line[min(max(depth, 0), len(line)):], " \t\r")
	}
	return result
}

func TestQuotes(t *testing.T) {
	t.Parallel()
	const source = "package p\n\nfunc f() {\n\tif x {\n\t\tg()\n\n\t\th()\n\t}\n}\n"
	tests := []struct {
		name string
		code string
		want bool
	}{
		{name: "whole file", code: source, want: true},
		{name: "inner lines, less indented", code: "g()\n\nh()\n", want: true},
		{name: "a block", code: "if x {\n\tg()\n\n\th()\n}\n", want: true},
		{name: "a line left out", code: "g()\nh()\n"},
		{name: "half a line", code: "h(\n"},
		{name: "another word", code: "g2()\n"},
		{name: "nothing", code: "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, quotes(source, tt.code))
		})
	}
}

// TestChangelogHasUnreleasedEntries asks for the section that each change edits.
func TestChangelogHasUnreleasedEntries(t *testing.T) {
	t.Parallel()
	_, section, found := strings.Cut(text(t, "CHANGELOG.md"), "\n## [Unreleased]\n")
	require.True(t, found, "CHANGELOG.md has no section `## [Unreleased]`")
	section, _, _ = strings.Cut(section, "\n## [")

	entries := regexp.MustCompile(`(?m)^- \S`).FindAllString(section, -1)
	assert.NotEmpty(t, entries, "the Unreleased section is empty")
	kinds := []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
	for _, match := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(section, -1) {
		assert.Contains(t, kinds, match[1])
	}
}

// TestDecisionRecordsAreNumbered keeps docs/adr free of gaps and doubles, and
// every record in its three parts.
func TestDecisionRecordsAreNumbered(t *testing.T) {
	t.Parallel()
	next := 0
	for _, name := range files(t, ".md") {
		base := path.Base(name)
		if path.Dir(name) != "docs/adr" || !regexp.MustCompile(`^\d{4}-`).MatchString(base) {
			continue
		}
		assert.Equal(t, fmt.Sprintf("%04d", next), base[:4], "the number of %s", name)
		for _, part := range []string{"## Context", "## Decision", "## Consequences"} {
			assert.Contains(t, text(t, name), "\n"+part+"\n", "%s", name)
		}
		next++
	}
	assert.Positive(t, next)
}
