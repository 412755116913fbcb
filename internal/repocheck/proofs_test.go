package repocheck

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// proofName is a test or a fuzz target as documents name it.
var proofName = regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`")

// TestNamedProofsExist keeps docs/guarantees.md and docs/protocol.md from
// naming a test that is gone, and every claim from standing without one.
func TestNamedProofsExist(t *testing.T) {
	t.Parallel()
	tests := make(map[string]bool)
	for _, file := range goFiles(t) {
		for _, decl := range file.ast.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && file.isTest() {
				tests[f.Name.Name] = true
			}
		}
	}
	for _, name := range []string{"guarantees.md", "protocol.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		require.NoError(t, err)
		for _, match := range proofName.FindAllSubmatch(text, -1) {
			assert.True(t, tests[string(match[1])], "docs/%s names %s, which does not exist", name, match[1])
		}
		if name == "guarantees.md" {
			assert.NotContains(t, string(text), "| |\n", "a claim stands without its proof")
		}
	}
}
