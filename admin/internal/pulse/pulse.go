// Package pulse remembers what one node of the admin did within the last hour,
// minute by minute: how late it sent what it had planned, and how runs ended. It
// is for people who look at the overview; Prometheus is told by package metrics.
//
// Noting something is a few atomic additions, and what is kept does not grow.
package pulse

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Minutes is how many minutes are remembered, the present one included.
const Minutes = 60

const (
	steps     = 96                     // of lateness, four to a doubling
	firstStep = 100 * time.Microsecond // what is less late counts as this
	perDouble = 4
)

// Minute is what happened within a minute.
type Minute struct {
	Start                     time.Time
	OK, Failed, Timeout, Lost int64 // runs that ended; Failed are those that no executor took too
	sent                      [steps]int64
}

// slot is a minute while it is written.
type slot struct {
	minute                    atomic.Int64 // since 1970
	ok, failed, timeout, lost atomic.Int64
	sent                      [steps]atomic.Int64
}

// Pulse is the memory of one node. All methods are safe for concurrent use and
// do not block.
type Pulse struct {
	now   func() time.Time
	since time.Time
	mu    sync.Mutex // of those who begin a minute
	slots [Minutes]slot
}

// New returns a Pulse that knows nothing yet. now is the clock; nil is time.Now.
func New(now func() time.Time) *Pulse {
	if now == nil {
		now = time.Now
	}
	return &Pulse{now: now, since: now()}
}

// Since is when the Pulse was made.
func (p *Pulse) Since() time.Time { return p.since }

// Sent notes that a planned trigger was sent, late after its instant.
func (p *Pulse) Sent(late time.Duration) { p.slot().sent[stepOf(late)].Add(1) }

// Ended notes how a run ended. One that a person ended, or that was replaced or not
// run as its job wants, says nothing of how jobs do, and does not count.
func (p *Pulse) Ended(kind model.EndKind) {
	s := p.slot()
	switch kind {
	case model.EndOK:
		s.ok.Add(1)
	case model.EndFailed, model.EndUnsent:
		s.failed.Add(1)
	case model.EndTimeout:
		s.timeout.Add(1)
	case model.EndLost:
		s.lost.Add(1)
	case model.EndOpen, model.EndKilled, model.EndSkipped, model.EndReplaced:
	}
}

// slot is that of the present minute. What is noted while a minute begins may
// count for the one before.
func (p *Pulse) slot() *slot {
	minute := p.now().Unix() / 60
	s := &p.slots[index(minute)]
	if s.minute.Load() == minute {
		return s
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.minute.Load() < minute { // not for a clock that was set back
		s.ok.Store(0)
		s.failed.Store(0)
		s.timeout.Store(0)
		s.lost.Store(0)
		for i := range s.sent {
			s.sent[i].Store(0)
		}
		s.minute.Store(minute)
	}
	return s
}

func index(minute int64) int64 { return ((minute % Minutes) + Minutes) % Minutes }

// stepOf is the step that a lateness falls into.
func stepOf(late time.Duration) int {
	if late <= firstStep {
		return 0
	}
	return min(int(math.Ceil(perDouble*math.Log2(float64(late)/float64(firstStep)))), steps-1)
}

// most is the greatest lateness of a step.
func most(step int) time.Duration {
	return time.Duration(float64(firstStep) * math.Exp2(float64(step)/perDouble))
}

// Last returns the last n minutes, at most Minutes, the oldest first and the
// present one last.
func (p *Pulse) Last(n int) []Minute {
	present := p.now().Unix() / 60
	list := make([]Minute, min(max(n, 0), Minutes))
	for i := range list {
		minute := present - int64(len(list)-1-i)
		m := &list[i]
		m.Start = time.Unix(minute*60, 0)
		s := &p.slots[index(minute)]
		if s.minute.Load() != minute {
			continue
		}
		m.OK, m.Failed, m.Timeout, m.Lost = s.ok.Load(), s.failed.Load(), s.timeout.Load(), s.lost.Load()
		for step := range m.sent {
			m.sent[step] = s.sent[step].Load()
		}
	}
	return list
}

// Lateness is how late triggers were sent.
type Lateness struct {
	Sent     int64
	P50, P99 time.Duration // not more than a fifth too high; 0 when nothing was sent
	Late     int64         // those that were later than the limit
}

// LatenessOf adds minutes up. limit is what is late.
func LatenessOf(minutes []Minute, limit time.Duration) Lateness {
	var sum [steps]int64
	var l Lateness
	for i := range minutes {
		for step, n := range minutes[i].sent {
			sum[step] += n
			l.Sent += n
			if step > stepOf(limit) {
				l.Late += n
			}
		}
	}
	l.P50, l.P99 = rank(sum, l.Sent, 50), rank(sum, l.Sent, 99)
	return l
}

// rank is the percentile by the nearest rank.
func rank(sum [steps]int64, total, percent int64) time.Duration {
	if total == 0 {
		return 0
	}
	want := max((total*percent+99)/100, 1)
	for step, n := range sum {
		if want -= n; want <= 0 {
			return most(step)
		}
	}
	return most(steps - 1)
}
