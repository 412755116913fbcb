package repocheck

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leaves are the packages of the root module that import nothing but the
// standard library.
var leaves = []string{
	"internal/wire", "internal/lifecycle", "internal/journal", "internal/joblog", "internal/script",
}

// sharedWithAdmin are the packages of the root module that admin may import.
var sharedWithAdmin = []string{"internal/wire", "internal/lifecycle"}

// bothSides are the folders of admin that may import the library too: they run
// an executor and an admin together.
var bothSides = []string{
	"admin/cmd", "admin/examples", "admin/internal/browsertest", "admin/internal/e2e", "admin/internal/interop",
}

// testSupport are the folders that exist for tests, examples and measurements;
// they may import what tests are made of, and shipped code may not import them.
var testSupport = []string{
	"bench", "examples", "xxljobtest", "internal/e2e", "internal/interop", "internal/repocheck",
	"admin/bench", "admin/examples", "admin/internal/besidejava", "admin/internal/browsertest", "admin/internal/dbtest",
	"admin/internal/console/consoletest", "admin/internal/e2e", "admin/internal/interop", "admin/internal/simulation",
	"admin/internal/store/storetest",
}

// forTestsOnly are the imports that shipped code must not have.
var forTestsOnly = []string{
	"testing", "net/http/httptest", "github.com/stretchr/testify", "go.uber.org/goleak", "pgregory.net/rapid",
	"github.com/getkin/kin-openapi",
}

// rootRequires are the modules that shipped code of the root module may use.
var rootRequires = []string{"github.com/valyala/fasthttp"}

// strangers are packages of admin that never import one another, and
// pureAdmin those that import nothing of ours.
var (
	strangers = []string{
		"admin/internal/api", "admin/internal/rest", "admin/internal/legacy", "admin/internal/console",
	}
	pureAdmin = []string{"admin/internal/cron", "admin/internal/logtext", "admin/internal/model", "admin/internal/strictjson"}
)

// databases are the folders that may import database/sql, and belowStore those
// that are for admin/internal/store alone, the first of databases.
var (
	databases  = []string{"admin/internal/store", "admin/internal/store/sqldb"}
	belowStore = []string{"admin/internal/store/sqldb", "admin/internal/store/dial", "admin/internal/store/filelock"}
)

// under reports whether a slash-separated path is one of the folders or inside.
func under(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return name == folder || strings.HasPrefix(name, folder+"/")
	})
}

// importFaults checks one import of a file in folder dir against the rules of
// docs/architecture.md and returns what is wrong with it.
func importFaults(dir string, isTest bool, imported string) []string {
	var faults []string
	fault := func(bad bool, rule string) {
		if bad {
			faults = append(faults, fmt.Sprintf("imports %s: %s", imported, rule))
		}
	}
	folder, isOurs := strings.CutPrefix(imported, ours+"/") // folder of an imported package of ours
	if imported == ours {
		folder, isOurs = ".", true
	}
	isStd := !strings.Contains(strings.SplitN(imported, "/", 2)[0], ".")
	shipped := !isTest && !under(dir, testSupport)

	inAdmin := under(dir, []string{"admin"})
	importsAdmin := isOurs && under(folder, []string{"admin"})

	fault(!inAdmin && importsAdmin, "the root module must not know admin")
	fault(under(dir, leaves) && !isTest && !isStd, "a leaf imports the standard library only")
	fault(under(dir, leaves) && isTest && isOurs && folder != dir, "a leaf and its tests know nothing else of ours")
	fault(shipped && under(imported, forTestsOnly), "only tests may")
	fault(shipped && isOurs && under(folder, testSupport), "shipped code must not use test support")
	fault(shipped && !inAdmin && !isStd && !isOurs && !under(imported, rootRequires),
		"the root module requires only "+strings.Join(rootRequires, ", "))
	fault(imported == "database/sql" && shipped && !slices.Contains(databases, dir),
		"only "+strings.Join(databases, " and ")+" may")
	fault(isOurs && slices.Contains(belowStore, folder) && !under(dir, databases[:1]),
		"only admin/internal/store stands on it")
	fault(inAdmin && isOurs && !importsAdmin && !under(folder, sharedWithAdmin) && !under(dir, bothSides),
		"admin and the library meet only in "+strings.Join(sharedWithAdmin, ", "))
	for _, stranger := range strangers {
		inside := under(dir, []string{stranger})
		fault(inside && isOurs && under(folder, strangers) && !under(folder, []string{stranger}),
			"these never import one another")
	}
	fault(slices.Contains(pureAdmin, dir) && isOurs && folder != dir, "imports nothing of ours")
	return faults
}

// TestImportRules holds every file of the tree against the import rules.
func TestImportRules(t *testing.T) {
	t.Parallel()
	for _, leaf := range leaves {
		info, err := os.Stat(filepath.Join(repoRoot, leaf))
		require.NoError(t, err, "the rules name a package that is gone")
		assert.True(t, info.IsDir())
	}
	for _, file := range goFiles(t) {
		for _, imported := range file.imports() {
			for _, fault := range importFaults(file.dir(), file.isTest(), imported) {
				t.Errorf("%s %s", file.name, fault)
			}
		}
	}
}

// TestImportFaults shows that each rule can be broken, and what it lets pass.
func TestImportFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		dir       string
		isTest    bool
		imported  string
		wantFault string // empty: allowed
	}{
		{name: "library knows admin", dir: ".", imported: ours + "/admin/internal/store", wantFault: "must not know admin"},
		{name: "test of the library knows admin", dir: "internal/e2e", isTest: true, imported: ours + "/admin", wantFault: "must not know admin"},
		{name: "leaf imports ours", dir: "internal/wire", imported: ours + "/internal/lifecycle", wantFault: "standard library only"},
		{name: "leaf imports a library", dir: "internal/wire", imported: "github.com/valyala/fasthttp", wantFault: "standard library only"},
		{name: "test of a leaf imports ours", dir: "internal/journal", isTest: true, imported: ours, wantFault: "nothing else of ours"},
		{name: "test of a leaf imports testify", dir: "internal/journal", isTest: true, imported: "github.com/stretchr/testify/require"},
		{name: "external test of a leaf", dir: "internal/wire", isTest: true, imported: ours + "/internal/wire"},
		{name: "leaf imports the standard library", dir: "internal/journal", imported: "hash/crc32"},
		{name: "shipped imports testify", dir: ".", imported: "github.com/stretchr/testify/assert", wantFault: "only tests may"},
		{name: "shipped imports testing", dir: "admin/internal/store", imported: "testing", wantFault: "only tests may"},
		{name: "shipped imports the test helper", dir: ".", imported: ours + "/xxljobtest", wantFault: "test support"},
		{name: "example imports the test helper", dir: "examples/basic", imported: ours + "/xxljobtest"},
		{name: "new requirement of the library", dir: ".", imported: "golang.org/x/exp/slog", wantFault: "requires only"},
		{name: "library imports fasthttp", dir: ".", imported: "github.com/valyala/fasthttp/fasthttputil"},
		{name: "library imports a database", dir: ".", imported: "database/sql", wantFault: "only admin/internal/store"},
		{name: "console imports what is below it", dir: "admin/internal/console", imported: ours + "/admin/internal/console/frame"},
		{name: "below console imports rest", dir: "admin/internal/console/frame", imported: ours + "/admin/internal/rest", wantFault: "never import one another"},
		{name: "store imports a database", dir: "admin/internal/store", imported: "database/sql"},
		{name: "sqldb imports a database", dir: "admin/internal/store/sqldb", imported: "database/sql"},
		{name: "store stands on sqldb", dir: "admin/internal/store", imported: ours + "/admin/internal/store/sqldb"},
		{name: "ops goes past store", dir: "admin/internal/ops", imported: ours + "/admin/internal/store/sqldb", wantFault: "only admin/internal/store"},
		{name: "admin imports the library", dir: "admin/internal/api", imported: ours, wantFault: "meet only in"},
		{name: "admin imports the journal", dir: "admin", imported: ours + "/internal/journal", wantFault: "meet only in"},
		{name: "admin imports wire", dir: "admin/internal/api", imported: ours + "/internal/wire"},
		{name: "demo imports both", dir: "admin/cmd/xxl-job-admin", imported: ours},
		{name: "console imports api", dir: "admin/internal/console", imported: ours + "/admin/internal/api", wantFault: "never import one another"},
		{name: "cron imports ours", dir: "admin/internal/cron", imported: ours + "/admin/internal/model", wantFault: "nothing of ours"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(importFaults(tt.dir, tt.isTest, tt.imported), "\n")
			if tt.wantFault == "" {
				assert.Empty(t, got)
				return
			}
			assert.Contains(t, got, tt.wantFault)
		})
	}
}
