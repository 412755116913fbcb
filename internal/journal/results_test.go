package journal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestResultCacheModel compares the cache with a plain list.
func TestResultCacheModel(t *testing.T) {
	t.Parallel()
	type entry struct {
		id     ID
		result Result
	}
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(resultCost, 300*resultCost).Draw(t, "limit")
		c := newResultCache(limit)
		var list []entry
		used := 0
		id := rapid.Custom(func(t *rapid.T) ID {
			return ID{
				JobID: rapid.Int32Range(1, 2).Draw(t, "job"), LogID: rapid.Int64Range(1, 200).Draw(t, "log"),
				At: rapid.Int64Range(0, 5).Draw(t, "at") * 700,
			}
		})
		for range rapid.IntRange(1, 600).Draw(t, "steps") {
			e := entry{id: id.Draw(t, "id"), result: Result{Code: rapid.Int32().Draw(t, "code"), HasMsg: true}}
			e.result.Msg = strings.Repeat("m", rapid.IntRange(0, 400).Draw(t, "size"))
			c.put(e.id, e.result)
			if cost := resultCost + len(e.result.Msg); cost <= limit {
				list = append(list, e)
				for used += cost; used > limit; list = list[1:] {
					used -= resultCost + len(list[0].result.Msg)
				}
			}
			require.Equal(t, used, c.used)

			asked := id.Draw(t, "asked")
			want, found := Finished{}, false
			for _, e := range list {
				if e.id.JobID == asked.JobID && e.id.LogID == asked.LogID {
					if found = sameTrigger(e.id, asked); found {
						want = Finished{ID: e.id, Result: e.result}
					}
				}
			}
			got, ok := c.get(asked)
			if !found {
				want = Finished{}
			}
			require.Equal(t, found, ok, "%v", asked)
			require.Equal(t, want, got)
		}
	})
}

func TestResultCacheBounds(t *testing.T) {
	t.Parallel()
	c := newResultCache(1 << 20)
	for n := range 100_000 {
		c.put(trigger(n), Result{Code: 200})
	}
	assert.LessOrEqual(t, c.used, 1<<20)
	const entry = 56 // bytes of a cached
	assert.LessOrEqual(t, len(c.ring)*entry+8*len(c.slots), 1<<20, "the cost that is counted covers ring and index")
	for n := 100_000 - (1<<20)/resultCost; n < 100_000; n++ {
		_, ok := c.get(trigger(n))
		require.True(t, ok, n)
	}
	_, ok := c.get(trigger(100_000 - (1<<20)/resultCost - 1))
	assert.False(t, ok)
	c.put(trigger(1), Result{Msg: strings.Repeat("m", 1<<20)})
	_, ok = c.get(trigger(1))
	assert.False(t, ok, "larger than the cache")
}
