package i18n

import (
	"regexp"
	"slices"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
)

// TestConsoleTexts: every text of the console is there in three languages, with
// the same placeholders, in the script of the language, and once.
func TestConsoleTexts(t *testing.T) {
	t.Parallel()
	marks := regexp.MustCompile(`\{\d\}`)
	plural := regexp.MustCompile(`\{\d\|[^{}|]*\|[^{}|]*\}`)
	han := regexp.MustCompile(`\p{Han}`)
	seen := 0
	for _, part := range consoleParts {
		seen += len(part)
		for key, texts := range part {
			want := marks.FindAllString(texts[ZhCN], -1)
			slices.Sort(want)
			for _, l := range Langs() {
				assert.NotEmpty(t, texts[l], "%v lacks %s", l, key)
				got := marks.FindAllString(texts[l], -1)
				slices.Sort(got)
				assert.Equal(t, want, got, "%v %s", l, key)
				left := plural.ReplaceAllString(marks.ReplaceAllString(texts[l], ""), "")
				assert.NotContains(t, left, "{", "%v %s", l, key)
			}
			assert.NotContains(t, texts[En], "(s)", "%s: write {0|job|jobs}", key)
			assert.False(t, plural.MatchString(texts[ZhCN]+texts[ZhTC]), "%s: Chinese has no plural", key)
			assert.False(t, han.MatchString(texts[En]), "English text of %s", key)
			for _, l := range []Lang{ZhCN, ZhTC} {
				for _, r := range texts[l] {
					assert.False(t, unicode.IsControl(r), "%v %s", l, key)
				}
			}
		}
	}
	assert.Len(t, console, seen, "a key stands in two parts")
}

func TestConsole(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "3–4 of {0}", En.Console("pager.range", 3, 4, "{0}"))
	for n, want := range map[any]string{1: "1 run of x", 0: "0 runs of x", "1": "1 run of x", "1,000": "1,000 runs of x"} {
		assert.Equal(t, want, expand("{0} {0|run|runs} of {1}", []any{n, "x"}))
	}
	assert.Equal(t, "{x} {5} a {0|b", expand("{x} {5} {0} {0|b", []any{"a"}))
	assert.Equal(t, "{1} y", expand("{0} {1}", []any{"{1}", "y"}), "what is put in is not looked at again")
	assert.Equal(t, "Sign in", En.Console("signin.title"))
	assert.Equal(t, "登录", Lang(9).Console("signin.title"), "an unknown language speaks the default")
	assert.Equal(t, "登入", ZhTC.Console("signin.title"))
	assert.Equal(t, "no.such.key", En.Console("no.such.key"))
	assert.True(t, HasConsole("signin.title"))
	assert.False(t, HasConsole("no.such.key"))
}
