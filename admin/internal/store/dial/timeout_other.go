//go:build !linux

package dial

import "syscall"

// userTimeout does nothing here: keep-alive and the statements' own limits
// remain.
func userTimeout(string, string, syscall.RawConn) error { return nil }
