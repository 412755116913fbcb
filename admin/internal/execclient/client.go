package execclient

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/lifecycle"
	"github.com/xxljob-go/xxljob/internal/wire"
)

const (
	tickEvery = time.Second    // how often lanes are looked after
	knownFor  = 24 * time.Hour // how long an address without a lane is remembered
)

// Client talks to executors. All methods may be called concurrently.
type Client struct {
	cfg   Config
	group *lifecycle.Group
	dial  func(ctx context.Context, network, address string) (net.Conn, error)
	once  sync.Once // starts look

	scratch sync.Pool // of *[]byte, for bodies until they are part of a request

	mu     sync.RWMutex
	lanes  map[string]*lane
	closed bool

	knownMu sync.Mutex
	known   map[string]known
}

// known is what is remembered of an address, lane or not.
type known struct {
	traits traits
	at     time.Time
}

// LaneStats is how a lane stands.
type LaneStats struct {
	Depth     int       // calls that wait
	InFlight  int       // requests without an answer yet
	Conns     int       // open connections
	DeadSince time.Time // of the first call without an answer since the last one with; zero if it answers
	Dialect   Dialect
	Native    bool
	OldToken  bool // it has refused the token of its group, and takes the old one
	Release   model.Release
}

// New returns a client that can be used at once. It opens no connection before
// the first call. The error names every fault of cfg.
func New(cfg Config) (*Client, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("execclient: invalid config: %w", err)
	}
	return &Client{
		cfg:     cfg,
		group:   lifecycle.NewGroup(context.Background()),
		dial:    cfg.dialer().DialContext,
		lanes:   make(map[string]*lane),
		known:   make(map[string]known),
		scratch: sync.Pool{New: func() any { return new([]byte) }},
	}, nil
}

// Run blocks until ctx is done, then closes the client and returns nil. It
// returns ErrClosed if the client was closed by Close.
func (c *Client) Run(ctx context.Context) error {
	var err error
	select {
	case <-ctx.Done():
	case <-c.group.Context().Done():
		err = ErrClosed
	}
	c.Close()
	return err
}

// Close ends the client: calls that wait end as NotSent with ErrClosed, those
// in flight run to their end, at most Config.Timeout. It blocks until every
// goroutine has ended, so no done function runs after it. It may be called any
// number of times.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	lanes := c.lanes
	c.lanes = nil
	c.mu.Unlock()
	for _, l := range lanes {
		l.close()
	}
	c.group.Stop(ErrClosed)
}

// Remember tells the client what an earlier one learnt. Without it the first
// trigger to an executor of master's generation is refused once and sent again.
func (c *Client) Remember(infos []AddressInfo) {
	for _, info := range infos {
		t := traits{dialect: info.Dialect, native: info.Native}
		if c.cfg.Dialect != DialectAuto {
			t.dialect = c.cfg.Dialect
		}
		key := laneKey(info.Address)
		c.keep(key, t)
		c.mu.RLock()
		l := c.lanes[key]
		c.mu.RUnlock()
		if l != nil {
			l.learning.Lock()
			l.traits.Store(&t)
			l.learning.Unlock()
		}
	}
}

// keep remembers t for the lanes to come.
func (c *Client) keep(key string, t traits) {
	c.knownMu.Lock()
	c.known[key] = known{t, time.Now()}
	c.knownMu.Unlock()
}

// recall returns what is known of an address.
func (c *Client) recall(key string) traits {
	c.knownMu.Lock()
	defer c.knownMu.Unlock()
	if k, ok := c.known[key]; ok {
		return k.traits
	}
	return traits{dialect: c.cfg.Dialect}
}

// Prepare encodes the whole HTTP request of a trigger, so that sending it costs
// no more than a write, and opens a connection if the address has none. It does
// not block. A fault of the target is reported by the sending, as NotSent.
func (c *Client) Prepare(t Target, r *wire.TriggerRequest) *Call {
	scratch := c.scratch.Get().(*[]byte)
	body := r.Append((*scratch)[:0])
	call := c.newCall(t, "", body)
	if cap(body) <= keepBuffer {
		*scratch = body
	}
	c.scratch.Put(scratch)
	if call.err == nil {
		call.lane.warm(1)
	}
	return call
}

// newCall returns the call of a path, or that of a trigger. It keeps no
// reference to body.
func (c *Client) newCall(t Target, path string, body []byte) *Call {
	if t.Token == "" {
		t.Token = c.cfg.GlobalToken
	}
	if t.Overlap && t.Old == "" {
		t.Old = c.cfg.GlobalToken
	}
	if t.Overlap = t.Overlap && t.Old != t.Token; !t.Overlap {
		t.Old = ""
	}
	call := &Call{lane: c.lane(t.Address), target: t, path: path, limit: wire.MaxBody, decode: decodeAnswer}
	switch {
	case call.lane.bad != nil:
		call.err = call.lane.bad
	case len(body) > wire.MaxBody:
		call.err = errTooLarge(len(body))
	case !headerValue(t.Token) || !headerValue(t.Old) || !headerValue(t.AppName):
		call.err = fmt.Errorf("%w: the token or the appname of the group holds a control character", ErrAddress)
	default:
		call.body = body
		call.encode(call.lane.dress(call))
	}
	return call
}

// Warm opens connections to an address until it has n, or Config.ConnsMax, so
// that a burst finds them. It does not block. An address that refuses them is
// tried at most once a second.
func (c *Client) Warm(address string, n int) { c.lane(address).warm(n) }

// Send queues the call in the lane of its address. It does not block. done is
// called exactly once, from a goroutine of the lane, whatever becomes of the
// call; while it runs, the lane has a connection less, so it should be quick.
// Only after Close is it called by Send itself.
func (c *Client) Send(call *Call, done func(Result)) {
	now := time.Now()
	call.reset(done, now.Add(c.cfg.QueueDeadline))
	for !call.lane.send(call, now) {
		l := c.lane(call.target.Address) // the old one had gone away
		if l.client == nil {
			call.finish(call.fail(NotSent, ErrClosed))
			return
		}
		call.lane = l
	}
}

// Stats returns how every lane stands, by address.
func (c *Client) Stats() map[string]LaneStats {
	stats := make(map[string]LaneStats)
	for _, l := range c.allLanes() {
		stats[l.address] = l.stats()
	}
	return stats
}

// Release returns what is known of the program at an address, as far back as
// addresses are remembered.
func (c *Client) Release(address string) model.Release {
	key := laneKey(address)
	c.mu.RLock()
	l := c.lanes[key]
	c.mu.RUnlock()
	t := c.recall(key)
	if l != nil {
		t = *l.traits.Load()
	}
	return t.release(c.cfg.Dialect == DialectAuto)
}

// Faults returns the last calls to an address that got no proper answer, newest
// first: those of at most five reasons, since the address was last unused for ten
// minutes.
func (c *Client) Faults(address string) []model.AddressFault {
	c.mu.RLock()
	l := c.lanes[laneKey(address)]
	c.mu.RUnlock()
	if l == nil {
		return nil
	}
	return l.faults.list()
}

// Dead reports whether the last call to the address got no answer. It is false
// for an address that was not used within the last ten minutes.
func (c *Client) Dead(address string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	l := c.lanes[laneKey(address)]
	return l != nil && l.dead.Load() != 0
}

// lane returns the lane of an address. After Close it is one that is closed and
// has no client.
func (c *Client) lane(address string) *lane {
	key := laneKey(address)
	c.mu.RLock()
	l := c.lanes[key]
	c.mu.RUnlock()
	if l != nil {
		return l
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.lanes[key]; l != nil {
		return l
	}
	l = &lane{address: key, used: time.Now(), closed: c.closed}
	t := c.recall(key)
	l.traits.Store(&t)
	if l.ep, l.bad = parseAddress(key); l.bad != nil {
		l.ep.url = key
	}
	if !c.closed {
		l.client = c
		c.lanes[key] = l
		c.once.Do(func() { c.group.Go(c.look) })
	}
	return l
}

func (c *Client) allLanes() []*lane {
	c.mu.RLock()
	defer c.mu.RUnlock()
	lanes := make([]*lane, 0, len(c.lanes))
	for _, l := range c.lanes {
		lanes = append(lanes, l)
	}
	return lanes
}

// look looks after the lanes: calls that wait too long, lanes that nobody uses.
func (c *Client) look(ctx context.Context) {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, l := range c.allLanes() {
				if l.tick(now) {
					c.drop(l, now)
				}
			}
		}
	}
}

// drop forgets a lane that has closed itself, and addresses of old.
func (c *Client) drop(l *lane, now time.Time) {
	c.mu.Lock()
	if c.lanes[l.address] == l {
		delete(c.lanes, l.address)
	}
	c.mu.Unlock()
	c.knownMu.Lock()
	defer c.knownMu.Unlock()
	if k, ok := c.known[l.address]; ok {
		c.known[l.address] = known{k.traits, now}
	}
	for key, k := range c.known {
		if now.Sub(k.at) > knownFor {
			delete(c.known, key)
		}
	}
}
