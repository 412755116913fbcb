package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// adoptSiblings takes over the journals beside this one whose owner is gone.
// A journal that cannot be taken over is left as it is, and told.
func (j *Journal) adoptSiblings(rec *Recovery) {
	if j.cfg.AdoptPrefix == "" {
		return
	}
	parent := filepath.Dir(filepath.Clean(j.cfg.Dir))
	entries, err := os.ReadDir(parent)
	if err != nil {
		rec.Problems = append(rec.Problems, fmt.Sprintf("journal: look for folders to adopt: %v", err))
		return
	}
	own := filepath.Base(filepath.Clean(j.cfg.Dir))
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || name == own || !strings.HasPrefix(name, j.cfg.AdoptPrefix) {
			continue
		}
		suffix := strings.TrimPrefix(name, j.cfg.AdoptPrefix)
		dir := filepath.Join(parent, name)
		if digits, ok := strings.CutSuffix(suffix, adoptedSuffix); ok && isNumber(digits) {
			_ = os.RemoveAll(dir) // its contents are here, the process died while deleting it
			continue
		}
		if !isNumber(suffix) {
			continue
		}
		taken, err := j.adopt(dir, rec)
		if err != nil {
			rec.Problems = append(rec.Problems, fmt.Sprintf("journal: adopt %s: %v", dir, err))
		}
		if taken {
			rec.Adopted = append(rec.Adopted, dir)
		}
	}
}

// adoptedSuffix marks a folder whose contents were taken over.
const adoptedSuffix = ".adopted"

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// adopt copies what the journal in dir owes, makes it durable here, and
// removes dir. Each run becomes one record, and runs whose trigger is known
// here are left out, so that it may be cut off anywhere and begin again.
func (j *Journal) adopt(dir string, rec *Recovery) (bool, error) {
	lock, err := tryLockFolder(dir)
	if err != nil || lock == nil {
		return false, err
	}
	defer func() { _ = lock.release() }()
	cfg := j.cfg
	cfg.Dir, cfg.AdoptPrefix, cfg.ResultCacheBytes = dir, "", 1
	old := newJournal(cfg, lock)
	defer old.closeFiles()
	found, err := old.load()
	if err != nil {
		return false, err
	}
	for _, problem := range found.Problems {
		rec.Problems = append(rec.Problems, fmt.Sprintf("%s (in %s)", problem, dir))
	}
	if len(old.segs) > 0 {
		old.reader.no, old.reader.off = old.segs[0].no, headerSize
		if err := j.takeOver(old, found, rec); err != nil {
			return false, err
		}
	}
	if err := j.takeMemory(old); err != nil {
		return false, err
	}
	if err := takeFiles(dir, j.cfg.Dir); err != nil {
		return false, err
	}
	old.closeFiles()
	gone := dir + adoptedSuffix
	if err := os.Rename(dir, gone); err != nil {
		_ = lock.release() // Windows renames no folder with an open file in it.
		if err := os.Rename(dir, gone); err != nil {
			return false, err
		}
	}
	_ = syncDir(filepath.Dir(dir))
	_ = os.RemoveAll(gone)
	return true, nil
}

// takeOver copies open runs and unsent results.
func (j *Journal) takeOver(old *Journal, found *Recovery, rec *Recovery) error {
	for _, run := range found.Open {
		if j.memory.known(run.ID) {
			continue
		}
		seq, state, flags := j.adoptSeq(), runAccepted, uint8(0)
		if run.Started {
			state, flags = runAccepted|runStarted, flagStarted
		}
		buf := appendAccepted(nil, j.salt, seq, run.ID, flags, run.Payload)
		if err := j.adoptRecord(buf, kindAccepted, seq, run.ID, state); err != nil {
			return err
		}
		rec.Open = append(rec.Open, OpenRun{Seq: seq, ID: run.ID, Started: run.Started, Payload: run.Payload})
	}
	for {
		batch := old.Next(1000, 1<<20)
		if len(batch) == 0 {
			break
		}
		for _, f := range batch {
			if j.memory.known(f.ID) {
				continue
			}
			seq := j.adoptSeq()
			buf := appendFinished(nil, j.salt, seq, f.ID, f.Result)
			if err := j.adoptRecord(buf, kindFinished, seq, f.ID, runAccepted|runFinished); err != nil {
				return err
			}
			j.results.put(f.ID, f.Result)
		}
	}
	return j.syncNow()
}

func (j *Journal) adoptSeq() Seq {
	s := j.currentLocked()
	return s.seq(len(s.states))
}

// adoptRecord writes one record before the writer is started.
func (j *Journal) adoptRecord(buf []byte, k kind, seq Seq, id ID, state runState) error {
	b := &batch{buf: buf}
	n, refusal, err := j.put(b)
	if err == nil && refusal != nil {
		err = refusal
	}
	if err != nil {
		return err
	}
	b.kinds[k] = 1
	j.advanceLocked(b, n, j.up())
	s := j.currentLocked()
	s.states = append(s.states, state)
	s.live++
	s.open += count(state.open())
	j.open += count(state.open())
	j.unsent += count(state.unsent())
	j.fresh += count(state.fresh())
	j.memory.add(id, j.up())
	if s.data >= j.cfg.SegmentBytes {
		_ = j.rotate()
	}
	return nil
}

// takeMemory copies the triggers that the old journal remembers.
func (j *Journal) takeMemory(old *Journal) error {
	up := j.up()
	ids := make([]ID, 0, rememberBlock)
	for pos, end := uint64(0), old.memory.end(); pos < end; {
		ids, _, pos = old.memory.stretch(ids[:0], pos, end)
		j.memory.addAll(ids, up)
	}
	return j.keepIDs(j.memory.end())
}

// takeFiles moves what an operator may want to see.
func takeFiles(from, to string) error {
	lines, err := os.ReadFile(filepath.Join(from, setAsideFile))
	if err == nil && len(lines) > 0 {
		if err := appendDurably(filepath.Join(to, setAsideFile), lines); err != nil {
			return err
		}
	}
	damaged, _ := filepath.Glob(filepath.Join(from, "damaged-*"))
	for _, path := range damaged {
		_ = os.Rename(path, filepath.Join(to, filepath.Base(path)+"-"+filepath.Base(from)))
	}
	return nil
}
