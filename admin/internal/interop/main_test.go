//go:build interop && linux

package interop

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// binDir holds the admin under test; it is removed at the end.
var binDir string

func TestMain(m *testing.M) {
	flag.Parse()
	// Checks of one executor go side by side: most of their time is waiting.
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "xxljob-admin-interop-")
	if err != nil {
		panic(err)
	}
	binDir = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// adminBuild is the result of the one build of the admin.
type adminBuild struct {
	path   string
	output []byte
	err    error
}

var buildAdmin = sync.OnceValue(func() adminBuild {
	if path := os.Getenv("XXLJOB_ADMIN_BINARY"); path != "" {
		return adminBuild{path: path}
	}
	path := filepath.Join(binDir, "xxl-job-admin")
	cmd := exec.Command("go", "build", "-o", path,
		"github.com/xxljob-go/xxljob/admin/cmd/xxl-job-admin")
	output, err := cmd.CombinedOutput()
	return adminBuild{path: path, output: output, err: err}
})

// adminBinary returns the path of the admin: XXLJOB_ADMIN_BINARY, or one that
// is built once.
func adminBinary(t *testing.T) string {
	t.Helper()
	b := buildAdmin()
	require.NoErrorf(t, b.err, "go build of the admin:\n%s", b.output)
	return b.path
}
