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

var oneSeed = flag.Uint64("seed", 0, "run this seed only; 0 is all of them")

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

// seeds is how many seeds each scenario gets: few by default, many with
// XXLJOB_LONG=1.
func seeds() uint64 {
	if os.Getenv("XXLJOB_LONG") != "" {
		return 300
	}
	return 8
}

// scenarios are what nodes are put through.
var scenarios = map[string]plan{
	"quiet":       {nodes: 2, jobs: 8, length: time.Minute, edits: true},
	"one node":    {nodes: 1, jobs: 8, length: time.Minute, dbFaults: 0.02, netFaults: 0.1, kills: true, crashes: true},
	"database":    {nodes: 2, jobs: 8, length: time.Minute, dbFaults: 0.1, outages: true},
	"kills":       {nodes: 3, jobs: 8, length: time.Minute, netFaults: 0.05, kills: true},
	"freezes":     {nodes: 3, jobs: 8, length: time.Minute, netFaults: 0.05, freezes: true},
	"executors":   {nodes: 2, jobs: 10, length: time.Minute, netFaults: 0.3, crashes: true},
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
	for name, p := range scenarios {
		t.Run(name, func(t *testing.T) {
			for seed := uint64(1); seed <= seeds(); seed++ {
				if *oneSeed != 0 && seed != 1 {
					break
				}
				if *oneSeed != 0 {
					seed = *oneSeed
				}
				found := play(t, seed, p, broken{})
				if len(found) == 0 {
					continue
				}
				for _, what := range found[:min(len(found), 10)] {
					t.Error(what)
				}
				t.Fatalf("seed %d: %d findings; again: go test ./admin/internal/simulation -run '%s' -seed=%d",
					seed, len(found), t.Name(), seed)
			}
		})
	}
}

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
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for seed := uint64(1); seed <= 10; seed++ {
				if found := play(t, seed, tt.p, tt.b); len(found) > 0 {
					t.Log(found[0])
					return
				}
			}
			assert.Fail(t, "the checker has found nothing in ten seeds")
		})
	}
}
