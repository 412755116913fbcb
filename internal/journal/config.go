package journal

import (
	"cmp"
	"errors"
	"log/slog"
	"time"
)

// Sync says when written records are made durable against power loss. A kill
// of the process loses nothing in any mode.
type Sync int

// The modes of Sync.
const (
	// SyncInterval syncs every Config.SyncInterval while there is something new.
	SyncInterval Sync = iota
	// SyncAlways syncs before Accept returns and before a result can be read
	// by Next.
	SyncAlways
	// SyncNever leaves it to the operating system; Flush and Close still sync.
	SyncNever
)

// Config describes a Journal. Dir is required; the zero value of every other
// field selects the default named in its comment.
type Config struct {
	// Dir is this executor's own folder. It is made with mode 0700.
	Dir string
	// AdoptPrefix selects folders beside Dir, named prefix plus digits, whose
	// owner is gone: Open moves what they hold into this journal and removes
	// them. Empty adopts nothing.
	AdoptPrefix string
	// LockWait is how long Open waits for another owner of Dir to end. Default 20s.
	LockWait time.Duration
	// Sync selects when records are made durable. Default SyncInterval.
	Sync Sync
	// SyncInterval is the time between syncs in that mode. Default 50ms.
	SyncInterval time.Duration
	// MaxBytes bounds the segments: Accept refuses above it, results never are.
	// The identities of triggers whose segments are gone come on top, with
	// about six bytes each. Default 1 GiB.
	MaxBytes int64
	// SegmentBytes is the size at which a new segment is begun. Default 4 MiB,
	// and at most an eighth of MaxBytes.
	SegmentBytes int64
	// ReserveBytes is the room kept for the finished record of every open run.
	// On a full disk a message is cut to what fits. Default 512, minimum 256.
	ReserveBytes int
	// AppendTimeout bounds how long Accept waits for the disk. Default 2s.
	AppendTimeout time.Duration
	// Remember is how many of the last triggers are always known. Default 100,000.
	Remember int
	// RememberMax bounds the memory of triggers. Default 1,000,000.
	RememberMax int
	// RememberFor is how long a trigger is known while there are fewer than
	// RememberMax. It counts the time that executors on this journal were up,
	// so that steps of the clock do not matter. Default 24h.
	RememberFor time.Duration
	// ResultCacheBytes bounds the results kept in memory for Result. Default 8 MiB.
	ResultCacheBytes int
	// Logger is told about faults of the disk. Nil discards.
	Logger *slog.Logger
	// Failpoint is for tests and nil otherwise. The writer calls it before and
	// after it writes records of a kind, with "accepted.before",
	// "accepted.after", "started.before" and so on, for the kinds accepted,
	// started, finished, acknowledged and withdrawn.
	Failpoint func(name string)

	files fileSystem // the disk, except in tests
}

func (c Config) withDefaults() Config {
	c.LockWait = cmp.Or(c.LockWait, 20*time.Second)
	c.SyncInterval = cmp.Or(c.SyncInterval, 50*time.Millisecond)
	c.MaxBytes = cmp.Or(c.MaxBytes, 1<<30)
	c.SegmentBytes = cmp.Or(c.SegmentBytes, 4<<20)
	c.SegmentBytes = min(c.SegmentBytes, max(c.MaxBytes/8, 16<<10))
	c.ReserveBytes = max(cmp.Or(c.ReserveBytes, 512), 256)
	c.AppendTimeout = cmp.Or(c.AppendTimeout, 2*time.Second)
	c.Remember = cmp.Or(c.Remember, 100_000)
	c.RememberMax = max(cmp.Or(c.RememberMax, 1_000_000), c.Remember)
	c.RememberFor = cmp.Or(c.RememberFor, 24*time.Hour)
	c.ResultCacheBytes = cmp.Or(c.ResultCacheBytes, 8<<20)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.files == nil {
		c.files = disk{}
	}
	return c
}

func (c Config) validate() error {
	var faults []error
	if c.Dir == "" {
		faults = append(faults, errors.New("journal: Config.Dir is empty: name the folder of this executor"))
	}
	if c.Sync < SyncInterval || c.Sync > SyncNever {
		faults = append(faults, errors.New("journal: Config.Sync is none of SyncInterval, SyncAlways, SyncNever"))
	}
	if c.LockWait < 0 || c.SyncInterval < 0 || c.AppendTimeout < 0 || c.RememberFor < 0 {
		faults = append(faults, errors.New("journal: a duration in Config is negative"))
	}
	if c.MaxBytes < 0 || c.SegmentBytes < 0 || c.ReserveBytes < 0 || c.ResultCacheBytes < 0 ||
		c.Remember < 0 || c.RememberMax < 0 {
		faults = append(faults, errors.New("journal: a size in Config is negative"))
	}
	return errors.Join(faults...)
}
