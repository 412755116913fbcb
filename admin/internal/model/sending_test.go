package model

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSending(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 4, 31, 13_000_000, time.FixedZone("", 8*3600))
	for text, s := range map[string]Sending{
		"2026-03-01 12:04:31.013 +08:00, 2.1 ms, 13.0 ms":       {at, 2100 * time.Microsecond, 13 * time.Millisecond},
		"2026-03-01 12:04:31.013 +08:00, -, -":                  {at, -1, -1},
		"2026-03-01 04:04:31.013 +00:00, 0.0 ms, 86400000.0 ms": {at.UTC(), 0, 24 * time.Hour},
	} {
		assert.Equal(t, text, s.String())
		got, ok := ParseSending(text)
		require.True(t, ok, text)
		assert.True(t, got.At.Equal(s.At))
		assert.Equal(t, [2]time.Duration{s.Answer, s.Late}, [2]time.Duration{got.Answer, got.Late}, text)
		found, ok := SendingOf(`Trigger Type：CRON<br><br><span style="color:#00c0ef;" > >>>>>>>>>>>Trigger<<<<<<<<<<< </span><br><br>Sent：` +
			text + "<br>Executor Address：http://a/")
		assert.Equal(t, got, found)
		assert.True(t, ok)
	}
	for _, text := range []string{
		"", "http://10.0.0.5:9999/", "2026-03-01 12:04:31.013 +08:00", "2026-03-01 12:04:31.013 +08:00, 2.1 ms",
		"2026-03-01 12:04:31 +08:00, 2.1 ms, -", "2026-03-01 12:04:31.013 +08:00, -2.1 ms, -",
		"2026-03-01 12:04:31.013 +08:00, NaN ms, -", "2026-03-01 12:04:31.013 +08:00, Inf ms, -",
		"2026-03-01 12:04:31.013 +08:00, 2.1 ms, - ", "2026-03-01 12:04:31.013 +08:00, 1e300 ms, -",
	} {
		_, ok := ParseSending(text)
		assert.False(t, ok, text)
	}
	_, ok := SendingOf("Parameter：&lt;&lt;&lt;&lt;<br>Sent：2026-03-01 12:04:31.013 +08:00, -, -")
	assert.False(t, ok, "not in its place")
}

func FuzzParseSending(f *testing.F) {
	f.Add("2026-03-01 12:04:31.013 +08:00, 2.1 ms, 13.0 ms")
	f.Add("2026-03-01 12:04:31.013 +08:00, -, -")
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := ParseSending(text)
		if !ok {
			return
		}
		again, ok := ParseSending(s.String())
		require.True(t, ok, text)
		assert.True(t, again.At.Equal(s.At))
		assert.Equal(t, [2]time.Duration{s.Answer, s.Late}, [2]time.Duration{again.Answer, again.Late}, text)
	})
}
