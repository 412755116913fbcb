package runpages

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

func TestReadClock(t *testing.T) {
	t.Parallel()
	const start = "2026-11-21 19:59:01 [com.xxl.job.core.thread.JobThread#run]-[133]-[xxl-job, JobThread-7-1763726340010] " +
		"<br>----------- xxl-job job execute start -----------<br>----------- Param:x\n" // of Java 3.4.2
	for text, want := range map[string]runClock{
		"": {}, "x": {}, "2026-11-21 19:59:01": {},
		"no time <br>----------- xxl-job job execute start -----------":                                        {},
		"2026-11-21 19:59:01 <br>--- xxl-job job execute start -----------":                                    {Began: "2026-11-21 19:59:01"},
		"a\n2026-13-21 19:59:01 job execute end(error) --":                                                     {},
		"a\n2026-11-21 19:59:01 job execute end(error) --":                                                     {Ended: "2026-11-21 19:59:01"},
		"2026-11-21 19:59:01 x" + wire.LogException + "boom\n\n\tat a.b(C.java:1)\n" + wire.LogEndError + "\n": {Ended: "2026-11-21 19:59:01"},
		wire.LogEndError:                         {},
		start:                                    {Began: "2026-11-21 19:59:01"},
		"something of the platform\n" + start:    {Began: "2026-11-21 19:59:01"},
		strings.Repeat("\n", beganLines) + start: {},
		start + "2026-11-21 19:59:58 [a#b]-[1]-[x] " + wire.LogStart: {Began: "2026-11-21 19:59:01"},
	} {
		assert.Equal(t, want, readClock(text), text)
	}
}

func TestRunClocks(t *testing.T) {
	t.Parallel()
	var r runClocks
	for i := range int64(keptClocks + 2) {
		r.keep(i, runClock{Began: "x"})
	}
	r.keep(5, runClock{Began: "y"})
	_, first := r.of(1)
	five, ok := r.of(5)
	assert.False(t, first, "the oldest are forgotten")
	assert.True(t, ok)
	assert.Equal(t, "y", five.Began)
	assert.Len(t, r.known, keptClocks)
	assert.Len(t, r.order, keptClocks)
}

// TestZoneApart tells a clock of another time zone, which is right, from one that
// is wrong.
func TestZoneApart(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		began, ended string
		want         time.Duration
	}{
		"the same":                 {began: "2026-11-21 12:00:01", ended: "2026-11-21 12:30:00"},
		"behind, as of UTC":        {began: "2026-11-21 04:00:03", ended: "2026-11-21 04:29:59", want: -8 * time.Hour},
		"ahead by a part":          {began: "2026-11-21 17:31:59", want: 5*time.Hour + 30*time.Minute},
		"waited in a queue":        {began: "2026-11-21 20:07:00", ended: "2026-11-21 20:29:59", want: 8 * time.Hour},
		"waited, and runs":         {began: "2026-11-21 20:07:00"},
		"only its end":             {ended: "2026-11-21 20:30:00", want: 8 * time.Hour},
		"the clock is wrong":       {began: "2026-11-21 12:50:00", ended: "2026-11-21 13:20:00"},
		"wrong by a little":        {began: "2026-11-21 11:58:00"},
		"nothing":                  {},
		"no time":                  {began: "x"},
		"a day line, on this side": {began: "2026-11-22 01:00:00", want: 13 * time.Hour},
	} {
		noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		l := &model.Log{TriggerTime: noon, HandleTime: noon.Add(30 * time.Minute)}
		assert.Equal(t, tt.want, runClock{Began: tt.began, Ended: tt.ended}.zoneApart(l, time.UTC), name)
	}
}
