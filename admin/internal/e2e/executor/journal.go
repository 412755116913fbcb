package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/xxljob-go/xxljob/internal/lifecycle"
)

// entry is a line of the journal: what, when, at which executor, of which run.
type entry struct {
	kind    byte // 'R' a trigger arrived, 'S' a handler began, 'E' it ended
	at      time.Time
	port    string
	job     int
	logID   int64
	trigger int64 // logDateTime, Unix milliseconds
	shard   int
}

// append adds the line to dst.
func (e entry) append(dst []byte) []byte {
	return fmt.Appendf(dst, "%c %d %s %d %d %d %d\n",
		e.kind, e.at.UnixNano(), e.port, e.job, e.logID, e.trigger, e.shard)
}

// errJournalClosed is returned for entries that come after the end.
var errJournalClosed = errors.New("the journal is closed")

// journal appends entries to a file. Those that come together share a sync.
type journal struct {
	file  *os.File
	in    chan waiting
	group *lifecycle.Group
	ended chan struct{}
}

// waiting is an entry whose writer waits until it is on disk.
type waiting struct {
	entry entry
	done  chan error // with room for one
}

// batchMax bounds the entries of one sync.
const batchMax = 1024

func openJournal(ctx context.Context, path string) (*journal, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteString("\n"); err != nil { // a kill may have cut the last line
		return nil, errors.Join(err, file.Close())
	}
	j := &journal{
		file: file, in: make(chan waiting, batchMax), group: lifecycle.NewGroup(context.WithoutCancel(ctx)),
		ended: make(chan struct{}),
	}
	j.group.Go(j.run)
	return j, nil
}

// write returns when the entry is on disk.
func (j *journal) write(e entry) error {
	w := waiting{entry: e, done: make(chan error, 1)}
	select {
	case j.in <- w:
	case <-j.ended:
		return errJournalClosed
	}
	select {
	case err := <-w.done:
		return err
	case <-j.ended:
		return errJournalClosed
	}
}

func (j *journal) run(ctx context.Context) {
	defer close(j.ended)
	for {
		var batch []waiting
		select {
		case w := <-j.in:
			batch = append(batch, w)
		case <-ctx.Done():
			return
		}
		for more := true; more && len(batch) < batchMax; {
			select {
			case w := <-j.in:
				batch = append(batch, w)
			default:
				more = false
			}
		}
		err := j.append(batch)
		for _, w := range batch {
			w.done <- err
		}
	}
}

func (j *journal) append(batch []waiting) error {
	var lines []byte
	for _, w := range batch {
		lines = w.entry.append(lines)
	}
	if _, err := j.file.Write(lines); err != nil {
		return err
	}
	return j.file.Sync()
}

func (j *journal) close() error {
	j.group.Stop(errJournalClosed)
	return j.file.Close()
}
