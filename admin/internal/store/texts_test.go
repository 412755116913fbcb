package store

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestTexts(t *testing.T) {
	var text model.Text
	for src, want := range map[any]model.Text{nil: {}, "a": model.T("a"), int64(7): model.T("7"), "": model.T("")} {
		require.NoError(t, scanText{&text}.Scan(src))
		assert.Equal(t, want, text)
	}
	require.NoError(t, scanText{&text}.Scan([]byte("b")))
	assert.Equal(t, model.T("b"), text)
	require.Error(t, scanText{&text}.Scan(1.5))
	var plain string
	require.NoError(t, scanString{&plain}.Scan(nil))
	assert.Empty(t, plain)
	require.Error(t, scanString{&plain}.Scan(true))
}

func TestClassOf(t *testing.T) {
	tests := []struct {
		trigger, handle int32
		want            class
	}{
		{0, 0, classRunning},
		{200, 0, classRunning},
		{500, 0, classFailed},
		{0, 200, classSuccess},
		{500, 200, classSuccess},
		{200, 500, classFailed},
		{200, 502, classFailed},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, classOf(tt.trigger, tt.handle), "%d/%d", tt.trigger, tt.handle)
	}
}

func TestShardCond(t *testing.T) {
	assert.Equal(t, " AND id % 16 IN (3,1)", shardCond("id", 16, []int32{3, 1}))
	assert.Empty(t, shardCond("id", 2, []int32{1, 0}))
	assert.Empty(t, shardCond("id", 1, []int32{0}))
	assert.Equal(t, " AND 1 = 0", shardCond("id", 16, nil))
}

// FuzzPlainText: every text becomes one that all databases take, and a text
// that they take stays as it is.
func FuzzPlainText(f *testing.F) {
	f.Add("你好\x00", 0)
	f.Add("\xff\xfe", 3)
	f.Add(strings.Repeat("你", 100), 21_900)
	f.Fuzz(func(t *testing.T, text string, repeat int) {
		text = strings.Repeat(text, 1+min(max(repeat, 0), 1<<17)/(len(text)+1))
		got := plainText(text)
		if !utf8.ValidString(got) || strings.Contains(got, "\x00") || len(got) > textMax {
			t.Errorf("plainText(%q) = %q", text, got)
		}
		if utf8.ValidString(text) && !strings.Contains(text, "\x00") && !strings.HasPrefix(text, got) {
			t.Errorf("plainText(%q) = %q", text, got)
		}
		if len(text) <= textMax && utf8.ValidString(text) && !strings.Contains(text, "\x00") && got != text {
			t.Errorf("plainText(%q) = %q", text, got)
		}
	})
}
