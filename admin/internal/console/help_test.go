package console_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
)

// TestHelp: the program of the help is that of examples/basic, which is built and
// run elsewhere, but for where it gets its settings from.
func TestHelp(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	page := w.As(w.Admin).Text("/help")
	assert.Contains(t, page, "http://example.com/xxl-job-admin")
	assert.NotContains(t, page, console.HereAddress)

	example, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "basic", "main.go"))
	require.NoError(t, err)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "help.go", console.GoProgram, parser.ParseComments)
	require.NoError(t, err)
	same := 0
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name == "main" {
			continue
		}
		text := console.GoProgram[fset.Position(f.Doc.Pos()).Offset:fset.Position(f.End()).Offset]
		assert.Contains(t, string(example), text)
		same++
	}
	assert.Equal(t, 2, same)
}
