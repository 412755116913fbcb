package store

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestCheckFields(t *testing.T) {
	tests := []struct {
		name string
		give field
		want error
	}{
		{name: "empty", give: field{}},
		{name: "as long as may be", give: field{value: "üüü", max: 3}},
		{name: "characters", give: field{value: "üüüx", max: 3}, want: ErrTooLong},
		{name: "beyond the basic plane", give: field{value: "🚀🚀", max: 2}},
		{name: "bytes", give: field{value: "üüü", max: 6, bytes: true}},
		{name: "too many bytes", give: field{value: "üüü", max: 5, bytes: true}, want: ErrTooLong},
		{name: "half a letter", give: field{value: "ü"[:1], max: 3}, want: ErrBadText},
		{name: "NUL", give: field{value: "a\x00", max: 3}, want: ErrBadText},
		{name: "surrogate", give: field{value: "\xed\xa0\x80", max: 9}, want: ErrBadText},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.give.name = "colour"
			err := checkFields(field{name: "first", value: "x", max: 1}, tt.give)
			require.ErrorIs(t, err, tt.want)
			if tt.want != nil {
				assert.ErrorContains(t, err, "colour: ")
			}
		})
	}
	assert.EqualError(t, checkFields(field{name: "title", value: "12345", max: 4}), "title: too long: 5 characters, at most 4 fit")
}

func TestWhereGroups(t *testing.T) {
	tests := []struct {
		name    string
		id      int32
		allowed []int32
		want    string
		refused bool
	}{
		{name: "all"},
		{name: "one", id: 7, want: " WHERE g = ?"},
		{name: "one of the allowed", id: 7, allowed: []int32{3, 7}, want: " WHERE g = ?"},
		{name: "another", id: 8, allowed: []int32{3, 7}, refused: true},
		{name: "the allowed", allowed: []int32{3, 7}, want: " WHERE g IN (?,?,?,?,?,?,?,?)"},
		{name: "none allowed", allowed: []int32{}, refused: true},
		{name: "one, none allowed", id: 7, allowed: []int32{}, refused: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var w where
			assert.Equal(t, !tt.refused, w.groups("g", tt.id, tt.allowed))
			if !tt.refused {
				assert.Equal(t, tt.want, w.String())
				assert.Len(t, w.args, strings.Count(tt.want, "?"))
			}
		})
	}
}

func TestNewestBeats(t *testing.T) {
	older := model.Beat{Group: "g", Key: "k", Value: "v"}
	newer := older
	newer.At = newer.At.AddDate(1, 0, 0)
	other := model.Beat{Group: "g", Key: "k", Value: "u"}
	give := []model.Beat{newer, other, older}
	assert.Equal(t, []model.Beat{other, newer}, newestBeats(give))
	assert.Equal(t, []model.Beat{newer, other, older}, give, "the caller's list stays as it is")
}

// FuzzCut proves that a cut text always fits, is valid, and is the beginning of
// what it was cut from.
func FuzzCut(f *testing.F) {
	f.Add("hello", 3)
	f.Add("界界界", 4)
	f.Add("\xff\x00ü", 5)
	f.Fuzz(func(t *testing.T, s string, most int) {
		if most < 8 || most > 1000 {
			return
		}
		for _, got := range []string{cutRunes(s, most), cutBytes(s, most)} {
			if !utf8.ValidString(got) || strings.Contains(got, "\x00") {
				t.Fatalf("cut %q: %q is not a text", s, got)
			}
			if !strings.HasPrefix(clean(s), strings.TrimSuffix(got, cutMark)) {
				t.Fatalf("cut %q: %q is not its beginning", s, got)
			}
		}
		if n := utf8.RuneCountInString(cutRunes(s, most)); n > most {
			t.Fatalf("cutRunes(%q, %d) has %d characters", s, most, n)
		}
		if n := len(cutBytes(s, most)); n > most {
			t.Fatalf("cutBytes(%q, %d) has %d bytes", s, most, n)
		}
	})
}

// FuzzLike proves that a filter's text matches itself and nothing that lacks it.
func FuzzLike(f *testing.F) {
	for _, s := range []string{"a", "50%", "a_b", "!", "!%_!!", "'", `\`, "ü", "\t"} {
		f.Add(s, "x"+s+"y")
		f.Add(s, "other")
	}
	s, err := Open(f.Context(), Options{DSN: "sqlite:" + filepath.Join(f.TempDir(), "like.db")})
	require.NoError(f, err)
	f.Cleanup(func() { assert.NoError(f, s.Close()) })
	f.Fuzz(func(t *testing.T, part, whole string) {
		if part == "" || checkFields(field{value: part, max: 100}, field{value: whole, max: 100}) != nil {
			return
		}
		var w where
		w.like("?", part)
		var got bool
		row := s.db.Reader().QueryRowContext(t.Context(), "SELECT "+w.conds[0], append([]any{whole}, w.args...)...)
		if err := row.Scan(&got); err != nil {
			t.Fatalf("%q LIKE %q: %v", whole, part, err)
		}
		if want := strings.Contains(asciiLower(whole), asciiLower(part)); got != want {
			t.Fatalf("%q contains %q: %t, want %t", whole, part, got, want)
		}
	})
}

// asciiLower is what SQLite's LOWER and LIKE know of letters.
func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// TestLockedAlarmsReadNoLog: the sweep runs each minute, on a log of millions
// of rows.
func TestLockedAlarmsReadNoLog(t *testing.T) {
	s := openFile(t)
	var id, parent, unused int
	var plan string
	require.NoError(t, s.db.Reader().QueryRowContext(t.Context(), "EXPLAIN QUERY PLAN "+s.lockedAlarms(), "a", "b", 1).
		Scan(&id, &parent, &unused, &plan))
	assert.Contains(t, plan, "i_log_alarm")
}
