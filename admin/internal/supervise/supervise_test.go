package supervise

import (
	"bytes"
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/xxljob-go/xxljob/internal/lifecycle"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func wait(d time.Duration) { <-time.After(d) }

func TestALoopIsStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		l := New(slog.New(slog.NewTextHandler(&log, nil)))
		g := lifecycle.NewGroup(t.Context())
		var starts atomic.Int32
		l.Go(g, "bad", func(ctx context.Context) {
			switch starts.Add(1) {
			case 1:
				panic("boom")
			case 2:
				return
			default:
				<-ctx.Done()
			}
		})
		other := make(chan struct{})
		l.Go(g, "good", func(ctx context.Context) { <-ctx.Done(); close(other) })
		wait(restartPause - time.Millisecond)
		assert.Equal(t, int32(1), starts.Load())
		wait(time.Millisecond)
		synctest.Wait()
		assert.Equal(t, int32(2), starts.Load())
		wait(restartPause)
		synctest.Wait()
		assert.Equal(t, int32(3), starts.Load())
		assert.Equal(t, 2, l.Restarts())
		assert.Contains(t, log.String(), "panic: boom")
		assert.Contains(t, log.String(), "loop=bad")
		select {
		case <-other:
			t.Error("the other loop ended too")
		default:
		}
		g.Stop(nil)
		<-other
		assert.Equal(t, 2, l.Restarts(), "the end of the group is no fault")
	})
}

// A group that stops while a loop waits for its restart does not wait for it.
func TestStopDuringThePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(slog.New(slog.DiscardHandler))
		g := lifecycle.NewGroup(t.Context())
		l.Go(g, "x", func(context.Context) {})
		wait(restartPause / 2)
		begin := time.Now()
		g.Stop(nil)
		assert.Zero(t, time.Since(begin))
	})
}

func TestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(slog.New(slog.DiscardHandler))
		l.Expect("b", 10*time.Second)
		l.Expect("a", time.Minute)
		l.Tick("unknown") // no entry, no fault
		tick := l.Ticker("b")
		wait(10 * time.Second)
		list := l.Status()
		require.Len(t, list, 2)
		assert.Equal(t, "a", list[0].Name)
		assert.False(t, list[1].Late)
		wait(time.Millisecond)
		assert.True(t, l.Status()[1].Late)
		tick()
		assert.False(t, l.Status()[1].Late)
		assert.Equal(t, time.Now(), l.Status()[1].Last)
	})
}
