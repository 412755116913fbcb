package logtext

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// How much a line says of why a run has failed: the first of the highest rank is
// the failing line.
type rank uint8

const (
	blank   rank = iota
	written      // it is the last thing that was written before the end
	stopped      // what the executor writes when it stops a run, or of its result
	level        // it has the level of an error
	thrown       // a panic, an exception
	told         // it holds what the run was reported to have failed with
)

const (
	// lineLooked is how many bytes of a line are looked at.
	lineLooked = 4096
	// levelWithin is among how many first bytes of a line its level stands.
	levelWithin = 240
	// needleLeast and needleMost bound what is looked for of the reported failure,
	// in bytes: less is found everywhere, more may be cut in the log.
	needleLeast, needleMost = 4, 200
	// causesLooked is how many causes of a failure are looked for, those that it
	// names last: each costs a look at every line.
	causesLooked = 8
)

var (
	escapes = regexp.MustCompile("\x1b\\[[ -?]*[@-~]")
	levels  = regexp.MustCompile(`\b(?:ERROR|FATAL|SEVERE|CRITICAL|PANIC)\b|\[E\]|` +
		`(?i:\blevel"?[=:]\s?"?(?:error|fatal|panic|critical)\b)`)
	throws = regexp.MustCompile(`(?:^|\s|:|>)(?:panic: |fatal error: |runtime error: |JobThread Exception:|` +
		`Exception in thread )|Traceback \(most recent call last\)|` +
		`(?:^|\s|:)(?:[a-z_][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable)\b`)
	ignore = regexp.MustCompile(`-{5,} (?:xxl-job job execute start|xxl-job job callback )|^-*$`)
)

// What executors of all kinds write when they stop a run and when it ends, and of
// a script that has failed.
const (
	timedOut   = "----- xxl-job job execute timeout"
	toStop     = "----- JobThread toStop,"
	ended      = "----- xxl-job job execute end("
	scriptExit = "script exit value("
)

// Finder finds the failing line of a log that comes in parts. The zero value
// knows nothing of what was reported; it is not safe for concurrent use.
type Finder struct {
	needles []string
	best    rank
	line    int
	over    bool // the executor has written that the run is over
}

// NewFinder returns a Finder for a run that was reported to have failed with a
// message.
func NewFinder(message string) *Finder {
	f := &Finder{}
	head, causes := parts(message)
	if len(head) > 0 && !wrapper.MatchString(head[0]) {
		f.add(head[0])
	}
	for _, cause := range causes[max(len(causes)-causesLooked, 0):] {
		f.add(cause)
	}
	return f
}

func (f *Finder) add(needle string) {
	if strings.HasPrefix(needle, scriptExit) { // what the script has written says more
		return
	}
	if len(needle) > needleMost {
		needle = needle[:needleMost]
		for !utf8.ValidString(needle) && len(needle) > needleMost-utf8.UTFMax {
			needle = needle[:len(needle)-1]
		}
	}
	if len(needle) >= needleLeast {
		f.needles = append(f.needles, needle)
	}
}

// Read looks at a further part of the log, of whole lines; first is the number of
// the first of them.
func (f *Finder) Read(text string, first int) {
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		switch r := f.rank(line); {
		case r == blank:
		case r > f.best, r == written && f.best == written:
			f.best, f.line = r, first
		}
		first++
	}
}

// Line is the number of the failing line of what was read; 0 where nothing was
// written.
func (f *Finder) Line() int { return f.line }

func (f *Finder) rank(line string) rank {
	line = line[:min(len(line), lineLooked)]
	if strings.Contains(line, "\x1b") {
		line = escapes.ReplaceAllString(line, "")
	}
	line = strings.TrimSpace(line)
	switch {
	case ignore.MatchString(line):
		return blank
	case strings.Contains(line, timedOut), strings.Contains(line, toStop):
		return stopped
	case strings.Contains(line, ended):
		f.over = true
		if f.tells(line) {
			return stopped
		}
		return blank
	case f.tells(line):
		return told
	case throws.MatchString(line):
		return thrown
	case levels.MatchString(line[:min(len(line), levelWithin)]):
		return level
	case f.over:
		return blank
	}
	return written
}

// tells reports whether the line holds what the run has failed with.
func (f *Finder) tells(line string) bool {
	return slices.ContainsFunc(f.needles, func(needle string) bool { return strings.Contains(line, needle) })
}
