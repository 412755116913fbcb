package alarm

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// A run that was not sent: the reason comes first, also out of a text that is
// longer than what an alarm keeps.
func TestReasonOfARunThatWasNotSent(t *testing.T) {
	t.Parallel()
	msg := "Job trigger type：Schedule trigger<br>Registered addresses：" + strings.Repeat("http://10.0.0.1:9999/, ", 1000) +
		`<br><br><span style="color:#00c0ef;" > >>>>>>>>>>>run<<<<<<<<<<< </span><br>Trigger Msg：error, no &lt;address&gt;`
	a := &Alarm{Kind: RunFailed, LogID: 70, TriggerCode: model.CodeFail, TriggerMsg: msg}
	short := a.compact()
	short.reason = (&Config{}).reason(a)
	m := newMessage(short, 0, &Config{Location: time.UTC})
	want := "error, no <address>\nAlarm Job LogId=70\nTriggerMsg=\nJob trigger type：Schedule trigger"
	assert.Truef(t, strings.HasPrefix(m.brief, want), "%.200s", m.brief)
	assert.Contains(t, m.text(0), want)
	assert.Equal(t, m.brief, fields["content"](m))
	assert.NotContains(t, m.content, "<address>", "that of the Java mail stays as it is")

	cfg := Config{Location: time.UTC, NotSent: i18n.En.NotSent}
	short.reason = cfg.reason(a)
	m = newMessage(short, 0, &cfg)
	assert.True(t, strings.HasPrefix(m.brief, "no <address>\nAlarm Job LogId=70"), m.brief[:60])
	assert.Contains(t, mailBody(m), "<p>no &lt;address&gt;</p>\n<table")

	a.TriggerCode, a.HandleCode, a.HandleMsg = model.CodeSuccess, model.CodeFail, "boom"
	m = newMessage(a.compact(), 0, &Config{Location: time.UTC})
	assert.Equal(t, "Alarm Job LogId=70\nHandleCode=boom", m.brief)
}

// TestEveryTextIsInEveryLanguage looks the keys up as the admin does.
func TestEveryTextIsInEveryLanguage(t *testing.T) {
	t.Parallel()
	for key, text := range english {
		assert.NotEmpty(t, text, key)
		for _, lang := range i18n.Langs() {
			assert.NotEmpty(t, lang.Lookup(key), "%s in %s", key, lang)
		}
	}
}

func TestMessageInChinese(t *testing.T) {
	t.Parallel()
	cfg := Config{Text: i18n.ZhCN.Lookup}.withDefaults()
	a := failure(7, 70)
	a.Job.Author = model.T("王")
	m := newMessage(a.compact(), 3, &cfg)
	for _, key := range []i18n.Key{i18n.JobconfMonitor, i18n.AlarmMissed, i18n.AlarmAuthor} {
		assert.Contains(t, m.title+m.text(0), i18n.ZhCN.Text(key))
	}
	assert.Contains(t, m.text(0), ": 3")
}
