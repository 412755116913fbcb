package cron

import (
	"math"
	"time"
)

// FixRate returns the instant the given number of seconds after after, in its
// location, at a whole second: a fraction is rounded up, as the Java admin does
// from 3.4.0 on. It returns the zero time for less than one second and for an
// instant whose Unix milliseconds an int64 cannot hold.
func FixRate(after time.Time, seconds int64) time.Time {
	unix := after.Unix()
	if after.Nanosecond() > 0 {
		unix++
	}
	if seconds < 1 || seconds > math.MaxInt64/1000-max(unix, 0) {
		return time.Time{}
	}
	return time.Unix(unix+seconds, 0).In(after.Location())
}
