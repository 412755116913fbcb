package examples_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// programs is the folder into which TestMain builds the examples.
var programs string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "examples-")
	if err != nil {
		panic(err)
	}
	programs = dir
	build := exec.CommandContext(context.Background(), "go", "build", "-o", dir+string(os.PathSeparator), "./...")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		panic(fmt.Sprintf("build the examples: %v", err))
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}
