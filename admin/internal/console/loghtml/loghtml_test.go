package loghtml

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLines(t *testing.T) {
	t.Parallel()
	line := func(n, body string) string {
		return `<span class="ll" id="L` + n + `"><a class="ln" href="#L` + n + `">` + n + `</a><span class="lt">` + body + "</span>\n</span>"
	}
	for _, c := range []struct{ give, want string }{
		{"plain\n", line("7", "plain")},
		{"a\r\nb", line("7", "a") + line("8", "b")},
		{"\n\n", line("7", "") + line("8", "")},
		{"<script>x</script> & \"'", line("7", "&lt;script&gt;x&lt;/script&gt; &amp; &#34;&#39;")},
		{"\x1b[31mred\x1b[0m not", line("7", `<span class="af31">red</span> not`)},
		{"\x1b[1;4;32;41mx\x1b[39;22my\x1b[m", line("7", `<span class="af32 ab41 abold aunder">x</span><span class="ab41 aunder">y</span>`)},
		{"\x1b[33mon\nand on", line("7", `<span class="af33">on</span>`) + line("8", `<span class="af33">and on</span>`)},
		{"\x1b[38;5;196mp\x1b[48;2;1;2;3mq\x1b[34mr", line("7", `pq<span class="af34">r</span>`)},
		{"\x1b[2K\x1b[1Acleared\x1b[", line("7", "cleared")},
		{"\x1bX \x1b]0;title\x07 \x00", line("7", "X ]0;title\ufffd \ufffd")},
		{"\x1b[\"><b>m", line("7", "&gt;m")},
		{"<br>----- x -----<br>----- <b>y", line("7", "----- x -----\n----- &lt;b&gt;y")},
		{"12:00 <br>-- x", line("7", "12:00\n-- x")},
		{"\xff\xfe", line("7", "\ufffd")},
	} {
		assert.Equal(t, c.want, string(Lines(c.give, 7, Marks{More: "more"})), "%q", c.give)
	}
	long := string(Lines(strings.Repeat("界", 10_000), 1, Marks{More: "see <the> rest"}))
	assert.Contains(t, long, `<span class="cut"> … see &lt;the&gt; rest</span>`)
	assert.Less(t, len(long), lineShown+300)
	assert.NotContains(t, long, "\ufffd", "cut at the border of a character")
}

// FuzzLines says that nothing in a log becomes markup.
func FuzzLines(f *testing.F) {
	f.Add("\x1b[1;31m<a href=x>\x1b[0m\n</span>\x1b[")
	f.Add("\x1b[38;5m\x1b[;;m\x1b[99999999999999999999m'\"")
	f.Fuzz(func(t *testing.T, text string) {
		d := xml.NewDecoder(strings.NewReader("<pre>" + string(Lines(text, 1, Marks{More: "more"})) + "</pre>"))
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil && strings.Contains(err.Error(), "illegal character code") {
				return // of no harm in HTML
			}
			require.NoError(t, err)
			if start, ok := tok.(xml.StartElement); ok {
				require.Contains(t, []string{"pre", "span", "a"}, start.Name.Local)
				for _, a := range start.Attr {
					require.Contains(t, []string{"class", "id", "href"}, a.Name.Local)
					require.Regexp(t, `^[a-zA-Z0-9# ]*$`, a.Value)
				}
			}
		}
	})
}
