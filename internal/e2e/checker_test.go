//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// sent is what is known from outside about one trigger.
type sent struct {
	logID    int64
	accepted bool // an answer said 200
	unknown  bool // a request got no answer
	repeats  int  // requests after the first
	marks    bool // its handler writes a mark
	timed    bool // it has an executorTimeout
	wantCode int32
	wantMsg  string
}

// history is what a test has seen of executors that were killed and restarted.
type history struct {
	sent    []sent
	marks   []int64 // log ids in the order of the fsynced file
	results []delivery
}

// What a result says if its run did not end by itself.
const (
	prefixNeverStarted = "executor was restarted before the run began"
	prefixCutOff       = "executor was stopped while the job was running"
)

// check returns every breach of E1, E2 and E3 in h:
//
//   - a trigger that was answered 200 has an acknowledged result;
//   - all deliveries of a result are the same, acknowledged or not;
//   - the result is what the handler returns, or says why it did not;
//   - what was refused, or never sent, has neither result nor mark;
//   - each trigger is marked at most once, and as its result says.
func check(h history) []string {
	c := checker{results: make(map[int64][]delivery), marks: make(map[int64]int)}
	for _, d := range h.results {
		c.results[d.item.LogID] = append(c.results[d.item.LogID], d)
	}
	for _, id := range h.marks {
		c.marks[id]++
	}
	known := make(map[int64]bool, len(h.sent))
	for _, s := range h.sent {
		known[s.logID] = true
		c.checkTrigger(s)
	}
	for id := range c.results {
		if !known[id] {
			c.breach("result for trigger %d, which was never sent", id)
		}
	}
	for id := range c.marks {
		if !known[id] {
			c.breach("mark of trigger %d, which was never sent", id)
		}
	}
	slices.Sort(c.breaches)
	return c.breaches
}

type checker struct {
	results  map[int64][]delivery
	marks    map[int64]int
	breaches []string
}

func (c *checker) breach(format string, args ...any) {
	c.breaches = append(c.breaches, fmt.Sprintf(format, args...))
}

func (c *checker) checkTrigger(s sent) {
	results, marks := c.results[s.logID], c.marks[s.logID]
	acked := slices.ContainsFunc(results, func(d delivery) bool { return d.acked })
	switch {
	case s.accepted && !acked:
		c.breach("trigger %d was accepted and has no acknowledged result (%d unacknowledged)", s.logID, len(results))
	case !s.accepted && !s.unknown && len(results) > 0:
		c.breach("trigger %d was refused and has a result: %s", s.logID, describe(results[0].item))
	case !s.accepted && !s.unknown && marks > 0:
		c.breach("trigger %d was refused and ran", s.logID)
	}
	if marks > 1 {
		c.breach("trigger %d ran %d times", s.logID, marks)
	}
	for i, d := range results {
		if i > 0 && d.item != results[0].item {
			c.breach("trigger %d has two results: %s, then %s", s.logID, describe(results[0].item), describe(d.item))
			return
		}
	}
	if len(results) > 0 {
		c.checkResult(s, results[0].item, marks)
	}
}

func (c *checker) checkResult(s sent, item wire.CallbackItem, marks int) {
	msg := item.Msg.String
	own := item.Code == s.wantCode && msg == s.wantMsg
	notBegun := item.Code == wire.CodeFail &&
		(strings.HasPrefix(msg, prefixNeverStarted) || strings.HasSuffix(msg, wire.SuffixQueued))
	cutOff := item.Code == wire.CodeFail &&
		(strings.HasPrefix(msg, prefixCutOff) || strings.HasSuffix(msg, wire.SuffixRunning))
	timedOut := s.timed && item.Code == wire.CodeTimeout && msg == wire.TextTimeout
	switch {
	case !own && !notBegun && !cutOff && !timedOut:
		c.breach("trigger %d has a result that is neither its handler's nor a reason: %s", s.logID, describe(item))
	case own && s.marks && marks == 0:
		c.breach("trigger %d is reported as run and left no mark", s.logID)
	case notBegun && marks > 0:
		c.breach("trigger %d is reported as not begun and ran: %s", s.logID, describe(item))
	}
}

func describe(item wire.CallbackItem) string {
	msg := item.Msg.String
	if len(msg) > 120 {
		msg = msg[:120] + "…"
	}
	return fmt.Sprintf("%d %q", item.Code, msg)
}
