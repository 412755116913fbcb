package journal

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"
)

// carrySegments is from how many segments on long-lived runs are carried
// forward, so that they do not keep all later segments.
const carrySegments = 4

// clean is the cleaner: it deletes segments whose runs have all ended.
func (j *Journal) clean() {
	spares := j.ensureSpares()
	for {
		select {
		case <-j.sweep:
		case <-j.ended:
			return
		}
		swept := false
		for j.cleanOldest() {
			swept = true
		}
		if swept {
			j.expireRemembered()
		}
		if swept || !spares {
			spares = j.ensureSpares()
		}
	}
}

// cleanOldest deletes the oldest segment, if nothing in it is needed or what
// is needed could be carried forward. It reports whether it did.
func (j *Journal) cleanOldest() bool {
	j.mu.Lock()
	s := j.segs[0]
	if len(j.segs) < 2 {
		j.mu.Unlock()
		return false
	}
	live, open := s.live, s.open
	crowded := len(j.segs) > carrySegments || j.full != nil
	j.mu.Unlock()

	switch {
	case live == 0:
	case live == open && crowded && j.carry(s):
	default:
		return false
	}
	return j.drop(s)
}

// carry copies the accepted records of the open runs of s, the oldest
// segment, into the current one. It reports whether s is free then. It leaves
// segments alone that are mostly open runs, since copying them gains little.
func (j *Journal) carry(s *segment) bool {
	records, err := j.openRecords(s)
	if err != nil {
		j.log.Error("journal segment unreadable", slog.String("file", s.path), slog.Any("err", err))
		return false
	}
	total := 0
	for _, rec := range records {
		total += rec.size
	}
	j.mu.Lock()
	if len(records) < s.live || int64(total) > max(s.data, j.cfg.SegmentBytes)/2 {
		j.mu.Unlock()
		return false
	}
	to := j.currentLocked().no
	for seq, rec := range records {
		j.copyLocked(seq, rec)
	}
	out := j.pending.expect(j.cfg.AppendTimeout)
	j.unlockAndWake()
	if <-out.done; out.err != nil { // no room, or the disk hangs
		return false
	}
	if err := j.Flush(context.Background()); err != nil {
		return false
	}
	return j.moveHome(s, records, to)
}

// openRecords returns the records that say what the open runs of s are. That
// of a run which was accepted just before s was full stands in a later
// segment and is empty here.
func (j *Journal) openRecords(s *segment) (map[Seq]record, error) {
	data, err := j.fs.ReadFile(s.path)
	if err != nil {
		return nil, err
	}
	records := make(map[Seq]record)
	j.mu.Lock()
	for i, st := range s.states {
		if _, moved := j.strays[s.seq(i)]; st.open() && !moved {
			records[s.seq(i)] = record{}
		}
	}
	for seq, x := range j.strays {
		if x.pin == s.no && x.state.open() {
			records[seq] = record{}
		}
	}
	j.mu.Unlock()
	scan := newScanner(data, headerSize, s.salt)
	for rec, ok := scan.next(); ok; rec, ok = scan.next() {
		old, wanted := records[rec.seq]
		if wanted && (rec.kind == kindAccepted || (rec.kind == kindStarted && old.kind != kindAccepted)) {
			records[rec.seq] = rec
		}
	}
	return records, nil
}

// copyLocked writes the record of an open run once more.
func (j *Journal) copyLocked(seq Seq, rec record) {
	st, _ := j.runLocked(seq)
	if st == nil || !st.open() || rec.size == 0 {
		return
	}
	b := j.batchLocked(rec.kind)
	if rec.kind == kindStarted { // its accepted record is damaged
		b.buf = appendMark(b.buf, j.salt, kindStarted, seq, rec.id())
		return
	}
	flags := uint8(flagCarried)
	if *st&runStarted != 0 {
		flags |= flagStarted
	}
	b.buf = appendAccepted(b.buf, j.salt, seq, rec.id(), flags, rec.payload())
}

// moveHome makes the runs that were carried pin the segment to, not s.
func (j *Journal) moveHome(s *segment, records map[Seq]record, to uint32) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for seq, rec := range records {
		st, pin := j.runLocked(seq)
		if st == nil || pin != s || !st.live() {
			continue
		}
		target := j.segmentLocked(to)
		if rec.size == 0 {
			target = j.segs[1]
		}
		target.live++
		s.live--
		if st.open() {
			target.open++
			s.open--
		}
		j.strays[seq] = &stray{state: *st, pin: target.no}
	}
	return s.live == 0
}

// drop deletes s, the oldest segment, after its identities are on disk
// elsewhere.
func (j *Journal) drop(s *segment) bool {
	if s.file == nil {
		return j.putAway(s)
	}
	if err := j.keepIDs(s.ids); err != nil {
		j.log.Error("journal segment kept", slog.String("file", s.path), slog.Any("err", err))
		return false
	}
	j.mu.Lock()
	j.segs = j.segs[1:]
	j.bytes -= s.data
	j.mu.Unlock()
	_ = s.file.Close()
	if err := j.fs.Remove(s.path); err != nil {
		j.log.Error("journal segment not deleted", slog.String("file", s.path), slog.Any("err", err))
	}
	return true
}

// putAway renames a segment that could not be read at all, so that it does
// not keep later ones and can still be looked at.
func (j *Journal) putAway(s *segment) bool {
	if err := j.fs.Rename(s.path, filepath.Join(j.cfg.Dir, "damaged-"+filepath.Base(s.path))); err != nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.segs = j.segs[1:]
	return true
}

// sync is the syncer: it makes written bytes durable every SyncInterval while
// there are new ones.
func (j *Journal) sync() {
	for {
		select {
		case <-j.dirty:
		case <-j.ended:
			return
		}
		select {
		case <-time.After(j.cfg.SyncInterval):
		case <-j.ended:
			return
		}
		_ = j.syncNow()
	}
}

// syncNow makes every segment durable that was written since the last time.
func (j *Journal) syncNow() error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	var dirty []*segment
	j.mu.Lock()
	for _, s := range j.segs {
		if s.dirty && s.file != nil {
			s.dirty = false
			dirty = append(dirty, s)
		}
	}
	j.mu.Unlock()
	var failed error
	for _, s := range dirty {
		if err := s.file.Sync(); err != nil && !j.deleted(s) {
			failed = err
			j.log.Error("journal not synced, a power loss may lose the last records",
				slog.String("file", s.path), slog.Any("err", err))
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(dirty) > 0 {
		j.syncError = failed
	}
	return failed
}

func (j *Journal) deleted(s *segment) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.segmentLocked(s.no) != s
}
