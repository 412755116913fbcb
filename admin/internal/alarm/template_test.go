package alarm

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// words returns the message of an alarm whose texts are all the given one.
func words(text string) *message {
	a := Alarm{
		Kind: RunFailed, Group: text, LogID: 70, Address: text, TriggerCode: 500, TriggerMsg: text,
		HandleCode: 500, HandleMsg: text, At: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC),
		Job: &model.Job{ID: 7, GroupID: 3, Name: text, Author: model.T(text), Handler: model.T(text)},
	}
	return newMessage(a.compact(), 0, &Config{Location: time.UTC})
}

func TestTemplate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		source  string
		want    string
		wantErr string
	}{
		{name: "nothing to fill in", source: `{"a":1}`, want: `{"a":1}`},
		{name: "texts and numbers", source: `{"job":{{job_id}},"name":"{{ job_name }}!","at":{"ms":{{time_ms}}}}`, want: `{"job":7,"name":"nightly!","at":{"ms":1795248000000}}`},
		{name: "a number in a text", source: `{"t":"{{job_id}}/{{log_id}} {{code}}"}`, want: `{"t":"7/70 500"}`},
		{name: "time", source: `["{{time}}","{{kind}}","{{count}}"]`, want: `["2026-11-21T08:00:00Z","run_failed","1"]`},
		{name: "unknown field", source: `{"a":"{{job}}"}`, wantErr: `unknown field "job" at byte 6`},
		{name: "a call", source: `{"a":"{{printf job_name}}"}`, wantErr: "unknown field"},
		{name: "not closed", source: `{"a":"{{job_name"}`, wantErr: "{{ at byte 6 has no }}"},
		{name: "no JSON", source: `hello {{job_name}}`, wantErr: "it is no JSON"},
		{name: "a text outside of quotes", source: `{"a":{{job_name}}}`, wantErr: "texts belong inside of quotes"},
		{name: "a text after a backslash", source: `{"a":"\{{job_name}}"}`, wantErr: "it is no JSON"},
		{name: "a number glued to another", source: `{"a":1{{job_id}}}`, wantErr: "it is no JSON"},
		{name: "empty", source: ``, wantErr: "it is no JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tmpl, err := parseTemplate(tt.source)
			if tt.wantErr != "" {
				require.ErrorIs(t, err, ErrTemplate)
				assert.ErrorContains(t, err, tt.wantErr)
				return
			}
			require.NoError(t, err)
			assert.JSONEq(t, tt.want, string(tmpl.body(words("nightly"))))
		})
	}
}

// TestTemplatePayloadsStayText sends what has broken template engines through a
// template (CVE-2024-3366): all of it arrives as it was.
func TestTemplatePayloadsStayText(t *testing.T) {
	t.Parallel()
	tmpl, err := parseTemplate(`{"name":"{{job_name}}","again":"{{job_name}}","id":{{job_id}}}`)
	require.NoError(t, err)
	for _, payload := range []string{
		`{{job_id}}`, `{{{{job_name}}}}`, `}}`, `${7*7}`, `<#assign x="freemarker.template.utility.Execute"?new()>${x("id")}`,
		`#{T(java.lang.Runtime).getRuntime().exec("id")}`, `","admin":true,"x":"`, `\`, `"`, "\x00\n\t\u2028", `{{.}}`, `{{template "x"}}`,
		`%s%n`, `</script><script>alert(1)</script>`,
	} {
		var got map[string]any
		require.NoError(t, json.Unmarshal(tmpl.body(words(payload)), &got), "%q", payload)
		assert.Equal(t, map[string]any{"name": payload, "again": payload, "id": 7.0}, got)
	}
}

func TestDefaultTemplateHasEveryField(t *testing.T) {
	t.Parallel()
	tmpl, err := parseTemplate(defaultTemplate)
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal(tmpl.body(words("nightly")), &got))
	for _, name := range Fields() {
		assert.Contains(t, got, name)
	}
	assert.Equal(t, 7.0, got["job_id"])
	assert.Equal(t, "nightly", got["handle_msg"])
}

func FuzzTemplateValues(f *testing.F) {
	f.Add("nightly")
	f.Add(`","x":{{job_id}}\`)
	f.Fuzz(func(t *testing.T, text string) {
		tmpl, err := parseTemplate(`{"a":"{{job_name}}{{handler}}","b":[{{log_id}}]}`)
		require.NoError(t, err)
		var got struct {
			A string
			B []int64
		}
		require.NoError(t, json.Unmarshal(tmpl.body(words(text)), &got))
		if utf8.ValidString(text) {
			assert.Equal(t, text+text, got.A)
		}
		assert.Equal(t, []int64{70}, got.B)
	})
}

func FuzzTemplateSource(f *testing.F) {
	for _, seed := range []string{`{"a":"{{text}}"}`, `{{job_id}}`, `"\u00{{text}}"`, `{{`, `{"a":1{{code}}}`, defaultTemplate} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		tmpl, err := parseTemplate(source)
		if err != nil {
			require.ErrorIs(t, err, ErrTemplate)
			return
		}
		for _, text := range []string{"", "x", `"`, `\`, "\n", `{"a":1}`, "0", "é"} {
			body := tmpl.body(words(text))
			assert.True(t, json.Valid(body), "template %q with text %q gives %q", source, text, body)
		}
	})
}

func TestPlain(t *testing.T) {
	t.Parallel()
	trigger := `type：cron<br>admin：a<br/><br><br><span style="color:#00c0ef;" > >>>>>>>>>>>run<<<<<<<<<<< </span><br>msg：&lt;b&gt; <b>kept</b>`
	assert.Equal(t, "type：cron\nadmin：a\n\n\n >>>>>>>>>>>run<<<<<<<<<<< \nmsg：<b> <b>kept</b>", plainHTML(trigger))
	assert.Equal(t, "a &lt;b", plain("<br>a &lt;b"))
}

func TestCut(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "abc", cut("abc", 3))
	assert.Equal(t, "a…", cut("abcdef", 4))
	for limit := range 30 {
		got := cut(strings.Repeat("数", 8), limit)
		assert.True(t, utf8.ValidString(got))
		assert.LessOrEqual(t, len(got), max(limit, 3))
	}
}
