//go:build !linux

package journal

import "testing"

// onTmpfs fails: a disk of 1 MiB is made on Linux only.
func onTmpfs(t *testing.T) string {
	t.Helper()
	t.Fatal("this test needs a tmpfs of 1 MiB, which is mounted on Linux only")
	return ""
}
