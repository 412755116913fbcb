package journal

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Recovery is what Open found.
type Recovery struct {
	Open       []OpenRun // oldest first
	Unsent     int       // results that Next will give out
	Remembered int       // triggers that are known
	Problems   []string  // damage, each told once, in words for an operator
	Adopted    []string  // folders of gone executors that were taken over
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
	j.idsKept = j.memory.end()
	at := make(map[Seq]int)
	for _, s := range found.segments {
		j.readBodies(s, rec, at)
		s.ids = j.memory.end()
	}
	j.memory.expire(j.upBase)
	slices.SortStableFunc(rec.Open, func(a, b OpenRun) int { return cmp.Compare(a.Seq, b.Seq) })
	return rec, nil
}

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
	case kindStarted, kindFinished:
		st := j.stateAt(s, r.seq)
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
			j.forgetLocked(r.id())
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
