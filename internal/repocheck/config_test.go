package repocheck

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// configPage is the page with a row for everything that can be configured.
const configPage = "docs/configuration.md"

// TestConfigurationPageIsComplete holds docs/configuration.md to the code: each
// field of the executor's Config and ScriptConfig, each flag of xxl-job-admin
// serve and each field of admin.Config has a row under its heading, and each
// row there is one.
func TestConfigurationPageIsComplete(t *testing.T) {
	t.Parallel()
	executor, centre := make(map[string]bool), make(map[string]bool)
	for _, file := range goFiles(t) {
		switch file.name {
		case "config.go":
			addFields(executor, file.ast, "Config", "ScriptConfig")
		case "admin/config.go":
			addFields(centre, file.ast, "Config")
		}
	}
	tests := []struct {
		heading string // of docs/configuration.md
		want    map[string]bool
	}{
		{heading: "Executor: the fields of Config", want: executor},
		{heading: "Admin: flags, environment and file", want: serveFlags(t)},
		{heading: "Admin: the fields of admin.Config", want: centre},
	}
	for _, tt := range tests {
		t.Run(tt.heading, func(t *testing.T) {
			t.Parallel()
			require.NotEmpty(t, tt.want, "nothing that can be configured was found in the code")
			assert.Equal(t, tt.want, configRows(t, tt.heading), "the code, and the rows of %s", configPage)
		})
	}
}

// helpFlag is a flag in the help of a command.
var helpFlag = regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)`)

// serveFlags reads the flags of xxl-job-admin serve from its help, which is a
// golden file of the command's own tests.
func serveFlags(t *testing.T) map[string]bool {
	t.Helper()
	flags := make(map[string]bool)
	for _, match := range helpFlag.FindAllStringSubmatch(text(t, "admin/cmd/xxl-job-admin/testdata/help_serve.txt"), -1) {
		flags[match[1]] = true
	}
	delete(flags, "--help")
	return flags
}

// configRows are the first cells of the tables below a heading of the second
// level, as far as they name something that is configured.
func configRows(t *testing.T, heading string) map[string]bool {
	t.Helper()
	_, part, found := strings.Cut(text(t, configPage), "\n## "+heading+"\n")
	require.True(t, found, "%s has no heading %q", configPage, heading)
	part, _, _ = strings.Cut(part, "\n## ")
	rows := make(map[string]bool)
	for line := range strings.SplitSeq(part, "\n") {
		name, ok := strings.CutPrefix(line, "| `")
		name, _, _ = strings.Cut(name, "`")
		if ok && !strings.HasPrefix(name, "XXL_JOB_") { // environment variables have rows too
			rows[name] = true
		}
	}
	return rows
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
