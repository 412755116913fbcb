package cli

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/client"
)

// flaky is an admin that is away for a time.
type flaky struct {
	start    time.Time
	from, to time.Duration // when it is away
	status   int           // what a proxy answers then; 0 is that nobody does
	ends     time.Duration // when its run does
	asked    []string      // paths with their queries, while it is away
}

func (f *flaky) RoundTrip(r *http.Request) (*http.Response, error) {
	at := time.Since(f.start)
	if at >= f.from && at < f.to {
		f.asked = append(f.asked, r.URL.RequestURI())
		if f.status == 0 {
			return nil, syscall.ECONNREFUSED
		}
		return f.answer(f.status, "text/html", "<p>gone"), nil
	}
	if strings.HasSuffix(r.URL.Path, "/stream") {
		if at < f.from {
			resp := f.answer(200, "text/event-stream",
				"event: log\nid: 1\ndata: {\"from_line\":1,\"to_line\":2,\"text\":\"a\\nb\\n\"}\n\n")
			resp.Body = io.NopCloser(io.MultiReader(resp.Body, cut(f.from-at)))
			return resp, nil
		}
		if r.URL.Query().Get("from_line") != "3" && r.Header.Get("Last-Event-ID") == "" {
			return f.answer(200, "text/event-stream", "event: log\ndata: {\"text\":\"twice\"}\n\n"), nil
		}
		return f.answer(200, "text/event-stream",
			"event: log\nid: 2\ndata: {\"from_line\":3,\"to_line\":3,\"text\":\"c\\n\"}\n\nevent: end\ndata: {}\n\n"), nil
	}
	if at < f.ends {
		return f.answer(200, "application/json", `{"id":1,"status":"running"}`), nil
	}
	return f.answer(200, "application/json", `{"id":1,"status":"success"}`), nil
}

// cut is a connection that breaks after a time.
type cut time.Duration

func (c cut) Read([]byte) (int, error) {
	<-time.After(time.Duration(c))
	return 0, io.ErrUnexpectedEOF
}

func (f *flaky) answer(status int, kind, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body)),
	}
}

// waitAt waits for a run of the admin, and returns what was printed and said.
func (w waiting) waitAt(t *testing.T, f *flaky) (out, told string, err error) {
	t.Helper()
	f.start = time.Now()
	c, err := client.New(client.Config{BaseURL: "http://admin", Key: "k", HTTPClient: &http.Client{Transport: f}})
	require.NoError(t, err)
	var o, e bytes.Buffer
	err = w.finish(t.Context(), Console{Out: &o, Err: &e}, c, &Form{Output: "table"}, []int64{1})
	return o.String(), e.String(), err
}

// An admin that is started again meanwhile does not end the wait: it is told once.
func TestWaitOutlivesARestart(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"nobody": 0, "bad gateway": 502, "busy": 503, "no service": 404} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &flaky{from: 2 * time.Second, to: 4 * time.Minute, status: status, ends: 3 * time.Minute}
				out, told, err := waiting{Wait: true}.waitAt(t, f)
				require.NoError(t, err)
				assert.Contains(t, out, "success")
				assert.Equal(t, 1, strings.Count(told, "the admin does not answer, asking on for 5m0s: "), told)
				assert.Equal(t, 1, strings.Count(told, "the admin answers again\n"), told)
				assert.Less(t, time.Since(f.start), 4*time.Minute+10*time.Second)
			})
		})
	}
}

// One that stays away ends it, and what came of the run is not known.
func TestWaitEndsWithAnAdminThatStaysAway(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		wait        waiting
		least, most time.Duration
	}{
		{"without a limit", waiting{Wait: true}, patience, patience + 15*time.Second},
		{"follow", waiting{Follow: true}, patience, patience + 40*time.Second},
		{"with a limit", waiting{Wait: true, WaitTimeout: time.Hour}, time.Hour, time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &flaky{from: 2 * time.Second, to: 9 * time.Hour, ends: time.Hour}
				_, _, err := tt.wait.waitAt(t, f)
				require.ErrorContains(t, err, "what came of run 1 is not known; \"xxl-job-admin run get 1\" tells")
				_, coded := errors.AsType[codedError](err)
				assert.False(t, coded, "the code is that of a fault")
				assert.GreaterOrEqual(t, time.Since(f.start), tt.least)
				assert.LessOrEqual(t, time.Since(f.start), tt.most)
			})
		})
	}
}

// A log goes on where it stood.
func TestFollowOutlivesARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{from: 500 * time.Millisecond, to: 3 * time.Minute}
		out, told, err := waiting{Follow: true}.waitAt(t, f)
		require.NoError(t, err)
		assert.Contains(t, out, "a\nb\nc\n")
		assert.Contains(t, told, "the admin answers again\n")
		assert.Contains(t, f.asked[len(f.asked)-1], "from_line=3")
	})
}

// A refusal of the admin itself is no silence.
func TestWaitEndsWithARefusal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{from: 2 * time.Second, to: time.Hour, status: 401, ends: time.Hour}
		_, told, err := waiting{Wait: true}.waitAt(t, f)
		require.ErrorIs(t, err, client.ErrUnauthenticated)
		assert.Empty(t, told)
		assert.Less(t, time.Since(f.start), 3*time.Second)
	})
}
