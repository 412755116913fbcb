package sqldb

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// oneColumn is one column of rows.
func oneColumn(vals ...any) *Rows { return &Rows{width: 1, Vals: vals} }

func TestSharedEnds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("任务", 40)
	for name, c := range map[string]struct {
		vals       []any
		head, tail string
	}{
		"begin":             {[]any{long + "1", long + "22"}, long, ""},
		"end":               {[]any{"1" + long, "22" + long}, "", long},
		"both":              {[]any{long + "1<br>" + long, long + "22<br>" + long}, long, "<br>" + long},
		"one of them whole": {[]any{long, long + "x"}, long, ""},
		"overlapping":       {[]any{long + long, long}, long, ""},
		"inside characters": {[]any{long + "执a", long + "扨b"}, long, ""}, // 执 and 扨 begin alike
		"end of characters": {[]any{"a任" + long, "b仫" + long}, "", long}, // and these could end alike
		"too little":        {[]any{"success, 1", "success, 2"}, "", ""},
		"one is NULL":       {[]any{long + "1", nil, long + "2"}, "", ""},
		"first is NULL":     {[]any{nil, long}, "", ""},
		"numbers":           {[]any{int64(1), int64(2)}, "", ""},
	} {
		head, tail := sharedEnds(oneColumn(c.vals...), 0)
		assert.Equal(t, c.head, head, name)
		assert.Equal(t, c.tail, tail, name)
	}
}

// TestUpdateCaseKeepsTexts puts the texts together again as the database does.
func TestUpdateCaseKeepsTexts(t *testing.T) {
	t.Parallel()
	letters := rapid.SliceOfN(rapid.SampledFrom([]rune("a任仫执扨é😀")), 0, 60)
	rapid.Check(t, func(t *rapid.T) {
		head, tail := string(letters.Draw(t, "head")), string(letters.Draw(t, "tail"))
		var keys []int64
		var want []any
		for i := range rapid.IntRange(2, 5).Draw(t, "rows") {
			keys = append(keys, int64(i+1))
			want = append(want, head+string(letters.Draw(t, "middle"))+tail)
		}
		list := oneColumn(want...)
		tab := &Table{Name: "t", Key: "id", Cols: []Col{{Name: "c", Kind: KindText}}}
		text, args := tab.updateCase(keys, list)
		assert.Equal(t, strings.Count(text, "?"), len(args))
		if sameColumn(list, 0) {
			assert.Equal(t, want[:1], args)
			return
		}
		front, back := "", ""
		if strings.Contains(text, "CONCAT(") {
			front, back = args[0].(string), args[len(args)-1].(string)
			args = args[1 : len(args)-1]
			assert.NotEmpty(t, front+back)
		}
		for i, arg := range args {
			assert.True(t, utf8.ValidString(arg.(string)))
			assert.Equal(t, want[i], front+arg.(string)+back)
		}
	})
}
