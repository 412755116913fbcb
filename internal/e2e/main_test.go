//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// long selects the full lengths.
var long = os.Getenv("XXLJOB_LONG") != ""

// pick returns the length of the form that was asked for.
func pick[T any](short, full T) T {
	if long {
		return full
	}
	return short
}

// binDir holds the programs under test; it is removed at the end.
var binDir string

func TestMain(m *testing.M) {
	flag.Parse()
	// Most tests wait for the pauses of the program under test, not for the
	// processor, so more of them go side by side than there are processors.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "xxljob-e2e-")
	if err != nil {
		panic(err)
	}
	binDir = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// kitchensink is the program as users get it.
var kitchensink = sync.OnceValues(func() (string, error) { return build("kitchensink") })

// crashing is the program with the failpoints of crash tests.
var crashing = sync.OnceValues(func() (string, error) {
	return build("kitchensink-failpoint", "-tags", "xxljob_failpoint")
})

// build compiles the kitchensink with extra arguments and returns its path.
func build(name string, args ...string) (string, error) {
	path := filepath.Join(binDir, name)
	args = append(append([]string{"build", "-o", path}, args...), "github.com/xxljob-go/xxljob/examples/kitchensink")
	output, err := exec.Command("go", args...).CombinedOutput() //nolint:noctx // bounded by the test's own limit
	if err != nil {
		return "", fmt.Errorf("go build of the %s: %w\n%s", name, err, output)
	}
	return path, nil
}
