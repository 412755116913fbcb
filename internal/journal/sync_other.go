//go:build !linux

package journal

import "os"

// syncData makes the data of f durable.
func syncData(f *os.File) error { return f.Sync() }
