//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// base is the first instant of the checker's own test.
const base = int64(1_800_000_000_000)

// sound returns the evidence of a scenario in which all went well: job 1 fires
// each second, with a gap that an outage explains; job 2 makes up for its gap;
// job 3 is a broadcast over two executors.
func sound() *evidence {
	e := &evidence{outages: []span{{base + 3000, base + 12_000}}}
	for id := range int32(3) {
		p := plan{id: id + 1, every: 1000, shards: 1, must: span{base, base + 20_000}, may: span{base - 2000, base + 22_000}}
		e.jobs = append(e.jobs, p)
	}
	e.jobs[1].once, e.jobs[2].shards = true, 2
	for at := base; at <= base+20_000; at += 1000 {
		if at > base+3000 && at <= base+8000 {
			continue
		}
		e.run(1, at, "Job trigger type：Schedule trigger<br>", "")
		e.run(2, at, "", "")
		e.run(3, at, "", "0/2")
		e.run(3, at, "", "1/2")
	}
	for job := range int32(3) {
		e.rows = append(e.rows, row{
			id: int64(len(e.rows) + 1), job: job + 1, trigger: base + 13_000, triggerCode: 500,
			msg: gapMsg(5, base+4000, base+8000),
		})
	}
	e.run(2, base+13_000, "", "")
	return e
}

func gapMsg(n int, from, to int64) string {
	text := func(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateTime) }
	return fmt.Sprintf("Missed %d fires from %s to %s: nobody was there", n, text(from), text(to))
}

// run adds a run that was planned, sent, run, reported and stored.
func (e *evidence) run(job int32, at int64, msg, shard string) {
	r := row{id: int64(len(e.rows) + 1), job: job, trigger: at, triggerCode: 200, handleCode: 200, msg: msg, shard: shard}
	e.rows = append(e.rows, r)
	index, _ := r.shardOf()
	for i, kind := range []byte("RSE") {
		e.records = append(e.records, record{kind: kind, at: at*1e6 + int64(i), job: job, logID: r.id, trigger: at, shard: index})
	}
	e.acks = append(e.acks, ack{r.id, 200})
}

// find returns the index of the first row of a job at an instant.
func (e *evidence) find(job int32, at int64) int {
	return slices.IndexFunc(e.rows, func(r row) bool { return r.job == job && r.trigger == at })
}

// forget removes a row and everything about it.
func (e *evidence) forget(job int32, at int64) {
	i := e.find(job, at)
	id := e.rows[i].id
	e.rows = slices.Delete(e.rows, i, i+1)
	e.records = slices.DeleteFunc(e.records, func(r record) bool { return r.logID == id })
	e.acks = slices.DeleteFunc(e.acks, func(a ack) bool { return a.logID == id })
}

func TestCheckerAcceptsWhatIsSound(t *testing.T) {
	t.Parallel()
	e := sound()
	assert.Empty(t, check(e))
	assert.Contains(t, e.figures(), "3 jobs, 65 runs (0 not 200), 3 gaps of 15 instants; 65 sent, 0 sent again")

	t.Run("what is in doubt is sent again", func(t *testing.T) {
		t.Parallel()
		e := sound()
		e.resends = true
		e.records = append(e.records, e.records[0])
		assert.Empty(t, check(e))
	})
	t.Run("instants while a job is started and stopped", func(t *testing.T) {
		t.Parallel()
		e := sound()
		e.run(1, base-1000, "", "")
		e.run(1, base+22_000, "", "")
		assert.Empty(t, check(e))
	})
	t.Run("stopped before it was sent", func(t *testing.T) {
		t.Parallel()
		e := sound()
		last := e.find(1, base+20_000)
		id := e.rows[last].id
		e.rows[last].triggerCode, e.rows[last].handleCode = 500, 0
		e.rows[last].msg += "error, the job was stopped before the run was sent"
		e.records = slices.DeleteFunc(e.records, func(r record) bool { return r.logID == id })
		e.acks = slices.DeleteFunc(e.acks, func(a ack) bool { return a.logID == id })
		assert.Empty(t, check(e))
	})
	t.Run("executor that was not there", func(t *testing.T) {
		t.Parallel()
		e := sound()
		id := e.rows[0].id
		e.absent = true
		e.rows[0].triggerCode, e.rows[0].handleCode = 500, 0
		e.records = slices.DeleteFunc(e.records, func(r record) bool { return r.logID == id })
		e.acks = slices.DeleteFunc(e.acks, func(a ack) bool { return a.logID == id })
		assert.Empty(t, check(e))
	})
}

// TestCheckerFinds breaks sound evidence in every way that a promise can be
// broken, and asks for exactly that breach.
func TestCheckerFinds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(e *evidence)
		want string
	}{
		{"missed", func(e *evidence) { e.forget(1, base+2000) }, "A1: job 1: 08:00:02.000 was missed"},
		{"missed at the end", func(e *evidence) { e.forget(1, base+20_000) }, "A1: job 1: 08:00:20.000 was missed"},
		{"two rows", func(e *evidence) { e.run(1, base+2000, "x", "") }, "A1: job 1: 08:00:02.000 is doubled"},
		{"not due", func(e *evidence) { e.run(1, base+2500, "x", "") }, "was not due"},
		{"before the start", func(e *evidence) { e.run(1, base-9000, "x", "") }, "was not due"},
		{"after the stop", func(e *evidence) { e.run(1, base+23_000, "x", "") }, "was not due"},
		{"unknown job", func(e *evidence) { e.run(9, base, "x", "") }, "A1: job 9 is not known here"},
		{"shard missing", func(e *evidence) { e.forget(3, base+2000) }, "has 1 of 2 shards"},
		{"shard doubled", func(e *evidence) { e.run(3, base+2000, "x", "1/2") }, "is doubled"},
		{"shards that nobody is there for", func(e *evidence) {
			e.forget(3, base+2000)
			e.forget(3, base+2000)
			for i := range 3 {
				e.run(3, base+2000, "", fmt.Sprintf("%d/3", i))
			}
		}, "has 3 shards for 2 executors"},
		{"gap and row", func(e *evidence) { e.run(1, base+5000, "x", "") }, "is in a gap and has log"},
		{"two gaps", func(e *evidence) {
			e.rows = append(e.rows, row{id: 900, job: 1, triggerCode: 500, msg: gapMsg(1, base+5000, base+5000)})
		}, "is in 2 gaps"},
		{"gap that counts wrong", func(e *evidence) {
			e.rows[e.find(1, base+13_000)+0].msg = "Job"
			i := slices.IndexFunc(e.rows, func(r row) bool { return r.job == 1 && strings.HasPrefix(r.msg, "Missed") })
			e.rows[i].msg = gapMsg(4, base+4000, base+8000)
		}, "counts 4 from"},
		{"gap without an outage", func(e *evidence) { e.outages = nil }, "no outage explains it"},
		{"gap of what was not late enough", func(e *evidence) { e.outages[0].to = base + 7000 }, "no outage explains it"},
		{
			"gap not made up for", func(e *evidence) {
				e.rows = e.rows[:len(e.rows)-1]
				e.records = e.records[:len(e.records)-3]
				e.acks = e.acks[:len(e.acks)-1]
			},
			"A1: job 2: 1 gaps were made up for by 0 runs",
		},
		{"gap made up for twice", func(e *evidence) { e.run(2, base+13_000, "", "") }, "1 gaps were made up for by 2 runs"},
		{"made up for what must not be", func(e *evidence) {
			e.run(1, base+13_000, "Job trigger type：Misfire compensation<br>", "")
		}, "0 gaps"},
		{"sent without a row", func(e *evidence) {
			e.records = append(e.records, record{kind: 'R', job: 1, logID: 999, trigger: base})
		}, "A1: log 999 of job 1 was sent and is not on record"},
		{"sent with another instant", func(e *evidence) { e.records[0].trigger++ }, "A1: log 1: sent for job 1"},
		{"sent again", func(e *evidence) { e.records = append(e.records, e.records[0]) }, "A2: log 1 of job 1 was sent again"},
		{"never sent", func(e *evidence) { e.records = e.records[1:] }, "A2: log 1 of job 1 at 08:00:00.000 was never sent"},
		{"not sent, no reason", func(e *evidence) {
			e.records = e.records[1:]
			e.rows[0].triggerCode, e.rows[0].msg = 500, ""
		}, "A2: log 1 of job 1 was not sent, and says nothing"},
		{"not sent, nobody was away", func(e *evidence) {
			e.records = e.records[1:]
			e.rows[0].triggerCode = 500
		}, "A2: log 1 of job 1 at 08:00:00.000 was not sent to an executor that was there: Job trigger"},
		{"run twice", func(e *evidence) { e.records = append(e.records, e.records[1]) }, "A1: log 1 of job 1 was run twice"},
		{"instant run twice", func(e *evidence) {
			again := e.records[1]
			again.logID = e.rows[e.find(1, base+2000)].id
			again.at++
			e.records = slices.DeleteFunc(e.records, func(r record) bool { return r.logID == again.logID && r.kind == 'S' })
			e.records = append(e.records, again)
		}, "A1: job 1 was run twice for 08:00:00.000"},
		{"result not stored", func(e *evidence) { e.rows[0].handleCode = 0 }, "A3: the result 200 of log 1 was acknowledged, and is not"},
		{"other result stored", func(e *evidence) { e.rows[0].handleCode = 500 }, "A3: the result [200] of log 1 was acknowledged, and 500"},
		{"row deleted", func(e *evidence) { e.rows = e.rows[1:] }, "A3: the result of log 1 was acknowledged, and its row"},
		{"open run", func(e *evidence) { e.open = []int64{1} }, "A4: the run of log 1 of job 1 is open"},
		{"row without an end", func(e *evidence) { e.rows[0].handleCode, e.acks = 0, nil }, "A4: log 1 of job 1 at 08:00:00.000 has not ended"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := sound()
			tt.do(e)
			breaches := check(e)
			require.NotEmpty(t, breaches)
			found := slices.ContainsFunc(breaches, func(b string) bool { return strings.Contains(b, tt.want) })
			assert.True(t, found, "breaches %q, none of them %q", breaches, tt.want)
		})
	}
}

// FuzzParseRecord: what is read from a journal is what was written, or refused.
func FuzzParseRecord(f *testing.F) {
	f.Add("R 1 9001 2 3 4 0")
	f.Add("E -1 9001 2147483648 3 4 0 5")
	f.Fuzz(func(t *testing.T, line string) {
		r, err := parseRecord(line)
		if err != nil {
			return
		}
		text := fmt.Sprintf("%c %d %s %d %d %d %d", r.kind, r.at, r.port, r.job, r.logID, r.trigger, r.shard)
		again, err := parseRecord(text)
		require.NoError(t, err)
		assert.Equal(t, r, again)
	})
}
