package journal

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMemorySize(t *testing.T) {
	t.Parallel()
	const n = 1_000_000
	m := newMemory(n, n, time.Hour)
	for i := range 3 * n / 2 {
		m.add(trigger(i), 0)
	}
	require.Equal(t, n, m.len())
	perID := float64(m.bytes()) / n
	t.Logf("%.1f bytes a trigger", perID)
	assert.LessOrEqual(t, perID, 32.0)
	assert.False(t, m.known(trigger(n/2-1)))
	for i := n / 2; i < 3*n/2; i += 997 {
		require.True(t, m.known(trigger(i)))
	}
}

func TestMemoryTimes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		at, ask int64
		want    bool
	}{
		{name: "equal", at: 5000, ask: 5000, want: true},
		{name: "a second later", at: 5000, ask: 6000, want: true},
		{name: "a second earlier", at: 5000, ask: 4000, want: true},
		{name: "more than a second later", at: 5000, ask: 6001},
		{name: "more than a second earlier", at: 5000, ask: 3999},
		{name: "across a bucket", at: 2047, ask: 2049, want: true},
		{name: "around zero", at: -500, ask: 500, want: true},
		{name: "the largest", at: math.MaxInt64, ask: math.MaxInt64 - 1000, want: true},
		{name: "the smallest", at: math.MinInt64, ask: math.MinInt64 + 1000, want: true},
		{name: "opposite ends", at: math.MinInt64, ask: math.MaxInt64},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMemory(10, 10, time.Hour)
			m.add(ID{JobID: 1, LogID: 2, At: tt.at}, 0)
			assert.Equal(t, tt.want, m.known(ID{JobID: 1, LogID: 2, At: tt.ask}))
			assert.False(t, m.known(ID{JobID: 2, LogID: 2, At: tt.at}))
			assert.False(t, m.known(ID{JobID: 1, LogID: 3, At: tt.at}))
		})
	}
}

func TestMemoryAge(t *testing.T) {
	t.Parallel()
	m := newMemory(100, 10_000, 24*time.Hour)
	for n := range 5000 {
		m.add(trigger(n), time.Hour)
	}
	assert.True(t, m.known(trigger(0)), "young ones are kept up to the limit")
	for n := 5000; n < 12_000; n++ {
		m.add(trigger(n), 20*time.Hour)
	}
	assert.Equal(t, 10_000, m.len())
	for n := 12_000; n < 20_000; n++ {
		m.add(trigger(n), 100*time.Hour)
	}
	assert.False(t, m.known(trigger(11_000)), "old ones go")
	for n := 20_000; n < 20_001; n++ {
		m.add(trigger(n), 1000*time.Hour)
	}
	for n := 19_901; n <= 20_000; n++ {
		assert.True(t, m.known(trigger(n)), "the last ones stay, however old")
	}
}

// TestMemoryModel compares the memory with a plain list.
func TestMemoryModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keep := rapid.IntRange(1, 40).Draw(t, "keep")
		m := newMemory(keep, keep, time.Hour)
		var list []ID
		forgotten := map[int]bool{}
		find := func(id ID) int {
			for i := len(list) - 1; i >= 0 && i >= len(list)-keep; i-- {
				if !forgotten[i] && sameTrigger(list[i], id) {
					return i
				}
			}
			return -1
		}
		id := rapid.Custom(func(t *rapid.T) ID {
			return ID{
				JobID: rapid.Int32Range(1, 2).Draw(t, "job"), LogID: rapid.Int64Range(1, 30).Draw(t, "log"),
				At: rapid.Int64Range(0, 5).Draw(t, "at") * 700,
			}
		})
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			x := id.Draw(t, "id")
			if got, want := m.known(x), find(x) >= 0; got != want {
				t.Fatalf("known(%v) = %v, want %v", x, got, want)
			}
			switch at := find(x); {
			case at < 0:
				m.add(x, 0)
				list = append(list, x)
			case rapid.Bool().Draw(t, "forget"):
				m.forget(list[at])
				forgotten[at] = true
			}
		}
	})
}
