package console

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestLogLines(t *testing.T) {
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
		assert.Equal(t, c.want, string(logLines(c.give, 7, logMarks{more: "more"})), "%q", c.give)
	}
	long := string(logLines(strings.Repeat("界", 10_000), 1, logMarks{more: "see <the> rest"}))
	assert.Contains(t, long, `<span class="cut"> … see &lt;the&gt; rest</span>`)
	assert.Less(t, len(long), lineShown+300)
	assert.NotContains(t, long, "\ufffd", "cut at the border of a character")
}

// FuzzLogLines says that nothing in a log becomes markup.
func FuzzLogLines(f *testing.F) {
	f.Add("\x1b[1;31m<a href=x>\x1b[0m\n</span>\x1b[")
	f.Add("\x1b[38;5m\x1b[;;m\x1b[99999999999999999999m'\"")
	f.Fuzz(func(t *testing.T, text string) {
		d := xml.NewDecoder(strings.NewReader("<pre>" + string(logLines(text, 1, logMarks{more: "more"})) + "</pre>"))
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

func TestTriggerTexts(t *testing.T) {
	t.Parallel()
	msg := "任务触发类型：Cron触发<br>调度机器：node-a<br>路由策略：分片广播(0/2)<br><br>" +
		`<span style="color:#00c0ef;" > >>>>>>>>>>>触发调度<<<<<<<<<<< </span><br>` +
		"执行器地址：http://10.0.0.1:9999/<br>任务参数：a &lt;b&gt; ：c<br>响应：error, <img src=x onerror=alert(1)> 1 < 2"
	assert.Equal(t, []said{
		{"任务触发类型", "Cron触发"},
		{"调度机器", "node-a"},
		{"路由策略", "分片广播(0/2)"},
		{"", "触发调度"},
		{"执行器地址", "http://10.0.0.1:9999/"},
		{"任务参数", "a <b> ：c"},
		{"响应", "error, <img src=x onerror=alert(1)> 1 < 2"},
	}, triggerTexts(msg))
	assert.Equal(t, "error, <img src=x onerror=alert(1)> 1 < 2", model.TriggerOutcome(msg))
	assert.Equal(t, "no", model.TriggerOutcome(`响应：no<br><br><span style="color:#F39C12;" > >>>>>>>>>>>重试<<<<<<<<<<< </span><br>`))
	own, more := splitMessage(`a <b><br><br><span style="color:#00c0ef;" > >>>>>>>>>>>children<<<<<<<<<<< </span><br>1/1：started`)
	assert.Equal(t, "a <b>", own)
	assert.Equal(t, []said{{"", "children"}, {"1/1", "started"}}, more)
	own, more = splitMessage("plain<br>text")
	assert.Equal(t, "plain<br>text", own)
	assert.Empty(t, more)
	assert.Empty(t, triggerTexts("<br><br/> "))
	assert.Empty(t, model.TriggerOutcome(""))
	assert.Equal(t, []said{{Value: "<spanner> <span"}}, triggerTexts("<spanner> <span"))
}
