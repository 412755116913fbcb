package route

import (
	"crypto/md5"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// addresses returns a list of executors as they register.
func addresses(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("http://10.0.0.%d:9999/", i+1)
	}
	return list
}

// javaOwner is the algorithm of admin.md 4.4 as it stands there: no ring, all
// points compared.
func javaOwner(jobID int32, addrs []string) string {
	sum := func(key string) uint32 {
		d := md5.Sum([]byte(key))
		return uint32(d[3])<<24 | uint32(d[2])<<16 | uint32(d[1])<<8 | uint32(d[0])
	}
	at := sum(fmt.Sprint(jobID))
	var next, lowest string
	found := false
	nextHash, lowestHash := uint64(math.MaxUint64), uint64(math.MaxUint64)
	for _, a := range addrs {
		for i := range 100 {
			h := sum(fmt.Sprintf("SHARD-%s-NODE-%d", a, i))
			if uint64(h) <= lowestHash {
				lowest, lowestHash = a, uint64(h)
			}
			if h >= at && uint64(h) <= nextHash {
				next, nextHash, found = a, uint64(h), true
			}
		}
	}
	if !found {
		return lowest
	}
	return next
}

func TestConsistentHashIsThatOfJava(t *testing.T) {
	t.Parallel()
	r := New()
	rapid.Check(t, func(t *rapid.T) {
		addrs := rapid.SliceOfN(rapid.StringMatching(`http://10\.[0-9]\.0\.[0-9]:99[0-9]{2}/|[a-zé]{0,4}`), 1, 8).Draw(t, "addrs")
		jobID := rapid.Int32().Draw(t, "job")
		got, err := r.Pick(model.RouteConsistentHash, jobID, addrs, noon)
		if err != nil {
			t.Fatal(err)
		}
		if want := javaOwner(jobID, addrs); got != want {
			t.Fatalf("job %d of %q goes to %q, want %q", jobID, addrs, got, want)
		}
	})
}

func TestConsistentHashWraps(t *testing.T) {
	t.Parallel()
	addrs := addresses(1)
	l := newList(append(addrs, "b"))
	ring := l.ring()
	last := ring[len(ring)-1].hash
	wrapped := 0
	for job := range int32(20_000) {
		if hash(fmt.Append(nil, job)) > last {
			wrapped++
			assert.Equal(t, l.given[ring[0].addr], l.owner(job))
		}
	}
	assert.Positive(t, wrapped)
}

func TestRingCollisionsGoToTheLater(t *testing.T) {
	t.Parallel()
	ring := newRing([]string{"a", "a"})
	assert.Len(t, ring, virtualNodes)
	for _, n := range ring {
		assert.Equal(t, int32(1), n.addr)
	}
}

func TestConsistentHashSpreadsAndStays(t *testing.T) {
	t.Parallel()
	const jobs = 10_000
	r := New()
	addrs := addresses(10)
	seen := map[string]int{}
	moved := 0
	for job := range int32(jobs) {
		a := pick(t, r, model.RouteConsistentHash, job, addrs, noon)
		seen[a]++
		if b := pick(t, r, model.RouteConsistentHash, job, addrs[:9], noon); b != a {
			moved++
			assert.Equal(t, addrs[9], a, "only jobs of the address that has gone move")
		}
	}
	assert.Equal(t, seen[addrs[9]], moved)
	for _, a := range addrs {
		assert.InDelta(t, jobs/10, seen[a], jobs/10*0.5, a)
	}
}

func BenchmarkPick(b *testing.B) {
	routes := []model.Route{
		model.RouteFirst, model.RouteRound, model.RouteRandom, model.RouteConsistentHash,
		model.RouteLeastFrequent, model.RouteLeastRecent,
	}
	for _, by := range routes {
		for _, n := range []int{2, 20, 1000} {
			b.Run(fmt.Sprintf("%s/%d", by, n), func(b *testing.B) {
				r := New(WithRand(rand.New(rand.NewPCG(1, 2)).IntN))
				addrs := addresses(n)
				job := int32(0)
				b.ReportAllocs()
				for b.Loop() {
					job = (job + 1) % 1000
					if _, err := r.Pick(by, job, addrs, noon); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkNewRing(b *testing.B) {
	addrs := addresses(20)
	for b.Loop() {
		newRing(addrs)
	}
}
