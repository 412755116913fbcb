package route

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// seeded returns a router whose random numbers are the same in every run.
func seeded() *Router { return New(WithRand(rand.New(rand.NewPCG(1, 2)).IntN)) }

// always returns a router that draws v, or the largest number below n.
func always(v int) *Router { return New(WithRand(func(n int) int { return min(v, n-1) })) }

func pick(tb testing.TB, r *Router, by model.Route, jobID int32, addrs []string, now time.Time) string {
	tb.Helper()
	addr, err := r.Pick(by, jobID, addrs, now)
	require.NoError(tb, err)
	return addr
}

// picks returns n choices for job 1.
func picks(tb testing.TB, r *Router, by model.Route, addrs []string, n int) []string {
	tb.Helper()
	var got []string
	for range n {
		got = append(got, pick(tb, r, by, 1, addrs, noon))
	}
	return got
}

func list3() []string { return []string{"a", "b", "c"} }

func TestPickErrors(t *testing.T) {
	t.Parallel()
	r := New()
	for _, by := range model.Routes() {
		_, err := r.Pick(by, 7, nil, noon)
		if by.Probes() || by == model.RouteShardingBroadcast {
			require.ErrorContains(t, err, string(by))
			require.NotErrorIs(t, err, ErrNoAddress)
			continue
		}
		require.ErrorIs(t, err, ErrNoAddress, by)
	}
	_, err := r.Pick("LFU", 7, list3(), noon)
	require.ErrorContains(t, err, `route strategy "LFU" of job 7 is unknown; choose one of [FIRST LAST`)
}

func TestPickFirstAndLast(t *testing.T) {
	t.Parallel()
	r := New()
	assert.Equal(t, []string{"a", "a"}, picks(t, r, model.RouteFirst, list3(), 2))
	assert.Equal(t, []string{"c", "c"}, picks(t, r, model.RouteLast, list3(), 2))
}

func TestPickRound(t *testing.T) {
	t.Parallel()
	r := always(4)
	assert.Equal(t, []string{"b", "c", "a", "b"}, picks(t, r, model.RouteRound, list3(), 4), "starts at 4 mod 3")
	assert.Equal(t, "b", pick(t, r, model.RouteRound, 2, list3(), noon), "another job has its own round")
	assert.Equal(t, "a", pick(t, r, model.RouteRound, 1, []string{"a", "b"}, noon), "position 8 of a shorter list")

	r.rounds[1] = countLimit
	assert.Equal(t, "c", pick(t, r, model.RouteRound, 1, list3(), noon), "position 1,000,001")
	assert.Equal(t, "b", pick(t, r, model.RouteRound, 1, list3(), noon), "begins anew at 4")
}

func TestPickRoundBeginsAnywhere(t *testing.T) {
	t.Parallel()
	r := seeded()
	seen := map[string]int{}
	for job := range int32(3000) {
		seen[pick(t, r, model.RouteRound, job, list3(), noon)]++
	}
	for _, a := range list3() {
		assert.InDelta(t, 1000, seen[a], 120, a)
	}
}

func TestPickRandomIsUniform(t *testing.T) {
	t.Parallel()
	r := seeded()
	addrs := []string{"a", "b", "c", "d", "e"}
	seen := map[string]float64{}
	const n = 10_000
	for range n {
		seen[pick(t, r, model.RouteRandom, 1, addrs, noon)]++
	}
	chi2 := 0.0
	for _, a := range addrs {
		d := seen[a] - n/5
		chi2 += d * d / (n / 5)
	}
	assert.Less(t, chi2, 18.47, "4 degrees of freedom, 0.1 %%: %v", seen)
}

func TestPickLeastFrequent(t *testing.T) {
	t.Parallel()
	r := always(0)
	assert.Equal(t, []string{"a", "b", "c", "a"}, picks(t, r, model.RouteLeastFrequent, list3(), 4))
	// Counts are a 2, b 1, c 1: a has gone and d is new with 0.
	assert.Equal(t, []string{"d", "b", "c", "d"},
		picks(t, r, model.RouteLeastFrequent, []string{"b", "c", "d"}, 4))
	// a comes back without its old count.
	assert.Equal(t, []string{"a", "a", "a", "b"}, picks(t, r, model.RouteLeastFrequent, []string{"a", "b", "c", "d"}, 4)[:4])
}

func TestPickLeastFrequentBeginsAtRandomCounts(t *testing.T) {
	t.Parallel()
	next := 0
	draws := []int{2, 0, 1}
	r := New(WithRand(func(n int) int {
		assert.Equal(t, 3, n)
		next++
		return draws[(next-1)%3]
	}))
	assert.Equal(t, []string{"b", "b", "c", "a"}, picks(t, r, model.RouteLeastFrequent, list3(), 4))
}

func TestPickLeastFrequentForgetsLargeCounts(t *testing.T) {
	t.Parallel()
	r := always(0)
	picks(t, r, model.RouteLeastFrequent, list3(), 1)
	f := r.frequent[1]
	f.counts = []int{countLimit, countLimit + 1, countLimit}
	assert.Equal(t, "b", pick(t, r, model.RouteLeastFrequent, 1, list3(), noon))
	assert.Equal(t, []int{countLimit, 1, countLimit}, f.counts)
}

func TestPickLeastFrequentIsFair(t *testing.T) {
	t.Parallel()
	r := seeded()
	addrs := addresses(10)
	seen := map[string]int{}
	for range 1000 {
		seen[pick(t, r, model.RouteLeastFrequent, 1, addrs, noon)]++
	}
	for _, a := range addrs {
		assert.InDelta(t, 100, seen[a], 10, a)
	}
}

func TestPickLeastRecent(t *testing.T) {
	t.Parallel()
	r := New()
	assert.Equal(t, []string{"a", "b", "c", "a"}, picks(t, r, model.RouteLeastRecent, list3(), 4), "list order")
	// The order is b, c, a. b goes; d and e come, as the latest.
	assert.Equal(t, []string{"c", "a", "d", "e", "c"},
		picks(t, r, model.RouteLeastRecent, []string{"a", "c", "d", "e"}, 5))
	assert.Equal(t, []string{"x", "y", "x"}, picks(t, r, model.RouteLeastRecent, []string{"x", "y"}, 3), "all are new")
	assert.Equal(t, "a", pick(t, r, model.RouteLeastRecent, 2, list3(), noon), "another job has its own order")
}

func TestPickWithRepeatedAddresses(t *testing.T) {
	t.Parallel()
	addrs := []string{"a", "a", "b"}
	assert.Equal(t, []string{"a", "b", "a", "b"}, picks(t, always(0), model.RouteLeastFrequent, addrs, 4))
	assert.Equal(t, []string{"a", "b", "a", "b"}, picks(t, New(), model.RouteLeastRecent, addrs, 4))
	assert.Equal(t, []string{"a", "a", "b"}, picks(t, always(0), model.RouteRound, addrs, 3))
}

func TestMemoryLastsADay(t *testing.T) {
	t.Parallel()
	for _, by := range []model.Route{model.RouteRound, model.RouteLeastFrequent, model.RouteLeastRecent} {
		t.Run(string(by), func(t *testing.T) {
			t.Parallel()
			r := always(0)
			at := func(d time.Duration) string { return pick(t, r, by, 1, list3(), noon.Add(d)) }
			assert.Equal(t, "a", at(0))
			assert.Equal(t, "b", at(memory-1))
			for job := range int32(100) {
				pick(t, r, by, job+2, list3(), noon)
			}
			assert.Equal(t, "a", at(memory), "forgotten")
			assert.LessOrEqual(t, len(r.rounds)+len(r.frequent)+len(r.recent), 1, "of other jobs too")
			assert.Equal(t, "b", at(memory+2*time.Hour))
			assert.Equal(t, "c", at(memory+time.Hour), "a clock that is set back a little")
			assert.Equal(t, "a", at(memory-time.Hour), "to before the day began")
			assert.Equal(t, "b", at(memory))
		})
	}
}

func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	r := New()
	for i := range 3 * listLimit {
		addrs := []string{fmt.Sprint("a", i), "b"}
		assert.Equal(t, addrs[0], pick(t, r, model.RouteLeastRecent, int32(i), addrs, noon))
		assert.LessOrEqual(t, len(r.lists), listLimit)
	}
}

func TestPickKeepsNothingOfItsArgument(t *testing.T) {
	t.Parallel()
	r := New()
	addrs := list3()
	picks(t, r, model.RouteLeastRecent, addrs, 1)
	addrs[1] = "B"
	assert.Equal(t, []string{"c", "a", "B"}, picks(t, r, model.RouteLeastRecent, addrs, 3), "b was replaced by a new one")
}

func TestOrder(t *testing.T) {
	t.Parallel()
	addrs := []string{"a", "b", "c", "d"}
	dead := func(a string) bool { return a == "a" || a == "c" }
	assert.Equal(t, []string{"b", "d", "a", "c"}, Order(addrs, dead))
	assert.Equal(t, addrs, Order(addrs, nil))
	assert.Equal(t, addrs, Order(addrs, func(string) bool { return true }))
	assert.Empty(t, Order(nil, dead))
	assert.Equal(t, []string{"a", "b", "c", "d"}, addrs)
}

func TestShard(t *testing.T) {
	t.Parallel()
	for index, want := range map[int32]string{0: "a", 2: "c", 3: "a", 1 << 30: "a", -1: "a"} {
		got, err := Shard(list3(), index)
		require.NoError(t, err)
		assert.Equal(t, want, got, index)
	}
	_, err := Shard(nil, 0)
	require.ErrorIs(t, err, ErrNoAddress)
}

func TestPickConcurrently(t *testing.T) {
	t.Parallel()
	r := New()
	addrs := addresses(4)
	var wg sync.WaitGroup
	counts := make([]map[string]int, 8)
	for g := range counts {
		counts[g] = map[string]int{}
		wg.Go(func() {
			for i := range 1000 {
				for _, by := range []model.Route{
					model.RouteRound, model.RouteRandom, model.RouteConsistentHash,
					model.RouteLeastFrequent, model.RouteLeastRecent,
				} {
					now := noon.Add(time.Duration(i) * time.Second)
					a, err := r.Pick(by, 1, addrs, now)
					if err != nil || !slices.Contains(addrs, a) {
						t.Errorf("Pick(%s) = %q, %v", by, a, err)
					}
					if by == model.RouteLeastRecent {
						counts[g][a]++
					}
				}
			}
		})
	}
	wg.Wait()
	total := map[string]int{}
	for _, c := range counts {
		for a, n := range c {
			total[a] += n
		}
	}
	for _, a := range addrs {
		assert.Equal(t, 2000, total[a], "exactly in turn, whoever asks")
	}
}
