package journal

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
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

// keepIDs writes the triggers before position end of the memory that are in no
// remember file yet to one, durably, and before them those that were withdrawn
// although they are in an older one.
func (j *Journal) keepIDs(end uint64) error {
	j.mu.Lock()
	from, forgotten := j.idsKept, j.forgotten
	end = max(end, from)
	// Whoever withdraws a run from here on finds its trigger among the kept ones.
	j.idsKept, j.forgotten = end, nil
	j.mu.Unlock()
	err := j.writeRemembered(from, end, forgotten)
	if err != nil {
		j.mu.Lock()
		j.idsKept, j.forgotten = from, append(forgotten, j.forgotten...)
		j.mu.Unlock()
	}
	return err
}

// writeRemembered makes the next remember file, if there is anything to write.
// A small last file is replaced by one that holds both.
func (j *Journal) writeRemembered(from, end uint64, forgotten []ID) error {
	fresh := j.encodeKnown(forgotten, from, end)
	if len(fresh) == 0 {
		return nil
	}
	j.mu.Lock()
	var last rememberFile
	if n := len(j.remember); n > 0 {
		last = j.remember[n-1]
	}
	j.mu.Unlock()
	next := rememberFile{no: last.no + 1, salt: j.salt, last: max(end, 1) - 1}
	next.path = filepath.Join(j.cfg.Dir, fileName("remember", next.no, next.salt))
	data := header{magic: rememberMagic, version: formatVersion, no: next.no, up: j.up()}.encode(time.Now())
	older, merge := j.copyFile(last)
	err := createWhole(j.fs, next.path, slices.Concat(data, older, fresh))
	if isNoSpace(err) {
		// The old file stays: both need less room than both and their union.
		older, merge = nil, false
		j.growing.Lock()
		j.releaseSpare(rememberSpare)
		err = createWhole(j.fs, next.path, slices.Concat(data, fresh))
		j.growing.Unlock()
	}
	if err != nil {
		return fmt.Errorf("journal: keep the identities of triggers in %s: %w", next.path, err)
	}
	_ = j.fs.SyncDir(j.cfg.Dir)
	next.size = int64(len(data) + len(older) + len(fresh))

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

// encodeKnown returns records that forget some triggers and remember those
// known from position from to position end.
func (j *Journal) encodeKnown(forgotten []ID, from, end uint64) []byte {
	var data []byte
	for _, id := range forgotten {
		data = appendMark(data, j.salt, kindWithdrawn, 0, id)
	}
	ids := make([]ID, 0, rememberBlock)
	for from < end {
		var up time.Duration
		ids, up, from = j.memory.stretch(ids[:0], from, end)
		data = encodeIDs(data, j.salt, ids, up)
	}
	return data
}

// copyFile returns the records of a remember file that is small enough to be
// taken up by the next one, and false if it is not.
func (j *Journal) copyFile(f rememberFile) (data []byte, ok bool) {
	if f.path == "" || f.size >= rememberMerge {
		return nil, false
	}
	old, err := j.fs.ReadFile(f.path)
	if err != nil {
		return nil, false
	}
	scan := newScanner(old, headerSize, f.salt)
	for rec, ok := scan.next(); ok; rec, ok = scan.next() {
		data = j.copyKnown(data, j.salt, rec)
	}
	return data, true
}

// copyKnown appends a record of a remember file once more, without the identities
// that are forgotten.
func (j *Journal) copyKnown(dst []byte, salt uint32, rec record) []byte {
	if rec.kind == kindWithdrawn {
		return appendMark(dst, salt, kindWithdrawn, 0, rec.id())
	}
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
		switch rec.kind {
		case kindRemembered:
			decodeIDs(rec, func(id ID, up time.Duration) {
				j.memory.add(id, min(up, j.upBase))
			})
		case kindWithdrawn:
			_, _ = j.memory.forget(rec.id())
		default: // of no use here
		}
	}
	f.size = int64(len(data))
	f.last = max(j.memory.end(), 1) - 1
}
