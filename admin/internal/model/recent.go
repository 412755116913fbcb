package model

import "time"

// Recent is a run in short, for the strip of a job.
type Recent struct {
	ID          int64
	TriggerTime time.Time // zero for NULL
	TriggerCode int32
	HandleTime  time.Time // zero for NULL
	HandleCode  int32
}

// Took is how long the run took, or has been at it until now. It is 0 for one
// that no executor has taken.
func (r *Recent) Took(now time.Time) time.Duration {
	end := r.HandleTime
	switch {
	case r.TriggerTime.IsZero() || r.TriggerCode != CodeSuccess:
		return 0
	case end.IsZero():
		end = now
	}
	return max(end.Sub(r.TriggerTime), 0)
}
