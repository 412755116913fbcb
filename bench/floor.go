//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// Sizes of what a silent run writes to its log: the lines of its start and end
// at once, and one line when its result is acknowledged.
const (
	floorFirstWrite  = 360
	floorSecondWrite = 130
)

// floor is the CPU that the file system takes for one log file, with nothing
// around it.
type floor struct {
	create time.Duration // create, write, close
	add    time.Duration // open for appending, write, close
	files  int
}

func (f floor) createMicros() float64 { return micros(f.create, f.files) }
func (f floor) addMicros() float64    { return micros(f.add, f.files) }
func (f floor) micros() float64       { return micros(f.create+f.add, f.files) }

// measureFloor creates n files in dir, one after the other, and then appends to
// each, with plain system calls on one thread.
func measureFloor(dir string, n int) (floor, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f := floor{files: n}
	text := make([]byte, floorFirstWrite)
	for i := range text {
		text[i] = 'x'
	}
	pass := func(flags int, text []byte) (time.Duration, error) {
		begin, err := threadCPU()
		if err != nil {
			return 0, err
		}
		for i := range n {
			name := filepath.Join(dir, strconv.Itoa(1_000_000_000+i)+".log")
			if err := writeOnce(name, flags, text); err != nil {
				return 0, fmt.Errorf("%s: %w", name, err)
			}
		}
		end, err := threadCPU()
		return end - begin, err
	}
	var err error
	if f.create, err = pass(syscall.O_CREAT|syscall.O_EXCL, text); err != nil {
		return floor{}, err
	}
	f.add, err = pass(0, text[:floorSecondWrite])
	return f, err
}

// writeOnce opens a file, writes to its end, and closes it.
func writeOnce(name string, flags int, text []byte) error {
	fd, err := syscall.Open(name, flags|syscall.O_WRONLY|syscall.O_APPEND|syscall.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	if _, err := syscall.Write(fd, text); err != nil {
		_ = syscall.Close(fd)
		return err
	}
	return syscall.Close(fd)
}

// threadCPU returns the CPU time of the calling thread.
func threadCPU() (time.Duration, error) {
	const rusageThread = 1
	var usage syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &usage); err != nil {
		return 0, fmt.Errorf("CPU time of the thread: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}

// spread marks a directory so that ext4 puts each of its subdirectories into a
// part of the disk of its own, as `chattr +T` does. Without it a round meets
// the files that an earlier one deleted: ext4 without a journal takes up to
// five minutes to use their inodes again, and looks at each of them before it
// creates a file. Where the mark is unknown nothing changes.
func spread(dir string) {
	const (
		getFlags = 0x80086601 // FS_IOC_GETFLAGS, FS_IOC_SETFLAGS: the same on all 64-bit systems but MIPS and POWER
		setFlags = 0x40086602
		topDir   = 0x00020000 // FS_TOPDIR_FL
	)
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	var flags uint64 // the kernel writes 32 bits of it
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), getFlags, uintptr(unsafe.Pointer(&flags))); e != 0 {
		return
	}
	flags |= topDir
	_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), setFlags, uintptr(unsafe.Pointer(&flags)))
}
