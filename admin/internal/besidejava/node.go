package besidejava

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/internal/lifecycle"
)

// Release says in what a release of the Java admin differs.
type Release struct {
	Name string
	// OneTransaction holds lock, query and updates in one transaction, and writes
	// the updates of up to 100 jobs as one (3.4.0). Before, the lock has a
	// connection of its own, and each update commits by itself.
	OneTransaction bool
	// EqualIsLate fires a job at once that is due this very millisecond (3.4.0).
	EqualIsLate bool
	// LookBack is how many slots before the present one the ring gives out.
	LookBack int
}

// Releases returns the two ways in which Java admins write: up to 3.2.0, and
// from 3.4.0 on.
func Releases() []Release {
	return []Release{
		{Name: "2.5.0", LookBack: 1},
		{Name: "3.4.2", OneTransaction: true, EqualIsLate: true, LookBack: 2},
	}
}

// Pace is how often the monitors look, and how old a run is that is lost.
type Pace struct {
	Fail, Lost, Registry, Report time.Duration
	LostAfter                    time.Duration
}

// JavaPace is that of the Java admin.
func JavaPace() Pace {
	return Pace{
		Fail: 10 * time.Second, Lost: time.Minute, Registry: 30 * time.Second, Report: time.Minute,
		LostAfter: 10 * time.Minute,
	}
}

// Limits of the Java admin.
const (
	preRead      = 5 * time.Second
	preReadCount = 5000
	batchSize    = 100
	ringSlots    = 60
	poolThreads  = 10
	poolQueue    = 2000
	callTimeout  = 3 * time.Second
	deadAfter    = 90 * time.Second
	failLimit    = 1000
)

// Config describes a Node. All fields are required.
type Config struct {
	DB      *sql.DB // of MariaDB or MySQL, with the schema of a release before 3.5
	Release Release
	Pace    Pace
	Token   string
	Logger  *slog.Logger
}

// Counts is what a Node did.
type Counts struct {
	Passes, Fired, Retried, Results, Repeats, Lost int64
	// LongestLock is the longest wait for schedule_lock.
	LongestLock time.Duration
	// Skipped are instants that a late job lost, by design of the Java admin.
	Skipped map[Instant]bool
	// Errors are faults of statements, each of which a Java admin would log and
	// then go on without what it was about to do.
	Errors []string
}

// Instant is a planned fire of a job.
type Instant struct {
	Job int32
	Ms  int64
}

// Node is a Java admin, as far as the database and the executors can tell.
// Its methods are safe for concurrent use.
type Node struct {
	cfg      Config
	http     *http.Client
	group    *lifecycle.Group
	triggers chan call
	resting  atomic.Bool

	mu     sync.Mutex
	ring   [ringSlots][]entry
	counts Counts
	turn   map[int32]int // of the route ROUND, by job
}

// NewNode returns a Node that has not begun yet.
func NewNode(ctx context.Context, cfg Config) *Node {
	return &Node{
		cfg: cfg, group: lifecycle.NewGroup(ctx), triggers: make(chan call, poolQueue),
		http: &http.Client{Timeout: callTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: poolThreads}},
		turn: make(map[int32]int), counts: Counts{Skipped: make(map[Instant]bool)},
	}
}

// Start begins scheduling and watching.
func (n *Node) Start() {
	for range poolThreads {
		n.group.Go(n.pool)
	}
	n.group.Go(n.schedule)
	n.group.Go(n.turnRing)
	n.every("fail monitor", n.cfg.Pace.Fail, n.failMonitor)
	n.every("lost monitor", n.cfg.Pace.Lost, n.lostMonitor)
	n.every("registry monitor", n.cfg.Pace.Registry, n.registryMonitor)
	n.every("report", n.cfg.Pace.Report, n.report)
}

// Rest makes the schedule thread do nothing, as a long pause of the JVM would,
// or lets it go on. The ring and the monitors are not touched.
func (n *Node) Rest(rest bool) { n.resting.Store(rest) }

// Stop ends everything and waits for it.
func (n *Node) Stop() {
	n.group.Stop(errors.New("the node stops"))
	n.http.CloseIdleConnections()
}

// Counts returns what the node did. Call it after Stop.
func (n *Node) Counts() Counts {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.counts
}

// count changes the counts.
func (n *Node) count(change func(c *Counts)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(&n.counts)
}

// fault notes what a Java admin would only log.
func (n *Node) fault(ctx context.Context, doing string, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	n.cfg.Logger.ErrorContext(ctx, "java node", slog.String("doing", doing), slog.Any("err", err))
	n.count(func(c *Counts) { c.Errors = append(c.Errors, fmt.Sprintf("%s: %v", doing, err)) })
}

// every runs a monitor at once and then in its interval.
func (n *Node) every(name string, interval time.Duration, f func(ctx context.Context) error) {
	n.group.Go(func(ctx context.Context) {
		for {
			n.fault(ctx, name, f(ctx))
			if !pause(ctx, interval) {
				return
			}
		}
	})
}

// pause waits, and reports whether ctx is still there.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// wall is the form of DATETIME columns; all times of a test are UTC.
func wall(t time.Time) string { return t.UTC().Format(time.DateTime) }
