//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// workers is how many calls of the console go side by side.
const workers = 6

// each calls do for every number below n, several at a time.
func each(n int, do func(i int)) {
	next := make(chan int)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}

// mixed is job i of a load: most fire each second, some make up for what was
// missed, some are broadcasts, some ask executors first.
func mixed(i int) jobForm {
	f := jobForm{Name: fmt.Sprintf("job %d", i), Schedule: "* * * * * ?", Param: fmt.Sprint(i)}
	switch i % 10 {
	case 5:
		f.Rate, f.Schedule, f.Route = true, "1", "LEAST_RECENTLY_USED"
	case 6:
		f.Rate, f.Schedule, f.Misfire, f.Route = true, "1", "FIRE_ONCE_NOW", "FIRST"
	case 7:
		f.Schedule, f.Misfire, f.Route = "0/2 * * * * ?", "FIRE_ONCE_NOW", "CONSISTENT_HASH"
	case 8:
		f.Route = "SHARDING_BROADCAST"
	case 9:
		f.Route, f.Handler, f.Param = "FAILOVER", "sleep", "300"
	}
	return f
}

// plain is a job that fires each second.
func plain(i int) jobForm {
	return jobForm{Name: fmt.Sprintf("job %d", i), Schedule: "* * * * * ?", Param: fmt.Sprint(i)}
}

// addJobs makes n jobs by the console of the first node and starts them.
// executors is how many shards a broadcast has.
func (w *world) addJobs(t *testing.T, n int, form func(i int) jobForm, executors int32) {
	t.Helper()
	c := w.nodes[0].console
	each(n, func(i int) {
		f := form(i)
		p := plan{id: c.addJob(t, w.group, f), every: 1000, shards: 1, once: f.Misfire == "FIRE_ONCE_NOW"}
		if strings.HasPrefix(f.Schedule, "0/2 ") {
			p.every = 2000
		}
		if f.Route == "SHARDING_BROADCAST" {
			p.shards = executors
		}
		p.may.from = time.Now().UnixMilli()
		c.change(t, "start", p.id)
		p.must.from = time.Now().UnixMilli() + 2000 // first fire at most 2 s after start
		w.mu.Lock()
		defer w.mu.Unlock()
		w.jobs = append(w.jobs, p)
	})
}

// stopJobs stops every job by the console of the first node that runs.
func (w *world) stopJobs(t *testing.T) {
	t.Helper()
	var c *console
	for _, n := range w.nodes {
		if n.process != nil && !n.ended() {
			c = n.console
		}
	}
	c.login(t)
	each(len(w.jobs), func(i int) {
		p := &w.jobs[i]
		p.must.to = time.Now().UnixMilli() - 2000
		c.change(t, "stop", p.id)
		p.may.to = time.Now().UnixMilli() + 1000 // none later than 1 s after stop
	})
}
