package textdiff

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// unified writes a comparison as diff does.
func unified(list []Line) string {
	var b strings.Builder
	for _, l := range list {
		b.WriteString(string(" -+"[l.Op]) + l.Text + "\n")
	}
	return b.String()
}

func TestLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, before, after, want string
	}{
		{name: "nothing"},
		{name: "same", before: "a\nb", after: "a\nb\n", want: " a\n b\n"},
		{name: "all new", after: "a\nb\n", want: "+a\n+b\n"},
		{name: "all gone", before: "a\n\n", want: "-a\n-\n"},
		{name: "line ends of Windows", before: "a\r\nb\r\n", after: "a\nb\n", want: " a\n b\n"},
		{name: "one changed", before: "a\nb\nc", after: "a\nB\nc", want: " a\n-b\n+B\n c\n"},
		{name: "moved", before: "a\nb\nc\nd", after: "c\nd\na\nb", want: "-a\n-b\n c\n d\n+a\n+b\n"},
		{name: "in between", before: "a\nx\nb\ny\nc", after: "a\nb\nz\nc", want: " a\n-x\n b\n-y\n+z\n c\n"},
		{name: "repeated", before: "a\na\na", after: "a\na", want: " a\n a\n-a\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, unified(Lines(tt.before, tt.after)))
		})
	}
}

// TestBounds: what differs too much is shown as replaced, between what is the
// same.
func TestBounds(t *testing.T) {
	t.Parallel()
	var before, after strings.Builder
	before.WriteString("head\n")
	after.WriteString("head\n")
	for i := range 2 * maxSteps {
		before.WriteString("a" + strconv.Itoa(i) + "\n")
		after.WriteString("b" + strconv.Itoa(i) + "\n")
	}
	list := Lines(before.String()+"foot", after.String()+"foot")
	assert.Len(t, list, 2+4*maxSteps)
	assert.Equal(t, Line{Same, 1, 1, "head"}, list[0])
	assert.Equal(t, Line{Gone, 2, 0, "a0"}, list[1])
	assert.Equal(t, Line{New, 0, 2, "b0"}, list[1+2*maxSteps])
	assert.Equal(t, Line{Same, 2 + 2*maxSteps, 2 + 2*maxSteps, "foot"}, list[1+4*maxSteps])
}

func TestHunks(t *testing.T) {
	t.Parallel()
	lines := strings.Split("0 1 2 3 4 5 6 7 8 9", " ")
	before := strings.Join(lines, "\n")
	lines[1], lines[8] = "one", "eight"
	hunks, rest := Hunks(Lines(before, strings.Join(lines, "\n")), 1)
	assert.Len(t, hunks, 2)
	assert.Equal(t, " 0\n-1\n+one\n 2\n", unified(hunks[0].Lines))
	assert.Equal(t, 4, hunks[1].Skipped)
	assert.Equal(t, " 7\n-8\n+eight\n 9\n", unified(hunks[1].Lines))
	assert.Zero(t, rest)
	hunks, rest = Hunks(Lines(before, "0\n"+before), 0)
	assert.Len(t, hunks, 1)
	assert.Equal(t, 1, hunks[0].Skipped)
	assert.Equal(t, 9, rest)
	hunks, rest = Hunks(Lines(before, before), 3)
	assert.Empty(t, hunks)
	assert.Equal(t, 10, rest)
}

// FuzzLines: both texts can be read out of the comparison, and no line stands in
// it twice.
func FuzzLines(f *testing.F) {
	f.Add("a\nb\nc", "b\nc\nd")
	f.Add("", "\n\n")
	f.Add("a\na\nb\na", "a\nb\nb\na\r\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		var old, fresh []string
		for _, l := range Lines(before, after) {
			if l.Op != New {
				old = append(old, l.Text)
				assert.Equal(t, len(old), l.Old)
			}
			if l.Op != Gone {
				fresh = append(fresh, l.Text)
				assert.Equal(t, len(fresh), l.New)
			}
		}
		assert.Equal(t, split(before), old)
		assert.Equal(t, split(after), fresh)
	})
}
