//go:build !linux

package main

import (
	"fmt"
	"os"
	"runtime"
)

func main() {
	fmt.Fprintf(os.Stderr, "bench: needs Linux, because it reads CPU and memory from /proc; this is %s\n", runtime.GOOS)
	os.Exit(2)
}
