package joblog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"
)

// openMode says what a file is opened for.
type openMode int

const (
	forRead    openMode = iota // must exist
	forAppend                  // created with its folder when missing; also readable
	forReplace                 // created or emptied; the folder must exist
)

// A file is one open log or sidecar. It is used by one goroutine.
type file interface {
	io.Writer
	io.ReaderAt
	io.Closer
	size() (int64, error)
}

// files opens the files of day folders. Tests put their own in its place.
type files interface {
	open(d day, name string, mode openMode) (file, error)
}

const (
	cachedFolders  = 4           // a run rarely spans more than two days
	folderRecheck  = time.Second // how long a moved folder may still be written to
	removeBatch    = 1024        // files removed between two looks at the context
	folderAttempts = 3           // a folder removed this often while opening is an error
)

// disk is the files below one folder. The handles of the day folders used
// last are kept, which spares the kernel the walk along the path.
type disk struct {
	dir      string
	portable bool // tests: use os.Root alone, also where there is something faster

	mu      sync.RWMutex
	root    *os.Root
	folders []*folder // most recently opened first
}

// folder is an open day folder.
type folder struct {
	day     day
	checked time.Time
	root    *os.Root
	handle  *os.File // Linux: for openat; nil elsewhere

	// creating is held while a file is made on a disk. The kernel admits one
	// maker of files to a folder at a time, and the threads of the others would
	// spin; goroutines that wait here leave the processors to the rest. In
	// memory the kernel is done so soon that waiting here costs more.
	creating sync.Mutex
	inMemory bool // Linux: on tmpfs
}

func (f *folder) close() {
	_ = f.root.Close()
	if f.handle != nil {
		_ = f.handle.Close()
	}
}

func openDisk(dir string) (*disk, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("log folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("log folder: %w", err)
	}
	return &disk{dir: dir, root: root}, nil
}

func (d *disk) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.folders {
		f.close()
	}
	d.folders = nil
	return d.root.Close()
}

// open opens a file of a day folder. A folder that was removed by hand is made
// again for forAppend.
func (d *disk) open(dy day, name string, mode openMode) (file, error) {
	if f, err := d.openCached(dy, name, mode); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for attempt := 1; ; attempt++ {
		f, err := d.openFreshLocked(dy, name, mode)
		if mode == forAppend && errors.Is(err, fs.ErrNotExist) && attempt < folderAttempts {
			continue
		}
		return f, err
	}
}

// openCached opens through a kept folder handle, and answers fs.ErrNotExist
// when there is none that is fresh.
func (d *disk) openCached(dy day, name string, mode openMode) (file, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, f := range d.folders {
		if f.day == dy && time.Since(f.checked) < folderRecheck {
			return d.openIn(f, name, mode)
		}
	}
	return nil, fs.ErrNotExist
}

func (d *disk) openFreshLocked(dy day, name string, mode openMode) (file, error) {
	d.forgetLocked(dy)
	f, err := d.openFolderLocked(dy, mode == forAppend)
	if err != nil {
		return nil, err
	}
	if len(d.folders) == cachedFolders {
		d.folders[cachedFolders-1].close()
		d.folders = d.folders[:cachedFolders-1]
	}
	d.folders = append([]*folder{f}, d.folders...)
	return d.openIn(f, name, mode)
}

func (d *disk) openFolderLocked(dy day, create bool) (*folder, error) {
	name := dy.name()
	info, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) && create {
		if err = d.makeFolderLocked(name); err == nil {
			info, err = d.root.Lstat(name)
		}
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s in the log folder is not a folder: remove it", name)
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	f := &folder{day: dy, checked: time.Now(), root: root}
	if err = f.openHandle(); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// makeFolderLocked creates a day folder, and the log folder itself when that
// was removed too.
func (d *disk) makeFolderLocked(name string) error {
	err := d.root.Mkdir(name, 0o755)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(d.dir, 0o755); err != nil {
			return err
		}
		root, rerr := os.OpenRoot(d.dir)
		if rerr != nil {
			return rerr
		}
		_ = d.root.Close()
		d.root = root
		err = root.Mkdir(name, 0o755)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// topLevel lists the day folders, in order of their days. Whatever else lies
// in the log folder is not listed, nor are links and plain files.
func (d *disk) topLevel() ([]day, error) {
	entries, err := fs.ReadDir(d.current().FS(), ".") // sorted by name
	var days []day
	for _, e := range entries {
		if dy, ok := parseDay(e.Name()); ok && e.IsDir() {
			days = append(days, dy)
		}
	}
	return days, err
}

// folderBytes returns the size of all files directly in a day folder.
func (d *disk) folderBytes(dy day) (int64, error) {
	var sum int64
	entries, err := fs.ReadDir(d.current().FS(), dy.name())
	for _, e := range entries {
		if info, ierr := e.Info(); ierr == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
	}
	return sum, err
}

// remove deletes a day folder with all that is in it. Its handle is closed
// first: Windows keeps a folder that is open. A folder may hold a million
// files, so ctx ends it early; what is left goes next time.
func (d *disk) remove(ctx context.Context, dy day) error {
	d.mu.Lock()
	d.forgetLocked(dy)
	d.mu.Unlock()
	root, name := d.current(), dy.name()
	dir, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another executor of this folder was faster
	}
	if err != nil {
		return err
	}
	for {
		names, err := dir.Readdirnames(removeBatch)
		for _, n := range names {
			_ = root.Remove(name + "/" + n) // RemoveAll tries again, and says why
		}
		if ctx.Err() != nil {
			return errors.Join(dir.Close(), context.Cause(ctx))
		}
		if err != nil || len(names) == 0 {
			break
		}
	}
	return errors.Join(dir.Close(), root.RemoveAll(name))
}

func (d *disk) forgetLocked(dy day) {
	for i, f := range d.folders {
		if f.day == dy {
			f.close()
			d.folders = append(d.folders[:i], d.folders[i+1:]...)
			return
		}
	}
}

func (d *disk) current() *os.Root {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.root
}

// osFile is a file on any system.
type osFile struct{ *os.File }

func (f osFile) size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, errNotRegular
	}
	return info.Size(), nil
}

var errNotRegular = errors.New("a log is not a regular file: remove it")

// openPortable opens a file through os.Root, which never leaves the folder.
func openPortable(f *folder, name string, mode openMode) (file, error) {
	info, err := f.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, errNotRegular)
	}
	opened, err := f.root.OpenFile(name, mode.flags(), 0o644)
	if err != nil {
		return nil, err
	}
	return osFile{opened}, nil
}

func (m openMode) flags() int {
	switch m {
	case forAppend:
		return syscall.O_RDWR | syscall.O_APPEND | syscall.O_CREAT
	case forReplace:
		return syscall.O_WRONLY | syscall.O_TRUNC | syscall.O_CREAT
	default:
		return syscall.O_RDONLY
	}
}
