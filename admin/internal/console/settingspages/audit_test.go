package settingspages_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/settingspages"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

// recorded are the actions that package ops writes into the audit log, as its
// source has them.
func recorded(t *testing.T) (actions []string) {
	t.Helper()
	files, err := filepath.Glob("../../ops/*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 5 {
				return true
			}
			if fun, ok := call.Fun.(*ast.SelectorExpr); !ok || fun.Sel.Name != "record" {
				return true
			}
			if lit, ok := call.Args[2].(*ast.BasicLit); ok {
				action, err := strconv.Unquote(lit.Value)
				require.NoError(t, err)
				actions = append(actions, action)
				return true
			}
			assert.Equal(t, "move.go", filepath.Base(name), "say here what this file records")
			actions = append(actions, "job.move", "job.undo")
			return true
		})
	}
	return actions
}

func TestEveryActionHasWords(t *testing.T) {
	t.Parallel()
	actions := recorded(t)
	require.Greater(t, len(actions), 30)
	for _, action := range actions {
		key := "audit.did." + action
		if !assert.True(t, i18n.HasConsole(key), "%s has no words", action) {
			continue
		}
		family, _, _ := strings.Cut(action, ".")
		assert.True(t, slices.Contains(settingspages.AuditActions(), family), "the filter has no %s", family)
	}
}
