package simulation

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	firstSeed = flag.Uint64("seed", 0, "run this seed only, or -seeds from it on; 0 is from 1 on")
	seedCount = flag.Uint64("seeds", 0, "how many seeds each scenario gets; 0 is as many as usual")
)

// maxFailed ends a scenario that fails again and again.
const maxFailed = 5

// story is what happened to the first run that a finding names.
func (s *sim) story(found findings) []string {
	for _, what := range found {
		_, tail, ok := strings.Cut(what, "run ")
		var id int64
		if _, err := fmt.Sscan(tail, &id); ok && err == nil {
			return s.notes[id]
		}
	}
	return nil
}

// seeds are the first and the last seed of each scenario: few by default, many
// with XXLJOB_LONG=1.
func seeds() (first, last uint64) {
	first = max(*firstSeed, 1)
	switch {
	case *seedCount != 0:
		return first, first + *seedCount - 1
	case *firstSeed != 0:
		return first, first
	case os.Getenv("XXLJOB_LONG") != "":
		return 1, 300
	default:
		return 1, 8
	}
}

// scenarios are what nodes are put through.
var scenarios = map[string]plan{
	"quiet":       {nodes: 2, jobs: 8, length: time.Minute, edits: true},
	"one node":    {nodes: 1, jobs: 8, length: time.Minute, dbFaults: 0.02, netFaults: 0.1, kills: true, crashes: true},
	"database":    {nodes: 2, jobs: 8, length: time.Minute, dbFaults: 0.1, outages: true},
	"kills":       {nodes: 3, jobs: 8, length: time.Minute, netFaults: 0.05, kills: true},
	"freezes":     {nodes: 3, jobs: 8, length: time.Minute, netFaults: 0.05, freezes: true},
	"executors":   {nodes: 2, jobs: 10, length: time.Minute, netFaults: 0.3, crashes: true},
	"answers":     {nodes: 2, jobs: 8, length: time.Minute, netFaults: 0.02, unheard: 0.2},
	"stops":       {nodes: 2, jobs: 8, length: time.Minute, dbFaults: 0.02, outages: true, edits: true},
	"deaf nodes":  {nodes: 3, jobs: 8, length: time.Minute, netFaults: 0.05, kills: true, deaf: true},
	"clock steps": {nodes: 1, jobs: 6, length: time.Minute, steps: true},
	"everything": {
		nodes: 3, jobs: 10, length: 90 * time.Second, dbFaults: 0.03, netFaults: 0.1,
		kills: true, freezes: true, outages: true, crashes: true, edits: true,
	},
}

// play runs one seed and returns what the checker found.
func play(t *testing.T, seed uint64, p plan, b broken) (found findings) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSim(t.Context(), seed, p, b)
		s.run()
		found = s.check()
		for _, line := range s.story(found) {
			t.Log(line)
		}
	})
	return found
}

func TestPromises(t *testing.T) {
	first, last := seeds()
	for name, p := range scenarios {
		t.Run(name, func(t *testing.T) {
			failed := 0
			for seed := first; seed <= last; seed++ {
				found := play(t, seed, p, broken{})
				if len(found) == 0 {
					continue
				}
				for _, what := range found[:min(len(found), 10)] {
					t.Error(what)
				}
				t.Errorf("seed %d: %d findings; again: go test ./admin/internal/simulation -run '%s' -seed=%d",
					seed, len(found), t.Name(), seed)
				if failed++; failed == maxFailed {
					t.FailNow()
				}
			}
		})
	}
}

// bites is how many seeds the checker is given.
const bites = 20

// The checker has to find what it is there for: with a guard switched off it
// does, within a few seeds.
func TestTheCheckerBites(t *testing.T) {
	tests := []struct {
		name string
		b    broken
		p    plan
	}{
		{"runs handed over before they are on record", broken{outbox: true}, scenarios["database"]},
		{"no fence", broken{fence: true}, scenarios["freezes"]},
		{"what is in doubt is sent again", broken{settle: true}, scenarios["executors"]},
		{"taken for dead and not told", broken{lapse: true}, scenarios["deaf nodes"]},
		{"what was missed before a stop is not counted", broken{missed: true}, scenarios["stops"]},
		{"what follows is not looked for", broken{search: true}, scenarios["answers"]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for seed := uint64(1); seed <= bites; seed++ {
				if found := play(t, seed, tt.p, tt.b); len(found) > 0 {
					t.Log(found[0])
					return
				}
			}
			assert.Fail(t, "the checker has found nothing", "in %d seeds", bites)
		})
	}
}
