package model

// CauseKind says where a run comes from. The numbers stand in the database.
type CauseKind int8

// The causes.
const (
	CauseUnknown  CauseKind = 0 // of a Java admin, or of before causes were kept
	CauseSchedule CauseKind = 1 // is not on record: the run has a planned instant
	CauseRetry    CauseKind = 2 // its parent failed
	CauseChild    CauseKind = 3 // its parent, a run of another job, succeeded
	CauseManual   CauseKind = 4 // somebody has run the job
	CauseAPI      CauseKind = 5 // a program has
	CauseAgain    CauseKind = 6 // somebody has run its parent again
)

// Cause is where a run comes from.
type Cause struct {
	Kind   CauseKind
	Parent int64  // the run that it follows; 0 for none
	Who    string // the user or API key that asked for it; "" for nobody
}

// Follow is a run that comes from another one, and how.
type Follow struct {
	ID   int64
	Kind CauseKind
}

// Kept reports whether the cause has a row of its own.
func (c Cause) Kept() bool { return c.Kind != CauseUnknown && c.Kind != CauseSchedule }

// causeByType is the cause of an open run of which nothing is kept.
var causeByType = map[TriggerType]CauseKind{
	TriggerCron: CauseSchedule, TriggerMisfire: CauseSchedule, TriggerManual: CauseManual, TriggerAPI: CauseAPI,
	TriggerRetry: CauseRetry, TriggerParent: CauseChild,
}

// Cause is what the type says of where a run comes from.
func (t TriggerType) Cause() CauseKind { return causeByType[t] }
