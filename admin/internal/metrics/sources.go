package metrics

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// The bounds of a scrape.
const (
	maxLanes  = 200
	openLimit = 2 * time.Second // for counting the open runs
	openAge   = 5 * time.Second // how old the count may be
	otherLane = "other"
)

// Lane is how the lane of an executor's address stands.
type Lane struct {
	Address  string
	Depth    int // triggers that wait
	InFlight int // requests without an answer yet
	Conns    int // open connections
	Dead     bool
}

// Loop is how a supervised loop is.
type Loop struct {
	Name string
	Last time.Time // when it last did its work
	Late bool
}

// Sources are asked at each scrape. Every function may be nil: its series are
// then absent. They are called one at a time, and must not block for long.
type Sources struct {
	OpenRuns func(ctx context.Context) (int64, error) // counted at most every 5 s, for 2 s
	Lanes    func() []Lane
	Loops    func() []Loop
	Restarts func() int // of loops, since the start
	Shards   func() (owned, total int)
	Waiting  func() map[string]int   // what waits in the queues of the admin, by queue
	Deleted  func() map[string]int64 // rows deleted by retention since the start, by table
	// InsecureTokens counts the tokens of executors that everybody knows.
	InsecureTokens func() int
	// Unknown counts the app names of executors that no group has.
	Unknown func() int
}

// Watch begins to ask the sources. It may be called once.
func (m *Metrics) Watch(s Sources) { m.registry.MustRegister(&sources{Sources: s}) }

// sources collects the states. Its mutex makes scrapes take turns.
type sources struct {
	Sources

	mu      sync.Mutex
	open    int64
	known   bool      // open is the number of a count that worked
	counted time.Time // when open was asked for
}

// The series of the sources.
var (
	openDesc     = describe("runs_open", "Runs that were recorded and have not ended.")
	depthDesc    = describe("lane_depth", "Triggers that wait for an executor, by address.", "address")
	flightDesc   = describe("lane_in_flight", "Triggers sent to an executor and not answered, by address.", "address")
	connsDesc    = describe("lane_connections", "Open connections to an executor, by address.", "address")
	deadDesc     = describe("lane_dead", "1 if the last call to the executor got no answer, by address.", "address")
	lanesDesc    = describe("lanes", "Addresses of executors to which there is a lane.")
	tickDesc     = describe("loop_last_tick_seconds", "When a loop last did its work, in Unix time.", "loop")
	tardyDesc    = describe("loop_late", "1 if a loop has not done its work in time.", "loop")
	restartsDesc = describe("loop_restarts_total", "Loops that ended before their time and were started again.")
	ownedDesc    = describe("lease_shards_owned", "Scheduling shards that this node holds.")
	totalDesc    = describe("lease_shards", "Scheduling shards of the installation.")
	waitingDesc  = describe("queue_depth", "What waits inside of the admin, by queue.", "queue")
	insecureDesc = describe("insecure_tokens", "Access tokens of executors that are empty or the public default.")
	unknownDesc  = describe("unknown_apps", "App names that executors register under and that no group has.")
	deletedDesc  = describe("retention_deleted_total", "Rows deleted because they were old, by table.", "table")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
}

// Describe implements prometheus.Collector. It describes nothing, which makes
// the collector unchecked: the series depend on the sources that there are.
func (s *sources) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector. It runs in a goroutine of the
// registry, so that a panic of a source would end the whole program: it is an
// error of the scrape instead.
func (s *sources) Collect(out chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if value := recover(); value != nil {
			out <- prometheus.NewInvalidMetric(openDesc, fmt.Errorf("panic of a source: %v", value))
		}
	}()
	s.collectOpen(out)
	s.collectLanes(out)
	s.collectLoops(out)
	if s.Shards != nil {
		owned, total := s.Shards()
		out <- gauge(ownedDesc, float64(owned))
		out <- gauge(totalDesc, float64(total))
	}
	if s.Waiting != nil {
		for queue, n := range s.Waiting() {
			out <- gauge(waitingDesc, float64(n), label(queue))
		}
	}
	if s.InsecureTokens != nil {
		out <- gauge(insecureDesc, float64(s.InsecureTokens()))
	}
	if s.Unknown != nil {
		out <- gauge(unknownDesc, float64(s.Unknown()))
	}
	if s.Deleted != nil {
		for table, n := range s.Deleted() {
			out <- total(deletedDesc, float64(n), label(table))
		}
	}
}

func gauge(d *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

func total(d *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.CounterValue, value, labels...)
}

// collectOpen counts the open runs, unless that was done just now. While it
// cannot be done there is no series, which an alert can ask for.
func (s *sources) collectOpen(out chan<- prometheus.Metric) {
	if s.OpenRuns == nil {
		return
	}
	if now := time.Now(); s.counted.IsZero() || now.Sub(s.counted) >= openAge {
		ctx, cancel := context.WithTimeout(context.Background(), openLimit)
		defer cancel()
		n, err := s.OpenRuns(ctx)
		s.open, s.known, s.counted = n, err == nil, now
	}
	if s.known {
		out <- gauge(openDesc, float64(s.open))
	}
}

// collectLanes shows the busiest lanes one by one and the others as one.
func (s *sources) collectLanes(out chan<- prometheus.Metric) {
	if s.Lanes == nil {
		return
	}
	lanes := merged(s.Lanes())
	out <- gauge(lanesDesc, float64(len(lanes)))
	slices.SortFunc(lanes, func(a, b Lane) int {
		if busy := (b.Depth + b.InFlight) - (a.Depth + a.InFlight); busy != 0 {
			return busy
		}
		if a.Address < b.Address {
			return -1
		}
		return 1
	})
	if len(lanes) > maxLanes {
		rest := Lane{Address: otherLane}
		for _, l := range lanes[maxLanes:] {
			rest.Depth += l.Depth
			rest.InFlight += l.InFlight
			rest.Conns += l.Conns
		}
		lanes = append(lanes[:maxLanes:maxLanes], rest)
	}
	for _, l := range lanes {
		out <- gauge(depthDesc, float64(l.Depth), l.Address)
		out <- gauge(flightDesc, float64(l.InFlight), l.Address)
		out <- gauge(connsDesc, float64(l.Conns), l.Address)
		if l.Address != otherLane {
			out <- gauge(deadDesc, flag(l.Dead), l.Address)
		}
	}
}

// merged gives every lane an address that is fit for a label, and adds up those
// whose addresses then are the same: a series must not come twice.
func merged(lanes []Lane) []Lane {
	at := make(map[string]int, len(lanes))
	list := make([]Lane, 0, len(lanes))
	for _, l := range lanes {
		l.Address = addressLabel(l.Address)
		i, found := at[l.Address]
		if !found {
			at[l.Address] = len(list)
			list = append(list, l)
			continue
		}
		list[i].Depth += l.Depth
		list[i].InFlight += l.InFlight
		list[i].Conns += l.Conns
		list[i].Dead = list[i].Dead && l.Dead
	}
	return list
}

func (s *sources) collectLoops(out chan<- prometheus.Metric) {
	if s.Restarts != nil {
		out <- total(restartsDesc, float64(s.Restarts()))
	}
	if s.Loops == nil {
		return
	}
	for _, l := range s.Loops() {
		name := label(l.Name)
		out <- gauge(tickDesc, float64(l.Last.UnixMilli())/1000, name)
		out <- gauge(tardyDesc, flag(l.Late), name)
	}
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
