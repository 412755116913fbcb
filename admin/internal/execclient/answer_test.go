package execclient

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"github.com/xxljob-go/xxljob/internal/wire"
)

const success = `{"code":200,"msg":"Success"}`

// TestAnswers sends one trigger to executors that answer in every way.
func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		give    string // raw; "" closes without an answer
		kind    Kind
		code    int32
		msg     string // part of it
		wantErr error
	}{
		{name: "Java 2.2.0", give: sized(`{"code":200}`), kind: Accepted, code: 200},
		{name: "Java 3.2.0", give: sized(success), kind: Accepted, code: 200, msg: "Success"},
		{name: "ours", give: sized(`{"code":200,"msg":"m","content":"x","data":"x"}`), kind: Accepted, code: 200, msg: "m"},
		{name: "spaces and keys of others", give: sized(` {"x":[1],"code":"200"} ` + "\n"), kind: Accepted, code: 200},
		{
			name: "refused", give: sized(`{"code":500,"msg":"block strategy effect：Discard Later"}`),
			kind: Refused, code: 500, msg: wire.TextDiscardLater,
		},
		{name: "refused without text", give: sized(`{"code":500}`), kind: Refused, code: 500},
		{name: "wrong token", give: sized(`{"code":500,"msg":"The access token is wrong."}`), kind: Refused, code: 500, msg: wire.TextTokenWrong},
		{name: "repeat", give: sized(`{"code":500,"msg":"repeat trigger job, logId:7"}`), kind: Repeat, code: 500, msg: "logId:7"},
		{name: "repeat, old", give: sized(`{"code":500,"msg":"repeate trigger job, logId:7"}`), kind: Repeat, code: 500},
		{name: "repeat, ours", give: sized(`{"code":200,"msg":"repeat trigger job, logId:7"}`), kind: Repeat, code: 200},
		{name: "no code", give: sized(`{"msg":"hello"}`), kind: Unknown, code: 500, msg: `{"msg":"hello"}`, wantErr: ErrAnswer},
		{name: "not JSON", give: sized("<html>it works</html>"), kind: Unknown, code: 500, msg: "<html>it works</html>", wantErr: ErrAnswer},
		{name: "an object as payload", give: sized(`{"code":200,"data":{}}`), kind: Unknown, code: 500, wantErr: ErrAnswer},
		{name: "empty", give: sized(""), kind: Unknown, code: 500, wantErr: ErrAnswer},
		{name: "not HTTP", give: "SSH-2.0-OpenSSH_9.2\r\n\r\n", kind: Unknown, code: 500},
		{name: "no answer", give: "", kind: Unknown, code: 500, msg: "Unexpected end of file from server", wantErr: io.EOF},
		{name: "half a header", give: "HTTP/1.1 200 OK\r\ncontent-le", kind: Unknown, code: 500},
		{name: "half a body", give: "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"code\":200}", kind: Unknown, code: 500},
		{
			name: "chunked", give: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7\r\n{\"code\"\r\n5\r\n:200}\r\n0\r\n\r\n",
			kind: Accepted, code: 200,
		},
		{
			name: "broken chunk", give: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{\"code\":200}\r\n0\r\n\r\n",
			kind: Unknown, code: 500,
		},
		{
			name: "interim answers", give: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + sized(success),
			kind: Accepted, code: 200,
		},
		{name: "ended by the connection", give: "HTTP/1.1 200 OK\r\n\r\n" + success, kind: Accepted, code: 200},
		{name: "HTTP/1.0", give: "HTTP/1.0 200 OK\r\ncontent-length: 12\r\n\r\n{\"code\":200}", kind: Accepted, code: 200},
		{name: "status 204", give: "HTTP/1.1 204 No Content\r\n\r\n", kind: Unknown, code: 500, msg: "statusCode(204)", wantErr: ErrStatus},
		{name: "status 403", give: status(403), kind: Refused, code: 500, msg: "Http Request fail, statusCode(403) for url : ", wantErr: ErrStatus},
		{name: "status 413", give: status(413), kind: Refused, code: 500, msg: "statusCode(413)", wantErr: ErrStatus},
		{name: "status 502", give: status(502), kind: Unknown, code: 500, msg: "statusCode(502)", wantErr: ErrStatus},
		{name: "switching protocols", give: "HTTP/1.1 101 Switching Protocols\r\n\r\n", kind: Unknown, code: 500, wantErr: ErrStatus},
		{
			name: "huge", give: "HTTP/1.1 200 OK\r\ncontent-length: 5242881\r\n\r\n" + strings.Repeat(" ", 5242881),
			kind: Unknown, code: 500,
		},
		{name: "huge header", give: "HTTP/1.1 200 OK\r\nx: " + strings.Repeat("y", 9000) + "\r\n\r\n", kind: Unknown, code: 500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			address := executor(t, func(p *peer) {
				if _, ok := p.next(); !ok {
					return
				}
				p.say(tt.give)
			})
			got := trigger(newClient(t, Config{Dialect: DialectRun}), Target{Address: address}, 7)
			assert.Equal(t, tt.kind, got.Kind, "%+v", got)
			assert.Equal(t, tt.code, got.Code)
			assert.Contains(t, got.Msg, tt.msg)
			assert.False(t, got.SentAt.IsZero())
			if tt.wantErr != nil {
				require.ErrorIs(t, got.Err, tt.wantErr)
			}
			if tt.kind != Unknown && tt.wantErr == nil {
				require.NoError(t, got.Err)
			}
			if tt.kind == Accepted {
				assert.False(t, got.AnsweredAt.Before(got.SentAt))
			}
		})
	}
}

func sized(body string) string {
	return "HTTP/1.1 200 OK\r\ncontent-length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

func status(n int) string {
	return "HTTP/1.1 " + strconv.Itoa(n) + " x\r\ncontent-length: 0\r\n\r\n"
}

// TestNoRedirect: a redirect is an answer, and the token goes nowhere else.
func TestNoRedirect(t *testing.T) {
	t.Parallel()
	var elsewhere recorder
	other := executor(t, answering(func(p *peer, s seen) { elsewhere.add(s); p.ok(success) }))
	for _, code := range []int{301, 302, 303, 307, 308} {
		address := executor(t, answering(func(p *peer, _ seen) {
			p.say("HTTP/1.1 " + strconv.Itoa(code) + " x\r\nlocation: " + other + "\r\ncontent-length: 0\r\n\r\n")
		}))
		got := trigger(newClient(t, Config{GlobalToken: "secret"}), Target{Address: address}, 1)
		assert.Equal(t, Refused, got.Kind)
		assert.Contains(t, got.Msg, "statusCode("+strconv.Itoa(code)+")")
	}
	assert.Empty(t, elsewhere.all())
}

// TestShape compares what we send with what the Java admins 2.5.0 and 3.4.2
// were recorded to send.
func TestShape(t *testing.T) {
	t.Parallel()
	var got recorder
	address := executor(t, answering(func(p *peer, s seen) { got.add(s); p.ok(success) }))
	client := newClient(t, Config{GlobalToken: "default_token"})
	target := Target{Address: address, AppName: "app"}
	for _, file := range []string{"admin_A_2.5.0_to_executor.jsonl", "admin_C_3.4.2_to_executor.jsonl"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "internal", "wire", "testdata", file))
		require.NoError(t, err)
		lines := 0
		for line := range bytes.Lines(text) {
			lines++
			var want struct {
				Method   string            `json:"request_method"`
				Endpoint string            `json:"endpoint"`
				Header   map[string]string `json:"request_headers"`
				Body     string            `json:"request_body"`
			}
			require.NoError(t, json.Unmarshal(line, &want))
			replay(t, client, target, want.Endpoint, want.Body)
			seen := got.all()
			s := seen[len(seen)-1]
			assert.Equal(t, want.Method, s.method)
			assert.Equal(t, want.Endpoint, s.target)
			for _, name := range []string{"content-type", wire.HeaderToken, "connection"} {
				assert.Equal(t, want.Header[strings.ToLower(name)], s.header.Get(name), name)
			}
			assert.NotEmpty(t, s.header.Get("Accept-Charset"))
			assert.Equal(t, "app", s.header.Get(wire.HeaderAppName))
			assert.Equal(t, int64(len(s.body)), s.length)
			switch want.Endpoint {
			case wire.PathBeat:
				assert.Equal(t, `""`, s.body)
			case wire.PathLog: // ours has the time under both of its names
				wanted, err := wire.DecodeLog([]byte(want.Body))
				require.NoError(t, err)
				sent, err := wire.DecodeLog([]byte(s.body))
				require.NoError(t, err)
				assert.Equal(t, wanted, sent)
			default:
				assert.Equal(t, want.Body, s.body)
			}
		}
		assert.Positive(t, lines)
	}
}

// replay makes the client send what was recorded.
func replay(t *testing.T, client *Client, target Target, endpoint, body string) {
	t.Helper()
	switch endpoint {
	case wire.PathRun:
		req, err := wire.DecodeTrigger([]byte(body))
		require.NoError(t, err)
		require.Equal(t, Accepted, sendAndWait(client, client.Prepare(target, &req)).Kind)
	case wire.PathLog:
		req, err := wire.DecodeLog([]byte(body))
		require.NoError(t, err)
		_, _, err = client.Log(t.Context(), target, req)
		require.NoError(t, err)
	case wire.PathKill:
		req, err := wire.DecodeJob([]byte(body))
		require.NoError(t, err)
		_, err = client.Kill(t.Context(), target, req.JobID)
		require.NoError(t, err)
	case wire.PathIdleBeat:
		req, err := wire.DecodeJob([]byte(body))
		require.NoError(t, err)
		_, _, err = client.IdleBeat(t.Context(), target, req.JobID)
		require.NoError(t, err)
	case wire.PathBeat:
		require.NoError(t, client.Beat(t.Context(), target))
	default:
		t.Fatalf("unknown endpoint %s", endpoint)
	}
}

// TestCalls reads the answers of every generation.
func TestCalls(t *testing.T) {
	t.Parallel()
	answers := make(chan string, 1)
	address := executor(t, answering(func(p *peer, _ seen) { p.ok(<-answers) }))
	client, target := newClient(t, Config{}), Target{Address: address}

	answers <- `{"code":500,"msg":"full"}`
	err := client.Beat(t.Context(), target)
	require.EqualError(t, err, "full")
	r, ok := Answered(err)
	assert.True(t, ok)
	assert.Equal(t, int32(500), r.Code)

	answers <- success
	idle, _, err := client.IdleBeat(t.Context(), target, 3)
	require.NoError(t, err)
	assert.True(t, idle)
	answers <- `{"code":500,"msg":"` + wire.TextBusy + `"}`
	idle, msg, err := client.IdleBeat(t.Context(), target, 3)
	require.NoError(t, err)
	assert.False(t, idle)
	assert.Equal(t, wire.TextBusy, msg)

	for _, body := range []string{`{"code":200,"content":"gone"}`, `{"code":200,"msg":"Success","data":"gone"}`} {
		answers <- body
		resp, err := client.Kill(t.Context(), target, 3)
		require.NoError(t, err)
		assert.Equal(t, "gone", resp.Payload.String)
	}
	for _, key := range []string{"content", "data"} {
		answers <- `{"code":200,"` + key + `":{"fromLineNum":1,"toLineNum":2,"logContent":"a\nb\n","isEnd":true}}`
		_, page, err := client.Log(t.Context(), target, wire.LogRequest{LogID: 1, FromLineNum: 1})
		require.NoError(t, err)
		assert.Equal(t, wire.LogResult{FromLineNum: 1, ToLineNum: 2, LogContent: "a\nb\n", IsEnd: true}, page)
	}
	long := strings.Repeat("x", 6<<20) // Java has no limit on it
	answers <- `{"code":200,"data":{"toLineNum":1,"logContent":"` + long + `"}}`
	_, page, err := client.Log(t.Context(), target, wire.LogRequest{LogID: 1})
	require.NoError(t, err)
	assert.Len(t, page.LogContent, len(long))

	answers <- "nonsense"
	_, _, err = client.Log(t.Context(), target, wire.LogRequest{LogID: 1})
	require.ErrorIs(t, err, ErrAnswer)
	_, ok = Answered(err)
	assert.False(t, ok)
	for _, call := range []func() error{
		func() error { return client.Beat(t.Context(), Target{Address: "nowhere"}) },
		func() error { _, _, err := client.IdleBeat(t.Context(), Target{Address: "nowhere"}, 1); return err },
		func() error { _, err := client.Kill(t.Context(), Target{Address: "nowhere"}, 1); return err },
	} {
		require.ErrorIs(t, call(), ErrAddress)
	}
}

// FuzzAnswer: whatever an executor says, only a code 200 is Accepted, and the
// message can be stored.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		sized(success), sized(`{"code":500,"msg":"repeat trigger job, logId:7"}`), status(404), "HTTP/1.1 200 OK\r\n\r\n{",
		"HTTP/1.1 100 Continue\r\n\r\n" + sized(`{"code":200}`), "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	client, err := New(Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(client.Close)
	f.Fuzz(func(t *testing.T, raw []byte) {
		call := client.newCall(Target{Address: "http://127.0.0.1:1/", AppName: "app"}, "", []byte("{}"))
		resp := new(fasthttp.Response)
		if resp.ReadLimitBody(bufio.NewReaderSize(bytes.NewReader(raw), readBuffer), call.limit) != nil {
			return
		}
		got := call.lane.judge(t.Context(), call, resp)
		if got.again {
			return
		}
		answer, err := wire.DecodeResponse(resp.Body())
		accepted := err == nil && answer.Code == 200 && resp.StatusCode() == http.StatusOK
		if (got.Kind == Accepted) != (accepted && !wire.IsRepeatText(answer.Msg.String)) {
			t.Errorf("judge(%q) = %+v, want accepted %v", raw, got.Result, accepted)
		}
		if got.Kind == 0 || !json.Valid(wire.AppendQuoted(nil, got.Msg)) {
			t.Errorf("judge(%q) = %+v", raw, got.Result)
		}
	})
}
