package repocheck

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConfigurationPageIsComplete holds docs/configuration.md to the fields of
// Config and ScriptConfig: each has a row, and each row is a field.
func TestConfigurationPageIsComplete(t *testing.T) {
	t.Parallel()
	fields := make(map[string]bool)
	for _, file := range goFiles(t) {
		if file.name == "config.go" {
			addFields(fields, file.ast, "Config", "ScriptConfig")
		}
	}
	require.NotEmpty(t, fields, "config.go declares no Config")

	rows := make(map[string]bool)
	for line := range strings.SplitSeq(text(t, "docs/configuration.md"), "\n") {
		name, ok := strings.CutPrefix(line, "| `")
		name, _, _ = strings.Cut(name, "`")
		if ok && !strings.HasPrefix(name, "XXL_JOB_") { // environment variables have rows too
			rows[name] = true
		}
	}
	assert.Equal(t, fields, rows, "fields of config.go and rows of docs/configuration.md")
}

// addFields collects the exported fields of the named struct types.
func addFields(fields map[string]bool, file *ast.File, types ...string) {
	for _, name := range types {
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.TypeSpec)
			if !ok || spec.Name.Name != name {
				return true
			}
			structure, ok := spec.Type.(*ast.StructType)
			if !ok {
				return false
			}
			for _, field := range structure.Fields.List {
				for _, ident := range field.Names {
					if ident.IsExported() {
						fields[ident.Name] = true
					}
				}
			}
			return false
		})
	}
}
