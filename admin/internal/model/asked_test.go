package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAskedOf(t *testing.T) {
	t.Parallel()
	const one = "address：http://a:1/<br>code：500<br>msg：busy, it says：no"
	busy := Asked{Question: "Idle check", Address: "http://a:1/", Answer: "busy, it says：no"}
	free := Asked{Question: "Idle check", Address: "http://b:1/", OK: true, Took: "1.2 ms"}
	line := func(name, value string) TriggerLine { return TriggerLine{Name: name, Value: value} }
	for _, tt := range []struct {
		name, msg string
		asked     []Asked
		rest      []TriggerLine
	}{
		{"nobody", "Route：First<br>address：x", nil, []TriggerLine{line("Route", "First"), line("address", "x")}},
		{
			"one is chosen", "Route：Busyover<br><br>Idle check：<br>" + one +
				"<br><br>Idle check：<br>address：http://b:1/<br>code：200<br>msg：<br>took：1.2 ms<br><br>Executor Address：http://b:1/",
			[]Asked{busy, free},
			[]TriggerLine{line("Route", "Busyover"), line("Executor Address", "http://b:1/")},
		},
		{
			"none is", "Executor Address：address route fail, Idle check：<br>" + one + "<br>Trigger Msg：error",
			[]Asked{busy},
			[]TriggerLine{line("Executor Address", "address route fail"), line("Trigger Msg", "error")},
		},
		{
			"of Java", "注册方式：自动<br>----------------------<br>心跳检测：<br>address：http://a:1/<br>code：500<br>msg：refused<br><br>触发调度",
			[]Asked{{Question: "心跳检测", Address: "http://a:1/", Answer: "refused"}},
			[]TriggerLine{line("注册方式", "自动"), line("", "----------------------"), line("", "触发调度")},
		},
	} {
		asked, rest := AskedOf(TriggerTexts(tt.msg))
		assert.Equal(t, tt.asked, asked, tt.name)
		assert.Equal(t, tt.rest, rest, tt.name)
	}
}

// FuzzAskedOf: whatever an executor has answered, the text is read, and what is not
// taken out stays in its order.
func FuzzAskedOf(f *testing.F) {
	f.Add("a：b, c：<br>address：x<br>code：200<br>msg：<br>took：1")
	f.Add("address：<br>code：<br>msg：<br>address：")
	f.Fuzz(func(t *testing.T, msg string) {
		lines := TriggerTexts(msg)
		asked, rest := AskedOf(TriggerTexts(msg))
		if len(asked) == 0 {
			assert.Equal(t, lines, rest)
		}
		if n := len(lines) - len(rest); n < 3*len(asked) || n > 5*len(asked) {
			t.Errorf("%d of %d lines stay beside %d asked", len(rest), len(lines), len(asked))
		}
	})
}
