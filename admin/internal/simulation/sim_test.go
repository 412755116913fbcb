package simulation

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// plan says what a seed puts the nodes through.
type plan struct {
	nodes     int
	jobs      int32
	length    time.Duration
	dbFaults  float64 // of each transaction
	netFaults float64 // of each call to an executor
	kills     bool
	freezes   bool
	outages   bool
	crashes   bool // of executors
	steps     bool // of the clock
	edits     bool
	unheard   float64 // of the transactions that end runs: carried out, and nobody is told
	deaf      bool    // nodes whose renewals fail for a while, and all else works
}

// broken switches a guard off, to see that the checker finds what follows.
type broken struct {
	outbox bool // runs are handed over whether or not they are on record
	fence  bool // nobody looks at leases
	settle bool // what is in doubt is sent again without a question
	lapse  bool // a node that was taken for dead goes on with what it has made
	missed bool // a stop does not count what nobody has planned
	search bool // what follows of a result that may be stored is not looked for
}

// send is a trigger that was written.
type send struct {
	node    string
	address string
	job     int32
	logID   int64
	at      time.Time
}

// epoch is a time in which a job ran with one schedule.
type epoch struct {
	job     int32
	typ     model.ScheduleType
	conf    string
	first   int64 // its first instant, Unix ms
	began   time.Time
	ended   time.Time // when the change was on record
	told    time.Time // when whoever asked for the stop was told
	next    int64     // first instant that nobody planned, Unix ms
	stopped bool
}

// sim is one run of the simulation.
type sim struct {
	seed      uint64
	plan      plan
	broken    broken
	ctx       context.Context //nolint:containedctx // the life of the world
	stop      context.CancelFunc
	group     sync.WaitGroup
	db        *database
	executors map[string]*executor
	pool      *model.Group
	faulty    atomic.Bool
	outage    atomic.Bool
	step      atomic.Int64 // ns that the one clock of node and database is off

	mu     sync.Mutex
	nodes  []*node
	sends  []send
	epochs []*epoch
	acked  map[int64]bool
	ends   map[int64]int // how often the end of a run was told
	names  int
	notes  map[int64][]string
}

// note keeps what happened to a run, for whoever looks into a finding.
func (s *sim) note(id int64, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes[id] = append(s.notes[id], time.Now().UTC().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

func newSim(ctx context.Context, seed uint64, p plan, b broken) *sim {
	s := &sim{
		seed: seed, plan: p, broken: b, executors: make(map[string]*executor), acked: make(map[int64]bool),
		ends: make(map[int64]int), notes: make(map[int64][]string),
	}
	s.ctx, s.stop = context.WithCancel(ctx)
	s.db = newDatabase(s, 4)
	var list strings.Builder
	for i := range 4 {
		x := &executor{
			sim: s, address: fmt.Sprintf("http://e%d/", i), native: i%2 == 0, known: make(map[int64]*execution),
			files: make(map[int64]bool), queues: make(map[int32][]*execution), active: make(map[int32]bool),
		}
		s.executors[x.address] = x
		if i > 0 {
			list.WriteString(",")
		}
		list.WriteString(x.address)
	}
	s.pool = &model.Group{ID: 1, AppName: "app", AddressList: model.T(list.String())}
	return s
}

// dice draws for something that has a name: whatever the order in which
// goroutines run, it falls the same way.
func (s *sim) dice(what string, ids ...int64) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(what))
	var b [8]byte
	for _, id := range ids {
		binary.LittleEndian.PutUint64(b[:], uint64(id))
		_, _ = h.Write(b[:])
	}
	return rand.New(rand.NewPCG(s.seed, h.Sum64())) //nolint:gosec // a test
}

func (s *sim) skew() time.Duration { return time.Duration(s.step.Load()) }

// now is the clock of the database.
func (s *sim) now() int64 { return time.Now().Add(s.skew()).UnixMilli() }

func (s *sim) sent(n *node, p prepared, at time.Time) {
	s.note(p.req.LogID, "%s writes it to %s", n.name, p.address)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sends = append(s.sends, send{n.name, p.address, p.req.JobID, p.req.LogID, at})
}

// live is a node that answers, or nil.
func (s *sim) live(dice *rand.Rand) *node {
	s.mu.Lock()
	defer s.mu.Unlock()
	var up []*node
	for _, n := range s.nodes {
		if !n.frozen() {
			up = append(up, n)
		}
	}
	if len(up) == 0 {
		return nil
	}
	return up[dice.IntN(len(up))]
}

// callback is an executor's report to whatever node answers.
func (s *sim) callback(id, try int64, code int32) bool {
	dice := s.dice("callback", id, try)
	n := s.live(dice)
	if n == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(n.ctx, 3*time.Second)
	defer cancel()
	err := n.writer.Results(ctx, []*model.Outcome{{LogID: id, Handle: &model.HandleResult{
		Code: code, Msg: model.T("done"), AtMs: s.now(),
	}}})
	s.note(id, "result %d to %s: %v", code, n.name, err)
	if err != nil || n.gate(ctx) != nil {
		return false
	}
	if s.faulty.Load() && dice.Float64() < s.plan.netFaults {
		return false // the answer is lost
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acked[id] = true
	return true
}

// addJobs makes the jobs: schedules, routes, retries and children of all kinds.
func (s *sim) addJobs() {
	for id := int32(1); id <= s.plan.jobs; id++ {
		d := s.dice("job", int64(id))
		j := &model.Job{
			ID: id, GroupID: 1, Route: model.RouteRound, Handler: model.T("demo"), GlueType: model.GlueBean,
			Block: model.BlockSerial, Misfire: model.MisfireDoNothing, Retries: int32(d.IntN(3)),
		}
		j.ScheduleType, j.ScheduleConf = s.schedule(d)
		if id%2 == 0 {
			j.Misfire = model.MisfireFireOnceNow
		}
		switch id % 7 {
		case 3:
			j.Route = model.RouteFailover
		case 5:
			j.Route = model.RouteShardingBroadcast
		case 6:
			j.Children = model.T("1000")
		}
		s.db.jobs[id] = j
	}
	s.db.jobs[1000] = &model.Job{
		ID: 1000, GroupID: 1, Route: model.RouteFirst, Handler: model.T("child"), GlueType: model.GlueBean,
		ScheduleType: model.ScheduleNone, Block: model.BlockSerial,
	}
}

func (s *sim) schedule(d *rand.Rand) (model.ScheduleType, model.Text) {
	switch d.IntN(4) {
	case 0:
		return model.ScheduleCron, model.T("0/2 * * * * ?")
	case 1:
		return model.ScheduleFixRate, model.T("1")
	case 2:
		return model.ScheduleFixRate, model.T("3")
	default:
		return model.ScheduleCron, model.T("* * * * * ?")
	}
}

// run plays the plan to its end. Afterwards nothing moves any more.
func (s *sim) run() {
	s.addJobs()
	for range s.plan.nodes {
		s.addNode()
	}
	_ = sleep(s.ctx, 3*time.Second)
	for id := int32(1); id <= s.plan.jobs; id++ {
		s.change(id, true, "", "")
	}
	s.faulty.Store(s.plan.dbFaults+s.plan.netFaults+s.plan.unheard > 0 || s.plan.deaf)
	end := time.Now().Add(s.plan.length)
	for i := int64(0); time.Now().Before(end); i++ {
		d := s.dice("event", i)
		_ = sleep(s.ctx, 300*time.Millisecond+time.Duration(d.IntN(2_500_000))*time.Microsecond)
		s.event(d)
	}
	s.calm()
}

func (s *sim) addNode() {
	s.mu.Lock()
	s.names++
	name := fmt.Sprintf("n%d", s.names)
	s.mu.Unlock()
	s.startNode(name)
}

// event lets one thing happen.
func (s *sim) event(d *rand.Rand) {
	n := s.live(d)
	after := time.Duration(300+d.IntN(7000)) * time.Millisecond
	id := int32(1 + d.IntN(int(s.plan.jobs)))
	switch kind := d.IntN(8); {
	case kind == 0 && s.plan.kills && n != nil:
		graceful := d.IntN(3) == 0
		s.group.Go(func() {
			if graceful {
				n.shutdown()
			} else {
				n.kill()
			}
			_ = sleep(s.ctx, after)
			if s.ctx.Err() == nil {
				s.addNode()
			}
		})
	case kind == 1 && s.plan.freezes && n != nil:
		n.freeze()
		s.group.Go(func() { _ = sleep(s.ctx, after*2); n.unfreeze() })
	case kind == 2 && s.plan.outages && d.IntN(2) == 0:
		s.outage.Store(true)
		s.group.Go(func() { _ = sleep(s.ctx, after); s.outage.Store(false) })
	case kind == 3 && s.plan.crashes:
		x := s.executors[fmt.Sprintf("http://e%d/", d.IntN(len(s.executors)))]
		x.crash()
		s.group.Go(func() { _ = sleep(s.ctx, after); x.restart() })
	case kind == 4 && s.plan.steps:
		s.step.Add(int64(time.Duration(d.IntN(40)-20) * time.Second))
	case kind == 4 && s.plan.deaf && n != nil:
		n.deafen(after)
	case kind == 5 && s.plan.edits:
		typ, conf := s.schedule(d)
		s.change(id, true, typ, conf.S)
	case kind >= 6 && s.plan.edits:
		s.change(id, false, "", "")
		s.group.Go(func() { _ = sleep(s.ctx, after/2); s.change(id, true, "", "") })
	}
}

// calm ends all faults, stops the jobs and waits until everything has ended.
func (s *sim) calm() {
	s.faulty.Store(false)
	_ = sleep(s.ctx, 20*time.Second) // what was broken comes back by itself
	for id := int32(1); id <= s.plan.jobs; id++ {
		s.change(id, false, "", "")
	}
	for range 40 {
		_ = sleep(s.ctx, time.Minute)
		if s.openRuns() == 0 {
			break
		}
	}
	s.mu.Lock()
	nodes := append([]*node(nil), s.nodes...)
	s.mu.Unlock()
	for _, n := range nodes {
		n.shutdown()
	}
	s.stop()
	s.group.Wait()
}

func (s *sim) openRuns() (n int) {
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	for _, r := range s.db.rows {
		if r.open {
			n++
		}
	}
	return n
}

// sleep lets fake time go by.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
