package dbtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// children lists the processes whose parent is pid, from /proc.
func children(pid int) []int {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	var found []int
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}
		child, parent, ok := parseStat(string(stat))
		if ok && parent == pid {
			found = append(found, child)
		}
	}
	return found
}

// parseStat reads "pid (name) state ppid …"; the name may hold anything.
func parseStat(stat string) (pid, parent int, ok bool) {
	front, rest, found := strings.Cut(stat, " (")
	end := strings.LastIndex(rest, ") ")
	if !found || end < 0 {
		return 0, 0, false
	}
	fields := strings.Fields(rest[end+2:])
	if len(fields) < 2 {
		return 0, 0, false
	}
	pid, err1 := strconv.Atoi(front)
	parent, err2 := strconv.Atoi(fields[1])
	return pid, parent, err1 == nil && err2 == nil
}
