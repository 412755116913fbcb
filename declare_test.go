package xxljob

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// logLines collects what the executor logs.
type logLines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// declareBed is an executor that has not begun, with two jobs declared.
func declareBed(t *testing.T, logs *logLines) *bed {
	t.Helper()
	b := prepareBed(t, t.TempDir(), func(cfg *Config) { cfg.Logger = slog.New(slog.NewTextHandler(logs, nil)) })
	require.NoError(t, b.e.Register("closeDay", nothing,
		Job{Name: "close the day", Cron: "0 0 2 * * ?", TimeZone: "Asia/Taipei", Children: []string{"mail"}, Start: true},
		MaxConcurrent(2)))
	require.NoError(t, b.e.Register("mail", nothing,
		Job{Every: 90 * time.Second, Timeout: time.Minute, Retries: 2, Route: "ROUND", Params: "p"}))
	return b
}

// declared answers a declaration with this result, and all else with success.
func declared(result wire.DeclareResult) func(call) (int, string) {
	return func(c call) (int, string) {
		if !strings.HasSuffix(c.path, wire.PathDeclareJobs) {
			return 200, adminSuccess
		}
		payload, err := json.Marshal(result)
		if err != nil {
			return 500, err.Error()
		}
		return 200, string(wire.AppendAdminResponse(nil, wire.Response{Code: 200, Payload: wire.Str(string(payload))}))
	}
}

// TestDeclare: jobs are declared once, after the first heartbeat that was
// accepted, and Stats and the log tell what became of them.
func TestDeclare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		logs := &logLines{}
		b := declareBed(t, logs)
		node := b.admin.node(1)
		node.policy = wire.DeclareUpdate
		node.set(false, declared(wire.DeclareResult{
			Policy: wire.DeclareUpdate, Gone: []string{"old"},
			Jobs: []wire.Declared{
				{Name: "close the day", Outcome: wire.OutcomeCreated, ID: 7},
				{Name: "mail", Outcome: wire.OutcomeKept, ID: 8, Note: "kept as a person has set it: route"},
			},
		}))
		b.start()
		after(5 * time.Minute)

		calls := node.of(wire.PathDeclareJobs)
		require.Len(t, calls, 1, "once, however many heartbeats there are")
		assert.Equal(t, testToken, calls[0].header.Get(wire.HeaderToken))
		assert.Equal(t, testApp, calls[0].header.Get(wire.HeaderAppName))
		assert.False(t, calls[0].at.Before(node.of(wire.PathRegistry)[0].at))
		req, err := wire.DecodeDeclare([]byte(calls[0].body))
		require.NoError(t, err)
		require.Len(t, req.Jobs, 2)
		first, second := req.Jobs[0], req.Jobs[1]
		assert.Equal(t, "close the day", first.Name.String)
		assert.Equal(t, "closeDay", first.ExecutorHandler.String)
		assert.Equal(t, []string{"mail"}, first.Children)
		assert.True(t, first.Start)
		assert.Equal(t, "Asia/Taipei", first.TimeZone.String)
		assert.Equal(t, "mail", second.Name.String, "the handler's name")
		assert.Equal(t, testApp, second.Author.String)
		assert.Equal(t, wire.ScheduleFixRate+" 90", second.ScheduleType.String+" "+second.ScheduleConf.String)
		assert.Equal(t, int32(60), second.ExecutorTimeout)
		assert.Equal(t, int32(2), second.ExecutorFailRetryCount)
		assert.Equal(t, wire.RouteRound, second.ExecutorRouteStrategy.String)

		st := b.e.Stats().FromCode
		assert.False(t, st.At.IsZero())
		st.At = time.Time{}
		assert.Equal(t, JobStats{Declared: 2, Created: 1, Kept: 1}, st)
		assert.Contains(t, logs.String(), "kept as a person has set it: route")
		assert.Contains(t, logs.String(), "job=old")
	})
}

// TestDeclareAgain: an admin that fails is asked again, at longer and longer
// times, while heartbeats go on; a policy that changes is a reason to ask again.
func TestDeclareAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		logs := &logLines{}
		b := declareBed(t, logs)
		node := b.admin.node(1)
		node.policy = wire.DeclareCreate
		node.set(false, func(c call) (int, string) {
			if strings.HasSuffix(c.path, wire.PathDeclareJobs) {
				return 0, "" // hangs
			}
			return 200, adminSuccess
		})
		b.start()
		after(10 * time.Minute)
		tries := len(node.of(wire.PathDeclareJobs))
		assert.Greater(t, tries, 2)
		assert.Less(t, tries, 12)
		assert.GreaterOrEqual(t, len(node.of(wire.PathRegistry)), 20, "heartbeats do not wait for it")
		assert.InDelta(t, tries, b.e.Stats().FromCode.Failures, 1, "one may be under way")

		node.set(false, declared(wire.DeclareResult{Policy: wire.DeclareCreate}))
		after(time.Hour)
		tries = len(node.of(wire.PathDeclareJobs))
		assert.False(t, b.e.Stats().FromCode.At.IsZero())
		node.mu.Lock()
		node.policy = wire.DeclareUpdate
		node.mu.Unlock()
		after(time.Hour)
		assert.Len(t, node.of(wire.PathDeclareJobs), tries+1)
	})
}

// TestDeclareElsewhere: an admin that tells no policy gets nothing that it does
// not know, and one that refuses is not asked; one warning says so.
func TestDeclareElsewhere(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]string{"": "this admin is a Java one", wire.DeclareOff: "--jobs-from-code=create"} {
		t.Run("policy "+policy, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				logs := &logLines{}
				b := declareBed(t, logs)
				b.admin.node(1).policy = policy
				b.start()
				after(time.Hour)
				assert.Empty(t, b.admin.node(1).of(wire.PathDeclareJobs))
				assert.Equal(t, 1, strings.Count(logs.String(), want))
				assert.Equal(t, JobStats{Declared: 2}, b.e.Stats().FromCode)
			})
		})
	}
}

// TestJobFaults: what an admin would have to refuse is refused by Register as
// far as it can be seen there.
func TestJobFaults(t *testing.T) {
	t.Parallel()
	for want, j := range map[string]Job{
		"Cron and Every":     {Cron: "0 0 2 * * ?", Every: time.Second},
		"Start needs":        {Start: true},
		"Every is":           {Every: 1500 * time.Millisecond},
		"Timeout is":         {Timeout: -time.Second},
		"Retries is":         {Retries: -1},
		"Route is":           {Route: "NEAREST"},
		"Block is":           {Block: "NONE"},
		"Misfire is":         {Misfire: "NEVER"},
		"has outer blanks":   {Name: " a"},
		`"b" is declared tw`: {Name: "b"},
	} {
		e, err := NewExecutor(Config{AdminAddrs: []string{"http://a"}, AppName: "a", AccessToken: "t"})
		require.NoError(t, err)
		require.NoError(t, e.Register("first", nothing, Job{Name: "b"}))
		require.ErrorContains(t, e.Register("h", nothing, j), want)
	}
}

func nothing(context.Context, *Run) error { return nil }
