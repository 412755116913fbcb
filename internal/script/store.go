package script

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	defaultMaxOutputBytes = 64 << 20
	defaultMaxSourceBytes = 5 << 20 // what a Java executor takes in one request
	defaultKillGrace      = 3 * time.Second

	// staleTemp is the age at which a temporary file is surely left from a
	// crash, and not being written by another process in the same folder.
	staleTemp = time.Minute
)

// Options describes how scripts are kept and run. The zero value selects the
// defaults.
type Options struct {
	// Commands replaces, by glue type, the interpreters of Language.Commands:
	// names to look up in PATH or full paths, best first.
	Commands map[string][]string

	// MaxOutputBytes bounds what one run passes on; the rest is read and
	// dropped after one line that says so. Default 64 MiB, negative: no bound.
	MaxOutputBytes int64

	// MaxSourceBytes bounds the source of a script. Default 5 MiB, negative:
	// no bound.
	MaxSourceBytes int

	// KillGrace is the time between the request to end and the kill of a run
	// whose context is done. Default 3s, negative: killed at once.
	KillGrace time.Duration

	// Env returns the environment of a script as KEY=value, asked for at every
	// run. Nil hands down the executor's own, with any secrets in it. It may be
	// called concurrently.
	Env func() []string

	// Dir is the working directory of scripts. Empty is the executor's own.
	Dir string
}

func (o Options) withDefaults() Options {
	o.MaxOutputBytes = cmp.Or(o.MaxOutputBytes, defaultMaxOutputBytes)
	o.MaxSourceBytes = cmp.Or(o.MaxSourceBytes, defaultMaxSourceBytes)
	o.KillGrace = max(cmp.Or(o.KillGrace, defaultKillGrace), 0)
	return o
}

// Store is the folder of script files, <LogPath>/gluesource. All methods are
// safe for concurrent use; those of different jobs hardly ever wait for one
// another. Nothing outside the folder is read or written.
type Store struct {
	dir  string
	opts Options

	// By job id: whoever writes or removes files of a job holds its lock.
	locks [64]sync.Mutex
}

// NewStore returns the store in dir, which is created when the first script is
// written. It opens nothing.
func NewStore(dir string, opts Options) *Store {
	// A script must be found from another working directory too. Abs fails only
	// if the present one is gone; then a relative dir is of no use anyhow.
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &Store{dir: dir, opts: opts.withDefaults()}
}

// Prepare returns the script of a job, having written its source to the file
// <jobID>_<updated><suffix> unless it is there with that content, and having
// removed all other files of the job, which are older versions.
//
// The file is private to the user (mode 0600), appears under its name only when
// complete, and holds the source byte for byte. That includes CRLF line ends, as
// under Java: most interpreters take them, bash does not. An empty source is an
// empty script, which succeeds; a caller that wants a missing source to fail
// must check for it.
//
// Both numbers may be negative. When versions are prepared concurrently, the
// file of the last remains; Run writes an earlier one again if it is still
// wanted. Errors are a source above MaxSourceBytes and those of the file system.
func (s *Store) Prepare(jobID int32, updated int64, lang Language, source string) (*Script, error) {
	if limit := s.opts.MaxSourceBytes; limit > 0 && len(source) > limit {
		return nil, fmt.Errorf("script: source of job %d has %d bytes, the limit is %d: "+
			"shorten it or raise MaxSourceBytes", jobID, len(source), limit)
	}
	script := &Script{
		store:    s,
		jobID:    jobID,
		name:     jobPrefix(jobID) + strconv.FormatInt(updated, 10) + lang.Suffix,
		source:   source,
		commands: lang.Commands,
	}
	if commands, ok := s.opts.Commands[lang.GlueType]; ok {
		script.commands = commands
	}
	err := s.withJob(jobID, func(root *os.Root) error {
		if err := ensure(root, script.name, []byte(source)); err != nil {
			return err
		}
		// What cannot be removed now harms nobody, and the next Prepare or
		// Remove tries again.
		_ = removeAllBut(root, jobID, script.name)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("script: writing the source of job %d: %w", jobID, err)
	}
	return script, nil
}

// Remove deletes all files of a job. No file is not an error. A script that runs
// is not disturbed where the system lets an open file be deleted.
func (s *Store) Remove(jobID int32) error {
	if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := s.withJob(jobID, func(root *os.Root) error { return removeAllBut(root, jobID, "") })
	if err != nil {
		return fmt.Errorf("script: removing the files of job %d: %w", jobID, err)
	}
	return nil
}

// withJob calls do with the folder, which exists, under the lock of the job.
func (s *Store) withJob(jobID int32, do func(root *os.Root) error) error {
	lock := &s.locks[uint32(jobID)%uint32(len(s.locks))]
	lock.Lock()
	defer lock.Unlock()
	// The parents are shared with logs; sources may hold secrets.
	if err := os.MkdirAll(filepath.Dir(s.dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(s.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

func jobPrefix(jobID int32) string { return strconv.FormatInt(int64(jobID), 10) + "_" }

// ensure makes name a regular file with this content. It does not sync: a file
// that a power loss has damaged differs, and is written again before the next run.
func ensure(root *os.Root, name string, content []byte) error {
	if info, err := root.Lstat(name); err == nil &&
		info.Mode().IsRegular() && info.Size() == int64(len(content)) {
		present, err := root.ReadFile(name)
		if err == nil && bytes.Equal(present, content) {
			return nil
		}
	}
	temp := "." + name + "." + strconv.FormatUint(rand.Uint64(), 36) + ".tmp"
	err := writeNew(root, temp, content)
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		_ = root.Remove(temp) // the first error is the one to report
	}
	return err
}

func writeNew(root *os.Root, name string, content []byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// removeAllBut deletes the files of a job, but not the one named keep, and the
// temporary files that a crash has left of it.
func removeAllBut(root *os.Root, jobID int32, keep string) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	var faults []error
	prefix := jobPrefix(jobID)
	for _, entry := range entries {
		name := entry.Name()
		mine := strings.HasPrefix(name, prefix) && name != keep
		if !mine && !(strings.HasPrefix(name, "."+prefix) && isStale(entry)) {
			continue
		}
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

func isStale(entry fs.DirEntry) bool {
	info, err := entry.Info()
	return err == nil && time.Since(info.ModTime()) > staleTemp
}
