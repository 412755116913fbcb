package cron

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFields(t *testing.T) {
	t.Parallel()
	s, err := Parse("5 0/30 9-10 L-3,15W,LW,1 JAN,MAR ? 2027-2030/2")
	require.NoError(t, err)
	assert.Equal(t, Fields{
		Seconds: 1 << 5, Minutes: 1 | 1<<30, Hours: 1<<9 | 1<<10, Months: 1<<1 | 1<<3,
		Days: 1 << 1, LastDays: 1 << 3, NearDays: 1 << 15, NearLastDays: 1,
		Years: []YearRange{{From: 2027, To: 2030, Step: 2}},
	}, s.Fields())
	s, err = Parse("0 0 0 ? * 6#2")
	require.NoError(t, err)
	f := s.Fields()
	assert.True(t, f.ByWeekday)
	assert.Equal(t, uint8(1<<5), f.Weekdays)
	assert.Equal(t, 2, f.Nth)
	assert.True(t, f.AllYears())
	assert.True(t, f.Years[0].Endless())
	f.Years[0].From = 2030
	again := s.Fields()
	assert.True(t, again.AllYears(), "what is handed out is the caller's own")
	assert.False(t, f.AllYears())
	assert.Equal(t, Fields{Never: true}, Schedule{}.Fields())
}
