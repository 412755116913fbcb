package journal

import (
	"context"
	"errors"
	"fmt"
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
	lock, err := lockFolder(ctx, cfg.Dir, cfg.LockWait, cfg.Logger)
	if err != nil {
		return nil, nil, err
	}
	j := newJournal(cfg, lock)
	rec, err := j.load()
	if err == nil {
		err = j.begin(rec)
	}
	if err == nil {
		j.ensureSpares() // before the first trigger takes the room
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
		strays: make(map[Seq]*stray),
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
	j.asleep, j.clockNoted = true, j.up()
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
