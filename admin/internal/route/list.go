package route

import (
	"cmp"
	"crypto/md5"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strconv"
	"sync"
	"time"
)

// list is an address list, prepared once for all jobs of its group and never
// changed.
type list struct {
	given []string       // as it came
	addrs []string       // without what it repeats
	index map[string]int // of addrs
	ring  func() []node  // computed when it is first needed
}

// node is a point of the ring of CONSISTENT_HASH.
type node struct {
	hash uint32
	addr int32 // index into given
}

// virtualNodes is how many points each address has on the ring.
const virtualNodes = 100

var seed = maphash.MakeSeed()

// listOf returns the prepared form of addrs.
func (r *Router) listOf(addrs []string, now time.Time) *list {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expireLocked(now)
	return r.listLocked(addrs)
}

func (r *Router) listLocked(addrs []string) *list {
	key := fingerprint(addrs)
	l, ok := r.lists[key]
	if ok && slices.Equal(l.given, addrs) {
		return l
	}
	if len(r.lists) >= listLimit {
		clear(r.lists) // jobs keep the lists that they hold
	}
	l = newList(addrs)
	r.lists[key] = l
	return l
}

func newList(addrs []string) *list {
	l := &list{given: slices.Clone(addrs), index: make(map[string]int, len(addrs))}
	for _, a := range addrs {
		if _, twice := l.index[a]; !twice {
			l.index[a] = len(l.addrs)
			l.addrs = append(l.addrs, a)
		}
	}
	l.ring = sync.OnceValue(func() []node { return newRing(l.given) })
	return l
}

// fingerprint tells lists apart, but for chance.
func fingerprint(addrs []string) uint64 {
	sum := uint64(len(addrs))
	for _, a := range addrs {
		sum = sum*0x9e3779b97f4a7c15 + maphash.String(seed, a)
	}
	return sum
}

// newRing places the addresses. Where two points coincide the later address
// has it.
func newRing(addrs []string) []node {
	ring := make([]node, 0, len(addrs)*virtualNodes)
	var key []byte
	for i, a := range addrs {
		for n := range virtualNodes {
			key = append(append(append(key[:0], "SHARD-"...), a...), "-NODE-"...)
			ring = append(ring, node{hash: hash(strconv.AppendInt(key, int64(n), 10)), addr: int32(i)})
		}
	}
	slices.SortFunc(ring, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(b.addr, a.addr))
	})
	return slices.CompactFunc(ring, func(a, b node) bool { return a.hash == b.hash })
}

// hash is the first four bytes of the MD5 sum, the lowest first.
func hash(key []byte) uint32 {
	sum := md5.Sum(key)
	return binary.LittleEndian.Uint32(sum[:])
}

// owner returns the address of the first point at or behind that of the job,
// which is the first of all at the end of the ring.
func (l *list) owner(jobID int32) string {
	ring := l.ring()
	var digits [11]byte
	at := hash(strconv.AppendInt(digits[:0], int64(jobID), 10))
	i, _ := slices.BinarySearchFunc(ring, at, func(n node, h uint32) int { return cmp.Compare(n.hash, h) })
	if i == len(ring) {
		i = 0
	}
	return l.given[ring[i].addr]
}
