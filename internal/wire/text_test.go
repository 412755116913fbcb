package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNullString(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "def", NullString{}.Or("def"))
	assert.Equal(t, "", Str("").Or("def"))
	assert.Equal(t, "x", Str("x").Or("def"))
	assert.Equal(t, NullString{String: "x", Valid: true}, Str("x"))
}

func TestAppendQuoted(t *testing.T) { // not parallel: it counts allocations
	tests := []struct{ give, want string }{
		{"", `""`},
		{"plain", `"plain"`},
		{"<>&='", `"<>&='"`},
		{`"\/`, `"\"\\/"`},
		{"\t\b\n\r\f", `"\t\b\n\r\f"`},
		{"\x00\x1f\x7f", "\"\\u0000\\u001f\x7f\""},
		{"世界😀", `"世界😀"`},
		{"a\u2028b\u2029c\u2027d\u202a", "\"a\\u2028b\\u2029c\u2027d\u202a\""},
		{"a\xffb\xe4\xb8", "\"a\ufffdb\ufffd\ufffd\""},
		{"\ufffd", "\"\ufffd\""},
		{"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, string(AppendQuoted(nil, tt.give)), "%q", tt.give)
		assert.Equal(t, "x"+tt.want, string(AppendQuoted([]byte("x"), []byte(tt.give))), "%q", tt.give)
		assert.Equal(t, len(tt.want)-2, QuotedLen(tt.give), "%q", tt.give)
		assert.Equal(t, len(tt.want)-2, QuotedLen([]byte(tt.give)), "%q", tt.give)
	}
	bytes := []byte(awkward)
	assert.Zero(t, testing.AllocsPerRun(10, func() { QuotedLen(bytes) }))
}

func TestTruncateMessage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		give string
		max  int
		want string
	}{
		{"short", "abc", 5, "abc"},
		{"exact", "abcde", 5, "abcde"},
		{"long", "abcdef", 5, "abcde..."},
		{"units are not bytes", "世界世界世", 5, "世界世界世"},
		{"long and wide", "世界世界世界", 5, "世界世界世..."},
		{"pair fits", "abc😀d", 5, "abc😀..."},
		{"pair is not cut", "abcd😀", 5, "abcd..."},
		{"pair fills", "abc😀", 5, "abc😀"},
		{"invalid bytes count one", "\xff\xff\xff", 2, "\xff\xff..."},
		{"none", "abc", 0, "..."},
		{"below none", "abc", -1, "..."},
		{"empty below none", "", -1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, TruncateMessage(tt.give, tt.max))
		})
	}
	cut := TruncateMessage(strings.Repeat("x", 50001), MaxResultMessage)
	assert.Equal(t, strings.Repeat("x", 50000)+"...", cut)
}

// TestMalformedLen goes through bytes that could begin a character; the
// lengths are those of the JDK's UTF-8 decoder.
func TestMalformedLen(t *testing.T) {
	t.Parallel()
	tests := []struct {
		give string
		want string
	}{
		{"\x80", "\ufffd"},
		{"\x80\x80", "\ufffd\ufffd"},
		{"\xc0\xaf", "\ufffd\ufffd"},
		{"\xc3x", "\ufffdx"},
		{"\xe0\x80\x80", "\ufffd\ufffd\ufffd"},
		{"\xe0\xa0x", "\ufffdx"},
		{"\xe4\xb8", "\ufffd"},
		{"\xe4\xb8\xe4\xb8\xad", "\ufffd中"},
		{"\xed\xa0\x80", "\ufffd"},
		{"\xed\xa0", "\ufffd"},
		{"\xf0\x80\x80\x80", "\ufffd\ufffd\ufffd\ufffd"},
		{"\xf0\x9f\x98", "\ufffd"},
		{"\xf0\x9fx", "\ufffdx"},
		{"\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"},
		{"\xf4\x8f\x80x", "\ufffdx"},
		{"\xf8\x88\x80\x80\x80", "\ufffd\ufffd\ufffd\ufffd\ufffd"},
	}
	for _, tt := range tests {
		got, err := DecodeTrigger([]byte(`{"glueSource":"` + tt.give + `"}`))
		require.NoError(t, err)
		assert.Equal(t, Str(tt.want), got.GlueSource, "%q", tt.give)
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "invalid request, uri-mapping(/beat?x=1) not found.", NotFoundText("/beat?x=1"))
	assert.Equal(t, "fail, current glue type [GLUE(Shell)] not supported.", GlueUnsupportedText("GLUE(Shell)"))
	assert.Equal(t, "repeat trigger job, logId:-5", RepeatText(-5))
	assert.True(t, IsRepeatText(RepeatText(6)))
	assert.True(t, IsRepeatText("repeate trigger job, logId:6"))
	assert.False(t, IsRepeatText("repeat"))
	assert.Equal(t, "job execute timeout ", TextTimeout)
	assert.Equal(t, "----------- glue.version:1 -----------", GlueVersionText(1))
	assert.Equal(t, "----------- script file:/a -----------", ScriptFileText("/a"))
	assert.Equal(t, "<br>----------- xxl-job job execute end(finish) -----------<br>"+
		"----------- Result: handleCode=200, handleMsg = null", LogEndText(CodeSuccess, NullString{}))
	assert.True(t, ExpectsObject("java: Expected BEGIN_OBJECT but was BEGIN_ARRAY at line 1"))
	assert.True(t, ExpectsArray("java: Expected BEGIN_ARRAY but was BEGIN_OBJECT at line 1"))
	assert.False(t, ExpectsObject(""))
}

func TestGlueTypes(t *testing.T) {
	t.Parallel()
	for glueType, want := range map[string][2]string{
		"BEAN": {"BEAN", ""}, "GLUE_GROOVY": {"GLUE(Java)", ""}, "GLUE_SHELL": {"GLUE(Shell)", ".sh"},
		"GLUE_PYTHON": {"GLUE(Python3)", ".py"}, "GLUE_PYTHON2": {"GLUE(Python2)", ".py"},
		"GLUE_NODEJS": {"GLUE(Nodejs)", ".js"}, "GLUE_POWERSHELL": {"GLUE(PowerShell)", ".ps1"},
		"GLUE_PHP": {"GLUE(PHP)", ".php"},
	} {
		desc, known := GlueDesc(glueType)
		assert.True(t, known, glueType)
		assert.Equal(t, want, [2]string{desc, ScriptSuffix(glueType)}, glueType)
	}
	_, known := GlueDesc("bean")
	assert.False(t, known)
	assert.Empty(t, ScriptSuffix("bean"))
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "plain", awkward, "\xed\xa0\x80", "😀😀"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		quoted := AppendQuoted(nil, s)
		if QuotedLen(s) != len(quoted)-2 || QuotedLen([]byte(s)) != len(quoted)-2 {
			t.Fatalf("QuotedLen(%q) = %d, want %d", s, QuotedLen(s), len(quoted)-2)
		}
		var std string
		require.NoError(t, json.Unmarshal(quoted, &std))
		want := string([]rune(s))
		require.Equal(t, want, std)
		got, err := DecodeTrigger(append(append([]byte(`{"glueSource":`), quoted...), '}'))
		require.NoError(t, err)
		require.Equal(t, Str(want), got.GlueSource)

		cut := PrefixUTF16(s, limit)
		require.True(t, strings.HasPrefix(s, cut))
		if cut != s {
			units := len(utf16.Encode([]rune(cut)))
			require.LessOrEqual(t, units, max(0, limit))
			_, next := utf8.DecodeRuneInString(s[len(cut):])
			require.Greater(t, len(utf16.Encode([]rune(s[:len(cut)+next]))), limit)
		}
	})
}
