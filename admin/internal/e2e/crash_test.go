//go:build linux

package e2e

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// crashes says what a crash loop does.
type crashes struct {
	db     string
	binary string // default: the admin as it is shipped
	jobs   int
	rounds int
	seed   uint64
	// once makes the loop kill nothing but the admin.
	adminOnly bool
}

// fault is what a round of a crash loop does to a part.
type fault int

const (
	killAdmin    fault = iota
	killLong           // longer than what is sent late
	killExecutor       // the process with all executors
	restartDatabase
	crashDatabase
)

// plan returns the faults of a loop: each kind first, then in random order.
func (c crashes) plan(rng *rand.Rand) []fault {
	kinds := []fault{killAdmin, killExecutor, restartDatabase, killLong, crashDatabase}
	if c.db == sqlite {
		kinds = []fault{killAdmin, killExecutor, killLong}
	}
	if c.adminOnly {
		kinds = []fault{killAdmin}
	}
	var list []fault
	for len(list) < c.rounds {
		kind := kinds[rng.IntN(len(kinds))]
		if len(list) < len(kinds) {
			kind = kinds[len(list)]
		}
		list = append(list, kind, killAdmin) // the admin is hit most
	}
	return list[:c.rounds]
}

// run starts a world, lets the faults loose on it and returns what was seen.
func (c crashes) run(t *testing.T) *evidence {
	t.Helper()
	rng := rand.New(rand.NewPCG(c.seed, 0))
	w := newWorld(t, newDatabase(t, c.db))
	if c.binary != "" {
		w.binary = c.binary
	}
	n := w.newNode(t)
	n.start(t)
	x := w.newExecutor(t, 2, -1)
	w.setUp(t, 2)
	w.addJobs(t, c.jobs, mixed, 2)
	pass(t, 2*time.Second)
	var boots []time.Time
	for _, f := range c.plan(rng) {
		pass(t, time.Duration(300+rng.IntN(pick(2200, 6000)))*time.Millisecond)
		down := time.Duration(rng.IntN(1500)) * time.Millisecond
		switch f {
		case killAdmin:
			boots = append(boots, n.crash(t, down))
		case killLong:
			n.crash(t, 8*time.Second)
		case killExecutor:
			w.away()
			x.crash(t, down)
		case restartDatabase, crashDatabase:
			w.outage(w.db.restart(t, f == crashDatabase, down))
		}
	}
	pass(t, 8*time.Second) // nothing may be missed after the last recovery
	e := w.gather(t)
	t.Logf("from a boot to the first fire: %v", firstFires(e, boots))
	return e
}

// firstFires returns how long after each start of a program the first trigger
// arrived that was planned for after it.
func firstFires(e *evidence, starts []time.Time) []time.Duration {
	times := make([]time.Duration, len(starts))
	for i, start := range starts {
		times[i] = time.Hour
		for _, r := range e.records {
			if d := time.Duration(r.at - start.UnixNano()); r.kind == 'R' && d >= 0 && d < times[i] {
				times[i] = d.Round(time.Millisecond)
			}
		}
	}
	return times
}

// TestCrashLoop kills the admin at random moments under load, and the
// executors, and restarts the database, and proves A1 to A4 over all rounds.
func TestCrashLoop(t *testing.T) {
	t.Parallel()
	for _, db := range []string{sqlite, mysql, postgres} {
		t.Run(db, func(t *testing.T) {
			t.Parallel()
			c := crashes{db: db, jobs: pick(60, 500), rounds: pick(5, 20), seed: uint64(time.Now().UnixNano())}
			t.Logf("seed %d, %d jobs, %d rounds", c.seed, c.jobs, c.rounds)
			e := c.run(t)
			prove(t, e)
			require.Greater(t, len(e.rows), c.jobs*10, "the load was no load")
		})
	}
}

// TestBrokenOutbox shows that the crash loop finds a broken promise: this admin
// plans runs without writing its outbox.
func TestBrokenOutbox(t *testing.T) {
	t.Parallel()
	binary, err := brokenBinary()
	require.NoError(t, err)
	c := crashes{db: sqlite, binary: binary, jobs: 60, rounds: 2, seed: 1, adminOnly: true}
	breaches := check(c.run(t))
	t.Logf("%d breaches were found", len(breaches))
	assert.NotEmpty(t, breaches)
	for _, promise := range []string{"A1", "A2", "A4"} {
		if i := slices.IndexFunc(breaches, func(b string) bool { return b[:2] == promise }); i >= 0 {
			t.Logf("for example: %s", breaches[i])
		}
	}
}
