package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob"
)

// demoJob is a sample job.
type demoJob struct {
	id      int
	name    string
	cron    string // "" for a job that only follows another one
	handler string
	route   string
	retries int
	child   string // the name of the job that follows it
}

// demoJobs lists the sample jobs; one that follows another stands before it.
func demoJobs() []demoJob {
	return []demoJob{
		{name: "each second", cron: "* * * * * ?", handler: "tick", route: "ROUND"},
		{name: "every five seconds", cron: "0/5 * * * * ?", handler: "report", route: "RANDOM"},
		{name: "in shards", cron: "2/5 * * * * ?", handler: "count", route: "SHARDING_BROADCAST"},
		{name: "fails, is retried", cron: "1/8 * * * * ?", handler: "flaky", route: "FAILOVER", retries: 2},
		{name: "second of a chain", handler: "load", route: "FIRST"},
		{
			name: "first of a chain", cron: "3/6 * * * * ?", handler: "extract", route: "LAST",
			child: "second of a chain",
		},
	}
}

// demoHandlers are what the jobs run. Each executor has its own.
func demoHandlers() map[string]xxljob.HandlerFunc {
	return map[string]xxljob.HandlerFunc{
		"tick":    func(context.Context, *xxljob.Run) error { return nil },
		"report":  work(120*time.Millisecond, "report written"),
		"count":   count,
		"flaky":   flaky,
		"extract": work(200*time.Millisecond, "40 rows extracted"),
		"load":    work(80*time.Millisecond, "40 rows loaded"),
	}
}

// work takes a while, and ends early when it is told to.
func work(d time.Duration, result string) xxljob.HandlerFunc {
	return func(ctx context.Context, run *xxljob.Run) error {
		run.Logf("working for %v", d)
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			run.SetResult(result)
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// count does its shard's part of a hundred items.
func count(_ context.Context, run *xxljob.Run) error {
	own := 0
	for id := range int64(100) {
		if run.Owns(id) {
			own++
		}
	}
	run.SetResult(fmt.Sprintf("%d of 100 items", own))
	return nil
}

// attempts counts the runs of the flaky job in all executors.
var attempts atomic.Int64

// flaky succeeds every third time.
func flaky(context.Context, *xxljob.Run) error {
	if n := attempts.Add(1); n%3 != 0 {
		return errors.New("the disk is on fire")
	}
	return nil
}

// addGroup makes the executors' group, and waits until they have registered.
func (c *consoleClient) addGroup(ctx context.Context, app string, executors int) (int, error) {
	form := url.Values{"appname": {app}, "title": {"Demo"}, "addressType": {"0"}}
	if _, err := c.call(ctx, "/jobgroup/save", form); err != nil {
		return 0, err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		id, addresses, err := c.group(ctx, app)
		if err != nil {
			return 0, err
		}
		if addresses >= executors {
			return id, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// addJobs makes the sample jobs, and starts those that have a schedule.
func (c *consoleClient) addJobs(ctx context.Context, group int) ([]demoJob, error) {
	jobs := demoJobs()
	ids := map[string]string{}
	for i := range jobs {
		j := &jobs[i]
		form := url.Values{
			"jobGroup": {strconv.Itoa(group)}, "jobDesc": {j.name}, "author": {"demo"},
			"scheduleType": {"NONE"}, "misfireStrategy": {"DO_NOTHING"}, "glueType": {"BEAN"},
			"executorRouteStrategy": {j.route}, "executorHandler": {j.handler}, "executorParam": {""},
			"executorBlockStrategy": {"SERIAL_EXECUTION"}, "executorTimeout": {"0"},
			"executorFailRetryCount": {strconv.Itoa(j.retries)}, "childJobId": {ids[j.child]},
		}
		if j.cron != "" {
			form.Set("scheduleType", "CRON")
			form.Set("scheduleConf", j.cron)
		}
		id, err := c.call(ctx, "/jobinfo/add", form)
		if err != nil {
			return nil, fmt.Errorf("add the job %q: %w", j.name, err)
		}
		ids[j.name] = id
		if j.id, err = strconv.Atoi(id); err != nil {
			return nil, fmt.Errorf("add the job %q: %w", j.name, err)
		}
		if j.cron == "" {
			continue
		}
		if _, err := c.call(ctx, "/jobinfo/start", url.Values{"id": {id}}); err != nil {
			return nil, fmt.Errorf("start the job %q: %w", j.name, err)
		}
	}
	return jobs, nil
}
