package xxljob

import (
	"log/slog"
	"os"
	"syscall"
)

// File systems that do not outlive a container or a reboot, by the magic
// number that statfs(2) gives.
const (
	overlayMagic = 0x794c7630
	tmpfsMagic   = 0x01021994
)

// warnTemporary warns if dir lies on a file system that is lost with its
// container or at a reboot, and with it the results that were not delivered.
func warnTemporary(dir string, log *slog.Logger) {
	var fs syscall.Statfs_t
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return // opening the journal reports it
	}
	if err := syscall.Statfs(dir, &fs); err != nil {
		return
	}
	kind := ""
	switch int64(fs.Type) { //nolint:unconvert // 32 bits wide on some machines
	case overlayMagic:
		kind = "overlayfs"
	case tmpfsMagic:
		kind = "tmpfs"
	default:
		return
	}
	log.Warn("log path is on a temporary file system: results that are not delivered yet are lost with it; "+
		"mount a volume to keep them", slog.String("path", dir), slog.String("filesystem", kind))
}
