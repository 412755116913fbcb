package auth

import (
	"fmt"
	"math"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// ThrottledError is returned when an account or an address has used up its
// wrong passwords.
type ThrottledError struct {
	Wait time.Duration // until the next attempt is taken
}

// Error says how long to wait.
func (e *ThrottledError) Error() string {
	return fmt.Sprintf("auth: too many wrong passwords, try again in %d s", int64(math.Ceil(e.Wait.Seconds())))
}

// Numbers of the throttle.
const (
	throttleBurst   = 10
	accountRefill   = 30 * time.Second
	sourceRefill    = 6 * time.Second
	throttleEntries = 10_000
	knownEntries    = 1_000
)

// throttle bounds wrong passwords for each account and each address. It is
// safe for concurrent use.
type throttle struct {
	mu       sync.Mutex
	accounts buckets
	sources  buckets
	pairs    buckets              // account and address of those that have logged in
	known    map[string]time.Time // pairs that have logged in, by the last time
}

func newThrottle() *throttle {
	return &throttle{
		accounts: newBuckets(accountRefill, throttleEntries),
		sources:  newBuckets(sourceRefill, throttleEntries),
		pairs:    newBuckets(accountRefill, knownEntries),
		known:    map[string]time.Time{},
	}
}

// take spends one attempt. It is to be called before the password is looked
// at, so that attempts at the same time count too. An attempt without a source
// counts for the account alone, one from an address that the account is known
// at for the two of them alone.
func (t *throttle) take(account string, source netip.Addr, now time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	count := t.countersLocked(account, source)
	var wait time.Duration
	for _, c := range count {
		wait = max(wait, c.of.wait(c.key, now))
	}
	if wait > 0 {
		return &ThrottledError{Wait: wait}
	}
	for _, c := range count {
		c.of.spend(c.key, now)
	}
	return nil
}

// giveBack undoes take for a right password, or one that nobody looked at.
func (t *throttle) giveBack(account string, source netip.Addr, right bool, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.countersLocked(account, source) {
		c.of.refund(c.key)
	}
	if !right {
		return
	}
	if len(t.known) >= knownEntries {
		forgetOldest(t.known)
	}
	t.known[pairKey(account, source)] = now
}

// counter is an allowance that an attempt uses.
type counter struct {
	of  *buckets
	key string
}

func (t *throttle) countersLocked(account string, source netip.Addr) []counter {
	if pair := pairKey(account, source); !t.known[pair].IsZero() {
		return []counter{{&t.pairs, pair}}
	}
	list := []counter{{&t.accounts, accountKey(account)}}
	if source.IsValid() {
		list = append(list, counter{&t.sources, sourceKey(source)})
	}
	return list
}

func pairKey(account string, source netip.Addr) string {
	return accountKey(account) + "\x00" + sourceKey(source)
}

func forgetOldest(known map[string]time.Time) {
	var oldest string
	var at time.Time
	for key, t := range known {
		if oldest == "" || t.Before(at) {
			oldest, at = key, t
		}
	}
	delete(known, oldest)
}

// accountKey bounds the length of what an attacker makes us remember.
func accountKey(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if len(name) > 64 {
		name = sha256Hex(name)
	}
	return name
}

func sourceKey(addr netip.Addr) string {
	if addr.Is6() && !addr.Is4In6() {
		if p, err := addr.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return addr.Unmap().String()
}

// buckets are allowances that grow back by one each refill, up to the burst. A
// key without an entry has its whole allowance.
type buckets struct {
	refill time.Duration
	limit  int
	spent  map[string]allowance
}

type allowance struct {
	used float64 // attempts spent and not yet grown back, as of at
	at   time.Time
}

func newBuckets(refill time.Duration, limit int) buckets {
	return buckets{refill: refill, limit: limit, spent: map[string]allowance{}}
}

// used returns how much of the allowance is spent now.
func (b *buckets) used(key string, now time.Time) float64 {
	a, ok := b.spent[key]
	if !ok {
		return 0
	}
	grown := float64(max(now.Sub(a.at), 0)) / float64(b.refill)
	return max(a.used-grown, 0)
}

// wait returns how long until an attempt may be spent.
func (b *buckets) wait(key string, now time.Time) time.Duration {
	over := b.used(key, now) - (throttleBurst - 1)
	if over <= 0 {
		return 0
	}
	return time.Duration(over * float64(b.refill))
}

func (b *buckets) spend(key string, now time.Time) {
	if _, ok := b.spent[key]; !ok && len(b.spent) >= b.limit {
		b.makeRoom(now)
	}
	b.spent[key] = allowance{used: b.used(key, now) + 1, at: now}
}

func (b *buckets) refund(key string) {
	a, ok := b.spent[key]
	if !ok {
		return
	}
	if a.used--; a.used <= 0 {
		delete(b.spent, key)
		return
	}
	b.spent[key] = a
}

// makeRoom drops what has grown back, or else the entry that has spent least.
func (b *buckets) makeRoom(now time.Time) {
	var least string
	lowest := math.Inf(1)
	for key := range b.spent {
		used := b.used(key, now)
		if used <= 0 {
			delete(b.spent, key)
			continue
		}
		if used < lowest {
			least, lowest = key, used
		}
	}
	if len(b.spent) >= b.limit {
		delete(b.spent, least)
	}
}
