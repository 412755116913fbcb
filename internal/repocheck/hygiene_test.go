package repocheck

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// registryHosts are the hosts of package registries and of their mirrors. They
// are put together here so that this file does not hold them itself: where
// packages come from is decided by the machine, never by the repository.
var registryHosts = []string{
	"proxy." + "golang.org", "sum." + "golang.org", "goproxy" + ".", "gosum" + ".io",
	"repo.maven" + ".apache.org", "repo1.maven" + ".org", "maven.aliyun" + ".com", "central.sonatype" + ".com",
	"registry.npmjs" + ".org", "pypi" + ".org", "deb.debian" + ".org", "archive.ubuntu" + ".com",
}

// machinePaths finds paths that exist only on the machine of whoever wrote them.
var machinePaths = regexp.MustCompile(`(?:^|[\s"'` + "`" + `(=:,])(?:/(?:work|home|Users|root)/[\w.-]+|\.\./shared\b)`)

// strayText returns what must not stand in a file of the repository.
func strayText(content string) []string {
	var found []string
	for _, host := range registryHosts {
		if strings.Contains(content, host) {
			found = append(found, "a registry host: "+host)
		}
	}
	for _, match := range machinePaths.FindAllString(content, -1) {
		found = append(found, "a path of one machine: "+strings.TrimSpace(match))
	}
	return found
}

// TestNothingOfOneMachineInTheTree reads every text file of the tree.
func TestNothingOfOneMachineInTheTree(t *testing.T) {
	t.Parallel()
	for _, name := range files(t) {
		content := text(t, name)
		if !utf8.ValidString(content) {
			continue // recorded bytes
		}
		for _, found := range strayText(content) {
			t.Errorf("%s holds %s", name, found)
		}
	}
}

// largestFile is more than anything written by hand, drawn or recorded has.
const largestFile = 1 << 20

// TestNothingBuiltIsTracked finds programs that were committed by mistake.
func TestNothingBuiltIsTracked(t *testing.T) {
	t.Parallel()
	for _, name := range tracked(t) {
		info, err := os.Stat(filepath.Join(repoRoot, filepath.FromSlash(name)))
		require.NoError(t, err)
		assert.Less(t, info.Size(), int64(largestFile), "%s is too large to be anything but a program", name)
		assert.False(t, strings.HasPrefix(text(t, name), "\x7fELF"), "%s is a program", name)
	}
}

// tracked lists the files that git has, or all where there is no git.
func tracked(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--deduplicate")
	cmd.Dir = repoRoot
	out, err := cmd.Output()
	if err != nil {
		t.Logf("git ls-files: %v; looking at every file", err)
		return files(t)
	}
	list := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	require.Greater(t, len(list), 100)
	return slices.DeleteFunc(list, func(name string) bool { // deleted, and not yet committed
		_, err := os.Stat(filepath.Join(repoRoot, filepath.FromSlash(name)))
		return errors.Is(err, fs.ErrNotExist)
	})
}

func TestStrayText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		give string
		want bool
	}{
		{name: "registry", give: "GOPROXY=https://proxy." + "golang.org", want: true},
		{name: "work folder", give: `dir := "` + "/wo" + `rk/main"`, want: true},
		{name: "home folder", give: "see " + "/ho" + "me/me/notes", want: true},
		{name: "start of a line", give: "/ro" + "ot/go/pkg", want: true},
		{name: "shared folder", give: "cp .." + "/shared/vectors", want: true},
		{name: "a word that contains one", give: "internal/work/queue and /data/home/"},
		{name: "Java's default log path", give: "/data/applogs/xxl-job/jobhandler"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, len(strayText(tt.give)) > 0, "strayText(%q) = %v", tt.give, strayText(tt.give))
		})
	}
}

// TestNoTestSleepsOrSkips keeps tests from waiting for real time and from
// passing by not running.
func TestNoTestSleepsOrSkips(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, file := range goFiles(t) {
		if !file.isTest() {
			continue
		}
		checked++
		for _, call := range forbiddenCalls(file.ast) {
			t.Errorf("%s: %s", file.at(call), describe(call))
		}
	}
	assert.Positive(t, checked)
}

// forbiddenCalls finds time.Sleep, and Skip, Skipf, SkipNow and testing.Short of
// the testing package. xxljob.Skip, which is ours, stays allowed: it is called
// on an imported package, not on a test.
func forbiddenCalls(file *ast.File) []*ast.SelectorExpr {
	packages := make(map[string]string) // local name → import path
	for _, spec := range file.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		packages[name] = imported
	}
	var found []*ast.SelectorExpr
	ast.Inspect(file, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		on := ""
		if ident, ok := selector.X.(*ast.Ident); ok {
			on = packages[ident.Name]
		}
		switch selector.Sel.Name {
		case "Sleep":
			ok = on == "time"
		case "Short":
			ok = on == "testing"
		case "Skip", "Skipf", "SkipNow":
			ok = on == ""
		default:
			ok = false
		}
		if ok {
			found = append(found, selector)
		}
		return true
	})
	return found
}

func describe(call *ast.SelectorExpr) string {
	if call.Sel.Name == "Sleep" {
		return "a test sleeps: use testing/synctest, or wait for the condition"
	}
	return "a test uses " + call.Sel.Name + ": a test that did not run must not look like one that passed"
}

func TestForbiddenCalls(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		code string
		want int
	}{
		{name: "sleep", code: `import "time"; func f() { time.Sleep(1) }`, want: 1},
		{name: "sleep under another name", code: `import clock "time"; func f() { clock.Sleep(1) }`, want: 1},
		{name: "sleep as a value", code: `import "time"; var wait = time.Sleep`, want: 1},
		{name: "skip", code: `import "testing"; func f(t *testing.T) { t.Skip("no"); t.SkipNow() }`, want: 2},
		{name: "short", code: `import "testing"; func f() { if testing.Short() { return } }`, want: 1},
		{name: "our own Skip", code: `import "` + ours + `"; func f() error { return xxljob.Skip("done") }`},
		{name: "timer", code: `import "time"; func f() { <-time.After(1) }`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\n"+tt.code, 0)
			require.NoError(t, err)
			assert.Len(t, forbiddenCalls(file), tt.want)
		})
	}
}
