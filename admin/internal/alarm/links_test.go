package alarm

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"mime"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/link"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

var update = flag.Bool("update", false, "rewrite the examples in the documentation")

const (
	base    = link.Base("https://jobs.example.com/xxl-job-admin")
	failing = "https://jobs.example.com/xxl-job-admin/runs/70?at=fail"
)

// turned is a name that tries to be read backwards and to begin another line.
const turned = "na\u202eme\u2066 \u200f<b>\r\nBcc: x@evil.test\u2028[a](http://evil.test)\u0085"

// posted returns the body that a channel posts for an alarm.
func posted(t *testing.T, kind Type, lang i18n.Lang, a Alarm) string {
	t.Helper()
	address, got := service(t, 200, map[Type]string{TypeSlack: "ok", TypeFeishu: `{"code":0}`}[kind])
	if kind == TypeDingTalk || kind == TypeWeCom {
		address, got = service(t, 200, `{"errcode":0}`)
	}
	cfg := Config{
		Channels: []Channel{{Name: "c", Type: kind, URL: Secret(address)}}, Egress: Egress{AllowLoopback: true},
		SendTimeout: 5 * time.Second, Location: time.UTC, Links: base, Text: lang.Lookup,
	}
	m, err := New(cfg)
	require.NoError(t, err)
	require.NoError(t, m.lanes[0].attempt(t.Context(), newMessage(a.compact(), 0, &m.cfg)))
	return (<-got).body
}

// mailed returns the mail of an alarm.
func mailed(t *testing.T, lang i18n.Lang, a Alarm) letterGot {
	t.Helper()
	s := &mailServer{}
	a.Job.AlarmEmail = model.T("one@mail.test")
	m, err := New(Config{
		Channels: []Channel{mailChannel(t, s, nil)}, SendTimeout: 5 * time.Second, Location: time.UTC, Links: base,
		Text: lang.Lookup, TitlePrefix: "[" + turned + "] ",
	})
	require.NoError(t, err)
	require.NoError(t, m.lanes[0].attempt(t.Context(), newMessage(a.compact(), 0, &m.cfg)))
	return <-s.got
}

func hostile() Alarm {
	a := nasty()
	a.Group, a.Job.Name, a.Job.Author, a.Address = turned, turned, model.T(turned), turned
	a.HandleMsg += turned
	return a
}

// TestLinkInEveryMessage: whatever names say, the link of every message in every
// language is whole, and what chats make links of is ours alone.
func TestLinkInEveryMessage(t *testing.T) {
	t.Parallel()
	for _, lang := range i18n.Langs() {
		label := lang.Text(i18n.AlarmLink)
		for _, tt := range []struct {
			kind Type
			want string
		}{
			{TypeWebhook, `"url":"` + failing + `"`},
			{TypeWeCom, `\n` + label + ": " + failing + `\n`},
			{TypeDingTalk, `[` + label + `](` + failing + `)\n`},
			{TypeFeishu, `{"href":"` + failing + `","tag":"a","text":"` + label + `"}`},
			{TypeSlack, `{"text":"<` + failing + `|` + label + `>","type":"mrkdwn"}`},
		} {
			t.Run(fmt.Sprintf("%s %s", tt.kind, lang), func(t *testing.T) {
				t.Parallel()
				body := posted(t, tt.kind, lang, hostile())
				decoded(t, body)
				var plain bytes.Buffer // without the escapes that JSON does not ask for
				encoder := json.NewEncoder(&plain)
				encoder.SetEscapeHTML(false)
				require.NoError(t, encoder.Encode(json.RawMessage(body)))
				require.NoError(t, encoder.Encode(decoded(t, body)))
				assert.Contains(t, plain.String(), tt.want)
				if tt.kind == TypeWebhook { // whose single fields are what they are
					return
				}
				assert.NotContains(t, plain.String(), "\u202e")
				assert.NotContains(t, plain.String(), "\u2066")
				assert.NotContains(t, plain.String(), `\nBcc: x@evil.test [a]`, "names have one line")
				if tt.kind == TypeDingTalk {
					text := decoded(t, body)["markdown"].(map[string]any)["text"].(string)
					assert.Equal(t, 1, strings.Count(text, "]("), "the only link")
				}
			})
		}
		t.Run("mail "+lang.String(), func(t *testing.T) {
			t.Parallel()
			letter := mailed(t, lang, hostile())
			for name := range letter.head {
				assert.NotContains(t, []string{"Bcc", "Cc"}, name)
			}
			subject, err := new(mime.WordDecoder).DecodeHeader(letter.head.Get("Subject"))
			require.NoError(t, err)
			assert.Equal(t, "["+oneLine(turned)+" ] "+lang.Text(i18n.JobconfMonitor), subject)
			text, page := partsOf(t, letter)
			assert.Contains(t, text, "\n"+label+": "+failing+"\n")
			assert.Contains(t, page, `<a href="`+failing+`"><b>`+label+`</b></a>`)
			for _, part := range []string{text, page} {
				assert.NotContains(t, part, "\u202e")
				assert.NotContains(t, part, "\r")
			}
			assert.NotContains(t, page, "<b>\r")
			assert.NotContains(t, page, "<b> Bcc")
			assert.Contains(t, page, "<td>"+strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(oneLine(turned))+"</td>")
		})
	}
}

// TestLinkOfALongMessage: names of the greatest length leave the link whole.
func TestLinkOfALongMessage(t *testing.T) {
	t.Parallel()
	a := failure(7, 70)
	long := strings.Repeat("数", 255)
	a.Group, a.Job.Name, a.HandleMsg = long, long, strings.Repeat("数", 9000)
	for _, kind := range []Type{TypeWeCom, TypeDingTalk, TypeFeishu, TypeSlack} {
		assert.Contains(t, posted(t, kind, i18n.ZhCN, a), failing, kind)
	}
}

func TestWhereMessagesLead(t *testing.T) {
	t.Parallel()
	cfg := Config{Location: time.UTC, Links: base}
	job := &model.Job{ID: 7, GroupID: 3, Name: "nightly"}
	for _, tt := range []struct {
		give Alarm
		want string
	}{
		{Alarm{Kind: RunFailed, Job: job, LogID: 70}, "/runs/70?at=fail"},
		{Alarm{Kind: RunLost, Job: job, LogID: 70}, "/runs/70?at=fail"},
		{Alarm{Kind: RunLong, Job: job, LogID: 70, Limit: time.Minute}, "/runs/70"},
		{Alarm{Kind: RunLate, Job: job, Limit: time.Minute}, "/jobs/7"},
		{Alarm{Kind: NoExecutor, Job: &model.Job{GroupID: 3}, Limit: time.Minute}, "/executors/3"},
		{Alarm{Kind: Recovered, Job: job}, "/jobs/7"},
		{Alarm{Kind: Recovered, Of: NoExecutor, Job: &model.Job{GroupID: 3}}, "/executors/3"},
		{Alarm{Kind: Test}, "/alarms"},
	} {
		m := newMessage(tt.give.compact(), 0, &cfg)
		assert.Equal(t, string(base)+tt.want, m.link, tt.give.Kind)
		assert.True(t, strings.HasPrefix(m.text(0), "Open in the console: "+m.link+"\n"), m.text(0))
	}
	none := newMessage(hostileCompact(), 0, &Config{Location: time.UTC})
	assert.Empty(t, none.link)
	assert.NotContains(t, none.text(0)+mailBody(none), "Open in the console")
}

func hostileCompact() *Alarm {
	a := hostile()
	return a.compact()
}

// example is the alarm that the documentation shows.
func example() Alarm {
	return Alarm{
		Kind: RunFailed, LogID: 70, TriggerCode: model.CodeSuccess, HandleCode: model.CodeFail,
		Group: "Kitchen", Address: "http://10.0.0.7:9999/", HandleMsg: "the oven is cold\nno gas",
		Job: &model.Job{
			ID: 7, GroupID: 3, Name: "bake", Author: model.T("Ann"), Handler: model.T("bake"),
			AlarmEmail: model.T("one@mail.test"),
		},
		At: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC),
	}
}

// TestExamplesOfMessages: the documentation shows what is sent.
func TestExamplesOfMessages(t *testing.T) {
	t.Parallel()
	const name = "../../../docs/operations.md"
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	was := string(page)
	want := was
	put := func(kind, form, text string) {
		begin := "<!-- message " + kind + " -->\n\n"
		_, rest, found := strings.Cut(want, begin)
		require.True(t, found, "the page has no %q", begin)
		old, _, found := strings.Cut(rest, "\n```\n")
		require.True(t, found)
		want = strings.Replace(want, begin+old+"\n```\n", begin+"```"+form+"\n"+strings.TrimSpace(text)+"\n```\n", 1)
	}
	for _, kind := range []Type{TypeWebhook, TypeDingTalk, TypeWeCom, TypeFeishu, TypeSlack} {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		require.NoError(t, encoder.Encode(decoded(t, posted(t, kind, i18n.En, example()))))
		put(string(kind), "json", b.String())
	}
	text, html := partsOf(t, mailed(t, i18n.En, example()))
	text = strings.TrimPrefix(text, "["+oneLine(turned)+" ] ") // the title, whose prefix is the test's
	put("mail-text", "text", text)
	put("mail-html", "html", html)
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(want), 0o600))
		return
	}
	assert.Equal(t, want, was, "run this test with -update")
}
