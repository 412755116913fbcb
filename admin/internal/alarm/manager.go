package alarm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Errors of the Manager.
var (
	ErrUnknownChannel = errors.New("no alarm channel has this name")
	ErrStarted        = errors.New("the alarm manager runs, or has run")
)

// Manager sends alarms. New makes one, Run makes it work. All methods are safe
// for concurrent use.
type Manager struct {
	cfg    Config
	lanes  []*lane
	marker *marker

	started   atomic.Bool
	failing   atomic.Int64 // len(memory.episodes), for a look without the lock
	collapsed atomic.Int64

	mu     sync.Mutex
	memory *memory
	closed bool // the queues of the lanes are closed
}

// New returns a Manager for the configuration, or an error that names every
// fault in it. It connects to nothing and starts nothing; alarms wait in their
// queues until Run is called.
func New(cfg Config) (*Manager, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("alarm: invalid config: %w", err)
	}
	m := &Manager{cfg: cfg, memory: newMemory(cfg.Window)}
	m.marker = newMarker(&m.cfg)
	for _, ch := range cfg.Channels {
		l, err := newLane(ch, &m.cfg)
		if err != nil {
			return nil, fmt.Errorf("alarm: channel %q: %w", ch.Name, err)
		}
		m.lanes = append(m.lanes, l)
	}
	return m, nil
}

// Notify takes the alarm of a failed run: it is sent through every channel that
// is for the job, or counted when the same failure was sent within the window.
// It never blocks. What finds a full queue, or comes after the end of Run, is
// dropped and counted. An alarm without a job is ignored.
func (m *Manager) Notify(a Alarm) {
	if a.Job == nil {
		return
	}
	c := a.compact()
	c.reason = m.cfg.reason(&a) // what is cut may be the line that says it
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return // the row stays as it is, for the sweep of the next start
	}
	if m.cfg.Muted(c.Job.GroupID, c.Job.ID) {
		m.marker.put(c.LogID, model.AlarmNone)
		return
	}
	tell := m.memory.failed(c, time.Now())
	m.failing.Store(int64(len(m.memory.episodes)))
	if !tell {
		m.collapsed.Add(1)
		m.marker.put(c.LogID, model.AlarmSent)
		return
	}
	m.tellLocked(c, c.LogID)
}

// Recovered says that a run of the job went well. When a failure of the job was
// sent before, that makes a recovery notice. It never blocks, and costs next to
// nothing while no job fails.
func (m *Manager) Recovered(jobID int32) {
	if m.failing.Load() == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	notice := m.memory.recovered(jobID, time.Now())
	m.failing.Store(int64(len(m.memory.episodes)))
	if notice != nil {
		m.tellLocked(notice, 0)
	}
}

// Tell sends an alarm of a rule, or that the rule holds again. Nothing of it is
// collapsed or muted: that is for whoever calls it. It never blocks; an alarm
// without a job is ignored.
func (m *Manager) Tell(a Alarm) {
	if a.Job == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.tellLocked(a.compact(), 0)
	}
}

// tellLocked queues an alarm in the lanes that are for it. logID is the row to
// mark afterwards; 0 is none.
func (m *Manager) tellLocked(a *Alarm, logID int64) {
	var lanes []*lane
	for _, l := range m.lanes {
		if l.takes(a) {
			lanes = append(lanes, l)
		}
	}
	if len(lanes) == 0 {
		m.marker.put(logID, model.AlarmNone)
		return
	}
	t := &tally{logID: logID, marker: m.marker}
	t.pending.Store(int32(len(lanes)))
	now := time.Now()
	for _, l := range lanes {
		l.offer(&delivery{alarm: a, queued: now, tally: t})
	}
}

// Run sends alarms until ctx ends. Then it takes no more, goes on sending what
// waits for at most Config.DrainLimit, without waiting for rates and without
// repeating, stores what became of all of them, and returns nil. A second call
// returns ErrStarted.
func (m *Manager) Run(ctx context.Context) error {
	if !m.started.CompareAndSwap(false, true) {
		return ErrStarted
	}
	outlives := context.WithoutCancel(ctx)
	sending, stopSending := context.WithCancel(outlives)
	defer stopSending()
	marking, stopMarking := context.WithCancel(outlives)
	defer stopMarking()

	stopping := make(chan struct{})
	var lanes, marks sync.WaitGroup
	for _, l := range m.lanes {
		lanes.Go(func() { l.run(sending, stopping) })
	}
	marks.Go(func() { m.marker.run(marking) })

	m.watch(ctx)

	m.close()
	close(stopping)
	limit := time.AfterFunc(m.cfg.DrainLimit, stopSending)
	lanes.Wait()
	limit.Stop()
	stopMarking()
	marks.Wait()
	return nil
}

// watch sends the counts of windows that end, until ctx ends.
func (m *Manager) watch(ctx context.Context) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			m.endWindows(now)
		case <-ctx.Done():
			return
		}
	}
}

func (m *Manager) endWindows(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, summary := range m.memory.due(now) {
		if m.cfg.Muted(summary.Job.GroupID, summary.Job.ID) {
			continue
		}
		m.tellLocked(summary, 0)
	}
	m.failing.Store(int64(len(m.memory.episodes)))
}

func (m *Manager) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	for _, l := range m.lanes {
		close(l.queue)
	}
}

// Test sends a test message through the named channel and blocks until the
// service has it, at most Config.SendTimeout. It returns ErrUnknownChannel, or
// what went wrong. It obeys no rate, and needs no Run. A mail channel without
// addresses of its own mails to its sender.
func (m *Manager) Test(ctx context.Context, channel string) error {
	for _, l := range m.lanes {
		if l.channel.Name != channel {
			continue
		}
		a := (&Alarm{Kind: Test}).compact()
		err := l.attempt(ctx, newMessage(a, 0, &m.cfg))
		m.cfg.Delivered(a, channel, err)
		if err != nil {
			return fmt.Errorf("alarm channel %q: %w", channel, err)
		}
		return nil
	}
	return fmt.Errorf("alarm channel %q: %w", channel, ErrUnknownChannel)
}

// ChannelStats are the numbers of one channel since the start.
type ChannelStats struct {
	Name                  string
	Type                  Type
	Queued                int   // alarms that wait now
	Sent, Failed, Dropped int64 // alarms; Dropped found no room, or waited too long
	LastSent              time.Time
	LastError             string  // of the last failure, without secrets; "" is none
	Trying                *Trying // nil: nothing is being sent
}

// Trying is how far the message is that a channel sends now.
type Trying struct {
	Attempt, Attempts int       // the attempt that runs, or comes next, and how many there are at most
	Next              time.Time // of the attempt; zero: it runs
	Error             string    // of the one before, without secrets; "" is none
}

// Stats are the numbers of a Manager since its start.
type Stats struct {
	Channels  []ChannelStats // in the order of the configuration
	Collapsed int64          // failures that were counted instead of sent at once
	Failing   int            // jobs of which people know that they fail
	Unmarked  int64          // rows whose status could not be stored
}

// Stats returns the numbers as they are now.
func (m *Manager) Stats() Stats {
	s := Stats{
		Collapsed: m.collapsed.Load(), Failing: int(m.failing.Load()), Unmarked: m.marker.unmarked.Load(),
	}
	for _, l := range m.lanes {
		c := ChannelStats{
			Name: l.channel.Name, Type: l.channel.Type, Queued: len(l.queue),
			Sent: l.sent.Load(), Failed: l.failed.Load(), Dropped: l.dropped.Load(),
			Trying: l.trying.Load(),
		}
		if at := l.lastSent.Load(); at != nil {
			c.LastSent = *at
		}
		if text := l.lastError.Load(); text != nil {
			c.LastError = *text
		}
		s.Channels = append(s.Channels, c)
	}
	return s
}
