package examples_test

import (
	"os"
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
)

// TestReadmeHasEveryField holds the table of the README to Config, in its order.
func TestReadmeHasEveryField(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	var rows []string
	for _, match := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(string(text), -1) {
		rows = append(rows, match[1])
	}
	var fields []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[xxljob.Config]()) {
		if field.IsExported() {
			fields = append(fields, field.Name)
		}
	}
	assert.Equal(t, fields, rows)
}
