//go:build !linux

package joblog

import "os"

func folderHandle(*os.Root) (*os.File, error) { return nil, nil }

func (d *disk) openIn(f *folder, name string, mode openMode) (file, error) {
	return openPortable(f, name, mode)
}
