//go:build linux

package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// load is a row of triggers that differ only in job id, log id and time.
type load struct {
	handler string
	param   string
	jobs    int    // job ids 1 to jobs, in turns
	refusal string // what a refusal must say; empty: none may come
	book    *ledger
	from    int // index in book of the first trigger
	count   int
	wave    int // triggers that are sent before their results are awaited; 0: all
}

// send sends the triggers over conns connections, each as fast as answers come,
// and returns how long that took. The error is the first wrong answer: one
// that could not be read, or a refusal without the text that l.refusal asks
// for. Triggers without an answer are only counted, in the book.
func (c *client) send(l load, conns int) (time.Duration, error) {
	var (
		next  atomic.Int64
		group sync.WaitGroup
		errs  = make([]error, conns)
		begin = time.Now()
	)
	for w := range conns {
		group.Go(func() {
			s := sender{load: l, conn: conn{addr: c.addr}}
			defer s.close()
			for {
				i := int(next.Add(1) - 1)
				if i >= l.count {
					break
				}
				if err := s.trigger(l.from + i); err != nil && errs[w] == nil {
					errs[w] = err
				}
			}
		})
	}
	group.Wait()
	took := time.Since(begin)
	for _, err := range errs {
		if err != nil {
			return took, err
		}
	}
	return took, nil
}

// sender is one connection's worth of load, with its own buffers.
type sender struct {
	load
	conn

	body []byte
}

// trigger sends one trigger and settles it in the book.
func (s *sender) trigger(i int) error {
	now := time.Now()
	tr := wire.TriggerRequest{
		JobID:                 1 + int32(i%s.jobs),
		ExecutorHandler:       wire.Str(s.handler),
		ExecutorParams:        wire.Str(s.param),
		ExecutorBlockStrategy: wire.Str(wire.BlockSerial),
		LogID:                 s.book.base + int64(i),
		LogDateTime:           now.UnixMilli(),
		GlueType:              wire.Str(wire.GlueTypeBean),
		GlueSource:            wire.Str(""),
		GlueUpdateTime:        1541254891000,
		BroadcastTotal:        1,
	}
	s.body = tr.Append(s.body[:0])
	s.book.send(i, now)
	raw, err := s.exchange(wire.PathRun, s.body)
	if err != nil {
		s.book.settle(i, failed, time.Now())
		return nil //nolint:nilerr // the book has it
	}
	res, err := wire.DecodeResponse(raw)
	a := accepted
	if err != nil || res.Code != wire.CodeSuccess {
		a = refused
	}
	s.book.settle(i, a, time.Now())
	switch {
	case err != nil:
		return fmt.Errorf("answer to a trigger: %w", err)
	case a == refused && s.refusal == "":
		return errors.New("a trigger was refused: " + res.Msg.Or("null"))
	case a == refused && !strings.Contains(res.Msg.String, s.refusal):
		return fmt.Errorf("a refusal does not say %q: %s", s.refusal, res.Msg.Or("null"))
	}
	return nil
}
