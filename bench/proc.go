//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of times in /proc/<pid>/stat, the same on every Linux
// that Go runs on.
const clockTick = 10 * time.Millisecond

// cpuTime returns the user and system time that a process has used, in steps of
// clockTick.
func cpuTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return parseStat(string(stat))
}

// parseStat reads fields 14 and 15 of a stat line. The name of the program,
// field 2, may hold blanks and brackets, so fields count from its end.
func parseStat(stat string) (time.Duration, error) {
	end := strings.LastIndexByte(stat, ')')
	fields := strings.Fields(stat[end+1:])
	if end < 0 || len(fields) < 13 {
		return 0, errors.New("stat of the process has too few fields")
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("user time of the process: %w", err)
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("system time of the process: %w", err)
	}
	return time.Duration(user+system) * clockTick, nil
}

// memory is the resident memory of a process in bytes.
type memory struct {
	now  int64
	peak int64 // since its start, or since resetPeak
}

// memoryOf returns the resident memory of a process.
func memoryOf(pid int) (memory, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return memory{}, err
	}
	return parseStatus(string(status))
}

func parseStatus(status string) (memory, error) {
	now, err := statusBytes(status, "VmRSS:")
	if err != nil {
		return memory{}, err
	}
	peak, err := statusBytes(status, "VmHWM:")
	return memory{now: now, peak: peak}, err
}

// statusBytes reads a line of the form "VmRSS:	  1234 kB".
func statusBytes(status, key string) (int64, error) {
	for line := range strings.Lines(status) {
		rest, ok := strings.CutPrefix(line, key)
		if !ok {
			continue
		}
		number, isKiB := strings.CutSuffix(strings.TrimSpace(rest), " kB")
		kib, err := strconv.ParseInt(number, 10, 64)
		if err != nil || !isKiB {
			return 0, fmt.Errorf("status of the process: %q is no size", strings.TrimSpace(line))
		}
		return kib << 10, nil
	}
	return 0, fmt.Errorf("status of the process has no %s", strings.TrimSuffix(key, ":"))
}

// resetPeak makes the peak of a process begin anew at what it uses now.
func resetPeak(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}

// fileSystem returns the type of the file system that a path lies on, e.g.
// "ext4", by the text of /proc/self/mountinfo.
func fileSystem(mountInfo, path string) string {
	best, found := -1, "unknown"
	for line := range strings.Lines(mountInfo) {
		mount, super, ok := strings.Cut(line, " - ")
		fields, rest := strings.Fields(mount), strings.Fields(super)
		if !ok || len(fields) < 6 || len(rest) < 3 {
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
