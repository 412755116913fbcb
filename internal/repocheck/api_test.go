package repocheck

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	apiPage     = "docs/api.md"
	apiDocument = "admin/internal/rest/openapi.yaml"
)

var (
	apiPath   = regexp.MustCompile(`^  (/v1/\S+):$`)
	apiMethod = regexp.MustCompile(`^    (get|post|put|delete|patch):$`)
	apiVerb   = regexp.MustCompile(`^      x-verb: (\w+)$`)
	apiRow    = regexp.MustCompile("(?m)^\\| `([A-Z]+ /v1/\\S+)` \\| (?:`(\\w+)`|none needed) \\| (.+) \\|$")
)

// TestAPIPageHasEveryOperation holds the table of docs/api.md to openapi.yaml:
// each operation has a row with the verb that it takes, and each row is one.
func TestAPIPageHasEveryOperation(t *testing.T) {
	t.Parallel()
	want, got := operations(text(t, apiDocument)), map[string]string{}
	require.Greater(t, len(want), 50, "operations of %s", apiDocument)
	for _, row := range apiRow.FindAllStringSubmatch(text(t, apiPage), -1) {
		assert.NotContains(t, got, row[1], "%s has two rows for it", apiPage)
		got[row[1]] = row[2]
	}
	assert.Equal(t, want, got, "the operations of %s, and the rows of %s", apiDocument, apiPage)
}

// operations maps "GET /v1/jobs" to its verb, which is empty where none is needed.
func operations(document string) map[string]string {
	list := make(map[string]string)
	path, operation := "", ""
	for line := range strings.SplitSeq(document, "\n") {
		if match := apiPath.FindStringSubmatch(line); match != nil {
			path = match[1]
		}
		if match := apiMethod.FindStringSubmatch(line); match != nil {
			operation = strings.ToUpper(match[1]) + " " + path
			list[operation] = ""
		}
		if match := apiVerb.FindStringSubmatch(line); match != nil && match[1] != "none" {
			list[operation] = match[1]
		}
	}
	return list
}
