package model

import "time"

// Recent is a run in short, for the strip of a job.
type Recent struct {
	ID          int64
	TriggerTime time.Time // zero for NULL
	TriggerCode int32
	HandleTime  time.Time // zero for NULL
	HandleCode  int32
	End         End
	RetriesLeft int32
}
