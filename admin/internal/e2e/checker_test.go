//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// grace is how late an instant may be planned and still be sent, and how
	// early a fault may hit what it has to be planned for.
	grace   = 5_000
	horizon = 1_500
	// recovered is how long after an outage the first pass may be: a lease that
	// has to run out, and a pass.
	recovered = 5_000
)

// check returns every breach of A1 to A4 in e:
//
//   - A1: each instant of a job has exactly one row (one a shard of a
//     broadcast), or lies in exactly one gap that an outage explains; nothing
//     has a row that was not due; nothing was sent or run without a row, no
//     instant and no row was run twice; each gap of a FIRE_ONCE_NOW job is
//     followed by exactly one run;
//   - A2: each row was sent, or says why not, which needs an executor that was
//     away or a job that was stopped meanwhile; nothing was sent twice where
//     nothing was in doubt;
//   - A3: a result that was acknowledged stands in its row;
//   - A4: each row has ended, and no run is open.
func check(e *evidence) []string {
	c := &checker{evidence: e, byJob: make(map[int32][]row), byID: make(map[int64]row, len(e.rows))}
	for _, r := range e.rows {
		c.byJob[r.job] = append(c.byJob[r.job], r)
		c.byID[r.id] = r
	}
	for _, p := range e.jobs {
		c.instants(p)
		delete(c.byJob, p.id)
	}
	for job, rows := range c.byJob {
		c.breach("A1", "job %d is not known here and has %d rows", job, len(rows))
	}
	c.sends()
	c.runs()
	c.results()
	c.ends()
	return c.breaches
}

type checker struct {
	*evidence
	byJob    map[int32][]row
	byID     map[int64]row
	breaches []string
}

func (c *checker) breach(promise, format string, args ...any) {
	c.breaches = append(c.breaches, promise+": "+fmt.Sprintf(format, args...))
}

// clock shows an instant in a message.
func clock(ms int64) string { return time.UnixMilli(ms).UTC().Format("15:04:05.000") }

// slot is a shard of an instant.
type slot struct {
	at    int64
	shard int32
}

// instants holds the rows of one job against its schedule.
func (c *checker) instants(p plan) {
	planned := make(map[slot]int64) // to the log id
	totals := make(map[int64]int32)
	var gaps []span
	extra := 0 // runs that make up for a gap
	for _, r := range c.byJob[p.id] {
		if n, missed, ok := r.gapOf(); ok {
			c.gap(p, r, n, missed)
			gaps = append(gaps, missed)
			continue
		}
		index, total := r.shardOf()
		at := slot{r.trigger, index}
		_, taken := planned[at]
		due := p.may.holds(r.trigger) && r.trigger%p.every == 0
		switch {
		case r.misfired(), p.once && index == 0 && r.msg == "" && (taken || !due):
			extra++
		case !due:
			c.breach("A1", "job %d: log %d of %s was not due", p.id, r.id, clock(r.trigger))
		case taken:
			c.breach("A1", "job %d: %s is doubled: logs %d and %d", p.id, clock(r.trigger), planned[at], r.id)
		default:
			planned[at] = r.id
			totals[r.trigger] = total
		}
	}
	want := 0
	if p.once {
		want = len(gaps)
	}
	if extra != want {
		c.breach("A1", "job %d: %d gaps were made up for by %d runs", p.id, want, extra)
	}
	for at := p.may.from - p.may.from%p.every; at <= p.may.to; at += p.every {
		c.instant(p, at, planned, totals[at], gaps)
	}
}

// instant looks at one that may have been due.
func (c *checker) instant(p plan, at int64, planned map[slot]int64, total int32, gaps []span) {
	missed := 0
	for _, g := range gaps {
		if g.holds(at) {
			missed++
		}
	}
	have := int32(0)
	for i := range total {
		if _, ok := planned[slot{at, i}]; ok {
			have++
		}
	}
	switch {
	case missed > 1:
		c.breach("A1", "job %d: %s is in %d gaps", p.id, clock(at), missed)
	case missed == 1 && have > 0:
		c.breach("A1", "job %d: %s is in a gap and has log %d", p.id, clock(at), planned[slot{at, 0}])
	case missed == 0 && have == 0 && p.must.holds(at):
		c.breach("A1", "job %d: %s was missed; %s", p.id, clock(at), c.near(p.id, at))
	case have != total:
		c.breach("A1", "job %d: %s has %d of %d shards", p.id, clock(at), have, total)
	case have > 0 && p.shards > 1 && total > p.shards:
		c.breach("A1", "job %d: %s has %d shards for %d executors", p.id, clock(at), total, p.shards)
	}
}

// near shows the rows of a job round an instant.
func (c *checker) near(job int32, at int64) string {
	var b strings.Builder
	b.WriteString("near it:")
	for _, r := range c.byJob[job] {
		_, missed, isGap := r.gapOf()
		switch {
		case isGap:
			fmt.Fprintf(&b, " gap %d %s-%s", r.id, clock(missed.from), clock(missed.to))
		case r.trigger >= at-2000 && r.trigger <= at+2000:
			what, _, _ := strings.Cut(strings.TrimPrefix(r.msg, "Job trigger type："), "<br>")
			fmt.Fprintf(&b, " log %d %s %q %d/%d", r.id, clock(r.trigger), what, r.triggerCode, r.handleCode)
		}
	}
	return b.String()
}

// gap holds a record of missed instants against the outages.
func (c *checker) gap(p plan, r row, count int, missed span) {
	if missed.from%p.every != 0 || missed.to%p.every != 0 || missed.to < missed.from ||
		int64(count) != (missed.to-missed.from)/p.every+1 {
		c.breach("A1", "job %d: gap %d counts %d from %s to %s", p.id, r.id, count, clock(missed.from), clock(missed.to))
	}
	for at := missed.from; at <= missed.to; at += p.every {
		if !slices.ContainsFunc(c.outages, func(o span) bool {
			return o.from-horizon <= at && at+grace <= o.to+recovered
		}) {
			c.breach("A1", "job %d: %s was given up in gap %d, and no outage explains it", p.id, clock(at), r.id)
		}
	}
}

// sends holds what arrived at executors against the rows.
func (c *checker) sends() {
	arrived := make(map[int64]int)
	for _, r := range c.records {
		if r.kind != 'R' {
			continue
		}
		arrived[r.logID]++
		if had, ok := c.byID[r.logID]; !ok {
			c.breach("A1", "log %d of job %d was sent and is not on record", r.logID, r.job)
		} else if had.trigger != r.trigger || had.job != r.job {
			c.breach("A1", "log %d: sent for job %d at %s, on record for job %d at %s",
				r.logID, r.job, clock(r.trigger), had.job, clock(had.trigger))
		}
		if arrived[r.logID] == 2 && !c.resends {
			c.breach("A2", "log %d of job %d was sent again, and nothing was in doubt", r.logID, r.job)
		}
	}
	for _, r := range c.rows {
		_, _, isGap := r.gapOf()
		failed := r.triggerCode != 0 && r.triggerCode != 200
		switch {
		case isGap || arrived[r.id] > 0:
		case !failed:
			c.breach("A2", "log %d of job %d at %s was never sent: trigger code %d, handle code %d",
				r.id, r.job, clock(r.trigger), r.triggerCode, r.handleCode)
		case r.msg == "":
			c.breach("A2", "log %d of job %d was not sent, and says nothing about it", r.id, r.job)
		case strings.Contains(r.msg, "the job was stopped before the run was sent"):
		case !c.absent:
			c.breach("A2", "log %d of job %d at %s was not sent to an executor that was there: %s",
				r.id, r.job, clock(r.trigger), r.msg)
		}
	}
}

// runs looks for handlers that ran twice.
func (c *checker) runs() {
	type key struct {
		job     int32
		trigger int64
		shard   int32
	}
	once := make(map[int32]bool)
	for _, p := range c.jobs {
		once[p.id] = p.once
	}
	begun := make(map[int64]bool)
	at := make(map[key]int64)
	for _, r := range c.records {
		if r.kind != 'S' {
			continue
		}
		if begun[r.logID] {
			c.breach("A1", "log %d of job %d was run twice", r.logID, r.job)
			continue
		}
		begun[r.logID] = true
		k := key{r.job, r.trigger, r.shard}
		if other, ok := at[k]; ok && !once[r.job] {
			c.breach("A1", "job %d was run twice for %s: logs %d and %d", r.job, clock(r.trigger), other, r.logID)
		}
		at[k] = r.logID
	}
}

// results looks for acknowledged results in the rows.
func (c *checker) results() {
	codes := make(map[int64][]int32)
	for _, a := range c.acks {
		codes[a.logID] = append(codes[a.logID], a.code)
	}
	for id, said := range codes {
		r, ok := c.byID[id]
		switch {
		case !ok:
			c.breach("A3", "the result of log %d was acknowledged, and its row is gone", id)
		case r.handleCode == 0:
			c.breach("A3", "the result %d of log %d was acknowledged, and is not stored (trigger code %d)",
				said[0], id, r.triggerCode)
		case !slices.Contains(said, r.handleCode):
			c.breach("A3", "the result %v of log %d was acknowledged, and %d is stored", said, id, r.handleCode)
		}
	}
}

// ends looks for what is still open.
func (c *checker) ends() {
	for _, id := range c.open {
		c.breach("A4", "the run of log %d of job %d is open", id, c.byID[id].job)
	}
	for _, r := range c.rows {
		if r.handleCode == 0 && (r.triggerCode == 0 || r.triggerCode == 200) && !slices.Contains(c.open, r.id) {
			c.breach("A4", "log %d of job %d at %s has not ended: trigger code %d", r.id, r.job, clock(r.trigger), r.triggerCode)
		}
	}
}
