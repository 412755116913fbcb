package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/client"
)

func TestLogText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"one\ntwo\t2\n": "one\ntwo\t2\n",
		"<br>----------- start -----------<br>----------- Param:x <br>a<br/>b\n": "----------- start -----------\n" +
			"----------- Param:x\na\nb\n",
		"\x1b[1;31mred\x1b[0m\n":                         "\x1b[1;31mred\x1b[0m\n\x1b[0m",
		"a\x1b[2Jb\x1b[?25lc\x1b]0;title\ad\x1bce\r\x00": "abcdce",
		"open \x1b":      "open ",
		"open \x1b[3":    "open ",
		"c1 \u009b2J 测试": "c1 2J 测试",
	} {
		assert.Equal(t, want, logText(text), "%q", text)
	}
}

// An address that nobody has called is not called well.
func TestStanding(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)
	assert.Equal(t, "-", standing(&client.Address{}))
	assert.Equal(t, "ok", standing(&client.Address{Connections: 1}))
	assert.Equal(t, "ok", standing(&client.Address{InFlight: 1}))
	assert.Contains(t, standing(&client.Address{Connections: 1, DeadSince: &since}), "dead since 2026-11-21")
}
