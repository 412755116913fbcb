package alarm

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

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
