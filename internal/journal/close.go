package journal

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Flush blocks until everything recorded so far is written and synced, or ctx
// is done. Its error says that the disk refuses.
func (j *Journal) Flush(ctx context.Context) error {
	done := make(chan error, 1)
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return ErrClosed
	}
	j.flushes = append(j.flushes, done)
	j.unlockAndWake()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// closeWait bounds how long Close waits for a disk that hangs.
const closeWait = 10 * time.Second

// Close writes and syncs what is pending, and gives the folder up. It may be
// called again, also concurrently, and then returns the same error. On a disk
// that hangs it gives up after 10 s; the lock then ends with the process.
func (j *Journal) Close() error {
	j.closeOnce.Do(func() { j.closeErr = j.shut() })
	return j.closeErr
}

func (j *Journal) shut() error {
	flushed := make(chan error, 1)
	j.mu.Lock()
	j.closed = true
	j.flushes = append(j.flushes, flushed)
	j.mu.Unlock()
	close(j.quit)
	signal(j.wake)

	hung := time.NewTimer(closeWait)
	defer hung.Stop()
	select {
	case <-j.ended:
	case <-hung.C:
		return fmt.Errorf("journal: close %s: the disk does not answer since %v", j.cfg.Dir, closeWait)
	}
	j.tasks.Wait()
	err := <-flushed
	for _, s := range j.segs {
		if s.file != nil {
			s.trim()
			err = errors.Join(err, s.file.Close())
		}
	}
	return errors.Join(err, j.lock.release())
}
