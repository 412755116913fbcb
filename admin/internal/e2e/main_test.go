//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// parallel is how many tests go side by side. In the short form most of their
// time is waiting; the full one loads the machine.
func parallel() int { return pick(5, 1) }

// binDir holds the programs under test; it is removed at the end.
var binDir string

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(parallel())); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "xxljob-admin-e2e-")
	if err != nil {
		panic(err)
	}
	binDir = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

const module = "github.com/xxljob-go/xxljob/admin/"

// The programs, each built once.
var (
	adminBinary    = sync.OnceValues(func() (string, error) { return build("xxl-job-admin", "cmd/xxl-job-admin") })
	executorBinary = sync.OnceValues(func() (string, error) { return build("executor", "internal/e2e/executor") })
	// brokenBinary plans without its outbox: see TestBrokenOutbox.
	brokenBinary = sync.OnceValues(func() (string, error) {
		return build("xxl-job-admin-broken", "cmd/xxl-job-admin", "-tags", "brokenoutbox")
	})
)

// build compiles a program of the admin module and returns its path.
func build(name, pkg string, args ...string) (string, error) {
	path := filepath.Join(binDir, name)
	args = append(append([]string{"build", "-o", path}, args...), module+pkg)
	output, err := exec.Command("go", args...).CombinedOutput() //nolint:noctx // bounded by the test's own limit
	if err != nil {
		return "", fmt.Errorf("go build of the %s: %w\n%s", name, err, output)
	}
	return path, nil
}
