//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "bench: it reads CPU and memory from /proc, which only Linux has")
	os.Exit(2)
}
