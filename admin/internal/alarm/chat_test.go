package alarm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// request is what a server of a test was sent.
type request struct {
	url    *url.URL
	header http.Header
	body   string
}

// service answers every request with the status and the body, and hands over
// what it was sent.
func service(t *testing.T, status int, answer string) (address string, got chan request) {
	t.Helper()
	got = make(chan request, 16)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		got <- request{url: r.URL, header: r.Header, body: string(body)}
		w.WriteHeader(status)
		_, err = io.WriteString(w, answer)
		assert.NoError(t, err)
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

// through sends one alarm through a channel and returns the error.
func through(t *testing.T, ch Channel, a Alarm) error {
	t.Helper()
	ch.Name = "c"
	m, err := New(Config{
		Channels: []Channel{ch}, Egress: Egress{AllowLoopback: true}, SendTimeout: 5 * time.Second, Location: time.UTC,
	})
	require.NoError(t, err)
	return m.lanes[0].attempt(t.Context(), newMessage(a.compact(), 0, &m.cfg))
}

// nasty is an alarm of which every text tries to be more than text.
func nasty() Alarm {
	return Alarm{
		Kind: RunFailed, LogID: 70, TriggerCode: 200, HandleCode: 500, Group: "g<@all>",
		HandleMsg: "[click](http://evil.test) <!channel> <at user_id=\"all\"></at> <@U1> & \"q\"\nsecond line",
		Job:       &model.Job{ID: 7, Name: "night\nly <b>", Author: model.T("@all")},
		At:        time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC),
	}
}

func decoded(t *testing.T, body string) map[string]any {
	t.Helper()
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(body), &got), body)
	return got
}

func TestDingTalk(t *testing.T) {
	t.Parallel()
	address, got := service(t, 200, `{"errcode":0,"errmsg":"ok"}`)
	require.NoError(t, through(t, Channel{
		Type: TypeDingTalk, URL: Secret(address + "/robot/send?access_token=tok"), SignSecret: "SECabc",
	}, nasty()))
	r := <-got
	query := r.url.Query()
	assert.Equal(t, "tok", query.Get("access_token"))
	stamp, err := strconv.ParseInt(query.Get("timestamp"), 10, 64)
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now(), time.UnixMilli(stamp), time.Minute)
	assert.Equal(t, sign("SECabc", query.Get("timestamp")+"\nSECabc"), query.Get("sign"))
	body := decoded(t, r.body)
	assert.Equal(t, "markdown", body["msgtype"])
	text := body["markdown"].(map[string]any)["text"].(string)
	assert.Contains(t, text, "**Job ID**: 7")
	assert.Contains(t, text, "second line")
	for _, live := range []string{"](", "<!", "<a", "<@", "<b", "<U"} {
		assert.NotContains(t, text, live)
	}
	assert.Equal(t, "application/json; charset=utf-8", r.header.Get("Content-Type"))
}

func TestSign(t *testing.T) {
	t.Parallel()
	// Computed with: printf '1577262236757\nthis is secret' | openssl dgst -sha256 -hmac 'this is secret' -binary | base64
	assert.Equal(t, "hmPWwU+7lVdm3ZZz0r9tSfx0L4Q26jWOZr9+Gs6EZQM=", sign("this is secret", "1577262236757\nthis is secret"))
}

func TestWeCom(t *testing.T) {
	t.Parallel()
	address, got := service(t, 200, `{"errcode":0,"errmsg":"ok"}`)
	a := nasty()
	a.HandleMsg += strings.Repeat("数", 4000)
	require.NoError(t, through(t, Channel{Type: TypeWeCom, URL: Secret(address + "/cgi-bin/webhook/send?key=k")}, a))
	body := decoded(t, (<-got).body)
	assert.Equal(t, "text", body["msgtype"])
	content := body["text"].(map[string]any)["content"].(string)
	assert.LessOrEqual(t, len(content), 2048)
	assert.Contains(t, content, "<!channel>", "text is text")
}

func TestFeishu(t *testing.T) {
	t.Parallel()
	address, got := service(t, 200, `{"code":0,"msg":"success","data":{}}`)
	require.NoError(t, through(t, Channel{Type: TypeFeishu, URL: Secret(address + "/hook/x"), SignSecret: "s3"}, nasty()))
	body := decoded(t, (<-got).body)
	assert.Equal(t, "post", body["msg_type"])
	stamp := body["timestamp"].(string)
	assert.Len(t, stamp, 10, "seconds")
	assert.Equal(t, sign(stamp+"\ns3", ""), body["sign"])
	post := body["content"].(map[string]any)["post"].(map[string]any)["zh_cn"].(map[string]any)
	assert.Equal(t, "Job alarm: night ly <b> (7)", post["title"])
	paragraph := post["content"].([]any)[0].([]any)
	require.Len(t, paragraph, 1)
	element := paragraph[0].(map[string]any)
	assert.Equal(t, "text", element["tag"])
	assert.Contains(t, element["text"], `<at user_id="all"></at>`)
}

func TestSlack(t *testing.T) {
	t.Parallel()
	address, got := service(t, 200, `ok`)
	a := nasty()
	a.HandleMsg += strings.Repeat("x", 5000)
	require.NoError(t, through(t, Channel{Type: TypeSlack, URL: Secret(address + "/services/T/B/x")}, a))
	body := decoded(t, (<-got).body)
	assert.Equal(t, "Job alarm: night ly &lt;b&gt; (7)", body["text"])
	for _, block := range body["blocks"].([]any) {
		text := block.(map[string]any)["text"].(map[string]any)
		assert.Equal(t, "plain_text", text["type"])
		assert.LessOrEqual(t, len(text["text"].(string)), 3000)
	}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	address, got := service(t, 202, ``)
	require.NoError(t, through(t, Channel{
		Type: TypeWebhook, URL: Secret(address + "/alert"), Template: `{"id":{{job_id}},"text":"{{handle_msg}}"}`,
		Headers: map[string]Secret{"authorization": "Bearer b4"},
	}, nasty()))
	r := <-got
	assert.Equal(t, "Bearer b4", r.header.Get("Authorization"))
	assert.Equal(t, map[string]any{"id": 7.0, "text": nasty().HandleMsg}, decoded(t, r.body))
}

func TestAnswersOfServices(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		kind      Type
		status    int
		answer    string
		wantErr   string // empty: sent
		permanent bool
	}{
		{name: "slack refuses", kind: TypeSlack, status: 403, answer: "invalid_token", wantErr: "HTTP 403", permanent: true},
		{name: "slack is busy", kind: TypeSlack, status: 429, wantErr: "HTTP 429"},
		{name: "webhook down", kind: TypeWebhook, status: 503, wantErr: "HTTP 503"},
		{name: "webhook says no content", kind: TypeWebhook, status: 204},
		{name: "bad signature", kind: TypeDingTalk, status: 200, answer: `{"errcode":310000,"errmsg":"sign not match"}`, wantErr: "310000: sign not match", permanent: true},
		{name: "dingtalk is busy", kind: TypeDingTalk, status: 200, answer: `{"errcode":130101,"errmsg":"send too fast"}`, wantErr: "130101"},
		{name: "wecom is busy", kind: TypeWeCom, status: 200, answer: `{"errcode":45009,"errmsg":"freq"}`, wantErr: "45009"},
		{name: "feishu refuses", kind: TypeFeishu, status: 200, answer: `{"code":19021,"msg":"sign match fail"}`, wantErr: "19021", permanent: true},
		{name: "feishu of old", kind: TypeFeishu, status: 200, answer: `{"StatusCode":0,"StatusMessage":"success"}`},
		{name: "a page", kind: TypeWeCom, status: 200, answer: `<html>`, wantErr: "not that of a chat robot", permanent: true},
		{name: "an object of another service", kind: TypeWeCom, status: 200, answer: `{"ok":true}`, wantErr: "no code", permanent: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			address, _ := service(t, tt.status, tt.answer)
			err := through(t, Channel{Type: tt.kind, URL: Secret(address + "/hook/very-secret?key=hidden-key")}, nasty())
			if tt.wantErr == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.wantErr)
			assert.Equal(t, tt.permanent, isPermanent(err))
			assert.NotContains(t, err.Error(), "secret")
			assert.NotContains(t, err.Error(), "hidden-key")
		})
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	target, got := service(t, 200, "ok")
	server := httptest.NewServer(http.RedirectHandler(target, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	err := through(t, Channel{
		Type: TypeWebhook, URL: Secret(server.URL), Headers: map[string]Secret{"Authorization": "Bearer b4"},
	}, nasty())
	require.ErrorContains(t, err, "redirect")
	assert.True(t, isPermanent(err))
	assert.Empty(t, got)
}

func TestEgressOfAWebhook(t *testing.T) {
	t.Parallel()
	address, got := service(t, 200, "ok")
	_, port, err := net.SplitHostPort(strings.TrimPrefix(address, "http://"))
	require.NoError(t, err)
	for _, host := range []string{"127.0.0.1", "localhost", "169.254.169.254", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		m, err := New(Config{Channels: []Channel{{Name: "c", Type: TypeSlack, URL: Secret("http://" + host + ":" + port)}}})
		require.NoError(t, err)
		err = m.Test(t.Context(), "c")
		require.ErrorIs(t, err, ErrRefusedAddress, host)
		assert.True(t, isPermanent(err))
	}
	assert.Empty(t, got)
}

func TestEndlessAnswersAndSilence(t *testing.T) {
	t.Parallel()
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chunk := make([]byte, 64<<10)
		for r.Context().Err() == nil {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	t.Cleanup(endless.Close)
	require.Error(t, through(t, Channel{Type: TypeWeCom, URL: Secret(endless.URL)}, nasty()))

	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { silent.Close() })
	m, err := New(Config{
		Channels: []Channel{{Name: "c", Type: TypeSlack, URL: Secret("http://" + silent.Addr().String() + "/very-secret")}},
		Egress:   Egress{AllowLoopback: true}, SendTimeout: 100 * time.Millisecond,
	})
	require.NoError(t, err)
	err = m.Test(t.Context(), "c")
	require.Error(t, err)
	assert.True(t, errors.Is(err, context.DeadlineExceeded), "%v", err)
	assert.NotContains(t, err.Error(), "very-secret")
}
