package joblog

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Cases 56 to 62 of the protocol notes. What Java answers for a missing file
// is the caller's text; here it is Found.
func TestReadWireCases(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		content string
		missing bool
		from    int32
		want    Page
	}{
		{name: "56 never run", missing: true, from: 1, want: Page{}},
		{
			name: "57 three lines", content: "a\nb\nc\n", from: 1,
			want: Page{Found: true, From: 1, To: 3, Text: []byte("a\nb\nc\n")},
		},
		{
			name: "58 from the third", content: "a\nb\nc\n", from: 3,
			want: Page{Found: true, From: 3, To: 3, Text: []byte("c\n")},
		},
		{name: "59 beyond the end", content: "a\nb\nc\n", from: 4, want: Page{Found: true, From: 4, To: 3}},
		{name: "59 far beyond", content: "a\nb\nc\n", from: 1<<31 - 1, want: Page{Found: true, From: 1<<31 - 1, To: 3}},
		{
			name: "60 from 0", content: "a\nb\n", from: 0,
			want: Page{Found: true, From: 1, To: 2, Text: []byte("a\nb\n")},
		},
		{
			name: "60 from -5", content: "a\nb\n", from: -5,
			want: Page{Found: true, From: 1, To: 2, Text: []byte("a\nb\n")},
		},
		{
			name: "60 from the least", content: "a\nb\n", from: -1 << 31,
			want: Page{Found: true, From: 1, To: 2, Text: []byte("a\nb\n")},
		},
		{
			name: "61 lone carriage return", content: "a\rb\n", from: 1,
			want: Page{Found: true, From: 1, To: 2, Text: []byte("a\nb\n")},
		},
		{
			name: "61 carriage return and newline", content: "a\r\nb\r\n", from: 2,
			want: Page{Found: true, From: 2, To: 2, Text: []byte("b\n")},
		},
		{
			name: "61 returns in a row", content: "\r\r\n\n\r", from: 1,
			want: Page{Found: true, From: 1, To: 4, Text: []byte("\n\n\n\n")},
		},
		{
			name: "62 last line without end", content: "a\nb", from: 1,
			want: Page{Found: true, From: 1, To: 2, Text: []byte("a\nb\n")},
		},
		{name: "empty file", content: "", from: 1, want: Page{Found: true, From: 1, To: 0}},
		{
			name: "invalid UTF-8", content: "a\xff\xfeb\n\xe4\xb8\nok\n", from: 1,
			want: Page{Found: true, From: 1, To: 3, Text: []byte("a\ufffd\ufffdb\n\ufffd\ufffd\nok\n")},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, nil)
			if !tt.missing {
				put(t, s, 7, []byte(tt.content))
			}
			got := read(t, s, 7, tt.from)
			if len(got.Text) == 0 {
				got.Text = nil
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestReadKeepsTheNumberOfALineThatGrows(t *testing.T) {
	t.Parallel()
	s := newStore(t, nil)
	l := s.Log(7, noon)
	_, err := l.Write([]byte("one\ntwo is not"))
	require.NoError(t, err)
	page := read(t, s, 7, 1)
	assert.Equal(t, "one\ntwo is not\n", string(page.Text))
	assert.EqualValues(t, 2, page.To)
	_, err = l.Write([]byte(" finished\nthree\n"))
	require.NoError(t, err)
	page = read(t, s, 7, 2)
	assert.Equal(t, "two is not finished\nthree\n", string(page.Text))
	assert.EqualValues(t, 3, page.To)
	require.NoError(t, l.Close())
}

func TestReadCutsPages(t *testing.T) {
	t.Parallel()
	quoted := func(b []byte) int { return len(b) + bytes.Count(b, []byte("<"))*5 }
	s := newStore(t, func(c *Config) { c.PageBytes, c.MaxLineBytes, c.QuotedLen = 20, 30, quoted })
	put(t, s, 7, []byte("123456789\n123456789\n<<<\n"+strings.Repeat("x", 30)+"\n"+strings.Repeat("ü", 40)+"\nend\n"))
	wants := []string{
		"123456789\n123456789\n",
		"<<<\n", // 19 bytes when quoted
		strings.Repeat("x", 30) + "\n",
		strings.Repeat("ü", 15) + cutMark + "\n",
		"end\n",
	}
	from := int32(1)
	for _, want := range wants {
		page := read(t, s, 7, from)
		assert.Equal(t, want, string(page.Text))
		from = page.To + 1
	}
	assert.EqualValues(t, 7, from)
}

func TestReadGivesALineOfTheLargestSizeWhole(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.PageBytes = 1000 })
	line := strings.Repeat("é", defaultMaxLineBytes/2)
	put(t, s, 7, []byte("before\n"+line+"\n"+line+"x\nafter\n"))
	assert.Equal(t, line+"\n", string(read(t, s, 7, 2).Text))
	assert.Equal(t, line+cutMark+"\n", string(read(t, s, 7, 3).Text))
	assert.Equal(t, "after\n", string(read(t, s, 7, 4).Text))
}

func TestReadTriesTheNeighbouringDays(t *testing.T) {
	t.Parallel()
	for _, days := range []int{-1, 0, 1} {
		s := newStore(t, nil)
		require.NoError(t, s.AppendAfter(7, noon.AddDate(0, 0, days), []byte("x")))
		assert.True(t, read(t, s, 7, 1).Found, "%d days off", days)
	}
	for _, days := range []int{-2, 2} {
		s := newStore(t, nil)
		require.NoError(t, s.AppendAfter(7, noon.AddDate(0, 0, days), []byte("x")))
		assert.False(t, read(t, s, 7, 1).Found, "%d days off", days)
		entries, err := os.ReadDir(s.cfg.Dir)
		require.NoError(t, err)
		assert.Len(t, entries, 1, "a read creates nothing")
	}
}

func TestReadSeesAFileThatWasReplaced(t *testing.T) {
	t.Parallel()
	s := newStore(t, nil)
	big := func(word string, lines int) []byte {
		return bytes.Repeat([]byte(word+" is the word of this log\n"), lines)
	}
	path := put(t, s, 7, big("first", 100_000))
	require.EqualValues(t, 100_000, read(t, s, 7, 1<<30).To)
	for _, lines := range []int{100_001, 50_000, 70} {
		require.NoError(t, os.Remove(path))
		put(t, s, 7, big(fmt.Sprint("other", lines), lines))
		assert.EqualValues(t, lines, read(t, s, 7, 1<<30).To)
	}
}

func TestReadWhileTheLogGrows(t *testing.T) {
	t.Parallel()
	const lines = 100_000
	s := newStore(t, func(c *Config) { c.PageBytes = 200_000 })
	done := make(chan error, 1)
	go func() {
		l := s.Log(7, noon)
		for i := 1; i <= lines; i++ {
			l.Append(fmt.Appendf(nil, "line %d of a log that grows", i))
		}
		done <- l.Close()
	}()
	next := int32(1)
	for next <= lines {
		page := read(t, s, 7, next)
		if !page.Found || len(page.Text) == 0 {
			continue
		}
		for line := range strings.Lines(string(page.Text)) {
			require.Equal(t, fmt.Sprintf("line %d of a log that grows\n", next), line)
			next++
		}
		require.Equal(t, next-1, page.To)
	}
	require.NoError(t, <-done)
}

// A model of lines, driven by random writes of every kind and random reads.
func TestReadAgainstModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	nextID := int64(0)
	rapid.Check(t, func(rt *rapid.T) {
		s, err := Open(Config{
			Dir: dir, Location: time.UTC,
			PageBytes: rapid.SampledFrom([]int{1, 100, 5000, 1 << 20}).Draw(rt, "page"),
		})
		require.NoError(rt, err)
		defer s.Close()
		nextID++
		l := s.Log(nextID, noon)
		var model []byte
		piece := rapid.Custom(func(rt *rapid.T) []byte {
			alphabet := []string{"a", "é", "\n", "\r", "\r\n", "\xff", strings.Repeat("w", 300), strings.Repeat("z\n", 40_000)}
			return []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(alphabet), 1, 6).Draw(rt, "piece"), ""))
		})
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch p := piece.Draw(rt, "p"); rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0:
				if len(model) > 0 && model[len(model)-1] != '\n' {
					model = append(model, '\n')
				}
				model = append(model, bytes.TrimSuffix(p, []byte("\n"))...)
				model = append(model, '\n')
				require.True(rt, l.Append(p))
			case 1:
				model = append(model, p...)
				_, err := l.Write(p)
				require.NoError(rt, err)
			case 2:
				require.NoError(rt, l.Flush())
			default:
				checkRead(rt, s, nextID, model, int32(rapid.IntRange(-1, 200_000).Draw(rt, "from")))
				checkRead(rt, s, nextID, model, int32(rapid.IntRange(-1, 20).Draw(rt, "near")))
			}
		}
		require.NoError(rt, l.Close())
		checkRead(rt, s, nextID, model, 1)
	})
}

func checkRead(t require.TestingT, s *Store, id int64, model []byte, from int32) {
	lines := naiveLines(model)
	page, err := s.Read(id, noon, from)
	require.NoError(t, err)
	if !page.Found {
		require.Empty(t, model)
		return
	}
	first := int(max(from, 1))
	if first > len(lines) {
		require.Equal(t, len(lines), int(page.To))
		require.Empty(t, page.Text)
		return
	}
	require.GreaterOrEqual(t, int(page.To), first)
	require.LessOrEqual(t, int(page.To), len(lines))
	require.Equal(t, strings.Join(lines[first-1:page.To], "\n")+"\n", string(page.Text))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("a\r\nb\rc\n\nd"), int32(2), uint16(3))
	f.Add([]byte("\xff\xfe\r\r\n"), int32(-1), uint16(0))
	f.Add(bytes.Repeat([]byte("some line\r\n"), 50), int32(49), uint16(40))
	s := newStore(f, nil)
	f.Fuzz(func(t *testing.T, data []byte, from int32, page uint16) {
		s.cfg.PageBytes = int(page) + 1
		put(t, s, 7, data)
		checkRead(t, s, 7, data, from)
		text, _ := readAll(t, s, 7)
		var want strings.Builder
		for _, line := range naiveLines(data) {
			want.WriteString(line + "\n")
		}
		require.Equal(t, want.String(), string(text))
	})
}

// The index must not depend on how the bytes arrive.
func TestIndexFeedInPieces(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var data []byte
	for len(data) < 2<<20 {
		data = append(data, bytes.Repeat([]byte{'x'}, random.IntN(200))...)
		data = append(data, []string{"\n", "\r", "\r\n", "\r\r", "\n\n"}[random.IntN(5)]...)
	}
	data = append(data, bytes.Repeat([]byte{'y'}, 300_000)...)
	data = append(data, "\nend"...)
	var whole lineIndex
	whole.feedLocked(data)
	require.EqualValues(t, len(naiveLines(data)), whole.scan.total())
	require.Greater(t, len(whole.points), 25)
	for i := 0; i < len(whole.points); i += 5 {
		p := whole.points[i]
		require.EqualValues(t, len(naiveLines(data[:p.off])), p.line-1)
	}
	for _, most := range []int{1, 3, 100, 70_000} {
		var pieces lineIndex
		for rest := data; len(rest) > 0; {
			n := min(len(rest), 1+random.IntN(most))
			pieces.feedLocked(rest[:n])
			rest = rest[n:]
		}
		require.Equal(t, whole.scan, pieces.scan)
		require.Equal(t, whole.points, pieces.points)
		require.Equal(t, whole.tail, pieces.tail)
	}
}
