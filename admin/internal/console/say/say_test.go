package say

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

func TestWords(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	for d, want := range map[time.Duration]string{
		0: "now", 5 * time.Second: "5 s ago", -5 * time.Second: "in 5 s", 2 * time.Minute: "2 min ago",
		-47 * time.Hour: "in 47 h", 49 * time.Hour: "2 d ago",
	} {
		assert.Equal(t, want, Ago(i18n.En, noon, noon.Add(-d)))
	}
	assert.Equal(t, "2 分前", Ago(i18n.ZhCN, noon, noon.Add(-2*time.Minute)))
	assert.Equal(t, "–", Ago(i18n.En, noon, time.Time{}))
	for d, want := range map[time.Duration]string{
		-1: "–", 0: "0 ms", 340 * time.Millisecond: "340 ms", 1240 * time.Millisecond: "1.24 s",
		185 * time.Second: "3 min 5 s", 124 * time.Minute: "2 h 4 min", 30 * time.Second: "30 s",
		5 * time.Minute: "5 min", time.Hour: "1 h", 2500 * time.Millisecond: "2.50 s", 50 * time.Hour: "2 d 2 h",
	} {
		assert.Equal(t, want, Took(i18n.En, d))
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		assert.Equal(t, want, Count(n))
	}
	assert.Equal(t, "2026-11-21 12:00:00 UTC", Stamp(noon))
	assert.Equal(t, "2026-11-21 20:00:00 UTC+08:00", Stamp(noon.In(time.FixedZone("", 8*3600))))
	assert.Equal(t, "Asia/Shanghai", ZoneName(shanghai, noon))
}
