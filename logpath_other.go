//go:build !linux

package xxljob

import "log/slog"

// warnTemporary does nothing: only Linux tells.
func warnTemporary(string, *slog.Logger) {}
