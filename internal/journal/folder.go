package journal

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// listing is what lies in a folder.
type listing struct {
	segments []*segment
	remember []rememberFile
}

func (j *Journal) list() (listing, error) {
	var found listing
	entries, err := j.fs.ReadDir(j.cfg.Dir)
	if err != nil {
		return found, fmt.Errorf("journal: read %s: %w; the folder must be readable by this user", j.cfg.Dir, err)
	}
	for _, e := range entries {
		path := filepath.Join(j.cfg.Dir, e.Name())
		if no, salt, ok := parseFileName(e.Name(), "segment"); ok {
			found.segments = append(found.segments, &segment{no: no, salt: salt, path: path})
		} else if no, salt, ok := parseFileName(e.Name(), "remember"); ok {
			found.remember = append(found.remember, rememberFile{no: no, salt: salt, path: path})
		} else if strings.HasSuffix(e.Name(), ".tmp") {
			_ = j.fs.Remove(path) // a remember file that was not completed
		}
	}
	slices.SortFunc(found.segments, func(a, b *segment) int { return cmp.Compare(a.no, b.no) })
	slices.SortFunc(found.remember, func(a, b rememberFile) int { return cmp.Compare(a.no, b.no) })
	return found, nil
}

// checkVersions refuses to touch what a newer program wrote.
func (l listing) checkVersions(fs fileSystem) error {
	for _, s := range l.segments {
		if h, ok := readHeader(fs, s.path, segmentMagic); ok {
			if err := h.checkVersion(s.path); err != nil {
				return err
			}
		}
	}
	for _, f := range l.remember {
		if h, ok := readHeader(fs, f.path, rememberMagic); ok {
			if err := h.checkVersion(f.path); err != nil {
				return err
			}
		}
	}
	return nil
}

func readHeader(fs fileSystem, path, magic string) (header, bool) {
	f, err := fs.Open(path, false)
	if err != nil {
		return header{}, false
	}
	defer f.Close()
	data := make([]byte, headerSize)
	if n, _ := f.ReadAt(data, 0); n < headerSize {
		return header{}, false
	}
	return decodeHeader(data, magic)
}

// dropEmpty deletes the last segments if nothing was written to them, so that
// restarts do not pile them up. It returns the number of the next segment,
// which is above that of every segment that ever held a record.
func (l *listing) dropEmpty(fs fileSystem) (next uint32) {
	next = 1
	if n := len(l.segments); n > 0 {
		next = l.segments[n-1].no + 1
	}
	for n := len(l.segments); n > 0; n-- {
		s := l.segments[n-1]
		data, err := fs.ReadFile(s.path)
		if err != nil || len(bytes.TrimRight(data, "\x00")) > headerSize || fs.Remove(s.path) != nil {
			break
		}
		next = s.no
		l.segments = l.segments[:n-1]
	}
	return next
}
