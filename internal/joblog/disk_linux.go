package joblog

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// tmpfsMagic is what statfs(2) gives for a file system in memory.
const tmpfsMagic = 0x01021994

// openHandle opens the folder itself, for openat, and looks where it lies.
func (f *folder) openHandle() error {
	handle, err := f.root.Open(".")
	if err != nil {
		return err
	}
	f.handle = handle
	var fs syscall.Statfs_t
	f.inMemory = syscall.Fstatfs(int(handle.Fd()), &fs) == nil && fs.Type == tmpfsMagic
	return nil
}

// openIn opens a file of a folder. The name is one component made of digits
// and a suffix, and O_NOFOLLOW refuses a link in its place, so openat cannot
// leave the folder. O_NONBLOCK keeps a FIFO from blocking the open.
//
// os.Root would do, at a price: os.File asks the poller to watch each regular
// file, which the kernel refuses, and sets a cleanup; together a fifth of the
// cost of a short append.
func (d *disk) openIn(f *folder, name string, mode openMode) (file, error) {
	if d.portable {
		return openPortable(f, name, mode)
	}
	if mode == forAppend && !f.inMemory {
		f.creating.Lock()
		defer f.creating.Unlock()
	}
	const always = syscall.O_NOFOLLOW | syscall.O_CLOEXEC | syscall.O_NONBLOCK
	for {
		fd, err := syscall.Openat(int(f.handle.Fd()), name, mode.flags()|always, 0o644)
		switch {
		case err == nil:
			return rawFile(fd), nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENXIO):
			err = errNotRegular
		}
		return nil, &os.PathError{Op: "open", Path: f.day.name() + "/" + name, Err: err}
	}
}

// rawFile is a descriptor without the machinery of os.File.
type rawFile int

// Write writes all of p, or returns an error with the number written.
func (f rawFile) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := syscall.Write(int(f), p[done:])
		if n > 0 {
			done += n
		}
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return done, err
		case n == 0:
			return done, io.ErrUnexpectedEOF
		}
	}
	return done, nil
}

// ReadAt is that of io.ReaderAt.
func (f rawFile) ReadAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := syscall.Pread(int(f), p[done:], off+int64(done))
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return done, err
		case n == 0:
			return done, io.EOF
		}
		done += n
	}
	return done, nil
}

func (f rawFile) size() (int64, error) {
	var st syscall.Stat_t
	for {
		err := syscall.Fstat(int(f), &st)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return 0, err
		case st.Mode&syscall.S_IFMT != syscall.S_IFREG:
			return 0, errNotRegular
		}
		return st.Size, nil
	}
}

func (f rawFile) Close() error { return syscall.Close(int(f)) }
