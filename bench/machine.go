//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// describeMachine returns the line that says what a run was measured on.
func describeMachine(ctx context.Context, b *bench) string {
	parts := []string{
		time.Now().Format(time.DateOnly),
		fmt.Sprintf("%d cores (%s)", runtime.NumCPU(), cpuModel(readText("/proc/cpuinfo"))),
		"Linux " + strings.TrimSpace(readText("/proc/sys/kernel/osrelease")),
		runtime.Version(),
	}
	if b.java != nil {
		parts = append(parts, javaVersion(ctx))
	}
	mounts := readText("/proc/self/mountinfo")
	parts = append(parts, "disk "+fileSystem(mounts, b.disk.dir))
	if b.memory != nil {
		parts = append(parts, "memory "+fileSystem(mounts, b.memory.dir))
	}
	load, _, _ := strings.Cut(readText("/proc/loadavg"), " ")
	return strings.Join(append(parts, "load average at the start "+load), ", ")
}

// cpuModel finds the model in /proc/cpuinfo; not every processor has one there.
func cpuModel(info string) string {
	for line := range strings.Lines(info) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// javaVersion returns the first line of `java -version`, which goes to stderr.
func javaVersion(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "java", "-version").CombinedOutput()
	if err != nil {
		return "Java of an unknown version"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.ReplaceAll(line, `"`, "")
}

// readText returns a file of /proc, or nothing.
func readText(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(text)
}
