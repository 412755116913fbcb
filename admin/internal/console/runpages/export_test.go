package runpages

const (
	PageLog     = pageLog
	RunsPerPage = runsPerPage
)

type BesideRun = besideRun

var (
	StrandedStack = strandedStack
	Tally         = tally
)
