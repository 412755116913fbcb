package execclient

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// faultsKept is how many reasons are remembered of an address.
const faultsKept = 5

// faults are the last calls of an address without a proper answer. All that
// end one after the other for the same reason are one entry, so that a burst to a
// dead address is one.
type faults struct {
	mu   sync.Mutex
	last []model.AddressFault // oldest first
}

// note keeps why a call got no proper answer, unless that says nothing of the
// executor.
func (l *lane) note(call *Call, err error) {
	if errors.Is(err, ErrClosed) || errors.Is(err, ErrFenced) || errors.Is(err, context.Canceled) {
		return
	}
	l.faults.add(call.pathIn(call.form), reason(err), time.Now())
}

func (f *faults) add(path, text string, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.last); n > 0 && f.last[n-1].Text == text {
		last := &f.last[n-1]
		last.Last, last.Path = now, path
		last.Count++
		return
	}
	if len(f.last) == faultsKept {
		f.last = slices.Delete(f.last, 0, 1)
	}
	f.last = append(f.last, model.AddressFault{First: now, Last: now, Count: 1, Path: path, Text: text})
}

// list returns them, newest first.
func (f *faults) list() []model.AddressFault {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := slices.Clone(f.last)
	slices.Reverse(list)
	return list
}
