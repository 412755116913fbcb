package repocheck

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// publicPackages are those that users import: there every exported field and
// interface method is documented too, not only what is declared at the top.
var publicPackages = []string{".", "xxljobtest", "admin"}

// TestEveryPackageHasAComment asks each folder with Go files for a comment that
// says what the package is for.
func TestEveryPackageHasAComment(t *testing.T) {
	t.Parallel()
	type state struct{ code, documented bool }
	packages := make(map[string]*state)
	for _, file := range goFiles(t) {
		if packages[file.dir()] == nil {
			packages[file.dir()] = new(state)
		}
		if file.isTest() {
			continue
		}
		seen := packages[file.dir()]
		seen.code = true
		seen.documented = seen.documented || len(strings.Fields(file.ast.Doc.Text())) >= minCommentWords
	}
	require.NotEmpty(t, packages)
	for dir, seen := range packages {
		assert.True(t, seen.code, "%s has only tests: give it a doc.go", dir)
		assert.True(t, seen.documented, "%s has no package comment that says what it is for", dir)
	}
}

// minCommentWords is what a package comment needs at least to say anything.
const minCommentWords = 6

// TestEveryExportedNameIsDocumented asks every exported declaration of code
// that is not a test for a comment.
func TestEveryExportedNameIsDocumented(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, file := range goFiles(t) {
		if file.isTest() || file.ast.Name.Name == "main" {
			continue
		}
		public := false
		for _, dir := range publicPackages {
			public = public || dir == file.dir()
		}
		for _, decl := range file.ast.Decls {
			checked++
			for _, missing := range undocumented(decl, public) {
				t.Errorf("%s: %s has no comment", file.at(decl), missing)
			}
		}
	}
	assert.Positive(t, checked)
}

// undocumented returns the exported names of a declaration that lack a comment.
// With fields it looks at struct fields and interface methods too.
func undocumented(decl ast.Decl, fields bool) []string {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Doc == nil && decl.Name.IsExported() && exportedReceiver(decl) {
			return []string{decl.Name.Name}
		}
	case *ast.GenDecl:
		var missing []string
		for _, spec := range decl.Specs {
			missing = append(missing, undocumentedSpec(decl, spec, fields)...)
		}
		return missing
	}
	return nil
}

// undocumentedSpec looks at one line of a declaration. The comment above a
// const or var block speaks for its lines, one above a type block does not.
func undocumentedSpec(decl *ast.GenDecl, spec ast.Spec, fields bool) []string {
	var missing []string
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if !spec.Name.IsExported() {
			return nil
		}
		if spec.Doc == nil && spec.Comment == nil && (decl.Doc == nil || decl.Lparen.IsValid()) {
			missing = append(missing, spec.Name.Name)
		}
		if fields {
			missing = append(missing, undocumentedFields(spec)...)
		}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if name.IsExported() && spec.Doc == nil && spec.Comment == nil && decl.Doc == nil {
				missing = append(missing, name.Name)
			}
		}
	}
	return missing
}

// undocumentedFields looks into a struct or an interface.
func undocumentedFields(spec *ast.TypeSpec) []string {
	var list *ast.FieldList
	switch typ := spec.Type.(type) {
	case *ast.StructType:
		list = typ.Fields
	case *ast.InterfaceType:
		list = typ.Methods
	default:
		return nil
	}
	var missing []string
	for _, field := range list.List {
		for _, name := range field.Names {
			if name.IsExported() && field.Doc == nil && field.Comment == nil {
				missing = append(missing, spec.Name.Name+"."+name.Name)
			}
		}
	}
	return missing
}

// exportedReceiver reports whether a function is a method of an exported type,
// or none.
func exportedReceiver(decl *ast.FuncDecl) bool {
	if decl.Recv == nil {
		return true
	}
	typ := decl.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}

// TestUndocumented shows what counts as a comment.
func TestUndocumented(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		code string
		want []string
	}{
		{name: "function", code: "func F() {}", want: []string{"F"}},
		{name: "documented function", code: "// F does it.\nfunc F() {}"},
		{name: "unexported function", code: "func f() {}"},
		{name: "method", code: "func (s *S) M() {}", want: []string{"M"}},
		{name: "method of a generic type", code: "func (s *S[K, V]) M() {}", want: []string{"M"}},
		{name: "method of an unexported type", code: "func (s *s) M() {}"},
		{name: "type and its fields", code: "type T struct{ A, B int; c int }", want: []string{"T", "T.A", "T.B"}},
		{name: "field with a line comment", code: "// T is it.\ntype T struct {\n\tA int // counts\n}"},
		{name: "interface method", code: "// T is it.\ntype T interface {\n\tM()\n}", want: []string{"T.M"}},
		{name: "type block", code: "// Both.\ntype (\n\tA int\n\tB int\n)", want: []string{"A", "B"}},
		{name: "const block", code: "// Codes.\nconst (\n\tA = 1\n\tB = 2\n)"},
		{name: "bare var", code: "var V = 1", want: []string{"V"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\n"+tt.code, parser.ParseComments)
			require.NoError(t, err)
			assert.Equal(t, tt.want, undocumented(file.Decls[0], true), fmt.Sprintf("of %q", tt.code))
		})
	}
}
