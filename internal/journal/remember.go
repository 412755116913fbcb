package journal

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"time"
)

const (
	// rememberBlock is how many identities share one record, and are lost
	// together if it is damaged.
	rememberBlock = 256
	// rememberMerge is the size up to which a remember file takes up the
	// identities of the next segment.
	rememberMerge = 16 << 10
)

// rememberFile holds the identities of deleted segments.
type rememberFile struct {
	no   uint32
	path string
	size int64
	last uint64 // position in the memory of its youngest identity
	salt uint32
}

// encodeIDs appends records with ids, as differences of one to the next:
// about six bytes each.
func encodeIDs(dst []byte, salt uint32, ids []ID, up time.Duration) []byte {
	for len(ids) > 0 {
		n := min(len(ids), rememberBlock)
		start := len(dst)
		dst = beginRecord(dst, kindRemembered, 0, 0)
		dst = binary.LittleEndian.AppendUint64(dst, uint64(up.Milliseconds()))
		var last ID
		for _, id := range ids[:n] {
			dst = binary.AppendVarint(dst, int64(id.JobID-last.JobID))
			dst = binary.AppendVarint(dst, id.LogID-last.LogID)
			dst = binary.AppendVarint(dst, id.At-last.At)
			last = id
		}
		dst = endRecord(dst, start, salt)
		ids = ids[n:]
	}
	return dst
}

// decodeIDs calls f for every identity in a remembered record.
func decodeIDs(rec record, f func(id ID, up time.Duration)) {
	up := time.Duration(binary.LittleEndian.Uint64(rec.body)) * time.Millisecond
	body := rec.body[8:]
	var id ID
	for len(body) > 0 {
		var d [3]int64
		for i := range d {
			v, n := binary.Varint(body)
			if n <= 0 {
				return
			}
			d[i], body = v, body[n:]
		}
		id = ID{JobID: id.JobID + int32(d[0]), LogID: id.LogID + d[1], At: id.At + d[2]}
		f(id, up)
	}
}

// keepIDs writes ids to a remember file, durably. A small last file is
// replaced by one that holds both.
func (j *Journal) keepIDs(ids []ID, up time.Duration) error {
	if len(ids) == 0 {
		return nil
	}
	j.mu.Lock()
	var last rememberFile
	if n := len(j.remember); n > 0 {
		last = j.remember[n-1]
	}
	j.mu.Unlock()
	next := rememberFile{no: last.no + 1, salt: j.salt}
	next.path = filepath.Join(j.cfg.Dir, fileName("remember", next.no, next.salt))
	data := header{magic: rememberMagic, version: formatVersion, no: next.no, up: up}.encode(time.Now())
	merge := last.path != "" && last.size < rememberMerge
	if merge {
		old, err := j.fs.ReadFile(last.path)
		if err != nil {
			merge = false
		}
		for s := newScanner(old, headerSize, last.salt); merge; {
			rec, ok := s.next()
			if !ok {
				break
			}
			data = j.copyKnown(data, next.salt, rec)
		}
	}
	data = encodeIDs(data, next.salt, ids, up)
	err := createWhole(j.fs, next.path, data)
	if isNoSpace(err) {
		// The old file stays: both need less room than both and their union.
		merge = false
		data = encodeIDs(data[:headerSize], next.salt, ids, up)
		j.growing.Lock()
		j.releaseSpare(rememberSpare)
		err = createWhole(j.fs, next.path, data)
		j.growing.Unlock()
	}
	if err != nil {
		return fmt.Errorf("journal: keep the identities of %d triggers in %s: %w", len(ids), next.path, err)
	}
	_ = j.fs.SyncDir(j.cfg.Dir)
	next.size = int64(len(data))
	for i := len(ids) - 1; i >= 0; i-- {
		if pos, ok := j.memory.find(ids[i]); ok {
			next.last = pos
			break
		}
	}

	j.mu.Lock()
	defer j.mu.Unlock()
	if merge {
		j.remember = j.remember[:len(j.remember)-1]
		j.kept -= last.size
		next.last = max(next.last, last.last)
		_ = j.fs.Remove(last.path)
	}
	j.remember = append(j.remember, next)
	j.kept += next.size
	return nil
}

// copyKnown appends a remembered record once more, without the identities
// that are forgotten.
func (j *Journal) copyKnown(dst []byte, salt uint32, rec record) []byte {
	if rec.kind != kindRemembered {
		return dst
	}
	var ids []ID
	var up time.Duration
	decodeIDs(rec, func(id ID, at time.Duration) {
		if up = at; j.memory.known(id) {
			ids = append(ids, id)
		}
	})
	return encodeIDs(dst, salt, ids, up)
}

// expireRemembered deletes the files of which no trigger is known any more.
func (j *Journal) expireRemembered() {
	oldest := j.memory.oldest()
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.remember) > 1 && j.remember[0].last < oldest {
		_ = j.fs.Remove(j.remember[0].path)
		j.kept -= j.remember[0].size
		j.remember = j.remember[1:]
	}
}

// loadRemembered reads a remember file into the memory.
func (j *Journal) loadRemembered(f *rememberFile, data []byte, gap func(from, to int, torn bool)) {
	s := newScanner(data, headerSize, f.salt)
	s.gap = gap
	for rec, ok := s.next(); ok; rec, ok = s.next() {
		if rec.kind != kindRemembered {
			continue
		}
		decodeIDs(rec, func(id ID, up time.Duration) {
			j.memory.add(id, min(up, j.upBase))
		})
	}
	f.size = int64(len(data))
	f.last = j.memory.youngest()
}
