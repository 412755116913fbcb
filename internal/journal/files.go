package journal

import (
	"io"
	"os"
)

// file is what the journal needs of an open file.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Sync makes the written data durable.
	Sync() error
	Truncate(size int64) error
	Size() (int64, error)
}

// fileSystem is what the journal needs of the disk. Tests put one in between
// that refuses, loses or delays.
type fileSystem interface {
	// Open opens for reading and writing; create makes the file, which must
	// not exist yet.
	Open(path string, create bool) (file, error)
	ReadFile(path string) ([]byte, error)
	ReadDir(path string) ([]os.DirEntry, error)
	Rename(from, to string) error
	Remove(path string) error
	// SyncDir makes the names in a folder durable.
	SyncDir(path string) error
}

// disk is the real file system.
type disk struct{}

func (disk) Open(path string, create bool) (file, error) {
	flag := os.O_RDWR
	if create {
		flag |= os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

func (disk) ReadFile(path string) ([]byte, error)       { return os.ReadFile(path) }
func (disk) ReadDir(path string) ([]os.DirEntry, error) { return os.ReadDir(path) }
func (disk) Rename(from, to string) error               { return os.Rename(from, to) }
func (disk) Remove(path string) error                   { return os.Remove(path) }
func (disk) SyncDir(path string) error                  { return syncDir(path) }

type diskFile struct{ *os.File }

func (f diskFile) Sync() error { return syncData(f.File) }

func (f diskFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// createWhole makes the file at path hold exactly data, durably, or leaves no
// file of that name behind.
func createWhole(fs fileSystem, path string, data []byte) error {
	tmp := path + ".tmp"
	f, err := fs.Open(tmp, true)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = fs.Rename(tmp, path)
	}
	if err != nil {
		_ = fs.Remove(tmp)
		return err
	}
	return nil
}
