package joblog

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

const (
	defaultFlushEvery   = 100 * time.Millisecond
	defaultMaxRunBytes  = 64 << 20
	defaultMaxLineBytes = 1_000_000
	// An answer of 2 MiB holds the text twice, beside 4 KiB for all else.
	defaultPageBytes = (2<<20 - 4<<10) / 2
	// minRetentionDays is the smallest number that switches retention on.
	minRetentionDays = 3
)

// Config describes a Store. Dir is required; the zero value of every other
// field selects the default named in its comment.
type Config struct {
	// Dir is the folder of the day folders. It is created when missing, with
	// mode 0755; logs have mode 0644.
	Dir string
	// Location decides which day an instant belongs to. Default time.Local.
	Location *time.Location
	// FlushEvery is the longest time that an entry waits in memory while
	// Store.Run is active. Default 100ms.
	FlushEvery time.Duration
	// MaxRunBytes bounds what one Log takes. Past it a line says so and later
	// entries are dropped. Default 64 MiB; negative means no limit.
	MaxRunBytes int64
	// MaxBytes bounds all run logs together. Default 0, no limit. Above 95 %
	// of it the oldest day folders are removed, down to 90 %, never today's;
	// while what is left reaches the limit, logs take nothing. What other
	// processes write into Dir is counted at midnight and while the limit is
	// reached.
	MaxBytes int64
	// RetentionDays is the number of days, besides today, that are kept. Less
	// than 3 keeps everything, as in Java. Today is what the wall clock says.
	RetentionDays int
	// PageBytes bounds the text of one page, measured with QuotedLen. Default
	// 1,046,528, so that an answer with two copies stays within 2 MiB.
	PageBytes int
	// MaxLineBytes is the length at which a line is cut in a page; the file
	// keeps it whole. Default 1,000,000.
	MaxLineBytes int
	// QuotedLen returns the number of bytes that a piece of text takes inside
	// a JSON string. Default: its length. It must be safe for concurrent use.
	QuotedLen func([]byte) int
	// Logger receives disk trouble and removed folders. Default: discarded.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	c.Location = cmp.Or(c.Location, time.Local)
	c.FlushEvery = cmp.Or(c.FlushEvery, defaultFlushEvery)
	c.MaxRunBytes = cmp.Or(c.MaxRunBytes, defaultMaxRunBytes)
	c.PageBytes = cmp.Or(c.PageBytes, defaultPageBytes)
	c.MaxLineBytes = cmp.Or(c.MaxLineBytes, defaultMaxLineBytes)
	if c.QuotedLen == nil {
		c.QuotedLen = func(text []byte) int { return len(text) }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

func (c Config) validate() error {
	var faults []error
	if strings.TrimSpace(c.Dir) == "" {
		faults = append(faults, errors.New("Dir is empty: name the folder for run logs"))
	}
	if strings.ContainsRune(c.Dir, 0) {
		faults = append(faults, errors.New("Dir contains a NUL byte"))
	}
	if c.FlushEvery < 0 {
		faults = append(faults, fmt.Errorf("FlushEvery is %v: use a positive duration", c.FlushEvery))
	}
	if c.MaxBytes < 0 {
		faults = append(faults, fmt.Errorf("MaxBytes is %d: use 0 for no limit", c.MaxBytes))
	}
	if c.PageBytes < 0 || c.MaxLineBytes < 0 {
		faults = append(faults, errors.New("PageBytes and MaxLineBytes must be positive"))
	}
	return errors.Join(faults...)
}
