package route

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// ErrNoAddress is returned when there is no address to choose from.
var ErrNoAddress = errors.New("no executor address is registered")

const (
	// memory is how long anything is remembered of a job. Then all is forgotten
	// at once, and rounds begin at random positions again.
	memory = 24 * time.Hour
	// roundStart bounds the random position at which a round begins.
	roundStart = 100
	// countLimit is the count beyond which a counter begins anew.
	countLimit = 1_000_000
	// listLimit bounds the address lists that are kept prepared.
	listLimit = 1024
)

// Router chooses addresses and remembers what it needs for that. It is safe
// for concurrent use.
type Router struct {
	intN func(n int) int

	mu       sync.Mutex
	clearAt  time.Time // when everything below is forgotten; zero at first
	rounds   map[int32]int
	frequent map[int32]*frequency
	recent   map[int32]*recency
	lists    map[uint64]*list
}

// Option changes a Router.
type Option func(*Router)

// WithRand makes the router draw its random numbers, each from 0 to n-1, from
// intN, which it never calls concurrently. Default rand.IntN of math/rand/v2.
func WithRand(intN func(n int) int) Option {
	return func(r *Router) { r.intN = intN }
}

// New returns a Router that remembers nothing yet.
func New(options ...Option) *Router {
	r := &Router{intN: rand.IntN}
	for _, o := range options {
		o(r)
	}
	r.forgetLocked()
	return r
}

// Pick returns the one of addrs that the strategy chooses for a run of the job
// at the time now. It returns ErrNoAddress when addrs is empty, and another
// error for a strategy that is unknown or does not choose by itself (FAILOVER,
// BUSYOVER, SHARDING_BROADCAST). addrs is not kept.
func (r *Router) Pick(by model.Route, jobID int32, addrs []string, now time.Time) (string, error) {
	switch {
	case !by.Valid():
		return "", fmt.Errorf("route strategy %q of job %d is unknown; choose one of %v", by, jobID, model.Routes())
	case by.Probes():
		return "", fmt.Errorf("route strategy %s of job %d asks executors before it chooses", by, jobID)
	case by == model.RouteShardingBroadcast:
		return "", fmt.Errorf("route strategy %s of job %d goes to every address", by, jobID)
	case len(addrs) == 0:
		return "", ErrNoAddress
	}
	switch by {
	case model.RouteFirst:
		return addrs[0], nil
	case model.RouteLast:
		return addrs[len(addrs)-1], nil
	case model.RouteConsistentHash:
		return r.listOf(addrs, now).owner(jobID), nil
	default:
		return r.pickByMemory(by, jobID, addrs, now), nil
	}
}

// pickByMemory picks for the strategies that remember, and for RANDOM, which
// shares their source of random numbers.
func (r *Router) pickByMemory(by model.Route, jobID int32, addrs []string, now time.Time) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expireLocked(now)
	switch by {
	case model.RouteRound:
		return addrs[r.roundLocked(jobID)%len(addrs)]
	case model.RouteLeastFrequent:
		f := r.frequent[jobID]
		if f == nil {
			f = &frequency{}
			r.frequent[jobID] = f
		}
		return f.pick(r.listLocked(addrs), r.intN)
	case model.RouteLeastRecent:
		u := r.recent[jobID]
		if u == nil {
			u = &recency{}
			r.recent[jobID] = u
		}
		return u.pick(r.listLocked(addrs))
	default:
		return addrs[r.intN(len(addrs))]
	}
}

// roundLocked moves the round of a job on and returns its position.
func (r *Router) roundLocked(jobID int32) int {
	n, ok := r.rounds[jobID]
	if !ok || n > countLimit {
		n = r.intN(roundStart)
	} else {
		n++
	}
	r.rounds[jobID] = n
	return n
}

// expireLocked forgets everything once a day, and when the clock was set back
// to before the day began.
func (r *Router) expireLocked(now time.Time) {
	if now.Before(r.clearAt) && r.clearAt.Sub(now) <= memory {
		return
	}
	r.forgetLocked()
	r.clearAt = now.Add(memory)
}

func (r *Router) forgetLocked() {
	r.rounds = make(map[int32]int)
	r.frequent = make(map[int32]*frequency)
	r.recent = make(map[int32]*recency)
	r.lists = make(map[uint64]*list)
}

// Order returns addrs in the order in which FAILOVER and BUSYOVER ask them: as
// listed, but those that dead reports to be unreachable come last, in the same
// order. dead may be nil. addrs stays as it is.
func Order(addrs []string, dead func(addr string) bool) []string {
	order := make([]string, 0, len(addrs))
	var last []string
	for _, a := range addrs {
		if dead != nil && dead(a) {
			last = append(last, a)
			continue
		}
		order = append(order, a)
	}
	return append(order, last...)
}

// Shard returns the address of one shard of a broadcast: that at the index, or
// the first when the list has become shorter. It returns ErrNoAddress when
// addrs is empty.
func Shard(addrs []string, index int32) (string, error) {
	switch {
	case len(addrs) == 0:
		return "", ErrNoAddress
	case index < 0 || int(index) >= len(addrs):
		return addrs[0], nil
	default:
		return addrs[index], nil
	}
}
