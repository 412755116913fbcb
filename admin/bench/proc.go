//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of times in /proc/<pid>/stat, the same on every Linux
// that Go runs on.
const clockTick = 10 * time.Millisecond

// usage is what a process has used at one moment.
type usage struct {
	cpu    time.Duration
	memory memory
}

// memory is the resident memory of a process in bytes.
type memory struct {
	now  int64
	peak int64 // since its start, or since resetPeaks
}

// usages reads each process; a pid of 0 has used nothing.
func usages(pids ...int) ([]usage, error) {
	list := make([]usage, len(pids))
	for i, pid := range pids {
		if pid == 0 {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return nil, err
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return nil, err
		}
		if list[i].cpu, err = parseStat(string(stat)); err != nil {
			return nil, err
		}
		if list[i].memory, err = parseStatus(string(status)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// parseStat reads fields 14 and 15 of a stat line, user and system time. The
// name of the program, field 2, may hold blanks and brackets, so fields count
// from its end.
func parseStat(stat string) (time.Duration, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, errors.New("stat of the process has too few fields")
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * clockTick, errors.Join(err1, err2)
}

func parseStatus(status string) (m memory, err error) {
	for line := range strings.Lines(status) {
		name, rest, _ := strings.Cut(line, ":")
		if name != "VmRSS" && name != "VmHWM" {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		if err != nil {
			return m, fmt.Errorf("status of the process: %w", err)
		}
		if name == "VmRSS" {
			m.now = kib << 10
		} else {
			m.peak = kib << 10
		}
	}
	if m.now == 0 || m.peak == 0 {
		return m, errors.New("status of the process has no memory")
	}
	return m, nil
}

// resetPeaks makes the peaks of processes begin anew at what they use now. It
// needs rights that a container may not have; then peaks are those since the
// start.
func resetPeaks(pids ...int) {
	for _, pid := range pids {
		if pid > 0 {
			_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
		}
	}
}

// describeMachine returns the line that says what a run was measured on.
func describeMachine(dir string) string {
	load, _, _ := strings.Cut(readText("/proc/loadavg"), " ")
	return strings.Join([]string{
		time.Now().Format(time.DateOnly),
		fmt.Sprintf("%d cores (%s)", runtime.NumCPU(), cpuModel(readText("/proc/cpuinfo"))),
		"Linux " + strings.TrimSpace(readText("/proc/sys/kernel/osrelease")), runtime.Version(),
		"disk " + fileSystem(readText("/proc/self/mountinfo"), dir), "load average at the start " + load,
	}, ", ")
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

// fileSystem returns the type of the file system that a path lies on, by the
// text of /proc/self/mountinfo.
func fileSystem(mountInfo, path string) string {
	best, found := -1, "unknown"
	for line := range strings.Lines(mountInfo) {
		mount, super, ok := strings.Cut(line, " - ")
		fields, rest := strings.Fields(mount), strings.Fields(super)
		if !ok || len(fields) < 6 || len(rest) < 1 {
			continue
		}
		point := fields[4]
		inside := path == point || strings.HasPrefix(path, strings.TrimSuffix(point, "/")+"/")
		if inside && len(point) >= best {
			best, found = len(point), rest[0]
		}
	}
	return found
}

func readText(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(text)
}
