package journal

import (
	"fmt"
	"log/slog"
	"path/filepath"
)

// usual is the size of a trigger for which there must be room, or the disk
// counts as full and triggers of any size are refused.
const usual = 4 << 10

// roomTargetLocked returns how far the current segment must reach so that n
// more bytes and a result for every open run fit.
func (j *Journal) roomTargetLocked(n int) int64 {
	data := max(j.currentLocked().data, headerSize)
	return data + int64(n) + j.reservedLocked() + slack
}

// reservedLocked is the room for results that are not written: those of open
// runs, those that wait for the writer, and those that the disk refused.
func (j *Journal) reservedLocked() int64 {
	owed := j.open + j.pending.kinds[kindFinished] + j.refused
	return int64(owed) * int64(j.cfg.ReserveBytes)
}

// Full returns nil, or why Accept would refuse a trigger of usual size (4 KiB)
// now; it wraps ErrFull. The journal looks for room again by itself, once a
// second.
func (j *Journal) Full() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.refuseLocked(usual)
}

// refuseLocked says why a record of size bytes cannot be accepted.
func (j *Journal) refuseLocked(size int64) error {
	if j.closed {
		return ErrClosed
	}
	if need := size + int64(j.open+1)*int64(j.cfg.ReserveBytes); j.bytes+need > j.cfg.MaxBytes {
		return fmt.Errorf("%w: %d bytes are kept and the limit is %d; it shrinks as an admin takes the %d unsent "+
			"results and the %d open runs end, or raise the limit", ErrFull, j.bytes, j.cfg.MaxBytes, j.unsent, j.open)
	}
	return j.full
}

// put writes the records of b into the current segment and returns how many
// bytes it took. refusal says why the accepted records in it were left out;
// err that nothing was written.
func (j *Journal) put(b *batch) (n int, refusal, err error) {
	s, target := j.room(len(b.buf))
	return j.putInto(s, target, b)
}

// room returns the current segment and how far it must reach for n more bytes.
func (j *Journal) room(n int) (s *segment, target int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.currentLocked(), j.roomTargetLocked(n)
}

// putInto is put with what room returns for b.
func (j *Journal) putInto(s *segment, target int64, b *batch) (n int, refusal, err error) {
	if target > s.size {
		if growErr := j.grow(s, target); growErr != nil {
			if isNoSpace(growErr) && j.rotateTight(len(b.buf)) {
				return j.put(b)
			}
			refusal = j.squeeze(s, b, growErr)
		}
	}
	if len(b.buf) == 0 {
		return 0, refusal, nil
	}
	if s.file == nil || (refusal != nil && s.data+int64(len(b.buf)) > s.size) {
		return 0, nil, refusal
	}
	if _, err = s.file.WriteAt(b.buf, s.data); err != nil {
		// The next write goes to the same place; what lies there until then
		// should not look like a record.
		_, _ = s.file.WriteAt(zeros[:min(len(zeros), len(b.buf))], s.data)
		return 0, nil, err
	}
	return len(b.buf), refusal, nil
}

// grow writes s ahead to target, or a whole step if there is room for that. It
// creates the file if there is none yet.
func (j *Journal) grow(s *segment, target int64) error {
	j.growing.Lock()
	defer j.growing.Unlock()
	if s.file == nil {
		f, err := s.create(j.fs, j.up())
		if err != nil {
			return err
		}
		j.mu.Lock()
		s.file, s.data, s.size, s.dirty = f, headerSize, headerSize, true
		j.mu.Unlock()
		_ = j.fs.SyncDir(j.cfg.Dir)
	}
	ahead := (target/firstStep + 1) * firstStep
	if generous := s.size + step(s.size); generous > ahead && generous <= j.cfg.MaxBytes {
		ahead = generous
	}
	err := s.grow(ahead)
	if s.size >= target {
		return nil
	}
	return err
}

// squeeze makes b fit into the room there is: accepted records are refused,
// and messages cut to what was reserved for them.
func (j *Journal) squeeze(s *segment, b *batch, growErr error) (refusal error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	refusal = fmt.Errorf("journal: write to %s: %w", j.cfg.Dir, growErr)
	if isNoSpace(growErr) {
		refusal = j.noSpace(growErr)
	}
	if b.kinds[kindAccepted] > 0 {
		j.dropAcceptedLocked(b)
		b.settle(refusal)
	}
	if isNoSpace(growErr) && j.roomTargetLocked(len(b.buf)+j.cfg.ReserveBytes+usual) > s.size {
		j.setFullLocked(refusal)
	}
	if j.roomTargetLocked(len(b.buf)) > s.size {
		b.buf = cutMessages(b.buf, j.salt, j.messageRoom())
	}
	return refusal
}

// noSpace is the refusal of triggers on a full disk.
func (j *Journal) noSpace(err error) error {
	return fmt.Errorf("%w: no space left on the disk of %s (%v); free some, triggers are refused until then",
		ErrFull, j.cfg.Dir, err)
}

// messageRoom is how long a message may be that fits into the reservation of
// its run, beside the started, finished and acknowledged records.
func (j *Journal) messageRoom() int {
	return j.cfg.ReserveBytes - startedLen - finishedLen - (frameLen + 8)
}

func (j *Journal) setFull(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.setFullLocked(err)
}

func (j *Journal) setFullLocked(err error) {
	switch {
	case err != nil && j.full == nil:
		j.log.Error("disk full, triggers are refused", slog.String("dir", j.cfg.Dir), slog.Any("err", err))
		signal(j.sweep) // perhaps something can be deleted
	case err == nil && j.full != nil:
		j.log.Info("disk has room again", slog.String("dir", j.cfg.Dir))
		signal(j.sweep) // for the spare files
	}
	j.full = err
}

// rotate begins a new segment that has room for the results of all open runs.
func (j *Journal) rotate() error {
	j.mu.Lock()
	old := j.currentLocked()
	next := newSegment(j.cfg.Dir, old.no+1, j.salt)
	target := j.rotateTargetLocked()
	j.mu.Unlock()
	if err := j.grow(next, target); err != nil {
		if next.file != nil {
			_ = next.file.Close()
			_ = j.fs.Remove(next.path)
		}
		return err
	}
	old.trim()
	j.mu.Lock()
	old.ids, next.up = j.memory.end(), j.up()
	j.segs = append(j.segs, next)
	j.bytes += headerSize
	j.mu.Unlock()
	signal(j.sweep)
	return nil
}

// rotateTight begins a new segment on a full disk, in the room of the spare
// file, so that the old one can be deleted once its runs have ended. It does
// not if n more bytes would not fit then: there is room reserved in the old one.
func (j *Journal) rotateTight(n int) bool {
	j.mu.Lock()
	worth := j.currentLocked().data >= firstStep
	fits := j.rotateTargetLocked()+int64(n) < firstStep
	j.mu.Unlock()
	if !worth || !fits || !j.releaseSpare(segmentSpare) {
		return false
	}
	if j.rotate() != nil {
		j.ensureSpares()
		return false
	}
	return true
}

// rotateTargetLocked is how far a new segment must reach.
func (j *Journal) rotateTargetLocked() int64 {
	return headerSize + j.reservedLocked() + int64(j.cfg.ReserveBytes) + slack + usual
}

// spare is a file of zeros that is deleted when its room is needed.
type spare struct {
	name string
	size int
}

var (
	segmentSpare  = spare{name: "spare-segment", size: firstStep + slack}
	rememberSpare = spare{name: "spare-remember", size: 2 * firstStep}
)

// releaseSpare gives a spare file up. It reports false if there was none.
func (j *Journal) releaseSpare(s spare) bool {
	return j.fs.Remove(filepath.Join(j.cfg.Dir, s.name)) == nil
}

// ensureSpares makes the spare files that are missing, if there is room. It
// reports whether both are there.
func (j *Journal) ensureSpares() bool {
	j.growing.Lock()
	defer j.growing.Unlock()
	first := j.ensureSpare(rememberSpare)
	return j.ensureSpare(segmentSpare) && first
}

func (j *Journal) ensureSpare(s spare) bool {
	path := filepath.Join(j.cfg.Dir, s.name)
	if f, err := j.fs.Open(path, false); err == nil {
		size, err := f.Size()
		_ = f.Close()
		if err == nil && size >= int64(s.size) {
			return true
		}
	}
	f, err := j.fs.Open(path, true)
	if err != nil {
		return false
	}
	_, err = f.WriteAt(zeros[:s.size], 0)
	if closeErr := f.Close(); err != nil || closeErr != nil {
		_ = j.fs.Remove(path)
		return false
	}
	return true
}
