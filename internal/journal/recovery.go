package journal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Open takes the folder of cfg, reads what is in it, and starts the journal.
// It waits for at most Config.LockWait if another process owns the folder, or
// until ctx is done; ctx is not used after that. Damage is told in Recovery
// and is never an error. An error names the folder and what to do.
func Open(ctx context.Context, cfg Config) (*Journal, *Recovery, error) {
	if err := cfg.validate(); err != nil {
		return nil, nil, err
	}
	cfg = cfg.withDefaults()
	lock, err := lockFolder(ctx, cfg.Dir, cfg.LockWait)
	if err != nil {
		return nil, nil, err
	}
	j := newJournal(cfg, lock)
	rec, err := j.load()
	if err == nil {
		err = j.begin(rec)
	}
	if err != nil {
		j.closeFiles()
		return nil, nil, errors.Join(err, lock.release())
	}
	j.adoptSiblings(rec)
	rec.Unsent, rec.Remembered = j.unsent, j.memory.len()
	j.start()
	return j, rec, nil
}

func newJournal(cfg Config, lock *ownerLock) *Journal {
	j := &Journal{
		cfg: cfg, log: cfg.Logger, fs: cfg.files, lock: lock, opened: time.Now(),
		// Up-time is only noted from time to time, so ages may be off by that.
		memory:  newMemory(cfg.Remember, cfg.RememberMax, cfg.RememberFor+clockEvery),
		results: newResultCache(cfg.ResultCacheBytes),
		ready:   make(chan struct{}, 1), wake: make(chan struct{}, 1),
		sweep: make(chan struct{}, 1), dirty: make(chan struct{}, 1),
		quit: make(chan struct{}), ended: make(chan struct{}),
		strays: make(map[Seq]*stray), orphans: make(map[Seq]struct{}),
	}
	j.pending, j.idle = j.newBatch(), j.newBatch()
	return j
}

// start begins the work in the background.
func (j *Journal) start() {
	if j.fresh > 0 {
		signal(j.ready)
	}
	signal(j.sweep)
	j.tasks.Go(j.write)
	j.tasks.Go(j.clean)
	j.tasks.Go(j.sync)
}

func (j *Journal) closeFiles() {
	for _, s := range j.segs {
		if s.file != nil {
			_ = s.file.Close()
		}
	}
}

// begin adds the segment that this process writes to.
func (j *Journal) begin(rec *Recovery) error {
	s := newSegment(j.cfg.Dir, j.firstNo, j.salt)
	s.up = j.upBase
	j.segs = append(j.segs, s)
	err := j.grow(s, j.roomTargetLocked(0))
	if isNoSpace(err) && j.releaseSpare(segmentSpare) {
		err = j.grow(s, j.roomTargetLocked(0))
	}
	if err != nil && !isNoSpace(err) {
		return fmt.Errorf("journal: create %s: %w; the folder must be writable by this user", s.path, err)
	}
	if err != nil {
		j.setFullLocked(j.noSpace(err))
		rec.Problems = append(rec.Problems, fmt.Sprintf("journal: the disk of %s is full", j.cfg.Dir))
	}
	j.bytes += headerSize
	j.reader.no = j.segs[0].no
	j.reader.off = headerSize
	return nil
}

// load reads the folder: first what became of every run, then the identities,
// the payloads of open runs and the results.
func (j *Journal) load() (*Recovery, error) {
	rec := &Recovery{}
	found, err := j.list()
	if err != nil {
		return nil, err
	}
	if err := found.checkVersions(j.fs); err != nil {
		return nil, err
	}
	j.salt = rand.Uint32()
	for i, s := range found.segments {
		j.salt = s.salt
		if i > 0 {
			for no := found.segments[i-1].no + 1; no != s.no && len(rec.Problems) < maxProblems; no++ {
				rec.Problems = append(rec.Problems, fmt.Sprintf("journal: segment %d missing", no))
			}
		}
	}
	j.firstNo = found.dropEmpty(j.fs)
	j.segs = found.segments
	for _, s := range found.segments {
		j.readStates(s, rec)
	}
	j.settleStates()
	for i := range found.remember {
		f := &found.remember[i]
		data, err := j.fs.ReadFile(f.path)
		if err != nil {
			rec.Problems = append(rec.Problems, fmt.Sprintf("journal: remember file %d unreadable: %v", f.no, err))
			continue
		}
		j.loadRemembered(f, data, j.gapReporter(rec, "remember file", f.no, data))
		j.kept += f.size
	}
	j.remember = found.remember
	at := make(map[Seq]int)
	for _, s := range found.segments {
		j.readBodies(s, rec, at)
	}
	j.memory.expire(j.upBase)
	slices.SortStableFunc(rec.Open, func(a, b OpenRun) int { return cmp.Compare(a.Seq, b.Seq) })
	return rec, nil
}

// maxProblems bounds what Open tells, not what it mends.
const maxProblems = 1000

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

// gapReporter returns a function that tells a damaged stretch once: it sets
// the bytes aside in a file, whose presence says that it was told.
func (j *Journal) gapReporter(rec *Recovery, what string, no uint32, data []byte) func(int, int, bool) {
	return func(from, to int, torn bool) {
		j.damaged++
		if j.damaged > maxProblems {
			return
		}
		name := fmt.Sprintf("damaged-%d-%d", no, from)
		if what != "segment" {
			name = fmt.Sprintf("damaged-r%d-%d", no, from)
		}
		path := filepath.Join(j.cfg.Dir, name)
		if f, err := j.fs.Open(path, false); err == nil {
			_ = f.Close()
			return
		}
		_ = createWhole(j.fs, path, data[from:min(to, from+maxDamaged)])
		how := "damaged"
		if torn {
			how = "truncated"
		}
		rec.Problems = append(rec.Problems, fmt.Sprintf("journal: %s %d: record at %d %s", what, no, from, how))
	}
}

// maxDamaged bounds what is kept of one damaged stretch.
const maxDamaged = 64 << 10

// readStates is the first pass over a segment: what became of its runs.
func (j *Journal) readStates(s *segment, rec *Recovery) {
	data, err := j.fs.ReadFile(s.path)
	if err == nil {
		s.file, err = j.fs.Open(s.path, false)
	}
	if err != nil {
		rec.Problems = append(rec.Problems, fmt.Sprintf("journal: segment %d unreadable: %v", s.no, err))
		return
	}
	if h, ok := decodeHeader(data, segmentMagic); ok {
		s.up = h.up
	} else {
		j.gapReporter(rec, "segment", s.no, data)(0, min(headerSize, len(data)), len(data) < headerSize)
	}
	scan := newScanner(data, headerSize, s.salt)
	scan.gap = j.gapReporter(rec, "segment", s.no, data)
	for r, ok := scan.next(); ok; r, ok = scan.next() {
		j.apply(s, r)
	}
	s.data, s.size = int64(max(len(scan.data), headerSize)), int64(len(data))
	s.trim()
	j.bytes += s.data
	j.upBase = max(j.upBase, s.up)
}

// apply adds one record to what is known about its run.
func (j *Journal) apply(s *segment, r record) {
	switch r.kind {
	case kindAccepted:
		st := j.stateAt(s, r.seq)
		*st |= runAccepted
		if r.flags&flagStarted != 0 {
			*st |= runStarted
		}
		delete(j.orphans, r.seq)
	case kindStarted, kindFinished:
		st := j.stateAt(s, r.seq)
		if *st&runAccepted == 0 {
			j.orphans[r.seq] = struct{}{}
		}
		if r.kind == kindStarted {
			*st |= runStarted
		} else {
			*st |= runFinished
		}
	case kindWithdrawn:
		*j.stateAt(s, r.seq) |= runDone | runWithdrawn
	case kindAcknowledged:
		r.seqs(func(seq Seq) { *j.stateAt(s, seq) |= runDone })
	case kindClock:
		s.up = max(s.up, clockOf(r))
	}
}

// stateAt returns the state of a run that a record in s speaks of.
func (j *Journal) stateAt(s *segment, seq Seq) *runState {
	home := j.segmentLocked(seq.home())
	// An index far beyond its neighbours is no reason to allocate that much.
	if home != nil && seq.home() <= s.no && seq.index() < len(home.states)+1<<16 {
		if grow := seq.index() + 1 - len(home.states); grow > 0 {
			home.states = append(home.states, make([]runState, grow)...)
		}
		return &home.states[seq.index()]
	}
	x := j.strays[seq]
	if x == nil {
		x = &stray{pin: s.no}
		j.strays[seq] = x
	}
	return &x.state
}

// settleStates counts what is open and unsent.
func (j *Journal) settleStates() {
	add := func(pin *segment, st runState) {
		j.open += count(st.open())
		j.unsent += count(st.unsent())
		pin.open += count(st.open())
		pin.live += count(st.live())
	}
	for _, s := range j.segs {
		for _, st := range s.states {
			add(s, st)
		}
	}
	for seq, x := range j.strays {
		pin := j.segmentLocked(x.pin)
		if !x.state.live() || pin == nil {
			delete(j.strays, seq)
			continue
		}
		add(pin, x.state)
	}
	j.fresh = j.unsent
}

// readBodies is the second pass: identities, results, and the open runs.
// The map at says where an open run stands in rec.Open.
func (j *Journal) readBodies(s *segment, rec *Recovery, at map[Seq]int) {
	if s.file == nil {
		return
	}
	data, err := j.fs.ReadFile(s.path)
	if err != nil {
		return
	}
	up := s.up
	scan := newScanner(data, headerSize, s.salt)
	for r, ok := scan.next(); ok; r, ok = scan.next() {
		switch r.kind {
		case kindAccepted, kindStarted, kindFinished:
			j.memory.add(r.id(), up)
		case kindWithdrawn:
			j.memory.forget(r.id())
			continue
		default:
			continue
		}
		st, _ := j.runLocked(r.seq)
		var state runState
		if st != nil {
			state = *st
		}
		if r.kind == kindFinished {
			f := r.finished()
			j.results.put(f.ID, f.Result)
			continue
		}
		if !state.open() {
			continue
		}
		i, seen := at[r.seq]
		if !seen {
			i = len(rec.Open)
			at[r.seq] = i
			rec.Open = append(rec.Open, OpenRun{Seq: r.seq, ID: r.id(), Started: state&runStarted != 0})
		}
		if r.kind == kindAccepted {
			rec.Open[i].Payload = bytes.Clone(r.payload())
		}
	}
}

// clockOf returns the up-time that a clock record tells.
func clockOf(r record) time.Duration {
	return time.Duration(binary.LittleEndian.Uint64(r.body)) * time.Millisecond
}
