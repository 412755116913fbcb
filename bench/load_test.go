//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// serveExecutor answers on a free port of loopback until the end of the test.
func serveExecutor(t *testing.T, answer func(tr wire.TriggerRequest, w http.ResponseWriter)) int {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		tr, err := wire.DecodeTrigger(body)
		if err != nil || r.URL.Path != wire.PathRun || r.Header.Get(wire.HeaderToken) != token {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		answer(tr, w)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().(*net.TCPAddr).Port
}

func success(w http.ResponseWriter) {
	_, _ = w.Write(wire.AppendResponse(nil, wire.Response{Code: wire.CodeSuccess}))
}

// says returns an answer with a body.
func says(body string) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) { _, _ = io.WriteString(w, body) }
}

// TestSend counts each kind of answer as what it is.
func TestSend(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		answer  func(w http.ResponseWriter)
		refusal string
		want    totals // of every tenth trigger
		wantErr string
	}{
		{name: "accepted", answer: success, want: totals{accepted: 10}},
		{
			name: "refused as expected", refusal: limitName, want: totals{refused: 10},
			answer: says(`{"code":500,"msg":"raise MaxQueuePerJob"}`),
		},
		{
			name: "refused without the reason", refusal: limitName, want: totals{refused: 10}, wantErr: `does not say "MaxQueuePerJob"`,
			answer: says(`{"code":500,"msg":"no"}`),
		},
		{
			name: "refused unexpectedly", want: totals{refused: 10}, wantErr: "a trigger was refused: null",
			answer: says(`{"code":500}`),
		},
		{
			name: "garbage", want: totals{refused: 10}, wantErr: "answer to a trigger",
			answer: says(`<html>`),
		},
		{
			name: "another status", want: totals{failed: 10},
			answer: func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var seen atomic.Int64
			port := serveExecutor(t, func(tr wire.TriggerRequest, w http.ResponseWriter) {
				seen.Add(1)
				if tr.LogID%10 == 0 {
					tt.answer(w)
					return
				}
				success(w)
			})
			c := newClient(port)
			defer c.close()
			book := newLedger(firstID, 100)
			_, err := c.send(load{handler: "bench", jobs: 7, refusal: tt.refusal, book: book, count: 100}, 4)
			if tt.wantErr == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.wantErr)
			}
			got := book.totals(wire.CodeSuccess)
			tt.want.accepted += 90
			tt.want.sent, tt.want.lost = 100, tt.want.accepted
			assert.Equal(t, tt.want, got)
			assert.Equal(t, int64(100), seen.Load(), "each trigger is sent once")
		})
	}
}

// TestSendSpreadsJobs looks at what is sent.
func TestSendSpreadsJobs(t *testing.T) {
	t.Parallel()
	var perJob [4]atomic.Int64
	port := serveExecutor(t, func(tr wire.TriggerRequest, w http.ResponseWriter) {
		if tr.JobID >= 1 && tr.JobID <= 3 && tr.ExecutorHandler.String == "bench" && tr.GlueType.String == wire.GlueTypeBean {
			perJob[tr.JobID].Add(1)
		}
		success(w)
	})
	c := newClient(port)
	defer c.close()
	_, err := c.send(load{handler: "bench", jobs: 3, book: newLedger(firstID, 9), count: 9}, 2)
	require.NoError(t, err)
	for job := 1; job <= 3; job++ {
		assert.Equal(t, int64(3), perJob[job].Load(), "job %d", job)
	}
}

// TestNobodyListens leaves the triggers unanswered.
func TestNobodyListens(t *testing.T) {
	t.Parallel()
	port, err := freePort()
	require.NoError(t, err)
	c := newClient(port)
	defer c.close()
	book := newLedger(firstID, 3)
	_, err = c.send(load{handler: "bench", jobs: 1, book: book, count: 3}, 1)
	require.NoError(t, err)
	assert.Equal(t, totals{sent: 3, failed: 3}, book.totals(wire.CodeSuccess))
	assert.Error(t, c.beat())
}

// TestStandIn posts to the admin as executors do.
func TestStandIn(t *testing.T) {
	t.Parallel()
	s, err := newStandIn()
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.close(context.WithoutCancel(t.Context()))) }()
	post := func(path string, body []byte) wire.Response {
		c := conn{addr: s.addr}
		defer c.close()
		raw, err := c.exchange(contextPath+path, body)
		require.NoError(t, err)
		res, err := wire.DecodeResponse(raw)
		require.NoError(t, err)
		return res
	}
	book := newLedger(firstID, 2)
	book.send(0, time.Now())
	book.settle(0, accepted, time.Now())
	s.book.Store(book)

	assert.Equal(t, wire.CodeSuccess, post(wire.PathRegistry, nil).Code)
	assert.Equal(t, int64(1), s.beats.Load())
	assert.Equal(t, wire.CodeFail, post("/api/other", nil).Code)
	assert.Equal(t, wire.CodeFail, post(wire.PathCallback, []byte("{")).Code)
	assert.Equal(t, int64(1), s.garbage.Load())

	for _, form := range []wire.CallbackForm{wire.FormArray, wire.FormObject} {
		body := wire.AppendCallbacks(nil, form, result(0, wire.CodeSuccess))
		s.refuses.Store(true)
		assert.Equal(t, wire.CodeFail, post(wire.PathCallback, body).Code)
		s.refuses.Store(false)
		assert.Equal(t, wire.CodeSuccess, post(wire.PathCallback, body).Code)
	}
	assert.Equal(t, totals{sent: 1, accepted: 1, doubled: 1}, book.totals(wire.CodeSuccess), "refused posts count for nothing")
}

func TestCheckPage(t *testing.T) {
	t.Parallel()
	good := wire.LogResult{FromLineNum: 3, ToLineNum: 4, LogContent: logLine(3) + logLine(4)}
	require.NoError(t, checkPage(good, 3))
	for name, page := range map[string]wire.LogResult{
		"another page":      {FromLineNum: 4, ToLineNum: 4, LogContent: logLine(4)},
		"text of another":   {FromLineNum: 3, ToLineNum: 4, LogContent: logLine(4) + logLine(4)},
		"one line missing":  {FromLineNum: 3, ToLineNum: 4, LogContent: logLine(3)},
		"counted wrongly":   {FromLineNum: 3, ToLineNum: 5, LogContent: logLine(3) + logLine(4)},
		"nothing":           {FromLineNum: 3, ToLineNum: 2},
		"last line cut off": {FromLineNum: 3, ToLineNum: 4, LogContent: logLine(3) + "2026\n"},
	} {
		assert.Error(t, checkPage(page, 3), name)
	}
}

// TestWriteLog knows its own lines again.
func TestWriteLog(t *testing.T) {
	t.Parallel()
	name := t.TempDir() + "/a.log"
	lines, err := writeLog(name, 10_000)
	require.NoError(t, err)
	content := readText(name)
	assert.GreaterOrEqual(t, len(content), 10_000)
	assert.NoError(t, checkPage(wire.LogResult{FromLineNum: 1, ToLineNum: lines, LogContent: content}, 1))
}

func TestPollStops(t *testing.T) {
	t.Parallel()
	calls := 0
	require.NoError(t, poll(t.Context(), time.Minute, "late", func() (bool, error) { calls++; return calls == 3, nil }))
	broken := errors.New("broken")
	require.ErrorIs(t, poll(t.Context(), time.Minute, "late", func() (bool, error) { return false, broken }), broken)
	err := poll(t.Context(), time.Millisecond, "it came not", func() (bool, error) { return false, nil })
	require.ErrorContains(t, err, fmt.Sprintf("it came not within %v", time.Millisecond))
}
