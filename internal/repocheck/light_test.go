package repocheck

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lightModules are the modules that a service gets with the library. Another
// one in go.mod or in what is linked is a change that a user pays for.
var lightModules = []string{
	ours,
	"github.com/valyala/fasthttp",
	"github.com/valyala/bytebufferpool",
	"github.com/klauspost/compress",
	"github.com/molecule-man/go-brrr",
}

// summedOnly are the modules whose checksums stand in a service's go.sum although
// nothing of them is linked: `go mod tidy` reads the tests of the packages that a
// service imports, and go-brrr requires x/tools for its generators.
var summedOnly = []string{
	"github.com/stretchr/testify", "go.uber.org/goleak", "pgregory.net/rapid",
	"go.yaml.in/yaml/v3", "golang.org/x/tools",
}

// namedOnly are the modules that go.sum may name because go.mod files of the
// others do: only the checksum of their go.mod is there.
var namedOnly = []string{
	"golang.org/x/crypto", "golang.org/x/net", "golang.org/x/sys", "golang.org/x/text",
	"gopkg.in/yaml.v3", "github.com/stretchr/objx", "github.com/davecgh/go-spew", "github.com/pmezard/go-difflib",
}

const lightMain = `package main

import (
	"context"
	"fmt"
	"os"

	"` + ours + `"
)

func main() {
	executor, err := xxljob.NewExecutor(xxljob.Config{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	_ = executor.Run(context.Background())
}
`

// TestLightModule builds a service in a module of its own, which gets the
// library as a user does, by version from a module proxy, and looks at what
// came with it.
func TestLightModule(t *testing.T) {
	t.Parallel()
	proxy, service := t.TempDir(), t.TempDir()
	writeModule(t, proxy, ours, "v0.0.1", repoRoot)
	env := lightEnv(t, proxy)
	run := func(args ...string) string { return goRun(t, service, env, args...) }

	require.NoError(t, os.WriteFile(filepath.Join(service, "go.mod"), []byte("module example.com/light\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(service, "main.go"), []byte(lightMain), 0o644))
	run("get", ours+"@v0.0.1")
	run("mod", "tidy")
	run("build", "-trimpath", "-o", "service", ".")

	found := footprint{
		required: strings.Fields(run("list", "-m", "-f", "{{if not .Main}}{{.Path}}{{end}}", "all")),
		linked:   strings.Fields(run("list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")),
		packages: strings.Fields(run("list", "-deps", ".")),
		sums:     readLines(t, filepath.Join(service, "go.sum")),
		goMod:    readLines(t, filepath.Join(service, "go.mod")),
	}
	assert.Contains(t, found.linked, ours)
	for _, fault := range found.faults() {
		t.Error(fault)
	}

	// The checksums are those that the library itself was tested with.
	known := readLines(t, filepath.Join(repoRoot, "go.sum"))
	for _, line := range found.sums {
		if !strings.HasPrefix(line, ours+" ") && !strings.Contains(line, "/go.mod ") {
			assert.Contains(t, known, line, "go.sum of the service")
		}
	}

	// The zip held the library alone: the admin is another module.
	admin := exec.CommandContext(t.Context(), "go", "list", ours+"/admin")
	admin.Dir, admin.Env = service, env
	out, err := admin.CombinedOutput()
	assert.Error(t, err, "the library's module holds the admin: %s", out)
}

// footprint is what a service got together with the library.
type footprint struct {
	goMod    []string // lines of its go.mod
	sums     []string // lines of its go.sum
	required []string // modules of its build list
	linked   []string // modules of the packages that are compiled into it
	packages []string // those packages
}

// faults returns what a service should not have got.
func (f footprint) faults() []string {
	var faults []string
	fault := func(where, what string) { faults = append(faults, fmt.Sprintf("%s: %s", where, what)) }

	for _, line := range f.goMod {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) >= 2 && strings.Contains(fields[0], ".") && strings.HasPrefix(fields[1], "v") &&
			!slices.Contains(lightModules, fields[0]) {
			fault("go.mod requires", fields[0])
		}
	}
	for _, line := range f.sums {
		module, version, _ := strings.Cut(line, " ")
		codeToo := !strings.Contains(version, "/go.mod ")
		known := slices.Contains(lightModules, module) || slices.Contains(summedOnly, module) ||
			!codeToo && slices.Contains(namedOnly, module)
		if !known {
			fault("go.sum", line)
		}
	}
	for _, module := range f.required {
		if !slices.Contains(slices.Concat(lightModules, namedOnly, summedOnly), module) {
			fault("build list", module)
		}
	}
	for _, module := range f.linked {
		if !slices.Contains(lightModules, module) && module != "example.com/light" {
			fault("linked module", module)
		}
	}
	for _, name := range f.packages {
		if under(name, []string{"database/sql", "testing", ours + "/admin", ours + "/xxljobtest"}) {
			fault("linked package", name)
		}
	}
	return faults
}

// TestFootprintFaults shows that each of the five places is looked at.
func TestFootprintFaults(t *testing.T) {
	t.Parallel()
	const driver = "modernc.org/sqlite"
	tests := []struct {
		name string
		give footprint
		want string
	}{
		{name: "go.mod", give: footprint{goMod: []string{"require " + driver + " v1.60.1 // indirect"}}, want: "go.mod requires"},
		{name: "go.mod block", give: footprint{goMod: []string{"require (", "\t" + driver + " v1.60.1", ")"}}, want: "go.mod requires"},
		{name: "go.sum", give: footprint{sums: []string{driver + " v1.60.1/go.mod h1:x="}}, want: "go.sum"},
		{name: "code of a named module", give: footprint{sums: []string{"golang.org/x/crypto v0.55.0 h1:x="}}, want: "go.sum"},
		{name: "go.mod with a test library", give: footprint{goMod: []string{"require github.com/stretchr/testify v1.12.1 // indirect"}}, want: "go.mod requires"},
		{name: "build list", give: footprint{required: []string{ours + "/admin"}}, want: "build list"},
		{name: "linked test library", give: footprint{linked: []string{"github.com/stretchr/testify"}}, want: "linked module"},
		{name: "linked database", give: footprint{packages: []string{"database/sql/driver"}}, want: "linked package"},
		{name: "all well", give: footprint{
			goMod:    []string{"module example.com/light", "go 1.26", "require " + ours + " v0.0.1"},
			sums:     []string{ours + " v0.0.1 h1:x=", "github.com/stretchr/testify v1.12.1 h1:x=", "golang.org/x/net v0.58.0/go.mod h1:x="},
			required: []string{ours, "go.uber.org/goleak"},
			linked:   []string{ours, "example.com/light"},
			packages: []string{"net/http", ours},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(tt.give.faults(), "\n")
			if tt.want == "" {
				assert.Empty(t, got)
				return
			}
			assert.Contains(t, got, tt.want)
		})
	}
}

// lightEnv is the environment of a user's machine with an empty module cache,
// so that nothing of this test stays in the real one. Modules come from the
// proxy made of the tree, then from what the real cache holds, then from where
// this machine gets them.
func lightEnv(t *testing.T, proxy string) []string {
	t.Helper()
	lines := strings.Split(goRun(t, ".", os.Environ(), "env", "GOMODCACHE", "GOPROXY"), "\n")
	require.GreaterOrEqual(t, len(lines), 2)
	cache, fallback := lines[0], lines[1]
	return append(os.Environ(),
		"GOPROXY="+strings.Join([]string{fileURL(proxy), fileURL(filepath.Join(cache, "cache", "download")), fallback}, ","),
		"GOMODCACHE="+t.TempDir(),
		"GOFLAGS=-mod=mod -modcacherw",
		"GOWORK=off",
		"GOTOOLCHAIN=local",
		"GOPRIVATE=", "GONOPROXY=none", "GOVCS=*:off",
		"GOSUMDB=off", // the test compares the checksums with ours
	)
}

// fileURL is the URL of a folder for GOPROXY.
func fileURL(folder string) string {
	slashed := filepath.ToSlash(folder)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	return "file://" + slashed
}

// goRun runs the go command and returns what it printed.
func goRun(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir, command.Env = dir, env
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err, "go %s: %s", strings.Join(args, " "), stderr.String())
	return strings.TrimSpace(string(out))
}

// readLines returns the lines of a file that hold anything.
func readLines(t *testing.T, name string) []string {
	t.Helper()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	return slices.DeleteFunc(strings.Split(string(content), "\n"), func(line string) bool {
		return strings.TrimSpace(line) == ""
	})
}
