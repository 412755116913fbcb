package xxljob

import (
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// refusing answers 500 to every callback that carries one of these runs.
func refusing(ids ...int64) func(call) (int, string) {
	return func(c call) (int, string) {
		if strings.HasSuffix(c.path, wire.PathCallback) {
			for _, item := range c.items() {
				if slices.Contains(ids, item.LogID) {
					return 200, `{"code":500,"msg":"Data too long for column"}`
				}
			}
		}
		return 200, adminSuccess
	}
}

// A result that no admin takes blocks nobody: the others pass soon, its
// message is cut, then it is set aside on disk, counted and logged.
func TestPoisonResultIsSetAside(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.admin.node(1).set(true, nil)
		for i := range 100 {
			b.mustRun(trig{id: i, logID: int64(i), handler: "bigmsg", param: "20000"})
		}
		after(time.Second)
		b.admin.node(1).set(false, refusing(37))
		start := time.Now()
		for range 99 {
			assert.NotEqual(t, 37, b.admin.node(1).next(t).LogID)
		}
		assert.LessOrEqual(t, time.Since(start), 40*time.Second, "the good ones do not wait long")
		for i := range 20 { // others pass now and then
			b.mustRun(trig{id: i, handler: "echo"})
			after(20 * time.Second)
		}
		stats := b.e.Stats()
		assert.EqualValues(t, 1, stats.SetAside)
		assert.Zero(t, stats.Unsent)
		var lengths []int
		for _, c := range b.admin.node(1).of(wire.PathCallback) {
			if items := c.items(); len(items) == 1 && items[0].LogID == 37 {
				lengths = append(lengths, len(items[0].Msg.String))
			}
		}
		require.Greater(t, len(lengths), singleRefusals)
		assert.Equal(t, []int{20000, 15003, 1003}, slices.Compact(lengths))
		files, err := filepath.Glob(filepath.Join(b.dir, "journal", "*", "set-aside.jsonl"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		text, err := os.ReadFile(files[0])
		require.NoError(t, err)
		assert.Contains(t, string(text), strings.Repeat("x", 20000), "set aside whole")
	})
}

// A single refused result waits for as long as nothing else passes: it may be
// the admin's fault.
func TestLoneRefusedResultIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.admin.node(1).set(false, refusing(1, 2, 3, 4, 5, 6, 7, 8))
		for i := range int64(8) {
			b.mustRun(trig{id: int(i), logID: i + 1, handler: "echo"})
		}
		after(24 * time.Hour)
		assert.Equal(t, 8, b.e.Stats().Unsent)
		assert.Zero(t, b.e.Stats().SetAside)
		b.admin.node(1).set(false, nil)
		seen := map[int64]int{}
		for range 8 {
			seen[b.admin.node(1).next(t).LogID]++
		}
		assert.Len(t, seen, 8)
	})
}

// A proxy that answers 413 gets smaller posts, and a message that is too large
// alone is cut.
func TestTooLargePosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.admin.node(1).set(true, nil)
		for i := range 60 {
			b.mustRun(trig{id: i, logID: int64(i), handler: "bigmsg", param: "20000"})
		}
		after(time.Second)
		b.admin.node(1).set(false, func(c call) (int, string) {
			if len(c.body) > 35_000 {
				return 413, ""
			}
			return 200, adminSuccess
		})
		seen := map[int64]int{}
		for range 60 {
			item := b.admin.node(1).next(t)
			seen[item.LogID]++
			assert.Len(t, item.Msg.String, 15003)
		}
		assert.Len(t, seen, 60)
		after(time.Minute)
		assert.Zero(t, b.e.Stats().Unsent+int(b.e.Stats().SetAside))
	})
}

// No post is larger than 512 KiB.
func TestPostsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.admin.node(1).set(true, nil)
		for i := range 50 {
			b.mustRun(trig{id: i, handler: "bigmsg", param: "50000"})
		}
		after(time.Second)
		b.admin.node(1).set(false, nil)
		for range 50 {
			b.admin.node(1).next(t)
		}
		for _, c := range b.admin.node(1).of(wire.PathCallback) {
			assert.LessOrEqual(t, len(c.body), callbackBytes)
		}
	})
}

// The pauses of an outage double from 1 s to 15 s with a little jitter, and an
// accepted heartbeat ends one.
func TestCallbackBackoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, func(cfg *Config) { cfg.RegistryInterval = time.Hour }, registerTestHandlers)
		b.admin.node(1).set(false, func(c call) (int, string) {
			if strings.HasSuffix(c.path, wire.PathCallback) {
				return 503, ""
			}
			return 200, adminSuccess
		})
		b.mustRun(trig{id: 1, handler: "echo"})
		after(100 * time.Second)
		var at []time.Time
		for _, c := range b.admin.node(1).of(wire.PathCallback) {
			at = append(at, c.at)
		}
		require.Greater(t, len(at), 7)
		for i, want := range []float64{1, 2, 4, 8, 15, 15} {
			assert.InDelta(t, want*1.125, at[i+1].Sub(at[i]).Seconds(), want*0.126, "pause %d", i)
		}
	})
}

// An admin that hangs is passed over for 30 s: it costs the others one short
// timeout, and heartbeats do not wait for callbacks.
func TestHangingAdmin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, twoAdmins, registerTestHandlers)
		after(time.Second)
		b.admin.node(1).set(false, func(call) (int, string) { return 0, "" })
		start := time.Now()
		b.mustRun(trig{id: 1, handler: "echo"})
		b.admin.node(2).next(t)
		assert.Equal(t, 3*time.Second, time.Since(start), "one timeout")
		for range 5 {
			start = time.Now()
			b.mustRun(trig{id: 1, handler: "echo"})
			b.admin.node(2).next(t)
			assert.Less(t, time.Since(start), 100*time.Millisecond)
			after(time.Second)
		}
		after(25 * time.Second)
		assert.NotEmpty(t, b.admin.node(2).of(wire.PathRegistry), "the heartbeat went to the other one")
		b.admin.node(1).set(false, nil)
		after(time.Minute)
		b.mustRun(trig{id: 1, handler: "echo", param: "back"})
		assert.Equal(t, "back", b.admin.node(1).next(t).Msg.String, "the first one is used again")
	})
}

// A pooled connection that the admin has closed is no reason to wait.
func TestDeadPooledConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		first := true
		b.admin.node(1).set(false, func(c call) (int, string) {
			if strings.HasSuffix(c.path, wire.PathCallback) && first {
				first = false
				panic(http.ErrAbortHandler) // net/http closes it without an answer
			}
			return 200, adminSuccess
		})
		start := time.Now()
		b.mustRun(trig{id: 1, handler: "echo"})
		b.admin.node(1).next(t)
		assert.Less(t, time.Since(start), 100*time.Millisecond)
	})
}

// The token is never logged, whatever fails.
func TestTokenIsNotLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		b := newBed(t, func(cfg *Config) {
			cfg.Logger = testLogger(&log)
			cfg.AdminAddrs = []string{"http://user:hunter2@admin-1/x", "http://user:hunter2@admin-2"}
			cfg.Hooks.ResultsFailed = func(_ int, err error) { assert.NotContains(t, err.Error(), "hunter2") }
		}, registerTestHandlers)
		answers := []string{testToken[:4], "", "<html>", `{"code":500}`}
		b.admin.node(1).set(false, func(c call) (int, string) { return 200 + 300*(len(c.body)%2), answers[rand.IntN(4)] })
		b.admin.node(2).set(true, nil)
		b.mustRun(trig{id: 1, logID: 3, handler: "echo"})
		b.send("POST", "/run", "{}", map[string]string{wire.HeaderToken: "wrong"})
		after(time.Minute)
		b.close()
		for _, secret := range []string{testToken, "hunter2"} {
			assert.NotContains(t, log.String(), secret)
			assert.NotContains(t, b.file(3), secret)
		}
		assert.Contains(t, log.String(), "results not delivered")
	})
}
