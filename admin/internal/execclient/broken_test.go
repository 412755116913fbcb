package execclient

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestIdleCloseIsSeen: an executor that closes a connection after an answer,
// without a word, never makes a trigger doubtful, and never gets it twice.
func TestIdleCloseIsSeen(t *testing.T) {
	t.Parallel()
	endings := map[string]func(p *peer){
		"close": func(p *peer) { _ = p.Close() },
		"reset": (*peer).reset,
		"half":  func(p *peer) { _ = p.Conn.(interface{ CloseWrite() error }).CloseWrite() },
		"talk":  func(p *peer) { p.ok(`{"code":500,"msg":"unasked"}`) },
	}
	for how, end := range endings {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			const runs = 300
			var got recorder
			var late atomic.Int64
			finish, finished := make(barrier), make(barrier)
			address := executor(t, func(p *peer) {
				s, ok := p.next()
				if !ok {
					return
				}
				got.add(s)
				p.ok(success)
				finish.meet(t.Context())
				end(p)
				finished.meet(t.Context())
				if _, more := p.next(); more {
					late.Add(1)
				}
			})
			client := newClient(t, Config{})
			for id := range int64(runs) {
				r := trigger(client, Target{Address: address}, id)
				require.Equal(t, Accepted, r.Kind, "%+v", r)
				finish.meet(t.Context())
				finished.meet(t.Context())
			}
			assert.Len(t, got.all(), runs)
			assert.Zero(t, late.Load())
		})
	}
}

// TestBrokenWithoutAnswer: a pooled connection that breaks after the request
// was written. Only what may be repeated is.
func TestBrokenWithoutAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		native bool
		call   func(ctx context.Context, c *Client, target Target) Kind
		want   Kind
		seen   int
	}{
		{name: "trigger to Java", call: triggerKind, want: Unknown, seen: 1},
		{name: "trigger to ours", native: true, call: triggerKind, want: Accepted, seen: 2},
		{name: "beat", call: func(ctx context.Context, c *Client, target Target) Kind {
			return kindOf(c.Beat(ctx, target))
		}, want: Accepted, seen: 2},
		{name: "kill", call: func(ctx context.Context, c *Client, target Target) Kind {
			_, err := c.Kill(ctx, target, 1)
			return kindOf(err)
		}, want: Unknown, seen: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got recorder
			header := "x: y"
			if tt.native {
				header = wire.HeaderExecutor + ": " + wire.Native
			}
			address := executor(t, answering(func(p *peer, s seen) {
				got.add(s)
				if len(got.all()) == 2 { // the second request of the only connection
					p.reset()
					return
				}
				p.ok(success, header)
			}))
			client, target := newClient(t, Config{}), Target{Address: address}
			require.Equal(t, Accepted, trigger(client, target, 1).Kind)
			assert.Equal(t, tt.want, tt.call(t.Context(), client, target))
			assert.Len(t, got.all(), 1+tt.seen)
		})
	}
}

func triggerKind(_ context.Context, c *Client, target Target) Kind { return trigger(c, target, 2).Kind }

func kindOf(err error) Kind {
	var e *Error
	if err == nil {
		return Accepted
	}
	if errors.As(err, &e) {
		return e.Result.Kind
	}
	return 0
}

// TestClosesOnSight: an executor that accepts connections and closes them gets
// nothing, and the call ends.
func TestClosesOnSight(t *testing.T) {
	t.Parallel()
	address := executor(t, func(p *peer) { _ = p.Close() })
	client := newClient(t, Config{})
	for id := range int64(50) {
		r := trigger(client, Target{Address: address}, id)
		// The request may be on its way before the end is seen: then nobody knows.
		assert.Contains(t, []Kind{NotSent, Unknown}, r.Kind)
		assert.Equal(t, r.Kind == NotSent, r.SentAt.IsZero())
	}
}

// TestTooLarge: what no executor takes is not sent; what this one does not take
// is refused, never in doubt.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	var got recorder
	address := executor(t, answering(func(p *peer, s seen) { got.add(s); p.ok(success) }))
	client := newClient(t, Config{})
	req := testTrigger(1)
	req.ExecutorParams = wire.Str(strings.Repeat("x", wire.MaxBody))
	r := sendAndWait(client, client.Prepare(Target{Address: address}, req))
	assert.Equal(t, NotSent, r.Kind)
	assert.Contains(t, r.Msg, "at most 5242880")
	assert.Empty(t, got.all())

	req.ExecutorParams = wire.Str(strings.Repeat("x", 4<<20))
	assert.Equal(t, Accepted, sendAndWait(client, client.Prepare(Target{Address: address}, req)).Kind)

	stingy := executor(t, func(p *peer) {
		_, _ = p.br.Discard(100)
		p.say("HTTP/1.1 413 Request Entity Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
		_ = p.Close()
	})
	for range 20 {
		r = sendAndWait(client, client.Prepare(Target{Address: stingy}, req))
		assert.Contains(t, []Kind{Refused, NotSent}, r.Kind, "%+v", r)
	}
}
