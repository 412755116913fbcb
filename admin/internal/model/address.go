package model

import "time"

// Release is what the answers of an executor tell of the program behind them.
type Release struct {
	Native bool // our own executor
	// From and To are the first and the last release of Java's executor that answers
	// so, "" while nothing is known. ReleaseMaster stands for its master branch.
	From, To string
	// Odd says that no executor known to us answers so.
	Odd bool
}

// ReleaseMaster is Java's master branch, which is to become 3.5.0.
const ReleaseMaster = "master"

// Known reports whether anything is known.
func (r Release) Known() bool { return r != Release{} }

// AddressState is what is known of an executor's address. What is told of calls
// is what this node has seen.
type AddressState struct {
	LastBeat time.Time // zero for one that was typed
	// Since is when this node first heard of its registration; with Before it was
	// registered then already. Zero for one that is not registered.
	Since  time.Time
	Before bool

	Dialect   string // "" while unknown
	Native    bool   // an executor of our library
	Release   Release
	InFlight  int       // requests without an answer yet
	Queued    int       // triggers that wait here
	Conns     int       // open connections
	DeadSince time.Time // zero while it answers
	OldToken  bool      // it takes the old token of its group, and not the new one

	// Faults are the last calls without a proper answer, newest first.
	Faults []AddressFault
}

// AddressFault is how calls to an address ended that got no proper answer, one
// after the other for the same reason.
type AddressFault struct {
	First, Last time.Time
	Count       int
	Path        string // what was asked for, the last time
	Text        string // why, for people; not escaped
}

// The questions of a probe.
const (
	ProbeBeat     = "beat"      // does it take triggers?
	ProbeIdleBeat = "idle_beat" // is it idle, as far as a job that does not exist is concerned?
	ProbeLog      = "log"       // a run's log, of a run that does not exist
	ProbeUnnamed  = "unnamed"   // /beat without the application's name, which only master demands
)

// ProbeStep is a question of a probe, and its answer.
type ProbeStep struct {
	Name string
	// OK says that the answer was as it should be. Of ProbeUnnamed either answer is:
	// it tells generations apart.
	OK   bool
	Code int32  // of the answer; 0 without one
	Text string // what it said, or why there is no answer; not escaped
	Took time.Duration
}

// Evidence is something that an executor did and from which its release follows.
type Evidence struct {
	What string // one of the Saw constants
	Text string // of its own words, "" where What says it all; not escaped
}

// What is seen of executors.
const (
	SawNative      = "native"       // the header of our own executor; Text is its value
	SawMute        = "mute"         // a success has no message: up to 3.1.1
	SawSuccess     = "success"      // a success says "Success": since 3.2.0
	SawOtherText   = "other_text"   // a success says Text, as no Java executor does
	SawContent     = "content"      // the log stands under "content": up to 3.2.0
	SawData        = "data"         // the log stands under "data": since 3.3.0
	SawNoLog       = "no_log"       // there is no log in the answer, or it stands under both
	SawNameless    = "nameless"     // it takes requests that name no application: up to 3.4.2
	SawNameWanted  = "name_wanted"  // it refuses them: master
	SawTokenOld    = "token_old"    // it refuses the token in the words of releases up to 3.4.2
	SawTokenMaster = "token_master" // it refuses the headers in the words of master
	SawPathRun     = "path_run"     // it has taken triggers at /run: up to 3.4.2
	SawPathTrigger = "path_trigger" // it takes triggers at /trigger: master
	SawForeign     = "foreign"      // Text is a header that Java's server never sends
)

// Probe is what an address has answered to harmless questions.
type Probe struct {
	Address string
	Steps   []ProbeStep // in order; what was not asked is missing
	Release
	Evidence []Evidence
}

// OK reports whether the executor has answered everything as it should.
func (p *Probe) OK() bool {
	for _, s := range p.Steps {
		if !s.OK {
			return false
		}
	}
	return len(p.Steps) > 0
}

// Took is how long all questions took.
func (p *Probe) Took() (d time.Duration) {
	for _, s := range p.Steps {
		d += s.Took
	}
	return d
}

// Fault is the first answer that is not as it should be, or "".
func (p *Probe) Fault() string {
	for _, s := range p.Steps {
		if !s.OK {
			return s.Text
		}
	}
	return ""
}
