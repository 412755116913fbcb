package parts

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRate(t *testing.T) {
	t.Parallel()
	anchor := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	next := rate(anchor, time.Minute)
	for from, want := range map[time.Duration]time.Duration{
		0: time.Minute, -1: 0, time.Second: time.Minute, time.Minute: 2 * time.Minute,
		-time.Minute: 0, -time.Minute - 1: -time.Minute, -time.Hour: -59 * time.Minute,
	} {
		assert.Equal(t, anchor.Add(want), next(anchor.Add(from)), from)
	}
}
