package lease

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestNewChecksItsConfig(t *testing.T) {
	p := newPlayed(1)
	for name, cfg := range map[string]Config{
		"no provider":   {Node: "a", Total: 1},
		"no node":       {Provider: p, Total: 1},
		"no shards":     {Provider: p, Node: "a"},
		"ttl too short": {Provider: p, Node: "a", Total: 1, TTL: time.Second, Every: time.Second},
	} {
		_, err := New(cfg)
		assert.Error(t, err, name)
	}
}

// Every shard is held by exactly one node, none by more than its share, and
// what is settled stays so.
func TestShares(t *testing.T) {
	for nodes := 1; nodes <= 5; nodes++ {
		t.Run(fmt.Sprint(nodes, " nodes"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const total = 16
				p := newPlayed(total)
				var list []*node
				for i := range nodes {
					list = append(list, startNode(t, p, fmt.Sprint("n", i), total))
					wait(170 * time.Millisecond)
				}
				wait(5 * time.Second)
				share := (total + nodes - 1) / nodes
				check := func() (tokens []int64) {
					seen := make(map[int32]bool)
					for _, n := range list {
						held := n.Held()
						assert.LessOrEqual(t, len(held), share)
						for _, h := range held {
							assert.False(t, seen[h.Shard], "shard %d is held twice", h.Shard)
							seen[h.Shard] = true
							assert.True(t, n.MaySend(h.Shard, h.Token))
							tokens = append(tokens, h.Token)
						}
						assert.Equal(t, nodes, n.Status().Nodes)
					}
					assert.Len(t, seen, total)
					return tokens
				}
				before := check()
				wait(time.Minute)
				assert.Equal(t, before, check(), "a settled cluster keeps its leases")
			})
		})
	}
}

func TestDeathOfANode(t *testing.T) {
	for off := time.Duration(0); off < time.Second; off += 90 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			p := newPlayed(4)
			way := &link{Provider: p}
			a := startNode(t, way, "a", 4)
			wait(off)
			b := startNode(t, p, "b", 4)
			wait(10 * time.Second)
			require.Len(t, b.Held(), 2)
			// a is killed: its provider answers nothing any more, also no goodbye.
			way.set(func() { way.cut = true })
			died := time.Now()
			for len(b.Held()) < 4 {
				wait(10 * time.Millisecond)
				require.Less(t, time.Since(died), DefaultTTL+2*expirySlack, "looked at when the lease ends, not a second later")
			}
			wait(2 * expirySlack)
			b.mu.Lock()
			last := b.gained[len(b.gained)-1]
			assert.Equal(t, 1, b.gone, "told once")
			b.mu.Unlock()
			maker := model.MakerToken("a")
			since, gone := b.Status().View.MakerGone(maker, DefaultTTL)
			assert.True(t, gone)
			assert.Less(t, since.Sub(died.Add(p.skew)), DefaultTTL+time.Millisecond)
			_, gone = b.Status().View.MakerGone(model.MakerToken("b"), DefaultTTL)
			assert.False(t, gone)
			since, gone = b.Status().View.MakerGone(model.MakerToken("c"), DefaultTTL)
			assert.True(t, gone)
			assert.Zero(t, since)
			assert.False(t, last.Same)
			assert.Less(t, time.UnixMilli(last.FreeSince.UnixMilli()).Sub(died.Add(p.skew)), DefaultTTL+time.Millisecond)
			assert.Empty(t, maySend(a), "the dead one would send nothing")
		})
	}
}

func maySend(n *node) (list []int32) {
	for _, h := range n.Held() {
		if n.MaySend(h.Shard, h.Token) {
			list = append(list, h.Shard)
		}
	}
	return list
}

// A node whose renewals hang stops sending two seconds after its last one
// began, and a second before anybody else may begin.
func TestFence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(2)
		n := startNode(t, p, "a", 2)
		wait(100 * time.Millisecond)
		held := n.Held()
		require.Len(t, held, 2)
		renewed := n.Status().Renewed
		p.set(func() { p.fault = errAway })
		wait(time.Until(renewed.Add(2*time.Second - time.Millisecond)))
		assert.Len(t, maySend(n), 2)
		assert.True(t, n.MaySend(0, 0), "what this node made itself")
		wait(time.Millisecond)
		assert.Empty(t, maySend(n))
		assert.False(t, n.MaySend(0, 0))
		assert.False(t, n.Holds(0))
		assert.True(t, n.Keeps(0, held[0].Token), "late is not lost")
		assert.True(t, n.Keeps(9, 0))
		assert.False(t, n.Keeps(0, held[0].Token+1))
		assert.False(t, n.MaySend(0, held[0].Token+1), "a token of somebody else")

		// Back before the lease has ended: nothing was lost.
		p.set(func() { p.fault = nil })
		wait(time.Until(renewed.Add(2900 * time.Millisecond)))
		n.Kick()
		synctest.Wait()
		assert.Equal(t, held, n.Held())
		assert.Len(t, maySend(n), 2)
		_, lost, lapsed := n.counts()
		assert.Zero(t, lost)
		assert.Equal(t, 1, lapsed, "at the start")

		// Away for longer: lost, and taken again with new tokens.
		p.set(func() { p.fault = errAway })
		wait(5 * time.Second)
		_, lost, _ = n.counts()
		assert.Zero(t, lost, "nobody knows yet")
		p.set(func() { p.fault = nil })
		wait(2 * time.Second)
		gained, lost, lapsed := n.counts()
		assert.Equal(t, 4, gained)
		assert.Equal(t, 2, lost)
		assert.Equal(t, 2, lapsed)
		assert.False(t, n.early)
		n.mu.Lock()
		assert.True(t, n.gained[2].Same, "nobody held it in between")
		n.mu.Unlock()
		assert.Equal(t, held[0].Token+1, n.Held()[0].Token)
	})
}

// Between the loss and the return somebody else held the shard.
func TestNotTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(1)
		n := startNode(t, p, "a", 1)
		wait(100 * time.Millisecond)
		p.set(func() { p.fault = errAway })
		wait(4 * time.Second)
		p.set(func() { s := &p.shards[0]; s.Owner, s.Token, s.ExpiresMs = "b", s.Token+1, p.now()+200; p.fault = nil })
		wait(3 * time.Second)
		n.mu.Lock()
		defer n.mu.Unlock()
		require.Len(t, n.gained, 2)
		assert.False(t, n.gained[1].Same)
	})
}

// A renewal that hangs ends with the lease, and the next one follows at once.
func TestProviderHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(1)
		n := startNode(t, p, "a", 1)
		wait(100 * time.Millisecond)
		hang := make(chan struct{})
		p.set(func() { p.hang = hang })
		wait(10 * time.Second)
		assert.Empty(t, maySend(n))
		p.set(func() { p.hang = nil })
		wait(3100 * time.Millisecond)
		assert.Len(t, maySend(n), 1)
	})
}

// Who plans all the time extends leases with it: a renewal that has to wait for
// that ends nothing, is not cut off, and others know that the node lives.
func TestExtended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(2)
		n := startNode(t, p, "a", 2)
		wait(100 * time.Millisecond)
		held := n.Held()
		require.Len(t, held, 2)
		hang := make(chan struct{})
		p.set(func() { p.hang = hang })
		for range 20 {
			start := time.Now()
			p.set(func() {
				for i := range p.shards {
					p.shards[i].ExpiresMs = p.now() + n.TTL().Milliseconds()
				}
			})
			wait(900 * time.Millisecond)
			n.Extended(start, held)
			require.Len(t, maySend(n), 2)
			require.True(t, n.MaySend(0, 0))
		}
		p.mu.Lock()
		busy := n.share(View{
			NowMs: p.now(), Nodes: []Node{{"a", p.nodes["a"]}, {"b", p.now()}}, Shards: slices.Clone(p.shards),
		})
		p.mu.Unlock()
		assert.Equal(t, 1, busy, "a lives by its leases")
		p.set(func() { p.hang = nil })
		close(hang)
		wait(100 * time.Millisecond)
		assert.Equal(t, held, n.Held())
		gained, lost, lapsed := n.counts()
		assert.Equal(t, []int{2, 0, 1}, []int{gained, lost, lapsed})
		assert.Less(t, time.Since(n.Status().Renewed), 19*time.Second)

		// An extension of some of them, of others, or of long ago says nothing.
		p.set(func() { p.fault = errAway })
		wait(3 * time.Second)
		require.Empty(t, maySend(n))
		n.Extended(time.Now(), held[:1])
		n.Extended(time.Now(), []Held{{0, held[0].Token + 1}, {1, held[1].Token}})
		n.Extended(time.Now().Add(-10*time.Second), held)
		n.Extended(time.Now(), nil)
		assert.Empty(t, maySend(n))
		n.Extended(time.Now().Add(-1999*time.Millisecond), held)
		assert.Len(t, maySend(n), 2)
		wait(time.Millisecond)
		assert.Empty(t, maySend(n), "counted from its start")
	})
}

// A statement that is slow does not make the lease look longer than it is.
func TestSlowProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(1)
		p.slow = 1500 * time.Millisecond
		n := startNode(t, p, "a", 1)
		wait(3100 * time.Millisecond) // renew and acquire
		require.Len(t, n.Held(), 1)
		for range 200 {
			wait(50 * time.Millisecond)
			p.mu.Lock()
			expires := p.shards[0].ExpiresMs - p.now()
			p.mu.Unlock()
			if len(maySend(n)) == 1 {
				require.GreaterOrEqual(t, expires, SendMargin.Milliseconds())
			}
		}
	})
}

// An answer to Acquire or Release that is lost leaves no shard that is renewed
// for ever and used by nobody.
func TestLostAnswers(t *testing.T) {
	t.Run("acquire", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPlayed(4)
			p.after = errAway
			free := p.shards[0].ExpiresMs
			n := startNode(t, p, "a", 4)
			wait(100 * time.Millisecond)
			require.Empty(t, n.Held())
			p.set(func() { p.after = nil })
			wait(time.Second)
			require.Len(t, n.Held(), 4, "they are ours on record")
			assert.Equal(t, 1, p.acquired)
			assert.Equal(t, free, n.gained[0].FreeSince.UnixMilli())
			assert.Equal(t, int64(1001), n.Held()[0].Token)
		})
	})
	t.Run("release", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPlayed(4)
			a := startNode(t, p, "a", 4)
			wait(1500 * time.Millisecond)
			p.set(func() { p.after = errAway; p.fault = nil })
			b := startNode(t, p, "b", 4)
			wait(3 * time.Second)
			p.set(func() { p.after = nil })
			wait(3 * time.Second)
			assert.Len(t, a.Held(), 2)
			assert.Len(t, b.Held(), 2)
		})
	})
	t.Run("release that was not done", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPlayed(4)
			stuck := &link{Provider: p}
			a := startNode(t, stuck, "a", 4)
			wait(1500 * time.Millisecond)
			stuck.set(func() { stuck.refuse = true })
			b := startNode(t, p, "b", 4)
			wait(3 * time.Second)
			assert.Empty(t, b.Held(), "a has not given back yet")
			assert.Len(t, a.Held(), 2, "but stopped using them")
			stuck.set(func() { stuck.refuse = false })
			wait(3 * time.Second)
			assert.Len(t, a.Held(), 2)
			assert.Len(t, b.Held(), 2)
		})
	})
}

func TestStopGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(4)
		a, b := startNode(t, p, "a", 4), startNode(t, p, "b", 4)
		wait(3 * time.Second)
		a.stop()
		<-a.ended
		assert.Empty(t, a.Held())
		_, lost, _ := a.counts()
		assert.GreaterOrEqual(t, lost, 2, "it is told before they are given back")
		b.Kick()
		synctest.Wait()
		assert.Len(t, b.Held(), 4, "at once")
		assert.Equal(t, 1, b.Status().Nodes)
		assert.Equal(t, int32(4), b.Total())
	})
}

// A goodbye that hangs holds nobody up for long.
func TestStopWhileTheProviderHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(1)
		n := startNode(t, p, "a", 1)
		wait(100 * time.Millisecond)
		p.set(func() { p.hang = make(chan struct{}) })
		begin := time.Now()
		n.stop()
		<-n.ended
		assert.Equal(t, leaveTimeout, time.Since(begin))
	})
}
