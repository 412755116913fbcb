//go:build linux

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// lastLogID makes log ids that no two tests share.
var lastLogID atomic.Int64

// trigger returns a BEAN trigger with a log id of its own.
func trigger(jobID int32, handler, param string) wire.TriggerRequest {
	return wire.TriggerRequest{
		JobID: jobID, ExecutorHandler: wire.Str(handler), ExecutorParams: wire.Str(param),
		ExecutorBlockStrategy: wire.Str(wire.BlockSerial), GlueType: wire.Str(wire.GlueTypeBean),
		LogID: lastLogID.Add(1), LogDateTime: time.Now().UnixMilli(), BroadcastTotal: 1,
	}
}

// ledger keeps what was sent to executors and how it was answered. It is safe
// for concurrent use.
type ledger struct {
	marks string // file of the mark handler

	mu       sync.Mutex
	order    []wire.TriggerRequest
	sent     map[int64]*sent
	unknown  []wire.TriggerRequest // to be sent again
	accepted int
	refused  int
	repeated int // requests for a trigger that had been sent before
}

func newLedger(t *testing.T) *ledger {
	t.Helper()
	return &ledger{marks: t.TempDir() + "/marks", sent: make(map[int64]*sent)}
}

// send sends a trigger, for the first time or once more, and notes the answer.
func (l *ledger) send(c *client, t wire.TriggerRequest) (wire.Response, error) {
	res, err := c.run(t)
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sent[t.LogID]
	if s == nil {
		s = expectation(t)
		l.sent[t.LogID] = s
		l.order = append(l.order, t)
	} else {
		s.repeats++
		l.repeated++
	}
	switch {
	case err != nil:
		if !s.unknown && !s.accepted {
			l.unknown = append(l.unknown, t)
		}
		s.unknown = true
	case res.Code == wire.CodeSuccess:
		if !s.accepted {
			l.accepted++
		}
		s.accepted = true
	default:
		l.refused++
	}
	return res, err
}

// mustSend sends a trigger that must be accepted.
func (l *ledger) mustSend(t *testing.T, c *client, tr wire.TriggerRequest) wire.TriggerRequest {
	t.Helper()
	res, err := l.send(c, tr)
	require.NoError(t, err)
	require.Equal(t, wire.CodeSuccess, res.Code, "trigger refused: %s", res.Msg.String)
	return tr
}

// expectation returns what the handler of t reports if nothing interferes.
func expectation(t wire.TriggerRequest) *sent {
	s := &sent{logID: t.LogID, timed: t.ExecutorTimeout > 0, wantCode: wire.CodeSuccess}
	param := t.ExecutorParams.String
	switch t.ExecutorHandler.String {
	case "mark":
		s.marks, s.wantMsg = true, "marked"
	case "echo":
		s.wantMsg = param
	case "sleep":
		s.wantMsg = "slept"
	case "stubborn":
		s.wantMsg = "stubborn done"
	case "fail":
		s.wantCode, s.wantMsg = wire.CodeFail, param
	case "bigmsg":
		n, _ := strconv.Atoi(param) // written by a test
		s.wantMsg = wire.TruncateMessage(strings.Repeat("x", n), wire.MaxResultMessage)
	}
	return s
}

// earlier returns a trigger that was sent before, most likely a late one.
func (l *ledger) earlier(rng *rand.Rand) (wire.TriggerRequest, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.order)
	if n == 0 {
		return wire.TriggerRequest{}, false
	}
	if rng.IntN(2) == 0 {
		return l.order[n-1-rng.IntN(min(n, 20))], true
	}
	return l.order[rng.IntN(n)], true
}

// takeUnknown returns the triggers that got no answer, for sending them again
// as an admin does.
func (l *ledger) takeUnknown() []wire.TriggerRequest {
	l.mu.Lock()
	defer l.mu.Unlock()
	ts := l.unknown
	l.unknown = nil
	return ts
}

func (l *ledger) acceptedCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.accepted
}

// missing returns how many accepted triggers have no acknowledged result yet.
func (l *ledger) missing(admins ...*admin) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for id, s := range l.sent {
		if !s.accepted {
			continue
		}
		found := false
		for _, a := range admins {
			_, ok := a.result(id)
			found = found || ok
		}
		if !found {
			n++
		}
	}
	return n
}

// waitDelivered blocks until every accepted trigger has an acknowledged result.
func (l *ledger) waitDelivered(t *testing.T, limit time.Duration, admins ...*admin) {
	t.Helper()
	if !holds(limit, func() bool { return l.missing(admins...) == 0 }) {
		require.FailNow(t, "results are missing", "%d of %d accepted triggers have none after %v",
			l.missing(admins...), l.acceptedCount(), limit)
	}
}

// history returns all that was seen.
func (l *ledger) history(t *testing.T, admins ...*admin) history {
	t.Helper()
	var h history
	l.mu.Lock()
	for _, tr := range l.order {
		h.sent = append(h.sent, *l.sent[tr.LogID])
	}
	l.mu.Unlock()
	for _, a := range admins {
		h.results = append(h.results, a.deliveries()...)
	}
	text, err := os.ReadFile(l.marks)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	for line := range strings.Lines(string(text)) {
		id, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		require.NoError(t, err, "line of the marks file")
		h.marks = append(h.marks, id)
	}
	return h
}

// check fails the test with every breach of the promises.
func (l *ledger) check(t *testing.T, admins ...*admin) {
	t.Helper()
	breaches := check(l.history(t, admins...))
	for i, breach := range breaches {
		if i == 20 {
			t.Errorf("… and %d more", len(breaches)-i)
			break
		}
		t.Error(breach)
	}
}

// figures is one line about what was done.
func (l *ledger) figures(admins ...*admin) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	posts, deliveries := int64(0), 0
	for _, a := range admins {
		posts += a.posts.Load()
		deliveries += len(a.deliveries())
	}
	return fmt.Sprintf("%d triggers: %d accepted, %d refused, %d sent again; %d deliveries in %d posts",
		len(l.order), l.accepted, l.refused, l.repeated, deliveries, posts)
}
