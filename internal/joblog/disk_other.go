//go:build !linux

package joblog

func (f *folder) openHandle() error { return nil }

func (d *disk) openIn(f *folder, name string, mode openMode) (file, error) {
	return openPortable(f, name, mode)
}
