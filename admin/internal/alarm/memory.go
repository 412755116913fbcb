package alarm

import (
	"slices"
	"time"
)

// The bounds of what is remembered of jobs.
const (
	maxWindows  = 4096
	maxEpisodes = 4096
	keptMessage = 512 // bytes of each message of a failure that waits in a window
)

// memory decides which failures are told. It is not safe for concurrent use.
type memory struct {
	length   time.Duration // of a window; negative: every failure is told
	windows  map[windowKey]*window
	queue    []*window // by the end of the window: all are equally long
	episodes map[int32]*episode
}

// windowKey is what makes two failures alike.
type windowKey struct {
	job  int32
	kind Kind
	code int32
}

// window counts the failures that follow one that was told.
type window struct {
	key   windowKey
	ends  time.Time
	count int
	since time.Time
	last  *Alarm // nil while count is 0
}

// episode is a job that fails, and of which people were told.
type episode struct {
	first   *Alarm
	count   int
	last    time.Time
	windows []*window
}

func newMemory(length time.Duration) *memory {
	return &memory{
		length: length, windows: make(map[windowKey]*window), episodes: make(map[int32]*episode),
	}
}

// failed notes a failure and reports whether it is to be told now. Those that
// are not come back from due.
func (m *memory) failed(a *Alarm, now time.Time) bool {
	known := m.episodes[a.Job.ID]
	if known != nil {
		known.count++
		known.last = now
	}
	key := windowKey{job: a.Job.ID, kind: a.Kind, code: a.Code()}
	if w := m.windows[key]; w != nil {
		if w.count == 0 {
			w.since = a.At
		}
		w.count++
		w.last = reduced(a)
		return false
	}
	var opened *window
	if m.length > 0 && len(m.windows) < maxWindows {
		opened = &window{key: key, ends: now.Add(m.length)}
		m.windows[key] = opened
		m.queue = append(m.queue, opened)
	}
	m.told(a, a.Count, opened, now)
	return true
}

// told notes that people hear of a job that fails.
func (m *memory) told(a *Alarm, count int, w *window, now time.Time) {
	known := m.episodes[a.Job.ID]
	if known == nil {
		if len(m.episodes) >= maxEpisodes {
			m.forgetOldest()
		}
		known = &episode{first: reduced(a), count: count}
		m.episodes[a.Job.ID] = known
	}
	known.last = now
	if w != nil && !slices.Contains(known.windows, w) {
		known.windows = append(known.windows, w)
	}
}

// due ends the windows whose time has come and returns one alarm for each in
// which something was counted. Those windows begin anew.
func (m *memory) due(now time.Time) []*Alarm {
	var list []*Alarm
	for len(m.queue) > 0 && !m.queue[0].ends.After(now) {
		w := m.queue[0]
		m.queue = m.queue[1:]
		if w.count == 0 {
			delete(m.windows, w.key)
			m.leave(w)
			continue
		}
		summary := *w.last
		summary.Count, summary.Since = w.count, w.since
		list = append(list, &summary)
		w.count, w.last, w.ends = 0, nil, now.Add(m.length)
		m.queue = append(m.queue, w)
		m.told(&summary, summary.Count, w, now)
	}
	return list
}

// leave takes a window that has ended out of its job's episode.
func (m *memory) leave(w *window) {
	if known := m.episodes[w.key.job]; known != nil {
		known.windows = slices.DeleteFunc(known.windows, func(other *window) bool { return other == w })
	}
}

// recovered returns the notice that a job runs again, or nil when nobody was
// told that it fails. Failures that were counted and not told are in the notice.
func (m *memory) recovered(jobID int32, now time.Time) *Alarm {
	known := m.episodes[jobID]
	if known == nil {
		return nil
	}
	delete(m.episodes, jobID)
	for _, w := range known.windows {
		w.count, w.last = 0, nil
	}
	return &Alarm{
		Kind: Recovered, Job: known.first.Job, Group: known.first.Group,
		At: now, Since: sinceOf(known.first), Count: known.count,
	}
}

// forgetOldest makes room: the job that has not failed for longest.
func (m *memory) forgetOldest() {
	var oldest int32
	var at time.Time
	for id, known := range m.episodes {
		if at.IsZero() || known.last.Before(at) {
			oldest, at = id, known.last
		}
	}
	delete(m.episodes, oldest)
}

func sinceOf(a *Alarm) time.Time {
	if !a.Since.IsZero() {
		return a.Since
	}
	return a.At
}

// reduced returns a copy that may be kept for long.
func reduced(a *Alarm) *Alarm {
	kept := *a
	kept.TriggerMsg, kept.HandleMsg = cut(a.TriggerMsg, keptMessage), cut(a.HandleMsg, keptMessage)
	return &kept
}
