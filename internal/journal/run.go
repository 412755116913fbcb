package journal

// ID is the identity of a trigger.
type ID struct {
	JobID int32
	LogID int64
	At    int64 // logDateTime, Unix milliseconds
}

// Seq names an accepted run inside the journal. It is never used again.
type Seq uint64

// Result is the outcome of a run.
type Result struct {
	Code    int32
	Msg     string
	HasMsg  bool // tells an empty message from none
	NoRetry bool
}

// OpenRun is a run that was accepted, and neither finished nor withdrawn when
// the process ended.
type OpenRun struct {
	Seq     Seq
	ID      ID
	Started bool
	Payload []byte // as Accept was given it; nil if its record is damaged
}

// Finished is a run with its result.
type Finished struct {
	Seq    Seq
	ID     ID
	Result Result
}

// runState is what is known about one run.
type runState uint8

const (
	runAccepted  runState = 1 << iota // the accepted record was seen
	runStarted                        // the handler began
	runFinished                       // there is a result
	runHanded                         // Next gave the result out
	runDone                           // acknowledged or withdrawn
	runWithdrawn                      // withdrawn
)

// open reports whether the run still owes a result.
func (s runState) open() bool {
	return s&(runAccepted|runStarted) != 0 && s&(runFinished|runDone) == 0
}

// unsent reports whether there is a result that nobody acknowledged.
func (s runState) unsent() bool { return s&(runFinished|runDone) == runFinished }

// live reports whether the run keeps its segment from being deleted.
func (s runState) live() bool { return s.open() || s.unsent() }

// stray is a run whose own segment is gone: it was carried forward, or the
// file is missing.
type stray struct {
	state runState
	pin   uint32 // the segment that has its record
}

// runLocked returns the state of a run and the segment that it pins, or nil.
func (j *Journal) runLocked(seq Seq) (*runState, *segment) {
	if len(j.strays) > 0 {
		if s := j.strays[seq]; s != nil {
			return &s.state, j.segmentLocked(s.pin)
		}
	}
	s := j.segmentLocked(seq.home())
	if s == nil || seq.index() >= len(s.states) {
		return nil, nil
	}
	return &s.states[seq.index()], s
}

// moveLocked changes the state of a run and everything that counts it.
func (j *Journal) moveLocked(seq Seq, st *runState, pin *segment, add runState) {
	was := *st
	*st |= add
	now := *st
	if was.open() && !now.open() {
		j.open--
		if pin != nil {
			pin.open--
		}
	}
	j.unsent += count(now.unsent()) - count(was.unsent())
	j.fresh += count(now.fresh()) - count(was.fresh())
	if was.live() && !now.live() && pin != nil {
		if pin.live--; pin.live == 0 && len(j.segs) > 1 {
			signal(j.sweep)
		}
	}
	if now&runDone != 0 && len(j.strays) > 0 {
		delete(j.strays, seq)
	}
}

// fresh reports whether Next has to give the result out.
func (s runState) fresh() bool { return s.unsent() && s&runHanded == 0 }

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
